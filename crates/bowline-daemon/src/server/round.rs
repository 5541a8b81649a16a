//! The calls that one thread has at hand.

use std::collections::VecDeque;
use std::sync::Arc;

use bowline_store::Submission;

use super::answering::Answering;
use crate::engine::{CallContext, Deciding};

/// The calls that a thread has at hand. Another thread can go on with them.
#[derive(Default)]
pub(super) struct Round {
    /// Calls that only have to be decided.
    pub(super) ready: VecDeque<(Arc<CallContext>, Answering)>,
    /// Calls whose hooks turned out to wait for something.
    pub(super) waiting: Vec<(Deciding, Answering)>,
    /// The records of those that are decided.
    pub(super) batch: Vec<Submission>,
}

impl Round {
    pub(super) fn add(&mut self, other: Self) {
        self.ready.extend(other.ready);
        self.waiting.extend(other.waiting);
        self.batch.extend(other.batch);
    }
}

impl AsMut<Self> for Round {
    fn as_mut(&mut self) -> &mut Self {
        self
    }
}
