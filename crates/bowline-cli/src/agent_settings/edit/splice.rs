//! Changes to parts of a text, with everything between them left as it is.

use std::ops::Range;

/// Changes that do not overlap.
#[derive(Debug, Default)]
pub(in crate::agent_settings) struct Edits(Vec<(Range<usize>, String)>);

impl Edits {
    pub(in crate::agent_settings) fn replace(&mut self, range: Range<usize>, text: String) {
        self.0.push((range, text));
    }

    pub(in crate::agent_settings) fn remove(&mut self, range: Range<usize>) {
        self.replace(range, String::new());
    }

    pub(in crate::agent_settings) fn insert(&mut self, at: usize, text: String) {
        self.replace(at..at, text);
    }

    pub(in crate::agent_settings) fn apply(mut self, text: &str) -> String {
        self.0.sort_by_key(|(range, _)| (range.start, range.end));
        let mut changed = String::with_capacity(text.len() + 16 * 1024);
        let mut at = 0;
        for (range, new) in self.0 {
            changed.push_str(text.get(at..range.start).unwrap_or_default());
            changed.push_str(&new);
            at = at.max(range.end);
        }
        changed.push_str(text.get(at..).unwrap_or_default());
        changed
    }
}
