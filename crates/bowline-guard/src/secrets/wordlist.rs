//! Lists of words, written as text and looked up as sets.

use std::collections::HashSet;
use std::sync::OnceLock;

use aho_corasick::{AhoCorasick, Anchored, Input, StartKind};

/// A list of lower-case words.
#[derive(Debug)]
pub(super) struct WordList {
    text: &'static str,
    set: OnceLock<HashSet<&'static str>>,
    automaton: OnceLock<Option<AhoCorasick>>,
}

impl WordList {
    /// The words of `text`, separated by white space.
    pub(super) const fn new(text: &'static str) -> Self {
        Self {
            text,
            set: OnceLock::new(),
            automaton: OnceLock::new(),
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &'static str> {
        self.text.split_ascii_whitespace()
    }

    /// Whether the (lower-case) word is in the list.
    pub(super) fn contains(&self, word: &str) -> bool {
        self.set
            .get_or_init(|| self.iter().collect())
            .contains(word)
    }

    /// Whether the word is in the list, whatever its case.
    pub(super) fn contains_ignore_case(&self, word: &[u8]) -> bool {
        const LONGEST: usize = 32;
        word.len() <= LONGEST
            && std::str::from_utf8(word).is_ok_and(|word| self.contains(&word.to_ascii_lowercase()))
    }

    /// Whether a word of the list stands anywhere in the value, whatever its case.
    pub(super) fn is_part_of(&self, value: &[u8]) -> bool {
        self.automaton()
            .is_some_and(|automaton| automaton.is_match(value))
    }

    /// Whether the value starts with a word of the list, whatever its case.
    pub(super) fn starts(&self, value: &[u8]) -> bool {
        let input = Input::new(value).anchored(Anchored::Yes);
        self.automaton()
            .is_some_and(|automaton| matches!(automaton.try_find(input), Ok(Some(_))))
    }

    fn automaton(&self) -> Option<&AhoCorasick> {
        let automaton = self.automaton.get_or_init(|| {
            AhoCorasick::builder()
                .ascii_case_insensitive(true)
                .start_kind(StartKind::Both)
                .build(self.iter())
                .ok()
        });
        automaton.as_ref()
    }
}
