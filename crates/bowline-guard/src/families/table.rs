//! Knowledge as tables: which words of which program do what.

use crate::effect::{Effect, Gravity};

use super::Run;
use super::args::{Parsed, listed};
use super::rule::RuleInfo;

/// One line of knowledge. The first line that fits decides.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row {
    programs: &'static [&'static str],
    /// The words that the command begins with: see [`Parsed::begins`]. Empty for any.
    words: &'static str,
    /// Only with one of these options.
    with: &'static [&'static str],
    /// `None` for what is fine although a later line says otherwise.
    gravity: Option<Gravity>,
    rule: Option<&'static RuleInfo>,
    /// What happens; `{}` stands for the words that follow.
    what: &'static str,
}

impl Row {
    /// A command that loses what cannot be rebuilt.
    pub(super) const fn grave(
        programs: &'static [&'static str],
        words: &'static str,
        rule: &'static RuleInfo,
        what: &'static str,
    ) -> Self {
        Self {
            programs,
            words,
            with: &[],
            gravity: Some(Gravity::Grave),
            rule: Some(rule),
            what,
        }
    }

    /// A command that a person should confirm.
    pub(super) const fn doubtful(
        programs: &'static [&'static str],
        words: &'static str,
        rule: &'static RuleInfo,
        what: &'static str,
    ) -> Self {
        Self {
            programs,
            words,
            with: &[],
            gravity: Some(Gravity::Doubtful),
            rule: Some(rule),
            what,
        }
    }

    /// A command that is fine although a later line says otherwise.
    pub(super) const fn fine(programs: &'static [&'static str], words: &'static str) -> Self {
        Self {
            programs,
            words,
            with: &[],
            gravity: None,
            rule: None,
            what: "",
        }
    }

    /// Only with one of these options.
    pub(super) const fn with(self, options: &'static [&'static str]) -> Self {
        Self {
            with: options,
            ..self
        }
    }

    fn fits(&self, run: Run<'_>, parsed: &Parsed<'_>) -> bool {
        self.programs.contains(&run.name)
            && (self.words.is_empty() || parsed.begins(self.words))
            && (self.with.is_empty() || parsed.is_on(self.with))
    }

    fn effect(&self, parsed: &Parsed<'_>) -> Option<Effect> {
        let used = if self.words.is_empty() {
            0
        } else {
            self.words.split(' ').count()
        };
        let what = self.what.replace("{}", &listed(parsed.from(used)));
        Some(self.rule?.effect(self.gravity?, what.trim_end()))
    }
}

/// What the first line that fits says.
pub(super) fn first(rows: &[Row], run: Run<'_>, parsed: &Parsed<'_>) -> Option<Effect> {
    rows.iter()
        .find(|row| row.fits(run, parsed))?
        .effect(parsed)
}

/// Whether a table knows this program.
pub(super) fn knows(rows: &[Row], program: &str) -> bool {
    rows.iter().any(|row| row.programs.contains(&program))
}
