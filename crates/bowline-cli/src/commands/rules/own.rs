//! The rules of a person's own files.

use std::path::PathBuf;

use bowline::settings::{
    Diagnostic, ExampleCall, Expected, LoadedRule, RuleDefinition, RuleStatus, Scope,
};
use serde::Serialize;
use serde_json::Value;

use super::catalogue::{Kind, RuleView};
use crate::project::{self, Paths};
use crate::ui::{Text, style};

/// What only a rule of a file has.
#[derive(Debug, Serialize)]
pub(super) struct Own {
    pub(super) verdict: &'static str,
    pub(super) scope: Scope,
    #[serde(serialize_with = "project::lossy_option")]
    pub(super) file: Option<PathBuf>,
    pub(super) line: usize,
    pub(super) events: Vec<&'static str>,
    pub(super) conditions: Vec<Condition>,
    pub(super) rewrite: Option<String>,
    pub(super) message: Option<String>,
    #[serde(flatten)]
    pub(super) status: RuleStanding,
}

#[derive(Debug, Serialize)]
pub(super) struct Condition {
    pub(super) key: &'static str,
    /// Any of them.
    pub(super) values: Vec<String>,
}

/// Whether a rule counts.
#[derive(Debug, Serialize)]
pub(super) struct RuleStanding {
    pub(super) status: &'static str,
    /// Why it does not.
    pub(super) reason: Option<String>,
}

impl From<&RuleStatus> for RuleStanding {
    fn from(status: &RuleStatus) -> Self {
        let (status, reason) = match status {
            RuleStatus::Untrusted => (
                "untrusted",
                Some("not trusted: run `bowline trust`".to_owned()),
            ),
            RuleStatus::Disabled { by } => ("disabled", Some(format!("disabled: {by}"))),
            _ => ("in_force", None),
        };
        Self { status, reason }
    }
}

/// The view of a rule.
pub(super) fn view(rule: &LoadedRule) -> RuleView {
    let LoadedRule {
        definition, status, ..
    } = rule;
    RuleView {
        id: definition.id.clone(),
        kind: Kind::Own,
        category: None,
        summary: definition.summary(),
        default_verdict: None,
        example: None,
        allow: None,
        instead: definition
            .suggestion
            .as_ref()
            .map(|suggestion| suggestion.text.clone()),
        matches: examples(definition, Expected::Match),
        ignores: examples(definition, Expected::NoMatch),
        own: Some(Own {
            verdict: definition.verdict.name(),
            scope: definition.origin.scope,
            file: definition.origin.file.clone(),
            line: definition.origin.position.line,
            events: definition.events.iter().map(|event| event.name()).collect(),
            conditions: definition
                .conditions()
                .into_iter()
                .map(|(key, values)| Condition {
                    key,
                    values: values.into_iter().map(ToOwned::to_owned).collect(),
                })
                .collect(),
            rewrite: definition
                .rewrite
                .as_ref()
                .map(|rewrite| rewrite.text.clone()),
            message: definition.message.clone(),
            status: RuleStanding::from(status),
        }),
    }
}

fn examples(rule: &RuleDefinition, expected: Expected) -> Vec<String> {
    let wanted = rule
        .examples
        .iter()
        .filter(|example| example.expected == expected);
    wanted.map(|example| shown(&example.call)).collect()
}

fn shown(call: &ExampleCall) -> String {
    match call {
        ExampleCall::Text(text) | ExampleCall::Prompt(text) => text.clone(),
        ExampleCall::Tool { tool, input } => format!("{tool} {}", Value::Object(input.clone())),
        _ => String::new(),
    }
}

impl Own {
    /// Adds where it is from, and why it does not count, each on its line.
    pub(super) fn remark(&self, text: Text, paths: &Paths) -> Text {
        let from = format!("\n{} ({})", self.place(paths), self.scope);
        let text = text.with(from, style::FAINT);
        match &self.status.reason {
            Some(reason) => text.with(format!("\n{reason}"), style::CAUTION),
            None => text,
        }
    }

    /// The same on one line, which may be cut: why it does not count comes first.
    pub(super) fn remark_in_line(&self, text: Text, paths: &Paths) -> Text {
        let reason = match &self.status.reason {
            Some(reason) => Text::styled(format!("{reason}  "), style::CAUTION),
            None => Text::new(),
        };
        let from = format!("  {} ({})", self.place(paths), self.scope);
        reason.text(text).with(from, style::FAINT)
    }

    /// `file:line`, as editors and terminals understand it.
    fn place(&self, paths: &Paths) -> String {
        match &self.file {
            Some(file) => format!("{}:{}", paths.show(file), self.line),
            None => format!("line {}", self.line),
        }
    }
}

/// The examples of a person's own rules, and which came out differently.
#[derive(Debug, Serialize)]
pub(super) struct OwnTests {
    pub(super) rules: usize,
    pub(super) examples: usize,
    pub(super) failures: Vec<Failure>,
}

/// An example that came out differently, or a rule that could not be tried.
#[derive(Debug, Serialize)]
pub(super) struct Failure {
    #[serde(serialize_with = "project::lossy_option")]
    pub(super) file: Option<PathBuf>,
    pub(super) line: usize,
    pub(super) message: String,
}

impl OwnTests {
    pub(super) fn new<'a>(
        rules: &[LoadedRule],
        diagnostics: impl IntoIterator<Item = &'a Diagnostic>,
    ) -> Self {
        Self {
            rules: rules.len(),
            examples: rules
                .iter()
                .map(|rule| rule.definition.examples.len())
                .sum(),
            failures: diagnostics
                .into_iter()
                .map(|it| Failure {
                    file: it.file.clone(),
                    line: it.line,
                    message: it.message.clone(),
                })
                .collect(),
        }
    }
}

impl Failure {
    pub(super) fn text(&self, paths: &Paths) -> String {
        match &self.file {
            Some(file) => format!("{}:{}: {}", paths.show(file), self.line, self.message),
            None => format!("line {}: {}", self.line, self.message),
        }
    }
}
