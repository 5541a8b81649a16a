//! The last board, for all who look while nothing happens.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// What no event tells (a process that ended, a cost that was read) is seen after so long.
const FRESH: Duration = Duration::from_secs(1);

/// Keeps a board until something happens. Where much happens, those who ask while one is made share the next one.
#[derive(Debug)]
pub struct Kept<T> {
    last: Mutex<Option<Made<T>>>,
    fresh: Duration,
}

#[derive(Debug)]
struct Made<T> {
    /// Differs when something has happened.
    sign: [u64; 3],
    begun: Instant,
    board: T,
}

impl<T> Made<T> {
    /// Whether it is as good as one that is made now, for somebody who asked before.
    fn is_good(&self, sign: [u64; 3], asked: Instant, now: Instant, fresh: Duration) -> bool {
        let is_fresh = now.saturating_duration_since(self.begun) < fresh;
        (self.sign == sign && is_fresh) || self.begun >= asked
    }
}

impl<T> Default for Kept<T> {
    fn default() -> Self {
        Self {
            last: Mutex::default(),
            fresh: FRESH,
        }
    }
}

impl<T: Clone> Kept<T> {
    /// The last one while its sign is the same and it is fresh, or if it was begun after this was asked, else a new one. Only one is
    /// made at a time. The sign differs when something has happened.
    pub fn or_make<E>(&self, sign: [u64; 3], make: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
        let asked = Instant::now();
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let begun = Instant::now();
        let is_good = |made: &&Made<T>| made.is_good(sign, asked, begun, self.fresh);
        if let Some(made) = last.as_ref().filter(is_good) {
            return Ok(made.board.clone());
        }
        let board = make()?;
        *last = Some(Made {
            sign,
            begun,
            board: board.clone(),
        });
        Ok(board)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_board_is_good_until_something_happens_or_it_is_old() {
        let start = Instant::now();
        let after = |ms| start + Duration::from_millis(ms);
        let made = Made {
            sign: [0, 1, 0],
            begun: after(1_000),
            board: (),
        };
        for (sign, asked, now, expected) in [
            ([0, 1, 0], 1_001, 1_999, true),
            ([0, 1, 0], 1_001, 2_000, false),
            ([0, 2, 0], 1_001, 1_001, false),
            // It was begun while this one waited.
            ([0, 2, 0], 1_000, 1_100, true),
            ([0, 2, 0], 999, 9_000, true),
        ] {
            let is_good = made.is_good(sign, after(asked), after(now), FRESH);
            assert_eq!(is_good, expected, "{sign:?}, asked at {asked}, {now}");
        }
    }

    #[test]
    fn a_board_is_made_once_for_each_sign() {
        // However long this test is put aside.
        let kept = Kept {
            fresh: Duration::MAX,
            ..Kept::default()
        };
        let mut made = 0;
        for (sign, expected) in [([0, 0, 0], 1), ([0, 0, 0], 1), ([0, 1, 0], 2)] {
            let board = kept.or_make(sign, || {
                made += 1;
                Ok::<u32, ()>(made)
            });
            assert_eq!(board, Ok(expected), "{sign:?}");
        }
        assert_eq!(kept.or_make([9, 0, 0], || Err(())), Err(()));
    }
}
