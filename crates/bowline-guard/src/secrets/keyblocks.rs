//! Private keys: PEM and PGP blocks (also escaped, indented, quoted or cut short) and PuTTY files.

use std::ops::Range;

use super::text::{Text, decode_base64, is_base64};

/// The largest block that is read.
const MAX_BLOCK: usize = 64 * 1024;

/// The body of the private key whose `-----BEGIN` starts at `at`.
pub(super) fn find(text: Text<'_>, at: usize) -> Option<Range<usize>> {
    let label = at + b"-----BEGIN".len();
    let label_end = text.run(label, 48, |b| {
        b.is_ascii_uppercase() || b.is_ascii_digit() || b == b' '
    });
    if !is_private(text.slice(label..label_end)) {
        return None;
    }
    let body = text.run(label_end, 5, |b| b == b'-' || b == b' ');
    let limit = (body + MAX_BLOCK).min(text.len());
    let end = match text.find(body..limit, b"---") {
        Some(marker) if has_key_material(text.slice(body..marker)) => {
            text.run_back(marker, 64, |b| b.is_ascii_whitespace())
        }
        // A block without an end: what still looks like one.
        _ => body_end(text, body, limit),
    };
    let start = first_material(text, body, end);
    (has_key_material(text.slice(start..end))).then_some(start..end)
}

/// The rest of a private key of which only the end is there.
pub(super) fn find_tail(text: Text<'_>, at: usize) -> Option<Range<usize>> {
    let label = at + b"-----END".len();
    let label_end = text.run(label, 48, |b| {
        b.is_ascii_uppercase() || b.is_ascii_digit() || b == b' '
    });
    if !is_private(text.slice(label..label_end)) {
        return None;
    }
    let end = text.run_back(at, 64, |b| b.is_ascii_whitespace());
    let mut start = end;
    while start > end.saturating_sub(MAX_BLOCK) {
        let line = text.line_start(start);
        let content = text.slice(line..start).trim_ascii();
        let is_material = content.len() >= 4 && content.iter().all(|&b| is_base64(b));
        if !is_material {
            break;
        }
        let Some(previous) = line.checked_sub(1) else {
            start = line;
            break;
        };
        start = previous;
    }
    let start = text.run(start, 64, |b| b.is_ascii_whitespace()).min(end);
    (end - start >= 16).then_some(start..end)
}

/// `PRIVATE KEY`, `RSA PRIVATE KEY`, `PGP PRIVATE KEY BLOCK`, `SSH2 ENCRYPTED PRIVATE KEY`.
fn is_private(label: &[u8]) -> bool {
    label.windows(11).any(|window| window == b"PRIVATE KEY")
}

/// The first byte of base64 after line breaks, escapes and headers.
fn first_material(text: Text<'_>, body: usize, end: usize) -> usize {
    let mut at = body;
    loop {
        at = text.run(at, 64, |b| b.is_ascii_whitespace() || b == b'-');
        if text.byte(at) == b'\\' {
            at = text.run(at, 8, |b| b == b'\\');
            at += usize::from(matches!(text.byte(at), b'n' | b'r'));
            continue;
        }
        return at.min(end);
    }
}

fn has_key_material(body: &[u8]) -> bool {
    let longest = body.split(|&b| !is_base64(b)).map(<[u8]>::len).max();
    longest.is_some_and(|run| run >= 16)
}

/// Where a block without its end marker stops: at the first line that holds no base64.
fn body_end(text: Text<'_>, body: usize, limit: usize) -> usize {
    let mut end = body;
    let mut at = body;
    while at < limit {
        let line_end = text.line_end(at).min(limit);
        let line = text.slice(at..line_end);
        let is_header = line.windows(2).any(|w| w == b": ") && line.len() < 80;
        if line.trim_ascii().is_empty() || is_header {
            at = line_end + 1;
            continue;
        }
        if !is_body_line(line) {
            break;
        }
        end = line_end;
        at = line_end + 1;
    }
    // What closes a string after the key is not the key.
    text.run_back(end, 64, |b| !is_base64(b) && b < 0x80)
        .max(body)
}

/// A line of base64, with at most a line number, a diff sign or quotes around it.
fn is_body_line(line: &[u8]) -> bool {
    let longest = line
        .split(|&b| !is_base64(b))
        .map(<[u8]>::len)
        .max()
        .unwrap_or(0);
    longest >= 16 && longest * 4 >= line.trim_ascii().len() * 2
}

/// A PEM block in base64 once more, if it holds a private key; `at` is its start.
pub(super) fn find_encoded(text: Text<'_>, at: usize) -> Option<Range<usize>> {
    if !text.starts_token(at) {
        return None;
    }
    let end = text.run(at, MAX_BLOCK, is_base64);
    let head = decode_base64(text.slice(at..(at + 96).min(end)), 64);
    is_private(&head).then_some(at..end)
}

/// The private lines, or the checksum over them, of a PuTTY key; `at` is the end of the keyword.
pub(super) fn find_putty(text: Text<'_>, at: usize) -> Option<Range<usize>> {
    let value = text.skip_blanks(at);
    let count_end = text.run(value, 70, |b| b.is_ascii_alphanumeric());
    if count_end - value >= 32 {
        return Some(value..count_end);
    }
    let start = text.run(count_end, 4, |b| b.is_ascii_whitespace());
    let mut end = start;
    let mut at = start;
    for _ in 0..64 {
        let line_end = text.line_end(at);
        let line = text.slice(at..line_end).trim_ascii();
        if line.len() < 4 || !line.iter().all(|&b| is_base64(b)) {
            break;
        }
        end = line_end;
        at = line_end + 1;
    }
    (end > start + 16).then_some(start..end)
}
