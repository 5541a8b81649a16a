//! `if`: one permission rule (`Bash(git *)`) that a tool call has to fit.

mod command;
pub(crate) mod file;
mod wildcard;

use std::path::Path;
use std::sync::Arc;

use bowline_agents::claude_code::tools::current_name;

use crate::error::{Error, Result};
use crate::hook::Match;
use crate::input::HookInput;

use command::{Case, CommandRule};
use file::FileRule;
use wildcard::Wildcard;

/// A compiled `if`. Cloning it is cheap.
///
/// ```
/// use bowline::hooks::{Condition, HookInput, Match};
///
/// let condition = Condition::parse("Bash(git *)")?;
/// let call = HookInput::pre_tool_use("s1", "Bash", serde_json::json!({"command": "cd x && git push"}));
/// assert_eq!(condition.matches(&call, None), Match::Yes);
/// # Ok::<(), bowline::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Condition {
    source: Arc<str>,
    tool: Arc<str>,
    content: Arc<Content>,
}

/// What the rule says about the tool's arguments.
#[derive(Debug)]
enum Content {
    /// Nothing.
    Any,
    /// About the shell command.
    Command(CommandRule),
    /// About the file.
    File(FileRule),
    /// About the search pattern.
    Search(Wildcard),
    /// Something about a tool whose arguments are not understood.
    NotUnderstood,
}

impl Condition {
    /// Reads a rule: `Tool` or `Tool(content)`. `\(`, `\)` and `\\` stand for the characters themselves.
    pub fn parse(rule: &str) -> Result<Self> {
        let invalid = |reason: &str| Error::Pattern {
            pattern: rule.to_owned(),
            reason: reason.to_owned(),
        };
        let (tool, content) = split(rule).ok_or_else(|| {
            invalid(
                "expected `Tool` or `Tool(content)`, with the parenthesis closed at the very end",
            )
        })?;
        if tool.trim().is_empty() {
            return Err(invalid("it does not name a tool"));
        }
        let tool = current_name(tool);
        let content = match content.map(unescape) {
            None => Content::Any,
            Some(content) => Content::parse(tool, &content).map_err(|reason| invalid(&reason))?,
        };
        Ok(Self {
            source: Arc::from(rule),
            tool: Arc::from(tool),
            content: Arc::new(content),
        })
    }

    /// Whether the tool call fits. `home` is what `~/` stands for. No event without a tool fits.
    pub fn matches(&self, input: &HookInput, home: Option<&Path>) -> Match {
        let Some(tool) = input.tool_name() else {
            return Match::No(format!(
                "`if` is for tool calls, so it never fits {}",
                input.event_name()
            ));
        };
        if tool != &*self.tool {
            return Match::No(format!("`{}` is not for tool {tool}", self.source));
        }
        let fits = match &*self.content {
            Content::Any => return Match::Yes,
            Content::Command(rule) => input.command().map(|command| rule.fits(command)),
            Content::File(rule) => input
                .file_path()
                .map(|path| rule.fits(path, input.cwd(), home)),
            Content::Search(rule) => input
                .tool_input()
                .and_then(|arguments| arguments.get("pattern")?.as_str())
                .map(|pattern| rule.fits(pattern)),
            Content::NotUnderstood => {
                return Match::No(format!(
                    "`{}` never fits: the arguments of {tool} are not compared; write `{tool}`",
                    self.source
                ));
            }
        };
        match fits {
            Some(true) => Match::Yes,
            Some(false) => Match::No(format!("`{}` does not fit the call", self.source)),
            None => Match::No(format!(
                "`{}` has nothing to compare with: the call lacks the argument",
                self.source
            )),
        }
    }

    /// As written.
    pub fn source(&self) -> &str {
        &self.source
    }
}

impl Content {
    fn parse(tool: &str, content: &str) -> std::result::Result<Self, String> {
        if matches!(content.trim(), "" | "*") {
            return Ok(Self::Any);
        }
        Ok(match tool {
            "Bash" | "Monitor" => Self::Command(CommandRule::new(content, Case::Sensitive)),
            "PowerShell" => Self::Command(CommandRule::new(content, Case::Insensitive)),
            "Read" | "Write" | "Edit" | "MultiEdit" | "NotebookEdit" => {
                Self::File(FileRule::new(content)?)
            }
            "Glob" | "Grep" => Self::Search(Wildcard::new(content)),
            _ => Self::NotUnderstood,
        })
    }
}

/// The tool, and what stands between its first parenthesis and the last one at the end. `None` where a
/// parenthesis is not closed there.
fn split(rule: &str) -> Option<(&str, Option<&str>)> {
    let mut unescaped = Vec::new();
    let mut escaped = false;
    for (at, c) in rule.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '(' | ')' => unescaped.push((at, c)),
            _ => {}
        }
    }
    let Some((opening, _)) = unescaped.iter().find(|(_, c)| *c == '(') else {
        return unescaped.is_empty().then_some((rule, None));
    };
    let (closing, _) = unescaped.last().filter(|(_, c)| *c == ')')?;
    let at_the_end = closing + 1 == rule.len();
    let content = rule.get(opening + 1..*closing).filter(|_| at_the_end)?;
    Some((rule.get(..*opening)?, Some(content)))
}

fn unescape(content: &str) -> String {
    let mut out = String::with_capacity(content.len());
    let mut chars = content.chars().peekable();
    while let Some(c) = chars.next() {
        let escapes = c == '\\' && matches!(chars.peek(), Some('(' | ')' | '\\'));
        out.push(if escapes {
            chars.next().unwrap_or(c)
        } else {
            c
        });
    }
    out
}

#[cfg(test)]
mod tests;
