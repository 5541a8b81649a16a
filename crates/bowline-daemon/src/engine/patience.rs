//! How long a call may look at files. A disk that hangs must not delay anybody: what is not seen within a second is unknown, and
//! the call is judged without it. This is the one case in which time decides.

use std::collections::HashMap;
use std::future::Future;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Wake, Waker};
use std::time::{Duration, Instant};

use tokio::sync::Notify;

use crate::bounded::FILES_WITHIN;

/// At most this many look-ups may hang, because each keeps a thread. Then nothing is looked up until one returns.
pub(crate) const MOST_HANGING: usize = 16;

/// The warning on an event that was judged without files.
pub(super) const UNSEEN: &str =
    "files could not be looked at within a second, so it was judged without them";

tokio::task_local! {
    static PATIENCE: Arc<Patience>;
}

/// What one call may look at, and for how long.
#[derive(Debug)]
pub(crate) struct Patience {
    since: Instant,
    sight: Mutex<Sight>,
    hanging: Arc<Hanging>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sight {
    /// At once, on the deciding thread, which is supervised.
    Here,
    /// On another thread, for this long in total.
    Apart(Duration),
    /// Not at all.
    Closed,
}

impl Patience {
    /// For a call that is decided on a supervised thread.
    pub(super) fn here(hanging: &Arc<Hanging>) -> Arc<Self> {
        Self::with(Sight::Here, hanging)
    }

    /// For a call that is decided without supervision.
    pub(super) fn apart(within: Duration, hanging: &Arc<Hanging>) -> Arc<Self> {
        Self::with(Sight::Apart(within), hanging)
    }

    /// For a call that is judged without files.
    pub(super) fn closed(hanging: &Arc<Hanging>) -> Arc<Self> {
        Self::with(Sight::Closed, hanging)
    }

    fn with(sight: Sight, hanging: &Arc<Hanging>) -> Arc<Self> {
        Arc::new(Self {
            since: Instant::now(),
            sight: Mutex::new(sight),
            hanging: Arc::clone(hanging),
        })
    }

    /// The patience of the call that is being decided.
    pub(super) fn current() -> Option<Arc<Self>> {
        PATIENCE.try_with(Arc::clone).ok()
    }

    /// Decides a call with this patience.
    pub(super) async fn scope<T>(self: &Arc<Self>, deciding: impl Future<Output = T>) -> T {
        PATIENCE.scope(Arc::clone(self), deciding).await
    }

    /// The thread is no longer supervised.
    pub(crate) fn leave(&self) {
        let mut sight = lock(&self.sight);
        if *sight == Sight::Here {
            *sight = Sight::Apart(FILES_WITHIN);
        }
    }

    /// What is left of the second.
    pub(super) fn left(&self) -> Duration {
        match *lock(&self.sight) {
            Sight::Here => FILES_WITHIN.saturating_sub(self.since.elapsed()),
            Sight::Apart(left) => left,
            Sight::Closed => Duration::ZERO,
        }
    }

    pub(super) fn is_here(&self) -> bool {
        *lock(&self.sight) == Sight::Here
    }

    pub(super) fn is_closed(&self) -> bool {
        *lock(&self.sight) == Sight::Closed
    }

    /// Looks something up in this folder or for it; `None` if it takes too long.
    pub(super) async fn look<T: Send + 'static>(
        &self,
        folder: &Path,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Option<T> {
        let sight = *lock(&self.sight);
        let left = match sight {
            Sight::Here => return Some(work()),
            Sight::Apart(left) => left,
            Sight::Closed => return None,
        };
        if self.hanging.hangs(folder) {
            self.close();
            return None;
        }
        let began = Instant::now();
        let looking = Looking::begin(&self.hanging, folder);
        let held = looking.held();
        let thread = tokio::task::spawn_blocking(move || {
            let _held = held;
            work()
        });
        let stop = thread.abort_handle();
        match tokio::time::timeout(left, thread).await {
            Ok(Ok(found)) => {
                self.spend(began.elapsed());
                Some(found)
            }
            Ok(Err(error)) => match error.try_into_panic() {
                Ok(panic) => resume_unwind(panic),
                Err(_) => None,
            },
            Err(_) => {
                // One that has not begun need not begin.
                stop.abort();
                looking.is_late();
                self.close();
                None
            }
        }
    }

    /// Polls a future that looks things up. The time in which it waits for something else does not count.
    pub(super) async fn watch<T: Send + 'static>(
        &self,
        folder: &Path,
        mut deciding: Pin<Box<dyn Future<Output = T> + Send>>,
    ) -> Option<T> {
        let woken = Arc::new(Woken::default());
        loop {
            let waker = Waker::from(Arc::clone(&woken));
            let step = move || match deciding.as_mut().poll(&mut Context::from_waker(&waker)) {
                Poll::Ready(decided) => Ok(decided),
                Poll::Pending => Err(deciding),
            };
            match self.look(folder, step).await? {
                Ok(decided) => return Some(decided),
                Err(pending) => deciding = pending,
            }
            woken.0.notified().await;
        }
    }

    fn spend(&self, took: Duration) {
        let mut sight = lock(&self.sight);
        if let Sight::Apart(left) = *sight {
            *sight = match left.saturating_sub(took) {
                Duration::ZERO => Sight::Closed,
                left => Sight::Apart(left),
            };
        }
    }

    fn close(&self) {
        *lock(&self.sight) = Sight::Closed;
    }
}

#[derive(Debug, Default)]
struct Woken(Notify);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.notify_one();
    }
}

/// The look-ups that take long, and those of them that have not come back in time.
#[derive(Debug, Default)]
pub(crate) struct Hanging {
    /// The number over all folders, so that the usual case, zero, is cheap to check.
    slow: AtomicUsize,
    late: AtomicUsize,
    folders: Mutex<HashMap<PathBuf, Counts>>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Counts {
    slow: usize,
    late: usize,
}

impl Hanging {
    /// Whether nothing may be looked up in a folder, because an earlier look-up still hangs there.
    pub(super) fn hangs(&self, folder: &Path) -> bool {
        match self.late.load(Ordering::Acquire) {
            0 => false,
            MOST_HANGING.. => true,
            _ => self.counts(folder).late > 0,
        }
    }

    /// Whether a look-up in a folder takes longer than usual.
    pub(super) fn is_slow(&self, folder: &Path) -> bool {
        self.slow.load(Ordering::Acquire) > 0 && self.counts(folder) != Counts::default()
    }

    fn counts(&self, folder: &Path) -> Counts {
        lock(&self.folders).get(folder).copied().unwrap_or_default()
    }

    /// Notes the new state of a look-up.
    fn change(&self, folder: &Path, from: State, to: State) {
        let mut folders = lock(&self.folders);
        let counts = folders.entry(folder.to_owned()).or_default();
        match from {
            State::Slow => {
                counts.slow -= 1;
                self.slow.fetch_sub(1, Ordering::AcqRel);
            }
            State::Late => {
                counts.late -= 1;
                self.late.fetch_sub(1, Ordering::AcqRel);
            }
            State::UnderWay | State::Over => {}
        }
        match to {
            State::Slow => {
                counts.slow += 1;
                self.slow.fetch_add(1, Ordering::AcqRel);
            }
            State::Late => {
                counts.late += 1;
                self.late.fetch_add(1, Ordering::AcqRel);
            }
            State::UnderWay | State::Over => {}
        }
        if *counts == Counts::default() {
            folders.remove(folder);
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd)]
enum State {
    UnderWay,
    Slow,
    Late,
    Over,
}

/// One look-up, for the thread that waits for it.
#[derive(Debug, Clone)]
pub(crate) struct Looking(Arc<LookUp>);

#[derive(Debug)]
struct LookUp {
    hanging: Arc<Hanging>,
    folder: PathBuf,
    state: Mutex<State>,
}

impl Looking {
    pub(super) fn begin(hanging: &Arc<Hanging>, folder: &Path) -> Self {
        Self(Arc::new(LookUp {
            hanging: Arc::clone(hanging),
            folder: folder.to_owned(),
            state: Mutex::new(State::UnderWay),
        }))
    }

    /// Held by the thread that looks, for as long as that takes.
    pub(crate) fn held(&self) -> Held {
        Held(self.clone())
    }

    /// It takes longer than usual. Others look there on threads of their own.
    pub(crate) fn is_slow(&self) {
        self.turn(State::Slow);
    }

    /// Nobody waits for it any more. Nobody looks there until it is over.
    pub(crate) fn is_late(&self) {
        self.turn(State::Late);
    }

    fn turn(&self, to: State) {
        let mut state = lock(&self.0.state);
        if *state < to {
            self.0.hanging.change(&self.0.folder, *state, to);
            *state = to;
        }
    }
}

/// One look-up, for the thread that looks.
#[derive(Debug)]
pub(crate) struct Held(Looking);

impl Drop for Held {
    fn drop(&mut self) {
        self.0.turn(State::Over);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    const PATIENCE: Duration = Duration::from_mins(1);

    fn folder() -> &'static Path {
        Path::new("/project")
    }

    fn runtime() -> tokio::runtime::Runtime {
        tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_time()
            .build()
            .unwrap()
    }

    /// A look-up that comes back when the other end is dropped.
    fn hanging() -> (mpsc::Sender<()>, impl FnOnce() -> u8 + Send + 'static) {
        let (release, held) = mpsc::channel::<()>();
        let look = move || {
            let _ = held.recv();
            7
        };
        (release, look)
    }

    #[test]
    fn a_look_up_that_hangs_is_unknown_and_nobody_looks_there_until_it_is_back() {
        let runtime = runtime();
        let hanging_ones = Arc::<Hanging>::default();
        let (release, look) = hanging();
        let first = Patience::apart(Duration::from_millis(1), &hanging_ones);
        assert_eq!(runtime.block_on(first.look(folder(), look)), None);
        assert!(first.is_closed());
        assert_eq!(first.left(), Duration::ZERO);

        let second = Patience::apart(PATIENCE, &hanging_ones);
        assert_eq!(runtime.block_on(second.look(folder(), || 7)), None);
        assert!(hanging_ones.hangs(folder()));
        let elsewhere = Patience::apart(PATIENCE, &hanging_ones);
        let there = Path::new("/elsewhere");
        assert_eq!(runtime.block_on(elsewhere.look(there, || 7)), Some(7));

        drop(release);
        while hanging_ones.hangs(folder()) {
            std::thread::yield_now();
        }
        let third = Patience::apart(PATIENCE, &hanging_ones);
        assert_eq!(runtime.block_on(third.look(folder(), || 7)), Some(7));
        assert!(!third.is_closed());
    }

    #[test]
    fn when_too_many_hang_nothing_is_looked_at() {
        let hanging_ones = Arc::<Hanging>::default();
        let look_ups: Vec<Looking> = (0..MOST_HANGING)
            .map(|number| {
                let folder = PathBuf::from(format!("/{number}"));
                Looking::begin(&hanging_ones, &folder)
            })
            .collect();
        let held: Vec<Held> = look_ups.iter().map(Looking::held).collect();
        for (number, look_up) in look_ups.iter().enumerate() {
            assert!(!hanging_ones.hangs(folder()), "{number}");
            look_up.is_slow();
            look_up.is_late();
        }
        assert!(hanging_ones.hangs(folder()));
        drop(held);
        assert!(!hanging_ones.hangs(folder()));
        assert!(lock(&hanging_ones.folders).is_empty());
    }

    #[test]
    fn what_is_waited_for_between_two_looks_takes_its_own_time() {
        let runtime = runtime();
        let patience = Patience::apart(PATIENCE, &Arc::default());
        let (tell, told) = tokio::sync::oneshot::channel();
        let deciding = Box::pin(async move { told.await.unwrap() });
        let waiting = async {
            let decided = tokio::spawn({
                let patience = Arc::clone(&patience);
                async move { patience.watch(folder(), deciding).await }
            });
            tell.send(9).unwrap();
            decided.await.unwrap()
        };
        assert_eq!(runtime.block_on(waiting), Some(9));
        assert!(!patience.is_closed());
    }

    #[test]
    fn a_call_that_is_decided_at_once_looks_on_its_own_thread_until_it_waits() {
        let runtime = runtime();
        let patience = Patience::here(&Arc::default());
        let here = std::thread::current().id();
        let looked = |patience: Arc<Patience>| {
            runtime.block_on(async move {
                patience
                    .look(folder(), || std::thread::current().id())
                    .await
            })
        };
        assert_eq!(looked(Arc::clone(&patience)), Some(here));
        patience.leave();
        assert!(looked(patience).is_some_and(|thread| thread != here));
    }
}
