//! Every rule of the guard, in one form.

use bowline_guard::effect::Category;
use bowline_guard::{lookalikes, secrets, sensitive};
use clap::ValueEnum;
use serde::Serialize;

/// What a rule looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Kind {
    /// What a command would do
    Effect,
    /// Files that hold secrets
    SensitiveFile,
    /// Secrets in text
    Secret,
    /// Characters that deceive the eye
    LookAlike,
}

impl Kind {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Effect => "effect",
            Self::SensitiveFile => "sensitive-file",
            Self::Secret => "secret",
            Self::LookAlike => "look-alike",
        }
    }
}

#[derive(Debug, Serialize)]
pub(super) struct RuleView {
    pub(super) id: String,
    pub(super) kind: Kind,
    /// The key under which settings give it a verdict; secrets in text are only redacted.
    pub(super) category: Option<&'static str>,
    pub(super) summary: String,
    pub(super) instead: Option<String>,
    /// Templates of texts that it must find.
    pub(super) matches: Vec<&'static str>,
    /// Templates of texts in which it must find nothing.
    pub(super) ignores: Vec<&'static str>,
}

impl RuleView {
    fn new(id: impl Into<String>, kind: Kind, category: Option<Category>, summary: &str) -> Self {
        Self {
            id: id.into(),
            kind,
            category: category.map(Category::name),
            summary: summary.to_owned(),
            instead: None,
            matches: Vec::new(),
            ignores: Vec::new(),
        }
    }
}

pub(super) fn all() -> impl Iterator<Item = RuleView> {
    sensitive_files().chain(look_alikes()).chain(secrets())
}

fn sensitive_files() -> impl Iterator<Item = RuleView> {
    sensitive::rules().map(|rule| RuleView {
        instead: Some(rule.instead.to_owned()),
        ..RuleView::new(
            format!("sensitive.{}", rule.rule),
            Kind::SensitiveFile,
            Some(Category::SecretRead),
            rule.why,
        )
    })
}

fn look_alikes() -> impl Iterator<Item = RuleView> {
    lookalikes::Kind::ALL.iter().map(|(kind, summary)| {
        RuleView::new(
            kind.rule(),
            Kind::LookAlike,
            Some(Category::LookAlike),
            summary,
        )
    })
}

fn secrets() -> impl Iterator<Item = RuleView> {
    secrets::rules().iter().map(|rule| RuleView {
        matches: rule.matches.to_vec(),
        ignores: rule.ignores.to_vec(),
        ..RuleView::new(rule.id, Kind::Secret, None, rule.description)
    })
}
