//! A finding shown in its source, with carets under what it is about.

use std::ops::Range;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

/// Lines longer than this are cut around the finding: a minified file is one line.
const LONGEST_LINE: usize = 400;

/// How loud a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Loudness {
    Error,
    Warning,
    Note,
}

/// A finding and where it is.
#[derive(Debug)]
pub(crate) struct Annotated<'a> {
    pub(crate) loudness: Loudness,
    pub(crate) code: &'a str,
    pub(crate) message: &'a str,
    pub(crate) help: Option<&'a str>,
    pub(crate) path: String,
    /// The whole text, if it is at hand, and the bytes of it that the finding is about.
    pub(crate) source: Option<(&'a str, Range<usize>)>,
}

pub(crate) fn render(finding: &Annotated<'_>, width: usize) -> String {
    let level = match finding.loudness {
        Loudness::Error => Level::ERROR,
        Loudness::Warning => Level::WARNING,
        Loudness::Note => Level::NOTE,
    };
    let title = level.primary_title(finding.message).id(finding.code);
    let excerpt = finding
        .source
        .as_ref()
        .map(|(text, span)| Excerpt::of(text, span.clone()));
    let mut group = match &excerpt {
        Some(excerpt) => title.element(
            Snippet::source(excerpt.text)
                .line_start(excerpt.line)
                .path(finding.path.as_str())
                .annotation(AnnotationKind::Primary.span(excerpt.span.clone())),
        ),
        None => title.element(annotate_snippets::Origin::path(finding.path.as_str())),
    };
    if let Some(help) = finding.help {
        group = group.element(Level::HELP.message(help));
    }
    let report: &[Group<'_>] = &[group];
    let mut text = Renderer::styled().term_width(width).render(report);
    text.push('\n');
    text
}

/// The few lines around a span, so that showing a finding does not cost the size of the file.
#[derive(Debug, PartialEq, Eq)]
struct Excerpt<'a> {
    text: &'a str,
    /// The number of its first line, from 1.
    line: usize,
    /// The span within it.
    span: Range<usize>,
}

impl<'a> Excerpt<'a> {
    /// Spans that do not fit the text (it changed since) are moved into it.
    fn of(text: &'a str, span: Range<usize>) -> Self {
        let start = text.floor_char_boundary(span.start.min(text.len()));
        let before = text.get(..start).unwrap_or_default();
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let from = if start - line_start > LONGEST_LINE {
            text.ceil_char_boundary(start - LONGEST_LINE / 2)
        } else {
            line_start
        };
        let line_end = text
            .get(start..)
            .and_then(|rest| rest.find('\n'))
            .map_or(text.len(), |at| start + at);
        let to = text.floor_char_boundary(line_end.min(start.saturating_add(LONGEST_LINE)));
        // Only the first line of a span is shown: it is where one has to look.
        let end = text.ceil_char_boundary(span.end.clamp(start, to)).min(to);
        Self {
            text: text.get(from..to).unwrap_or_default(),
            line: before.matches('\n').count() + 1,
            span: start - from..end - from,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_excerpt_is_the_line_of_the_finding() {
        let excerpt = Excerpt::of("one\ntwo three\nfour", 8..13);
        assert_eq!(
            (excerpt.text, excerpt.line, excerpt.span),
            ("two three", 2, 4..9)
        );
    }

    #[test]
    fn no_span_is_out_of_reach() {
        let text = format!("é{}\n{}", "x".repeat(3000), "é".repeat(3000));
        for start in [0, 1, 2, 1500, 3001, 3002, 3003, 5001, 9_002, 1 << 40] {
            for length in [0, 1, 2, 5000] {
                let excerpt = Excerpt::of(&text, start..start + length);
                assert!(
                    excerpt.text.get(excerpt.span.clone()).is_some(),
                    "{start}+{length}"
                );
                assert!(excerpt.text.len() <= 2 * LONGEST_LINE + 4);
            }
        }
    }

    #[test]
    fn the_finding_has_a_caret_and_help() {
        let finding = Annotated {
            loudness: Loudness::Warning,
            code: "unknown-event",
            message: "no event is called `PreToolUze`",
            help: Some("did you mean `PreToolUse`?"),
            path: "settings.json".to_owned(),
            source: Some(("{\n  \"PreToolUze\": []\n}", 4..16)),
        };
        let text = anstream::adapter::strip_str(&render(&finding, 100)).to_string();
        assert_eq!(
            text,
            "warning[unknown-event]: no event is called `PreToolUze`\n \
             --> settings.json:2:3\n  |\n\
             2 |   \"PreToolUze\": []\n  |   ^^^^^^^^^^^^\n  |\n  \
             = help: did you mean `PreToolUse`?\n"
        );
    }
}
