//! A text as it was before something coloured, escaped or wrapped it, with the way back to the text itself.

use std::ops::Range;

/// The longest sequence that a terminal is given at once.
const MAX_SEQUENCE: usize = 2 * 1024;

/// How an escape character is written out.
const WRITTEN_ESCAPES: &[&str] = &["\\u001b", "\\u001B", "\\x1b", "\\x1B", "\\033", "\\e", "^["];

/// What a name between `&` and `;` stands for.
const ENTITIES: &[(&str, char)] = &[
    ("&quot;", '"'),
    ("&apos;", '\''),
    ("&amp;", '&'),
    ("&lt;", '<'),
    ("&gt;", '>'),
    ("&equals;", '='),
    ("&colon;", ':'),
    ("&nbsp;", ' '),
];

/// Another reading of a text.
#[derive(Debug, Default)]
pub(super) struct View {
    text: String,
    pieces: Vec<Piece>,
}

/// A piece of a view: where it begins there, and where it comes from.
#[derive(Debug)]
struct Piece {
    at: usize,
    from: Range<usize>,
}

impl View {
    /// The text without colours, and with what is escaped as the characters that are meant; `None` if that is the same.
    pub(super) fn decoded(text: &str) -> Option<Self> {
        let mut view = Self::default();
        let mut copied = 0;
        let mut at = 0;
        while let Some(next) = text.get(at..)?.find(['\u{1b}', '\\', '&', '^']) {
            at += next;
            let rest = text.get(at..)?;
            let (length, meant) = match (sequence(rest), character(rest)) {
                (Some(length), _) => (length, None),
                (None, Some((length, c))) => (length, Some(c)),
                (None, None) => {
                    at += 1;
                    continue;
                }
            };
            view.copy(text, copied..at);
            if let Some(c) = meant {
                view.put(c, at..at + length);
            }
            at += length;
            copied = at;
        }
        if copied == 0 {
            return None;
        }
        view.copy(text, copied..text.len());
        Some(view)
    }

    /// The parts of a text, one right behind the other.
    pub(super) fn joined(text: &str, parts: &[Range<usize>]) -> Self {
        let mut view = Self::default();
        for part in parts {
            view.copy(text, part.clone());
        }
        view
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Where the pieces but the first begin.
    pub(super) fn seams(&self) -> impl Iterator<Item = usize> {
        self.pieces.iter().skip(1).map(|piece| piece.at)
    }

    /// The same span in the text itself.
    pub(super) fn original(&self, span: Range<usize>) -> Option<Range<usize>> {
        let last = span.end.checked_sub(1)?;
        let (first_piece, last_piece) = (self.piece(span.start)?, self.piece(last)?);
        let start = first_piece.from.start + (span.start - first_piece.at);
        let length = self.length(last_piece);
        let end = if length == last_piece.from.len() {
            last_piece.from.start + (span.end - last_piece.at)
        } else {
            last_piece.from.end
        };
        (start < end).then_some(start..end)
    }

    fn piece(&self, at: usize) -> Option<&Piece> {
        let behind = self.pieces.partition_point(|piece| piece.at <= at);
        self.pieces.get(behind.checked_sub(1)?)
    }

    /// How long a piece is in the view.
    fn length(&self, piece: &Piece) -> usize {
        let next = self.pieces.partition_point(|other| other.at <= piece.at);
        let end = self.pieces.get(next).map_or(self.text.len(), |it| it.at);
        end - piece.at
    }

    fn copy(&mut self, text: &str, part: Range<usize>) {
        if let Some(copied) = text.get(part.clone()).filter(|it| !it.is_empty()) {
            self.pieces.push(Piece {
                at: self.text.len(),
                from: part,
            });
            self.text.push_str(copied);
        }
    }

    fn put(&mut self, c: char, from: Range<usize>) {
        self.pieces.push(Piece {
            at: self.text.len(),
            from,
        });
        self.text.push(c);
    }
}

/// The length of what a terminal is told at the beginning of a text: a colour, a title, a link.
fn sequence(text: &str) -> Option<usize> {
    let (written, rest) = escape(text)?;
    let length = match rest.as_bytes() {
        [b'[', parameters @ ..] => {
            let end = parameters
                .iter()
                .take(MAX_SEQUENCE)
                .position(|byte| (0x40..=0x7e).contains(byte))?;
            let plain = parameters.get(..end)?;
            plain
                .iter()
                .all(|byte| (0x20..0x40).contains(byte))
                .then_some(end + 2)?
        }
        // As text it could be anything.
        [b']', title @ ..] if written == 1 => {
            let title = title.get(..MAX_SEQUENCE).unwrap_or(title);
            let bell = title.iter().position(|byte| *byte == 7).map(|at| at + 1);
            let end = title.windows(2).position(|pair| pair == b"\x1b\\");
            1 + bell.or(end.map(|at| at + 2))?
        }
        [b'(' | b')', _, ..] if written == 1 => 2,
        _ => return None,
    };
    text.is_char_boundary(written + length)
        .then_some(written + length)
}

/// The length of an escape character, written as itself or as text, and what follows it.
fn escape(text: &str) -> Option<(usize, &str)> {
    let written = if text.starts_with('\u{1b}') {
        1
    } else {
        let known = WRITTEN_ESCAPES.iter().find(|it| text.starts_with(**it))?;
        known.len()
    };
    Some((written, text.get(written..)?))
}

/// A printable character that is escaped at the beginning of a text, and the length of that.
fn character(text: &str) -> Option<(usize, char)> {
    let numbered = |digits: &str, radix: u32| {
        let code = u32::from_str_radix(digits, radix).ok()?;
        char::from_u32(code).filter(|c| c.is_ascii_graphic() || *c == ' ')
    };
    if let Some(rest) = text.strip_prefix("\\u00") {
        return Some((6, numbered(rest.get(..2)?, 16)?));
    }
    if let Some(rest) = text.strip_prefix("\\x") {
        return Some((4, numbered(rest.get(..2)?, 16)?));
    }
    if let Some(rest) = text.strip_prefix("&#") {
        let (number, _) = rest
            .get(..rest.len().min(6))
            .unwrap_or(rest)
            .split_once(';')?;
        let meant = match number.strip_prefix(['x', 'X']) {
            Some(digits) => numbered(digits, 16),
            None => numbered(number, 10),
        };
        return Some((2 + number.len() + 1, meant?));
    }
    let (name, c) = ENTITIES.iter().find(|(name, _)| text.starts_with(name))?;
    Some((name.len(), *c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_meant_is_seen_and_found_again() {
        for (text, expected) in [
            ("a\u{1b}[1;31mb\u{1b}[0m", "ab"),
            ("\\u001b[Kx\\x1b[m\\033[1my\\e[0m^[[2m", "xy"),
            ("a\\u003db\\x3dc", "a=b=c"),
            ("&quot;a&#61;b&#x3D;&amp;c", "\"a=b=&c"),
            (
                "\u{1b}]8;;https://x.test\u{7}link\u{1b}]8;;\u{1b}\\",
                "link",
            ),
            (
                "\\n \\u1234 \\x7 &nothing; &#; ^x é\\u0041",
                "\\n \\u1234 \\x7 &nothing; &#; ^x éA",
            ),
        ] {
            let view = View::decoded(text).unwrap();
            assert_eq!(view.text(), expected);
            for (at, c) in expected.char_indices() {
                let found = view.original(at..at + c.len_utf8()).unwrap();
                let part = &text[found];
                assert!(part.contains(c) || part.len() > 3, "{text:?}: {c} {part}");
            }
            assert_eq!(view.original(0..0), None);
        }
        assert!(View::decoded("nothing \\n here & there ^").is_none());
        assert!(View::decoded("").is_none());
    }

    #[test]
    fn a_span_goes_over_what_was_left_out() {
        let text = "x=gh\u{1b}[0mp_12\\u0033 end";
        let view = View::decoded(text).unwrap();
        assert_eq!(view.text(), "x=ghp_123 end");
        let found = view.original(2..9).unwrap();
        assert_eq!(&text[found], "gh\u{1b}[0mp_12\\u0033");
    }

    #[test]
    fn parts_are_joined() {
        let view = View::joined("abc\n  def\n", &[1..3, 6..8]);
        assert_eq!(view.text(), "bcde");
        assert_eq!(view.original(1..3), Some(2..7));
        assert_eq!(view.seams().collect::<Vec<_>>(), [2]);
    }
}
