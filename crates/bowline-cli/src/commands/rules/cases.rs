//! A person's own cases: a command or a tool call and its expected verdict.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use bowline::hooks::HookInput;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::error::{Error, Result};

/// A larger file is not a list that a person keeps.
const MAX_FILE: u64 = 64 * 1024 * 1024;

/// One case and its expected verdict.
#[derive(Debug)]
pub(super) struct Case {
    pub(super) line: usize,
    subject: Subject,
    pub(super) expected: Expected,
    pub(super) cwd: Option<String>,
}

#[derive(Debug)]
enum Subject {
    Command(String),
    Call {
        tool: String,
        input: Map<String, Value>,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Expected {
    Allow,
    Ask,
    Deny,
}

impl Expected {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }
}

/// A line of the file. Other fields, such as an id or a comment, are a person's own.
#[derive(Debug, Deserialize)]
struct Row {
    command: Option<String>,
    tool: Option<String>,
    tool_input: Option<Map<String, Value>>,
    verdict: Expected,
    cwd: Option<String>,
}

pub(super) fn read(path: &Path) -> Result<Vec<Case>> {
    let mut text = String::new();
    let read = File::open(path).and_then(|file| file.take(MAX_FILE + 1).read_to_string(&mut text));
    let size = read.map_err(|source| Error::file("read", path, source))?;
    if u64::try_from(size).is_ok_and(|size| size > MAX_FILE) {
        return Err(Error::input(format!(
            "{} is larger than 64 MB",
            path.display()
        )));
    }
    parse(&text).map_err(|(line, why)| {
        Error::input(format!("{}:{line}: not a case: {why}", path.display()))
            .hint("expected {\"command\", \"verdict\"} or {\"tool\", \"tool_input\", \"verdict\"}; a verdict is allow, ask or deny")
    })
}

fn parse(text: &str) -> Result<Vec<Case>, (usize, String)> {
    let lines = text.lines().enumerate();
    lines
        .filter(|(_, line)| !line.trim().is_empty())
        .map(|(index, line)| {
            let line_number = index + 1;
            let row: Row =
                serde_json::from_str(line).map_err(|problem| (line_number, problem.to_string()))?;
            case(line_number, row).map_err(|why| (line_number, why.to_owned()))
        })
        .collect()
}

fn case(line: usize, row: Row) -> Result<Case, &'static str> {
    let subject = match (row.command, row.tool, row.tool_input) {
        (Some(command), None, None) => Subject::Command(command),
        (None, Some(tool), Some(input)) => Subject::Call { tool, input },
        (Some(_), _, _) => return Err("it has a command and a tool"),
        (None, Some(_), None) => return Err("`tool_input` is missing"),
        (None, None, _) => return Err("it has neither `command` nor `tool`"),
    };
    if row.cwd.as_deref().is_some_and(|cwd| !cwd.starts_with('/')) {
        return Err("`cwd` is not an absolute path");
    }
    Ok(Case {
        line,
        subject,
        expected: row.verdict,
        cwd: row.cwd,
    })
}

impl Case {
    /// The call, in its own session, so that earlier denials do not matter.
    pub(super) fn input(&self) -> HookInput {
        let (tool, input) = match &self.subject {
            Subject::Command(command) => ("Bash", json!({ "command": command })),
            Subject::Call { tool, input } => (tool.as_str(), Value::Object(input.clone())),
        };
        HookInput::pre_tool_use(format!("case-{}", self.line), tool, input)
    }

    /// What is judged, for people.
    pub(super) fn shown(&self) -> String {
        match &self.subject {
            Subject::Command(command) => command.clone(),
            Subject::Call { tool, input } => format!("{tool} {}", Value::Object(input.clone())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bad_lines_are_named() {
        for (text, line, why) in [
            ("\n{", 2, "EOF"),
            ("{\"verdict\":\"deny\"}", 1, "neither"),
            (
                "{\"command\":\"ls\",\"verdict\":\"maybe\"}",
                1,
                "unknown variant",
            ),
            ("{\"command\":\"ls\"}", 1, "verdict"),
            ("{\"tool\":\"Read\",\"verdict\":\"ask\"}", 1, "tool_input"),
            (
                "{\"command\":\"ls\",\"tool\":\"Bash\",\"verdict\":\"ask\"}",
                1,
                "and a tool",
            ),
            (
                "{\"command\":\"ls\",\"verdict\":\"ask\",\"cwd\":\"x\"}",
                1,
                "absolute",
            ),
        ] {
            let (found, message) = parse(text).unwrap_err();
            assert_eq!(found, line, "{text}");
            assert!(message.contains(why), "{text}: {message}");
        }
        assert!(parse("\n\n").unwrap().is_empty());
    }
}
