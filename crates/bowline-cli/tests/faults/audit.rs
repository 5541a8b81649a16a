//! Whether what was answered is what was recorded.

use std::collections::HashMap;
use std::thread;
use std::time::Duration;

use bowline::hooks::Decision;
use bowline_store::{RecordedEvent, Store, TraceFilter};

use super::stage::{Event, Right, Stage};

/// How often, and how long apart, it is looked for what is missing.
const LOOKS: u32 = 25;
const BETWEEN_LOOKS: Duration = Duration::from_millis(200);

/// What is not as it should be, by the ids of the events.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Audit {
    /// Answered, and not recorded.
    pub(super) missing: Vec<String>,
    /// Recorded more than once.
    pub(super) doubled: Vec<String>,
    /// Recorded with another decision than was answered.
    pub(super) differing: Vec<String>,
}

impl Audit {
    /// Compares answered events with what is in the store of a stage. A direct run that found the database in use keeps its record in
    /// a spool of its own until it ends, a moment after its answer.
    pub(super) fn of(stage: &Stage, answered: &[Event]) -> Self {
        let mut audit = Self::now(stage, answered);
        for _ in 0..LOOKS {
            if audit.missing.is_empty() {
                break;
            }
            thread::sleep(BETWEEN_LOOKS);
            audit = Self::now(stage, answered);
        }
        audit
    }

    fn now(stage: &Stage, answered: &[Event]) -> Self {
        // A daemon that answers a question has written everything that it answered before.
        stage.ask("store.size");
        let store = stage.store();
        store.flush().unwrap();
        let mut triggers: HashMap<String, Vec<RecordedEvent>> = HashMap::new();
        for trigger in store.last_events(1_000_000).unwrap() {
            let id = trigger.decided.tool_use_id.clone().unwrap_or_default();
            triggers.entry(id).or_default().push(trigger);
        }
        let mut traces: HashMap<String, usize> = HashMap::new();
        let all = TraceFilter {
            limit: 1_000_000,
            ..TraceFilter::default()
        };
        for trace in store.find_traces(&all).unwrap() {
            *traces.entry(trace.tool_use_id).or_default() += 1;
        }
        let mut audit = Self::default();
        for event in answered {
            let recorded = triggers.get(&event.id).map_or(&[][..], Vec::as_slice);
            let traced = traces.get(&event.id).copied().unwrap_or_default();
            let decision = match event.right {
                Right::Deny => Decision::Deny,
                Right::Silence => Decision::NoOpinion,
            };
            if recorded.is_empty() || traced == 0 {
                audit.missing.push(event.id.clone());
            }
            if recorded.len() > 1 || traced > 1 {
                audit.doubled.push(event.id.clone());
            }
            if recorded
                .iter()
                .any(|trigger| trigger.decided.decision != decision)
            {
                audit.differing.push(event.id.clone());
            }
        }
        audit
    }

    #[track_caller]
    pub(super) fn must_be_clean(&self) {
        assert_eq!(*self, Self::default());
    }
}
