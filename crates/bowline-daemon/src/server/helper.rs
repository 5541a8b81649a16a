//! A second pair of hands: when several calls are ready at the same time, one half of them is decided on another thread.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::task::{Context, Poll, Waker};
use std::thread;

use bowline::hooks::CancellationToken;
use bowline_store::Store;
use mio::Token;
use tokio::runtime::Handle;

use super::answering::Answering;
use super::outbox::Turns;
use super::{AnswerWhen, Deciding, PANICKED};
use crate::engine::{Decided, Prepared};

/// For fewer calls than these, waking another thread takes longer than deciding them.
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

/// What came of deciding a call.
#[expect(
    clippy::large_enum_variant,
    reason = "nearly all are decided, and a box for each would cost more than it saves"
)]
pub(super) enum Turned {
    Decided(Decided, Answering),
    Waiting(Waiting),
}

impl Ready {
    /// Decides, unless the hooks have to wait for something.
    pub(super) fn decide(self) -> Turned {
        let cancellation = self.prepared.cancellation();
        let mut deciding: Deciding = Box::pin(self.prepared.decide());
        let mut context = Context::from_waker(Waker::noop());
        match catch_unwind(AssertUnwindSafe(|| deciding.as_mut().poll(&mut context))) {
            Ok(Poll::Ready(decided)) => Turned::Decided(decided, self.answering),
            Ok(Poll::Pending) => Turned::Waiting(Waiting {
                token: self.token,
                cancellation,
                deciding,
                answering: self.answering,
            }),
            Err(_) => {
                tracing::error!("deciding an event panicked");
                Turned::Decided(self.answering.facts.failure(PANICKED), self.answering)
            }
        }
    }
}

/// The other thread. It ends when this is dropped.
pub(super) struct Helper {
    work: mpsc::Sender<Vec<Ready>>,
    desk: Arc<Desk>,
}

/// What both threads see.
struct Desk {
    is_busy: AtomicBool,
    waiting: Mutex<Vec<Waiting>>,
}

impl Helper {
    pub(super) fn start(
        store: Arc<dyn Store>,
        turns: Arc<Turns>,
        answer_when: AnswerWhen,
        runtime: Handle,
    ) -> std::io::Result<Self> {
        let (work, given) = mpsc::channel::<Vec<Ready>>();
        let desk = Arc::new(Desk {
            is_busy: AtomicBool::new(false),
            waiting: Mutex::default(),
        });
        let shared = Arc::clone(&desk);
        let help = move || {
            let _entered = runtime.enter();
            for calls in given {
                let mut batch = Vec::with_capacity(calls.len());
                let mut waiting = Vec::new();
                for call in calls {
                    match call.decide() {
                        Turned::Decided(decided, answering) => {
                            batch.extend(answering.submission(decided, answer_when));
                        }
                        Turned::Waiting(call) => waiting.push(call),
                    }
                }
                if let AnswerWhen::Lagging(lag) = answer_when {
                    thread::sleep(lag);
                }
                if !batch.is_empty() {
                    store.submit_all(batch);
                }
                shared.is_busy.store(false, Ordering::Release);
                if !waiting.is_empty() {
                    shared.waiting().extend(waiting);
                    turns.wake();
                }
            }
        };
        thread::Builder::new()
            .name("bowline-helper".to_owned())
            .spawn(help)?;
        Ok(Self { work, desk })
    }

    /// Takes one half of the calls away, if that is worth it and the other thread has time.
    pub(super) fn take_half(&self, ready: &mut Vec<Ready>) {
        if ready.len() < WORTH_IT || self.desk.is_busy.swap(true, Ordering::AcqRel) {
            return;
        }
        let half = ready.split_off(ready.len() / 2);
        if let Err(mpsc::SendError(half)) = self.work.send(half) {
            ready.extend(half);
        }
    }

    /// The calls that wait for something.
    pub(super) fn waiting(&self) -> Vec<Waiting> {
        std::mem::take(&mut self.desk.waiting())
    }
}

impl Desk {
    fn waiting(&self) -> std::sync::MutexGuard<'_, Vec<Waiting>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
