//! Substitutions in text that no tree covers: the operands and subscripts of `${ }`, keys, what the parser gave up on.

use super::quoting::{self, Quotes};
use super::tree::{Part, Quoting};

/// What opens a substitution in parentheses.
const OPENINGS: [&str; 3] = ["$(", "<(", ">("];

/// Whether a shell that expands the text may run something.
pub(crate) fn may_run_commands(text: &str) -> bool {
    text.contains('`') || OPENINGS.iter().any(|opening| text.contains(opening))
}

/// The substitutions in a text, whatever they stand in but single quotes.
pub(crate) fn substitutions(text: &str, quoting: Quoting) -> Vec<Part> {
    let mut found = Vec::new();
    let mut rest = text;
    let mut doubled = quoting == Quoting::Quoted;
    while let Some(c) = rest.chars().next() {
        let length = if let Some((part, length)) = substitution(rest) {
            found.push(part);
            length
        } else {
            match c {
                '\\' => escaped(rest),
                '"' if quoting == Quoting::Bare => {
                    doubled = !doubled;
                    1
                }
                '\'' if !doubled => single_quoted(rest),
                c => c.len_utf8(),
            }
        };
        rest = rest.get(length..).unwrap_or_default();
    }
    found
}

/// The substitution that a text begins with, and its length.
fn substitution(text: &str) -> Option<(Part, usize)> {
    if let Some(inside) = text.strip_prefix('`') {
        let end = back_quote(inside);
        let commands = quoting::in_backticks(inside.get(..end)?, Quotes::None);
        return Some((Part::Commands(commands, Quoting::Quoted), end + 2));
    }
    let opening = OPENINGS.into_iter().find(|it| text.starts_with(it))?;
    let length = in_parentheses(text)?;
    let whole = text.get(..length)?;
    let inside = whole.strip_prefix(opening)?;
    let inside = inside.strip_suffix(')').unwrap_or(inside).to_owned();
    let arithmetic = || inside.strip_prefix('(')?.strip_suffix(')');
    let part = match opening {
        "$(" => match arithmetic() {
            Some(expression) => Part::Arithmetic(expression.to_owned()),
            None => Part::Commands(inside, Quoting::Quoted),
        },
        "<(" => Part::ReadsFrom(inside),
        _ => Part::WritesTo(inside),
    };
    Some((part, length))
}

/// The length of the `$( )` that a text begins with; all of it when that is not closed.
pub(super) fn in_parentheses(text: &str) -> Option<usize> {
    let mut rest = text.get(2..)?;
    let mut open = vec![Inside::Parentheses];
    while let (Some(c), Some(inside)) = (rest.chars().next(), open.last().copied()) {
        let mut length = c.len_utf8();
        match (c, inside) {
            ('\\', _) => length = escaped(rest),
            ('\'', Inside::Parentheses) => length = single_quoted(rest),
            ('"', Inside::Quotes) | (')', Inside::Parentheses) => {
                open.pop();
            }
            ('"', Inside::Parentheses) => open.push(Inside::Quotes),
            ('(', Inside::Parentheses) => open.push(Inside::Parentheses),
            ('$', Inside::Quotes) if rest.starts_with("$(") => {
                open.push(Inside::Parentheses);
                length = 2;
            }
            _ => {}
        }
        rest = rest.get(length..).unwrap_or_default();
        if open.is_empty() {
            break;
        }
    }
    Some(text.len() - rest.len())
}

#[derive(Debug, Clone, Copy)]
enum Inside {
    Parentheses,
    Quotes,
}

fn escaped(text: &str) -> usize {
    text.chars().take(2).map(char::len_utf8).sum()
}

/// The length of the single quotes that a text begins with; a lone quote is a character like others.
fn single_quoted(text: &str) -> usize {
    let inside = text.get(1..).unwrap_or_default();
    inside.find('\'').map_or(1, |end| end + 2)
}

/// Where the closing back quote is.
fn back_quote(text: &str) -> usize {
    let mut escaped = false;
    let closing = text.bytes().position(|byte| {
        let closes = byte == b'`' && !escaped;
        escaped = byte == b'\\' && !escaped;
        closes
    });
    closing.unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_runs_is_found_whatever_it_stands_in() {
        let commands = |text: &str| Part::Commands(text.to_owned(), Quoting::Quoted);
        for (text, quoting, expected) in [
            ("x/a/$(b)", Quoting::Bare, vec![commands("b")]),
            ("x/'$(b)'", Quoting::Bare, vec![]),
            ("x/'$(b)'", Quoting::Quoted, vec![commands("b")]),
            ("it's $(b)", Quoting::Bare, vec![commands("b")]),
            ("\"it's\" $(b) 'c'", Quoting::Bare, vec![commands("b")]),
            ("\\$(b)", Quoting::Bare, vec![]),
            (
                "${y#$(b)}`c`",
                Quoting::Bare,
                vec![commands("b"), commands("c")],
            ),
            (
                "$(a \"$(b ')')\" (c) ')')d",
                Quoting::Bare,
                vec![commands("a \"$(b ')')\" (c) ')'")],
            ),
            (
                "$((1+2))",
                Quoting::Bare,
                vec![Part::Arithmetic("1+2".to_owned())],
            ),
            (
                "<(a)>(b)",
                Quoting::Bare,
                vec![
                    Part::ReadsFrom("a".to_owned()),
                    Part::WritesTo("b".to_owned()),
                ],
            ),
            ("$(é", Quoting::Bare, vec![commands("é")]),
            ("`é", Quoting::Bare, vec![commands("é")]),
            ("\\", Quoting::Bare, vec![]),
        ] {
            assert_eq!(substitutions(text, quoting), expected, "{text}");
        }
    }
}
