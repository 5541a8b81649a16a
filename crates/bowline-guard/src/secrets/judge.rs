//! Decides whether the value at a place is a secret, from its name, its syntax and its shape.

use std::ops::Range;

use super::assign::Key;
use super::keys::KeyKind;
use super::slots::Slot;
use super::text::{Text, contains_ignore_case, is_quote};
use super::values::{
    Shape, entropy, has_own_digits, is_everyday_word, is_identifier_path, is_password_like,
    is_placeholder, is_random, is_reference, is_uuid, is_version_or_date, is_wordy,
};

/// How much of a value is looked at.
const MAX_JUDGED: usize = 96;

/// The syntax that a value stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// In quotes.
    Quoted,
    /// In quotes, within a sentence.
    QuotedProse,
    /// `NAME=value` without spaces: an environment, or an argument in code.
    Tight,
    /// `name = value`, `name: value`: a setting, or code.
    Spaced,
    /// `--name value`.
    Flag,
    /// Where only a literal can stand: an XML element, a query, a connection string.
    Literal,
    /// After a name in a sentence or a table.
    Prose,
}

/// The part of the value that is a secret, if it is one.
pub(super) fn accepts(text: Text<'_>, key: &Key, slot: &Slot) -> Option<Range<usize>> {
    if key.kind == KeyKind::Mnemonic {
        // Without quotes the phrase is the rest of the line.
        let end = match slot.form {
            Form::Quoted | Form::QuotedProse | Form::Literal => slot.span.end,
            Form::Tight | Form::Spaced | Form::Flag | Form::Prose => text.line_end(slot.span.start),
        };
        let span = slot.span.start..end;
        return is_mnemonic(text.slice(span.clone())).then_some(span);
    }
    let span = credentials(text, key, slot.span.clone());
    // The start of a long value tells enough.
    let value = text.slice(span.start..span.end.min(span.start + MAX_JUDGED));
    let is_literal = slot.form == Form::Literal || slot.form == Form::Quoted;
    if value.len() < 4
        || is_reference(value)
        || is_placeholder(value)
        || is_everyday_word(value)
        || is_name_of_secret(value)
        || (!is_literal && calls(text, &span))
    {
        return None;
    }
    let shape = Shape::of(value);
    if shape.spaces > 0 {
        let is_passphrase = key.kind == KeyKind::Password
            && slot.form == Form::Quoted
            && shape.spaces <= 5
            && has_own_digits(value)
            && !is_wordy(value);
        return is_passphrase.then_some(span);
    }
    let secret = match key.kind {
        KeyKind::Password => is_password(text, key, slot.form, &span, value),
        KeyKind::Token => is_token(text, key, slot.form, &span, value),
        KeyKind::Authorization => value.len() >= 8 && (has_own_digits(value) || !is_wordy(value)),
        KeyKind::Hint if span.start > slot.span.start => is_password_like(value),
        KeyKind::Hint => is_random(value, 16) && is_single(value),
        KeyKind::Mnemonic | KeyKind::Plain => false,
    };
    secret.then_some(span)
}

/// Leaves out what is no secret in the value: the scheme of an authorization, the user of a pair.
fn credentials(text: Text<'_>, key: &Key, span: Range<usize>) -> Range<usize> {
    let value = text.slice(span.clone());
    if key.kind == KeyKind::Authorization {
        // A bare value ends at the blank after the scheme, so the rest is read here.
        let scheme_end = text.run(span.start, 24, |b| b.is_ascii_alphanumeric() || b == b'-');
        if text.byte(scheme_end) == b' ' && scheme_end - span.start <= 20 {
            let start = text.skip_blanks(scheme_end);
            let end = text.run(start, 8192, |b| {
                !b.is_ascii_whitespace() && !is_quote(b) && !matches!(b, b'\\' | b',' | b'<' | b'}')
            });
            return if text.byte(start) == b'<' {
                start..start
            } else {
                start..end
            };
        }
        return span;
    }
    let names_pair = contains_ignore_case(text.slice(key.span.clone()), b"auth")
        || contains_ignore_case(text.slice(key.span.clone()), b"cred")
        || contains_ignore_case(text.slice(key.span.clone()), b"userpass");
    match value.iter().position(|&b| b == b':') {
        Some(colon) if names_pair && colon > 0 && colon <= 40 && !value.starts_with(b"$") => {
            span.start + colon + 1..span.end
        }
        _ => span,
    }
}

/// Neither a pair nor a list: no colon, and no equals sign but as padding.
fn is_single(value: &[u8]) -> bool {
    let padding = value.iter().rev().take_while(|&&b| b == b'=').count();
    let rest = value.get(..value.len() - padding).unwrap_or_default();
    !rest.iter().any(|b| matches!(b, b':' | b'='))
}

/// Whether the value is followed by what only code has.
fn calls(text: Text<'_>, span: &Range<usize>) -> bool {
    let value = text.slice(span.clone());
    let open = value.iter().position(|&b| b == b'(' || b == b'[');
    open.is_some_and(|at| {
        let head = value.get(..at).unwrap_or_default();
        head.is_empty() || is_identifier_path(head)
    }) || matches!(text.byte(span.end), b'(' | b'[')
}

fn is_password(text: Text<'_>, key: &Key, form: Form, span: &Range<usize>, value: &[u8]) -> bool {
    let digits = has_own_digits(value);
    let wordy = is_wordy(value);
    match form {
        Form::Literal | Form::Flag => true,
        Form::Quoted => digits || !wordy || has_symbol(value) || value.len() >= 6,
        Form::QuotedProse => {
            (digits || has_symbol(value)) && !is_version_or_date(value) && !is_option(value)
        }
        Form::Tight => {
            is_upper_name(text, key) || !is_code(text, span, value) || (digits && !wordy)
        }
        Form::Spaced if ends_line(text, span.end) => {
            if is_identifier_path(value) {
                !wordy || (digits && is_setting(text, key, span) && !names_password(value))
            } else {
                (digits && !is_version_or_date(value))
                    || has_strong_symbol(value)
                    || is_phrase(value)
            }
        }
        Form::Spaced => is_password_like(value) && !wordy,
        Form::Prose => {
            is_password_like(value)
                && (!wordy || ends_line(text, span.end) || has_strong_symbol(value))
                && !is_path_like(value)
        }
    }
}

fn is_token(text: Text<'_>, key: &Key, form: Form, span: &Range<usize>, value: &[u8]) -> bool {
    let shape = Shape::of(value);
    let digits = has_own_digits(value);
    let wordy = is_wordy(value);
    // All letters: only if they are many and of both cases, as in base64 by chance.
    let mixed = value.len() >= 20 && shape.lower >= 4 && shape.upper >= 4 && entropy(value) >= 3.8;
    let made = if shape.letters() == 0 || is_version_or_date(value) {
        false
    } else {
        (digits && value.len() >= 8) || (mixed && !wordy)
    };
    match form {
        Form::Flag | Form::Literal => made && (!wordy || value.len() >= 12),
        Form::Quoted => made && (!wordy || value.len() >= 16),
        Form::Tight if is_upper_name(text, key) => {
            made || (value.len() >= 12 && shape.symbols > 0 && !is_identifier_path(value) && !wordy)
        }
        Form::Tight => made && !(wordy && is_code(text, span, value)),
        Form::Spaced | Form::QuotedProse => {
            made && !wordy && (ends_line(text, span.end) || is_random(value, 16))
        }
        Form::Prose => (is_random(value, 16) || is_hex_secret(value)) && !is_path_like(value),
    }
}

/// Long hexadecimal digits or a UUID right after a name that promises a token.
fn is_hex_secret(value: &[u8]) -> bool {
    is_uuid(value) || (value.len() >= 32 && super::values::is_hex(value))
}

/// A long option of a program, which a sentence may tell to pass: `--all-features`.
fn is_option(value: &[u8]) -> bool {
    let is_word = |word: &[u8]| !word.is_empty() && word.iter().all(u8::is_ascii_lowercase);
    (value.strip_prefix(b"--")).is_some_and(|name| name.split(|&b| b == b'-').all(is_word))
}

/// A path of a file or an address of a package, which a sentence may name.
fn is_path_like(value: &[u8]) -> bool {
    value.contains(&b'/') && value.split(|&b| b == b'/').all(is_wordy)
}

/// A value that names the secret: `db_password`, `new-password`, `API_TOKEN`.
fn is_name_of_secret(value: &[u8]) -> bool {
    is_wordy(value)
        && !has_own_digits(value)
        && [
            &b"password"[..],
            b"passwd",
            b"secret",
            b"token",
            b"apikey",
            b"api-key",
            b"api_key",
            b"credential",
        ]
        .iter()
        .any(|word| contains_ignore_case(value, word))
}

fn is_upper_name(text: Text<'_>, key: &Key) -> bool {
    let name = text.slice(key.span.clone());
    !name.iter().any(u8::is_ascii_lowercase) && name.len() >= 2
}

/// `NAME: value`, `name: value`: a colon, or a name that only environments have.
fn is_setting(text: Text<'_>, key: &Key, span: &Range<usize>) -> bool {
    let separator = text.run_back(span.start, 64, |b| b == b' ' || b == b'\t');
    is_upper_name(text, key) || text.before(separator) == b':'
}

fn names_password(value: &[u8]) -> bool {
    contains_ignore_case(value, b"pass") || contains_ignore_case(value, b"pwd")
}

/// A name, a member or a number where an argument of a call would stand.
fn is_code(text: Text<'_>, span: &Range<usize>, value: &[u8]) -> bool {
    let is_argument = matches!(text.byte(span.end), b')' | b',');
    if is_argument {
        is_identifier_path(value) || value.iter().all(u8::is_ascii_digit)
    } else {
        is_identifier_path(value) && is_wordy(value) && !has_own_digits(value)
    }
}

/// Whether the value is the last thing of its line, but for a comment or closing syntax.
fn ends_line(text: Text<'_>, end: usize) -> bool {
    let rest = text.slice(end..text.line_end(end));
    let rest = rest.trim_ascii();
    rest.is_empty()
        || rest.starts_with(b"#")
        || rest.starts_with(b"//")
        || rest.first().is_some_and(|b| {
            matches!(
                b,
                b',' | b';'
                    | b'}'
                    | b')'
                    | b']'
                    | b'|'
                    | b'"'
                    | b'\''
                    | b'`'
                    | b'<'
                    | b'\\'
                    | b'.'
                    | b'('
            )
        })
}

fn has_symbol(value: &[u8]) -> bool {
    value.iter().any(u8::is_ascii_punctuation)
}

/// A symbol that no name, path or version holds.
fn has_strong_symbol(value: &[u8]) -> bool {
    value.iter().any(|b| {
        matches!(
            b,
            b'!' | b'#' | b'$' | b'%' | b'^' | b'&' | b'*' | b'@' | b'~'
        )
    }) && value.iter().any(u8::is_ascii_alphabetic)
}

/// Words joined by hyphens, as passphrase generators make them.
fn is_phrase(value: &[u8]) -> bool {
    value
        .split(|&b| b == b'-')
        .filter(|word| word.len() >= 3 && word.iter().all(u8::is_ascii_lowercase))
        .count()
        >= 4
}

/// Twelve to twenty-four short lower-case words.
fn is_mnemonic(value: &[u8]) -> bool {
    let words: Vec<&[u8]> = value
        .split(u8::is_ascii_whitespace)
        .filter(|word| !word.is_empty())
        .collect();
    matches!(words.len(), 12 | 15 | 18 | 21 | 24)
        && words
            .iter()
            .all(|word| (3..=8).contains(&word.len()) && word.iter().all(u8::is_ascii_lowercase))
}
