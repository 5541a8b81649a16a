//! Sends the answer to a call when its record is safe.

use std::sync::Arc;

use bowline::hooks::CancellationToken;
use bowline_builtins::machine::process;
use bowline_store::Submission;
use bowline_wire::{Call, Heard, Reply, Response, Signs};
use serde_json::Value;

use super::outbox::Outbox;
use super::relief::{Pending, Relief};
use super::{AnswerWhen, hook_request};

use crate::engine::Decided;
use crate::status::Shared;

/// How the answer is written.
pub(super) enum Form {
    /// As the reply to a hook, together with the acknowledgement if that has not gone out.
    Reply(Option<Arc<[u8]>>),
    /// As the response to a request with this id.
    Response(Option<Value>),
}

/// What is needed to answer a call.
pub(super) struct Answering {
    pub(super) call: Arc<Call>,
    pub(super) form: Form,
    /// Ends deciding early.
    pub(super) cancellation: CancellationToken,
    pub(super) outbox: Arc<Outbox>,
    pub(super) shared: Arc<Shared>,
    pub(super) relief: Arc<Relief>,
    pub(super) when: AnswerWhen,
}

impl Answering {
    /// Acknowledges a hook's call, because it takes time.
    pub(super) fn acknowledge(&mut self) {
        let Form::Reply(acknowledgement) = &mut self.form else {
            return;
        };
        if let Some(line) = acknowledgement.take() {
            self.outbox.send(&line);
        }
        if self.call.signs == Signs::Known {
            self.outbox.wait_with(Heard::sign_for(&self.call.id));
        }
    }

    /// What to submit to the store so that the answer goes out when the record is safe, or after a second. Without a record it goes
    /// out now.
    pub(super) fn submission(self, decided: Decided) -> Option<Submission> {
        let (outbox, shared, answer) = (self.outbox, self.shared, decided.answer);
        let (bytes, ended): (_, fn(&Shared)) = match self.form {
            Form::Reply(acknowledgement) => {
                let call = self.call.id.clone();
                let mut bytes = acknowledgement.map_or_else(Vec::new, |line| line.to_vec());
                bytes.extend(Reply { call, answer }.encode());
                outbox.end_wait();
                if let Some(record) = &decided.record {
                    // The hook's process still exists: it waits for its answer.
                    let reporter = || process::agent_of(self.call.reporter?);
                    shared.agents.note(record, reporter);
                }
                (bytes, Shared::end_event)
            }
            Form::Response(id) => {
                let result = Ok(hook_request::told(&answer));
                (Response { id, result }.encode(), Shared::end_request)
            }
        };
        let Some(record) = decided.record else {
            outbox.finish(&bytes);
            ended(&shared);
            return None;
        };
        let (notice, feed) = (shared.feed.notice(&record), Arc::clone(&shared.feed));
        let done: bowline_store::Done = match self.when {
            AnswerWhen::Committed => {
                let pending = Pending::new(bytes, outbox, shared, ended);
                self.relief.watch(&pending, decided.files_left);
                Box::new(move |_| {
                    pending.kept();
                    feed.tell(notice);
                })
            }
            AnswerWhen::Lagging(_) => {
                outbox.finish(&bytes);
                Box::new(move |_| ended(&shared))
            }
        };
        Some(Submission::new(record, done))
    }
}
