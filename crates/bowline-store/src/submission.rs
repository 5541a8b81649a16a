//! A record on its way into the store.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Instant;

use crate::caps;
use crate::record::Record;
use crate::store::Outcome;

/// Gets the outcome of a record, once, on a thread of the store or on the caller's. It must not block.
pub type Done = Box<dyn FnOnce(Outcome) + Send>;

/// A record on its way into the store.
pub struct Submission {
    pub(crate) record: Arc<Record>,
    /// Taken by whoever answers first.
    done: Option<Done>,
    pub(crate) safe: Safe,
    /// When it came into the queue.
    pub(crate) arrived: Instant,
    pub(crate) bytes: usize,
}

/// Where a record is safe until it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Safe {
    Nowhere,
    /// In a note of the spool.
    Noted,
}

impl Submission {
    /// Cuts the record to the limits of a row. `done` gets its outcome.
    pub fn new(mut record: Record, done: Done) -> Self {
        let bytes = caps::cap(&mut record);
        Self {
            record: Arc::new(record),
            done: Some(done),
            safe: Safe::Nowhere,
            arrived: Instant::now(),
            bytes,
        }
    }

    /// What to keep.
    pub fn record(&self) -> &Record {
        &self.record
    }

    /// Whether somebody has already answered.
    pub(crate) fn is_answered(&self) -> bool {
        self.done.is_none()
    }

    /// Whether the spool has a note of it.
    pub(crate) fn is_noted(&self) -> bool {
        self.safe == Safe::Noted
    }

    /// The same, to be answered instead of this one.
    pub(crate) fn take(&mut self) -> Self {
        Self {
            record: Arc::clone(&self.record),
            done: self.done.take(),
            ..*self
        }
    }

    /// Answers, unless somebody has already answered. A caller's mistake must not end a thread of the store.
    pub(crate) fn answer(&mut self, outcome: Outcome) {
        if let Some(done) = self.done.take()
            && catch_unwind(AssertUnwindSafe(|| done(outcome))).is_err()
        {
            tracing::error!("a caller panicked when it was told what became of a record");
        }
    }
}

impl fmt::Debug for Submission {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Submission")
            .field("record", &self.record)
            .finish_non_exhaustive()
    }
}
