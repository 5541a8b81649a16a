//! What a rule is, and how a family declares its own.

use crate::effect::{Category, Effect, Gravity};

/// One rule of the guard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct RuleInfo {
    /// Its name, such as `git.reset-hard`: stable, for allow-lists.
    pub id: &'static str,
    /// The family of its effects.
    pub category: Category,
    /// What it looks for.
    pub summary: &'static str,
    /// The safer way that it advises, with commands in backquotes.
    pub instead: Option<&'static str>,
}

impl RuleInfo {
    pub(crate) const fn new(
        id: &'static str,
        category: Category,
        summary: &'static str,
        instead: Option<&'static str>,
    ) -> Self {
        Self {
            id,
            category,
            summary,
            instead,
        }
    }

    /// An effect that would lose what cannot be rebuilt.
    pub(crate) fn grave(&self, what: impl Into<String>) -> Effect {
        self.effect(Gravity::Grave, what)
    }

    /// An effect that a person should confirm.
    pub(crate) fn doubtful(&self, what: impl Into<String>) -> Effect {
        self.effect(Gravity::Doubtful, what)
    }

    /// An effect worth a note, but never a stop.
    pub(super) fn harmless(&self, what: impl Into<String>) -> Effect {
        self.effect(Gravity::Harmless, what)
    }

    pub(super) fn effect(&self, gravity: Gravity, what: impl Into<String>) -> Effect {
        let effect = Effect::new(self.category, gravity, self.id, what);
        match self.instead {
            Some(advice) => effect.instead(advice),
            None => effect,
        }
    }
}

/// Declares a family's rules, and the list of them.
macro_rules! rules {
    ($($name:ident = $category:ident, $id:literal, $summary:literal $(, instead $instead:literal)?;)+) => {
        $(
            const $name: $crate::families::rule::RuleInfo = $crate::families::rule::RuleInfo::new(
                $id,
                $crate::effect::Category::$category,
                $summary,
                $crate::families::rule::rules!(@instead $($instead)?),
            );
        )+
        /// The rules of this family.
        pub(super) const RULES: &[$crate::families::rule::RuleInfo] = &[$($name),+];
    };
    (@instead) => { None };
    (@instead $instead:literal) => { Some($instead) };
}

pub(crate) use rules;
