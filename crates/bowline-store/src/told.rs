//! What was logged lately, so that a cause is logged once and not for every event.

use std::collections::HashMap;
use std::time::{Duration, Instant};

/// A lasting cause is logged again after this time.
const AGAIN: Duration = Duration::from_mins(5);
/// More causes than this are not remembered.
const MOST: usize = 1_000;

#[derive(Debug, Default)]
pub(crate) struct Told(HashMap<String, Instant>);

impl Told {
    /// Whether a cause has to be logged. After this call it counts as logged.
    pub(crate) fn is_news(&mut self, cause: &str) -> bool {
        let now = Instant::now();
        if self.0.len() >= MOST {
            self.0.clear();
        }
        let last = self.0.get(cause).copied();
        let is_news = last.is_none_or(|last| now.duration_since(last) >= AGAIN);
        if is_news {
            self.0.insert(cause.to_owned(), now);
        }
        is_news
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cause_is_told_once() {
        let mut told = Told::default();
        let heard = ["a", "b", "a", "a", "b"].map(|cause| told.is_news(cause));
        assert_eq!(heard, [true, true, false, false, false]);
        for n in 0..10_000 {
            told.is_news(&n.to_string());
        }
        assert!(told.0.len() <= MOST);
    }
}
