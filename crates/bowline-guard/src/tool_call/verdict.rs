//! The verdict itself.

use super::quote::presentable;
use crate::Strictness;
use crate::effect::{Category, Gravity};

impl From<Gravity> for Strictness {
    fn from(gravity: Gravity) -> Self {
        match gravity {
            Gravity::Harmless => Self::Allow,
            Gravity::Doubtful => Self::Ask,
            Gravity::Grave => Self::Deny,
        }
    }
}

/// The verdict on a call. Its texts hold no secrets, and nothing that deceives the eye.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Verdict {
    /// The answer.
    pub decision: Strictness,
    /// The rule behind it, such as `git.reset-hard`.
    pub rule: Option<String>,
    /// The family of what was found.
    pub category: Option<Category>,
    /// What was matched and why it matters.
    pub reason: Option<String>,
    /// A safer way, in words that a model can act on.
    pub instead: Option<String>,
}

impl Verdict {
    pub(super) const ALLOW: Self = Self {
        decision: Strictness::Allow,
        rule: None,
        category: None,
        reason: None,
        instead: None,
    };

    pub(super) fn new(decision: Strictness, category: Category, rule: &str, reason: &str) -> Self {
        if decision == Strictness::Allow {
            return Self::ALLOW;
        }
        Self {
            decision,
            rule: Some(rule.to_owned()),
            category: Some(category),
            reason: Some(presentable(reason)),
            instead: None,
        }
    }

    pub(super) fn instead(mut self, advice: Option<&str>) -> Self {
        self.instead = advice.map(presentable).filter(|_| self.rule.is_some());
        self
    }

    /// The reason and the safer way, as one text for the model.
    pub fn message(&self) -> Option<String> {
        let reason = self.reason.as_deref()?.trim_end_matches('.');
        Some(match self.instead.as_deref() {
            Some(advice) => format!("{reason}. Instead: {}.", advice.trim_end_matches('.')),
            None => format!("{reason}."),
        })
    }

    /// The stricter of both; this one if they agree.
    pub fn or_stricter(self, other: Self) -> Self {
        if other.decision > self.decision {
            other
        } else {
            self
        }
    }
}
