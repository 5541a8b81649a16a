//! A finding shown in its source, with carets under what it is about.

use std::ops::Range;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

use super::masked;
use super::reveal;
use super::style;
use super::text::Text;

/// Lines longer than this are cut around the finding: a minified file is one line.
const LONGEST_LINE: usize = 400;
/// How much before and after a line is looked at for secrets.
const SURROUNDINGS: usize = 4096;
/// The columns of a line beside the finding: its number, and marks for omitted text.
const MARGIN: usize = 20;
/// Of a finding at least this much is shown.
const NARROWEST: usize = 16;

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
    let mut out = String::new();
    let widest = width.min(LONGEST_LINE + MARGIN);
    let (level, label, style) = match finding.loudness {
        Loudness::Error => (Level::ERROR, "error", style::BAD),
        Loudness::Warning => (Level::WARNING, "warning", style::CAUTION),
        Loudness::Note => (Level::NOTE, "note", style::GOOD),
    };
    let title = Text::styled(format!("{label}[{}]", finding.code), style.bold())
        .with(format!(": {}", finding.message), style::HEADING);
    hang(&mut out, &title, "", "  ", width);

    let mut gutter = " ".to_owned();
    if let Some((text, span)) = &finding.source {
        let excerpt = Excerpt::of(text, span.clone(), widest);
        let group = Group::with_level(level).element(
            Snippet::source(excerpt.text.as_str())
                .line_start(excerpt.line)
                .path(finding.path.as_str())
                .annotation(AnnotationKind::Primary.span(excerpt.span.clone())),
        );
        out.push_str(&Renderer::styled().term_width(widest).render(&[group]));
        out.push('\n');
        gutter = " ".repeat(excerpt.line.to_string().len());
    } else {
        let path = Text::from(finding.path.as_str());
        hang(&mut out, &path, " --> ", "     ", width);
    }
    if let Some(help) = finding.help {
        if finding.source.is_some() {
            Text::styled(format!("{gutter} |"), style::FRAME).render(&mut out);
            out.push('\n');
        }
        let lead = format!("{gutter} = ");
        let rest = " ".repeat(lead.len() + "help: ".len());
        let help = Text::styled("help", style::HEADING).plain(format!(": {help}"));
        hang(&mut out, &help, &lead, &rest, width);
    }
    out
}

/// Writes a text after `first` on its first line, and after `rest` on the others.
fn hang(out: &mut String, text: &Text, first: &str, rest: &str, width: usize) {
    let room = width.saturating_sub(rest.len()).max(1);
    for (number, line) in text.wrap(room).iter().enumerate() {
        let lead = if number == 0 { first } else { rest };
        Text::styled(lead, style::FRAME).render(out);
        line.render(out);
        out.push('\n');
    }
}

/// The line of a span, so that showing a finding does not cost the size of the file.
#[derive(Debug, PartialEq, Eq)]
struct Excerpt {
    text: String,
    /// The number of its line, from 1.
    line: usize,
    /// The span within it.
    span: Range<usize>,
}

impl Excerpt {
    /// Spans that do not fit the text (it changed since) are moved into it; longer ones than the width are cut.
    fn of(text: &str, span: Range<usize>, width: usize) -> Self {
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
        // Looked at with what surrounds it: a key may be longer than a line, and a name stand before its value.
        let around = text.floor_char_boundary(from.saturating_sub(SURROUNDINGS))
            ..text.ceil_char_boundary(to.saturating_add(SURROUNDINGS).min(text.len()));
        let shown = masked::in_place(text.get(around.clone()).unwrap_or_default());
        let most = width.saturating_sub(MARGIN).max(NARROWEST);
        let cut = text.floor_char_boundary(start.saturating_add(most));
        let (to, end, tail) = if end > cut {
            (cut, cut, "…")
        } else {
            (to, end, "")
        };
        let part = |range: Range<usize>| {
            let range = range.start - around.start..range.end - around.start;
            reveal::numbered(shown.get(range).unwrap_or_default())
        };
        let (before_span, inside) = (part(from..start), part(start..end));
        Self {
            line: before.matches('\n').count() + 1,
            span: before_span.len()..before_span.len() + inside.len(),
            text: before_span + &inside + &part(end..to) + tail,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_excerpt_is_the_line_of_the_finding() {
        let excerpt = Excerpt::of("one\ntwo three\nfour", 8..13, 100);
        assert_eq!(
            (excerpt.text.as_str(), excerpt.line, excerpt.span),
            ("two three", 2, 4..9)
        );
    }

    #[test]
    fn what_cannot_be_seen_is_numbered_and_underlined() {
        let excerpt = Excerpt::of("a\u{200b} = \"b\u{200b}c\"", 7..14, 100);
        assert_eq!(excerpt.text, "a<U+200B> = \"b<U+200B>c\"");
        assert_eq!(excerpt.text.get(excerpt.span), Some("\"b<U+200B>c\""));
    }

    #[test]
    fn no_span_is_out_of_reach() {
        let text = format!("é{}\n{}", "x".repeat(3000), "é".repeat(3000));
        for start in [0, 1, 2, 1500, 3001, 3002, 3003, 5001, 9_002, 1 << 40] {
            for length in [0, 1, 2, 5000] {
                let excerpt = Excerpt::of(&text, start..start + length, 100);
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
