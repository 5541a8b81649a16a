//! What the threads of one store share: the queue, the spool, and what is missing.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::Duration;

use super::Writer;
use super::watch::Watch;
use crate::gap::{GapCause, PendingGaps};
use crate::queue::{Queue, lock};
use crate::record::Record;
use crate::reserve::Reserve;
use crate::spool::{Spool, Spooled};
use crate::store::Outcome;
use crate::submission::Submission;

/// How long a reader waits for a commit. After that the database is hanging.
const SETTLING: Duration = Duration::from_secs(1);

/// What the threads of one store share.
#[derive(Debug)]
pub(crate) struct Shared<B> {
    pub(crate) queue: Queue<Writer<B>>,
    pub(crate) spool: Mutex<Spool>,
    pub(crate) gaps: Arc<Mutex<PendingGaps>>,
    /// Where losses are noted that the database cannot store.
    pub(crate) reserve: Reserve,
    /// The time within which a record is answered.
    pub(super) deadline: Duration,
    spool_first: SpoolFirst,
    /// Notified when a record in the spool has been committed.
    pub(super) settled: Condvar,
    pub(super) watch: Watch,
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
        for mut submission in refused {
            submission.answer(Outcome::Dropped);
        }
    }

    /// As [`Self::submit_all`], but a single record is answered once it is in the spool.
    pub(crate) fn submit_noted(&self, mut submissions: Vec<Submission>) {
        if self.spool_first == SpoolFirst::Yes
            && submissions.len() == 1
            && let Some(lone) = submissions.pop()
        {
            // The thread that holds the spool may be reading long files. Do not wait for it with the queue locked.
            let note = |record: &Record| self.try_spool().is_some_and(|mut it| it.note(record));
            submissions.extend(self.queue.push_noted(lone, note));
        }
        if !submissions.is_empty() {
            self.submit_all(submissions);
        }
    }

    /// Waits until every answered record is in the store or in the spool.
    pub(crate) fn settle(&self) {
        let is_noted = |spool: &mut Spool| spool.has_note();
        let settled = self
            .settled
            .wait_timeout_while(lock(&self.spool), SETTLING, is_noted);
        drop(settled.unwrap_or_else(PoisonError::into_inner));
    }

    /// These records are committed, so their lines in the spool can go.
    pub(super) fn strike_notes(&self, entries: &[Submission]) {
        if entries.iter().any(Submission::is_noted) {
            lock(&self.spool).strike_note();
            self.settled.notify_all();
        }
    }

    /// Spools entries, releases the spool, and answers them. A record that is already in the spool stays there, before all others.
    pub(super) fn spool(&self, mut spool: MutexGuard<'_, Spool>, mut entries: Vec<Submission>) {
        entries.retain(|entry| !entry.is_answered());
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

    /// The spool, unless another thread holds it.
    pub(super) fn try_spool(&self) -> Option<MutexGuard<'_, Spool>> {
        match self.spool.try_lock() {
            Ok(spool) => Some(spool),
            Err(TryLockError::Poisoned(spool)) => Some(spool.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    /// Answers the records that the writer did not commit within the deadline.
    pub(super) fn relieve(&self) {
        // A thread that takes records out of the queue holds the spool until they are in it, so that nothing newer is committed
        // before them. The writer holds the spool only for moments, but other threads should not wait for it here.
        let overdue = self.queue.take_overdue(self.deadline, || self.try_spool());
        if let Some((entries, spool)) = overdue {
            self.spool(spool, entries);
        }
    }
}
