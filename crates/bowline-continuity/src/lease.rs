//! Leases: two sessions that write the same file are told of each other.

use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};

use crate::text::one_line;

/// What a lease says about the work keeps at most so many characters.
const MAX_DOING: usize = 160;

/// Who writes.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Holder {
    /// The first session of the chain. Sub-agents, and what continues a session, belong to the same chain and share its leases.
    pub chain: String,
    /// The agent's own name for its session.
    pub session: String,
    /// What the agent is shown as (`claude-code`, `main:tester`).
    pub label: String,
}

/// The right to write a file, as long as it is renewed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lease {
    /// The file, with all links resolved.
    pub path: String,
    /// Who has it.
    pub holder: Holder,
    /// When it was taken.
    pub taken_at: DateTime<Utc>,
    /// When its holder last wrote.
    pub renewed_at: DateTime<Utc>,
    /// What the holder is doing, in a few words; empty if that is not known.
    pub doing: String,
}

/// What somebody who wants to write is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LeaseAnswer {
    /// Nobody had it; it is theirs now.
    Taken,
    /// It was theirs already.
    Renewed,
    /// Its holder has not written for too long; it is theirs now.
    TakenOver {
        /// Who had it.
        from: Holder,
    },
    /// Somebody else has it.
    Held {
        /// Who.
        by: Holder,
        /// Since when.
        since: DateTime<Utc>,
        /// When it ends if its holder does not write again.
        until: DateTime<Utc>,
        /// What the holder is doing; empty if that is not known.
        doing: String,
    },
}

/// Whether `by` may write the file of a lease. It ends when its holder has not written for `expiry`.
pub fn ask(
    lease: Option<&Lease>,
    by: &Holder,
    at: DateTime<Utc>,
    expiry: TimeDelta,
) -> LeaseAnswer {
    let Some(lease) = lease else {
        return LeaseAnswer::Taken;
    };
    if lease.holder.chain == by.chain {
        return LeaseAnswer::Renewed;
    }
    let until = lease
        .renewed_at
        .checked_add_signed(expiry)
        .unwrap_or(DateTime::<Utc>::MAX_UTC);
    if at >= until {
        return LeaseAnswer::TakenOver {
            from: lease.holder.clone(),
        };
    }
    LeaseAnswer::Held {
        by: lease.holder.clone(),
        since: lease.taken_at,
        until,
        doing: lease.doing.clone(),
    }
}

impl LeaseAnswer {
    /// The lease that is kept after this answer. `None`: it stays as it is.
    pub fn lease(
        &self,
        before: Option<&Lease>,
        path: &str,
        by: &Holder,
        at: DateTime<Utc>,
        doing: &str,
    ) -> Option<Lease> {
        let taken_at = match self {
            Self::Held { .. } => return None,
            Self::Renewed => before.map_or(at, |lease| lease.taken_at),
            Self::Taken | Self::TakenOver { .. } => at,
        };
        Some(Lease {
            path: path.to_owned(),
            holder: by.clone(),
            taken_at,
            renewed_at: at,
            doing: one_line(doing, MAX_DOING),
        })
    }

    /// What the agent is told, if there is something to tell.
    pub fn text(&self, path: &str) -> Option<String> {
        match self {
            Self::Taken | Self::Renewed => None,
            Self::TakenOver { from } => Some(format!(
                "{path} was being written by another session ({}, session {}), which has not written it for some time. Read the file \
                 again before you change it.",
                from.label, from.session
            )),
            Self::Held {
                by,
                since,
                until,
                doing,
            } => {
                let work = if doing.is_empty() {
                    String::new()
                } else {
                    format!(" It is doing: {doing}.")
                };
                Some(format!(
                    "{path} is being written by another session ({}, session {}) since {}.{work} Do not write it now. Work on other files, \
                     or ask the user which session should go on with it. If the other session does not write it again, it is free at {}.",
                    by.label,
                    by.session,
                    since.format("%H:%M UTC"),
                    until.format("%H:%M UTC")
                ))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::moment;

    const EXPIRY: TimeDelta = TimeDelta::minutes(10);

    fn holder(chain: &str, session: &str) -> Holder {
        Holder {
            chain: chain.into(),
            session: session.into(),
            label: format!("claude-code {session}"),
        }
    }

    fn lease() -> Lease {
        Lease {
            path: "/shop/a.rs".into(),
            holder: holder("c1", "s1"),
            taken_at: moment(0),
            renewed_at: moment(60),
            doing: "Edit a.rs: fix rounding".into(),
        }
    }

    #[test]
    fn who_may_write_is_decided_by_chain_and_time() {
        let held = LeaseAnswer::Held {
            by: holder("c1", "s1"),
            since: moment(0),
            until: moment(660),
            doing: "Edit a.rs: fix rounding".into(),
        };
        let over = LeaseAnswer::TakenOver {
            from: holder("c1", "s1"),
        };
        for (row, lease, by, at, expected) in [
            ("free", None, holder("c2", "s2"), 100, LeaseAnswer::Taken),
            (
                "own",
                Some(lease()),
                holder("c1", "s1"),
                100,
                LeaseAnswer::Renewed,
            ),
            (
                "own and old",
                Some(lease()),
                holder("c1", "s1"),
                9000,
                LeaseAnswer::Renewed,
            ),
            (
                "a sub-agent",
                Some(lease()),
                holder("c1", "s1-sub"),
                100,
                LeaseAnswer::Renewed,
            ),
            (
                "another's",
                Some(lease()),
                holder("c2", "s2"),
                100,
                held.clone(),
            ),
            (
                "just before its end",
                Some(lease()),
                holder("c2", "s2"),
                659,
                held.clone(),
            ),
            (
                "at its end",
                Some(lease()),
                holder("c2", "s2"),
                660,
                over.clone(),
            ),
            ("long after", Some(lease()), holder("c2", "s2"), 9000, over),
            // A clock that was set back frees nothing.
            (
                "before it was taken",
                Some(lease()),
                holder("c2", "s2"),
                -500,
                held,
            ),
        ] {
            let found = ask(lease.as_ref(), &by, moment(at), EXPIRY);
            assert_eq!(found, expected, "{row}");
        }
        let endless = ask(
            Some(&lease()),
            &holder("c2", "s2"),
            moment(0),
            TimeDelta::MAX,
        );
        assert!(matches!(endless, LeaseAnswer::Held { .. }), "{endless:?}");
    }

    #[test]
    fn the_lease_moves_with_the_answer() {
        let other = holder("c2", "s2");
        let now = moment(1000);
        let before = lease();
        for (by, at, expected) in [
            (
                holder("c1", "sub"),
                moment(90),
                Some((holder("c1", "sub"), moment(0), moment(90))),
            ),
            (other.clone(), now, Some((other.clone(), now, now))),
            (other.clone(), moment(90), None),
        ] {
            let answer = ask(Some(&before), &by, at, EXPIRY);
            let after = answer.lease(Some(&before), "/shop/a.rs", &by, at, "Edit\nagain");
            let found = after.map(|lease| {
                assert_eq!(lease.doing, "Edit again");
                (lease.holder, lease.taken_at, lease.renewed_at)
            });
            assert_eq!(found, expected, "{by:?}");
        }
        let first = LeaseAnswer::Taken.lease(None, "/shop/a.rs", &other, now, "");
        assert_eq!(first.map(|lease| lease.taken_at), Some(now));
    }

    #[test]
    fn the_text_names_the_holder_the_work_and_what_to_do() {
        let ask = |at| ask(Some(&lease()), &holder("c2", "s2"), moment(at), EXPIRY);
        assert_eq!(
            ask(100).text("a.rs").unwrap(),
            "a.rs is being written by another session (claude-code s1, session s1) since 12:00 UTC. It is doing: Edit a.rs: fix rounding. \
             Do not write it now. Work on other files, or ask the user which session should go on with it. If the other session does not \
             write it again, it is free at 12:11 UTC."
        );
        assert!(
            ask(9000)
                .text("a.rs")
                .unwrap()
                .contains("Read the file again")
        );
        assert_eq!(LeaseAnswer::Taken.text("a.rs"), None);
        assert_eq!(LeaseAnswer::Renewed.text("a.rs"), None);
    }
}
