//! Assignments: a telling name, then its value, in whatever syntax holds them: environment files,
//! YAML, JSON, INI, XML, code, query strings, flags, tables.

use std::ops::Range;

use super::judge::{Form, accepts};
use super::keys::{self, KeyKind};
use super::slots::{Slot, bare, element, quoted_value, typed_value, wrapped_value};
use super::text::{Text, is_key_byte, is_quote, is_word};
use super::wordlist::WordList;

/// The longest name that is taken for one.
const MAX_KEY: usize = 80;

/// Words that may stand between a verb and the value.
const FILLERS: &[&str] = &[
    "been ",
    "now ",
    "currently ",
    "still ",
    "just ",
    "set ",
    "changed ",
    "reset ",
    "updated ",
    "rotated ",
    "to ",
    "be ",
];

/// What may follow a stem within its word.
static TAILS: WordList = WordList::new(
    "s word words wd wort ord e code phrase phrases key keys token tokens secret secrets ential entials \
     orization entication ion ionid id ionkey iontoken pass auth accesskey access env name data pw \
     accesstoken hrase",
);

/// A name in the text with what it promises.
#[derive(Debug, Clone)]
pub(super) struct Key {
    pub(super) span: Range<usize>,
    pub(super) kind: KeyKind,
}

/// The name around a stem, judged.
pub(super) fn key_around(text: Text<'_>, start: usize, end: usize) -> Option<Key> {
    if !ends_word(text, end) {
        return None;
    }
    // A stem may carry its separator (`sig=`).
    let end = text.run_back(end, 2, |b| b == b'=' || b == b':');
    let mut first = text.run_back(start, MAX_KEY, is_key_byte);
    let last = text.run(end, MAX_KEY, is_key_byte);
    if last - first > MAX_KEY || text.slice(first.saturating_sub(9)..first) == b"REDACTED:" {
        return None;
    }
    // The `n` of an escaped line break is not part of the name.
    if text.before(first) == b'\\' && matches!(text.byte(first), b'n' | b't' | b'r') {
        first += 1;
    }
    // `-Dpassword=…`, `-Ppassword=…`: the flag's letter is no part of the name.
    if text.byte(first) == b'-' && matches!(text.byte(first + 1), b'D' | b'P') {
        first += 2;
    }
    let named = with_qualifier(text, first, last);
    let kind = match keys::classify(text.slice(named..last)) {
        KeyKind::Plain if in_query(text, first) && is_signature(text.slice(first..last)) => {
            KeyKind::Token
        }
        kind => kind,
    };
    (kind != KeyKind::Plain).then_some(Key {
        span: first..last,
        kind,
    })
}

/// The start of the name with the word before a bare `key`: `API key`, `public key`.
fn with_qualifier(text: Text<'_>, first: usize, last: usize) -> usize {
    let name = text.slice(first..last);
    if text.before(first) == b' ' && name.eq_ignore_ascii_case(b"key") {
        text.run_back(first - 1, 16, is_key_byte)
    } else {
        first
    }
}

/// Whether the word that a stem starts may be a telling one: `pass` of `password`, but not `auth`
/// of `author`. Most words of a text are turned away here.
fn ends_word(text: Text<'_>, end: usize) -> bool {
    let last = text.before(end);
    let tail_end = if last.is_ascii_lowercase() {
        text.run(end, 16, |b| b.is_ascii_lowercase())
    } else if last.is_ascii_uppercase() {
        text.run(end, 16, |b| b.is_ascii_alphabetic())
    } else {
        end
    };
    tail_end == end || TAILS.contains_ignore_case(text.slice(end..tail_end))
}

/// A signature opens a door only as part of an address.
fn is_signature(name: &[u8]) -> bool {
    [
        &b"sig"[..],
        b"signature",
        b"x-amz-signature",
        b"x-goog-signature",
    ]
    .iter()
    .any(|known| name.eq_ignore_ascii_case(known))
}

fn in_query(text: Text<'_>, at: usize) -> bool {
    matches!(text.before(at), b'?' | b'&')
}

/// The secret that is assigned to `key`.
pub(super) fn value_of(text: Text<'_>, key: &Key) -> Option<Range<usize>> {
    let slot = slot_after(text, key)?;
    accepts(text, key, &slot)
}

fn slot_after(text: Text<'_>, key: &Key) -> Option<Slot> {
    let Range { start, end } = key.span.clone();
    let is_flag = text.byte(start) == b'-'
        && matches!(
            text.before(start),
            0 | b' ' | b'\t' | b'\n' | b'"' | b'\'' | b'['
        );
    let mut at = end;
    let quoted = skip_closing_quote(text, &mut at);
    if text.byte(at) == b']' {
        at += 1;
    }
    // `**Password**:`
    at = text.run(at, 3, |b| b == b'*');
    if matches!(text.byte(at), b'?' | b'!') && text.byte(at + 1) == b':' {
        at += 1;
    }
    let separator = after_remark(text, text.skip_blanks(at));
    match text.byte(separator) {
        b':' if stands_in_path(text, start, separator) => None,
        b'-' if text.byte(separator + 1) == b'>' => {
            bare(text, text.skip_blanks(separator + 2), Form::Prose)
        }
        b'%' if text.starts_with_ignore_case(separator, b"%3d") => {
            bare(text, separator + 3, Form::Literal)
        }
        b'=' => after_equals(text, key, separator),
        b':' => after_colon(text, key, separator),
        b'|' => {
            let value = text.skip_blanks(separator + 1);
            bare(text, value, Form::Prose)
        }
        b'>' if matches!(text.before(start), b'<' | b':') => element(text, separator + 1),
        b'>' if quoted => element(text, separator + 1),
        b',' if is_flag && !quoted => bare(text, text.skip_blanks(separator + 1), Form::Flag),
        b',' if quoted => {
            let value = text.skip_space(separator + 1);
            let form = if is_flag { Form::Flag } else { Form::Quoted };
            name_and_value(text, separator).or_else(|| quoted_value(text, value, form))
        }
        b'\n' | b'\r' => {
            printed(text, start, separator).or_else(|| name_and_value(text, separator))
        }
        _ if separator > at && is_flag => {
            quoted_value(text, separator, Form::Flag).or_else(|| bare(text, separator, Form::Flag))
        }
        _ if separator > at => {
            name_and_value(text, separator).or_else(|| after_words(text, key, separator))
        }
        _ => None,
    }
}

/// Steps over a quote that closes the name, with the backslashes before it if it is escaped.
fn skip_closing_quote(text: Text<'_>, at: &mut usize) -> bool {
    let quote = text.run(*at, 8, |b| b == b'\\');
    let is_closing = is_quote(text.byte(quote));
    if is_closing {
        *at = quote + 1;
    }
    is_closing
}

fn after_equals(text: Text<'_>, key: &Key, separator: usize) -> Option<Slot> {
    let tight = separator == key.span.end;
    let mut at = separator + 1;
    match text.byte(at) {
        b'>' => at += 1,
        b'=' | b'~' => return None,
        _ => {}
    }
    let mut value = text.skip_blanks(at);
    // `apiKey={"…"}`
    if text.byte(value) == b'{' && is_quote(text.byte(value + 1)) {
        value += 1;
    }
    quoted_value(text, value, Form::Quoted)
        .or_else(|| wrapped_value(text, value))
        .or_else(|| {
            let form = if !(tight && value == at) {
                Form::Spaced
            } else if in_query(text, key.span.start) || text.before(key.span.start) == b';' {
                Form::Literal
            } else {
                Form::Tight
            };
            bare(text, value, form)
        })
}

fn after_colon(text: Text<'_>, key: &Key, separator: usize) -> Option<Slot> {
    let at = match text.byte(separator + 1) {
        b':' => return None,
        b'=' => separator + 2,
        _ => separator + 1,
    };
    // `**Password:** …`
    let mut value = text.skip_blanks(text.run(at, 3, |b| b == b'*'));
    // A block scalar, or a value on the next line of pretty-printed JSON.
    if matches!(text.byte(value), b'|' | b'>')
        && matches!(
            text.byte(text.run(value + 1, 2, |b| matches!(b, b'-' | b'+'))),
            b'\n'
        )
    {
        value = text.skip_space(text.line_end(value));
    } else if text.byte(value) == b'\n' && is_quote(text.before(separator)) {
        value = text.skip_space(value);
        return quoted_value(text, value, Form::Quoted);
    } else if text.byte(value) == b'\n' && matches!(text.byte(value + 1), b' ' | b'\t') {
        return bare(text, text.skip_blanks(value + 1), Form::Prose);
    }
    typed_value(text, value)
        .or_else(|| quoted_value(text, value, Form::Quoted))
        .or_else(|| bare(text, value, Form::Spaced))
        .filter(|slot| slot.span.start < slot.span.end || key.kind == KeyKind::Mnemonic)
}

/// `name="X" value="…"` in XML, JSON, YAML and manifests.
fn name_and_value(text: Text<'_>, at: usize) -> Option<Slot> {
    let mut at = text.run(at, 64, |b| {
        b.is_ascii_whitespace() || b == b',' || b == b'{'
    });
    if is_quote(text.byte(at)) {
        at += 1;
    }
    let rest = text.run(at, 16, is_word);
    let is_value = [&b"value"[..], b"content", b"secretvalue", b"default"]
        .iter()
        .any(|word| text.slice(at..rest).eq_ignore_ascii_case(word));
    if !is_value {
        return None;
    }
    let mut at = rest;
    skip_closing_quote(text, &mut at);
    let separator = text.skip_blanks(at);
    if !matches!(text.byte(separator), b'=' | b':') {
        return None;
    }
    let value = text.skip_blanks(separator + 1);
    quoted_value(text, value, Form::Quoted).or_else(|| bare(text, value, Form::Literal))
}

/// The position after a remark in parentheses: `password (guest): …`.
fn after_remark(text: Text<'_>, at: usize) -> usize {
    if text.byte(at) != b'(' {
        return at;
    }
    let close = text.run(at, 40, |b| b != b')' && b != b'\n');
    if text.byte(close) == b')' && matches!(text.byte(close + 1), b':' | b' ') {
        text.skip_blanks(close + 1)
    } else {
        at
    }
}

/// The user of an address (`//token:…@host`) or a part of a resource name (`a:secret:b`).
fn stands_in_path(text: Text<'_>, key: usize, separator: usize) -> bool {
    let in_address = text.slice(key.saturating_sub(2)..key) == b"//";
    let in_name = text.before(key) == b':' && !text.byte(separator + 1).is_ascii_whitespace();
    in_address || in_name
}

/// `printenv NAME`, `echo $NAME`: the value is the next line.
fn printed(text: Text<'_>, key_start: usize, line_break: usize) -> Option<Slot> {
    let line = text.slice(text.line_start(key_start)..key_start);
    let shown = [
        &b"printenv "[..],
        b"echo $",
        b"echo \"$",
        b"echo ${",
        b"get-value ",
        b"Env:",
    ]
    .iter()
    .any(|command| line.ends_with(command));
    if !shown {
        return None;
    }
    let value = text.skip_space(line_break);
    bare(text, value, Form::Prose)
}

/// `password is …`, `password for the box: …`, `secret_access_key …`.
fn after_words(text: Text<'_>, key: &Key, at: usize) -> Option<Slot> {
    if text.byte(at) == b'-' {
        return None;
    }
    if let Some(slot) = quoted_value(text, at, Form::QuotedProse) {
        return Some(slot);
    }
    let word_end = text.run(at, 16, |b| b.is_ascii_alphabetic());
    let word = text.slice(at..word_end).to_ascii_lowercase();
    match word.as_slice() {
        b"is" | b"was" | b"to" | b"be" | b"becomes" | b"has"
            if text.byte(word_end) == b' ' || text.byte(word_end) == b':' =>
        {
            let mut value = text.run(word_end, 4, |b| b == b' ' || b == b':');
            for filler in FILLERS {
                if text.starts_with(value, filler.as_bytes()) {
                    value += filler.len();
                }
            }
            return quoted_value(text, value, Form::QuotedProse)
                .or_else(|| bare(text, value, Form::Prose));
        }
        b"for" | b"of" | b"on" | b"in" | b"used" => {
            let limit = text.line_end(at).min(at + 64);
            let colon = text
                .find(at..limit, b": ")
                .or_else(|| text.find(at..limit, b" is "))
                .or_else(|| text.find(at..limit, b" = "))?;
            let value = text.skip_blanks(text.run(colon, 4, |b| b != b' ') + 1);
            let value = value
                + if text.starts_with(value, b"is ") {
                    3
                } else {
                    0
                };
            let value = value + if text.starts_with(value, b"= ") { 2 } else { 0 };
            return quoted_value(text, value, Form::QuotedProse)
                .or_else(|| bare(text, value, Form::Prose));
        }
        _ => {}
    }
    // `login ci password …`: a `.netrc`, or a setting that needs no separator.
    let start = text.line_start(key.span.start);
    let line = text.slice(start..key.span.start);
    let has = |word: &[u8]| text.find(start..key.span.start, word).is_some();
    let is_netrc = has(b"login ") || has(b"account ");
    let starts_line = line.iter().all(u8::is_ascii_whitespace);
    let form = if is_netrc || (starts_line && previous_line_is_login(text, key.span.start)) {
        Form::Literal
    } else {
        Form::Prose
    };
    bare(text, at, form)
}

fn previous_line_is_login(text: Text<'_>, at: usize) -> bool {
    let line = text.line_start(at);
    let Some(end) = line.checked_sub(1) else {
        return false;
    };
    let previous = text.slice(text.line_start(end)..end);
    previous.trim_ascii_start().starts_with(b"login ")
}
