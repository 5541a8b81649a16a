//! The text of a file as the agent may read it, which takes more for text and for JSON than other settings may be.

use std::path::Path;

use crate::settings::files::{FileText, MAX_OWN_BYTES, read_bytes_within};

/// At most this many names are taken from a file that is not understood.
const MOST_NAMES: usize = 20_000;
/// No relevant variable has a longer name.
const LONGEST_NAME: usize = 256;

/// Reads a file, if that is quickly done: everybody waits for it. What is no text becomes one, as it does for the agent.
pub(super) fn read(path: &Path) -> FileText {
    FileText {
        text: read_bytes_within(path, MAX_OWN_BYTES)
            .map(|bytes| bytes.map(|bytes| decoded(&bytes))),
        path: path.to_owned(),
    }
}

fn decoded(bytes: &[u8]) -> String {
    let wide = |bytes: &[u8], unit: fn([u8; 2]) -> u16| {
        let (units, _) = bytes.as_chunks();
        let units: Vec<u16> = units.iter().map(|it| unit(*it)).collect();
        String::from_utf16_lossy(&units)
    };
    match bytes {
        [0xff, 0xfe, rest @ ..] => wide(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => wide(rest, u16::from_be_bytes),
        bytes => String::from_utf8_lossy(bytes).into_owned(),
    }
}

/// Whatever may be the name of a variable in a text that is not understood: all that stands between two quotes, wherever strings
/// and comments begin and end. `None` if that is too much.
pub(super) fn possible_names(text: &str) -> Option<Vec<String>> {
    let text = unescaped(text);
    let mut names: Vec<&str> = text.split('"').filter(|it| may_be_name(it)).collect();
    names.sort_unstable();
    names.dedup();
    (names.len() <= MOST_NAMES).then(|| names.into_iter().map(str::to_owned).collect())
}

fn may_be_name(text: &str) -> bool {
    let odd = |c: char| c == '=' || c.is_whitespace() || c.is_control();
    text.len() <= LONGEST_NAME
        && text.contains(|c: char| c.is_alphanumeric())
        && !text.contains(odd)
}

/// The text with its `\u0041` as letters.
fn unescaped(text: &str) -> String {
    let mut parts = text.split("\\u");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let letter = part
            .get(..4)
            .and_then(|it| u32::from_str_radix(it, 16).ok());
        match (letter, part.get(4..)) {
            (Some(letter), Some(rest)) => {
                plain.push(char::from_u32(letter).unwrap_or(char::REPLACEMENT_CHARACTER));
                plain.push_str(rest);
            }
            _ => plain.push_str(part),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_is_what_the_agent_reads() {
        let text = r#"{"env": {"BOWLINE": "off"}}"#;
        let units = |swap: bool| {
            let units = std::iter::once(0xfeff).chain(text.encode_utf16());
            let bytes = |unit: u16| {
                if swap {
                    unit.to_be_bytes()
                } else {
                    unit.to_le_bytes()
                }
            };
            units.flat_map(bytes).collect::<Vec<u8>>()
        };
        for bytes in [units(false), units(true), text.as_bytes().to_vec()] {
            assert_eq!(decoded(&bytes), text);
        }
        assert_eq!(decoded(b"a\xffb"), "a\u{fffd}b");
    }

    #[test]
    fn whatever_may_be_a_name_is_found() {
        let depth = "[".repeat(200);
        for text in [
            r#"{"env": {"BOWLINE": "off"}, "x": "\ud800"}"#.to_owned(),
            r#"{"env": {"\u0042OWL\u0049NE": "off"}, "x": "\ud800"}"#.to_owned(),
            "{ // one \" quote\n\"env\": {\"BOWLINE\": \"off\"}, \"x\": ".to_owned(),
            format!("{{\"env\": {{\"BOWLINE\": \"off\"}}, \"x\": {depth}"),
        ] {
            let names = possible_names(&text).unwrap();
            assert!(names.iter().any(|it| it == "BOWLINE"), "{text}: {names:?}");
        }
        let many: Vec<String> = (0..=MOST_NAMES).map(|it| format!("\"a{it}\"")).collect();
        assert_eq!(possible_names(&many.join(",")), None);
    }
}
