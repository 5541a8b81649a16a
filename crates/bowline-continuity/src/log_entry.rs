//! What an agent logs, as it is appended to the effort's log.

use crate::error::{Code, RuleError};

/// An entry has at most this many bytes. An agent that pastes the output of a program would fill the log that others have to read.
pub const MAX_ENTRY: usize = 32 * 1024;

/// Makes an entry of an agent's text. `at` is the time, as `YYYY-MM-DD HH:MM:SS`; it goes into the first heading of level 2, and a
/// text without one gets one.
///
/// The entry begins with an empty line, because it is appended. It has no control characters, because people look at logs in terminals.
pub fn log_entry(text: &str, at: &str) -> Result<String, RuleError> {
    let text = printable(&text.replace("\r\n", "\n").replace('\r', "\n"));
    let text = text.trim_matches('\n').trim_end();
    if text.trim().is_empty() {
        return Err(RuleError::new(
            Code::CommandError,
            "The log entry is empty. Say what you did and found: `bowline effort log \"what you did and found\"`.",
        ));
    }
    let text = bounded(text);
    Ok(match heading(&text) {
        Some(start) => {
            let (before, heading) = text.split_at(start);
            let title = heading
                .trim_start_matches('#')
                .trim_start_matches([' ', '\t']);
            let space = if title.starts_with('\n') || title.is_empty() {
                ""
            } else {
                " "
            };
            format!("\n{before}## [{at}]{space}{title}\n")
        }
        None => format!("\n## [{at}]\n\n{text}\n"),
    })
}

/// The text without colours and other control sequences of terminals. Line breaks and tabs stay.
pub fn printable(text: &str) -> String {
    let mut printable = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        if character == '\u{1b}' && characters.next_if_eq(&'[').is_some() {
            // Parameters, and the letter that ends the sequence.
            while characters
                .next_if(|next| (' '..='?').contains(next))
                .is_some()
            {}
            characters.next_if(|next| ('@'..='~').contains(next));
        } else if !character.is_control() || matches!(character, '\n' | '\t') {
            printable.push(character);
        }
    }
    printable
}

/// Where the first heading of level 2 begins.
fn heading(text: &str) -> Option<usize> {
    let mut fence = None;
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        if fence.is_none() && is_heading(line) {
            return Some(start);
        }
        fence = fence_after(fence, line);
        start += line.len();
    }
    None
}

/// The mark of the fence that is open after a line. What is within a fence is code.
fn fence_after(open: Option<&'static str>, line: &str) -> Option<&'static str> {
    let begins_with = |mark: &&str| line.trim_start().starts_with(mark);
    match open {
        Some(mark) if begins_with(&mark) => None,
        Some(mark) => Some(mark),
        None => ["```", "~~~"].into_iter().find(begins_with),
    }
}

fn is_heading(line: &str) -> bool {
    line.strip_prefix("##")
        .is_some_and(|rest| rest.trim().is_empty() || rest.starts_with([' ', '\t']))
}

fn bounded(text: &str) -> String {
    if text.len() <= MAX_ENTRY {
        return text.to_owned();
    }
    let end = text.floor_char_boundary(MAX_ENTRY);
    let kept = text.get(..end).unwrap_or(text).trim_end();
    // A fence that the cut leaves open would swallow the entries that follow.
    let close = match kept.lines().fold(None, fence_after) {
        Some(mark) => format!("\n{mark}"),
        None => String::new(),
    };
    format!(
        "{kept}{close}\n\n(Cut: this entry had {} bytes, and {MAX_ENTRY} are kept.)",
        text.len()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const AT: &str = "2026-03-04 05:06:07";

    #[test]
    fn the_time_is_in_the_first_heading_of_level_two() {
        for (text, expected) in [
            ("## Found it", "\n## [2026-03-04 05:06:07] Found it\n"),
            (
                "## Found it\n\nA race.\n\n## Next\nFix it.\n",
                "\n## [2026-03-04 05:06:07] Found it\n\nA race.\n\n## Next\nFix it.\n",
            ),
            (
                "# Day 1\nHello.\n## Found it",
                "\n# Day 1\nHello.\n## [2026-03-04 05:06:07] Found it\n",
            ),
            (
                "### Detail\n##   Found it",
                "\n### Detail\n## [2026-03-04 05:06:07] Found it\n",
            ),
            ("##\nBody", "\n## [2026-03-04 05:06:07]\nBody\n"),
            ("##", "\n## [2026-03-04 05:06:07]\n"),
            (
                "```\n## code\n```\n## Found it",
                "\n```\n## code\n```\n## [2026-03-04 05:06:07] Found it\n",
            ),
        ] {
            assert_eq!(log_entry(text, AT).as_deref(), Ok(expected), "{text}");
        }
    }

    #[test]
    fn a_text_without_such_a_heading_gets_one() {
        for (text, expected) in [
            ("Found it", "\n## [2026-03-04 05:06:07]\n\nFound it\n"),
            (
                "\n\n  Found it  \n\n",
                "\n## [2026-03-04 05:06:07]\n\n  Found it\n",
            ),
            (
                "### Detail\n##no heading",
                "\n## [2026-03-04 05:06:07]\n\n### Detail\n##no heading\n",
            ),
            (
                "~~~\n## code\n```\n## code\n",
                "\n## [2026-03-04 05:06:07]\n\n~~~\n## code\n```\n## code\n",
            ),
            ("one ## two", "\n## [2026-03-04 05:06:07]\n\none ## two\n"),
        ] {
            assert_eq!(log_entry(text, AT).as_deref(), Ok(expected), "{text}");
        }
    }

    #[test]
    fn lines_end_in_one_way() {
        let entry = log_entry("## Found it\r\n\r\nA race.\rYes.\r\n", AT);
        let expected = "\n## [2026-03-04 05:06:07] Found it\n\nA race.\nYes.\n";
        assert_eq!(entry.as_deref(), Ok(expected));
    }

    #[test]
    fn nothing_in_an_entry_steers_a_terminal() {
        for (text, expected) in [
            ("\u{1b}[1;31mred\u{1b}[0m\tcell", "red\tcell"),
            ("\u{1b}]0;title\u{7}done", "]0;titledone"),
            ("\u{1b}[", ""),
            ("\u{1b}[3\nnext", "\nnext"),
            ("\u{9b}2Jé\u{0}\u{7f}", "2Jé"),
            ("array[0]", "array[0]"),
        ] {
            assert_eq!(printable(text), expected, "{text:?}");
        }
        let entry = log_entry("\u{1b}[32m## Found it\u{1b}[0m\n\u{8}A race.", AT);
        let expected = "\n## [2026-03-04 05:06:07] Found it\nA race.\n";
        assert_eq!(entry.as_deref(), Ok(expected));
    }

    #[test]
    fn an_empty_text_is_refused() {
        for text in ["", " ", "\n\r\n\t", "\u{1b}[0m\u{7}"] {
            let refusal = log_entry(text, AT).unwrap_err();
            assert_eq!(refusal.code, Code::CommandError, "{text:?}");
            assert!(
                refusal.message.contains("`bowline effort log "),
                "{refusal}"
            );
        }
    }

    #[test]
    fn a_very_long_text_is_cut_and_says_so() {
        let whole = "é".repeat(MAX_ENTRY / 2);
        let entry = log_entry(&whole, AT).unwrap();
        assert!(entry.contains(&whole) && !entry.contains("Cut:"));

        let long = format!("x{}", "é".repeat(MAX_ENTRY));
        let entry = log_entry(&long, AT).unwrap();
        assert!(entry.len() < MAX_ENTRY + 200, "{}", entry.len());
        assert!(entry.contains("éé\n\n(Cut: this entry had 65537 bytes"));

        let code = format!("```\n{}", "y".repeat(MAX_ENTRY));
        let entry = log_entry(&code, AT).unwrap();
        assert!(entry.contains("yy\n```\n\n(Cut:"));
    }

    proptest::proptest! {
        #[test]
        fn every_entry_has_the_time_once_in_a_heading(text in "([#`~ \r\na-cé]){0,40}") {
            let Ok(entry) = log_entry(&text, AT) else {
                proptest::prop_assert!(text.trim().is_empty());
                return Ok(());
            };
            let stamped = entry.lines().filter(|line| line.starts_with("## [2026-03-04 05:06:07]"));
            proptest::prop_assert_eq!(stamped.count(), 1);
        }
    }
}
