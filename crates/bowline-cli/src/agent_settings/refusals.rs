//! What keeps an agent from reading a settings file that people and editors find nothing wrong with, as of those that read strict JSON.

use std::borrow::Cow;

use bowline::settings::{NotJson, not_json};
use serde::Serialize;

use super::edit::BYTE_ORDER_MARK;

/// A part of a file for which an agent refuses the whole of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Refusal {
    /// From 1.
    pub(crate) line: usize,
    what: Cow<'static, str>,
}

impl Refusal {
    /// One in this line, from 1.
    pub(crate) fn new(line: usize, what: impl Into<Cow<'static, str>>) -> Self {
        let what = what.into();
        Self { line, what }
    }

    /// What is wrong at a place of a file.
    pub(crate) fn at(text: &str, start: usize, what: impl Into<Cow<'static, str>>) -> Self {
        let before = text.get(..start).unwrap_or_default();
        Self::new(before.matches('\n').count() + 1, what)
    }

    /// Those of `after` that were there `before`, with their lines before, and those that came with the change.
    pub(crate) fn moved_back(before: Vec<Self>, mut after: Vec<Self>) -> Vec<Self> {
        let is_in = |those: &[Self], it: &Self| those.iter().any(|other| other.what == it.what);
        let mut left = before;
        left.retain(|it| is_in(&after, it));
        after.retain(|it| !is_in(&left, it));
        left.extend(after);
        left
    }

    pub(crate) fn told(&self) -> String {
        format!("line {}: {}", self.line, self.what)
    }
}

/// Every comment and every comma too many, in the order of the file; nothing where the file is plain JSON.
pub(crate) fn refusals(text: &str) -> Vec<Refusal> {
    told(text, |_| true)
}

/// The mark with which some editors begin a file.
fn mark(text: &str) -> Option<Refusal> {
    let begins = text.starts_with(BYTE_ORDER_MARK);
    begins.then(|| Refusal::new(1, "a byte order mark"))
}

/// As [`refusals`], for an agent that does not pass over the mark.
pub(crate) fn mark_and_refusals(text: &str) -> Vec<Refusal> {
    mark(text).into_iter().chain(refusals(text)).collect()
}

/// As [`commas`], for an agent that does not pass over the mark.
pub(crate) fn mark_and_commas(text: &str) -> Vec<Refusal> {
    mark(text).into_iter().chain(commas(text)).collect()
}

/// Every comma too many, for an agent that takes comments.
pub(crate) fn commas(text: &str) -> Vec<Refusal> {
    let piece = |part: &NotJson| text.get(part.span.start..).unwrap_or_default();
    told(text, |part| piece(part).starts_with(','))
}

fn told(text: &str, is_refused: impl Fn(&NotJson) -> bool) -> Vec<Refusal> {
    let parts = not_json(text).into_iter();
    parts
        .filter(is_refused)
        .map(|part| Refusal::at(text, part.span.start, part.what))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_commas_are_told_with_their_lines() {
        let lines =
            |text: &str| -> Vec<usize> { refusals(text).iter().map(|it| it.line).collect() };
        for (text, expected) in [
            ("", &[][..]),
            ("{\"a\": [1, \"// no, ]\"]}", &[]),
            ("\u{feff}{}\n", &[]),
            ("{ // one\n}", &[1]),
            (
                "// one\n{\n  \"a\": [1, 2,], /* three */\n}\n// five",
                &[1, 3, 3, 3, 5],
            ),
            ("{\n  \"a\": 1, // two\n}", &[2, 2]),
        ] {
            assert_eq!(lines(text), expected, "{text}");
        }
        let text = "\u{feff}{ // one\n}";
        assert_eq!(
            mark_and_commas(text),
            [Refusal::new(1, "a byte order mark")]
        );
        assert_eq!(mark_and_refusals(text).len(), 2);
        let text = "{ // one\n  \"a\": [1,], /* three */\n}";
        assert_eq!(refusals(text).len(), 4);
        let commas: Vec<usize> = commas(text).iter().map(|it| it.line).collect();
        assert_eq!(commas, [2, 2]);
        let told: Vec<_> = refusals("{\n  \"a\": 1,\n}")
            .iter()
            .map(Refusal::told)
            .collect();
        assert_eq!(told, ["line 2: a comma before the closing bracket"]);
    }
}
