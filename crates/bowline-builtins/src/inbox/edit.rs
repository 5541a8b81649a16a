//! Adds an entry to the text of a settings file. Comments, order and everything else stay as they are.

use serde::{Deserialize, Serialize};
use toml_edit::{Array, DocumentMut, Item, Table, TableLike, Value};

use crate::guard::AllowEntry;

/// The lines of a file that change.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangedLines {
    /// The first line that changes, from 1.
    pub line: usize,
    /// The lines that go.
    pub removed: Vec<String>,
    /// The lines that come in their place.
    pub added: Vec<String>,
}

impl ChangedLines {
    /// What differs between two texts, as one piece.
    pub(super) fn between(before: &str, after: &str) -> Self {
        let (before, after): (Vec<&str>, Vec<&str>) =
            (before.lines().collect(), after.lines().collect());
        let same = before.iter().zip(&after).take_while(|(a, b)| a == b);
        let head = same.count();
        let (before, after) = (
            before.get(head..).unwrap_or_default(),
            after.get(head..).unwrap_or_default(),
        );
        let same = before.iter().rev().zip(after.iter().rev());
        let tail = same.take_while(|(a, b)| a == b).count();
        let changed = |lines: &[&str]| {
            let lines = lines.iter().take(lines.len() - tail);
            lines.map(|line| (*line).to_owned()).collect()
        };
        Self {
            line: head + 1,
            removed: changed(before),
            added: changed(after),
        }
    }
}

/// The text with the entry, or why it cannot be added. A pattern that is there already is not added again.
pub(super) fn with_entry(text: &str, entry: &AllowEntry) -> Result<String, String> {
    let mut document: DocumentMut = text
        .parse()
        .map_err(|_| "it is not TOML: `bowline check` shows what is wrong with it".to_owned())?;
    let [section, table, list] = entry.key.path();
    let section = below(document.as_table_mut(), section, Headed::No)?;
    let table = below(section, table, Headed::Yes)?;
    let patterns = list_in(table, list)?;
    for pattern in &entry.patterns {
        let is_there = |it: &Value| it.as_str() == Some(pattern);
        if !patterns.iter().any(is_there) {
            push(patterns, pattern.into());
        }
    }
    Ok(document.to_string())
}

/// Whether a new table has its own line in brackets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Headed {
    Yes,
    No,
}

/// A table within another one, which may have to be made.
pub(crate) fn below<'document>(
    table: &'document mut dyn TableLike,
    name: &str,
    headed: Headed,
) -> Result<&'document mut dyn TableLike, String> {
    let new = || {
        let mut new = Table::new();
        new.set_implicit(headed == Headed::No);
        Item::Table(new)
    };
    let item = table.entry(name).or_insert_with(new);
    let found = item.as_table_like_mut();
    found.ok_or_else(|| format!("`{name}` is no table there"))
}

/// A list in a table, which may have to be made.
pub(crate) fn list_in<'document>(
    table: &'document mut dyn TableLike,
    name: &str,
) -> Result<&'document mut Array, String> {
    let list = table
        .entry(name)
        .or_insert_with(|| Item::Value(Value::Array(Array::new())));
    list.as_array_mut()
        .ok_or_else(|| format!("`{name}` is no list there"))
}

/// Adds a value to a list, on a line of its own where the others have one.
pub(crate) fn push(list: &mut Array, value: Value) {
    let before = list
        .iter()
        .last()
        .and_then(|it| it.decor().prefix()?.as_str());
    match before.filter(|it| it.contains('\n')) {
        Some(before) => {
            // A comment above the last one is not about the new one.
            let indent = before.rsplit('\n').next().unwrap_or_default();
            list.push_formatted(value.decorated(format!("\n{indent}"), ""));
        }
        None => list.push(value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::guard::AllowKey;

    fn entry(key: AllowKey, pattern: &str) -> AllowEntry {
        AllowEntry {
            key,
            patterns: vec![pattern.to_owned()],
        }
    }

    #[test]
    fn an_entry_is_added_and_nothing_else_changes() {
        for (before, after) in [
            ("", "[guard.allow]\ncommands = [\"make x\"]\n"),
            (
                "# mine\ndedupe = true\n",
                "# mine\ndedupe = true\n\n[guard.allow]\ncommands = [\"make x\"]\n",
            ),
            (
                "[guard.allow]\ncommands = [\"a b\"] # why\nrules = []\n",
                "[guard.allow]\ncommands = [\"a b\", \"make x\"] # why\nrules = []\n",
            ),
            (
                "[guard.allow]\ncommands = [\n    # first\n    \"a b\",\n]\n\n[fleet]\nnotify = true\n",
                "[guard.allow]\ncommands = [\n    # first\n    \"a b\",\n    \"make x\",\n]\n\n[fleet]\nnotify = true\n",
            ),
            (
                "[guard]\nmode = \"enforce\"\nallow = { rules = [\"git.*\"] }\n",
                "[guard]\nmode = \"enforce\"\nallow = { rules = [\"git.*\"] , commands = [\"make x\"] }\n",
            ),
            (
                "guard.allow.commands = [\"make x\"]\n",
                "guard.allow.commands = [\"make x\"]\n",
            ),
        ] {
            let read = with_entry(before, &entry(AllowKey::Commands, "make x"));
            assert_eq!(read.as_deref(), Ok(after), "{before}");
        }
        let quoted = with_entry("", &entry(AllowKey::SensitiveFiles, "a\"b\\c"));
        let document: DocumentMut = quoted.unwrap().parse().unwrap();
        let list = document["guard"]["sensitive"]["allow"].as_array().unwrap();
        assert_eq!(list.get(0).unwrap().as_str(), Some("a\"b\\c"));
    }

    #[test]
    fn a_file_of_another_form_is_not_changed() {
        for text in [
            "guard = 1\n",
            "[guard]\nallow = []\n",
            "[guard.allow]\ncommands = \"x\"\n",
            "[guard\n",
        ] {
            let refused = with_entry(text, &entry(AllowKey::Commands, "make x"));
            assert!(refused.is_err(), "{text}: {refused:?}");
        }
    }

    #[test]
    fn changed_lines_are_one_piece() {
        for (before, after, line, removed, added) in [
            ("", "a\n", 1, &[][..], &["a"][..]),
            ("a\n", "a\nb\n", 2, &[], &["b"]),
            ("a\nb\nc\n", "a\nx\nc\n", 2, &["b"], &["x"]),
            ("a\na\n", "a\na\na\n", 3, &[], &["a"]),
            ("a\n", "a\n", 2, &[], &[]),
        ] {
            let found = ChangedLines::between(before, after);
            let owned = |lines: &[&str]| lines.iter().map(|it| (*it).to_owned()).collect();
            let expected = ChangedLines {
                line,
                removed: owned(removed),
                added: owned(added),
            };
            assert_eq!(found, expected, "{before:?} {after:?}");
        }
    }
}
