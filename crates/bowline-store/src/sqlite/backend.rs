//! The writer's side of the database.

use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rusqlite::{Connection, TransactionBehavior, params};

use super::apply::Apply;
use super::checkpoint::Emptied;
use super::damage::Doubt;
use super::keeper::Keeper;
use super::log::Log;
use super::memory::Memory;
use super::readers::Readers;
use super::recent::{self, Recent};
use super::{Options, connection, millis, queries, search};
use crate::error::{Error, Result, Unavailable};
use crate::gap::{Gap, PendingGaps};
use crate::hook_figures::PendingFigures;
use crate::queue::{Step, lock};
use crate::record::{Record, decision};
use crate::writer::{Applied, Backend};

/// The figures of hooks are written after this many records, and when the writer is idle.
const FIGURES_EVERY: usize = 1_000;
/// The writer checks the size of the database after it has written this part of the maximum.
const UNCHECKED: u64 = 50;
/// Room for a commit is made in at most this many steps.
const STEPS: u32 = 64;
/// How long it is waited for others who read, when everything has to be moved out of the log.
const WAITING_FOR_READERS: Duration = Duration::from_secs(5);
/// At most this many gaps are remembered.
const MAX_GAPS: i64 = 1_000;

/// The connection that writes, and what belongs to it.
#[derive(Debug)]
pub(super) struct SqliteBackend {
    pub(super) path: PathBuf,
    pub(super) options: Options,
    /// `None` until the database can be opened.
    pub(super) connection: Option<Connection>,
    /// Which file that is.
    pub(super) opened: Option<(u64, u64)>,
    pub(super) memory: Memory,
    pub(super) figures: Arc<Mutex<PendingFigures>>,
    pub(super) readers: Arc<Readers>,
    pub(super) keeper: Arc<Keeper>,
    pub(super) gaps: Arc<Mutex<PendingGaps>>,
    pub(super) log: Arc<Log>,
    /// What was committed last.
    pub(super) recent: Recent,
    /// How often something had been forgotten when it was committed.
    pub(super) forgotten: u64,
    /// Set while it is unknown whether the last commits are still there.
    pub(super) doubted: Option<Doubt>,
    /// How many bytes were written since it was looked how large the database is.
    pub(super) unchecked: u64,
    pub(super) since_figures: usize,
}

impl Backend for SqliteBackend {
    fn commit(
        &mut self,
        records: &[Arc<Record>],
        gaps: &[Gap],
        patience: Duration,
    ) -> Result<Vec<Applied>> {
        self.whole(|this| this.commit_once(records, gaps, patience))
    }

    fn wants_idle(&self) -> bool {
        self.connection.is_some() && (!lock(&self.figures).is_empty() || self.memory.has_heard())
    }

    fn idle(&mut self) {
        if !self.wants_idle() {
            return;
        }
        self.look_after_files();
        let keeper = self.keeper.clone();
        let _pen = keeper.take_pen();
        let figures = self.figures.clone();
        let mut pending = lock(&figures);
        let written = self.transact(self.options.deadline / 2, |db, memory| {
            memory.write_heard(db)?;
            write_figures(db, &pending)
        });
        match written {
            Ok(()) => pending.clear(),
            Err(error) => {
                self.memory.forget();
                tracing::debug!("the figures of hooks were not written: {error}");
            }
        }
    }

    fn recover(&mut self) {
        // A transaction that was begun ends with its connection.
        self.connection = None;
        self.memory.forget();
    }

    fn finish(&mut self) {
        self.look_after_files();
        self.end_doubt();
        self.write_gaps();
    }
}

impl SqliteBackend {
    /// Opens the database if it is not open.
    pub(super) fn prepare(&mut self) -> Result<()> {
        self.whole(|this| this.database().map(|_| ()))
    }

    /// Does something with a database that is whole: a damaged one is moved aside first, and a new one begun.
    pub(super) fn whole<T>(&mut self, mut what: impl FnMut(&mut Self) -> Result<T>) -> Result<T> {
        match what(self) {
            Err(Error::Corrupt(message)) => {
                self.begin_anew(&message)?;
                what(self)
            }
            other => other,
        }
    }

    /// Closes every connection, and does something before the next is opened.
    pub(super) fn let_go<T>(&mut self, then: impl FnOnce() -> T) -> T {
        let keeper = self.keeper.clone();
        keeper.replacing(|| {
            self.connection = None;
            self.log.begin_anew();
            self.memory.forget();
            self.readers.close();
            then()
        })
    }

    pub(super) fn database(&mut self) -> Result<&mut Connection> {
        if self.connection.is_none() {
            self.look_after_database();
            // Known before it is opened: a damaged file may be replaced by a good one at any moment.
            self.opened = connection::identity(&self.path);
            let mut db = connection::open_for_writing(&self.path, &self.options)?;
            if self.opened.is_none() {
                self.opened = connection::identity(&self.path);
            }
            self.log.begin_anew();
            let log = self.log.clone();
            db.wal_hook(Some(move |_: &mut rusqlite::hooks::Wal, pages| {
                let pages = u32::try_from(pages).unwrap_or(0);
                log.frames.store(pages, Ordering::Relaxed);
                Ok(())
            }))?;
            self.readers.expect(self.opened);
            self.keeper.opened();
            self.connection = Some(db);
        }
        self.connection.as_mut().ok_or(Error::Closed)
    }

    fn commit_once(
        &mut self,
        records: &[Arc<Record>],
        gaps: &[Gap],
        patience: Duration,
    ) -> Result<Vec<Applied>> {
        self.look_after_files();
        self.settle_doubt()?;
        self.database()?;
        self.make_room(records);
        let frames = self.log.frames();
        let keeper = self.keeper.clone();
        let pen = keeper.take_pen();
        let figures = self.figures.clone();
        let due = (self.since_figures >= FIGURES_EVERY).then(|| lock(&figures));
        let result = self.transact(patience, |db, memory| {
            memory.refresh(db)?;
            let applied = records
                .iter()
                .map(|record| Apply::new(db, memory, record).run())
                .collect::<Result<Vec<Applied>>>()?;
            memory.write_rest(db)?;
            write_gaps(db, gaps)?;
            if let Some(pending) = &due {
                write_figures(db, pending)?;
            }
            Ok(applied)
        });
        drop(pen);
        match &result {
            Ok(applied) => {
                if let Some(mut pending) = due {
                    pending.clear();
                    self.since_figures = 0;
                }
                if self.log.frames() < frames {
                    self.recent.log_begins_anew();
                }
                self.count(records, applied);
            }
            Err(error) => {
                self.memory.forget();
                // A connection that may only read stays so; a new one finds out.
                if matches!(
                    error,
                    Error::Unavailable {
                        why: Unavailable::ReadOnly | Unavailable::Unreachable,
                        ..
                    }
                ) {
                    self.connection = None;
                }
            }
        }
        result
    }

    /// Removes as much of the oldest as these records need, where a cap says so: what is removed later would have made the file
    /// grow. A small store's log is moved before it grows, too.
    fn make_room(&mut self, records: &[Arc<Record>]) {
        let Some(cap) = self.options.retention.bytes else {
            return;
        };
        let weights = records.iter().map(|record| recent::weight(record) as u64);
        let needed: u64 = weights.sum();
        self.unchecked += needed;
        let keeper = self.keeper.clone();
        if self.unchecked >= cap / UNCHECKED {
            self.unchecked = 0;
            let mut tidying = keeper.making_room(needed);
            // Where very much is too much, the next commits go on.
            let _ = (0..STEPS).find(|_| tidying.step(self) == Step::Finished);
        }
        if keeper.is_overdue()
            && let Err(error) = keeper.checkpoint()
        {
            tracing::debug!("the log could not be moved: {error}");
        }
    }

    /// Does something in one transaction, which is rolled back if it fails.
    pub(super) fn transact<T, E: From<Error>>(
        &mut self,
        patience: Duration,
        what: impl FnOnce(&Connection, &mut Memory) -> Result<T, E>,
    ) -> Result<T, E> {
        self.database()?;
        let Some(db) = &mut self.connection else {
            return Err(Error::Closed.into());
        };
        db.busy_timeout(patience).map_err(Error::from)?;
        let transaction = db
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(Error::from)?;
        let value = what(&transaction, &mut self.memory)?;
        transaction.commit().map_err(Error::from)?;
        Ok(value)
    }

    /// Makes a change that no event came with, and says how many rows it changed. It touches nothing that is remembered.
    pub(super) fn change<T>(
        &mut self,
        what: impl FnOnce(&Connection) -> Result<T>,
    ) -> Result<(T, u64)> {
        self.look_after_files();
        self.settle_doubt()?;
        let keeper = self.keeper.clone();
        let _pen = keeper.take_pen();
        self.transact(self.options.deadline, |db, _| {
            let before = db.total_changes();
            let value = what(db)?;
            Ok((value, db.total_changes() - before))
        })
    }

    fn count(&mut self, records: &[Arc<Record>], applied: &[Applied]) {
        let mut figures = lock(&self.figures);
        for (record, applied) in records.iter().zip(applied) {
            if matches!(applied, Applied::Recorded(_)) {
                figures.count(record);
                self.recent.add(record);
            }
        }
        drop(figures);
        self.since_figures += records.len();
        self.keeper.committed(records.len());
    }

    /// Removes things in a transaction of their own, small enough not to be noticed.
    pub(super) fn remove<T>(&mut self, what: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        self.look_after_files();
        self.database()?;
        let keeper = self.keeper.clone();
        let _pen = keeper.take_pen();
        let removed = self.transact(self.options.deadline, |db, memory| {
            memory.write_heard(db)?;
            what(db)
        });
        self.memory.forget();
        removed
    }

    /// Writes the whole database anew, without what is unused in it, and empties the log.
    pub(super) fn compact(&mut self) -> Result<Emptied> {
        self.idle();
        self.look_after_files();
        self.settle_doubt()?;
        let keeper = self.keeper.clone();
        let _pen = keeper.take_pen();
        let db = self.database()?;
        db.busy_timeout(WAITING_FOR_READERS)?;
        search::purge(db)?;
        db.execute_batch("VACUUM")?;
        let emptied = super::checkpoint::truncate(db)?;
        if emptied == Emptied::Yes {
            self.log.frames.store(0, Ordering::Relaxed);
            self.recent.log_begins_anew();
        }
        Ok(emptied)
    }
}

fn write_gaps(db: &Connection, gaps: &[Gap]) -> Result<()> {
    if gaps.is_empty() {
        return Ok(());
    }
    let mut insert = db
        .prepare_cached("INSERT INTO gaps (at, cause, records, message) VALUES (?1, ?2, ?3, ?4)")?;
    for gap in gaps {
        let records = i64::try_from(gap.records).unwrap_or(i64::MAX);
        insert.execute(params![
            millis(gap.time),
            gap.cause.as_str(),
            records,
            gap.message
        ])?;
    }
    db.prepare_cached("DELETE FROM gaps WHERE id <= (SELECT max(id) FROM gaps) - ?1")?
        .execute([MAX_GAPS])?;
    Ok(())
}

/// Adds the pending figures to the stored ones.
fn write_figures(db: &Connection, pending: &PendingFigures) -> Result<()> {
    let mut upsert = db.prepare_cached(
        "INSERT INTO hooks (name, fired, failed, last_fired_at, last_decision, last_failed_at, last_failure, durations)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
         ON CONFLICT (name) DO UPDATE SET fired = ?2, failed = ?3, last_fired_at = ?4, last_decision = ?5,
            last_failed_at = ?6, last_failure = ?7, durations = ?8",
    )?;
    for (name, kept) in pending.added_to(&queries::figures(db)?) {
        let failure = kept.last_failure.as_ref();
        upsert.execute(params![
            name,
            i64::try_from(kept.fired).unwrap_or(i64::MAX),
            i64::try_from(kept.failed).unwrap_or(i64::MAX),
            millis(kept.last_fired),
            decision::as_str(kept.last_decision),
            failure.map(|(time, _)| millis(*time)),
            failure.map(|(_, message)| message),
            kept.durations_to_bytes(),
        ])?;
    }
    Ok(())
}
