//! Styled text that knows how wide it is and cannot move the cursor.

use std::borrow::Cow;
use std::fmt::Write as _;

use anstyle::Style;
use bowline_guard::invisible::visible;
use bowline_guard::secrets::redact;
use unicode_width::UnicodeWidthChar as _;

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

    /// One text in several styles. A secret may begin in one part and end in another: where there is one, the parts are not told apart.
    pub(crate) fn of_parts<'a>(parts: impl Iterator<Item = (&'a str, Style)> + Clone) -> Self {
        let whole: String = parts.clone().map(|(text, _)| text).collect();
        match redact(&whole) {
            Cow::Borrowed(_) => {
                parts.fold(Self::new(), |text, (part, style)| text.with(part, style))
            }
            Cow::Owned(clean) => Self::from(clean),
        }
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

    /// The columns that the longest part takes that is not broken.
    pub(crate) fn longest_word(&self) -> usize {
        let chars: Vec<(char, Style)> = self.chars().collect();
        let lines = chars.split(|(c, _)| *c == '\n');
        let words = lines.flat_map(words).filter(|word| !is_blank(word));
        let kept = words.filter(|word| word.len() <= LONGEST_WORD);
        kept.map(length).max().unwrap_or(0)
    }

    /// Breaks the text into lines of at most this many columns, between words. A path, an id or a word that is longer has a line of its
    /// own and is not broken: a terminal goes on with it in its next line, and it is copied whole. What is in backquotes is one word.
    pub(crate) fn wrap(&self, width: usize) -> Vec<Text> {
        let chars: Vec<(char, Style)> = self.chars().collect();
        let lines = chars.split(|(c, _)| *c == '\n');
        lines.flat_map(|line| wrap_line(line, width)).collect()
    }

    /// The text in pieces of at most this many columns, wherever they end.
    pub(crate) fn pieces(&self, width: usize) -> Vec<Text> {
        let chars: Vec<(char, Style)> = self.chars().collect();
        let pieces = in_pieces(&chars, width);
        pieces.into_iter().map(Self::from_chars).collect()
    }

    /// The text on one line of at most this many columns.
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

    /// The same without a sign that there is more.
    pub(crate) fn beginning(&self, width: usize) -> Text {
        if self.length() <= width {
            return self.cut(width);
        }
        let mut used = 0;
        let line: Vec<(char, Style)> = self
            .chars()
            .map(|(c, style)| (if c == '\n' { '⏎' } else { c }, style))
            .take_while(|(c, _)| {
                used += columns(*c);
                used <= width
            })
            .collect();
        Self::from_chars(&line)
    }

    /// What it says, each part with its style.
    pub(crate) fn spans(&self) -> impl Iterator<Item = (&str, Style)> {
        self.spans
            .iter()
            .map(|(text, style)| (text.as_str(), *style))
    }

    /// What it says, without its styles.
    pub(crate) fn content(&self) -> String {
        self.chars().map(|(c, _)| c).collect()
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

type Styled = (char, Style);

/// A line without breaks, as lines of this many columns.
fn wrap_line(chars: &[Styled], width: usize) -> Vec<Text> {
    let mut lines = Vec::new();
    let mut line: Vec<Styled> = Vec::new();
    // Where there is no edge, a line can be as long as the text: it is not measured again for each word.
    let mut used = 0_usize;
    for word in words(chars).flat_map(|word| pieces(word, width)) {
        let taken = length(word);
        let fits = used.saturating_add(taken) <= width;
        if !fits && !is_blank(&line) && !is_blank(word) {
            lines.push(ended(&line));
            line.clear();
            used = 0;
        }
        line.extend(word);
        used = used.saturating_add(taken);
    }
    lines.push(ended(&line));
    lines
}

fn is_blank(chars: &[Styled]) -> bool {
    chars.iter().all(|(c, _)| *c == ' ')
}

/// A word as it is. A word that nobody copies may be broken.
fn pieces(word: &[Styled], width: usize) -> Vec<&[Styled]> {
    if word.len() <= LONGEST_WORD {
        return vec![word];
    }
    in_pieces(word, width)
}

fn in_pieces(word: &[Styled], width: usize) -> Vec<&[Styled]> {
    let mut pieces = Vec::new();
    let mut rest = word;
    while !rest.is_empty() {
        let mut used = 0;
        let fitting = rest.iter().take_while(|(c, _)| {
            used += columns(*c);
            used <= width
        });
        let (piece, after) = rest.split_at(fitting.count().max(1));
        pieces.push(piece);
        rest = after;
    }
    pieces
}

/// A line without the blanks at its end.
fn ended(line: &[Styled]) -> Text {
    let end = line.iter().rposition(|(c, _)| *c != ' ');
    Text::from_chars(line.get(..end.map_or(0, |it| it + 1)).unwrap_or_default())
}

/// Words and the blanks between them, each by itself.
fn words(chars: &[Styled]) -> impl Iterator<Item = &[Styled]> {
    let mut rest = chars;
    std::iter::from_fn(move || {
        let (word, after) = rest.split_at_checked(word_length(rest))?;
        rest = after;
        (!word.is_empty()).then_some(word)
    })
}

/// How many characters the first word has; blanks in backquotes belong to it.
fn word_length(chars: &[Styled]) -> usize {
    if let Some((' ', _)) = chars.first() {
        let blanks = chars.iter().take_while(|(c, _)| *c == ' ');
        return blanks.count();
    }
    let mut end = 0;
    while let Some((c, _)) = chars.get(end) {
        match c {
            ' ' => break,
            '`' => end += quoted_length(chars.get(end..).unwrap_or_default()),
            _ => end += 1,
        }
    }
    end
}

/// No path, id or command that people copy is longer.
const LONGEST_WORD: usize = 200;

/// How many characters there are from one backquote to the next; one where no other is near.
fn quoted_length(chars: &[Styled]) -> usize {
    let inside = chars.iter().skip(1).take(LONGEST_WORD);
    let mut inside = inside.map(|(c, _)| *c);
    inside.position(|c| c == '`').map_or(1, |place| place + 2)
}

fn length(chars: &[Styled]) -> usize {
    chars.iter().map(|(c, _)| columns(*c)).sum()
}

fn columns(c: char) -> usize {
    c.width().unwrap_or(0)
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
            ("abcdefgh", 3, vec!["abcdefgh"]),
            ("a\nb", 10, vec!["a", "b"]),
            ("日本 語", 4, vec!["日本", "語"]),
            ("one two", 0, vec!["one", "two"]),
            (
                "see .claude/settings.json now",
                14,
                vec!["see", ".claude/settings.json", "now"],
            ),
            (
                "run `bowline trust a`",
                18,
                vec!["run", "`bowline trust a`"],
            ),
            ("(`a b`, `c d`)", 8, vec!["(`a b`,", "`c d`)"]),
            ("it`s a lone one", 8, vec!["it`s a", "lone one"]),
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
