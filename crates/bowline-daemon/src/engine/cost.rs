//! How much of the shared thread's time a project takes.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// A project whose calls take this long to decide, on average, is not decided for on the thread that everybody shares.
const COSTLY: Duration = Duration::from_millis(10);
/// The average goes over about this many calls.
const CALLS: u64 = 8;
/// For so many milliseconds.
const REMEMBERED: u64 = 10_000;

/// Whether deciding for a project has lately taken so long that others felt it.
pub(super) struct Cost {
    since: Instant,
    /// In milliseconds.
    high_until: AtomicU64,
    /// Of the last calls, in microseconds. One call says little: a busy machine may have put its thread aside.
    average: AtomicU64,
}

impl Cost {
    pub(super) fn new() -> Self {
        Self {
            since: Instant::now(),
            high_until: AtomicU64::new(0),
            average: AtomicU64::new(0),
        }
    }

    fn now(&self) -> u64 {
        u64::try_from(self.since.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    pub(super) fn note(&self, took: Duration) {
        let took = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        let before = self.average.load(Ordering::Relaxed);
        let average = before - before / CALLS + took / CALLS;
        let is_high = u128::from(average) >= COSTLY.as_micros();
        if is_high {
            let until = self.now().saturating_add(REMEMBERED);
            self.high_until.store(until, Ordering::Relaxed);
        }
        // Afterwards the project is measured anew.
        let average = if is_high { 0 } else { average };
        self.average.store(average, Ordering::Relaxed);
    }

    pub(super) fn is_high(&self) -> bool {
        let until = self.high_until.load(Ordering::Relaxed);
        until > 0 && self.now() < until
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether calls that took so many milliseconds make a project costly.
    fn is_costly(calls: impl IntoIterator<Item = u64>) -> bool {
        let cost = Cost::new();
        for took in calls {
            cost.note(Duration::from_millis(took));
        }
        cost.is_high()
    }

    #[test]
    fn a_project_is_costly_if_its_calls_are_and_not_if_one_was_held_up() {
        for (name, costly, calls) in [
            ("quick calls", false, vec![1; 1_000]),
            ("one that was put aside", false, vec![1, 1, 60, 1, 1]),
            (
                "one in ten was put aside",
                false,
                [1, 1, 1, 1, 1, 1, 1, 1, 1, 20].repeat(100),
            ),
            ("all take long", true, vec![33; 3]),
            ("every other takes long", true, [40, 0].repeat(8)),
            ("one takes very long", true, vec![500]),
        ] {
            assert_eq!(is_costly(calls), costly, "{name}");
        }
    }

    #[test]
    fn a_costly_project_is_measured_anew() {
        let cost = Cost::new();
        cost.note(Duration::from_secs(1));
        assert!(cost.is_high());
        cost.high_until.store(0, Ordering::Relaxed);
        cost.note(Duration::from_millis(1));
        assert!(!cost.is_high());
    }
}
