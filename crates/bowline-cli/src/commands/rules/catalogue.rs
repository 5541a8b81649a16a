//! Every rule, in one form.

use bowline_guard::rules::{self, Rule, Subject};
use bowline_guard::secrets;
use clap::ValueEnum;
use serde::Serialize;

use super::own::Own;

/// What a rule looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Kind {
    /// Rules of your own files
    Own,
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
            Self::Own => "own",
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
    /// What it must find: of rules about secrets, templates of texts.
    pub(super) matches: Vec<String>,
    /// Where it must find nothing.
    pub(super) ignores: Vec<String>,
    #[serde(flatten)]
    pub(super) own: Option<Own>,
}

/// Every rule of the guard, each id once.
pub(super) fn all() -> Vec<RuleView> {
    rules::rules()
        .into_iter()
        .map(RuleView::from)
        .chain(secrets())
        .collect()
}

impl From<Rule> for RuleView {
    fn from(rule: Rule) -> Self {
        Self {
            id: rule.id.into_owned(),
            kind: match rule.subject {
                Subject::SensitiveFile => Kind::SensitiveFile,
                Subject::LookAlike => Kind::LookAlike,
                _ => Kind::Effect,
            },
            category: Some(rule.category.name()),
            summary: rule.summary.into_owned(),
            instead: rule.instead.first().map(|it| (*it).to_owned()),
            matches: Vec::new(),
            ignores: Vec::new(),
            own: None,
        }
    }
}

/// Secrets in text are redacted, so that their rules have no category.
fn secrets() -> impl Iterator<Item = RuleView> {
    secrets::rules().iter().map(|rule| RuleView {
        id: rule.id.to_owned(),
        kind: Kind::Secret,
        category: None,
        summary: rule.description.to_owned(),
        instead: None,
        matches: owned(rule.matches),
        ignores: owned(rule.ignores),
        own: None,
    })
}

fn owned(texts: &[&str]) -> Vec<String> {
    texts.iter().copied().map(str::to_owned).collect()
}
