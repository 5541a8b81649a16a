//! The writing thread. It takes whatever has arrived, commits it in one transaction, and answers. Records that cannot be committed
//! go to the spool, which is drained in order before anything newer is committed. A second thread keeps the deadline when the
//! writer is held up.
//!
//! A single record can be answered before it is committed, once it is in the spool. Readers wait for the commit.

mod shared;
mod watch;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, MutexGuard};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crate::error::{Error, Result};
use crate::gap::{Gap, GapCause};
use crate::queue::{MAX_BATCH, Step, Work, lock};
use crate::record::Record;
use crate::reserve::Locked;
use crate::spool::Spool;
use crate::store::{Outcome, SkippedChange};
use crate::submission::Submission;
use crate::told::Told;
pub(crate) use shared::{Shared, SpoolFirst};

/// At most this many spooled records are committed at once. It must be more than arrive meanwhile, or the spool would never empty.
const DRAIN: usize = 2 * MAX_BATCH;
/// How often to try again after the store could not take a record, while nothing arrives.
const RETRY: Duration = Duration::from_millis(200);

/// What a record changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Applied {
    /// It is in the store now.
    Recorded(Vec<SkippedChange>),
    /// It was in the store.
    Known,
}

/// What the writer needs from a database.
pub(crate) trait Backend: Send + Sized + 'static {
    /// Commits all records and gaps, or nothing. Waits at most for `patience` for other processes.
    fn commit(
        &mut self,
        records: &[Arc<Record>],
        gaps: &[Gap],
        patience: Duration,
    ) -> Result<Vec<Applied>>;

    /// Whether there is something left for [`Backend::idle`].
    fn wants_idle(&self) -> bool;

    /// Does work that can wait until the writer is idle.
    fn idle(&mut self);

    /// Cleans up after a panic.
    fn recover(&mut self);

    /// Called before the last connection is closed.
    fn finish(&mut self) {}
}

/// The state of the writing thread.
pub(crate) struct Writer<B> {
    pub(crate) backend: B,
    pub(crate) shared: Arc<Shared<B>>,
    /// After a failure the writer does not wait for the store until it takes something again.
    patience: Duration,
    told: Told,
}

impl<B: Backend> Writer<B> {
    /// Half of the deadline is for waiting until other processes release the store. The rest is for the commit.
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

    /// Runs something and catches a panic: this thread must not end, because everybody waits for it.
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

    /// The records that were being written, and the locked spool to put them into. The spool is locked first, so that no newer
    /// records get there before these.
    fn take_to_spool(&self) -> (Vec<Submission>, MutexGuard<'_, Spool>) {
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

    /// A record that the database refuses must not affect others.
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
        if entries.iter().any(Submission::is_noted) {
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

    /// Notes what only this process knows, because it would be lost when the process exits.
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

    /// Logs only the cause of a skipped change, because recorded content must not appear in a log.
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

    /// Commits the oldest records of the spool.
    pub(crate) fn drain_step(&mut self) -> Drained {
        let records: Vec<Arc<Record>> = {
            let mut spool = lock(&self.shared.spool);
            if spool.is_empty() {
                return Drained::Everything;
            }
            // A store that took nothing the last time is tried with one record. Reading more would be wasted.
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
                        // Records that were committed so far are recognised the next time.
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

    /// The store takes nothing, but a folder may work again.
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
    /// The spool is empty.
    Everything,
    /// More waits.
    Some,
    /// The store takes nothing.
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

    /// Wakes the threads and waits for them. They know that the store is closing.
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
