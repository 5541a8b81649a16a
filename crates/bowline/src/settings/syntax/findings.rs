//! Gathers the findings of one file and knows the line and column of every byte.

use std::path::Path;

use super::node::Span;
use crate::settings::{Diagnostic, Severity};

/// More findings than anyone reads; a broken file must not fill the memory.
const MAX_FINDINGS: usize = 1000;

/// The findings of one file.
#[derive(Debug)]
pub(in crate::settings) struct Findings<'a> {
    text: &'a str,
    file: Option<&'a Path>,
    marks: Vec<Mark>,
    list: Vec<Diagnostic>,
    left_out: Option<(usize, Severity)>,
}

impl<'a> Findings<'a> {
    /// For a text whose first line begins at `start`, after a byte order mark.
    pub(in crate::settings) fn new(text: &'a str, start: usize, file: Option<&'a Path>) -> Self {
        Self {
            text,
            file,
            marks: marks(text, start),
            list: Vec::new(),
            left_out: None,
        }
    }

    /// Something that the file says does not take effect.
    pub(in crate::settings) fn error(
        &mut self,
        code: &'static str,
        span: &Span,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        self.add(Severity::Error, code, span, message.into(), help.into());
    }

    /// Something that works, but probably not as meant.
    pub(in crate::settings) fn warning(
        &mut self,
        code: &'static str,
        span: &Span,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        self.add(Severity::Warning, code, span, message.into(), help.into());
    }

    /// How something is understood.
    pub(in crate::settings) fn note(
        &mut self,
        code: &'static str,
        span: &Span,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        self.add(Severity::Note, code, span, message.into(), help.into());
    }

    /// Line and column of a byte, both from 1.
    pub(in crate::settings) fn position(&self, offset: usize) -> (usize, usize) {
        let after = self.marks.partition_point(|mark| mark.offset <= offset);
        let Some(mark) = self.marks.get(after.saturating_sub(1)) else {
            return (1, 1);
        };
        let between = self.text.get(mark.offset..offset).unwrap_or_default();
        between
            .chars()
            .fold((mark.line, mark.column), |(line, column), c| match c {
                '\n' => (line + 1, 1),
                _ => (line, column + 1),
            })
    }

    /// The file.
    pub(in crate::settings) fn file(&self) -> Option<&'a Path> {
        self.file
    }

    /// The text of a span.
    pub(in crate::settings) fn source(&self, span: &Span) -> &'a str {
        self.text.get(span.clone()).unwrap_or_default()
    }

    /// The findings in the order of the file.
    pub(in crate::settings) fn finish(mut self) -> Vec<Diagnostic> {
        self.list.sort_by_key(|finding| finding.span.start);
        if let Some((count, severity)) = self.left_out {
            let end = self.text.len();
            let finding = self.diagnostic(
                severity,
                "more-findings",
                &(end..end),
                format!("{count} further findings are not listed"),
                "correct those above first".to_owned(),
            );
            self.list.push(finding);
        }
        self.list
    }

    fn add(
        &mut self,
        severity: Severity,
        code: &'static str,
        span: &Span,
        message: String,
        help: String,
    ) {
        if self.list.len() < MAX_FINDINGS {
            let finding = self.diagnostic(severity, code, span, message, help);
            self.list.push(finding);
        } else {
            let (count, worst) = self.left_out.unwrap_or((0, severity));
            self.left_out = Some((count + 1, worst.max(severity)));
        }
    }

    fn diagnostic(
        &self,
        severity: Severity,
        code: &'static str,
        span: &Span,
        message: String,
        help: String,
    ) -> Diagnostic {
        let start = self.text.floor_char_boundary(span.start);
        let end = self.text.floor_char_boundary(span.end).max(start);
        let (line, column) = self.position(start);
        Diagnostic {
            severity,
            code,
            file: self.file.map(Path::to_owned),
            line,
            column,
            span: start..end,
            message,
            help: Some(help),
        }
    }
}

/// A byte whose line and column are known, so that finding another one's does not start at the first line.
#[derive(Debug)]
struct Mark {
    offset: usize,
    line: usize,
    column: usize,
}

const BYTES_BETWEEN_MARKS: usize = 4096;

fn marks(text: &str, start: usize) -> Vec<Mark> {
    let mut marks = vec![Mark {
        offset: start,
        line: 1,
        column: 1,
    }];
    let (mut line, mut column, mut next) = (1, 1, start + BYTES_BETWEEN_MARKS);
    for (index, c) in text.get(start..).unwrap_or_default().char_indices() {
        let offset = start + index;
        if offset >= next {
            marks.push(Mark {
                offset,
                line,
                column,
            });
            next = offset + BYTES_BETWEEN_MARKS;
        }
        if c == '\n' {
            line += 1;
            column = 1;
        } else {
            column += 1;
        }
    }
    marks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_lines_and_characters() {
        let text = "\u{feff}aé\nb\r\n\nc";
        let findings = Findings::new(text, 3, None);
        for (offset, expected) in [
            (0, (1, 1)),
            (3, (1, 1)),
            (4, (1, 2)),
            (6, (1, 3)),
            (7, (2, 1)),
            (10, (3, 1)),
            (11, (4, 1)),
            (12, (4, 2)),
        ] {
            assert_eq!(findings.position(offset), expected, "at {offset}");
        }
    }

    #[test]
    fn positions_far_into_a_long_line_are_right() {
        let text = format!("{}\n{}", "é".repeat(5000), "x".repeat(20_000));
        let findings = Findings::new(&text, 0, None);
        assert_eq!(findings.position(10_001), (2, 1));
        assert_eq!(findings.position(25_001), (2, 15_001));
    }

    #[test]
    fn a_flood_of_findings_is_cut_and_says_so() {
        let mut findings = Findings::new("x", 0, None);
        for _ in 0..MAX_FINDINGS {
            findings.warning("w", &(0..1), "m", "h");
        }
        findings.error("e", &(0..1), "m", "h");
        findings.warning("w", &(0..1), "m", "h");
        let list = findings.finish();
        assert_eq!(list.len(), MAX_FINDINGS + 1);
        let last = list.last().unwrap();
        assert_eq!(
            (last.code, last.severity),
            ("more-findings", Severity::Error)
        );
        assert!(last.message.starts_with("2 further"));
    }

    #[test]
    fn a_span_outside_the_text_is_moved_into_it() {
        let mut findings = Findings::new("é", 0, None);
        findings.error("e", &(1..99), "m", "h");
        assert_eq!(findings.finish()[0].span, 0..2);
    }
}
