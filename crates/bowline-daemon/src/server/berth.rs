//! Where a thread leaves its work while it does something that may hang (a look-up, or a record on a disk that does not answer), so
//! that another thread can go on with it. Everyday work stays on one thread and costs no hop.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use bowline::hooks::CancellationToken;
use mio::Token;
use tokio::sync::oneshot;

use super::PANICKED;
use super::answering::Answering;
use super::helper::{PollResult, Ready, Waiting};
use super::relief::Relief;
use crate::bounded::FILES_WITHIN;
use crate::engine::patience::{Held, Looking};
use crate::engine::{Decided, Deciding, Here, Watched};

/// How long a thread may be away before another goes on. Clients wait longer than this.
const AWAY: Duration = Duration::from_millis(100);

/// What one thread at a time leaves behind.
pub(super) struct Berth<K> {
    state: Mutex<State<K>>,
}

struct State<K> {
    /// How often something was left.
    number: u64,
    left: Option<Left<K>>,
    /// Threads whose call another thread took over. They may still report the result.
    late: HashMap<u64, Late>,
}

struct Left<K> {
    number: u64,
    since: Instant,
    kept: K,
    call: Option<LeftCall>,
}

/// All of a call except its future.
struct LeftCall {
    token: Token,
    cancellation: Option<CancellationToken>,
    answering: Answering,
    watched: Option<Watched>,
}

/// A thread that is late.
struct Late {
    tell: oneshot::Sender<Decided>,
    _held: Option<Held>,
}

impl<K> Berth<K> {
    pub(super) fn new() -> Self {
        Self {
            state: Mutex::new(State {
                number: 0,
                left: None,
                late: HashMap::new(),
            }),
        }
    }

    /// Decides a call, unless its hooks have to wait for something; `None` if another thread took over meanwhile.
    pub(super) fn decide(&self, kept: K, ready: Ready, relief: &Relief) -> Option<(K, PollResult)> {
        let cancellation = ready.prepared.cancellation();
        let Here {
            mut deciding,
            watched,
        } = ready.prepared.decide_here();
        let call = LeftCall {
            token: ready.token,
            cancellation,
            answering: ready.answering,
            watched,
        };
        let number = self.leave(kept, Some(call), relief);
        let mut context = Context::from_waker(Waker::noop());
        let polled = catch_unwind(AssertUnwindSafe(|| deciding.as_mut().poll(&mut context)));
        if polled.is_err() {
            tracing::error!("deciding an event panicked");
        }
        let Some(Left {
            since, kept, call, ..
        }) = self.come_back(number)
        else {
            let late = self.lock().late.remove(&number);
            // A call that would have to wait now is decided without it.
            if let (Some(late), Ok(Poll::Ready(decided))) = (late, polled) {
                let _ = late.tell.send(decided);
            }
            return None;
        };
        let call = call?;
        if let Some(watched) = &call.watched {
            watched.took(since.elapsed());
        }
        Some((kept, call.turned(polled, deciding)))
    }

    /// Does something that may hang; `None` if another thread took over meanwhile.
    pub(super) fn away(&self, kept: K, relief: &Relief, work: impl FnOnce()) -> Option<K> {
        let number = self.leave(kept, None, relief);
        work();
        self.come_back(number).map(|left| left.kept)
    }

    /// Takes what was left too long ago, and the call that is being decided, if it is one.
    pub(super) fn overdue(&self) -> Option<(K, Option<Waiting>)> {
        let mut state = self.lock();
        let left = state.left.take_if(|left| left.since.elapsed() >= AWAY)?;
        let waiting = left.call.map(|call| {
            let (tell, told) = oneshot::channel();
            let (waiting, held) = call.waiting(left.since, told);
            let late = Late { tell, _held: held };
            state.late.insert(left.number, late);
            waiting
        });
        Some((left.kept, waiting))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.lock().left.is_none()
    }

    fn leave(&self, kept: K, call: Option<LeftCall>, relief: &Relief) -> u64 {
        let mut state = self.lock();
        state.number += 1;
        let number = state.number;
        state.left = Some(Left {
            number,
            since: Instant::now(),
            kept,
            call,
        });
        drop(state);
        relief.rouse();
        number
    }

    fn come_back(&self, number: u64) -> Option<Left<K>> {
        self.lock().left.take_if(|left| left.number == number)
    }

    fn lock(&self) -> MutexGuard<'_, State<K>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

type Polled = std::thread::Result<Poll<Decided>>;

impl LeftCall {
    /// The result.
    fn turned(self, polled: Polled, deciding: Deciding) -> PollResult {
        match polled {
            Ok(Poll::Ready(decided)) => PollResult::Decided(decided, self.answering),
            Ok(Poll::Pending) => {
                if let Some(watched) = &self.watched {
                    watched.leave();
                }
                PollResult::Waiting(Waiting {
                    token: self.token,
                    cancellation: self.cancellation,
                    deciding,
                    answering: self.answering,
                })
            }
            Err(_) => {
                PollResult::Decided(self.answering.incoming.failure(PANICKED), self.answering)
            }
        }
    }

    /// The call as one that waits: for the thread that is away, and if that takes too long, for a judgement without files.
    fn waiting(self, since: Instant, told: oneshot::Receiver<Decided>) -> (Waiting, Option<Held>) {
        let looking = self.watched.as_ref().map(Watched::looking);
        let held = looking.as_ref().map(Looking::held);
        if let Some(looking) = &looking {
            looking.is_slow();
        }
        let incoming = Arc::clone(&self.answering.incoming);
        let watched = self.watched;
        let deciding = async move {
            let left = FILES_WITHIN.saturating_sub(since.elapsed());
            let told = match (&watched, &looking) {
                (Some(_), Some(looking)) => {
                    let told = tokio::time::timeout(left, told).await;
                    if told.is_err() {
                        looking.is_late();
                    }
                    told.ok()
                }
                // It looks at no files.
                _ => Some(told.await),
            };
            match (told, watched) {
                (Some(Ok(decided)), _) => decided,
                (_, Some(watched)) => watched.decide_unseen().await,
                (_, None) => incoming.failure(PANICKED),
            }
        };
        let waiting = Waiting {
            token: self.token,
            cancellation: self.cancellation,
            deciding: Box::pin(deciding),
            answering: self.answering,
        };
        (waiting, held)
    }
}
