//! Quote removal.

use std::iter::Peekable;
use std::str::Chars;

/// Text outside quotes: a backslash keeps the next character as it is, and joins lines.
pub(super) fn unquoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some('\n') => {}
                Some(escaped) => out.push(escaped),
                None => out.push('\\'),
            },
            c => out.push(c),
        }
    }
    out
}

/// Text in double quotes.
pub(super) fn double_quoted(text: &str) -> String {
    unescaped(text, &['$', '`', '"', '\\', '\n'])
}

/// The commands in backticks. Inside double quotes a quote can be escaped too.
pub(super) fn in_backticks(text: &str, quotes: Quotes) -> String {
    match quotes {
        Quotes::None => unescaped(text, &['$', '`', '\\']),
        Quotes::Double => unescaped(text, &['$', '`', '\\', '"']),
    }
}

/// What a word part stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Quotes {
    None,
    Double,
}

fn unescaped(text: &str, escapable: &[char]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match chars.peek() {
            Some(next) if c == '\\' && escapable.contains(next) => {
                // An escaped newline joins lines; everything else stands for itself.
                out.extend(chars.next().filter(|next| *next != '\n'));
            }
            _ => out.push(c),
        }
    }
    out
}

/// The text in `$'…'`. As in bash, the value ends at a NUL.
pub(super) fn ansi_c(text: &str) -> String {
    let mut out = Vec::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '\\' {
            push_char(&mut out, c);
            continue;
        }
        match chars.next() {
            Some('a') => out.push(7),
            Some('b') => out.push(8),
            Some('e' | 'E') => out.push(27),
            Some('f') => out.push(12),
            Some('n') => out.push(b'\n'),
            Some('r') => out.push(b'\r'),
            Some('t') => out.push(b'\t'),
            Some('v') => out.push(11),
            Some('c') => {
                if let Some(control) = chars.next() {
                    push_char(&mut out, control_of(control));
                }
            }
            Some('x') => push_byte_or(&mut out, digits(&mut chars, 16, 2), "\\x"),
            Some('u') => push_code_or(&mut out, digits(&mut chars, 16, 4), "\\u"),
            Some('U') => push_code_or(&mut out, digits(&mut chars, 16, 8), "\\U"),
            Some(digit @ '0'..='7') => {
                let first = digit.to_digit(8).unwrap_or_default();
                let rest = digits_from(&mut chars, 8, 2, first);
                out.push(rest.to_le_bytes()[0]);
            }
            Some(c @ ('\\' | '\'' | '"' | '?')) => push_char(&mut out, c),
            Some(other) => {
                out.push(b'\\');
                push_char(&mut out, other);
            }
            None => out.push(b'\\'),
        }
    }
    let end = out.iter().position(|byte| *byte == 0).unwrap_or(out.len());
    out.truncate(end);
    String::from_utf8_lossy(&out).into_owned()
}

fn control_of(c: char) -> char {
    match c {
        '?' => '\u{7f}',
        c if c.is_ascii() => char::from(u8::try_from(c).unwrap_or_default() & 0x1f),
        c => c,
    }
}

fn digits(chars: &mut Peekable<Chars<'_>>, radix: u32, most: usize) -> Option<u32> {
    let first = chars.next_if(|c| c.is_digit(radix))?.to_digit(radix)?;
    Some(digits_from(chars, radix, most - 1, first))
}

fn digits_from(chars: &mut Peekable<Chars<'_>>, radix: u32, most: usize, first: u32) -> u32 {
    let mut value = first;
    for _ in 0..most {
        match chars
            .next_if(|c| c.is_digit(radix))
            .and_then(|c| c.to_digit(radix))
        {
            Some(digit) => value = value.wrapping_mul(radix).wrapping_add(digit),
            None => break,
        }
    }
    value
}

fn push_byte_or(out: &mut Vec<u8>, value: Option<u32>, otherwise: &str) {
    match value {
        Some(value) => out.push(value.to_le_bytes()[0]),
        None => out.extend_from_slice(otherwise.as_bytes()),
    }
}

fn push_code_or(out: &mut Vec<u8>, value: Option<u32>, otherwise: &str) {
    match value {
        Some(value) => push_char(
            out,
            char::from_u32(value).unwrap_or(char::REPLACEMENT_CHARACTER),
        ),
        None => out.extend_from_slice(otherwise.as_bytes()),
    }
}

fn push_char(out: &mut Vec<u8>, c: char) {
    out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ansi_c_escapes_are_what_bash_makes_of_them() {
        for (written, expected) in [
            (r"rm", "rm"),
            (r"\x72m", "rm"),
            (r"r\155", "rm"),
            (r"\u0072\U0000006d", "rm"),
            (r"a\'b\\c\n", "a'b\\c\n"),
            (r"\q\xg", r"\q\xg"),
            (r"rm\0foo", "rm"),
            (r"\cA\e", "\u{1}\u{1b}"),
            (r"\xc3\xa9", "\u{e9}"),
            ("\\", "\\"),
        ] {
            assert_eq!(ansi_c(written), expected, "{written}");
        }
    }

    #[test]
    fn backslashes_by_context() {
        assert_eq!(unquoted("r\\m\\\nx\\"), "rmx\\");
        assert_eq!(double_quoted("a\\b\\\"\\$\\\nc"), "a\\b\"$c");
        assert_eq!(
            in_backticks("\\`a\\` \\\"b\\\"", Quotes::None),
            "`a` \\\"b\\\""
        );
        assert_eq!(
            in_backticks("\\`a\\` \\\"b\\\"", Quotes::Double),
            "`a` \"b\""
        );
    }
}
