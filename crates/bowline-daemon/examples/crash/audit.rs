//! Whether what was answered is what was recorded.

use std::collections::{HashMap, HashSet};

use bowline::hooks::Decision;
use bowline_store::{
    EventFilter, Gap, RecordedEvent, SessionRef, SqliteStore, Store, Trace, TraceFilter,
};

use crate::load::Event;
use crate::sandbox::Sandbox;

/// The store gives no more at once. One session of a phase has fewer.
const PAGE: usize = 10_000;
/// Nobody reads more ids than these.
const SHOWN: usize = 10;

/// What is not as it should be, by the ids of the events.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Audit {
    /// Answered, and not recorded.
    pub(crate) missing: Vec<String>,
    /// Recorded more than once.
    pub(crate) doubled: Vec<String>,
    /// Recorded with another decision than was answered.
    pub(crate) differing: Vec<String>,
    /// What the store says is missing.
    pub(crate) gaps: Vec<Gap>,
}

impl Audit {
    /// Compares answered events with what is in the store, where no daemon runs any more.
    pub(crate) fn of(sandbox: &Sandbox, answered: &[Event]) -> Self {
        let store = sandbox.store();
        store.flush().expect("the store takes what was spooled");
        let sessions: HashSet<&str> = answered.iter().map(|event| &*event.session).collect();
        let mut recorded: HashMap<String, Vec<Decision>> = HashMap::new();
        let mut traced: HashMap<String, usize> = HashMap::new();
        for session in sessions {
            for event in events(&store, session) {
                let id = event.decided.tool_use_id.unwrap_or_default();
                recorded.entry(id).or_default().push(event.decided.decision);
            }
            for trace in traces(&store, session) {
                *traced.entry(trace.tool_use_id).or_default() += 1;
            }
        }
        let mut audit = Self {
            gaps: store.gaps().expect("the gaps can be read"),
            ..Self::default()
        };
        for event in answered {
            let decisions = recorded.get(&event.id).map_or(&[][..], Vec::as_slice);
            let traces = traced.get(&event.id).copied().unwrap_or_default();
            if decisions.is_empty() || traces == 0 {
                audit.missing.push(event.id.clone());
            }
            if decisions.len() > 1 || traces > 1 {
                audit.doubled.push(event.id.clone());
            }
            if decisions.iter().any(|it| *it != event.right.decision()) {
                audit.differing.push(event.id.clone());
            }
        }
        audit
    }

    /// The first of what was found, with a word for it.
    pub(crate) fn findings(&self) -> Vec<(&'static str, &[String])> {
        [
            ("missing", &self.missing),
            ("doubled", &self.doubled),
            ("recorded differently", &self.differing),
        ]
        .into_iter()
        .filter(|(_, ids)| !ids.is_empty())
        .map(|(what, ids)| (what, ids.get(..SHOWN).unwrap_or(ids)))
        .collect()
    }
}

fn events(store: &SqliteStore, session: &str) -> Vec<RecordedEvent> {
    let found = store.find_events(&EventFilter {
        session: Some(SessionRef::Chain(session)),
        limit: PAGE,
        ..EventFilter::default()
    });
    whole(found.expect("the events can be read"))
}

fn traces(store: &SqliteStore, session: &str) -> Vec<Trace> {
    let found = store.find_traces(&TraceFilter {
        session: Some(SessionRef::Chain(session)),
        limit: PAGE,
        ..TraceFilter::default()
    });
    whole(found.expect("the traces can be read"))
}

/// A full page may not be everything, and what it lacks would look lost.
fn whole<T>(page: Vec<T>) -> Vec<T> {
    assert!(
        page.len() < PAGE,
        "a session has too many events to be read at once: use more --clients or fewer --kills-in-phase"
    );
    page
}
