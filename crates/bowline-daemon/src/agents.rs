//! Finds the process that reports for a session, so that the session of a killed agent ends, too.
//!
//! An agent that exits reports it; one that is killed does not. If two hooks of a session have the same parent, that process is the
//! agent. It is checked now and then, and when it is gone, the session is over. A parent that differs each time (a shell that
//! exits with the hook) proves nothing.
//!
//! An agent may also be killed while no daemon runs. A new daemon learns from the store who reported last.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use bowline_continuity::fleet::{FleetAgent, Process};
use bowline_store::{Change, GONE, Record, Unfinished};
use bowline_wire::CallId;
use chrono::Utc;

/// At most this many sessions are watched.
const MOST_SESSIONS: usize = 10_000;
/// At most this many different parents are tried.
const MOST_PARENTS: u8 = 3;
/// A process is gone when this many looks in a row find it gone: an agent that exits has a moment to say so.
const LOOKS: u8 = 3;

/// The sessions that are watched.
#[derive(Debug, Default)]
pub(crate) struct Agents {
    sessions: Mutex<HashMap<String, Session>>,
    has_recalled: AtomicBool,
}

#[derive(Debug)]
struct Session {
    agent: String,
    project: Option<String>,
    process: Process,
    known: Known,
    /// How many looks in a row found it gone.
    gone: u8,
}

/// What is known of the process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Known {
    /// The different parents that were seen.
    Perhaps(u8),
    Surely,
    /// An earlier daemon met it. The next hook shows whether that is still so.
    Recalled,
    /// Every hook has another parent.
    Never,
}

impl Agents {
    /// Notes who reports an event. The process is looked up only until it is known.
    pub(crate) fn note(&self, record: &Record, parent: impl FnOnce() -> Option<Process>) {
        if record.decided.session.is_empty() {
            return;
        }
        let mut sessions = self.sessions();
        // A resumed session may run in another process.
        if matches!(record.decided.event.as_str(), "SessionEnd" | "SessionStart") {
            sessions.remove(&record.decided.session);
        }
        if record.decided.event == "SessionEnd" {
            return;
        }
        let room = sessions.len() < MOST_SESSIONS;
        let known = sessions.get_mut(&record.decided.session);
        let is_settled = |it: &Session| matches!(it.known, Known::Surely | Known::Never);
        if known.as_deref().map_or(!room, is_settled) {
            return;
        }
        let Some(process) = parent() else {
            return;
        };
        if let Some(session) = known {
            return session.meet(process);
        }
        let session = Session {
            agent: record.decided.agent.clone(),
            project: record.decided.project.clone(),
            process,
            known: Known::Perhaps(1),
            gone: 0,
        };
        sessions.insert(record.decided.session.clone(), session);
    }

    /// Takes over the sessions that were open when this daemon started, once. Nothing is taken over while the fleet cannot be read.
    pub(crate) fn recall(&self, fleet: impl FnOnce() -> Option<Vec<FleetAgent>>) {
        if self.has_recalled.load(Ordering::Relaxed) {
            return;
        }
        let Some(fleet) = fleet() else {
            return;
        };
        self.has_recalled.store(true, Ordering::Relaxed);
        let mut sessions = self.sessions();
        let room = MOST_SESSIONS.saturating_sub(sessions.len());
        let with_process = |agent: FleetAgent| Some((agent.process?, agent));
        for (process, agent) in fleet.into_iter().filter_map(with_process).take(room) {
            // Whoever has reported to this daemon is known better.
            sessions.entry(agent.session).or_insert(Session {
                agent: agent.agent,
                project: agent.project,
                process,
                known: Known::Recalled,
                gone: 0,
            });
        }
    }

    /// The ends of the sessions whose agents are gone, each once.
    pub(crate) fn ended(&self, runs: impl Fn(Process) -> bool) -> Vec<Record> {
        let mut ended = Vec::new();
        self.sessions().retain(|name, session| {
            let is_known = matches!(session.known, Known::Surely | Known::Recalled);
            if !is_known || runs(session.process) {
                session.gone = 0;
                return true;
            }
            session.gone += 1;
            if session.gone < LOOKS {
                return true;
            }
            ended.push(session.end(name));
            false
        });
        ended
    }

    fn sessions(&self) -> MutexGuard<'_, HashMap<String, Session>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Session {
    /// Another hook of the session has this parent.
    fn meet(&mut self, process: Process) {
        self.known = match self.known {
            Known::Perhaps(_) | Known::Recalled if self.process == process => Known::Surely,
            Known::Recalled => Known::Perhaps(1),
            Known::Perhaps(parents) if parents < MOST_PARENTS => Known::Perhaps(parents + 1),
            _ => Known::Never,
        };
        self.process = process;
    }

    fn end(&self, name: &str) -> Record {
        let id = CallId::generate();
        let mut record = Record::new(id.as_str(), Utc::now(), &self.agent, "SessionEnd", name);
        record.decided.project.clone_from(&self.project);
        record.decided.reason = Some("the agent's process ended without a word".to_owned());
        record.changes = vec![Change::SessionEnded {
            reason: Some(GONE.to_owned()),
            unfinished: Unfinished::Cancelled,
        }];
        record
    }
}

#[cfg(test)]
mod tests {
    use bowline_continuity::fleet::AgentStatus;

    use super::*;

    fn process(id: u32) -> Process {
        Process { id, started: 7 }
    }

    fn event(name: &str, session: &str) -> Record {
        Record::new("id", Utc::now(), "claude-code", name, session)
    }

    /// What becomes of sessions whose hooks had these parents, once all processes but this one are gone.
    fn ended(events: &[(&str, u32)], left: u32) -> Vec<String> {
        let agents = Agents::default();
        for (name, parent) in events {
            agents.note(&event(name, "s"), || Some(process(*parent)));
        }
        let look = || agents.ended(|process| process.id == left);
        assert!(
            look().is_empty() && look().is_empty(),
            "it may still say so"
        );
        let ended = look();
        assert!(look().is_empty(), "once");
        ended
            .into_iter()
            .map(|record| record.decided.session)
            .collect()
    }

    #[test]
    fn the_session_of_an_agent_that_is_gone_ends_once() {
        let tool = "PreToolUse";
        for (events, left, ends) in [
            (&[(tool, 1), (tool, 1)][..], 9, true),
            (&[(tool, 1), (tool, 1)], 1, false),
            (&[(tool, 1)], 9, false),
            (&[(tool, 1), (tool, 2), (tool, 3), (tool, 4)], 9, false),
            (&[(tool, 1), (tool, 2), (tool, 2)], 9, true),
            (
                &[(tool, 1), (tool, 2), (tool, 3), (tool, 4), (tool, 4)],
                9,
                false,
            ),
            (&[(tool, 1), (tool, 1), ("SessionEnd", 1)], 9, false),
            (
                &[(tool, 1), (tool, 1), ("SessionStart", 2), (tool, 2)],
                2,
                false,
            ),
        ] {
            assert_eq!(ended(events, left).len(), usize::from(ends), "{events:?}");
        }
    }

    fn of_fleet(session: &str, process: Option<Process>) -> FleetAgent {
        let now = Utc::now();
        FleetAgent {
            id: session.to_owned(),
            label: None,
            agent: "claude-code".to_owned(),
            session: session.to_owned(),
            project: None,
            worktree: None,
            task: None,
            effort: None,
            ordinal: None,
            skill: None,
            phase: None,
            heartbeat: None,
            status: AgentStatus::Working,
            since: now,
            last_event_at: now,
            context_usage: None,
            last_action: None,
            waiting_for: None,
            process,
            ended_at: None,
            end_reason: None,
        }
    }

    #[test]
    fn sessions_of_an_earlier_daemon_end_unless_their_agents_say_something() {
        let tool = "PreToolUse";
        for (recalled, events, ends) in [
            (Some(process(1)), &[][..], true),
            (Some(process(9)), &[], false),
            (None, &[], false),
            (Some(process(1)), &[(tool, 1)], true),
            (Some(process(1)), &[(tool, 2)], false),
            (Some(process(1)), &[(tool, 2), (tool, 2)], true),
            (Some(process(1)), &[(tool, 2), (tool, 9), (tool, 9)], false),
            (Some(process(1)), &[("SessionEnd", 1)], false),
        ] {
            let agents = Agents::default();
            agents.recall(|| None);
            agents.recall(|| Some(vec![of_fleet("s", recalled)]));
            agents.recall(|| panic!("once"));
            for (name, parent) in events {
                agents.note(&event(name, "s"), || Some(process(*parent)));
            }
            let looks = (0..LOOKS).map(|_| agents.ended(|process| process.id == 9).len());
            let ended: usize = looks.sum();
            assert_eq!(ended, usize::from(ends), "{recalled:?} {events:?}");
        }
    }

    #[test]
    fn who_has_reported_is_not_recalled() {
        let agents = Agents::default();
        agents.note(&event("Stop", "s"), || Some(process(9)));
        agents.recall(|| Some(vec![of_fleet("s", Some(process(1)))]));
        for _ in 0..LOOKS {
            assert!(agents.ended(|process| process.id == 9).is_empty());
        }
    }

    #[test]
    fn who_is_known_is_not_asked_for_again() {
        let agents = Agents::default();
        for _ in 0..2 {
            agents.note(&event("Stop", "s"), || Some(process(1)));
        }
        agents.note(&event("Stop", "s"), || panic!("it is known"));
        agents.note(&event("Stop", ""), || panic!("there is no session"));
    }
}
