//! `$name` and `${…}`: what is asked for, and what the operators make of a known value.

use super::bounds::{TooLong, replaced};
use crate::paths::glob;

/// A parameter expansion, taken apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Reference {
    pub(super) kind: Kind,
    pub(super) name: String,
    pub(super) subscript: Option<String>,
    pub(super) operator: Option<Operator>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Plain,
    /// `${#name}`
    Length,
    /// `${!name}`
    Indirect,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Operator {
    pub(super) symbol: &'static str,
    pub(super) operand: String,
}

impl Operator {
    /// Whether the operand is a value of its own (`:-` and its kin).
    pub(super) fn takes_a_word(&self) -> bool {
        matches!(
            self.symbol,
            ":-" | "-" | ":=" | "=" | ":+" | "+" | ":?" | "?"
        )
    }
}

/// Longest first.
const SYMBOLS: &[&str] = &[
    ":-", ":=", ":+", ":?", "##", "%%", "//", "/#", "/%", "^^", ",,", "-", "=", "+", "?", "#", "%",
    "/", "^", ",", "@", ":",
];

/// Takes `$name` or `${…}` apart.
pub(super) fn parse(written: &str) -> Reference {
    let Some(inside) = written
        .strip_prefix("${")
        .and_then(|rest| rest.strip_suffix('}'))
    else {
        return Reference {
            kind: Kind::Plain,
            name: written.strip_prefix('$').unwrap_or(written).to_owned(),
            subscript: None,
            operator: None,
        };
    };
    let (kind, rest) = match inside.chars().next() {
        Some('!') if inside.len() > 1 => (Kind::Indirect, inside.get(1..).unwrap_or_default()),
        Some('#') if inside.len() > 1 => (Kind::Length, inside.get(1..).unwrap_or_default()),
        _ => (Kind::Plain, inside),
    };
    let named = rest
        .find(|c: char| c != '_' && !c.is_ascii_alphanumeric())
        .unwrap_or(rest.len());
    // `@`, `*`, `?` and the like are names of one character.
    let end = if named == 0 {
        rest.chars().next().map_or(0, char::len_utf8)
    } else {
        named
    };
    let (name, mut rest) = rest.split_at_checked(end).unwrap_or((rest, ""));
    let mut subscript = None;
    if let Some(open) = rest.strip_prefix('[')
        && let Some((index, after)) = open.split_once(']')
    {
        subscript = Some(index.trim_matches(['"', '\'']).to_owned());
        rest = after;
    }
    let operator = SYMBOLS.iter().find_map(|symbol| {
        let operand = rest.strip_prefix(symbol)?;
        Some(Operator {
            symbol,
            operand: operand.to_owned(),
        })
    });
    Reference {
        kind,
        name: name.to_owned(),
        subscript,
        operator,
    }
}

/// What an operator makes of a known value; `None` when that is unknown.
pub(super) fn apply(operator: &Operator, text: &str) -> Result<Option<String>, TooLong> {
    let pattern = operator.operand.as_str();
    if operator.symbol != ":" && pattern.contains(['$', '`', '\\']) {
        return Ok(None);
    }
    Ok(match operator.symbol {
        "#" => Some(cut_front(text, pattern, Reach::Shortest)),
        "##" => Some(cut_front(text, pattern, Reach::Longest)),
        "%" => Some(cut_back(text, pattern, Reach::Shortest)),
        "%%" => Some(cut_back(text, pattern, Reach::Longest)),
        "/" | "//" | "/#" | "/%" => replace(operator.symbol, text, pattern)?,
        "^^" => Some(text.to_uppercase()),
        ",," => Some(text.to_lowercase()),
        "^" => first_letter(text, char::to_ascii_uppercase),
        "," => first_letter(text, char::to_ascii_lowercase),
        ":" => substring(text, pattern),
        "@" => match pattern {
            "Q" | "E" | "P" => Some(text.to_owned()),
            "L" => Some(text.to_lowercase()),
            "U" => Some(text.to_uppercase()),
            _ => None,
        },
        _ => None,
    })
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reach {
    Shortest,
    Longest,
}

fn unquoted(pattern: &str) -> String {
    pattern.replace(['"', '\''], "")
}

fn boundaries(text: &str) -> Vec<usize> {
    text.char_indices()
        .map(|(at, _)| at)
        .chain([text.len()])
        .collect()
}

fn matches(pattern: &str, text: &str) -> bool {
    if glob::has_wildcard(pattern) {
        text.len() < 256 && glob::meet(pattern, text, 0).is_some()
    } else {
        pattern == text
    }
}

fn cut_front(text: &str, pattern: &str, reach: Reach) -> String {
    let pattern = unquoted(pattern);
    let mut ends = boundaries(text);
    if reach == Reach::Longest {
        ends.reverse();
    }
    let end = ends.into_iter().find(|end| {
        text.get(..*end)
            .is_some_and(|front| matches(&pattern, front))
    });
    text.get(end.unwrap_or(0)..).unwrap_or_default().to_owned()
}

fn cut_back(text: &str, pattern: &str, reach: Reach) -> String {
    let pattern = unquoted(pattern);
    let mut starts = boundaries(text);
    if reach == Reach::Shortest {
        starts.reverse();
    }
    let start = starts
        .into_iter()
        .find(|at| text.get(*at..).is_some_and(|back| matches(&pattern, back)));
    text.get(..start.unwrap_or(text.len()))
        .unwrap_or_default()
        .to_owned()
}

fn replace(symbol: &str, text: &str, operand: &str) -> Result<Option<String>, TooLong> {
    let (pattern, with) = operand.split_once('/').unwrap_or((operand, ""));
    let (pattern, with) = (unquoted(pattern), unquoted(with));
    if glob::has_wildcard(&pattern) || pattern.is_empty() {
        return Ok(None);
    }
    Ok(Some(match symbol {
        "//" => replaced(text, &pattern, &with)?,
        "/#" => text
            .strip_prefix(&pattern)
            .map_or(text.to_owned(), |rest| format!("{with}{rest}")),
        "/%" => text
            .strip_suffix(&pattern)
            .map_or(text.to_owned(), |rest| format!("{rest}{with}")),
        _ => text.replacen(&pattern, &with, 1),
    }))
}

fn first_letter(text: &str, change: fn(&char) -> char) -> Option<String> {
    let mut chars = text.chars();
    let first = chars.next()?;
    Some(std::iter::once(change(&first)).chain(chars).collect())
}

/// `:offset` and `:offset:length`.
fn substring(text: &str, operand: &str) -> Option<String> {
    let (offset, length) = match operand.split_once(':') {
        Some((offset, length)) => (offset, Some(length.trim().parse::<i64>().ok()?)),
        None => (operand, None),
    };
    let count = i64::try_from(text.chars().count()).ok()?;
    let offset: i64 = offset.trim().trim_matches(['(', ')']).parse().ok()?;
    let start = if offset < 0 {
        (count + offset).max(0)
    } else {
        offset.min(count)
    };
    let end = match length {
        Some(length) if length < 0 => (count + length).max(start),
        Some(length) => (start + length).min(count),
        None => count,
    };
    let (start, end) = (usize::try_from(start).ok()?, usize::try_from(end).ok()?);
    Some(
        text.chars()
            .skip(start)
            .take(end.saturating_sub(start))
            .collect(),
    )
}
