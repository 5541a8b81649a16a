//! Watches answers that wait for their records, and threads that may hang. A disk that hangs must not delay anybody. When the second is
//! over, the answer goes out, and its record is counted as not kept. A thread that does not return is replaced. This thread touches
//! no file, and does not log.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

use super::helm::Helm;
use super::outbox::Outbox;
use crate::status::Shared;

/// How long a working store may take for a record.
const AT_LEAST: Duration = Duration::from_millis(100);
/// How often the thread checks while there are answers.
const LOOK: Duration = Duration::from_millis(100);
/// It sleeps after it found no answers this many times.
const QUIET: u32 = 10;

/// An answer that goes out once: when its record is safe, or when that takes too long.
pub(super) struct Pending {
    /// Taken by the thread that sends it.
    bytes: Mutex<Option<Vec<u8>>>,
    outbox: Arc<Outbox>,
    shared: Arc<Shared>,
    /// What is noted when it is sent.
    ended: fn(&Shared),
}

impl Pending {
    pub(super) fn new(
        bytes: Vec<u8>,
        outbox: Arc<Outbox>,
        shared: Arc<Shared>,
        ended: fn(&Shared),
    ) -> Arc<Self> {
        Arc::new(Self {
            bytes: Mutex::new(Some(bytes)),
            outbox,
            shared,
            ended,
        })
    }

    /// The store is done with its record.
    pub(super) fn kept(&self) {
        if self.send() == Sent::Before {
            self.shared.count_kept_late();
        }
    }

    fn relieve(&self) {
        // Before it is sent, so that the client finds it counted.
        self.shared.count_unkept();
        if self.send() == Sent::Before {
            self.shared.count_kept_late();
        }
    }

    fn send(&self) -> Sent {
        let Some(bytes) = lock(&self.bytes).take() else {
            return Sent::Before;
        };
        self.outbox.finish(&bytes);
        (self.ended)(&self.shared);
        Sent::Now
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sent {
    Now,
    Before,
}

/// The watching thread. It ends when this is dropped.
pub(super) struct Relief {
    state: Arc<ReliefState>,
    thread: Thread,
}

#[derive(Default)]
struct ReliefState {
    /// With the time at which they go out. Those that are sent are gone.
    waiting: Mutex<Vec<(Instant, Weak<Pending>)>>,
    /// The threads that may hang.
    helm: OnceLock<Weak<Helm>>,
    is_awake: AtomicBool,
    is_closing: AtomicBool,
}

impl Relief {
    pub(super) fn start() -> std::io::Result<Self> {
        let state = Arc::new(ReliefState::default());
        let shared = Arc::clone(&state);
        let thread = thread::Builder::new()
            .name("bowline-relief".to_owned())
            .spawn(move || shared.run())?;
        Ok(Self {
            state,
            thread: thread.thread().clone(),
        })
    }

    /// Sends this answer when its record takes longer than this.
    pub(super) fn watch(&self, pending: &Arc<Pending>, within: Duration) {
        let until = Instant::now() + within.max(AT_LEAST);
        lock(&self.state.waiting).push((until, Arc::downgrade(pending)));
        self.rouse();
    }

    /// Watches these threads, too.
    pub(super) fn watch_over(&self, helm: &Arc<Helm>) {
        let _ = self.state.helm.set(Arc::downgrade(helm));
    }

    /// There is something to watch. The thread stays awake for a while, so that not every call has to wake it.
    pub(super) fn rouse(&self) {
        if !self.state.is_awake.swap(true, Ordering::AcqRel) {
            self.thread.unpark();
        }
    }
}

impl Drop for Relief {
    fn drop(&mut self) {
        self.state.is_closing.store(true, Ordering::Release);
        self.thread.unpark();
    }
}

impl ReliefState {
    fn run(&self) {
        let mut quiet = 0;
        while !self.is_closing.load(Ordering::Acquire) {
            for pending in self.overdue() {
                pending.relieve();
            }
            if let Some(helm) = self.helm() {
                helm.relieve();
            }
            quiet = if self.is_settled() { quiet + 1 } else { 0 };
            if quiet < QUIET {
                thread::park_timeout(LOOK);
                continue;
            }
            self.is_awake.store(false, Ordering::Release);
            // An answer that arrived before this saw the thread awake and did not wake it.
            if self.is_settled() && !self.is_closing.load(Ordering::Acquire) {
                thread::park();
            }
            self.is_awake.store(true, Ordering::Release);
            quiet = 0;
        }
    }

    fn helm(&self) -> Option<Arc<Helm>> {
        self.helm.get()?.upgrade()
    }

    /// Whether there is nothing to watch.
    fn is_settled(&self) -> bool {
        lock(&self.waiting).is_empty() && self.helm().is_none_or(|helm| helm.is_settled())
    }

    /// Takes out those whose time is over, and forgets those that are sent.
    fn overdue(&self) -> Vec<Arc<Pending>> {
        let (mut overdue, now) = (Vec::new(), Instant::now());
        lock(&self.waiting).retain(|(until, pending)| match pending.upgrade() {
            Some(_) if now < *until => true,
            pending => {
                overdue.extend(pending);
                false
            }
        });
        overdue
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::os::unix::net::UnixStream;

    use mio::{Poll, Token, Waker};

    use super::super::outbox::WakeList;
    use super::*;
    use crate::places::Places;

    #[test]
    fn an_answer_that_files_have_held_up_already_does_not_wait_behind_others() {
        let poll = Poll::new().unwrap();
        let wake_list = Arc::new(WakeList::new(
            Waker::new(poll.registry(), Token(0)).unwrap(),
        ));
        let shared = Arc::new(Shared::new(Places {
            data: "/data".into(),
            socket: "/run/daemon.sock".into(),
        }));
        let relief = Relief::start().unwrap();
        let mut clients = Vec::new();
        let mut wait = |within| {
            let (ours, theirs) = UnixStream::pair().unwrap();
            clients.push(theirs);
            ours.set_nonblocking(true).unwrap();
            let stream = mio::net::UnixStream::from_std(ours);
            let outbox = Arc::new(Outbox::new(stream, Token(1), Arc::clone(&wake_list)));
            let pending = Pending::new(b"answer".to_vec(), outbox, Arc::clone(&shared), |_| {});
            relief.watch(&pending, within);
            pending
        };
        let whole = wait(Duration::from_hours(1));
        let spent = wait(Duration::ZERO);
        while lock(&spent.bytes).is_some() {
            thread::yield_now();
        }
        assert!(lock(&whole.bytes).is_some());
    }
}
