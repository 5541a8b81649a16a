//! Waiting for something to happen.

use std::thread;
use std::time::{Duration, Instant};

/// Nothing in a test takes so long, however busy the machine is.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// How long to wait between two looks.
pub(crate) const LOOK: Duration = Duration::from_millis(5);

/// Asks until something is so.
#[track_caller]
pub fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    until_some(what, || is_so().then_some(()));
}

/// Looks until there is something.
#[track_caller]
pub fn until_some<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let began = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(began.elapsed() < PATIENCE, "it never happens that {what}");
        thread::sleep(LOOK);
    }
}
