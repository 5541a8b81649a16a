//! The store of one machine: a SQLite database, one thread that writes, a few connections that read.

mod apply;
mod backend;
mod beside;
mod calls;
mod checkpoint;
mod connection;
mod continuity;
mod costs;
mod damage;
mod delegations;
mod digest;
mod events;
mod failures;
mod figures;
mod forget;
mod hook_memory;
mod hooks;
mod keeper;
mod keys;
mod log;
mod memory;
mod open_calls;
mod options;
mod queries;
mod readers;
mod recent;
mod search;
mod sessions;
mod stretches;
mod traces;
mod work;
mod work_items;

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use bowline_guidance::metrics::Facts;
use chrono::{DateTime, Utc};
use rusqlite::Connection;

use crate::continuity::Continuity;
use crate::costs::Costs;
use crate::digest::{Digest, DigestFilter, RuleDigest};
use crate::error::{Error, Result};
use crate::failures::Failures;
use crate::folder;
use crate::gap::{Gap, PendingGaps};
use crate::hook_figures::{HookFigures, PendingFigures};
use crate::queue::{Step, lock};
use crate::record::{MemoryOf, RememberedSession};
use crate::reserve::{Locked, Reserve};
use crate::search::{Findings, SearchFilter};
use crate::session::{SessionDetails, SessionFilter, SessionSummary};
use crate::spool::{Spool, SpoolOptions};
use crate::store::{Forget, Forgotten, Integrity, Size, Store, Waiting};
use crate::submission::Submission;
use crate::trace::{EventFilter, RecordedEvent, SessionRef, Trace, TraceFilter, TraceStatistics};
use crate::tree::TraceTree;
use crate::work::PastCall;
use crate::work_items::Work;
use crate::writer::{Backend, Drained, Shared, SpoolFirst, Threads, Writer};
use backend::SqliteBackend;
pub use beside::{count_unkept, keep_beside, kept_beside, unkept};
use keeper::Keeper;
use log::Log;
pub use options::{Durability, Options, Retention};
use readers::Readers;

/// Whoever reads waits at most this long for what others left behind.
const CATCHING_UP: Duration = Duration::from_secs(1);
/// How long processes that are alive are waited for, so that they commit what they have answered.
const OTHERS_COMMIT: Duration = Duration::from_millis(200);
const LOOK: Duration = Duration::from_millis(2);
/// After that in vain they are not waited for again for this long.
const AGAIN_AFTER: Duration = Duration::from_secs(5);
type Shares = Shared<SqliteBackend>;

/// A store in a SQLite database.
///
/// Several processes may use the same folder at once. Dropping the store waits until what was submitted is safe.
#[derive(Debug)]
pub struct SqliteStore {
    path: PathBuf,
    shared: Arc<Shares>,
    readers: Arc<Readers>,
    figures: Arc<Mutex<PendingFigures>>,
    keeper: Arc<Keeper>,
    /// See [`Continuity::foreign_writes`].
    foreign_writes: Arc<AtomicU64>,
    /// When others were last waited for in vain.
    in_vain: Mutex<Option<Instant>>,
    /// Taken by the thread that closes the store.
    threads: Mutex<Option<Threads>>,
}

impl SqliteStore {
    /// Opens the store of a folder, or makes one.
    ///
    /// A database that is locked, read-only, has no room or is of a newer Bowline is no error: records wait in the spool until it
    /// is better. A damaged one is moved aside and a new one begun; [`Store::gaps`] says so.
    ///
    /// # Errors
    ///
    /// When the folder or the database belongs to another user, or the database is of another program. Nothing is touched
    /// then.
    pub fn open(options: Options) -> Result<Self> {
        match folder::private_folder(&options.folder) {
            Err(error @ Error::ForeignOwner { .. }) => return Err(error),
            Err(error) => tracing::warn!("the data folder cannot be used now: {error}"),
            Ok(()) => {}
        }
        let path = options.database();
        let gaps = Arc::new(Mutex::new(PendingGaps::default()));
        let figures = Arc::new(Mutex::new(PendingFigures::default()));
        let readers = Arc::new(Readers::new(&path));
        let log = Log::new(&path);
        let keeper = Arc::new(Keeper::new(&path, log.clone(), options.retention));

        // The first to be opened: where descriptors are few, losses can still be counted.
        let reserve = Reserve::open(options.folders());
        let spool = Spool::open(SpoolOptions {
            runtime: options.runtime_folder.clone(),
            max_bytes: options.max_spool,
            ..SpoolOptions::new(options.folder.join("spool"))
        });
        let spool_first = match options.durability {
            Durability::ProcessEnd => SpoolFirst::Yes,
            Durability::PowerCut => SpoolFirst::No,
        };
        let shared = Arc::new(Shared::new(
            spool,
            gaps.clone(),
            reserve,
            options.deadline,
            spool_first,
        ));
        let foreign_writes = Arc::new(AtomicU64::new(0));
        let mut backend = SqliteBackend {
            path: path.clone(),
            options,
            connection: None,
            opened: None,
            memory: memory::Memory::new(foreign_writes.clone()),
            figures: figures.clone(),
            readers: readers.clone(),
            keeper: keeper.clone(),
            gaps,
            log,
            recent: recent::Recent::default(),
            forgotten: connection::times_forgotten(&path),
            doubted: None,
            unchecked: 0,
            since_figures: 0,
        };
        match backend.prepare() {
            Ok(()) => {}
            Err(error) if error.may_pass() => {
                tracing::warn!("the store cannot be used now: {error}");
            }
            Err(error) => return Err(error),
        }
        let mut threads = Threads::start(&shared, backend)?;
        let (kept, sharing) = (keeper.clone(), shared.clone());
        threads.spawn("bowline-upkeep", move || kept.run(&sharing))?;
        Ok(Self {
            path,
            shared,
            readers,
            figures,
            keeper,
            foreign_writes,
            in_vain: Mutex::default(),
            threads: Mutex::new(Some(threads)),
        })
    }

    /// The database's file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Waits until what was submitted is safe, and takes nothing more. Whoever cannot say that nobody else has the store any more
    /// closes it, so that this is done before the process ends.
    pub fn close(&self) {
        let Some(mut threads) = lock(&self.threads).take() else {
            return;
        };
        if !self.keeper.has_tidied() {
            self.tidy_a_little();
        }
        // The last connection moves the log into the database, which those that only read cannot.
        self.readers.close();
        self.shared.queue.close();
        self.keeper.close();
        threads.join();
    }

    /// Reads; if the database turns out to be damaged, it is looked at and replaced before it is read again.
    fn read<T>(&self, what: impl Fn(&Connection) -> Result<T>) -> Result<T> {
        self.settle();
        match self.readers.read(&what) {
            Err(Error::Corrupt(message)) => {
                tracing::warn!("the store could not be read: {message}");
                self.on_writer(|writer| writer.backend.verify().map(Some))?;
                self.readers.read(&what)
            }
            other => other,
        }
    }

    /// Before anything is read: what is noted is written, and a database that was removed or replaced is let go.
    fn settle(&self) {
        self.shared.settle();
        if self.readers.is_replaced()
            && let Err(error) = self.on_writer(|writer| {
                writer.backend.tell_losses();
                writer.backend.prepare().map(Some)
            })
        {
            tracing::debug!("the database is not there: {error}");
        }
    }

    /// Where events are recorded by nothing but processes that end after one of them, nobody else would ever tidy up: each
    /// removes a little, which is more than it added, and indexes a little.
    fn tidy_a_little(&self) {
        let mut tidying = self.keeper.tidying();
        let tidied = self.on_writer(move |writer| {
            if writer.is_welcome() {
                tidying.step(&mut writer.backend);
                keeper::index_older(&mut writer.backend);
            }
            Ok(Some(()))
        });
        if let Err(error) = tidied {
            tracing::debug!("nothing was tidied up: {error}");
        }
    }

    /// Runs something on the writing thread, step by step, and waits for the result.
    fn on_writer<T: Send + 'static>(
        &self,
        mut job: impl FnMut(&mut Writer<SqliteBackend>) -> Result<Option<T>> + Send + 'static,
    ) -> Result<T> {
        let (answer, answered) = mpsc::channel();
        let accepted = self.shared.queue.push_job(Box::new(move |writer| {
            let result = match job(writer) {
                Ok(None) => return Step::Again,
                Ok(Some(value)) => Ok(value),
                Err(error) => Err(error),
            };
            // The caller may be gone.
            let _ = answer.send(result);
            Step::Finished
        }));
        if !accepted {
            return Err(Error::Closed);
        }
        // A job that is gone without an answer panicked: nobody closes a store that is being asked.
        answered.recv().map_err(|_| {
            Error::Backend("internal error: a panic ended what was asked".to_owned())
        })?
    }
}

impl Drop for SqliteStore {
    fn drop(&mut self) {
        self.close();
    }
}

impl Store for SqliteStore {
    fn submit_all(&self, submissions: Vec<Submission>) {
        self.shared.submit_all(submissions);
    }

    fn submit_noted(&self, submissions: Vec<Submission>) {
        self.shared.submit_noted(submissions);
    }

    fn note_failure(&self, hook: &str, time: DateTime<Utc>, failure: &str) {
        lock(&self.figures).note_failure(hook, time, failure);
    }

    fn flush(&self) -> Result<()> {
        lock(&self.shared.spool).take_over();
        self.on_writer(|writer| {
            Ok(match writer.drain_step() {
                Drained::Some => None,
                Drained::Everything | Drained::Nothing => {
                    writer.backend.idle();
                    Some(())
                }
            })
        })
    }

    fn catch_up(&self) {
        let mut in_vain = lock(&self.in_vain);
        let waits = in_vain.is_none_or(|at| at.elapsed() > AGAIN_AFTER);
        let patience = Instant::now() + OTHERS_COMMIT;
        let is_empty = loop {
            let mut spool = lock(&self.shared.spool);
            spool.take_over();
            if !waits || !spool.others_have_records() {
                break spool.is_empty();
            }
            if Instant::now() > patience {
                *in_vain = Some(Instant::now());
                break spool.is_empty();
            }
            drop(spool);
            thread::sleep(LOOK);
        };
        drop(in_vain);
        if is_empty {
            return;
        }
        let until = Instant::now() + CATCHING_UP;
        let caught_up = self.on_writer(move |writer| {
            let more = writer.drain_step() == Drained::Some && Instant::now() < until;
            Ok((!more).then_some(()))
        });
        if let Err(error) = caught_up {
            tracing::debug!("what waits in the spool was not taken in: {error}");
        }
    }

    fn get_trace(&self, tool_use_id: &str) -> Result<Option<Trace>> {
        self.read(|db| traces::by_id(db, tool_use_id))
    }

    fn get_slow_traces(&self, threshold_ms: i64, limit: usize) -> Result<Vec<Trace>> {
        self.read(|db| traces::slow(db, threshold_ms, limit))
    }

    fn get_trace_tree(&self, group: &str) -> Result<Option<TraceTree>> {
        self.read(|db| traces::tree(db, group))
    }

    fn find_traces(&self, filter: &TraceFilter<'_>) -> Result<Vec<Trace>> {
        self.read(|db| traces::find(db, filter))
    }

    fn trace_statistics(&self, filter: &TraceFilter<'_>) -> Result<TraceStatistics> {
        self.read(|db| traces::statistics(db, filter))
    }

    fn sessions(&self, filter: &SessionFilter<'_>) -> Result<Vec<SessionSummary>> {
        self.read(|db| queries::sessions(db, filter))
    }

    fn session(&self, session: SessionRef<'_>) -> Result<Option<SessionDetails>> {
        self.read(|db| queries::session(db, session))
    }

    fn past_calls(&self, session: &str) -> Result<Vec<PastCall>> {
        self.read(|db| work::past_calls(db, session))
    }

    fn past_work(&self, session: &str) -> Result<Vec<serde_json::Value>> {
        self.read(|db| work::past_work(db, session))
    }

    fn find_events(&self, filter: &EventFilter<'_>) -> Result<Vec<RecordedEvent>> {
        self.read(|db| events::find(db, filter))
    }

    fn events_of(&self, call: &Trace) -> Result<Vec<RecordedEvent>> {
        self.read(|db| events::of_call(db, call))
    }

    fn digest(&self, filter: &DigestFilter<'_>) -> Result<Digest> {
        self.read(|db| digest::digest(db, filter))
    }

    fn search(&self, filter: &SearchFilter<'_>) -> Result<Findings> {
        self.read(|db| search::find(db, filter))
    }

    fn decided(&self, filter: &DigestFilter<'_>) -> Result<Vec<RuleDigest>> {
        self.read(|db| digest::by_rule(db, filter))
    }

    fn hook_figures(&self) -> Result<Vec<HookFigures>> {
        self.settle();
        // Read both at one moment: what the writer has just written is no longer pending.
        let pending = lock(&self.figures);
        if let Ok(written) = self.readers.read(queries::figures) {
            return Ok(pending.list(written));
        }
        // The writer may have to replace a damaged database, for which it needs the figures.
        drop(pending);
        let written = self.read(queries::figures)?;
        Ok(lock(&self.figures).list(written))
    }

    fn gaps(&self) -> Result<Vec<Gap>> {
        self.settle();
        let mut gaps = lock(&self.shared.gaps).list();
        let noted = self.shared.reserve.look();
        gaps.extend(noted.iter().flat_map(Locked::lost));
        match self.read(queries::gaps) {
            Ok(written) => gaps.extend(written),
            // Report what is known even if the database cannot be read.
            Err(error) if !gaps.is_empty() => tracing::warn!("older gaps cannot be read: {error}"),
            Err(error) => return Err(error),
        }
        gaps.sort_by_key(|gap| std::cmp::Reverse(gap.time));
        Ok(gaps)
    }

    fn integrity_check(&self) -> Result<Integrity> {
        self.settle();
        match self.readers.read_anew(queries::integrity) {
            Err(Error::Corrupt(message)) => Ok(Integrity::Damaged(vec![message])),
            other => other,
        }
    }

    fn backup(&self, to: &Path) -> Result<()> {
        drop(folder::new_private_file(to)?);
        self.read(|db| queries::copy_to(db, to)).inspect_err(|_| {
            // An incomplete copy is useless. The first error is the one to report.
            let _ = std::fs::remove_file(to);
        })
    }

    fn compact(&self) -> Result<()> {
        self.on_writer(|writer| writer.backend.compact().map(|_| Some(())))
    }

    fn forget(&self, what: Forget<'_>) -> Result<Forgotten> {
        lock(&self.shared.spool).take_over();
        let mut forgetting = forget::Forgetting::new(what);
        let forgotten = self.on_writer(move |writer| {
            // Records in the spool would come back.
            match writer.drain_step() {
                Drained::Everything => forgetting.step(&mut writer.backend),
                Drained::Some => Ok(None),
                Drained::Nothing => Err(Error::Unavailable {
                    why: crate::error::Unavailable::Locked,
                    message:
                        "records in the spool could not be written first; nothing was forgotten"
                            .to_owned(),
                }),
            }
        })?;
        if what == Forget::All
            && let Err(error) = self.shared.reserve.clear()
        {
            tracing::warn!("losses that were noted stay noted: {error}");
        }
        Ok(forgotten)
    }

    fn size(&self) -> Result<Size> {
        let waiting = self.waiting();
        Ok(Size {
            spooled: waiting.bytes,
            spooled_records: waiting.records,
            in_memory_records: waiting.in_memory,
            ..self.read(queries::size)?
        })
    }

    fn happened(&self, from: DateTime<Utc>, to: DateTime<Utc>) -> Result<Facts> {
        self.settle();
        self.read(|db| figures::facts(db, from, to))
    }

    fn remembered(
        &self,
        of: MemoryOf,
        name: &str,
        hook: &str,
    ) -> Result<Option<serde_json::Value>> {
        self.read(|db| hook_memory::find(db, of, name, hook))
    }

    fn remembered_of_sessions(&self, project: &str, hook: &str) -> Result<Vec<RememberedSession>> {
        self.read(|db| hook_memory::of_sessions(db, project, hook))
    }

    fn remember(
        &self,
        of: MemoryOf,
        name: &str,
        hook: &str,
        state: &serde_json::Value,
    ) -> Result<()> {
        let (name, hook, state) = (name.to_owned(), hook.to_owned(), state.clone());
        let now = millis(Utc::now());
        self.change(move |db| hook_memory::set(db, of, &name, &hook, &state, now))
    }

    fn work(&self) -> &dyn Work {
        self
    }

    fn failures(&self) -> &dyn Failures {
        self
    }

    fn continuity(&self) -> &dyn Continuity {
        self
    }

    fn costs(&self) -> &dyn Costs {
        self
    }

    fn waiting(&self) -> Waiting {
        lock(&self.shared.spool).waiting()
    }
}

/// A time as it is stored.
fn millis(time: DateTime<Utc>) -> i64 {
    time.timestamp_millis()
}

/// A stored time; what no calendar has becomes its beginning.
fn time(millis: i64) -> DateTime<Utc> {
    DateTime::from_timestamp_millis(millis).unwrap_or(DateTime::UNIX_EPOCH)
}

#[cfg(test)]
mod tests;
