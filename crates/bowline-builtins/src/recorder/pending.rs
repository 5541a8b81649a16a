//! What hooks want to keep with an event, from when they run until the record is made.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bowline::hooks::HookContext;
use bowline_store::Change;

/// What is to be kept with one event, in its context.
#[derive(Debug, Default)]
pub(super) struct PendingChanges(Mutex<Collected>);

#[derive(Debug, Default)]
pub(super) struct Collected {
    pub(super) meaning: Option<Meaning>,
    /// How long it took to find out.
    pub(super) took: Option<Duration>,
    /// What other hooks add.
    pub(super) added: Vec<Change>,
}

/// What an event means for traces, sessions and delegations.
#[derive(Debug)]
pub(super) enum Meaning {
    /// The same, whatever the agent makes of the answer.
    Settled(Vec<Change>),
    /// It was denied, and means different things.
    Denied {
        /// If the agent obeys.
        obeyed: Vec<Change>,
        /// If it continues anyway.
        ignored: Vec<Change>,
    },
}

/// Adds a change to the record of the event. An event without an id gets no record.
pub fn add_change(ctx: &HookContext, change: Change) {
    if ctx.call_id().is_some() {
        PendingChanges::of(ctx).lock().added.push(change);
    }
}

impl PendingChanges {
    pub(super) fn of(ctx: &HookContext) -> Arc<Self> {
        ctx.extensions().get()
    }

    pub(super) fn set_meaning(&self, meaning: Meaning, took: Duration) {
        let mut collected = self.lock();
        collected.meaning = Some(meaning);
        collected.took = Some(took);
    }

    pub(super) fn take(&self) -> Collected {
        std::mem::take(&mut self.lock())
    }

    fn lock(&self) -> MutexGuard<'_, Collected> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
