//! The thread that tidies up: moves the log into the database, removes what is too old or too much.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use chrono::{TimeDelta, Utc};
use rusqlite::Connection;

use super::backend::SqliteBackend;
use super::log::{Log, LogState};
use super::search::{self, Indexed};
use super::{Retention, Shares, checkpoint, connection, forget, millis, queries};
use crate::error::Result;
use crate::queue::{Step, lock};

/// How often to check for records that other processes left behind, and whether the log is intact.
const LOOK: Duration = Duration::from_secs(3);
/// Records that are too old or too many are looked for after this many records …
const RECORDS: usize = 5_000;
/// … and after this time.
const PAUSE: Duration = Duration::from_mins(10);
/// The first time after this many records …
const FIRST_RECORDS: usize = 1_000;
/// … or this time: a store that is opened for one record is not held up.
const FIRST_PAUSE: Duration = Duration::from_mins(1);
/// With its log the store takes no more than its cap: what is in use may be this part of it …
const MOST_PERCENT: u64 = 90;
/// … and is undershot, so that the cap is not met again at the next record.
const TARGET_PERCENT: u64 = 85;
/// A file that is larger than its cap by more than this has to be written anew.
const TOLERANCE_PERCENT: u64 = 110;
/// At most this many rows of each kind are removed at once; fewer if the disk is nearly full.
const ROWS: u64 = 500;
/// At each look at most this many steps are made to index what is older than the index, so that the writer is idle most of the time.
const INDEXING: u32 = 20;
/// A row is never larger than this, or nearly never.
const ROW: u64 = 256 * 1024;

#[derive(Debug, Default)]
struct Signal {
    checkpoint: bool,
    retention: bool,
    closing: bool,
}

#[derive(Debug)]
pub(super) struct Keeper {
    path: PathBuf,
    log: Arc<Log>,
    /// How long the log may get.
    most_frames: u32,
    /// The log's length at which it is moved next.
    pub(super) threshold: AtomicU32,
    records: AtomicUsize,
    retention: Retention,
    /// Whether that has been looked for since the store was opened.
    tidied: AtomicBool,
    /// Whether everything is in the index of the search.
    indexed: AtomicBool,
    signal: Mutex<Signal>,
    wake: Condvar,
    /// The writer holds it.
    pen: Mutex<()>,
    /// For checkpoints alone.
    connection: Mutex<Option<Connection>>,
}

impl Keeper {
    pub(super) fn new(path: &Path, log: Arc<Log>, retention: Retention) -> Self {
        let most_frames = checkpoint::most_frames(retention.bytes);
        Self {
            path: path.to_owned(),
            log,
            most_frames,
            threshold: AtomicU32::new(most_frames),
            records: AtomicUsize::new(RECORDS - FIRST_RECORDS),
            retention,
            tidied: AtomicBool::new(false),
            indexed: AtomicBool::new(false),
            signal: Mutex::default(),
            wake: Condvar::new(),
            pen: Mutex::new(()),
            connection: Mutex::new(None),
        }
    }

    /// The right to write; waits for a checkpoint's last moment.
    pub(super) fn take_pen(&self) -> MutexGuard<'_, ()> {
        lock(&self.pen)
    }

    /// Replaces the database while no thread writes to it or moves its log.
    pub(super) fn replacing<T>(&self, replace: impl FnOnce() -> T) -> T {
        // In the order in which a checkpoint takes them.
        let mut connection = lock(&self.connection);
        let _pen = self.take_pen();
        *connection = None;
        replace()
    }

    /// Told when another database is opened.
    pub(super) fn opened(&self) {
        self.indexed.store(false, Ordering::Relaxed);
    }

    /// Told after every commit.
    pub(super) fn committed(&self, records: usize) {
        let frames = self.log.frames();
        if frames < self.most_frames {
            // The log has begun anew.
            self.threshold.store(self.most_frames, Ordering::Relaxed);
        }
        let checkpoint = frames >= self.threshold.load(Ordering::Relaxed);
        let count = self.records.fetch_add(records, Ordering::Relaxed) + records;
        let retention = count >= RECORDS;
        if !checkpoint && !retention {
            return;
        }
        let mut signal = lock(&self.signal);
        signal.checkpoint |= checkpoint;
        if retention {
            self.records.store(0, Ordering::Relaxed);
            signal.retention = true;
        }
        drop(signal);
        self.wake.notify_one();
    }

    pub(super) fn close(&self) {
        lock(&self.signal).closing = true;
        self.wake.notify_one();
    }

    pub(super) fn run(&self, shared: &Arc<Shares>) {
        let (mut looked, mut tidied) = (Instant::now(), Instant::now());
        loop {
            let mut signal = self.wait();
            if signal.closing {
                return;
            }
            if signal.checkpoint
                && let Err(error) = self.checkpoint()
            {
                tracing::debug!("the log could not be moved: {error}");
            }
            if looked.elapsed() >= LOOK {
                look(shared);
                if !self.indexed.load(Ordering::Relaxed) {
                    index_some(shared);
                }
                looked = Instant::now();
            }
            let pause = if self.has_tidied() {
                PAUSE
            } else {
                FIRST_PAUSE
            };
            signal.retention |= tidied.elapsed() >= pause;
            if signal.retention {
                self.tidy(shared);
                tidied = Instant::now();
            }
        }
    }

    fn wait(&self) -> Signal {
        let nothing =
            |signal: &mut Signal| !signal.checkpoint && !signal.retention && !signal.closing;
        let (mut signal, _) = self
            .wake
            .wait_timeout_while(lock(&self.signal), LOOK, nothing)
            .unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *signal)
    }

    /// Twice beside the writer, then a last time, when little is left, while nobody writes: only then does the log begin
    /// anew.
    pub(super) fn checkpoint(&self) -> Result<()> {
        let mut connection = lock(&self.connection);
        // Half of what is there would leave a database that no moment ever had. The writer sees to it.
        if self.log.state() != LogState::Whole {
            return Ok(());
        }
        let db = match connection.take() {
            Some(db) => db,
            None => connection::open_for_checkpoints(&self.path)?,
        };
        checkpoint::passive(&db)?;
        checkpoint::passive(&db)?;
        let pen = self.take_pen();
        checkpoint::passive(&db)?;
        let frames = self.log.frames();
        drop(pen);
        *connection = Some(db);
        drop(connection);
        // A reader may keep the log from beginning anew: then it is not tried again at every commit.
        self.threshold
            .store(frames.saturating_add(self.most_frames), Ordering::Relaxed);
        Ok(())
    }

    /// Whether the log has grown far beyond its limit while a thread tried to move it.
    pub(super) fn is_overdue(&self) -> bool {
        let threshold = self.threshold.load(Ordering::Relaxed);
        let overdue = threshold.saturating_add(self.most_frames / 2);
        self.most_frames < checkpoint::FRAMES && self.log.frames() >= overdue
    }

    /// Has the writer remove what is too old or too much, a little at a time.
    fn tidy(&self, shared: &Arc<Shares>) {
        self.tidied.store(true, Ordering::Relaxed);
        let mut tidying = self.tidying();
        shared.queue.push_job(Box::new(move |writer| {
            let step = tidying.step(&mut writer.backend);
            if step == Step::Finished {
                tidying.shrink(&mut writer.backend);
            }
            step
        }));
    }

    /// Whether what is too old or too much has been looked for.
    pub(super) fn has_tidied(&self) -> bool {
        self.tidied.load(Ordering::Relaxed)
    }

    /// To be done step by step.
    pub(super) fn tidying(&self) -> Tidying {
        let days = self.retention.days;
        Tidying {
            cutoff: days.map(|days| millis(Utc::now() - TimeDelta::days(i64::from(days)))),
            ..self.making_room(0)
        }
    }

    /// Called step by step, until there is space for this many more bytes.
    pub(super) fn making_room(&self, needed: u64) -> Tidying {
        Tidying {
            cutoff: None,
            cap: self.retention.bytes,
            needed,
            shrinking: false,
        }
    }
}

/// Takes over what other processes left behind, and has the writer drain it.
fn look(shared: &Arc<Shares>) {
    lock(&shared.spool).take_over();
    shared.reserve.look_again();
    shared.queue.push_job(Box::new(|writer| {
        writer.drain_step();
        writer.backend.tell_losses();
        Step::Finished
    }));
}

/// Has the writer index some of what is older than the index, a little at a time.
fn index_some(shared: &Arc<Shares>) {
    let mut steps = 0;
    shared.queue.push_job(Box::new(move |writer| {
        steps += 1;
        match index_older(&mut writer.backend) {
            Step::Again if steps < INDEXING => Step::Again,
            Step::Again | Step::Finished => Step::Finished,
        }
    }));
}

/// Indexes a little of what is older than the index.
pub(super) fn index_older(backend: &mut SqliteBackend) -> Step {
    match backend.change(search::index_older) {
        Ok((Indexed::Some, _)) => Step::Again,
        Ok((Indexed::Everything, _)) => {
            backend.keeper.indexed.store(true, Ordering::Relaxed);
            Step::Finished
        }
        Err(error) => {
            tracing::debug!("older records were not indexed: {error}");
            Step::Finished
        }
    }
}

/// Removes what is too old or too much.
#[derive(Debug)]
pub(super) struct Tidying {
    cutoff: Option<i64>,
    cap: Option<u64>,
    needed: u64,
    shrinking: bool,
}

impl Tidying {
    /// Removes a little.
    pub(super) fn step(&mut self, backend: &mut SqliteBackend) -> Step {
        match backend.remove(|db| self.remove_some(db)) {
            Ok(removed) if removed > 0 => Step::Again,
            Ok(_) => Step::Finished,
            Err(error) => {
                tracing::debug!("old records were not removed: {error}");
                Step::Finished
            }
        }
    }

    fn remove_some(&mut self, db: &Connection) -> Result<usize> {
        let mut removed = match self.cutoff {
            Some(cutoff) => forget::before(db, cutoff)?.0,
            None => 0,
        };
        if let Some(cap) = self.cap {
            let wanted = queries::bytes(db)?.in_use + self.needed;
            let percent = if self.shrinking {
                TARGET_PERCENT
            } else {
                MOST_PERCENT
            };
            self.shrinking = wanted > cap / 100 * percent;
            if self.shrinking {
                let rows = (cap / ROW).clamp(4, ROWS);
                removed += forget::oldest(db, rows.cast_signed())?;
            }
        }
        Ok(removed)
    }

    /// A file that was larger once does not get smaller by itself.
    fn shrink(&self, backend: &mut SqliteBackend) {
        let Some(cap) = self.cap else { return };
        let most = cap / 100 * TOLERANCE_PERCENT;
        let size = backend.database().and_then(|db| queries::bytes(db));
        if size.is_ok_and(|size| size.on_disk > most && size.in_use < cap)
            && let Err(error) = backend.compact()
        {
            tracing::debug!("the database stays larger than it may be: {error}");
        }
    }
}
