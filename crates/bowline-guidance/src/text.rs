//! Texts that reach a model. Each has a key, under which a person can replace it, and names in braces, which are filled in.

use std::collections::BTreeMap;

/// A text that reaches a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Text {
    /// Its key in `[advice.texts]`, such as `reflection.after-run`.
    pub key: &'static str,
    /// What it says unless somebody says it otherwise.
    pub says: &'static str,
    /// The names in braces that are filled in.
    pub names: &'static [&'static str],
}

/// All texts, by their rules.
pub const ALL: &[&[Text]] = &[
    crate::reflection::TEXTS,
    crate::orchestrator::TEXTS,
    crate::work::TEXTS,
    crate::delegation::TEXTS,
    crate::failure::TEXTS,
    crate::loops::TEXTS,
    crate::debugging::TEXTS,
    crate::intent::TEXTS,
    crate::drift::TEXTS,
    crate::tool_patterns::TEXTS,
    crate::handoff::TEXTS,
    crate::checkpoint::TEXTS,
    crate::recovery::TEXTS,
    crate::subagent::TEXTS,
    crate::documentation::TEXTS,
    crate::cost::TEXTS,
];

/// Every text.
pub fn all() -> impl Iterator<Item = &'static Text> {
    ALL.iter().copied().flatten()
}

/// In the place of a text: it is not said.
const OFF: &str = "off";

/// The texts that somebody wrote in the place of ours, by their keys.
pub type Replaced = BTreeMap<String, String>;

impl Text {
    /// The text with its names filled in. A person's own text `off` switches it off.
    ///
    /// What is filled in is not looked at again: a command that has braces in it stays as it is.
    pub fn render(&self, replaced: &Replaced, values: &[(&str, &str)]) -> Option<String> {
        let text = replaced.get(self.key).map_or(self.says, String::as_str);
        (text.trim() != OFF).then(|| fill(text, values))
    }
}

fn fill(text: &str, values: &[(&str, &str)]) -> String {
    let mut filled = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        filled.push_str(before);
        let named = after
            .split_once('}')
            .and_then(|(name, after)| Some((values.iter().find(|(it, _)| *it == name)?.1, after)));
        // Braces around anything else are text.
        let (value, after) = named.unwrap_or(("{", after));
        filled.push_str(value);
        rest = after;
    }
    filled + rest
}

/// Shortens a text to one line of at most this many characters.
pub fn preview(text: &str, most: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= most {
        return line;
    }
    let kept: String = line.chars().take(most.saturating_sub(1)).collect();
    kept + "…"
}

#[cfg(test)]
mod tests {
    use super::*;

    const GREETING: Text = Text {
        key: "greeting",
        says: "Hello {who}, {what}!",
        names: &["who", "what"],
    };

    #[test]
    fn names_are_filled_in_once() {
        for (replaced, values, expected) in [
            (
                None,
                &[("who", "you"), ("what", "{who}")][..],
                Some("Hello you, {who}!"),
            ),
            (None, &[("who", "you")], Some("Hello you, {what}!")),
            (Some("{what"), &[("what", "x")], Some("{what")),
            (Some("{}{ {what}"), &[("what", "x")], Some("{}{ x")),
            (Some("off"), &[], None),
        ] {
            let replaced = replaced.map(|text| ("greeting".to_owned(), text.to_owned()));
            let replaced = Replaced::from_iter(replaced);
            let rendered = GREETING.render(&replaced, values);
            assert_eq!(rendered.as_deref(), expected, "{replaced:?} {values:?}");
        }
    }

    #[test]
    fn every_text_names_what_it_fills_in_and_has_its_own_key() {
        let mut keys = Vec::new();
        for text in all() {
            let values: Vec<(&str, &str)> = text.names.iter().map(|name| (*name, "x")).collect();
            let rendered = text.render(&Replaced::new(), &values).unwrap();
            assert!(!rendered.contains('{'), "{}: {rendered}", text.key);
            for name in text.names {
                assert!(
                    text.says.contains(&format!("{{{name}}}")),
                    "{}: {name}",
                    text.key
                );
            }
            keys.push(text.key);
        }
        let all = keys.len();
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), all);
    }

    #[test]
    fn a_preview_is_one_line() {
        for (text, expected) in [
            ("a\n  b", "a b"),
            ("abcdef", "abcd…"),
            ("", ""),
            ("äöüßx", "äöüßx"),
        ] {
            assert_eq!(preview(text, 5), expected);
        }
    }
}
