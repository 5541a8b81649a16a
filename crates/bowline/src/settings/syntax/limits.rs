//! Refuses what no settings file needs before a parser sees it: huge texts, NUL bytes, deep nesting.

use std::iter::Peekable;
use std::str::CharIndices;

use super::node::SyntaxError;
use crate::settings::Syntax;

/// No settings file is this long.
pub(in crate::settings) const MAX_BYTES: usize = 8 * 1024 * 1024;

/// No settings file is this deep.
pub(in crate::settings) const MAX_DEPTH: usize = 128;

/// Checks a text before it is parsed.
pub(in crate::settings) fn check(text: &str, syntax: Syntax) -> Result<(), SyntaxError> {
    if text.len() > MAX_BYTES {
        return Err(SyntaxError {
            span: 0..0,
            message: format!(
                "the file has {} bytes; settings of more than {MAX_BYTES} bytes are not read",
                text.len()
            ),
        });
    }
    if let Some(at) = text.find('\0') {
        return Err(SyntaxError {
            span: at..at + 1,
            message: "a NUL byte: this is not a text file".to_owned(),
        });
    }
    let too_deep = match syntax {
        Syntax::Json => json_depth(text),
        Syntax::Toml => toml_depth(text),
        // Its parser counts for itself and does not recurse.
        Syntax::FrontMatter => None,
    };
    match too_deep {
        Some(at) => Err(SyntaxError {
            span: at..at + 1,
            message: format!("nested more than {MAX_DEPTH} levels deep"),
        }),
        None => Ok(()),
    }
}

/// Where JSON gets too deep.
fn json_depth(text: &str) -> Option<usize> {
    let mut depth = 0usize;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        match c {
            '[' | '{' => {
                depth += 1;
                if depth > MAX_DEPTH {
                    return Some(at);
                }
            }
            ']' | '}' => depth = depth.saturating_sub(1),
            '"' => skip_string(&mut chars, '"'),
            '/' if chars.next_if(|(_, c)| *c == '/').is_some() => skip_line(&mut chars),
            '/' if chars.next_if(|(_, c)| *c == '*').is_some() => skip_block_comment(&mut chars),
            _ => {}
        }
    }
    None
}

/// Where TOML gets too deep. Dots count, because every part of a dotted key is a table.
fn toml_depth(text: &str) -> Option<usize> {
    // The dots of the key at each open bracket, outermost first.
    let mut dots = vec![0usize];
    let mut total = 0usize;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        match c {
            '[' | '{' => {
                dots.push(0);
                total += 1;
            }
            ']' | '}' if dots.len() > 1 => {
                total = total.saturating_sub(1 + dots.pop().unwrap_or(0));
            }
            '.' => {
                if let Some(count) = dots.last_mut() {
                    *count += 1;
                    total += 1;
                }
            }
            '\n' | ',' => {
                if let Some(count) = dots.last_mut() {
                    total = total.saturating_sub(std::mem::take(count));
                }
            }
            '"' | '\'' => skip_toml_string(&mut chars, c),
            '#' => skip_line(&mut chars),
            _ => {}
        }
        if total > MAX_DEPTH {
            return Some(at);
        }
    }
    None
}

type Chars<'a> = Peekable<CharIndices<'a>>;

/// To the end of a string on one line, whose first quote has been read.
fn skip_string(chars: &mut Chars<'_>, quote: char) {
    while let Some((_, c)) = chars.next_if(|(_, c)| *c != '\n') {
        if c == quote {
            return;
        }
        if c == '\\' && quote == '"' {
            chars.next();
        }
    }
}

fn skip_toml_string(chars: &mut Chars<'_>, quote: char) {
    if chars.next_if(|(_, c)| *c == quote).is_none() {
        skip_string(chars, quote);
        return;
    }
    if chars.next_if(|(_, c)| *c == quote).is_none() {
        return; // The empty string.
    }
    let mut quotes = 0;
    while let Some((_, c)) = chars.next() {
        quotes = if c == quote { quotes + 1 } else { 0 };
        if c == '\\' && quote == '"' {
            chars.next();
        }
        // Quotes before the closing three belong to the string.
        if quotes >= 3 && chars.peek().is_none_or(|(_, c)| *c != quote) {
            return;
        }
    }
}

/// Up to the end of the line, which is left.
fn skip_line(chars: &mut Chars<'_>) {
    while chars.next_if(|(_, c)| *c != '\n').is_some() {}
}

fn skip_block_comment(chars: &mut Chars<'_>) {
    while let Some((_, c)) = chars.next() {
        if c == '*' && chars.next_if(|(_, c)| *c == '/').is_some() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depth_is_counted_outside_strings_and_comments() {
        let deep = |n: usize| "[".repeat(n);
        for (text, syntax, accepted) in [
            (deep(128), Syntax::Json, true),
            (deep(129), Syntax::Json, false),
            (deep(100_000), Syntax::Json, false),
            ("{\"a\":".repeat(129), Syntax::Json, false),
            ("[]".repeat(1000), Syntax::Json, true),
            (format!("\"\\\"{}\"", deep(200)), Syntax::Json, true),
            (format!("//{}\n", deep(200)), Syntax::Json, true),
            (format!("/*{}*/", deep(200)), Syntax::Json, true),
            (format!("//\n{}", deep(200)), Syntax::Json, false),
            (format!("a = {}", deep(129)), Syntax::Toml, false),
            (format!("a = '{}'", deep(200)), Syntax::Toml, true),
            (format!("a = '\\'\nb = {}", deep(129)), Syntax::Toml, false),
            (
                format!("a = \"\"\"\n\"{}\"\"\"", deep(200)),
                Syntax::Toml,
                true,
            ),
            (
                format!("a = ''''x''''\nb = {}", deep(129)),
                Syntax::Toml,
                false,
            ),
            (format!("a = \"\"\nb = {}", deep(129)), Syntax::Toml, false),
            (format!("# {}", deep(200)), Syntax::Toml, true),
            (format!("{}a = 1", "a.".repeat(129)), Syntax::Toml, false),
            (format!("[{}a]", "a.".repeat(129)), Syntax::Toml, false),
            ("{a.b.c = ".repeat(50), Syntax::Toml, false),
            ("a = 1.5\n".repeat(500), Syntax::Toml, true),
            (format!("a = [{}]", "1.5, ".repeat(500)), Syntax::Toml, true),
        ] {
            let short: String = text.chars().take(30).collect();
            assert_eq!(check(&text, syntax).is_ok(), accepted, "{short}");
        }
    }

    #[test]
    fn long_texts_and_binary_files_are_refused() {
        assert!(check(&" ".repeat(MAX_BYTES), Syntax::Json).is_ok());
        assert!(check(&" ".repeat(MAX_BYTES + 1), Syntax::Json).is_err());
        let error = check("{\"a\0", Syntax::Json).unwrap_err();
        assert_eq!(error.span, 3..4);
    }
}
