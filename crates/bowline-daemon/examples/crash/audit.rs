//! Whether what was answered is what was recorded.

use std::collections::HashMap;

use bowline::hooks::Decision;
use bowline_store::{Store, TraceFilter};

use crate::load::Event;
use crate::sandbox::Sandbox;

/// More than one phase ever has.
const ALL: usize = 10_000_000;
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
}

impl Audit {
    /// Compares answered events with what is in the store, where no daemon runs any more.
    pub(crate) fn of(sandbox: &Sandbox, answered: &[Event]) -> Self {
        let store = sandbox.store();
        store.flush().expect("the store takes what was spooled");
        let mut recorded: HashMap<String, Vec<Decision>> = HashMap::new();
        for trigger in store.last_events(ALL).expect("the events can be read") {
            let id = trigger.decided.tool_use_id.unwrap_or_default();
            recorded
                .entry(id)
                .or_default()
                .push(trigger.decided.decision);
        }
        let every = TraceFilter {
            limit: ALL,
            ..TraceFilter::default()
        };
        let mut traced: HashMap<String, usize> = HashMap::new();
        for trace in store.find_traces(&every).expect("the traces can be read") {
            *traced.entry(trace.tool_use_id).or_default() += 1;
        }
        let mut audit = Self::default();
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
