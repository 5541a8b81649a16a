//! Limits on what agents may cost: a warning first, then no further calls until a person says so.

use serde::{Deserialize, Serialize};

use super::prices::Usd;
use crate::text::Text;

/// What an agent is told when a part of a budget is used.
pub const WARNING: Text = Text {
    key: "cost.warning",
    says: "{percent} % of the budget for this {budget} ({limit}) is used. Do what matters most first, and tell the user what will be left.",
    names: &["percent", "budget", "limit"],
};

/// Why a call is denied.
pub const USED_UP: Text = Text {
    key: "cost.used-up",
    says: "The budget for this {budget} is used up: {spent} of {limit}. Stop here, and tell the user what is done and what is left. \
        The user can run `bowline cost allow {budget}` in a terminal, raise `{key}` in `[cost]`, or {end}.",
    names: &["budget", "spent", "limit", "key", "end"],
};

/// What a budget is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BudgetOf {
    /// A session, its sub-agents included.
    Session,
    /// An effort, with all its sessions.
    Effort,
    /// A day, of all sessions on this machine.
    Day,
}

impl BudgetOf {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Session, Self::Effort, Self::Day];

    /// As people call it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Session => "session",
            Self::Effort => "effort",
            Self::Day => "day",
        }
    }

    /// The setting that limits it.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Session => "max_usd_session",
            Self::Effort => "max_usd_effort",
            Self::Day => "max_usd_day",
        }
    }

    /// What a person does who spends nothing more.
    pub const fn end(self) -> &'static str {
        match self {
            Self::Session => "end the session",
            Self::Effort => "end the effort (`bowline effort finish`)",
            Self::Day => "go on tomorrow",
        }
    }

    /// The rule under which a call is denied.
    pub const fn rule(self) -> &'static str {
        match self {
            Self::Session => "cost.session",
            Self::Effort => "cost.effort",
            Self::Day => "cost.day",
        }
    }
}

/// How a budget stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Standing {
    /// There is enough left.
    Fine,
    /// The part at which a warning is given is used.
    Warn,
    /// Nothing is left.
    UsedUp,
}

/// How a budget stands after so much was spent.
pub fn standing(spent: Usd, limit: Usd, warn_percent: u32) -> Standing {
    if spent >= limit {
        Standing::UsedUp
    } else if spent >= limit.percent(warn_percent) {
        Standing::Warn
    } else {
        Standing::Fine
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_warns_before_it_is_used_up() {
        let dollar = Usd(1_000_000_000);
        for (spent, limit, percent, expected) in [
            (Usd(0), dollar, 80, Standing::Fine),
            (Usd(799_999_999), dollar, 80, Standing::Fine),
            (Usd(800_000_000), dollar, 80, Standing::Warn),
            (Usd(999_999_999), dollar, 80, Standing::Warn),
            (dollar, dollar, 80, Standing::UsedUp),
            (Usd(u64::MAX), dollar, 80, Standing::UsedUp),
            (Usd(999_999_999), dollar, 100, Standing::Fine),
            (Usd(0), Usd(0), 80, Standing::UsedUp),
        ] {
            let found = standing(spent, limit, percent);
            assert_eq!(found, expected, "{spent} of {limit}");
        }
    }
}
