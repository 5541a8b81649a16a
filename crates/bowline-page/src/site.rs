//! One life of the page: from when it is opened until nobody wants it any more.

use std::fmt;
use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use bowline_builtins::false_alarm::{FalseAlarm, NoRemedy, Remedy};
use bowline_builtins::inbox::{Extent, Preview, Question, Reply, Unanswerable};
use bowline_daemon::approvals::Unsettled;
use bowline_daemon::board::{self, Board};
use bowline_daemon::{Engine, Feed, PageParts, approvals, false_alarms};
use bowline_store::Store;
use tokio::sync::{Semaphore, watch};
use tokio::time::timeout;

use crate::security::{Gate, Keys, Secret};

/// Nobody wants a page that was not asked for anything for this long.
const UNWANTED_AFTER: Duration = Duration::from_mins(10);
/// At most this many reads of the store at a time.
const MOST_READS: usize = 4;
/// At most this many browsers follow what happens.
pub(crate) const MOST_STREAMS: usize = 16;
/// A read takes at most this long.
const READ_WITHIN: Duration = Duration::from_secs(8);

/// The questions that wait for a person, as the page sees them.
pub trait Questions: Send + Sync {
    /// Those that wait, the oldest first.
    fn list(&self) -> Vec<Question>;

    /// Changes whenever a question comes or goes.
    fn changes(&self) -> Option<watch::Receiver<u64>>;

    /// What a permission of this extent would write. It reads files.
    fn preview(&self, id: &str, extent: Extent) -> Result<Preview, Unanswerable>;

    /// Answers one by its whole id. It may write files.
    fn answer(&self, id: &str, reply: Reply) -> Result<(), Unsettled>;
}

impl Questions for Engine {
    fn list(&self) -> Vec<Question> {
        self.inbox()
            .map(|inbox| inbox.questions())
            .unwrap_or_default()
    }

    fn changes(&self) -> Option<watch::Receiver<u64>> {
        self.inbox().map(|inbox| inbox.changes())
    }

    fn preview(&self, id: &str, extent: Extent) -> Result<Preview, Unanswerable> {
        approvals::preview(self, id, extent)
    }

    fn answer(&self, id: &str, reply: Reply) -> Result<(), Unsettled> {
        approvals::settle(self, id, reply).map(drop)
    }
}

/// Judges calls of the past again, as the page sees it.
pub trait Judge: Send + Sync {
    /// What lets a call pass from now on. It reads files.
    fn remedy(&self, alarm: &FalseAlarm) -> Result<Remedy, NoRemedy>;

    /// Writes the entry that lets a call pass from now on. It writes files.
    fn allow(&self, alarm: &FalseAlarm) -> Result<(), NoRemedy>;
}

impl Judge for Engine {
    fn remedy(&self, alarm: &FalseAlarm) -> Result<Remedy, NoRemedy> {
        false_alarms::remedy(self, alarm)
    }

    fn allow(&self, alarm: &FalseAlarm) -> Result<(), NoRemedy> {
        false_alarms::allow(self, alarm)
    }
}

/// Where the page's data come from.
#[derive(Clone)]
pub struct Sources {
    /// What was recorded.
    pub store: Arc<dyn Store>,
    /// The questions that wait.
    pub questions: Arc<dyn Questions>,
    /// What judges false alarms.
    pub judge: Arc<dyn Judge>,
    /// What happens now.
    pub feed: Arc<Feed>,
}

impl fmt::Debug for Sources {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sources").finish_non_exhaustive()
    }
}

impl Sources {
    /// Differs when something has happened.
    fn sign(&self) -> [u64; 3] {
        let inbox = self.questions.changes();
        let inbox = inbox.map_or(0, |inbox| *inbox.borrow());
        [
            self.feed.count(),
            inbox,
            self.store.continuity().foreign_writes(),
        ]
    }
}

impl From<&PageParts> for Sources {
    fn from(parts: &PageParts) -> Self {
        Self {
            store: Arc::clone(&parts.store),
            questions: parts.engine.clone(),
            judge: parts.engine.clone(),
            feed: Arc::clone(&parts.feed),
        }
    }
}

/// Why there is no answer from the store.
#[derive(Debug)]
pub(crate) enum Trouble {
    /// It said why.
    Store(bowline_store::Error),
    /// It takes too long, or too many ask.
    Busy,
}

impl From<bowline_store::Error> for Trouble {
    fn from(error: bowline_store::Error) -> Self {
        Self::Store(error)
    }
}

pub(crate) struct Site {
    pub(crate) port: u16,
    /// The folder below which everything is.
    pub(crate) path: String,
    pub(crate) sources: Sources,
    gate: Mutex<Gate>,
    keys: Mutex<Keys>,
    asked: Mutex<Instant>,
    followers: AtomicUsize,
    reads: Arc<Semaphore>,
    board: Arc<board::Kept<Arc<Board>>>,
}

/// One for each processor, within limits: more would not be faster, and each thread keeps some memory to itself.
pub(crate) fn most_reads() -> usize {
    let processors = std::thread::available_parallelism().map_or(2, NonZero::get);
    processors.clamp(2, MOST_READS)
}

impl Site {
    pub(crate) fn new(port: u16, gate: Gate, sources: Sources) -> Self {
        Self {
            port,
            path: gate.path().to_owned(),
            gate: Mutex::new(gate),
            sources,
            keys: Mutex::default(),
            asked: Mutex::new(Instant::now()),
            followers: AtomicUsize::new(0),
            reads: Arc::new(Semaphore::new(most_reads())),
            board: Arc::default(),
        }
    }

    /// A link that works once.
    pub(crate) fn link(&self) -> std::io::Result<String> {
        // What a browser will get by it is known from now on, so that it can be kept.
        self.gate().give()?;
        let key = Secret::fresh()?;
        self.keys().add(&key, Instant::now());
        self.touch();
        Ok(format!(
            "http://127.0.0.1:{}/open?key={}",
            self.port,
            key.hex()
        ))
    }

    /// Whether a key is valid. It is not a second time.
    pub(crate) fn take_key(&self, key: &str) -> bool {
        self.keys().take(key, Instant::now())
    }

    /// Which browsers may see it.
    pub(crate) fn gate(&self) -> std::sync::MutexGuard<'_, Gate> {
        self.gate.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn keys(&self) -> std::sync::MutexGuard<'_, Keys> {
        self.keys.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Somebody who may asks for something.
    pub(crate) fn touch(&self) {
        *self.asked.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }

    pub(crate) fn is_wanted(&self) -> bool {
        let asked = *self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        self.followers.load(Ordering::Acquire) > 0 || asked.elapsed() < UNWANTED_AFTER
    }

    /// Follows what happens, unless too many do.
    pub(crate) fn follow(self: &Arc<Self>) -> Option<Follower> {
        let admitted = self
            .followers
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, |count| {
                (count < MOST_STREAMS).then_some(count + 1)
            });
        admitted.ok().map(|_| Follower(Arc::clone(self)))
    }

    /// What all sessions do. Pages that ask at the same time get the same.
    pub(crate) async fn board(&self) -> Result<Arc<Board>, Trouble> {
        let kept = Arc::clone(&self.board);
        self.read(move |sources| {
            kept.or_make(sources.sign(), || {
                board::now(&*sources.store, sources.questions.list()).map(Arc::new)
            })
        })
        .await
    }

    /// Reads from the store, beside whatever else happens.
    pub(crate) async fn read<T: Send + 'static>(
        &self,
        what: impl FnOnce(&Sources) -> Result<T, bowline_store::Error> + Send + 'static,
    ) -> Result<T, Trouble> {
        let reading = async {
            let permit = Arc::clone(&self.reads).acquire_owned().await;
            let sources = self.sources.clone();
            let read = tokio::task::spawn_blocking(move || {
                // One that hangs keeps its place.
                let _permit = permit;
                what(&sources)
            });
            read.await.map_err(|_| Trouble::Busy)
        };
        let read = timeout(READ_WITHIN, reading).await;
        Ok(read.map_err(|_| Trouble::Busy)???)
    }
}

/// One who follows what happens.
pub(crate) struct Follower(Arc<Site>);

impl Drop for Follower {
    fn drop(&mut self) {
        self.0.followers.fetch_sub(1, Ordering::AcqRel);
        self.0.touch();
    }
}
