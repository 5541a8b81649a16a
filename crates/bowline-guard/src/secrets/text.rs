//! Byte-wise reading without panics, and the few character classes that all detectors share.

use std::ops::Range;

/// The longest value in quotes or tags that a detector reads; longer ones are cut there.
pub(super) const MAX_VALUE: usize = 4 * 1024;

/// The longest value without quotes.
pub(super) const MAX_BARE: usize = 1024;

/// The longest line that a detector walks over in search of context.
pub(super) const MAX_LINE: usize = 2 * 1024;

/// A view of the text in which every access is total.
#[derive(Debug, Clone, Copy)]
pub(super) struct Text<'t> {
    bytes: &'t [u8],
}

impl<'t> Text<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self {
            bytes: text.as_bytes(),
        }
    }

    pub(super) fn len(self) -> usize {
        self.bytes.len()
    }

    /// The byte at `at`; 0 outside of the text.
    pub(super) fn byte(self, at: usize) -> u8 {
        self.bytes.get(at).copied().unwrap_or(0)
    }

    /// The byte before `at`; 0 at the start.
    pub(super) fn before(self, at: usize) -> u8 {
        at.checked_sub(1).map_or(0, |i| self.byte(i))
    }

    /// The bytes of `range`, cut at the end of the text.
    pub(super) fn slice(self, range: Range<usize>) -> &'t [u8] {
        let end = range.end.min(self.bytes.len());
        self.bytes.get(range.start..end).unwrap_or_default()
    }

    pub(super) fn starts_with(self, at: usize, prefix: &[u8]) -> bool {
        self.slice(at..at + prefix.len()) == prefix
    }

    pub(super) fn starts_with_ignore_case(self, at: usize, prefix: &[u8]) -> bool {
        self.slice(at..at + prefix.len())
            .eq_ignore_ascii_case(prefix)
    }

    /// The end of the run of bytes from `at` on that satisfy `class`, at most `limit` long.
    pub(super) fn run(self, at: usize, limit: usize, class: impl Fn(u8) -> bool) -> usize {
        let run = self.slice(at..at.saturating_add(limit));
        at + run.iter().position(|&b| !class(b)).unwrap_or(run.len())
    }

    /// The start of the run of bytes before `at` that satisfy `class`, at most `limit` long.
    pub(super) fn run_back(self, at: usize, limit: usize, class: impl Fn(u8) -> bool) -> usize {
        let start = at.saturating_sub(limit);
        let run = self.slice(start..at);
        let kept = run.iter().rev().take_while(|&&b| class(b)).count();
        at - kept
    }

    /// The position after spaces and tabs.
    pub(super) fn skip_blanks(self, at: usize) -> usize {
        self.run(at, MAX_LINE, |b| b == b' ' || b == b'\t')
    }

    /// The position after any white space, of at most a few lines.
    pub(super) fn skip_space(self, at: usize) -> usize {
        self.run(at, 128, |b| b.is_ascii_whitespace())
    }

    /// The end of the line that `at` is in (exclusive of the line break), within [`MAX_LINE`].
    pub(super) fn line_end(self, at: usize) -> usize {
        let rest = self.slice(at..at.saturating_add(MAX_LINE));
        at + memchr::memchr(b'\n', rest).unwrap_or(rest.len())
    }

    /// The start of the line that `at` is in, within [`MAX_LINE`].
    pub(super) fn line_start(self, at: usize) -> usize {
        let start = at.saturating_sub(MAX_LINE);
        let before = self.slice(start..at);
        memchr::memrchr(b'\n', before).map_or(start, |found| start + found + 1)
    }

    /// The first place of `needle` in `range`.
    pub(super) fn find(self, range: Range<usize>, needle: &[u8]) -> Option<usize> {
        let start = range.start;
        memchr::memmem::find(self.slice(range), needle).map(|i| start + i)
    }

    /// Whether a token may start at `at`: the byte before belongs to no word, or only looks so
    /// because it ends an escape such as `\n` or `%3D`.
    pub(super) fn starts_token(self, at: usize) -> bool {
        let before = self.before(at);
        if !is_word(before) {
            return true;
        }
        let second = at.checked_sub(2).map_or(0, |i| self.byte(i));
        let third = at.checked_sub(3).map_or(0, |i| self.byte(i));
        (second == b'\\' && matches!(before, b'n' | b'r' | b't'))
            || (third == b'%' && second.is_ascii_hexdigit() && before.is_ascii_hexdigit())
            || self.ends_character(at)
            || self.ends_colour(at)
    }

    /// Whether an escaped character ends at `at`: `\u003d`, `\x3d`, `\075`.
    fn ends_character(self, at: usize) -> bool {
        let ends = |lead: &[u8], digits: usize, class: fn(&u8) -> bool| {
            let number = at.saturating_sub(digits);
            let start = number.saturating_sub(lead.len());
            self.slice(start..number) == lead
                && number + digits == at
                && self.slice(number..at).iter().all(class)
        };
        ends(b"\\u", 4, u8::is_ascii_hexdigit)
            || ends(b"\\x", 2, u8::is_ascii_hexdigit)
            || ends(b"\\", 3, u8::is_ascii_digit)
    }

    /// Whether a colour or the like ends at `at`, as a terminal gets it or written out: `ESC[1m`, `\u001b[K`.
    fn ends_colour(self, at: usize) -> bool {
        let last = at.saturating_sub(1);
        let parameters = self.run_back(last, 32, |b| {
            b.is_ascii_digit() || matches!(b, b';' | b':' | b'?')
        });
        if !self.byte(last).is_ascii_alphabetic() || self.before(parameters) != b'[' {
            return false;
        }
        let escape = self.slice(parameters.saturating_sub(7)..parameters - 1);
        [&b"\x1b"[..], b"\\u001b", b"\\x1b", b"\\033", b"\\e", b"^["]
            .iter()
            .any(|written| ends_ignore_case(escape, written))
    }
}

fn ends_ignore_case(bytes: &[u8], ending: &[u8]) -> bool {
    let start = bytes.len().checked_sub(ending.len());
    start
        .and_then(|start| bytes.get(start..))
        .is_some_and(|tail| tail.eq_ignore_ascii_case(ending))
}

/// Letters, digits and the underscore.
pub(super) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// What the name of a variable, field, header or flag is made of.
pub(super) fn is_key_byte(byte: u8) -> bool {
    is_word(byte) || byte == b'-'
}

pub(super) fn is_quote(byte: u8) -> bool {
    matches!(byte, b'"' | b'\'' | b'`')
}

/// Standard base64.
pub(super) fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
}

/// Whether `haystack` holds `needle` (which must be lower case), whatever the case.
pub(super) fn contains_ignore_case(haystack: &[u8], needle: &[u8]) -> bool {
    haystack
        .windows(needle.len().max(1))
        .any(|window| window.eq_ignore_ascii_case(needle))
}

/// Decodes base64 of either alphabet up to the first foreign byte. `limit` bounds the result.
pub(super) fn decode_base64(encoded: &[u8], limit: usize) -> Vec<u8> {
    let mut decoded = Vec::new();
    let (mut bits, mut count) = (0u32, 0u32);
    for &byte in encoded {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => break,
        };
        bits = (bits << 6) | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            decoded.push((bits >> count).to_be_bytes().last().copied().unwrap_or(0));
            bits &= (1 << count) - 1;
        }
        if decoded.len() >= limit {
            break;
        }
    }
    decoded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_of_both_alphabets_decodes() {
        for (encoded, decoded) in [
            ("aGVsbG8=", "hello"),
            ("aGk6Pj4_", "hi:>>?"),
            ("aGk6Pj4/", "hi:>>?"),
            ("", ""),
        ] {
            assert_eq!(decode_base64(encoded.as_bytes(), 99), decoded.as_bytes());
        }
        assert_eq!(decode_base64(b"aGVsbG8=", 2), b"he");
    }

    #[test]
    fn a_token_starts_after_an_escape() {
        for (text, at, expected) in [
            ("x token", 2, true),
            ("xtoken", 1, false),
            (r"a\ntoken", 3, true),
            ("a%3Dtoken", 4, true),
            ("antoken", 2, false),
            ("a\u{1b}[1;31mtoken", 8, true),
            ("a\u{1b}[Ktoken", 4, true),
            (r"a\u001B[1mtoken", 10, true),
            (r"a\033[0mtoken", 8, true),
            ("a[1mtoken", 4, false),
            (r"a\u003dtoken", 7, true),
            (r"a\x3dtoken", 5, true),
            (r"a\075token", 5, true),
            ("a003dtoken", 5, false),
        ] {
            assert_eq!(Text::new(text).starts_token(at), expected, "{text}");
        }
    }
}
