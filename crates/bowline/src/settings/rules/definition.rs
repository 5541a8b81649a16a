//! `[[rule]]`: what a person decides for themselves, as it is written.

use std::ops::Range;
use std::path::PathBuf;

use serde_json::{Map, Value};

use crate::event::HookEvent;
use crate::matcher::Matcher;
use crate::settings::hooks::model::Scope;
use crate::settings::{Diagnostic, Severity};

/// A rule of Bowline's own files. All conditions that are given must hold; of a list, any one.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct RuleDefinition {
    /// Its name, unique among the rules that were loaded.
    pub id: String,
    /// The events that it is for.
    pub events: Vec<HookEvent>,
    /// The tools, or whatever else a matcher is compared with on the event; empty for all.
    pub tools: Vec<Matcher>,
    /// Tools that were probably meant by names in `tools` that none has.
    pub meant_tools: Vec<MeantTool>,
    /// `command`: patterns of program runs.
    pub commands: Vec<Written>,
    /// `effect`: categories or rules of the guard.
    pub effects: Vec<Written>,
    /// `path`: patterns of files.
    pub paths: Vec<Written>,
    /// `when`: a further condition, in CEL.
    pub when: Option<Written>,
    /// What the rule says when it applies.
    pub verdict: RuleVerdict,
    /// `rewrite`: what takes the place of the words that a command pattern begins with.
    pub rewrite: Option<Written>,
    /// Why, for the model and the person.
    pub message: Option<String>,
    /// A safer way.
    pub suggestion: Option<Written>,
    /// Calls that it must apply to, or must not.
    pub examples: Vec<RuleExample>,
    /// The problem of a condition that cannot be evaluated.
    pub fault: Option<String>,
    /// Where it is written.
    pub origin: RuleOrigin,
}

impl RuleDefinition {
    /// A summary in one line: "deny when command is `make clean`".
    pub fn summary(&self) -> String {
        let mut verdict = self.verdict.name().to_owned();
        if let Some(rewrite) = &self.rewrite {
            verdict = format!("{verdict} to `{}`", rewrite.text);
        }
        let conditions: Vec<String> = self
            .conditions()
            .into_iter()
            .map(|(name, values)| {
                let values: Vec<String> = values.iter().map(|it| format!("`{it}`")).collect();
                match name {
                    "when" => values.join(""),
                    _ => format!("{name} is {}", values.join(" or ")),
                }
            })
            .collect();
        match conditions.join(", and ") {
            conditions if conditions.is_empty() => format!("{verdict} always"),
            conditions => format!("{verdict} when {conditions}"),
        }
    }

    /// The conditions that are given, by their keys.
    pub fn conditions(&self) -> Vec<(&'static str, Vec<&str>)> {
        fn texts(written: &[Written]) -> Vec<&str> {
            written.iter().map(|it| it.text.as_str()).collect()
        }
        let mut conditions = vec![
            ("tool", self.tools.iter().map(Matcher::source).collect()),
            ("command", texts(&self.commands)),
            ("effect", texts(&self.effects)),
            ("path", texts(&self.paths)),
            ("when", texts(self.when.as_slice())),
        ];
        conditions.retain(|(_, values): &(_, Vec<&str>)| !values.is_empty());
        conditions
    }

    /// A finding in the file of this rule.
    pub fn finding(
        &self,
        severity: Severity,
        code: &'static str,
        position: &FilePosition,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Diagnostic {
        Diagnostic {
            severity,
            code,
            file: self.origin.file.clone(),
            line: position.line,
            column: position.column,
            span: position.span.clone(),
            message: message.into(),
            help: Some(help.into()),
        }
    }
}

/// A tool that was probably meant by a misspelt name. Whether it was, only the author knows.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct MeantTool {
    /// Matches the tool.
    pub matcher: Matcher,
    /// Why it is in doubt, for people.
    pub why: String,
}

/// What a rule says when it applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RuleVerdict {
    /// Not allowed.
    Deny,
    /// A person has to decide.
    Ask,
    /// Allowed without asking anyone.
    Allow,
    /// The model gets a message.
    Context,
    /// The command is changed.
    Rewrite,
}

impl RuleVerdict {
    /// Every verdict.
    pub const ALL: &'static [Self] = &[
        Self::Deny,
        Self::Ask,
        Self::Allow,
        Self::Context,
        Self::Rewrite,
    ];

    /// The word in settings and reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Deny => "deny",
            Self::Ask => "ask",
            Self::Allow => "allow",
            Self::Context => "context",
            Self::Rewrite => "rewrite",
        }
    }

    /// Whether it can only make decisions stricter.
    pub const fn tightens(self) -> bool {
        matches!(self, Self::Deny | Self::Ask)
    }
}

/// A rule of a settings file, and whether it counts.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct LoadedRule {
    /// The rule.
    pub definition: RuleDefinition,
    /// Whether it counts.
    pub status: RuleStatus,
}

/// Whether a rule of a settings file counts.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RuleStatus {
    /// It does.
    InForce,
    /// The project's settings are not trusted, and it is not only stricter.
    Untrusted,
    /// Something switches it off.
    Disabled {
        /// What, for people.
        by: String,
    },
}

/// Where a rule is written.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RuleOrigin {
    /// Whose file it is.
    pub scope: Scope,
    /// The file; `None` for text that came from elsewhere.
    pub file: Option<PathBuf>,
    /// Where in it.
    pub position: FilePosition,
}

/// A position in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilePosition {
    /// Line, from 1.
    pub line: usize,
    /// Column, from 1, in characters.
    pub column: usize,
    /// The bytes of the file.
    pub span: Range<usize>,
}

/// A text of a file, and where it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Written {
    /// The text.
    pub text: String,
    /// Where it is written, with its quotes.
    pub position: FilePosition,
    /// Where its first character is, if it stands in the file as it is, without escapes.
    pub(in crate::settings) inside: Option<FilePosition>,
}

impl Written {
    /// The position of a part of the text, by its bytes in the text; the whole text if that is unknown.
    pub fn part(&self, bytes: Range<usize>) -> FilePosition {
        let start = self.text.floor_char_boundary(bytes.start);
        let end = self.text.floor_char_boundary(bytes.end).max(start);
        let (Some(inside), Some(before)) = (&self.inside, self.text.get(..start)) else {
            return self.position.clone();
        };
        let (line, column) =
            before
                .chars()
                .fold((inside.line, inside.column), |(line, column), c| match c {
                    '\n' => (line + 1, 1),
                    _ => (line, column + 1),
                });
        let first = inside.span.start;
        FilePosition {
            line,
            column,
            span: first + start..first + end,
        }
    }
}

/// A call that a rule must apply to, or must not.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct RuleExample {
    /// Whether the rule must apply.
    pub expected: Expected,
    /// The call.
    pub call: ExampleCall,
    /// Where it is written.
    pub position: FilePosition,
}

/// Whether a rule must apply to an example.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expected {
    /// It must.
    Match,
    /// It must not.
    NoMatch,
}

/// What an example is.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum ExampleCall {
    /// A command, a file or a prompt, whichever the rule is about.
    Text(String),
    /// A tool and its input.
    Tool {
        /// The tool.
        tool: String,
        /// Its input.
        input: Map<String, Value>,
    },
    /// A prompt.
    Prompt(String),
}
