//! Secrets in files of a known layout: password hashes, `.pgpass`, Kubernetes secrets, SQL.

use std::ops::Range;

use super::judge::Form;
use super::slots::quoted_value;
use super::text::{Text, is_base64, is_quote, is_word};
use super::values::{
    Shape, has_own_digits, is_everyday_word, is_password_like, is_placeholder, is_reference,
};

/// A hash of a password, as in `shadow` and `htpasswd`; its marker starts at `at`.
pub(super) fn find_crypt(text: Text<'_>, at: usize) -> Option<Range<usize>> {
    if is_word(text.before(at)) {
        return None;
    }
    let end = text.run(at, 512, |b| {
        is_base64(b) || matches!(b, b'$' | b'.' | b'{' | b'}' | b'_' | b',')
    });
    let value = text.slice(at..end);
    let last = value
        .rsplit(|b| matches!(b, b'$' | b'}'))
        .next()
        .unwrap_or_default();
    let enough = if value.starts_with(b"$1$") || value.starts_with(b"$apr1$") {
        22
    } else {
        24
    };
    (last.len() >= enough && Shape::of(last).distinct > 6).then_some(at..end)
}

/// The last of the five fields of a `.pgpass` line; a field separator stands at `at`.
pub(super) fn find_pgpass(text: Text<'_>, at: usize) -> Option<Range<usize>> {
    let line = text.line_start(at);
    let end = text.line_end(at);
    let bytes = text.slice(line..end).trim_ascii_end();
    let mut fields = bytes.splitn(5, |&b| b == b':');
    let (host, port, database, user) = (
        fields.next()?,
        fields.next()?,
        fields.next()?,
        fields.next()?,
    );
    let password = fields.next()?;
    let is_port = port == b"*" || (port.len() >= 4 && port.iter().all(u8::is_ascii_digit));
    let names = [host, database, user].iter().all(|field| {
        !field.is_empty()
            && !field
                .iter()
                .any(|b| b.is_ascii_whitespace() || is_quote(*b) || *b == b'/')
    });
    let span = line + bytes.len() - password.len()..line + bytes.len();
    (is_port && names && !password.iter().any(u8::is_ascii_whitespace) && is_literal(password))
        .then_some(span)
}

/// The values below `data:` and `stringData:` around the `kind` of a Kubernetes secret, which
/// starts at `at`; what lies before `done` was read for an earlier one. Also tells how far it read.
pub(super) fn find_kubernetes(
    text: Text<'_>,
    at: usize,
    end: usize,
    done: usize,
) -> (Vec<Range<usize>>, usize) {
    const REACH: usize = 4 * 1024;
    let mut found = Vec::new();
    if is_word(text.byte(end)) || text.before(at) == b'-' || at < done {
        return (found, done);
    }
    let from = at.saturating_sub(REACH).max(done);
    let start = text
        .slice(from..at)
        .windows(4)
        .rposition(|w| w == b"\n---")
        .map_or(from, |i| from + i);
    let until = text
        .find(end..end + REACH, b"\n---")
        .unwrap_or(end + REACH)
        .min(text.len());
    if text.byte(at) == b'"' {
        let mut from = start;
        for heading in [&b"\"data\""[..], b"\"stringData\""] {
            while let Some(heading_at) = text.find(from..until, heading) {
                json_map(text, heading_at + heading.len(), until, &mut found);
                from = heading_at + heading.len();
            }
            from = start;
        }
    } else {
        yaml_maps(text, start, until, &mut found);
    }
    (found, until)
}

/// The values of the maps `data` and `stringData`: lines that are indented more than their heading.
fn yaml_maps(text: Text<'_>, start: usize, until: usize, found: &mut Vec<Range<usize>>) {
    let mut line = text.line_start(start);
    let mut heading: Option<usize> = None;
    while line < until {
        let end = text.line_end(line).min(until);
        let content = text.skip_blanks(line);
        let indent = content - line;
        let trimmed = text.slice(content..end).trim_ascii_end();
        match heading {
            _ if trimmed == b"data:" || trimmed == b"stringData:" => heading = Some(indent),
            Some(outer) if indent > outer => {
                if let Some(colon) = text.find(content..end, b": ") {
                    let open = text.run(text.skip_blanks(colon + 1), 1, is_quote);
                    let close = text.run_back(end, 64, |b| b.is_ascii_whitespace() || is_quote(b));
                    push_value(text, open..close, found);
                }
            }
            _ => heading = None,
        }
        line = end + 1;
    }
}

fn json_map(text: Text<'_>, at: usize, until: usize, found: &mut Vec<Range<usize>>) {
    let Some(close) = text.find(at..until, b"}") else {
        return;
    };
    let mut at = at;
    // Names and values take turns: "a": "b", "c": "d".
    let mut is_value = false;
    while let Some(open) = text.find(at..close, b"\"") {
        let Some(end) = text.find(open + 1..close, b"\"") else {
            return;
        };
        if is_value {
            push_value(text, open + 1..end, found);
        }
        is_value = !is_value;
        at = end + 1;
    }
}

fn push_value(text: Text<'_>, span: Range<usize>, found: &mut Vec<Range<usize>>) {
    let value = text.slice(span.clone());
    let is_template = [&b"{{"[..], b"${", b"<", b"[REDACTED:"]
        .iter()
        .any(|lead| value.starts_with(lead));
    if value.len() >= 4 && !is_template && !is_placeholder(value) {
        found.push(span);
    }
}

/// `IDENTIFIED BY 'SECRET'`, `log in with admin / SECRET`; the phrase ends at `at`.
pub(super) fn find_phrase(text: Text<'_>, start: usize, at: usize) -> Option<Range<usize>> {
    let limit = text.line_end(at).min(at + 96);
    if text.starts_with_ignore_case(start, b"log") {
        let slash = text.find(at..limit, b" / ").map(|i| i + 3).or_else(|| {
            let pair = text.skip_blanks(at);
            let end = text.run(pair, 64, |b| !b.is_ascii_whitespace());
            text.find(pair..end, b"/").map(|i| i + 1)
        })?;
        let end = text.run(slash, 64, |b| {
            !b.is_ascii_whitespace() && !matches!(b, b',' | b'.' | b')')
        });
        let value = text.slice(slash..end);
        return (value.len() >= 6 && has_own_digits(value) && is_literal(value))
            .then_some(slash..end);
    }
    let open = text.run(at, limit - at.min(limit), |b| !is_quote(b));
    let quote = text.byte(open);
    if !is_quote(quote) {
        return None;
    }
    // `IDENTIFIED WITH plugin BY '…'` and `IDENTIFIED BY PASSWORD '…'` have words in between.
    let end = text.run(open + 1, 256, |b| b != quote && b != b'\n');
    let mut span = open + 1..end;
    let by = text
        .find(end..text.line_end(end), b" BY ")
        .or_else(|| text.find(end..text.line_end(end), b" by "));
    if let Some(by) = by.filter(|by| by - end < 8) {
        let open = text.run(by, 16, |b| !is_quote(b));
        let quote = text.byte(open);
        span = open + 1..text.run(open + 1, 256, |b| b != quote && b != b'\n');
    }
    is_literal(text.slice(span.clone())).then_some(span)
}

/// The word before `at`, if it looks like a password: `… as the password`.
pub(super) fn find_before(text: Text<'_>, at: usize) -> Option<Range<usize>> {
    let is_edge = |b: u8| b.is_ascii_whitespace() || is_quote(b);
    let end = text.run_back(at, 8, is_edge);
    let start = text.run_back(end, 128, |b| !is_edge(b));
    let value = text.slice(start..end);
    (is_password_like(value) && is_literal(value)).then_some(start..end)
}

/// The second of two quoted arguments: `login("ci", "…")`, `auth=('ci', '…')`.
pub(super) fn find_pair(text: Text<'_>, at: usize) -> Option<Range<usize>> {
    let user = quoted_value(text, text.skip_space(at), Form::Quoted)?;
    let comma = text.skip_space(user.span.end + 1);
    if text.byte(comma) != b',' {
        return None;
    }
    let password = quoted_value(text, text.skip_space(comma + 1), Form::Quoted)?.span;
    let value = text.slice(password.clone());
    let is_secret = has_own_digits(value) && Shape::of(value).spaces == 0 && is_literal(value);
    is_secret.then_some(password)
}

fn is_literal(value: &[u8]) -> bool {
    value.len() >= 4 && !is_reference(value) && !is_placeholder(value) && !is_everyday_word(value)
}
