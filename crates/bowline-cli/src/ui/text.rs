//! Styled text that knows how wide it is and cannot move the cursor.

use std::fmt::Write as _;

use anstyle::Style;
use bowline_guard::secrets::redact;
use unicode_width::UnicodeWidthChar as _;

use super::reveal;

/// A piece of text, styled span by span, without the secrets that it was given. Control characters, which could rewrite what is on the
/// screen, are shown as pictures, invisible ones as their numbers; only line breaks stay.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Text {
    spans: Vec<(String, Style)>,
}

impl Text {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    pub(crate) fn styled(text: impl AsRef<str>, style: Style) -> Self {
        Self::new().with(text, style)
    }

    /// Adds text in a style.
    pub(crate) fn with(mut self, text: impl AsRef<str>, style: Style) -> Self {
        self.spans.push((visible(&redact(text.as_ref())), style));
        self
    }

    /// Adds text without a style.
    pub(crate) fn plain(self, text: impl AsRef<str>) -> Self {
        self.with(text, Style::new())
    }

    /// Adds another text.
    pub(crate) fn text(mut self, other: Text) -> Self {
        self.spans.extend(other.spans);
        self
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.spans.iter().all(|(text, _)| text.is_empty())
    }

    /// The columns that the widest line takes.
    pub(crate) fn width(&self) -> usize {
        self.wrap(usize::MAX)
            .iter()
            .map(Text::length)
            .max()
            .unwrap_or(0)
    }

    /// The columns that all of it takes on one line, blanks at its end included.
    pub(crate) fn length(&self) -> usize {
        self.chars().map(|(c, _)| columns(c)).sum()
    }

    /// The columns that the longest part takes that is not broken where it can be helped.
    pub(crate) fn longest_word(&self) -> usize {
        let mut longest = 0;
        let mut word = 0;
        for (c, _) in self.chars() {
            word = if matches!(c, ' ' | '\n') {
                0
            } else {
                word + columns(c)
            };
            longest = longest.max(word);
            if c == '/' {
                word = 0;
            }
        }
        longest
    }

    /// Breaks the text into lines of at most so many columns, between words where it can.
    pub(crate) fn wrap(&self, width: usize) -> Vec<Text> {
        let mut wrapper = Wrapper::new(width.max(1));
        for (c, style) in self.chars() {
            wrapper.push(c, style);
        }
        wrapper.finish()
    }

    /// The text on one line of at most so many columns.
    pub(crate) fn cut(&self, width: usize) -> Text {
        let mut line: Vec<(char, Style)> = Vec::new();
        let mut used = 0;
        let mut rest = self
            .chars()
            .map(|(c, style)| (if c == '\n' { '⏎' } else { c }, style))
            .peekable();
        while let Some((c, style)) = rest.next() {
            // The last column is for the sign that there is more.
            let more = usize::from(rest.peek().is_some());
            if used + columns(c) + more > width {
                line.push(('…', style));
                break;
            }
            used += columns(c);
            line.push((c, style));
        }
        Self::from_chars(&line)
    }

    /// Writes the text with ANSI escapes for its styles.
    pub(crate) fn render(&self, out: &mut String) {
        for (text, style) in &self.spans {
            // Writing to a string cannot fail.
            let _ = write!(out, "{style}{text}{style:#}");
        }
    }

    fn chars(&self) -> impl Iterator<Item = (char, Style)> {
        self.spans
            .iter()
            .flat_map(|(text, style)| text.chars().map(|c| (c, *style)))
    }

    fn from_chars(chars: &[(char, Style)]) -> Self {
        let spans = chars
            .chunk_by(|(_, left), (_, right)| left == right)
            .filter_map(|run| {
                let (_, style) = run.first()?;
                Some((run.iter().map(|(c, _)| *c).collect(), *style))
            })
            .collect();
        Self { spans }
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        Self::new().plain(text)
    }
}

impl From<String> for Text {
    fn from(text: String) -> Self {
        Self::new().plain(text)
    }
}

/// Collects characters into lines.
struct Wrapper {
    limit: usize,
    lines: Vec<Text>,
    line: Vec<(char, Style)>,
    width: usize,
    /// Whether there is more than indentation on the line.
    has_word: bool,
    /// Whether the last character belongs to a word.
    in_word: bool,
    /// Whether it is a colon or a slash.
    after_mark: bool,
    /// Where the line can be broken: just after its last space or slash.
    break_at: Option<usize>,
}

impl Wrapper {
    fn new(limit: usize) -> Self {
        Self {
            limit,
            lines: Vec::new(),
            line: Vec::new(),
            width: 0,
            has_word: false,
            in_word: false,
            after_mark: false,
            break_at: None,
        }
    }

    fn push(&mut self, c: char, style: Style) {
        if c == '\n' {
            return self.end_line(Vec::new());
        }
        if self.width.saturating_add(columns(c)) > self.limit {
            if c == ' ' {
                return self.end_line(Vec::new());
            }
            let rest = match self.break_at {
                Some(at) => self.line.split_off(at),
                None => Vec::new(),
            };
            self.end_line(rest);
        }
        self.width += columns(c);
        self.line.push((c, style));
        // A slash at the beginning of a word belongs to it, and so do those behind a scheme (`https://`).
        let breaks = match c {
            ' ' => self.has_word,
            '/' => self.in_word && !self.after_mark,
            _ => false,
        };
        if breaks {
            self.break_at = Some(self.line.len());
        }
        self.after_mark = matches!(c, ':' | '/');
        self.in_word = c != ' ';
        self.has_word |= self.in_word;
    }

    fn end_line(&mut self, rest: Vec<(char, Style)>) {
        let mut line = std::mem::replace(&mut self.line, rest);
        while line.last().is_some_and(|(c, _)| *c == ' ') {
            line.pop();
        }
        self.lines.push(Text::from_chars(&line));
        self.width = self.line.iter().map(|(c, _)| columns(*c)).sum();
        self.has_word = !self.line.is_empty();
        self.in_word = self.has_word;
        self.break_at = None;
    }

    fn finish(mut self) -> Vec<Text> {
        self.end_line(Vec::new());
        self.lines
    }
}

fn columns(c: char) -> usize {
    c.width().unwrap_or(0)
}

/// The text with everything that a terminal would obey, or that nobody would see, made visible.
fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let text = text.replace("\r\n", "\n");
    for c in text.trim_end_matches('\n').chars() {
        match c {
            '\n' => shown.push('\n'),
            '\t' => shown.push_str("    "),
            '\u{7f}' => shown.push('\u{2421}'),
            c if u32::from(c) < 0x20 => {
                shown.push(char::from_u32(0x2400 + u32::from(c)).unwrap_or('\u{fffd}'));
            }
            c if reveal::is_invisible(c) => reveal::push_number(&mut shown, c),
            c => shown.push(c),
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrapped(text: &str, width: usize) -> Vec<String> {
        Text::from(text)
            .wrap(width)
            .iter()
            .map(|line| line.chars().map(|(c, _)| c).collect())
            .collect()
    }

    #[test]
    fn lines_break_between_words_where_they_can() {
        for (text, width, expected) in [
            ("", 5, vec![""]),
            ("one two three", 8, vec!["one two", "three"]),
            ("one two three", 7, vec!["one two", "three"]),
            ("abcdefgh", 3, vec!["abc", "def", "gh"]),
            ("a\nb", 10, vec!["a", "b"]),
            ("日本語", 4, vec!["日本", "語"]),
            ("one two", 0, vec!["o", "n", "e", "t", "w", "o"]),
            (
                "see .claude/settings.json",
                14,
                vec!["see .claude/", "settings.json"],
            ),
            (
                "see http://localhost/basket",
                21,
                vec!["see http://localhost/", "basket"],
            ),
            (
                "open http://localhost",
                15,
                vec!["open", "http://localhos", "t"],
            ),
            ("  indented text", 12, vec!["  indented", "text"]),
        ] {
            assert_eq!(wrapped(text, width), expected, "{text:?} at {width}");
        }
    }

    #[test]
    fn nothing_that_a_terminal_obeys_gets_through() {
        for (text, expected) in [
            ("\u{1b}[2Jgone", "␛[2Jgone"),
            ("a\tb\r\nc", "a    b\nc"),
            ("lone\rCR\r", "lone␍CR␍"),
            ("\u{202e}evil", "<U+202E>evil"),
            ("\u{9b}31m", "<U+009B>31m"),
            ("zero\u{200b}width", "zero<U+200B>width"),
            ("⚠\u{fe0f} é 日本", "⚠\u{fe0f} é 日本"),
            ("bell\u{7}\u{7f}", "bell␇␡"),
        ] {
            assert_eq!(visible(text), expected);
        }
    }
}
