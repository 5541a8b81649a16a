//! Unique names for hooks: every file numbers its own hooks, and here the numbers continue over all files.

use std::collections::{HashMap, HashSet};

/// The names that are taken.
#[derive(Debug, Default)]
pub(in crate::settings) struct Ids {
    taken: HashSet<String>,
    /// The number to try next, by the name without its number.
    next: HashMap<String, u64>,
}

impl Ids {
    /// The name, if it is free; else with the next number that is: `project:Stop-1` becomes `project:Stop-2`.
    pub(in crate::settings) fn unique(&mut self, id: String) -> String {
        let mut free = id;
        while !self.taken.insert(free.clone()) {
            let (stem, number) = numbered(&free);
            let next = self.next.entry(stem.to_owned()).or_insert(number);
            *next = number.max(*next) + 1;
            free = format!("{stem}-{next}");
        }
        free
    }
}

/// A name and its number. More digits than anyone counts are part of the name, so that counting never overflows.
fn numbered(id: &str) -> (&str, u64) {
    id.rsplit_once('-')
        .filter(|(_, digits)| digits.len() < 10)
        .and_then(|(stem, digits)| Some((stem, digits.parse().ok()?)))
        .unwrap_or((id, 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counting_goes_on() {
        let mut ids = Ids::default();
        for (given, expected) in [
            ("project:Stop-1", "project:Stop-1"),
            ("project:Stop-2", "project:Stop-2"),
            ("project:Stop-1", "project:Stop-3"),
            ("project:Stop-1", "project:Stop-4"),
            ("lint", "lint"),
            ("lint", "lint-2"),
            ("lint-2", "lint-3"),
            ("", ""),
            ("", "-2"),
        ] {
            assert_eq!(ids.unique(given.to_owned()), expected);
        }
    }

    #[test]
    fn large_numbers_are_counted_on_too() {
        for number in [
            "999999999",
            "1000000000",
            "18446744073709551615",
            "-1",
            "+1",
            "x",
        ] {
            let mut ids = Ids::default();
            let id = format!("x-{number}");
            let names: HashSet<String> = (0..5).map(|_| ids.unique(id.clone())).collect();
            assert_eq!(names.len(), 5, "{names:?}");
        }
    }
}
