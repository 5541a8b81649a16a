//! The items of an object or of a list as pieces of text: what is appended can be taken out again to the letter.

use std::ops::Range;

use super::splice::Edits;

/// The items between two brackets.
#[derive(Debug)]
pub(super) struct List<'a> {
    text: &'a str,
    /// From after the opening to before the closing bracket.
    inside: Range<usize>,
    items: Vec<Range<usize>>,
}

/// How lines are made.
#[derive(Debug, Clone)]
pub(super) struct Lines<'a> {
    pub(super) newline: &'a str,
    /// Before each item.
    pub(super) indent: String,
    /// Before the closing bracket.
    pub(super) closing: String,
}

/// Whether an empty list that is written on one line gets lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum IfEmpty {
    Spread,
    AsItIs,
}

/// What is left of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Left {
    /// Neither an item nor a comment.
    Nothing,
    Something,
}

/// The text between two items: white space, comments and at most one comma.
#[derive(Debug, Default)]
struct Gap {
    comma: Option<usize>,
    remarks: Vec<Range<usize>>,
}

impl<'a> List<'a> {
    /// `range` is that of the whole, with its brackets.
    pub(super) fn new(text: &'a str, range: Range<usize>, items: Vec<Range<usize>>) -> Self {
        Self {
            text,
            inside: range.start + 1..range.end.saturating_sub(1),
            items,
        }
    }

    fn piece(&self, range: Range<usize>) -> &'a str {
        self.text.get(range).unwrap_or_default()
    }

    /// What follows an item, up to the next one or the closing bracket.
    fn gap_after(&self, item: usize) -> Gap {
        let start = self.items.get(item).map_or(self.inside.start, |it| it.end);
        let next = self.items.get(item + 1);
        self.gap(start..next.map_or(self.inside.end, |it| it.start))
    }

    fn gap(&self, range: Range<usize>) -> Gap {
        let mut gap = Gap::default();
        let mut at = range.start;
        while at < range.end {
            let rest = self.piece(at..range.end);
            let length = if rest.starts_with("//") {
                let line = rest.find('\n').unwrap_or(rest.len());
                rest.get(..line).unwrap_or_default().trim_end().len()
            } else if rest.starts_with("/*") {
                rest.find("*/").map_or(rest.len(), |end| end + 2)
            } else {
                if rest.starts_with(',') {
                    gap.comma = Some(at);
                }
                at += rest.chars().next().map_or(1, char::len_utf8);
                continue;
            };
            gap.remarks.push(at..at + length);
            at += length;
        }
        gap
    }

    pub(super) fn has_remarks(&self) -> bool {
        let first = self.items.first().map_or(self.inside.end, |it| it.start);
        let mut gaps = (0..self.items.len()).map(|item| self.gap_after(item));
        !self.gap(self.inside.start..first).remarks.is_empty()
            || gaps.any(|gap| !gap.remarks.is_empty())
    }

    /// Writes items after all others.
    pub(super) fn append(
        &self,
        new: &[String],
        lines: &Lines<'_>,
        if_empty: IfEmpty,
        edits: &mut Edits,
    ) {
        if new.is_empty() {
            return;
        }
        let line = format!("{}{}", lines.newline, lines.indent);
        let Some((last, before)) = self.items.split_last() else {
            return self.fill(new, lines, if_empty, edits);
        };
        let tail = self.gap_after(before.len());
        let first = self.items.first().unwrap_or(last);
        let is_spread = self.piece(self.inside.start..first.start).contains('\n')
            || self.piece(last.end..self.inside.end).contains('\n');
        let between = if is_spread { line.as_str() } else { " " };
        let mut at = tail.comma.map_or(last.end, |comma| comma + 1);
        // A remark on the same line is about the item before it.
        for remark in &tail.remarks {
            if self.piece(at..remark.start).contains('\n') {
                break;
            }
            at = at.max(remark.end);
        }
        if tail.comma.is_none() {
            edits.insert(last.end, ",".to_owned());
        }
        let mut text = between.to_owned() + &new.join(&format!(",{between}"));
        if tail.comma.is_some() {
            text.push(',');
        }
        edits.insert(at, text);
    }

    /// Writes the first items.
    fn fill(&self, new: &[String], lines: &Lines<'_>, if_empty: IfEmpty, edits: &mut Edits) {
        let gap = self.gap(self.inside.clone());
        let at = gap.remarks.last().map_or(self.inside.start, |it| it.end);
        let rest = self.piece(at..self.inside.end);
        let has_lines = self.piece(self.inside.clone()).contains('\n');
        if if_empty == IfEmpty::AsItIs && !has_lines {
            return edits.insert(at, new.join(", "));
        }
        let line = format!("{}{}", lines.newline, lines.indent);
        let mut text = line.clone() + &new.join(&format!(",{line}"));
        if !rest.contains('\n') {
            text.push_str(lines.newline);
            text.push_str(&lines.closing);
        }
        edits.insert(at, text);
    }

    /// Takes the items out that `is_gone`; where nothing would be left, that is for the caller to do.
    pub(super) fn remove(&self, is_gone: &dyn Fn(usize) -> bool, edits: &mut Edits) -> Left {
        let kept = |item: &usize| !is_gone(*item);
        let all = 0..self.items.len();
        let (first_kept, last_kept) = (all.clone().find(kept), all.clone().rfind(kept));
        if last_kept.is_none() && !self.has_remarks() {
            return Left::Nothing;
        }
        for (item, range) in self.items.iter().enumerate().filter(|(it, _)| is_gone(*it)) {
            let comma = self.gap_after(item).comma;
            let end = comma.map_or(range.end, |comma| comma + 1);
            if first_kept.is_some_and(|first| item < first) {
                let rest = self.piece(end..self.inside.end);
                let blank = rest.len() - rest.trim_start().len();
                edits.remove(range.start..end + blank);
            } else {
                edits.remove(self.start_with_blank(range.start)..end);
            }
        }
        // The comma before what was appended goes with it, unless all end with one.
        let ends_with_comma = self.gap_after(all.end.saturating_sub(1)).comma.is_some();
        if let Some(last) = last_kept.filter(|last| last + 1 < all.end && !ends_with_comma)
            && let Some(comma) = self.gap_after(last).comma
        {
            edits.remove(comma..comma + 1);
        }
        Left::Something
    }

    /// Where the white space begins that was written before an item.
    fn start_with_blank(&self, item: usize) -> usize {
        let before = self.piece(self.inside.start..item);
        let on_line = before.trim_end_matches([' ', '\t']);
        let above = on_line.strip_suffix('\n').unwrap_or(on_line);
        let above = above.strip_suffix('\r').unwrap_or(above);
        self.inside.start + above.len()
    }
}
