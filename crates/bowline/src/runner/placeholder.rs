//! `$NAME` and `${NAME}` in a text, replaced in one pass: what was put in is never looked at again.

use std::borrow::Cow;

/// Whether `\$` stands for a plain dollar sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Escapes {
    /// It does.
    Backslash,
    /// A backslash is a character like any other.
    None,
}

/// Replaces every placeholder for which `value` has an answer and leaves the others as they are.
/// `is_name` says which characters a name is made of; a name never starts with a digit.
pub(crate) fn substitute<'v>(
    text: &str,
    escapes: Escapes,
    is_name: fn(char) -> bool,
    mut value: impl FnMut(&str) -> Option<Cow<'v, str>>,
) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('$') {
        if escapes == Escapes::Backslash
            && let Some(before) = before.strip_suffix('\\')
        {
            out.push_str(before);
            out.push('$');
            rest = after;
            continue;
        }
        out.push_str(before);
        let replaced = name_at_start(after, is_name)
            .and_then(|(name, behind)| value(name).map(|value| (value, behind)));
        rest = if let Some((value, behind)) = replaced {
            out.push_str(&value);
            behind
        } else {
            out.push('$');
            after
        };
    }
    out.push_str(rest);
    out
}

/// The name that follows a dollar sign, and what comes behind it.
fn name_at_start(text: &str, is_name: fn(char) -> bool) -> Option<(&str, &str)> {
    let inner = text.strip_prefix('{');
    let bare = inner.unwrap_or(text);
    let end = bare.find(|c| !is_name(c)).unwrap_or(bare.len());
    let (name, behind) = bare.split_at_checked(end)?;
    if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    match inner {
        Some(_) => Some((name, behind.strip_prefix('}')?)),
        None => Some((name, behind)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn replace(text: &str, escapes: Escapes) -> String {
        substitute(
            text,
            escapes,
            |c| c.is_ascii_alphanumeric() || c == '_',
            |name| match name {
                "A" => Some("$B".into()),
                "B" => Some("b".into()),
                "EMPTY" => Some("".into()),
                _ => None,
            },
        )
    }

    #[test]
    fn names_are_taken_whole_and_unknown_ones_stay() {
        for (text, expected) in [
            ("", ""),
            ("$", "$"),
            ("$$B", "$b"),
            ("$A$B", "$Bb"),
            ("${A}x", "$Bx"),
            ("$Bx ${Bx}", "$Bx ${Bx}"),
            ("${B", "${B"),
            ("${}", "${}"),
            ("${B }", "${B }"),
            ("[$EMPTY]", "[]"),
            ("$1 $1B", "$1 $1B"),
            ("ä$Bü", "äbü"),
            ("\\$B", "\\b"),
        ] {
            assert_eq!(replace(text, Escapes::None), expected, "{text}");
        }
    }

    #[test]
    fn a_backslash_keeps_a_dollar_sign() {
        for (text, expected) in [
            ("\\$B", "$B"),
            ("\\\\$B", "\\$B"),
            ("$B\\$B$B", "b$Bb"),
            ("a\\b", "a\\b"),
        ] {
            assert_eq!(replace(text, Escapes::Backslash), expected, "{text}");
        }
    }
}
