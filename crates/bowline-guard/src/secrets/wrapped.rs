//! Tokens that a line break cuts, as terminals, editors and mailers wrap long lines.

use std::ops::Range;

use super::gate::{Gate, Hit, Trigger};
use super::headers;
use super::rule::{Confidence, Finding};
use super::text::{Text, is_word};
use super::values::is_wordy;
use super::vendors::Matcher;
use super::views::View;

/// Nobody wraps at fewer columns.
const LEAST_COLUMNS: usize = 40;

/// At most this many columns lines that were wrapped together may differ by: by what stands before the first of them.
const SLACK: usize = 16;

/// At most this much of a token is looked at on each side of a break, and this many lines.
const MOST: usize = 2 * 1024;
const MOST_LINES: usize = 64;

/// At most this many of these lines are put together one by one.
const TRIED: usize = 8;

/// The shortest token that is looked for.
const LEAST: usize = 20;

/// The most blanks that a line is indented by.
const INDENT: usize = 40;

/// The tokens of a text that go over line breaks.
pub(super) fn find(text: &str) -> Vec<Finding> {
    let gate = Gate::get();
    let bytes = Text::new(text);
    let mut found = Vec::new();
    let mut line = 0;
    let mut done = 0;
    for (at, _) in text.match_indices('\n') {
        let end = text_end(bytes, at);
        if end.saturating_sub(line) >= LEAST_COLUMNS && at >= done && is_part(bytes.before(end)) {
            let parts = parts(bytes, line, end);
            if parts.len() > 1 && parts.iter().map(Range::len).sum::<usize>() >= LEAST {
                done = parts.last().map_or(at, |part| part.start);
                found.extend(in_parts(text, &parts, gate));
            }
        }
        line = at + 1;
    }
    found
}

/// The end of a line without its line break, which stands at `at`.
fn text_end(text: Text<'_>, at: usize) -> usize {
    at - usize::from(text.before(at) == b'\r')
}

/// The rest of a line, all lines as long as that one that go on in the same way, and the beginning of the last.
fn parts(text: Text<'_>, line: usize, end: usize) -> Vec<Range<usize>> {
    let columns = (end - line).saturating_sub(SLACK).max(LEAST_COLUMNS);
    let last = text.run_back(end, MOST, is_part).max(line)..end;
    let mut parts = Vec::from([last]);
    let mut end = end;
    while parts.len() < MOST_LINES {
        let next = text.run(end, 2, |b| b == b'\r' || b == b'\n');
        let start = text.run(next, INDENT, |b| b == b' ' || b == b'\t');
        let stop = text.run(start, MOST, is_part);
        if stop == start {
            break;
        }
        parts.push(start..stop);
        let ends_line = matches!(text.byte(stop), b'\n' | b'\r');
        if !ends_line || stop - next < columns {
            break;
        }
        end = stop;
    }
    parts
}

/// What a token is made of.
fn is_part(byte: u8) -> bool {
    is_word(byte) || matches!(byte, b'-' | b'.' | b'+' | b'/' | b'=' | b'~' | b':')
}

/// What the parts hold when they are put together: as few of them as make something whole, else all.
fn in_parts(text: &str, parts: &[Range<usize>], gate: &Gate) -> Vec<Finding> {
    let mut found = Vec::new();
    for count in (2..=parts.len()).filter(|count| *count <= TRIED || *count == parts.len()) {
        let some = parts.get(..count).unwrap_or_default();
        let in_some = in_view(&View::joined(text, some), gate);
        if !in_some.is_empty() {
            found = in_some;
        } else if !found.is_empty() {
            // What was found ends there.
            break;
        }
    }
    found
}

fn in_view(view: &View, gate: &Gate) -> Vec<Finding> {
    let text = Text::new(view.text());
    let mut found: Vec<Finding> = Vec::new();
    for Hit { start, trigger, .. } in gate.hits(view.text()) {
        let cut = match trigger {
            Trigger::Vendor(place) => gate.matcher(place).and_then(|matcher| {
                let span = whole(text, view, matcher, matcher.find(text, start)?)?;
                Some((matcher.rule.id, span))
            }),
            Trigger::Jwt => headers::find_jwt(text, start)
                .and_then(|span| made(text, view, span))
                .map(|span| ("jwt", span)),
            _ => None,
        };
        let cut = cut.and_then(|(rule, span)| Some((rule, view.original(span)?)));
        found.extend(cut.map(|(rule, span)| Finding {
            rule,
            span,
            confidence: Confidence::Certain,
        }));
    }
    found
}

/// The token that is cut by a break: as long as real ones are, else as far as it is no word.
fn whole(
    text: Text<'_>,
    view: &View,
    matcher: &Matcher,
    span: Range<usize>,
) -> Option<Range<usize>> {
    let first = seams(view, &span).next()?;
    if !matcher.is_cut(first - span.start) {
        return None;
    }
    let ends = seams(view, &span).chain([span.end]);
    let known = ends
        .into_iter()
        .find(|end| matcher.is_whole(end - span.start));
    match known {
        Some(end) => Some(span.start..end),
        None => made(text, view, span),
    }
}

/// The token without a last part that is a word.
fn made(text: Text<'_>, view: &View, span: Range<usize>) -> Option<Range<usize>> {
    let first = seams(view, &span).next()?;
    let last = seams(view, &span).last()?;
    let is_made = |part: &[u8]| part.iter().any(u8::is_ascii_digit) && !is_wordy(part);
    let end = if is_made(text.slice(last..span.end)) {
        span.end
    } else {
        last
    };
    (end > first).then_some(span.start..end)
}

/// The breaks within a span.
fn seams(view: &View, span: &Range<usize>) -> impl Iterator<Item = usize> {
    let within = span.start + 1..span.end;
    view.seams().filter(move |seam| within.contains(seam))
}
