//! The bounded queue between the threads that submit and the writer. Submitting never waits.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::record::Record;
use crate::store::Outcome;
use crate::submission::{Safe, Submission};

/// At most this many records wait; with a deadline of milliseconds there are never that many.
const MAX_WAITING: usize = 65_536;
/// At most this many bytes wait.
const MAX_BYTES: usize = 64 * 1024 * 1024;
/// At most this many records are written at once: the first of them waits for the last.
pub(crate) const MAX_BATCH: usize = 512;

/// Locks even if a thread panicked while it held the lock. The guarded data is consistent after every statement.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether a job is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// There is more to do, after what has arrived meanwhile.
    Again,
    /// It is done.
    Finished,
}

/// Something that the writer does in small steps between records.
pub(crate) type Job<W> = Box<dyn FnMut(&mut W) -> Step + Send>;

/// What the writer does next.
pub(crate) struct Work<W> {
    pub(crate) records: Vec<Arc<Record>>,
    pub(crate) job: Option<Job<W>>,
    pub(crate) closing: bool,
}

struct State<W> {
    waiting: VecDeque<Submission>,
    waiting_bytes: usize,
    /// What the writer is writing. The deadline applies to these too.
    in_flight: Vec<Submission>,
    jobs: VecDeque<Job<W>>,
    closing: bool,
    writer_sleeps: bool,
}

impl<W> State<W> {
    /// Whether there is nothing to do.
    fn is_empty(&self) -> bool {
        self.waiting.is_empty() && self.jobs.is_empty() && !self.closing
    }

    fn first_unanswered(&self) -> Option<&Submission> {
        self.in_flight
            .iter()
            .find(|entry| !entry.is_answered())
            .or_else(|| self.waiting.front())
    }
}

/// The queue, for jobs on a writer `W`.
pub(crate) struct Queue<W> {
    state: Mutex<State<W>>,
    arrival: Condvar,
}

impl<W> fmt::Debug for Queue<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Queue").finish_non_exhaustive()
    }
}

impl<W> Queue<W> {
    pub(crate) fn new() -> Self {
        Self {
            state: Mutex::new(State {
                waiting: VecDeque::new(),
                waiting_bytes: 0,
                in_flight: Vec::new(),
                jobs: VecDeque::new(),
                closing: false,
                writer_sleeps: false,
            }),
            arrival: Condvar::new(),
        }
    }

    /// Adds records. Returns those for which there is no space.
    pub(crate) fn push(&self, submissions: Vec<Submission>) -> Vec<Submission> {
        let arrived = Instant::now();
        let mut refused = Vec::new();
        let mut state = lock(&self.state);
        for mut entry in submissions {
            if state.closing
                || state.waiting.len() >= MAX_WAITING
                || state.waiting_bytes + entry.bytes > MAX_BYTES
            {
                refused.push(entry);
            } else {
                entry.arrived = arrived;
                state.waiting_bytes += entry.bytes;
                state.waiting.push_back(entry);
            }
        }
        self.wake(state);
        refused
    }

    /// Adds a single record and answers it, if the writer is idle and `note` has made the record safe. Otherwise the record
    /// is returned.
    pub(crate) fn push_noted(
        &self,
        mut entry: Submission,
        note: impl FnOnce(&Record) -> bool,
    ) -> Option<Submission> {
        let mut state = lock(&self.state);
        if !state.writer_sleeps || !state.is_empty() || !note(&entry.record) {
            return Some(entry);
        }
        entry.safe = Safe::Noted;
        let mut unanswered = entry.take();
        state.waiting_bytes += entry.bytes;
        state.waiting.push_back(entry);
        drop(state);
        // First answer, then wake the writer: waking takes longer than everything else here.
        unanswered.answer(Outcome::Noted);
        self.wake(lock(&self.state));
        None
    }

    /// Adds a job; `false` if the queue is closed.
    pub(crate) fn push_job(&self, job: Job<W>) -> bool {
        let mut state = lock(&self.state);
        if state.closing {
            return false;
        }
        state.jobs.push_back(job);
        self.wake(state);
        true
    }

    pub(crate) fn close(&self) {
        let mut state = lock(&self.state);
        state.closing = true;
        self.wake(state);
    }

    /// A busy writer looks again by itself. Waking it would cost more than looking.
    fn wake(&self, mut state: MutexGuard<'_, State<W>>) {
        let sleeps = std::mem::take(&mut state.writer_sleeps);
        drop(state);
        if sleeps {
            self.arrival.notify_one();
        }
    }

    /// For the writer: waits for records or jobs, at most for `patience`.
    pub(crate) fn next(&self, patience: Option<Duration>) -> Work<W> {
        let mut state = lock(&self.state);
        if state.is_empty() {
            state = self.sleep(state, patience);
        }
        let count = state.waiting.len().min(MAX_BATCH);
        let batch: Vec<Submission> = state.waiting.drain(..count).collect();
        state.waiting_bytes -= batch.iter().map(|entry| entry.bytes).sum::<usize>();
        let records = batch.iter().map(|entry| entry.record.clone()).collect();
        state.in_flight = batch;
        if state.closing {
            // A caller that waited for a job would keep the store open, so nobody waits for these.
            state.jobs.clear();
        }
        // A job comes after every record that was there before it.
        let job = if state.waiting.is_empty() {
            state.jobs.pop_front()
        } else {
            None
        };
        Work {
            records,
            job,
            closing: state.closing && state.waiting.is_empty(),
        }
    }

    fn sleep<'a>(
        &'a self,
        mut state: MutexGuard<'a, State<W>>,
        patience: Option<Duration>,
    ) -> MutexGuard<'a, State<W>> {
        state.writer_sleeps = true;
        let woken = |state: &mut State<W>| state.writer_sleeps;
        let mut state = match patience {
            None => self
                .arrival
                .wait_while(state, woken)
                .unwrap_or_else(PoisonError::into_inner),
            Some(patience) => {
                self.arrival
                    .wait_timeout_while(state, patience, woken)
                    .unwrap_or_else(PoisonError::into_inner)
                    .0
            }
        };
        state.writer_sleeps = false;
        state
    }

    /// For the writer: an unfinished job continues after the others.
    pub(crate) fn push_back_job(&self, job: Job<W>) {
        lock(&self.state).jobs.push_back(job);
    }

    /// For the writer: what it was writing.
    pub(crate) fn take_in_flight(&self) -> Vec<Submission> {
        std::mem::take(&mut lock(&self.state).in_flight)
    }

    /// Since when the oldest unanswered record has been waiting.
    pub(crate) fn unanswered_since(&self) -> Option<Instant> {
        Some(lock(&self.state).first_unanswered()?.arrived)
    }

    #[cfg(test)]
    pub(crate) fn writer_sleeps(&self) -> bool {
        lock(&self.state).writer_sleeps
    }

    pub(crate) fn is_closing(&self) -> bool {
        lock(&self.state).closing
    }

    /// Takes the records that were not answered within `limit`. Waiting records leave the queue; records that are being written
    /// stay there and are only answered. `hold` is called while the queue is locked; if it returns nothing, nothing is taken.
    pub(crate) fn take_overdue<H>(
        &self,
        limit: Duration,
        hold: impl FnOnce() -> Option<H>,
    ) -> Option<(Vec<Submission>, H)> {
        let now = Instant::now();
        let late = |entry: &Submission| now.duration_since(entry.arrived) >= limit;
        let mut state = lock(&self.state);
        // In the order of arrival: if the first is not late, none is.
        if !state.first_unanswered().is_some_and(late) {
            return None;
        }
        let held = hold()?;
        let mut overdue: Vec<Submission> = state
            .in_flight
            .iter_mut()
            .filter(|entry| !entry.is_answered() && late(entry))
            .map(Submission::take)
            .collect();
        let count = state.waiting.iter().take_while(|entry| late(entry)).count();
        let waiting: Vec<Submission> = state.waiting.drain(..count).collect();
        state.waiting_bytes -= waiting.iter().map(|entry| entry.bytes).sum::<usize>();
        overdue.extend(waiting);
        Some((overdue, held))
    }
}
