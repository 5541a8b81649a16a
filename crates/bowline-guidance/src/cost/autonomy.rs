//! How much an agent may do on its own in the next session, from how it did in this one.

use serde::{Deserialize, Serialize};

/// How closely an agent is led. The later, the more closely.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Autonomy {
    /// It is only watched.
    Observer,
    /// It is advised.
    Consultant,
    /// It is told what to do.
    Collaborator,
    /// It is held back.
    Operator,
}

/// Whether so much was done directly that the breaker is open.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Breaker {
    /// It is not.
    #[default]
    Closed,
    /// It is.
    Open,
}

impl Autonomy {
    /// For a session that complied so well, in percent, with so many anti-patterns. Whoever does better never gets less.
    pub const fn of(compliance: u32, anti_patterns: usize, breaker: Breaker) -> Self {
        match (breaker, compliance, anti_patterns) {
            (Breaker::Open, _, _) => Self::Operator,
            (_, 90.., 0) => Self::Observer,
            (_, 70.., ..=2) => Self::Consultant,
            (_, 50.., ..=4) => Self::Collaborator,
            _ => Self::Operator,
        }
    }

    /// As people read it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Observer => "observer",
            Self::Consultant => "consultant",
            Self::Collaborator => "collaborator",
            Self::Operator => "operator",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn f28_f_autonomy_follows_from_compliance_and_anti_patterns() {
        for (compliance, anti_patterns, expected) in [
            (100, 0, Autonomy::Observer),
            (90, 0, Autonomy::Observer),
            (100, 1, Autonomy::Consultant),
            (90, 2, Autonomy::Consultant),
            (89, 0, Autonomy::Consultant),
            (70, 2, Autonomy::Consultant),
            (100, 3, Autonomy::Collaborator),
            (69, 0, Autonomy::Collaborator),
            (60, 0, Autonomy::Collaborator),
            (50, 4, Autonomy::Collaborator),
            (100, 5, Autonomy::Operator),
            (49, 0, Autonomy::Operator),
        ] {
            let found = Autonomy::of(compliance, anti_patterns, Breaker::Closed);
            assert_eq!(found, expected, "{compliance} {anti_patterns}");
        }
        let open = Autonomy::of(100, 0, Breaker::Open);
        assert_eq!(open, Autonomy::Operator);
    }

    #[test]
    fn f28_f_the_matrix_of_autonomy_has_no_holes() {
        let of = |compliance, patterns| Autonomy::of(compliance, patterns, Breaker::Closed);
        for compliance in 0..100 {
            for patterns in 0..10 {
                let here = of(compliance, patterns);
                assert!(
                    of(compliance + 1, patterns) <= here,
                    "{compliance} {patterns}"
                );
                assert!(
                    here <= of(compliance, patterns + 1),
                    "{compliance} {patterns}"
                );
            }
        }
    }
}
