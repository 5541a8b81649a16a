//! Headers: authorization schemes, cookies, and the tokens that mostly travel in them.

use std::ops::Range;

use super::keys::{self, KeyKind};
use super::text::{MAX_LINE, Text, decode_base64, is_key_byte, is_quote, is_word};
use super::values::{Shape, is_hex, is_placeholder, is_random, is_reference};

/// The credentials after `Bearer ` or `Basic `, which ends at `at`.
pub(super) fn find_scheme(text: Text<'_>, start: usize, at: usize) -> Option<Range<usize>> {
    if is_key_byte(text.before(start)) {
        return None;
    }
    let value = text.skip_blanks(at);
    let end = text.run(value, 8192, |b| {
        is_word(b) || matches!(b, b'-' | b'.' | b'~' | b'+' | b'/' | b'=')
    });
    let bytes = text.slice(value..end);
    if is_reference(bytes) || is_placeholder(bytes) {
        return None;
    }
    let is_basic = text.starts_with_ignore_case(start, b"basic");
    let secret = if is_basic {
        is_pair(bytes)
    } else {
        is_random(bytes, 16) || (bytes.len() >= 32 && is_hex(bytes))
    };
    secret.then_some(value..end)
}

/// Base64 of `user:password`.
pub(super) fn is_pair(bytes: &[u8]) -> bool {
    let decoded = decode_base64(bytes, 256);
    bytes.len() >= 8
        && decoded.len() >= 5
        && decoded.contains(&b':')
        && decoded.iter().all(|b| b.is_ascii_graphic() || *b == b' ')
}

/// A JSON web token whose header starts at `at`: the header decodes to JSON.
pub(super) fn find_jwt(text: Text<'_>, at: usize) -> Option<Range<usize>> {
    let part = |b: u8| is_word(b) || b == b'-';
    let starts = text.starts_token(at) || text.before(at) == b'_';
    if !starts || !text.starts_with(at, b"eyJ") || text.before(at) == b'-' {
        return None;
    }
    let header_end = text.run(at, 4096, part);
    if text.byte(header_end) != b'.' {
        return None;
    }
    let payload = header_end + 1;
    let payload_end = text.run(payload, 64 * 1024, part);
    if text.byte(payload_end) != b'.' && payload_end - payload < 16 {
        return None;
    }
    let header = decode_base64(text.slice(at..header_end), 4096);
    let is_json = header.starts_with(b"{\"")
        && (header.windows(5).any(|w| w == b"\"alg\"")
            || header.windows(5).any(|w| w == b"\"typ\""));
    if !is_json {
        return None;
    }
    // Signed tokens have three parts, encrypted ones five; a cut one may have two.
    let mut end = payload_end;
    for _ in 0..3 {
        if text.byte(end) != b'.' {
            break;
        }
        let next = text.run(end + 1, 64 * 1024, part);
        if next == end + 1 && text.byte(next) != b'.' {
            break;
        }
        end = next;
    }
    (end - at >= 40).then_some(at..end)
}

/// A Discord bot token around the first of its dots, at `at`: id, time and checksum.
pub(super) fn find_dotted(text: Text<'_>, at: usize) -> Option<Range<usize>> {
    let part = |b: u8| is_word(b) || b == b'-';
    let second = (6..=7).map(|n| at + n).find(|&i| text.byte(i) == b'.')?;
    if text.run(at + 1, 8, part) != second {
        return None;
    }
    let start = text.run_back(at, 40, part);
    let end = text.run(second + 1, 48, part);
    let id = text.slice(start..at);
    let fits = (23..=28).contains(&id.len())
        && matches!(id.first(), Some(b'M' | b'N' | b'O'))
        && (27..=40).contains(&(end - second - 1));
    let whole = Shape::of(text.slice(start..end));
    (fits && whole.digits >= 2 && whole.upper >= 4 && !is_word(text.byte(end)))
        .then_some(start..end)
}

/// The session values of a `Cookie` or `Set-Cookie` header, whose name and colon end at `at`.
pub(super) fn find_cookies(text: Text<'_>, at: usize) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = text.skip_blanks(at);
    let mut quote = 0;
    if is_quote(text.byte(at)) {
        quote = text.byte(at);
        at += 1;
    }
    let limit = (at + 2 * MAX_LINE).min(text.len());
    while at < limit {
        let name_end = text.run(at, 128, |b| is_key_byte(b) || b == b'.');
        if text.byte(name_end) != b'=' {
            // `Secure; HttpOnly`
            at = text.run(name_end, 4, |b| b == b';' || b == b' ');
            if at == name_end {
                break;
            }
            continue;
        }
        let value = name_end + 1;
        let end = text.run(value, 8192, |b| {
            !b.is_ascii_whitespace() && b != b';' && b != quote && !matches!(b, b'"' | b'\\')
        });
        let bytes = text.slice(value..end);
        if is_session(text.slice(at..name_end), bytes) {
            found.push(value..end);
        }
        let next = text.run(end, 4, |b| b == b';' || b == b' ');
        if next == end {
            break;
        }
        at = next;
    }
    found
}

fn is_session(name: &[u8], value: &[u8]) -> bool {
    let attribute = [&b"path"[..], b"domain", b"expires", b"max-age", b"samesite"]
        .iter()
        .any(|known| name.eq_ignore_ascii_case(known));
    let telling = !matches!(keys::classify(name), KeyKind::Plain)
        || super::text::contains_ignore_case(name, b"sess")
        || super::text::contains_ignore_case(name, b"sid")
        || super::text::contains_ignore_case(name, b"auth");
    if attribute || is_reference(value) || is_placeholder(value) {
        return false;
    }
    is_random(value, 16) || (telling && value.len() >= 12 && Shape::of(value).digits > 0)
}
