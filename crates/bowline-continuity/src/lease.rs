//! Leases: two sessions that write the same file are told of each other.

use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};

use crate::fleet::FleetAgent;
use crate::task::name_of;
use crate::text::one_line;

/// What a lease says about the work keeps at most so many characters.
const MAX_DOING: usize = 160;

/// What an agent is told to do that may not write.
pub const ADVICE: &str =
    "Do not write it now. Work on other files, or ask the user which session should go on with it.";

/// A wish to write files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeaseRequest {
    /// The files, with all links resolved.
    pub paths: Vec<String>,
    /// The agent's own name for its session.
    pub session: String,
    /// `AGENT_ID`, if the agent has one.
    pub agent_id: Option<String>,
    /// The folder that it works in.
    pub folder: String,
    /// What it is doing, in a few words.
    pub doing: String,
    /// When.
    pub at: DateTime<Utc>,
    /// How long a lease lasts after the last sign of its holder.
    pub expiry: TimeDelta,
}

/// Who writes.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Holder {
    /// The first session of the chain. Sub-agents, and what continues a session, belong to the same chain and share its leases.
    pub chain: String,
    /// The agent's own name for its session.
    pub session: String,
    /// What the agent is shown as (`claude-code`, `main:tester`).
    pub label: String,
    /// The folder that it works in: a project or a worktree.
    pub folder: String,
}

impl std::fmt::Display for Holder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self {
            label,
            folder,
            session,
            ..
        } = self;
        write!(f, "{label} in {folder}, session {session}")
    }
}

/// The right to write a file, as long as its holder is active.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lease {
    /// The file, with all links resolved.
    pub path: String,
    /// Who has it.
    pub holder: Holder,
    /// When it was taken.
    pub taken_at: DateTime<Utc>,
    /// When its holder was last active.
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
    /// Its holder has done nothing for too long; it is theirs now.
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
        /// When it ends if its holder does nothing more.
        until: DateTime<Utc>,
        /// What the holder is doing; empty if that is not known.
        doing: String,
    },
}

/// Whether `by` may write the file of a lease. It ends when its holder has done nothing for `expiry`.
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

impl Lease {
    /// The same lease with what is known of its holder now.
    pub fn with_agent(mut self, agent: &FleetAgent) -> Self {
        let own_name = Some(&agent.id).filter(|id| **id != agent.session);
        let label = agent.label.as_ref().or(own_name).unwrap_or(&agent.agent);
        self.holder.label.clone_from(label);
        if let Some(folder) = agent.worktree.as_ref().or(agent.project.as_ref()) {
            self.holder.folder.clone_from(folder);
        }
        let task = agent.task.as_deref().map(|folder| {
            let task = name_of(folder);
            match &agent.phase {
                Some(phase) => format!("task {task}, phase {phase}"),
                None => format!("task {task}"),
            }
        });
        let parts = [task, agent.last_action.clone()].into_iter().flatten();
        let doing = parts.collect::<Vec<_>>().join("; ");
        if !doing.is_empty() {
            self.doing = one_line(&doing, MAX_DOING);
        }
        self
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

    /// What there is to tell about it.
    pub fn text(&self, path: &str) -> Option<String> {
        match self {
            Self::Taken | Self::Renewed => None,
            Self::TakenOver { from } => Some(format!(
                "{path} was being written by another session ({from}), which has done nothing for some time. Read the file again \
                 before you change it."
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
                    "{path} is being written by another session ({by}) since {}.{work} If that session does nothing more, the file is \
                     free at {}.",
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
    use crate::fleet::AgentStatus;
    use crate::samples::moment;

    const EXPIRY: TimeDelta = TimeDelta::minutes(10);

    fn holder(chain: &str, session: &str) -> Holder {
        Holder {
            chain: chain.into(),
            session: session.into(),
            label: "claude-code".into(),
            folder: "/shop".into(),
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
    fn the_text_names_the_holder_and_the_work() {
        let ask = |at| ask(Some(&lease()), &holder("c2", "s2"), moment(at), EXPIRY);
        assert_eq!(
            ask(100).text("a.rs").unwrap(),
            "a.rs is being written by another session (claude-code in /shop, session s1) since 12:00 UTC. It is doing: Edit a.rs: fix \
             rounding. If that session does nothing more, the file is free at 12:11 UTC."
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

    #[test]
    fn what_the_holder_is_doing_is_told_as_it_is_now() {
        let agent = || FleetAgent {
            id: "s1".into(),
            label: None,
            agent: "codex".into(),
            session: "s1".into(),
            project: Some("/shop".into()),
            worktree: None,
            task: None,
            effort: None,
            ordinal: None,
            skill: None,
            phase: None,
            heartbeat: None,
            status: AgentStatus::Working,
            since: moment(0),
            last_event_at: moment(0),
            context_usage: None,
            last_action: None,
            waiting_for: None,
            process: None,
            ended_at: None,
            end_reason: None,
        };
        let text = |text: &str| Some(text.to_owned());
        for (agent, expected) in [
            (agent(), "codex /shop Edit a.rs: fix rounding"),
            (
                FleetAgent {
                    id: "main:tester".into(),
                    last_action: text("Bash: cargo test"),
                    ..agent()
                },
                "main:tester /shop Bash: cargo test",
            ),
            (
                FleetAgent {
                    id: "main:tester".into(),
                    label: text("Ann"),
                    worktree: text("/shop-2"),
                    task: text("/shop/.tasks/login"),
                    ..agent()
                },
                "Ann /shop-2 task login",
            ),
            (
                FleetAgent {
                    project: None,
                    task: text("/shop/.tasks/login"),
                    phase: text("2: Build"),
                    last_action: text("Bash: ls"),
                    ..agent()
                },
                "codex /shop task login, phase 2: Build; Bash: ls",
            ),
        ] {
            let Lease { holder, doing, .. } = lease().with_agent(&agent);
            let found = format!("{} {} {doing}", holder.label, holder.folder);
            assert_eq!(found, expected);
            assert_eq!(
                (holder.chain.as_str(), holder.session.as_str()),
                ("c1", "s1")
            );
        }
    }
}
