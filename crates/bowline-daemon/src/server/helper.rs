//! The helper thread: when several calls are ready at the same time, it decides one half of them.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
use std::thread;

use bowline_store::Store;
use tokio::runtime::Handle;

use super::AnswerWhen;
use super::answering::Answering;
use super::helm::Helm;
use super::outbox::WakeList;
use super::relief::Relief;
use super::round::Round;
use crate::engine::Deciding;

/// For fewer calls, waking another thread takes longer than deciding them.
const WORTH_IT: usize = 4;

/// The other thread. It ends when this is dropped.
pub(super) struct Helper {
    work: mpsc::Sender<Round>,
    state: Arc<HelperState>,
}

/// What both threads share.
#[derive(Default)]
pub(super) struct HelperState {
    is_busy: AtomicBool,
    returned: Mutex<Round>,
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
            for round in given {
                shared.help(round, &tools);
            }
        };
        thread::Builder::new()
            .name("bowline-helper".to_owned())
            .spawn(help)?;
        Ok(Self { work, state })
    }

    /// Takes one half of the calls away, if that is worth it and the other thread has time.
    pub(super) fn take_half(&self, round: &mut Round) {
        let count = round.ready.len();
        if count < WORTH_IT || self.state.is_busy.swap(true, Ordering::AcqRel) {
            return;
        }
        let ready = round.ready.split_off(count / 2);
        let half = Round {
            batch: Vec::with_capacity(ready.len()),
            ready,
            ..Round::default()
        };
        if let Err(mpsc::SendError(half)) = self.work.send(half) {
            round.add(half);
        }
    }

    /// The calls that wait for something, and what the other thread has not done.
    pub(super) fn returned(&self) -> Round {
        std::mem::take(&mut self.state.returned())
    }
}

impl HelperState {
    /// Decides these calls, unless another thread took over.
    fn help(&self, round: Round, tools: &Tools) {
        let waiting = tools.decide(round).unwrap_or_default();
        self.is_busy.store(false, Ordering::Release);
        if !waiting.is_empty() {
            self.returned().waiting.extend(waiting);
            tools.wake_list.wake();
        }
    }

    /// Gives the polling thread what this one will not do.
    pub(super) fn give_back(&self, rest: Round) {
        self.returned().add(rest);
    }

    fn returned(&self) -> MutexGuard<'_, Round> {
        self.returned.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Tools {
    /// Decides calls one after another, and submits their records. Returns those that wait; `None` if another thread took over.
    fn decide(&self, mut round: Round) -> Option<Vec<(Deciding, Answering)>> {
        while !round.ready.is_empty() {
            round = self.helm.helper.decide_next(round, &self.relief)?;
        }
        if let AnswerWhen::Lagging(lag) = self.answer_when {
            thread::sleep(lag);
        }
        if !round.batch.is_empty() {
            self.store.submit_all(round.batch);
        }
        Some(round.waiting)
    }
}
