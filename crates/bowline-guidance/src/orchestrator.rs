//! Orchestrator mode: an agent that coordinates hands work to sub-agents instead of doing it itself.

use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::call::CallKind;
use crate::text::Text;

/// Under which its state is kept, of sessions and of projects.
pub const NAME: &str = "orchestrator";

/// Why a call is denied.
pub const DENIED: Text = Text {
    key: "orchestrator.denied",
    says: "Orchestrator mode is strict: {what} (violation {count} of {most}). {instead}",
    names: &["what", "count", "most", "instead"],
};

/// Why every call but a few is denied.
pub const STOPPED: Text = Text {
    key: "orchestrator.stopped",
    says: "Orchestrator mode: after {most} violations only delegation, questions, to-do lists and `bowline` commands are allowed. \
           Tell the person what you need, or run `bowline orchestrator reset` as a command of its own and delegate from then on.",
    names: &["most"],
};

/// What an agent is told that does the work itself where that is not forbidden.
pub const HINT: Text = Text {
    key: "orchestrator.hint",
    says: "You coordinate here, and {what}. {instead}",
    names: &["what", "instead"],
};

/// The texts of this rule.
pub const TEXTS: &[Text] = &[DENIED, STOPPED, HINT];

/// What counts against an agent that coordinates, and what it should do instead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Suggestion {
    /// What is wrong with it.
    pub what: &'static str,
    /// What to do.
    pub instead: &'static str,
}

/// What to do instead of a call; `None` if nothing speaks against it.
pub const fn suggestion(kind: CallKind) -> Option<Suggestion> {
    let (what, instead) = match kind {
        CallKind::Edits => (
            "changing files is work for a sub-agent",
            "Hand it over: name the files, the change, and how the sub-agent checks it.",
        ),
        CallKind::Builds => (
            "running tests and builds is work for a sub-agent",
            "Let a sub-agent run it and report only what failed.",
        ),
        CallKind::WritesGit => (
            "changing the repository is work for a sub-agent",
            "Let a sub-agent do it, and say which changes belong to it.",
        ),
        CallKind::Runs => (
            "running programs is work for a sub-agent",
            "Let a sub-agent run it and report the result.",
        ),
        CallKind::Explores => (
            "so many looks in a row are research for a sub-agent",
            "Ask a sub-agent in one question for all that you need to know.",
        ),
        CallKind::Other
        | CallKind::Mcp
        | CallKind::Coordinates
        | CallKind::Own
        | CallKind::LooksAtGit => return None,
    };
    Some(Suggestion { what, instead })
}

/// When a session is stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// So many explorations in a row are allowed.
    pub explorations: u32,
    /// At so many violations nearly everything is denied.
    pub breaker: u32,
    /// A violation counts for this long.
    pub counts_for: TimeDelta,
}

/// What is known of a session.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct State {
    /// When calls were denied, as far as that still counts.
    pub violations: Vec<DateTime<Utc>>,
    /// Since when nearly everything is denied.
    pub stopped_at: Option<DateTime<Utc>>,
    /// How many explorations there were in a row.
    pub explorations: u32,
    /// Whether a person has switched orchestrator mode off for the session.
    pub off: bool,
    /// How often it was reset.
    pub resets: u32,
}

/// What is known of a project.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ProjectState {
    /// Whether a person has switched orchestrator mode off for the project.
    pub off: bool,
}

/// A state as it was kept. One that cannot be read is as good as off: nobody is stopped by what nobody understands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Value", into = "Value")]
pub enum Kept {
    /// It can be read.
    State(State),
    /// It cannot, and stays as it is until it is reset.
    Unreadable(Value),
}

impl Default for Kept {
    fn default() -> Self {
        Self::State(State::default())
    }
}

impl From<Value> for Kept {
    fn from(value: Value) -> Self {
        if value.is_null() {
            return Self::default();
        }
        match State::deserialize(&value) {
            // Serde also takes lists for it.
            Ok(state) if value.is_object() => Self::State(state),
            _ => Self::Unreadable(value),
        }
    }
}

impl From<Kept> for Value {
    fn from(kept: Kept) -> Self {
        match kept {
            Kept::State(state) => serde_json::to_value(state).unwrap_or_default(),
            Kept::Unreadable(value) => value,
        }
    }
}

impl Kept {
    /// The same with nothing counted. Whether it is switched off stays.
    pub fn reset(self) -> State {
        let before = match self {
            Self::State(state) => state,
            Self::Unreadable(_) => State::default(),
        };
        State {
            off: before.off,
            resets: before.resets.saturating_add(1),
            ..State::default()
        }
    }
}

/// What follows from a call in strict mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// It may be made.
    Allowed,
    /// It is denied, and this many violations count now.
    Denied {
        /// How many.
        count: u32,
    },
    /// It is denied, and from now on nearly everything is.
    DeniedAndStopped {
        /// How many violations count.
        count: u32,
    },
    /// It is denied as nearly everything is.
    Stopped,
}

impl State {
    /// Decides on a call in strict mode, and counts it.
    pub fn judge(&mut self, kind: CallKind, limits: Limits, now: DateTime<Utc>) -> Verdict {
        if self.stopped_at.is_some() {
            return match kind {
                CallKind::Coordinates | CallKind::Own => Verdict::Allowed,
                _ => Verdict::Stopped,
            };
        }
        if kind == CallKind::Explores {
            self.explorations = self.explorations.saturating_add(1);
            let over = self.explorations.saturating_sub(limits.explorations);
            return match over {
                0 => Verdict::Allowed,
                1 => self.violation(limits, now),
                // Calls that were made together are one violation.
                _ => Verdict::Denied {
                    count: self.count(limits, now),
                },
            };
        }
        if suggestion(kind).is_some() {
            return self.violation(limits, now);
        }
        self.explorations = 0;
        Verdict::Allowed
    }

    /// How many violations count.
    pub fn count(&self, limits: Limits, now: DateTime<Utc>) -> u32 {
        let counting = self.violations.iter().filter(|at| limits.counts(**at, now));
        u32::try_from(counting.count()).unwrap_or(u32::MAX)
    }

    fn violation(&mut self, limits: Limits, now: DateTime<Utc>) -> Verdict {
        self.violations.retain(|at| limits.counts(*at, now));
        self.violations.push(now);
        let count = self.count(limits, now);
        if count < limits.breaker {
            return Verdict::Denied { count };
        }
        self.stopped_at = Some(now);
        Verdict::DeniedAndStopped { count }
    }
}

impl Limits {
    fn counts(self, violation: DateTime<Utc>, now: DateTime<Utc>) -> bool {
        now.signed_duration_since(violation) < self.counts_for
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const LIMITS: Limits = Limits {
        explorations: 3,
        breaker: 3,
        counts_for: TimeDelta::minutes(10),
    };

    fn at(seconds: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(seconds, 0).unwrap()
    }

    /// Calls one after another, a second apart.
    fn judged(calls: &[CallKind]) -> Vec<Verdict> {
        let mut state = State::default();
        let calls = calls.iter().zip(0..);
        calls
            .map(|(kind, second)| state.judge(*kind, LIMITS, at(second)))
            .collect()
    }

    #[test]
    fn f23_c_what_a_coordinator_does_itself_is_a_violation() {
        use CallKind::{Builds, Coordinates, Edits, LooksAtGit, Mcp, Other, Own, Runs, WritesGit};
        for kind in [Edits, Builds, WritesGit, Runs] {
            assert_eq!(judged(&[kind]), [Verdict::Denied { count: 1 }], "{kind:?}");
        }
        for kind in [Coordinates, LooksAtGit, Own, Mcp, Other] {
            assert_eq!(judged(&[kind; 9]), [Verdict::Allowed; 9], "{kind:?}");
        }
    }

    #[test]
    fn f23_d_the_third_violation_stops_all_but_coordination_and_bowline() {
        use CallKind::{Coordinates, Edits, Explores, LooksAtGit, Mcp, Other, Own, WritesGit};
        let verdicts = judged(&[
            Edits,
            Coordinates,
            WritesGit,
            Edits,
            Coordinates,
            Own,
            Explores,
            LooksAtGit,
            Mcp,
            Other,
            Edits,
        ]);
        let expected = [
            Verdict::Denied { count: 1 },
            Verdict::Allowed,
            Verdict::Denied { count: 2 },
            Verdict::DeniedAndStopped { count: 3 },
            Verdict::Allowed,
            Verdict::Allowed,
            Verdict::Stopped,
            Verdict::Stopped,
            Verdict::Stopped,
            Verdict::Stopped,
            Verdict::Stopped,
        ];
        assert_eq!(verdicts, expected);
    }

    #[test]
    fn f23_f_the_fourth_exploration_in_a_row_is_denied_and_a_row_counts_once() {
        use CallKind::{Coordinates, Explores};
        let allowed = Verdict::Allowed;
        let one = Verdict::Denied { count: 1 };
        assert_eq!(
            judged(&[Explores; 6]),
            [allowed, allowed, allowed, one, one, one]
        );
        let verdicts = judged(&[
            Explores,
            Explores,
            Explores,
            Coordinates,
            Explores,
            Explores,
            Explores,
        ]);
        assert_eq!(verdicts, [allowed; 7]);
    }

    #[test]
    fn a_violation_counts_for_a_while() {
        let mut state = State::default();
        for (second, expected) in [(0, 1), (100, 2), (601, 2), (2_000, 1)] {
            let verdict = state.judge(CallKind::Edits, LIMITS, at(second));
            assert_eq!(verdict, Verdict::Denied { count: expected }, "{second}");
        }
    }

    #[test]
    fn a_reset_forgets_what_was_counted_and_not_what_a_person_said() {
        let mut state = State {
            off: true,
            ..State::default()
        };
        for _ in 0..4 {
            state.judge(CallKind::Edits, LIMITS, at(0));
        }
        let after = Kept::State(state).reset();
        assert_eq!((after.off, after.resets), (true, 1));
        assert_eq!((after.violations, after.stopped_at), (Vec::new(), None));
    }

    #[test]
    fn f23_f_a_state_that_cannot_be_read_is_kept_as_it_is_until_it_is_reset() {
        for (value, is_read) in [
            (json!(null), true),
            (json!({}), true),
            (json!({"violations": []}), true),
            (json!({"violations": "many"}), false),
            (json!("{broken"), false),
            (json!(7), false),
            (json!([]), false),
        ] {
            let kept = Kept::from(value.clone());
            assert_eq!(matches!(kept, Kept::State(_)), is_read, "{value}");
            if !is_read {
                assert_eq!(Value::from(kept.clone()), value);
            }
            assert_eq!(kept.reset().resets, 1);
        }
    }
}
