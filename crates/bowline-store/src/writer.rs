//! The thread that writes: takes whatever has arrived, commits it at once, answers. What cannot be committed is spooled, and
//! drained in order before anything newer is committed. A second thread keeps the deadline when the first is held up.
//!
//! A lone record can be answered before it is committed, once there is a note of it in the spool. Whoever reads waits until
//! that is done.

mod watch;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crate::error::{Error, Result};
use crate::gap::{Gap, GapCause, PendingGaps};
use crate::queue::{Entry, MAX_BATCH, Queue, Step, Work, lock};
use crate::record::Record;
use crate::reserve::{Locked, Reserve};
use crate::spool::{Spool, Spooled};
use crate::store::{Outcome, SkippedChange, Submission};
use crate::told::Told;
use watch::Watch;

/// At most this many spooled records are committed at once: more than arrive meanwhile, or a spool in use would never empty.
const DRAIN: usize = 2 * MAX_BATCH;
/// How often a store that could not take a record is tried again when nothing arrives.
const RETRY: Duration = Duration::from_millis(200);
/// Nobody waits longer for a note to be written: the database must be hanging.
const SETTLING: Duration = Duration::from_secs(1);

/// What a record changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Applied {
    /// It is in the store now.
    Recorded(Vec<SkippedChange>),
    /// It was in the store.
    Known,
}

/// What a writer needs of a database.
pub(crate) trait Backend: Send + Sized + 'static {
    /// Commits all records and gaps, or nothing; waits no longer than `patience` for others.
    fn commit(
        &mut self,
        records: &[Arc<Record>],
        gaps: &[Gap],
        patience: Duration,
    ) -> Result<Vec<Applied>>;

    /// Whether there is something left for [`Backend::idle`].
    fn wants_idle(&self) -> bool;

    /// Does what can wait until nothing else is to do.
    fn idle(&mut self);

    /// Lets go of whatever a panic may have left half done.
    fn recover(&mut self);

    /// Told before the last connection is closed.
    fn finish(&mut self) {}
}

/// What the threads of one store share.
#[derive(Debug)]
pub(crate) struct Shared<B> {
    pub(crate) queue: Queue<Writer<B>>,
    pub(crate) spool: Mutex<Spool>,
    pub(crate) gaps: Arc<Mutex<PendingGaps>>,
    /// Where losses are noted that the database does not take.
    pub(crate) reserve: Reserve,
    /// How long a record may take until it is answered.
    deadline: Duration,
    spool_first: SpoolFirst,
    /// Told when a note of the spool is done with.
    settled: Condvar,
    watch: Watch,
}

/// Whether a record is safe once it is in the spool, so that its answer need not wait for the commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SpoolFirst {
    Yes,
    /// A commit survives more than the spool does.
    No,
}

impl<B> Shared<B> {
    pub(crate) fn new(
        spool: Spool,
        gaps: Arc<Mutex<PendingGaps>>,
        reserve: Reserve,
        deadline: Duration,
        spool_first: SpoolFirst,
    ) -> Self {
        Self {
            queue: Queue::new(),
            spool: Mutex::new(spool),
            gaps,
            reserve,
            deadline,
            spool_first,
            settled: Condvar::new(),
            watch: Watch::default(),
        }
    }

    pub(crate) fn submit_all(&self, submissions: Vec<Submission>) {
        let refused = self.queue.push(submissions);
        // The watch stays awake for a while after each record, so that waking it is not part of every one.
        self.watch.wake();
        if refused.is_empty() {
            return;
        }
        lock(&self.gaps).add(
            GapCause::Dropped,
            refused.len() as u64,
            "more events arrived than the store could take; the newest were dropped",
        );
        for submission in refused {
            (submission.done)(Outcome::Dropped);
        }
    }

    /// As [`Self::submit_all`], but a lone record is answered when it is noted.
    pub(crate) fn submit_noted(&self, mut submissions: Vec<Submission>) {
        if self.spool_first == SpoolFirst::Yes
            && submissions.len() == 1
            && let Some(lone) = submissions.pop()
        {
            // Whoever has the spool may read long files, and nobody else gets at the queue meanwhile.
            let note = |record: &Record| self.try_spool().is_some_and(|mut it| it.note(record));
            submissions.extend(self.queue.push_noted(lone, note));
        }
        if !submissions.is_empty() {
            self.submit_all(submissions);
        }
    }

    /// Waits until everything that was answered is in the store, or waits for it in the spool.
    pub(crate) fn settle(&self) {
        let is_noted = |spool: &mut Spool| spool.has_note();
        let settled = self
            .settled
            .wait_timeout_while(lock(&self.spool), SETTLING, is_noted);
        drop(settled.unwrap_or_else(PoisonError::into_inner));
    }

    /// What was noted of these is done with.
    fn strike_notes(&self, entries: &[Entry]) {
        if entries.iter().any(Entry::is_noted) {
            lock(&self.spool).strike_note();
            self.settled.notify_all();
        }
    }

    /// Spools entries, lets go of the spool, and answers them. A note among them stays, before everything else.
    fn spool(&self, mut spool: MutexGuard<'_, Spool>, entries: Vec<Entry>) {
        let mut entries: Vec<Entry> = entries
            .into_iter()
            .filter(|entry| entry.done.is_some())
            .collect();
        spool.keep_note();
        let results = spool.append(entries.iter().map(|entry| &*entry.record));
        self.reserve.hold(spool.records_in_memory());
        drop(spool);
        self.settled.notify_all();
        let dropped = results
            .iter()
            .filter(|result| **result == Spooled::Dropped)
            .count();
        if dropped > 0 {
            lock(&self.gaps).add(
                GapCause::Dropped,
                dropped as u64,
                "the store could not take events and the spool is full; the newest were dropped",
            );
        }
        for (entry, result) in entries.iter_mut().zip(results) {
            entry.answer(match result {
                Spooled::Kept(place) => Outcome::Spooled(place),
                Spooled::Dropped => Outcome::Dropped,
            });
        }
    }

    /// The spool, unless somebody has it.
    fn try_spool(&self) -> Option<MutexGuard<'_, Spool>> {
        match self.spool.try_lock() {
            Ok(spool) => Some(spool),
            Err(TryLockError::Poisoned(spool)) => Some(spool.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    /// Answers what the writer did not get to within the deadline.
    fn relieve(&self) {
        // Whoever takes records out of the queue holds the spool until they are in it: nothing newer may be committed
        // before. The writer holds the spool only for moments, but nobody else should wait for it here.
        let overdue = self.queue.take_overdue(self.deadline, || self.try_spool());
        if let Some((entries, spool)) = overdue {
            self.spool(spool, entries);
        }
    }
}

/// The writing thread's own.
pub(crate) struct Writer<B> {
    pub(crate) backend: B,
    pub(crate) shared: Arc<Shared<B>>,
    /// After a failure the store is asked, not waited for, until it takes something.
    patience: Duration,
    told: Told,
}

impl<B: Backend> Writer<B> {
    /// Half of the deadline is for others to let go of the store; the rest is for the commit.
    fn full_patience(&self) -> Duration {
        self.shared.deadline / 2
    }

    /// Whether the store took what it was last given.
    pub(crate) fn is_welcome(&self) -> bool {
        !self.patience.is_zero()
    }

    fn run(mut self) {
        loop {
            let unfinished = self.backend.wants_idle() || !lock(&self.shared.spool).is_empty();
            let work = self.shared.queue.next(unfinished.then_some(RETRY));
            let closing = work.closing;
            if let Err(error) = self.survive(|writer| writer.work(work)) {
                let entries = self.shared.queue.take_in_flight();
                self.shared.strike_notes(&entries);
                for mut entry in entries {
                    entry.answer(self.refuse(&error));
                }
            }
            if closing {
                return;
            }
        }
    }

    fn work(&mut self, work: Work<Self>) {
        if !work.records.is_empty() {
            self.write(&work.records);
        } else if work.job.is_none() {
            self.drain_step();
            self.backend.idle();
        }
        if let Some(mut job) = work.job
            && job(self) == Step::Again
        {
            self.shared.queue.push_back_job(job);
        }
        if work.closing {
            while self.drain_step() == Drained::Some {}
            self.backend.idle();
            self.backend.finish();
            self.note_losses();
        }
    }

    /// Does something in which a mistake must not end this thread: everybody waits for it.
    fn survive<T>(&mut self, what: impl FnOnce(&mut Self) -> T) -> Result<T> {
        let doing = AssertUnwindSafe(|| what(self));
        catch_unwind(doing).map_err(|panic| {
            self.backend.recover();
            let said = panic
                .downcast_ref::<&str>()
                .copied()
                .or_else(|| panic.downcast_ref::<String>().map(String::as_str));
            Error::Backend(format!("internal error: {}", said.unwrap_or("a panic")))
        })
    }

    fn write(&mut self, records: &[Arc<Record>]) {
        if self.drain_step() == Drained::Everything {
            match self.commit(records) {
                Ok(applied) => return self.answer(applied),
                Err(error) if error.may_pass() => {}
                Err(_) => return self.write_one_by_one(records),
            }
        }
        let (entries, spool) = self.take_to_spool();
        self.shared.spool(spool, entries);
    }

    /// What was being written, with the spool to put it into. The spool comes first: as long as it is held nobody can put
    /// newer records there, which until now were behind these.
    fn take_to_spool(&self) -> (Vec<Entry>, MutexGuard<'_, Spool>) {
        let spool = lock(&self.shared.spool);
        (self.shared.queue.take_in_flight(), spool)
    }

    fn answer(&self, applied: Vec<Applied>) {
        let entries = self.shared.queue.take_in_flight();
        self.shared.strike_notes(&entries);
        for (mut entry, applied) in entries.into_iter().zip(applied) {
            entry.answer(applied.into());
        }
    }

    /// One record that the database will not have must not take others with it.
    fn write_one_by_one(&mut self, records: &[Arc<Record>]) {
        let mut outcomes = Vec::with_capacity(records.len());
        for record in records {
            outcomes.push(match self.commit(std::slice::from_ref(record)) {
                Ok(applied) => applied
                    .into_iter()
                    .next()
                    .map_or(Outcome::Known, Outcome::from),
                // What came after it must not be committed before it.
                Err(error) if error.may_pass() => break,
                Err(error) => self.refuse(&error),
            });
        }
        let (mut entries, mut spool) = self.take_to_spool();
        let left = entries.split_off(outcomes.len().min(entries.len()));
        if entries.iter().any(Entry::is_noted) {
            spool.strike_note();
        }
        self.shared.spool(spool, left);
        for (mut entry, outcome) in entries.into_iter().zip(outcomes) {
            entry.answer(outcome);
        }
    }

    fn refuse(&self, error: &Error) -> Outcome {
        let message = format!("an event could not be recorded: {error}");
        lock(&self.shared.gaps).add(GapCause::Refused, 1, message.clone());
        Outcome::Refused(message)
    }

    /// What nobody but this process knows ends with it, unless it is noted.
    fn note_losses(&self) {
        let mut spool = lock(&self.shared.spool);
        spool.save_memory();
        let gaps = lock(&self.shared.gaps).list();
        self.shared.reserve.end(spool.records_in_memory(), &gaps);
    }

    fn commit(&mut self, records: &[Arc<Record>]) -> Result<Vec<Applied>> {
        let pending = lock(&self.shared.gaps).list();
        let noted = self.shared.reserve.take();
        let mut gaps = pending.clone();
        gaps.extend(noted.iter().flat_map(Locked::lost));
        let result = self
            .survive(|writer| writer.backend.commit(records, &gaps, writer.patience))
            .flatten();
        match &result {
            Ok(applied) => {
                self.tell_skipped(records, applied);
                self.patience = self.full_patience();
                if !pending.is_empty() {
                    lock(&self.shared.gaps).written(&pending);
                }
                for noted in noted {
                    if let Err(error) = noted.written() {
                        tracing::warn!("losses are counted and stay noted: {error}");
                    }
                }
            }
            Err(error) => {
                self.patience = Duration::ZERO;
                if error.may_pass() && self.told.is_news(&error.cause()) {
                    tracing::warn!("records wait in the spool until the store takes them: {error}");
                }
            }
        }
        result
    }

    /// What did not fit is told by its cause alone: a log is no place for what is recorded.
    fn tell_skipped(&mut self, records: &[Arc<Record>], applied: &[Applied]) {
        for (record, applied) in records.iter().zip(applied) {
            let Applied::Recorded(skipped) = applied else {
                continue;
            };
            for change in skipped {
                let cause = format!("{}: {}", record.decided.agent, change.cause());
                if self.told.is_news(&cause) {
                    tracing::warn!("{cause}");
                }
            }
        }
    }

    /// Commits the oldest of what waits in the spool.
    pub(crate) fn drain_step(&mut self) -> Drained {
        let records: Vec<Arc<Record>> = {
            let mut spool = lock(&self.shared.spool);
            if spool.is_empty() {
                return Drained::Everything;
            }
            // A store that took nothing the last time is asked with one record: reading more back would be for nothing.
            let count = if self.is_welcome() { DRAIN } else { 1 };
            let records = spool.peek(count).into_iter().map(Arc::new).collect();
            self.count_damaged(&mut spool);
            records
        };
        if records.is_empty() {
            return Drained::Everything;
        }
        match self.commit(&records) {
            Ok(_) => {}
            Err(error) if error.may_pass() => {
                self.save_memory();
                return Drained::Nothing;
            }
            Err(_) => {
                for record in &records {
                    match self.commit(std::slice::from_ref(record)) {
                        Ok(_) => {}
                        // What was committed until here is known the next time.
                        Err(error) if error.may_pass() => return Drained::Nothing,
                        Err(error) => {
                            self.refuse(&error);
                        }
                    }
                }
            }
        }
        let mut spool = lock(&self.shared.spool);
        spool.advance();
        self.shared.reserve.hold(spool.records_in_memory());
        self.count_damaged(&mut spool);
        if spool.is_empty() {
            Drained::Everything
        } else {
            Drained::Some
        }
    }

    /// The store takes nothing, but a folder may by now.
    fn save_memory(&self) {
        let mut spool = lock(&self.shared.spool);
        if spool.records_in_memory() > 0 {
            spool.save_memory();
            self.shared.reserve.hold(spool.records_in_memory());
        }
    }

    fn count_damaged(&self, spool: &mut Spool) {
        let damaged = spool.take_damaged();
        if damaged > 0 {
            lock(&self.shared.gaps).add(
                GapCause::DamagedSpool,
                damaged,
                "lines of the spool could not be read back",
            );
        }
    }
}

/// What is left of the spool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Drained {
    /// Nothing waits any more.
    Everything,
    /// More waits.
    Some,
    /// The store does not take anything.
    Nothing,
}

impl From<Applied> for Outcome {
    fn from(applied: Applied) -> Self {
        match applied {
            Applied::Recorded(skipped) => Self::Committed(skipped),
            Applied::Known => Self::Known,
        }
    }
}

/// The threads of a store.
#[derive(Debug)]
pub(crate) struct Threads(Vec<JoinHandle<()>>);

impl Threads {
    pub(crate) fn start<B: Backend>(shared: &Arc<Shared<B>>, backend: B) -> Result<Self> {
        let writer = Writer {
            backend,
            shared: shared.clone(),
            patience: shared.deadline / 2,
            told: Told::default(),
        };
        let watched = shared.clone();
        let mut threads = Self(Vec::new());
        threads.spawn("bowline-store", move || writer.run())?;
        threads.spawn("bowline-watch", move || watch::run(&watched))?;
        Ok(threads)
    }

    pub(crate) fn spawn(&mut self, name: &str, body: impl FnOnce() + Send + 'static) -> Result<()> {
        let thread = thread::Builder::new()
            .name(name.to_owned())
            .spawn(body)
            .map_err(Error::file(name))?;
        self.0.push(thread);
        Ok(())
    }

    /// Wakes and waits for all of them; they know that the store is closing.
    pub(crate) fn join(&mut self) {
        for thread in self.0.drain(..) {
            thread.thread().unpark();
            if thread.join().is_err() {
                tracing::error!("a thread of the store panicked");
            }
        }
    }
}

#[cfg(test)]
mod tests;
