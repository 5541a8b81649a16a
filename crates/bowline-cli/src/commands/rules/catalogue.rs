//! Every rule, in one form.

use bowline_guard::Strictness;
use bowline_guard::effect::Category;
use bowline_guard::rules::{self, Example, Rule, Subject};
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
    /// The guard's default verdict on a typical call; `depends` if it depends on the machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) default_verdict: Option<&'static str>,
    /// A call with this verdict.
    pub(super) example: Option<String>,
    /// The command that lets it pass.
    pub(super) allow: Option<String>,
    pub(super) instead: Option<String>,
    /// What it must find: of rules about secrets, templates of texts.
    pub(super) matches: Vec<String>,
    /// Where it must find nothing.
    pub(super) ignores: Vec<String>,
    #[serde(flatten)]
    pub(super) own: Option<Own>,
}

impl RuleView {
    /// What it says by itself.
    pub(super) fn verdict(&self) -> &'static str {
        match &self.own {
            Some(own) => own.verdict,
            None => self.default_verdict.unwrap_or("-"),
        }
    }
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
        let typical = rule.typical();
        // Nothing lets changes to the guard itself pass.
        let can_be_allowed = rule.category != Category::OwnSettings;
        Self {
            default_verdict: Some(typical.map_or("depends", |it| verdict(it.verdict))),
            example: typical.map(|it| shown(it.example)),
            allow: can_be_allowed.then(|| format!("bowline allow {}", rule.id)),
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

fn verdict(decision: Strictness) -> &'static str {
    match decision {
        Strictness::Deny => "deny",
        Strictness::Ask => "ask",
        Strictness::Allow => "allow",
    }
}

/// A command as it is typed; of another tool, its name and what it is for.
fn shown(example: Example) -> String {
    match example.tool {
        "Bash" => example.text.to_owned(),
        tool => format!("{tool} {}", example.text),
    }
}

/// Secrets in text are redacted, so that their rules have no category.
fn secrets() -> impl Iterator<Item = RuleView> {
    secrets::rules().iter().map(|rule| RuleView {
        id: rule.id.to_owned(),
        kind: Kind::Secret,
        category: None,
        summary: rule.description.to_owned(),
        default_verdict: Some("redact"),
        example: None,
        allow: None,
        instead: None,
        matches: owned(rule.matches),
        ignores: owned(rule.ignores),
        own: None,
    })
}

fn owned(texts: &[&str]) -> Vec<String> {
    texts.iter().copied().map(str::to_owned).collect()
}
