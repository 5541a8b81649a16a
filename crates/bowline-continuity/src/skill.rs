//! Skills: what `SKILL.md` says about the phases and the files of an effort.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::error::{Code, RuleError};

/// What a skill's file says.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Skill {
    /// Its name.
    pub name: String,
    /// What it is for.
    pub description: Option<String>,
    /// Its version.
    pub version: Option<String>,
    /// The phases of an effort that uses it, in order (`2.1: Build`).
    pub phases: Vec<String>,
    /// The modes that it has.
    pub modes: Vec<String>,
    /// Files to begin with.
    pub templates: Templates,
    /// Skills that may follow.
    pub next_skills: Vec<String>,
    /// Directive files that it needs beside the core ones (`TESTING.md`).
    pub directives: Vec<String>,
    /// Commands that it needs (`CMD_REVIEW`).
    pub commands: Vec<String>,
}

/// The paths of a skill's templates, as they are written.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Templates {
    /// Of a plan.
    pub plan: Option<String>,
    /// Of a log.
    pub log: Option<String>,
    /// Of a debrief.
    pub debrief: Option<String>,
    /// Of a request to another agent.
    pub request: Option<String>,
    /// Of the response to one.
    pub response: Option<String>,
}

impl Templates {
    /// Those that there are, in the order in which an agent needs them.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        let all = [
            &self.plan,
            &self.log,
            &self.debrief,
            &self.request,
            &self.response,
        ];
        all.into_iter().flatten().map(String::as_str)
    }
}

impl Skill {
    /// Reads a `SKILL.md`: its front matter and its first JSON block. `folder` is the name of the skill's folder, which counts
    /// if the file gives no name.
    pub fn parse(text: &str, folder: &str) -> Result<Self, RuleError> {
        let text = text.trim_start_matches('\u{feff}');
        let front = front_matter(text).map_err(|wrong| wrong.refusal(folder))?;
        let value_of = |key: &str| {
            let mut entries = front.iter();
            entries
                .find(|(name, value)| name == key && !value.is_empty())
                .map(|(_, value)| value.clone())
        };
        let skill = Self {
            name: value_of("name").unwrap_or_else(|| folder.to_owned()),
            description: value_of("description"),
            version: value_of("version"),
            ..Self::default()
        };
        match json_block(text) {
            Some(block) => skill.configured(&block),
            None => Ok(skill),
        }
    }

    fn configured(self, block: &JsonBlock) -> Result<Self, RuleError> {
        let json: Value = serde_json::from_str(&block.text).map_err(|error| {
            let line = block.line + error.line().saturating_sub(1);
            // The place that the error names is that in the block.
            let error = error.to_string();
            let problem = error.split(" at line ").next().unwrap_or(&error);
            let message = format!(
                "The JSON block of the skill \"{}\" cannot be read: {problem} (line {line} of SKILL.md). Correct it there.",
                self.name
            );
            RuleError::new(Code::ParseError, message)
                .with_details(serde_json::json!({ "line": line }))
        })?;
        let template = |key: &str| text_of(json.get(key)?);
        Ok(Self {
            phases: self.phases(json.get("phases"))?,
            modes: names(json.get("modes")),
            templates: Templates {
                plan: template("planTemplate"),
                log: template("logTemplate"),
                debrief: template("debriefTemplate"),
                request: template("requestTemplate"),
                response: template("responseTemplate"),
            },
            next_skills: names(json.get("nextSkills")),
            directives: names(json.get("directives")),
            commands: names(json.get("commands")),
            ..self
        })
    }

    /// A phase that is left out in silence would change the order of all others, so that one which is not understood is refused.
    fn phases(&self, value: Option<&Value>) -> Result<Vec<String>, RuleError> {
        let phases = match value {
            None | Some(Value::Null) => Some(Vec::new()),
            Some(Value::Array(entries)) => entries.iter().map(phase).collect(),
            Some(_) => None,
        };
        phases.ok_or_else(|| {
            let message = format!(
                "The phases of the skill \"{}\" are not understood. Write a list such as [\"1: Plan\", \"2: Build\"] or [{{\"label\": \"1\", \"name\": \"Plan\"}}].",
                self.name
            );
            RuleError::new(Code::ParseError, message)
        })
    }
}

fn phase(entry: &Value) -> Option<String> {
    if let Some(text) = text_of(entry) {
        return Some(text);
    }
    let label = entry.get("label").and_then(|label| match label {
        Value::Number(number) => Some(number.to_string()),
        other => text_of(other),
    });
    match (label, entry.get("name").and_then(text_of)) {
        (Some(label), Some(name)) => Some(format!("{label}: {name}")),
        (label, name) => label.or(name),
    }
}

/// Names: a list of texts or of objects with a `name`, or an object whose keys they are.
fn names(value: Option<&Value>) -> Vec<String> {
    match value {
        Some(Value::Array(entries)) => entries
            .iter()
            .filter_map(|entry| text_of(entry).or_else(|| text_of(entry.get("name")?)))
            .collect(),
        Some(Value::Object(entries)) => entries.keys().cloned().collect(),
        _ => Vec::new(),
    }
}

fn text_of(value: &Value) -> Option<String> {
    let text = value.as_str()?.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

/// A line of the front matter that is not as it should be.
struct WrongLine {
    /// From 1.
    line: usize,
    found: String,
    expected: &'static str,
}

impl WrongLine {
    fn refusal(self, skill: &str) -> RuleError {
        let Self {
            line,
            found,
            expected,
        } = self;
        let message = format!(
            "The front matter of the skill \"{skill}\" cannot be read: found {found} on line {line} of SKILL.md, expected {expected}. Correct it there."
        );
        RuleError::new(Code::ParseError, message).with_details(serde_json::json!({ "line": line }))
    }
}

/// The keys and values between the two lines `---` at the beginning. It reads what such files have: one key a line, texts over several
/// indented lines.
fn front_matter(text: &str) -> Result<Vec<(String, String)>, WrongLine> {
    let mut lines = text.lines();
    if lines.next().map(str::trim_end) != Some("---") {
        return Ok(Vec::new());
    }
    let mut entries: Vec<Entry> = Vec::new();
    for (line, number) in lines.zip(2..) {
        if line.trim_end() == "---" {
            return Ok(entries.into_iter().map(Entry::finish).collect());
        }
        // A list may stand below its key without being indented.
        if line.starts_with([' ', '\t', '-']) || line.trim().is_empty() {
            if let Some(entry) = entries.last_mut() {
                entry.lines.push(line.trim().to_owned());
            }
        } else if let Some((key, value)) = line.split_once(':') {
            entries.push(Entry {
                key: key.trim().to_owned(),
                lines: vec![value.trim().to_owned()],
            });
        } else if !line.starts_with('#') {
            return Err(WrongLine {
                line: number,
                found: format!("`{}`", line.trim_end()),
                expected: "`key: value`",
            });
        }
    }
    Err(WrongLine {
        line: 1,
        found: "`---`".to_owned(),
        expected: "a second line `---` where the front matter ends",
    })
}

struct Entry {
    key: String,
    lines: Vec<String>,
}

impl Entry {
    fn finish(self) -> (String, String) {
        let first = self.lines.first().map_or("", String::as_str);
        let joined = if first.starts_with('|') {
            self.without_first("\n")
        } else if first.starts_with('>') {
            self.without_first(" ")
        } else {
            self.lines.join(" ")
        };
        (self.key, unquoted(joined.trim()).to_owned())
    }

    fn without_first(&self, separator: &str) -> String {
        let lines: Vec<&str> = self.lines.iter().skip(1).map(String::as_str).collect();
        lines.join(separator)
    }
}

fn unquoted(text: &str) -> &str {
    ['"', '\'']
        .into_iter()
        .find_map(|quote| text.strip_prefix(quote)?.strip_suffix(quote))
        .unwrap_or(text)
}

struct JsonBlock {
    text: String,
    /// The line of the file on which the text begins, from 1.
    line: usize,
}

/// The first fenced block of JSON that is not part of another block.
fn json_block(text: &str) -> Option<JsonBlock> {
    let mut lines = text.lines().enumerate();
    while let Some((index, line)) = lines.next() {
        let Some((fence, info)) = fence(line) else {
            continue;
        };
        let closes = |line: &str| {
            let line = line.trim();
            line.starts_with(fence) && line.trim_start_matches(fence_mark(fence)).is_empty()
        };
        let content: Vec<&str> = lines
            .by_ref()
            .map(|(_, line)| line)
            .take_while(|line| !closes(line))
            .collect();
        if info.eq_ignore_ascii_case("json") {
            return Some(JsonBlock {
                text: content.join("\n"),
                line: index + 2,
            });
        }
    }
    None
}

/// The marks that open a block, and the first word behind them.
fn fence(line: &str) -> Option<(&str, &str)> {
    let line = line.trim();
    let mark = line
        .chars()
        .next()
        .filter(|mark| matches!(mark, '`' | '~'))?;
    let info = line.trim_start_matches(mark);
    let fence = line.strip_suffix(info)?;
    let is_inline = mark == '`' && info.contains('`');
    (fence.len() >= 3 && !is_inline).then(|| (fence, info.split_whitespace().next().unwrap_or("")))
}

fn fence_mark(fence: &str) -> char {
    if fence.starts_with('~') { '~' } else { '`' }
}

#[cfg(test)]
mod tests;
