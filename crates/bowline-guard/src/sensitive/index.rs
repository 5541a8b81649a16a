//! Finds the parts of rules that a name fits, without trying them all.

use std::collections::HashMap;

use crate::paths::glob;

/// Parts of patterns, in which only `*` is special, each with the number of the pattern that it belongs to.
#[derive(Debug, Default)]
pub(super) struct Index {
    exact: HashMap<&'static str, Vec<usize>>,
    /// Parts with a `*`, by the first byte before it.
    by_start: HashMap<u8, Vec<(&'static str, usize)>>,
    /// Parts that begin with a `*`, by their last byte.
    by_end: HashMap<u8, Vec<(&'static str, usize)>>,
    /// Parts with a `*` at both ends.
    open: Vec<(&'static str, usize)>,
}

impl Index {
    pub(super) fn insert(&mut self, part: &'static str, pattern: usize) {
        if !part.contains('*') {
            self.exact.entry(part).or_default().push(pattern);
            return;
        }
        let list = match (part.bytes().next(), part.bytes().next_back()) {
            (Some(first), _) if first != b'*' => self.by_start.entry(first).or_default(),
            (_, Some(last)) if last != b'*' => self.by_end.entry(last).or_default(),
            _ => &mut self.open,
        };
        list.push((part, pattern));
    }

    /// Adds the patterns with a part that accepts the name.
    pub(super) fn accepting(&self, name: &str, found: &mut Vec<usize>) {
        found.extend(self.exact.get(name).into_iter().flatten());
        let by_start = name.bytes().next().and_then(|it| self.by_start.get(&it));
        let by_end = name.bytes().next_back().and_then(|it| self.by_end.get(&it));
        let starred = by_start.into_iter().chain(by_end).chain([&self.open]);
        found.extend(
            starred
                .flatten()
                .filter(|(part, _)| glob::star_match(part, name))
                .map(|(_, pattern)| pattern),
        );
    }
}

/// Parts of patterns as a user's pattern may spell them out.
#[derive(Debug, Default)]
pub(super) struct Spellings {
    spellings: Vec<Spelling>,
}

#[derive(Debug)]
struct Spelling {
    part: &'static str,
    ends: glob::Ends<'static>,
    /// At least this many of its characters must be spelled out.
    needed: usize,
    pattern: usize,
}

impl Spellings {
    pub(super) fn insert(&mut self, part: &'static str, needed: usize, pattern: usize) {
        self.spellings.push(Spelling {
            part,
            ends: glob::Ends::of_rule(part),
            needed,
            pattern,
        });
    }

    /// Adds the patterns of which the user's pattern may spell out enough of a part.
    pub(super) fn meeting(&self, pattern: &str, found: &mut Vec<usize>) {
        let ends = glob::Ends::of_pattern(pattern);
        let literals = glob::literals(pattern);
        let shared = |part: &str| literals.iter().filter(|it| part.contains(**it)).count();
        let meeting = self.spellings.iter().filter(|it| {
            it.needed <= literals.len() && ends.agree(&it.ends) && it.needed <= shared(it.part)
        });
        found.extend(meeting.map(|it| it.pattern));
    }
}

/// The numbers in their order, each once.
pub(super) fn in_order(mut found: Vec<usize>) -> Vec<usize> {
    found.sort_unstable();
    found.dedup();
    found
}
