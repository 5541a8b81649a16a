//! Reads values: in quotes of any kind, bare, in an XML element, after a type or within a call.

use std::ops::Range;

use super::judge::Form;
use super::text::{MAX_BARE, MAX_VALUE, Text, is_key_byte, is_quote, is_word};

/// A place where the value of a name stands.
#[derive(Debug, Clone)]
pub(super) struct Slot {
    pub(super) span: Range<usize>,
    pub(super) form: Form,
}

/// A value in quotes of any kind, escaped ones too.
pub(super) fn quoted_value(text: Text<'_>, at: usize, form: Form) -> Option<Slot> {
    // `b"…"`, `r'…'`, `@"…"`.
    let at = if matches!(text.byte(at), b'b' | b'r' | b'u' | b'@' | b'L')
        && is_quote(text.byte(at + 1))
    {
        at + 1
    } else {
        at
    };
    let quote_at = text.run(at, 8, |b| b == b'\\');
    let quote = text.byte(quote_at);
    if !is_quote(quote) {
        return None;
    }
    let escapes = quote_at - at;
    let mut start = quote_at + 1;
    if escapes == 0 && text.byte(start) == quote && text.byte(start + 1) == quote {
        start += 2;
    }
    let end = closing_quote(text, start, quote, escapes);
    Some(Slot {
        span: start..end,
        form,
    })
}

/// Where a quoted value ends: at its quote with as many backslashes as the opening one had, or at
/// the end of the line.
fn closing_quote(text: Text<'_>, start: usize, quote: u8, escapes: usize) -> usize {
    let mut at = start;
    let limit = start + MAX_VALUE;
    let mut backslashes = 0;
    while at < limit.min(text.len()) {
        match text.byte(at) {
            b'\\' => backslashes += 1,
            b'\n' => return at,
            byte if byte == quote
                && (backslashes == escapes || (escapes == 0 && backslashes % 2 == 0)) =>
            {
                return at - if escapes == 0 { 0 } else { backslashes };
            }
            _ => backslashes = 0,
        }
        at += 1;
    }
    text.run_back(at, 4, |b| b >= 0x80)
}

/// Whether a value without quotes may end at a byte; of most bytes there is nothing more to ask.
fn may_end_bare(byte: u8) -> bool {
    byte.is_ascii_whitespace()
        || is_quote(byte)
        || matches!(byte, b'<' | b'>' | b'|' | b',' | b';' | b'&' | b'%' | b'\\')
}

/// A value without quotes: up to white space or the syntax around it.
pub(super) fn bare(text: Text<'_>, at: usize, form: Form) -> Option<Slot> {
    let limit = at.saturating_add(MAX_BARE).min(text.len());
    let mut end = at;
    while end < limit {
        end = text.run(end, limit - end, |b| !may_end_bare(b));
        if end == limit {
            break;
        }
        let byte = text.byte(end);
        if byte.is_ascii_whitespace() || is_quote(byte) || matches!(byte, b'<' | b'>') {
            break;
        }
        if byte == b'|' && form == Form::Prose {
            break;
        }
        if matches!(byte, b',' | b';' | b'&') && ends_value(text, end + 1) {
            break;
        }
        if byte == b'%' && text.starts_with(end, b"%26") {
            break;
        }
        if byte == b'\\'
            && matches!(
                text.byte(end + 1),
                b'n' | b'r' | b't' | b'"' | b'\'' | b'\\' | b'\n'
            )
        {
            break;
        }
        end += 1;
    }
    if end == limit {
        end = text.run_back(end, 4, |b| b >= 0x80);
    }
    let opens = |range: Range<usize>, open: u8| text.slice(range).contains(&open);
    while end > at {
        let last = text.before(end);
        let trailing = match last {
            b')' => !opens(at..end, b'('),
            b']' => !opens(at..end, b'['),
            b'}' => !opens(at..end, b'{'),
            b',' | b';' => true,
            b'.' | b':' => form == Form::Prose,
            _ => false,
        };
        if !trailing {
            break;
        }
        end -= 1;
    }
    (end > at).then_some(Slot {
        span: at..end,
        form,
    })
}

/// Whether what follows a comma, semicolon or ampersand is the next thing, not more of the value.
fn ends_value(text: Text<'_>, at: usize) -> bool {
    let next = text.byte(at);
    if next == 0
        || next.is_ascii_whitespace()
        || is_quote(next)
        || matches!(next, b'&' | b'}' | b']' | b')')
    {
        return true;
    }
    let name_end = text.run(at, 48, |b| is_key_byte(b) || matches!(b, b'.' | b' '));
    name_end > at && matches!(text.byte(name_end), b'=' | b':')
}

fn trim(text: Text<'_>, span: Range<usize>) -> Range<usize> {
    let start = text.run(span.start, MAX_VALUE, |b| b.is_ascii_whitespace());
    let end = text.run_back(span.end, MAX_VALUE, |b| b.is_ascii_whitespace());
    start..end.max(start)
}

/// The text of an XML element up to the next tag.
pub(super) fn element(text: Text<'_>, start: usize) -> Option<Slot> {
    let end = text.run(start, MAX_VALUE, |b| b != b'<');
    let span = trim(text, start..end);
    (text.byte(end) == b'<').then_some(Slot {
        span,
        form: Form::Literal,
    })
}

/// `: &str = "…"`: the value after a type.
pub(super) fn typed_value(text: Text<'_>, at: usize) -> Option<Slot> {
    let after_type = text.run(at, 48, |b| {
        is_word(b) || matches!(b, b'<' | b'>' | b'&' | b'\'' | b' ' | b'.' | b'?' | b':')
    });
    if text.byte(after_type) != b'=' || after_type == at {
        return None;
    }
    let value = text.skip_blanks(after_type + 1);
    quoted_value(text, value, Form::Quoted).or_else(|| wrapped_value(text, value))
}

/// `Some("…")`, `SecretString::from("…")`: a literal in the call that makes the value.
pub(super) fn wrapped_value(text: Text<'_>, at: usize) -> Option<Slot> {
    let name_end = text.run(at, 64, |b| is_word(b) || matches!(b, b':' | b'.' | b' '));
    if text.byte(name_end) != b'(' {
        return None;
    }
    let name = text.slice(at..name_end);
    let wraps = [
        &b"some"[..],
        b"from",
        b"string",
        b"secret",
        b"new",
        b"str",
        b"ref",
        b"bytes",
        b"value",
    ]
    .iter()
    .any(|word| {
        name.len()
            .checked_sub(word.len())
            .and_then(|tail| name.get(tail..))
            .is_some_and(|tail| tail.eq_ignore_ascii_case(word))
    });
    let value = text.skip_blanks(name_end + 1);
    if wraps {
        quoted_value(text, value, Form::Quoted)
    } else {
        None
    }
}
