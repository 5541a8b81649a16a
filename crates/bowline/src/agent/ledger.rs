//! What a run and its sub-agents add up to.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::message::Usage;
use crate::lifecycle::Notes;

/// Shared by an agent and its sub-agents.
#[derive(Debug, Default)]
pub(super) struct Ledger(Mutex<Record>);

#[derive(Debug, Default)]
pub(super) struct Record {
    pub(super) usage: Usage,
    pub(super) tool_calls: usize,
    pub(super) notes: Notes,
}

impl Ledger {
    pub(super) fn note(&self, notes: Notes) {
        self.record().notes.absorb(notes);
    }

    pub(super) fn spend(&self, usage: Usage) {
        self.record().usage.add(usage);
    }

    pub(super) fn count_calls(&self, calls: usize) {
        self.record().tool_calls += calls;
    }

    /// What has been recorded; the next record starts from nothing.
    pub(super) fn take(&self) -> Record {
        std::mem::take(&mut self.record())
    }

    fn record(&self) -> MutexGuard<'_, Record> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
