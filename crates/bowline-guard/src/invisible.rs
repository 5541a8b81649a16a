//! Makes characters visible that a reader would not see, or that whatever shows them would obey.

use std::fmt::Write as _;
use std::ops::RangeInclusive;

/// Characters that take no space, that change the direction of their neighbours, or that terminals obey.
/// The two variation selectors that belong to everyday symbols are not among them.
const INVISIBLE: [RangeInclusive<char>; 24] = [
    '\u{80}'..='\u{9f}',
    '\u{ad}'..='\u{ad}',
    '\u{34f}'..='\u{34f}',
    '\u{600}'..='\u{605}',
    '\u{61c}'..='\u{61c}',
    '\u{6dd}'..='\u{6dd}',
    '\u{70f}'..='\u{70f}',
    '\u{115f}'..='\u{1160}',
    '\u{17b4}'..='\u{17b5}',
    '\u{180b}'..='\u{180f}',
    '\u{200b}'..='\u{200f}',
    '\u{2028}'..='\u{202e}',
    '\u{2060}'..='\u{206f}',
    '\u{3164}'..='\u{3164}',
    '\u{fe00}'..='\u{fe0d}',
    '\u{feff}'..='\u{feff}',
    '\u{ffa0}'..='\u{ffa0}',
    '\u{fff0}'..='\u{fffb}',
    '\u{110bd}'..='\u{110bd}',
    '\u{110cd}'..='\u{110cd}',
    '\u{13430}'..='\u{1343f}',
    '\u{1bca0}'..='\u{1bca3}',
    '\u{1d173}'..='\u{1d17a}',
    '\u{e0000}'..='\u{e0fff}',
];

/// Whether the character is invisible, or appears at another position.
pub fn is_invisible(c: char) -> bool {
    INVISIBLE.iter().any(|range| range.contains(&c))
}

/// Writes a character as its number: `<U+200B>`.
pub fn push_number(out: &mut String, c: char) {
    // Writing to a string cannot fail.
    let _ = write!(out, "<U+{:04X}>", u32::from(c));
}

/// The text with control characters and invisible characters made visible. Only line breaks stay, and none at the end.
pub fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let text = text.replace("\r\n", "\n");
    for c in text.trim_end_matches('\n').chars() {
        match c {
            '\n' => shown.push('\n'),
            '\t' => shown.push_str("    "),
            '\u{7f}' => shown.push('\u{2421}'),
            c if u32::from(c) < 0x20 => {
                shown.push(char::from_u32(0x2400 + u32::from(c)).unwrap_or('\u{fffd}'));
            }
            c if is_invisible(c) => push_number(&mut shown, c),
            c => shown.push(c),
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_obeyed_and_nothing_hides() {
        for (text, expected) in [
            ("plain\ntext\n", "plain\ntext"),
            ("\u{1b}[2J", "\u{241b}[2J"),
            ("a\u{202e}b", "a<U+202E>b"),
            ("a\u{200b}b\u{feff}", "a<U+200B>b<U+FEFF>"),
            ("a\tb\r\nc\rd", "a    b\nc\u{240d}d"),
            ("\u{7f}\u{85}\0", "\u{2421}<U+0085>\u{2400}"),
            ("naïve 日本 👍", "naïve 日本 👍"),
        ] {
            assert_eq!(visible(text), expected, "{text:?}");
        }
    }
}
