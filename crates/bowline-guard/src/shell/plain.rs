//! Words that need no parser: plain text, text in quotes, and `$name`. Most words are like that.

use super::quoting::Quotes;

/// A piece of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Piece<'t> {
    Bare(&'t str),
    /// The inside of quotes, as it is.
    Quoted(&'t str),
    /// Double quotes begin.
    Opening,
    /// `$name`.
    Parameter(&'t str, Quotes),
}

/// The pieces of a word; `None` when it has something that only the parser knows.
pub(super) fn pieces(source: &str) -> Option<Vec<Piece<'_>>> {
    let mut pieces = Vec::new();
    let mut rest = source;
    while let Some(first) = rest.bytes().next() {
        match first {
            b'\'' => {
                let (inside, after) = rest.get(1..)?.split_once('\'')?;
                pieces.push(Piece::Quoted(inside));
                rest = after;
            }
            b'"' => {
                let (inside, after) = rest.get(1..)?.split_once('"')?;
                pieces.push(Piece::Opening);
                double_quoted(inside, &mut pieces)?;
                rest = after;
            }
            b'$' => {
                let (parameter, after) = parameter(rest)?;
                pieces.push(Piece::Parameter(parameter, Quotes::None));
                rest = after;
            }
            _ => {
                let end = rest.bytes().position(|it| !is_plain(it));
                let (text, after) = rest.split_at_checked(end.unwrap_or(rest.len()))?;
                if text.is_empty() {
                    return None;
                }
                pieces.push(Piece::Bare(text));
                rest = after;
            }
        }
    }
    Some(pieces)
}

fn double_quoted<'t>(inside: &'t str, pieces: &mut Vec<Piece<'t>>) -> Option<()> {
    if inside.contains(['\\', '`']) {
        return None;
    }
    let mut rest = inside;
    while !rest.is_empty() {
        let (text, after) = rest.split_at_checked(rest.find('$').unwrap_or(rest.len()))?;
        if !text.is_empty() {
            pieces.push(Piece::Quoted(text));
        }
        rest = after;
        if !rest.is_empty() {
            let (parameter, after) = parameter(rest)?;
            pieces.push(Piece::Parameter(parameter, Quotes::Double));
            rest = after;
        }
    }
    Some(())
}

/// `$name` at the beginning, and what follows it.
fn parameter(text: &str) -> Option<(&str, &str)> {
    let name = text.strip_prefix('$')?;
    let end = name
        .bytes()
        .position(|it| it != b'_' && !it.is_ascii_alphanumeric())
        .unwrap_or(name.len());
    let (parameter, after) = text.split_at_checked(1 + end)?;
    let named = name.starts_with(|it: char| it == '_' || it.is_ascii_alphabetic());
    // Some shells would take a subscript or a modifier as a part of it.
    (named && !after.starts_with(['[', ':'])).then_some((parameter, after))
}

fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(
            byte,
            b'_' | b'-' | b'.' | b'/' | b':' | b'=' | b',' | b'+' | b'@' | b'%'
        )
}
