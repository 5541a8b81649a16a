//! Every rule of the guard, in one form.

use bowline_guard::effect::Category;
use bowline_guard::{families, lookalikes, secrets, sensitive};
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

/// Every rule, each id once.
pub(super) fn all() -> Vec<RuleView> {
    let mut rules: Vec<RuleView> = Vec::new();
    let found = effects()
        .chain(of_the_whole())
        .chain(sensitive_files())
        .chain(look_alikes())
        .chain(secrets());
    for rule in found {
        match rules.iter_mut().find(|known| known.id == rule.id) {
            Some(known) if !known.summary.contains(&rule.summary) => {
                known.summary = format!("{}; {}", known.summary, rule.summary);
            }
            Some(_) => {}
            None => rules.push(rule),
        }
    }
    rules
}

fn effects() -> impl Iterator<Item = RuleView> {
    families::rules().map(|rule| RuleView {
        instead: rule.instead.map(ToOwned::to_owned),
        ..RuleView::new(rule.id, Kind::Effect, Some(rule.category), rule.summary)
    })
}

/// The rules about a text or call as a whole, which no family has.
fn of_the_whole() -> impl Iterator<Item = RuleView> {
    [
        (
            "shell.multiplies",
            Category::Process,
            "Starts itself again and again until the machine stops",
        ),
        (
            "shell.unknown-program",
            Category::Unverified,
            "Runs a program that cannot be known, with arguments that could destroy",
        ),
        (
            "shell.unverified",
            Category::Unverified,
            "Could not be read to the end, and contains something that could destroy",
        ),
        (
            "call.no-command",
            Category::Unverified,
            "Calls a shell without a command",
        ),
    ]
    .into_iter()
    .map(|(id, category, summary)| RuleView::new(id, Kind::Effect, Some(category), summary))
}

fn sensitive_files() -> impl Iterator<Item = RuleView> {
    let searches = [
        (
            "custom-pattern",
            "the project's own patterns name this file as sensitive",
        ),
        (
            "named-secret",
            "the file's name says that it holds a secret",
        ),
        (
            "search-everything",
            "a search through a whole home or machine reads the keys and logins in it, too",
        ),
    ];
    let built_in =
        sensitive::rules().map(|rule| (rule.rule, rule.why, Some(rule.instead.to_owned())));
    built_in
        .chain(searches.map(|(id, why)| (id, why, None)))
        .map(|(id, why, instead)| RuleView {
            instead,
            ..RuleView::new(
                format!("sensitive.{id}"),
                Kind::SensitiveFile,
                Some(Category::SecretRead),
                why,
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
