//! Lengths and cuts of text, in the units that agents count in.

/// How long a text is in UTF-16 units, which is what JavaScript calls its length.
pub(crate) fn units(text: &str) -> usize {
    text.chars().map(char::len_utf16).sum()
}

/// The longest beginning of a text that has at most `max` units and ends between two characters.
pub(crate) fn beginning(text: &str, max: usize) -> &str {
    let mut length = 0;
    let end = text.char_indices().find(|(_, c)| {
        length += c.len_utf16();
        length > max
    });
    end.and_then(|(at, _)| text.get(..at)).unwrap_or(text)
}

/// The text, or a beginning of it that ends with `…`; at most `max` units.
pub(crate) fn shortened(text: &str, max: usize) -> String {
    if units(text) <= max {
        return text.to_owned();
    }
    let kept = beginning(text, max.saturating_sub(1)).trim_end();
    format!("{kept}…")
}

/// The text in one line: white space and control characters become single blanks. At most `max` units.
pub(crate) fn one_line(text: &str, max: usize) -> String {
    let mut line = String::new();
    // A long text is not worth reading to its end for the sake of one line.
    for word in beginning(text.trim_start(), max.saturating_mul(4))
        .split(|c: char| c.is_whitespace() || c.is_control())
        .filter(|word| !word.is_empty())
    {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    shortened(&line, max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_is_between_characters_and_counts_utf_16_units() {
        for (text, max, expected) in [
            ("abc", 3, "abc"),
            ("abcd", 3, "ab…"),
            ("äöü", 2, "ä…"),
            // Outside the basic plane a character has two units.
            ("😀😀", 4, "😀😀"),
            ("😀😀", 3, "😀…"),
            ("😀", 1, "…"),
            ("word next", 6, "word…"),
            ("", 0, ""),
        ] {
            let cut = shortened(text, max);
            assert_eq!(cut, expected, "{text} at {max}");
            assert!(units(&cut) <= max.max(1), "{text} at {max}");
        }
        assert_eq!(beginning("😀a", 1), "");
        assert_eq!(beginning("a😀", 2), "a");
        assert_eq!(units("a😀ä"), 4);
    }

    #[test]
    fn a_line_has_no_breaks() {
        for (text, max, expected) in [
            ("git push\n  origin\tmain\r\n", 80, "git push origin main"),
            ("\u{1b}[31mred\u{7}", 80, "[31mred"),
            ("one two three", 8, "one two…"),
            ("  \n ", 80, ""),
        ] {
            assert_eq!(one_line(text, max), expected, "{text:?}");
        }
    }
}
