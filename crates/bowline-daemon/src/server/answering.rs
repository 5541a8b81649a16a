//! Sends the answer to a call when its record is safe.

use std::sync::Arc;

use bowline_builtins::machine::process;
use bowline_store::Submission;
use bowline_wire::{Heard, Reply, Signs};

use super::AnswerWhen;
use super::outbox::Outbox;
use super::relief::{Pending, Relief};
use crate::engine::{Decided, Incoming};
use crate::peer;
use crate::status::Shared;

/// Whether the call was acknowledged.
pub(super) enum Acknowledge {
    /// The acknowledgement goes out together with the answer.
    With(Arc<[u8]>),
    Done,
}

/// What is needed to answer a call.
pub(super) struct Answering {
    pub(super) incoming: Arc<Incoming>,
    pub(super) outbox: Arc<Outbox>,
    pub(super) acknowledgement: Acknowledge,
    pub(super) shared: Arc<Shared>,
    pub(super) signs: Signs,
    pub(super) relief: Arc<Relief>,
}

impl Answering {
    /// Acknowledges the call, because it takes time.
    pub(super) fn acknowledge(&mut self) {
        if let Acknowledge::With(line) =
            std::mem::replace(&mut self.acknowledgement, Acknowledge::Done)
        {
            self.outbox.send(&line);
        }
        if self.signs == Signs::Known {
            self.outbox.wait_with(Heard::sign_for(self.incoming.id()));
        }
    }

    /// What to submit to the store so that the answer goes out when the record is safe, or after a second. Without a record it goes
    /// out now.
    pub(super) fn submission(self, decided: Decided, when: AnswerWhen) -> Option<Submission> {
        let reply = Reply {
            call: self.incoming.id().clone(),
            answer: decided.answer,
        };
        let mut bytes = match self.acknowledgement {
            Acknowledge::With(line) => line.to_vec(),
            Acknowledge::Done => Vec::new(),
        };
        bytes.extend(reply.encode());
        let (outbox, shared) = (self.outbox, self.shared);
        outbox.end_wait();
        let Some(record) = decided.record else {
            outbox.finish(&bytes);
            shared.end_event();
            return None;
        };
        // The hook's process still exists: it waits for its answer.
        let reporter = || process::agent_of(peer::process(outbox.stream())?);
        shared.agents.note(&record, reporter);
        let done: bowline_store::Done = match when {
            AnswerWhen::Committed => {
                let pending = Pending::new(bytes, outbox, shared, Shared::end_event);
                self.relief.watch(&pending, decided.files_left);
                Box::new(move |_| pending.kept())
            }
            AnswerWhen::Lagging(_) => {
                outbox.finish(&bytes);
                Box::new(move |_| shared.end_event())
            }
        };
        Some(Submission { record, done })
    }
}
