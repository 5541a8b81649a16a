//! The helper thread: when several calls are ready at the same time, it decides one half of them.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread;

use bowline::hooks::CancellationToken;
use bowline_store::{Store, Submission};
use mio::Token;
use tokio::runtime::Handle;

use super::AnswerWhen;
use super::answering::Answering;
use super::helm::Helm;
use super::outbox::WakeList;
use super::relief::Relief;
use crate::engine::{Decided, Deciding, Prepared};

/// For fewer calls, waking another thread takes longer than deciding them.
const WORTH_IT: usize = 4;

/// A call that only has to be decided.
pub(super) struct Ready {
    pub(super) token: Token,
    pub(super) prepared: Prepared,
    pub(super) answering: Answering,
}

/// A call whose hooks turned out to wait for something.
pub(super) struct Waiting {
    pub(super) token: Token,
    pub(super) cancellation: Option<CancellationToken>,
    pub(super) deciding: Deciding,
    pub(super) answering: Answering,
}

/// The result of polling a call once.
#[expect(
    clippy::large_enum_variant,
    reason = "nearly all are decided, and a box for each would cost more than it saves"
)]
pub(super) enum PollResult {
    Decided(Decided, Answering),
    Waiting(Waiting),
}

/// The other thread. It ends when this is dropped.
pub(super) struct Helper {
    work: mpsc::Sender<VecDeque<Ready>>,
    state: Arc<HelperState>,
}

/// What both threads share.
#[derive(Default)]
pub(super) struct HelperState {
    is_busy: AtomicBool,
    returned: Mutex<Returned>,
}

/// What the other thread gives back.
#[derive(Default)]
pub(super) struct Returned {
    pub(super) waiting: Vec<Waiting>,
    /// What it has not done.
    pub(super) rest: Rest,
}

/// What the other thread still has to do.
#[derive(Default)]
pub(super) struct Rest {
    pub(super) calls: VecDeque<Ready>,
    /// The records of those that are decided.
    pub(super) batch: Vec<Submission>,
}

/// What the other thread works with.
pub(super) struct Tools {
    pub(super) store: Arc<dyn Store>,
    pub(super) wake_list: Arc<WakeList>,
    pub(super) answer_when: AnswerWhen,
    pub(super) runtime: Handle,
    pub(super) helm: Arc<Helm>,
    pub(super) relief: Arc<Relief>,
}

impl Helper {
    pub(super) fn start(state: Arc<HelperState>, tools: Tools) -> std::io::Result<Self> {
        let (work, given) = mpsc::channel();
        let shared = Arc::clone(&state);
        let help = move || {
            let _entered = tools.runtime.enter();
            for calls in given {
                shared.help(calls, &tools);
            }
        };
        thread::Builder::new()
            .name("bowline-helper".to_owned())
            .spawn(help)?;
        Ok(Self { work, state })
    }

    /// Takes one half of the calls away, if that is worth it and the other thread has time.
    pub(super) fn take_half(&self, ready: &mut VecDeque<Ready>) {
        if ready.len() < WORTH_IT || self.state.is_busy.swap(true, Ordering::AcqRel) {
            return;
        }
        let half = ready.split_off(ready.len() / 2);
        if let Err(mpsc::SendError(half)) = self.work.send(half) {
            ready.extend(half);
        }
    }

    /// The calls that wait for something, and what the other thread has not done.
    pub(super) fn returned(&self) -> Returned {
        std::mem::take(&mut self.state.returned())
    }
}

impl HelperState {
    /// Decides these, unless another thread took over.
    fn help(&self, calls: VecDeque<Ready>, tools: &Tools) {
        let mut waiting = Vec::new();
        if let Some(batch) = decide_all(calls, &mut waiting, tools) {
            if let AnswerWhen::Lagging(lag) = tools.answer_when {
                thread::sleep(lag);
            }
            if !batch.is_empty() {
                tools.store.submit_all(batch);
            }
        }
        self.is_busy.store(false, Ordering::Release);
        if !waiting.is_empty() {
            self.returned().waiting.extend(waiting);
            tools.wake_list.wake();
        }
    }

    /// Gives the polling thread what this one will not do.
    pub(super) fn give_back(&self, rest: Rest, waiting: Option<Waiting>) {
        let mut returned = self.returned();
        returned.waiting.extend(waiting);
        returned.rest.calls.extend(rest.calls);
        returned.rest.batch.extend(rest.batch);
    }

    fn returned(&self) -> std::sync::MutexGuard<'_, Returned> {
        self.returned.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Decides calls one after another; `None` if another thread took over.
fn decide_all(
    calls: VecDeque<Ready>,
    waiting: &mut Vec<Waiting>,
    tools: &Tools,
) -> Option<Vec<Submission>> {
    let mut rest = Rest {
        batch: Vec::with_capacity(calls.len()),
        calls,
    };
    while let Some(call) = rest.calls.pop_front() {
        let turned;
        (rest, turned) = tools.helm.helper.decide(rest, call, &tools.relief)?;
        match turned {
            PollResult::Decided(decided, answering) => {
                let submission = answering.submission(decided, tools.answer_when);
                rest.batch.extend(submission);
            }
            PollResult::Waiting(call) => waiting.push(call),
        }
    }
    Some(rest.batch)
}
