//! Makes visible what a reader would not see: invisible characters, line breaks, long gaps.

use std::fmt::Write as _;

use bowline_guard::invisible::{is_invisible, push_number};

/// A gap of this many blanks or more is shown by its length: whatever comes after it stays on the screen.
const LONG_GAP: usize = 9;

/// The text with its invisible characters as numbers.
pub(super) fn numbered(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if is_invisible(c) {
            push_number(&mut shown, c);
        } else {
            shown.push(c);
        }
    }
    shown
}

/// A name on one line.
pub(crate) fn name(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            '\n' => '⏎',
            '\t' => '⇥',
            '\r' => '␍',
            c => c,
        })
        .collect()
}

/// Program text: every character of it can be seen, and nothing hides behind a gap.
pub(crate) fn code(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text.trim_end_matches(['\n', '\r']).chars().peekable();
    while let Some(c) = rest.next() {
        if !is_blank(c) && c != '\u{fe0e}' && c != '\u{fe0f}' {
            shown.push(c);
            continue;
        }
        let mut count = 1;
        while rest.next_if_eq(&c).is_some() {
            count += 1;
        }
        push_blanks(&mut shown, c, count);
    }
    shown
}

fn push_blanks(shown: &mut String, blank: char, count: usize) {
    if blank == ' ' && count < LONG_GAP {
        return shown.extend(std::iter::repeat_n(' ', count));
    }
    let mut mark = String::new();
    match blank {
        ' ' => mark.push('␣'),
        '\n' => mark.push('⏎'),
        '\t' => mark.push('⇥'),
        '\r' => mark.push('␍'),
        other => push_number(&mut mark, other),
    }
    shown.push_str(&mark);
    if count > 1 {
        // Writing to a string cannot fail.
        let _ = write!(shown, "×{count}");
    }
    shown.push(if blank == '\n' { '\n' } else { ' ' });
}

/// Whether the character is seen as an empty place.
fn is_blank(c: char) -> bool {
    c.is_whitespace() || c == '\u{2800}'
}

/// A URL without the password that it may carry.
pub(crate) fn url(text: &str) -> String {
    let Some((scheme, rest)) = text.split_once("://") else {
        return text.to_owned();
    };
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at_checked(end).unwrap_or((rest, ""));
    match authority.rsplit_once('@') {
        Some((user, host)) if user.contains(':') => {
            let user = user.split(':').next().unwrap_or_default();
            format!("{scheme}://{user}:***@{host}{path}")
        }
        _ => text.to_owned(),
    }
}

/// JSON text in which invisible characters are written as escapes: the same document, without surprises for
/// those who look at it.
pub(super) fn json(document: &str) -> String {
    let mut shown = String::with_capacity(document.len());
    for c in document.chars() {
        if is_invisible(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                // Writing to a string cannot fail.
                let _ = write!(shown, "\\u{unit:04x}");
            }
        } else {
            shown.push(c);
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_hides_in_program_text() {
        for (text, expected) in [
            ("ls -l", "ls -l"),
            ("a   b", "a   b"),
            ("a\nb\n", "a⏎\nb"),
            ("a\tb\rc", "a⇥ b␍ c"),
            ("a\u{a0}b", "a<U+00A0> b"),
            ("a\u{fe0f}b", "a<U+FE0F> b"),
        ] {
            assert_eq!(code(text), expected, "{text:?}");
        }
        let gap = format!("ls{}rm{}x", " ".repeat(3000), "\n".repeat(200));
        assert_eq!(code(&gap), "ls␣×3000 rm⏎×200\nx");
    }

    #[test]
    fn only_passwords_are_masked() {
        for (text, expected) in [
            ("https://host/a:b@c", "https://host/a:b@c"),
            ("https://ada@host/", "https://ada@host/"),
            ("https://ada:s3cret@host/x", "https://ada:***@host/x"),
            ("https://ada:s3@cret@host?x", "https://ada:***@host?x"),
            ("nonsense", "nonsense"),
        ] {
            assert_eq!(url(text), expected);
        }
    }

    #[test]
    fn escapes_leave_the_document_as_it_is() {
        let value = serde_json::json!({"a": "x\u{200b}y\u{e0041}ö"});
        let shown = json(&value.to_string());
        assert!(shown.is_ascii() || !shown.chars().any(is_invisible));
        assert!(
            shown.contains(r"\u200b") && shown.contains(r"\udb40\udc41"),
            "{shown}"
        );
        assert_eq!(
            serde_json::from_str::<serde_json::Value>(&shown).unwrap(),
            value
        );
    }
}
