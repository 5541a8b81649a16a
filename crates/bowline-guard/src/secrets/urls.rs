//! Credentials in addresses: `scheme://user:SECRET@host`.

use std::ops::Range;

use super::text::{Text, is_quote, is_word};
use super::values::{is_everyday_word, is_placeholder, is_random, is_reference};

/// The longest authority that is read.
const MAX_AUTHORITY: usize = 512;

/// The password of the address whose `://` ends at `at`.
pub(super) fn find(text: Text<'_>, at: usize) -> Option<Range<usize>> {
    if !text.before(at - 3).is_ascii_alphanumeric() {
        return None;
    }
    let end = text.run(at, MAX_AUTHORITY, |b| {
        !b.is_ascii_whitespace() && !is_quote(b) && !matches!(b, b'<' | b'>' | b'|' | b'\\')
    });
    let whole = text.slice(at..end);
    let authority_end = whole
        .iter()
        .position(|b| matches!(b, b'/' | b'?' | b'#'))
        .unwrap_or(whole.len());
    let authority = whole.get(..authority_end).unwrap_or_default();
    let sign = authority
        .iter()
        .rposition(|&b| b == b'@')
        .or_else(|| late_sign(authority, whole))?;
    let user_info = whole.get(..sign)?;
    if user_info.starts_with(b"[REDACTED:") {
        return None;
    }
    let Some(colon) = user_info.iter().position(|&b| b == b':') else {
        // A token in the place of the user.
        return is_random(user_info, 20).then(|| at..at + user_info.len());
    };
    let span = at + colon + 1..at + user_info.len();
    is_secret(text.slice(span.clone())).then_some(span)
}

/// The `@` after a password with a raw `/`, `?` or `#`. If what stands before that is a port, the
/// address has no password.
fn late_sign(authority: &[u8], whole: &[u8]) -> Option<usize> {
    let colon = authority.iter().position(|&b| b == b':')?;
    let after = authority.get(colon + 1..).unwrap_or_default();
    let is_port = after.iter().all(u8::is_ascii_digit);
    let is_readable = after.iter().all(u8::is_ascii_graphic);
    if is_port || !is_readable {
        return None;
    }
    whole.iter().rposition(|&b| b == b'@')
}

/// The password of a data source name without a scheme, whose `@tcp(` starts at `at`.
pub(super) fn data_source(text: Text<'_>, at: usize) -> Option<Range<usize>> {
    let start = text.run_back(at, 256, |b| !b.is_ascii_whitespace() && !is_quote(b));
    let colon = text.find(start..at, b":")?;
    let span = colon + 1..at;
    is_secret(text.slice(span.clone())).then_some(span)
}

fn is_secret(password: &[u8]) -> bool {
    password.len() >= 3
        && !is_reference(password)
        && !is_placeholder(password)
        && !is_named(password)
        && password.iter().any(|&b| is_word(b))
}

/// `user:password@host` of a manual.
fn is_named(password: &[u8]) -> bool {
    is_everyday_word(password)
        || (password.len() >= 2
            && password
                .iter()
                .all(|b| b.is_ascii_uppercase() || *b == b'_'))
}
