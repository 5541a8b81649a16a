//! Where the value of a key goes, and when it only makes decisions stricter.

use std::fmt;

use super::describe::Complaints;
use super::sections::Config;
use super::value::Value;
use crate::settings::syntax::fields::described;
use crate::settings::syntax::findings::Findings;
use crate::settings::syntax::node::Node;

/// The names on the way to a value: `guard`, `agents`, `codex`, `mode`.
#[derive(Debug, Clone, Default)]
pub(super) struct KeyPath(Vec<String>);

impl KeyPath {
    pub(super) fn of(names: &[&str]) -> Self {
        Self(names.iter().map(|name| (*name).to_owned()).collect())
    }

    pub(super) fn join(&self, name: &str) -> Self {
        let mut names = self.0.clone();
        names.push(name.to_owned());
        Self(names)
    }

    pub(super) fn names(&self) -> &[String] {
        &self.0
    }

    pub(super) fn last(&self) -> &str {
        self.0.last().map_or("", String::as_str)
    }
}

/// As TOML writes it: `dialects.".claude/settings.json"`.
impl fmt::Display for KeyPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, name) in self.0.iter().enumerate() {
            let dot = if index > 0 { "." } else { "" };
            let bare = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
            if !name.is_empty() && name.chars().all(bare) {
                write!(f, "{dot}{name}")?;
            } else {
                write!(f, "{dot}\"{name}\"")?;
            }
        }
        Ok(())
    }
}

/// Where a value is read, to say what is wrong with it.
pub(super) struct At<'p, 'f, 't> {
    pub(super) path: &'p KeyPath,
    pub(super) complaints: Complaints,
    pub(super) findings: &'f mut Findings<'t>,
}

impl At<'_, '_, '_> {
    pub(super) fn wrong(&mut self, node: &Node, expected: &str) {
        if self.complaints == Complaints::WithHooks {
            return;
        }
        self.findings.error(
            "wrong-value",
            &node.span,
            format!("`{}` is {}: {expected}", self.path, described(node)),
            "it is ignored until it is corrected",
        );
    }
}

/// Puts a value of this type into the settings.
pub(super) struct Put<T: 'static>(
    pub(super) fn(&mut Config, &KeyPath, T),
    pub(super) Tightens<T>,
);

/// When a value can only make decisions stricter than weaker files do, so that it needs no trust.
pub(super) enum Tightens<T: 'static> {
    Never,
    Always,
    /// Which values do, for people, and whether this one does.
    When(&'static str, fn(&T, &Config) -> bool),
}

/// Reads values of a certain type.
pub(super) trait Slot: fmt::Debug + Sync {
    /// `None`: the value is wrong, and that was said.
    fn read(&'static self, node: &Node, at: &mut At<'_, '_, '_>) -> Option<Box<dyn Change>>;

    /// The values that a project may set without trust, in words.
    fn without_trust(&self) -> Option<&'static str>;
}

/// A value that was read.
pub(super) trait Change: fmt::Debug {
    fn apply(&self, config: &mut Config, path: &KeyPath);

    fn only_tightens(&self, weaker: &Config) -> bool;
}

impl<T: Value> Slot for Put<T> {
    fn read(&'static self, node: &Node, at: &mut At<'_, '_, '_>) -> Option<Box<dyn Change>> {
        let value = T::read(node, at)?;
        Some(Box::new(Given { value, put: self }))
    }

    fn without_trust(&self) -> Option<&'static str> {
        match self.1 {
            Tightens::Never => None,
            Tightens::Always => Some("any"),
            Tightens::When(words, _) => Some(words),
        }
    }
}

impl<T> fmt::Debug for Put<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Put")
    }
}

#[derive(Debug)]
struct Given<T: 'static> {
    value: T,
    put: &'static Put<T>,
}

impl<T: Value> Change for Given<T> {
    fn apply(&self, config: &mut Config, path: &KeyPath) {
        self.put.0(config, path, self.value.clone());
    }

    fn only_tightens(&self, weaker: &Config) -> bool {
        match self.put.1 {
            Tightens::Never => false,
            Tightens::Always => true,
            Tightens::When(_, tightens) => tightens(&self.value, weaker),
        }
    }
}
