//! Which texts of a record the search looks through.

use bowline::agents::{MAX_PARTS, PARTS};
use serde_json::Value;

use super::TextKind;

/// What is indexed of one record, in bytes: enough for what people look for, and little enough for every commit.
const MOST: usize = 2 * 1024;

/// Fields of a tool's input that say what is run or looked for.
const COMMANDS: &[&str] = &[
    "command",
    "cmd",
    "script",
    "code",
    "pattern",
    "query",
    "glob",
    "description",
    "skill",
    "subagent_type",
];
/// Fields that name files and addresses.
const PATHS: &[&str] = &[
    "file_path",
    "notebook_path",
    "path",
    "paths",
    "file",
    "files",
    "filename",
    "directory",
    "folder",
    "source",
    "destination",
    "url",
    "urls",
    "uri",
];
/// What an agent asks of another.
const PROMPTS: &[&str] = &["prompt"];
/// All that is left of an input that was too large to be kept.
const BEGINNING: &str = "beginning";

/// The texts of one record, cut to what is indexed of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Texts {
    command: String,
    path: String,
    prompt: String,
    error: String,
}

impl Texts {
    pub(crate) fn of(&self, kind: TextKind) -> &str {
        match kind {
            TextKind::Command => &self.command,
            TextKind::Path => &self.path,
            TextKind::Prompt => &self.prompt,
            TextKind::Error => &self.error,
        }
    }

    fn of_mut(&mut self, kind: TextKind) -> &mut String {
        match kind {
            TextKind::Command => &mut self.command,
            TextKind::Path => &mut self.path,
            TextKind::Prompt => &mut self.prompt,
            TextKind::Error => &mut self.error,
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        TextKind::ALL.iter().all(|kind| self.of(*kind).is_empty())
    }

    /// Adds a text to those of its kind, as far as there is room.
    pub(crate) fn add(&mut self, kind: TextKind, text: &str) {
        let used: usize = TextKind::ALL.iter().map(|it| self.of(*it).len()).sum();
        let of_kind = self.of_mut(kind);
        let gap = if of_kind.is_empty() { "" } else { "\n" };
        let room = MOST.saturating_sub(used + gap.len());
        let text = text.get(..text.floor_char_boundary(room)).unwrap_or(text);
        if !text.trim().is_empty() {
            of_kind.push_str(gap);
            of_kind.push_str(text);
        }
    }

    /// Adds what a tool was called with: of a call of several things the first, and then the others.
    pub(crate) fn add_input(&mut self, input: &Value) {
        self.add_fields(input);
        let parts = input.get(PARTS).and_then(Value::as_array);
        for part in parts.into_iter().flatten().skip(1).take(MAX_PARTS) {
            self.add_fields(part.get("tool_input").unwrap_or(&Value::Null));
        }
    }

    fn add_fields(&mut self, input: &Value) {
        for (kind, names) in [
            (TextKind::Command, COMMANDS),
            (TextKind::Path, PATHS),
            (TextKind::Prompt, PROMPTS),
        ] {
            let values = names.iter().filter_map(|name| input.get(name));
            values.for_each(|value| self.add_value(kind, value));
        }
        if input.get("truncated") == Some(&Value::Bool(true))
            && let Some(beginning) = input.get(BEGINNING)
        {
            self.add_value(TextKind::Command, beginning);
        }
    }

    fn add_value(&mut self, kind: TextKind, value: &Value) {
        match value {
            Value::String(text) => self.add(kind, text),
            Value::Array(items) => {
                let texts: Vec<&str> = items.iter().filter_map(Value::as_str).collect();
                self.add(kind, &texts.join(" "));
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_input_tells_its_command_its_paths_and_its_prompt() {
        for (input, expected) in [
            (
                json!({"command": "cargo test", "description": "Run the tests", "timeout": 5}),
                ["cargo test\nRun the tests", "", ""],
            ),
            (
                json!({"command": ["bash", "-lc", "ls"]}),
                ["bash -lc ls", "", ""],
            ),
            (
                json!({"file_path": "/p/a.rs", "content": "secret plans"}),
                ["", "/p/a.rs", ""],
            ),
            (
                json!({"file_path": "/p/a.rs", "parts": [
                    {"tool_name": "Edit", "tool_input": {"file_path": "/p/a.rs"}},
                    {"tool_name": "Move", "tool_input": {"source": "/p/b", "destination": "/p/c"}},
                    {"tool_name": "Bash", "tool_input": {"command": "ls"}},
                ]}),
                ["ls", "/p/a.rs\n/p/b\n/p/c", ""],
            ),
            (
                json!({"pattern": "TODO", "path": "src", "url": "https://example.com"}),
                ["TODO", "src\nhttps://example.com", ""],
            ),
            (
                json!({"subagent_type": "Explore", "prompt": "look around"}),
                ["Explore", "", "look around"],
            ),
            (
                json!({"truncated": true, "bytes": 9, "beginning": "{\"file_path\":\"a\""}),
                ["{\"file_path\":\"a\"", "", ""],
            ),
            (json!({"beginning": "x", "command": {"a": 1}}), ["", "", ""]),
            (json!("ls"), ["", "", ""]),
            (json!(null), ["", "", ""]),
        ] {
            let mut texts = Texts::default();
            texts.add_input(&input);
            let kinds = [TextKind::Command, TextKind::Path, TextKind::Prompt];
            assert_eq!(kinds.map(|kind| texts.of(kind)), expected, "{input}");
        }
    }

    #[test]
    fn the_texts_of_a_record_are_no_longer_than_what_is_indexed() {
        let mut texts = Texts::default();
        texts.add(TextKind::Error, " \n");
        assert!(texts.is_empty());
        for kind in [
            TextKind::Prompt,
            TextKind::Prompt,
            TextKind::Path,
            TextKind::Error,
        ] {
            texts.add(kind, &"ä".repeat(400));
        }
        let lengths = TextKind::ALL.map(|kind| texts.of(kind).len());
        assert_eq!(lengths, [0, 446, 1_601, 0]);
        assert!(!texts.is_empty());
    }
}
