//! One tool call with everything that was said about it.

use bowline::hooks::Decision;
use bowline_builtins::guard::{Way, ways};
use bowline_store::{RecordedEvent, Result, Store, Trace};

/// A call, and the events that were decided about it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Call {
    pub(crate) trace: Trace,
    /// The oldest first.
    pub(crate) events: Vec<RecordedEvent>,
}

pub(crate) fn read(store: &dyn Store, id: &str) -> Result<Option<Call>> {
    let Some(trace) = store.get_trace(id)? else {
        return Ok(None);
    };
    let events = store.events_of(&trace)?;
    Ok(Some(Call { trace, events }))
}

impl Call {
    /// The event that stopped it.
    pub(crate) fn stopped(&self) -> Option<&RecordedEvent> {
        let mut events = self.events.iter();
        events.find(|event| event.decided.decision >= Decision::Ask)
    }

    /// How it can be allowed.
    pub(crate) fn ways(&self) -> Vec<Way> {
        let stopped = self.stopped();
        stopped.map_or_else(Vec::new, |event| {
            ways(&event.decided, self.trace.input.as_ref())
        })
    }
}
