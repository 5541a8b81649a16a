//! Names of tools that matchers probably do not mean as they stand.

use bowline_agents::Tool;
use bowline_agents::claude_code::tools::known_names;
use bowline_agents::near::edit_distance;

/// The shortest name that is taken for a misspelt one: of fewer letters, too many are near.
const SHORTEST: usize = 4;
/// From here on two letters may be wrong.
const LONG: usize = 7;

/// The tool that was probably meant by a name that none has, in any casing.
pub(crate) fn misspelt(name: &str) -> Option<&'static str> {
    let is_known = known_names().any(|known| known.eq_ignore_ascii_case(name));
    let is_word = name.len() >= SHORTEST && name.chars().all(|c| c.is_ascii_alphabetic());
    if is_known || !is_word || Tool::named(name) != Tool::Other {
        return None;
    }
    let written = name.to_ascii_lowercase();
    let candidates = known_names().filter(|known| known.len().abs_diff(name.len()) <= 2);
    candidates
        .map(|known| (edit_distance(&written, &known.to_ascii_lowercase()), known))
        .filter(|(distance, _)| *distance <= if name.len() < LONG { 1 } else { 2 })
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, known)| known)
}

/// The pattern that was probably meant by one of a file's name: `mcp__files__*` repeats its last `_`, and matches no tool.
pub(crate) fn meant_pattern(text: &str) -> Option<String> {
    let mut meant = String::with_capacity(text.len());
    let (mut before, mut is_escaped) = (None, false);
    for letter in text.chars() {
        let repeats = letter == '*'
            && before.is_some_and(|it: char| it.is_ascii_alphanumeric() || it == '_')
            // `\\w*`
            && !is_escaped;
        if repeats {
            meant.push('.');
        }
        meant.push(letter);
        is_escaped = before == Some('\\');
        before = Some(letter);
    }
    (meant.len() > text.len()).then_some(meant)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_is_no_pattern_by_itself() {
        for (text, expected) in [
            ("mcp__files__*", Some("mcp__files__.*")),
            ("Bash|mcp__*__read", Some("Bash|mcp__.*__read")),
            ("mcp__files__.*", None),
            ("*", None),
            ("(a|b)*", None),
            ("[a-z]*", None),
            (r"\w*", None),
        ] {
            assert_eq!(meant_pattern(text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn misspelt_names_are_told_from_names_of_other_tools() {
        for (name, expected) in [
            ("Wrte", Some("Write")),
            ("Wirte", Some("Write")),
            ("bahs", Some("Bash")),
            ("WebFech", Some("WebFetch")),
            ("NotebokEddit", Some("NotebookEdit")),
            ("bash", None),
            ("shell", None),
            ("LSP", None),
            ("Batch", None),
            ("read_file", None),
            ("mcp__a__wrte", None),
            ("TaskDelete", None),
            ("TodoRead", None),
            ("é", None),
        ] {
            assert_eq!(misspelt(name), expected, "{name}");
        }
    }
}
