//! Where a thread leaves its work while it does something that may hang (a look-up, or a record on a disk that does not answer), so
//! that another thread can go on with it. Everyday work stays on one thread and costs no hop.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use tokio::sync::oneshot;

use super::PANICKED;
use super::answering::Answering;
use super::relief::Relief;
use super::round::Round;
use crate::bounded::FILES_WITHIN;
use crate::engine::patience::{Held, Looking};
use crate::engine::{Decided, Watched};

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
    /// The call that is being decided, but for its future.
    call: Option<(Watched, Answering)>,
}

/// What a thread that is away does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Away {
    Deciding,
    AtTheStore,
}

/// A thread that is late.
struct Late {
    tell: oneshot::Sender<Decided>,
    _held: Held,
}

impl<K: AsMut<Round>> Berth<K> {
    pub(super) fn new() -> Self {
        Self {
            state: Mutex::new(State {
                number: 0,
                left: None,
                late: HashMap::new(),
            }),
        }
    }

    /// Decides the next call that is ready, unless its hooks have to wait for something; `None` if another thread took over meanwhile.
    pub(super) fn decide_next(&self, mut kept: K, relief: &Relief) -> Option<K> {
        let Some((call, answering)) = kept.as_mut().ready.pop_front() else {
            return Some(kept);
        };
        let Some(watched) = call.watch() else {
            let deciding = Box::pin(call.decide(FILES_WITHIN));
            kept.as_mut().waiting.push((deciding, answering));
            return Some(kept);
        };
        let mut deciding = watched.deciding();
        let number = self.leave(kept, Some((watched, answering)), relief);
        let mut context = Context::from_waker(Waker::noop());
        let polled = catch_unwind(AssertUnwindSafe(|| deciding.as_mut().poll(&mut context)));
        if polled.is_err() {
            tracing::error!("deciding an event panicked");
        }
        let Some(mut left) = self.come_back(number) else {
            let late = self.lock().late.remove(&number);
            // A call that would have to wait now is decided without it.
            if let (Some(late), Ok(Poll::Ready(decided))) = (late, polled) {
                let _ = late.tell.send(decided);
            }
            return None;
        };
        let (watched, answering) = left.call?;
        watched.took(left.since.elapsed());
        let round = left.kept.as_mut();
        match polled {
            Ok(Poll::Ready(decided)) => round.batch.extend(answering.submission(decided)),
            Ok(Poll::Pending) => {
                watched.leave();
                round.waiting.push((deciding, answering));
            }
            Err(_) => {
                let failure = Decided::failure(&answering.call, PANICKED);
                round.batch.extend(answering.submission(failure));
            }
        }
        Some(left.kept)
    }

    /// Does something that may hang; `None` if another thread took over meanwhile.
    pub(super) fn away(&self, kept: K, relief: &Relief, work: impl FnOnce()) -> Option<K> {
        let number = self.leave(kept, None, relief);
        work();
        self.come_back(number).map(|left| left.kept)
    }

    /// Takes what was left too long ago. The call that is being decided waits from now on.
    pub(super) fn overdue(&self) -> Option<(K, Away)> {
        let mut state = self.lock();
        let mut left = state.left.take_if(|left| left.since.elapsed() >= AWAY)?;
        let Some((watched, answering)) = left.call else {
            return Some((left.kept, Away::AtTheStore));
        };
        let (tell, told) = oneshot::channel();
        let looking = watched.looking();
        looking.is_slow();
        let held = looking.held();
        state.late.insert(left.number, Late { tell, _held: held });
        let deciding = decide_in_time(watched, looking, left.since, told);
        let waiting = &mut left.kept.as_mut().waiting;
        waiting.push((Box::pin(deciding), answering));
        Some((left.kept, Away::Deciding))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.lock().left.is_none()
    }

    fn leave(&self, kept: K, call: Option<(Watched, Answering)>, relief: &Relief) -> u64 {
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

/// The result of the thread that is away, or, if that takes too long, of a judgement without files.
async fn decide_in_time(
    watched: Watched,
    looking: Looking,
    since: Instant,
    told: oneshot::Receiver<Decided>,
) -> Decided {
    let left = FILES_WITHIN.saturating_sub(since.elapsed());
    match tokio::time::timeout(left, told).await {
        Ok(Ok(decided)) => return decided,
        Ok(Err(_)) => {}
        Err(_) => looking.is_late(),
    }
    watched.decide_unseen().await
}
