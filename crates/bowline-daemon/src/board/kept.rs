//! The last board, for all who look while nothing happens.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// What no event tells (a process that ended, a cost that was read) is seen after so long.
const FRESH: Duration = Duration::from_secs(1);

/// Keeps a board until something happens.
#[derive(Debug)]
pub(crate) struct Kept<T> {
    last: Mutex<Option<Made<T>>>,
}

#[derive(Debug)]
struct Made<T> {
    /// Differs when something has happened.
    sign: [u64; 3],
    at: Instant,
    board: T,
}

impl<T> Default for Kept<T> {
    fn default() -> Self {
        Self {
            last: Mutex::default(),
        }
    }
}

impl<T: Clone> Kept<T> {
    /// The last one while its sign is the same and it is fresh, else a new one.
    pub(crate) fn or_make<E>(
        &self,
        sign: [u64; 3],
        make: impl FnOnce() -> Result<T, E>,
    ) -> Result<T, E> {
        self.or_make_at(sign, Instant::now(), make)
    }

    fn or_make_at<E>(
        &self,
        sign: [u64; 3],
        at: Instant,
        make: impl FnOnce() -> Result<T, E>,
    ) -> Result<T, E> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let is_good =
            |made: &&Made<T>| made.sign == sign && at.saturating_duration_since(made.at) < FRESH;
        if let Some(made) = last.as_ref().filter(is_good) {
            return Ok(made.board.clone());
        }
        let board = make()?;
        *last = Some(Made {
            sign,
            at,
            board: board.clone(),
        });
        Ok(board)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_board_is_made_anew_when_something_happened_or_it_is_old() {
        let (kept, start) = (Kept::default(), Instant::now());
        let mut made = 0;
        for (sign, after, expected) in [
            ([0, 0, 0], 0, 1),
            ([0, 0, 0], 999, 1),
            ([0, 1, 0], 999, 2),
            ([0, 1, 0], 1_998, 2),
            ([0, 1, 0], 1_999, 3),
        ] {
            let at = start + Duration::from_millis(after);
            let board = kept.or_make_at(sign, at, || {
                made += 1;
                Ok::<u32, ()>(made)
            });
            assert_eq!(board, Ok(expected), "{sign:?} after {after} ms");
        }
        let failed = kept.or_make_at([9, 0, 0], start, || Err(()));
        assert_eq!(failed, Err(()));
    }
}
