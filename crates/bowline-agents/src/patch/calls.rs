//! What a patch does, as calls of Bowline's tools.

use serde_json::{Value, json};

use super::{BEGIN, FileChange, parse};
use crate::parts::{self, part, unread};
use crate::tool::Tool;

/// What a patch does from this folder. Where it cannot be read, that is said first, and every file that it mentions counts as changed.
pub(crate) fn calls(text: &str, folder: Option<&str>) -> Vec<Value> {
    let at = |path: &str| absolute(path, folder);
    match parse(text) {
        Ok(changes) => changes.iter().flat_map(|it| calls_of(it, &at)).collect(),
        Err(why) => {
            let files = why.files.iter();
            let named = files.map(|path| part("Edit", json!({ "file_path": at(path) })));
            std::iter::once(unread(&why.to_string()))
                .chain(named)
                .collect()
        }
    }
}

/// Puts into a payload what a tool that nobody knows does with a patch: it is one that changes files, whatever its name is.
pub(crate) fn tell_in_unknown_tool(payload: &mut Value) {
    let Some(fields) = payload.as_object_mut() else {
        return;
    };
    let tool = fields.get("tool_name").and_then(Value::as_str);
    let (Some(tool), Some(input)) = (tool, fields.get("tool_input")) else {
        return;
    };
    let is_other = Tool::named(tool) == Tool::Mcp || !Tool::is_known(tool);
    let Some(patch) = patch_in(input).filter(|_| is_other) else {
        return;
    };
    let calls = calls(patch, fields.get("cwd").and_then(Value::as_str));
    parts::put(fields, calls);
}

/// The patch is the input, or one of its fields. What is to be in a file may look like one.
fn patch_in(input: &Value) -> Option<&str> {
    const OF_FILE: [&str; 3] = ["content", "contents", "file_text"];
    let fields = input.as_object().into_iter().flatten();
    let others = fields.filter(|(name, _)| !OF_FILE.contains(&name.as_str()));
    let texts = input
        .as_str()
        .into_iter()
        .chain(others.filter_map(|(_, value)| value.as_str()));
    let mut patches = texts.filter(|text| text.trim_start().starts_with(BEGIN));
    patches.next()
}

fn calls_of(change: &FileChange<'_>, at: &dyn Fn(&str) -> String) -> Vec<Value> {
    match change {
        FileChange::Add { path, content } => {
            vec![part(
                "Write",
                json!({"file_path": at(path), "content": content}),
            )]
        }
        FileChange::Delete { path } => vec![part("Delete", json!({ "file_path": at(path) }))],
        FileChange::Update { path, to, old, new } => {
            let edit = |path: &str| {
                let input = json!({"file_path": at(path), "old_string": old, "new_string": new});
                part("Edit", input)
            };
            let Some(to) = to else {
                return vec![edit(path)];
            };
            let moved = part("Move", json!({"source": at(path), "destination": at(to)}));
            if old == new {
                vec![moved]
            } else {
                // Whoever looks after either name sees that the file is changed.
                vec![edit(path), moved, edit(to)]
            }
        }
    }
}

/// Where a path of a patch leads: a patch names files as they are seen from its folder.
fn absolute(path: &str, folder: Option<&str>) -> String {
    match folder.filter(|it| it.starts_with('/') && !path.starts_with('/')) {
        Some(folder) => {
            let path = path.strip_prefix("./").unwrap_or(path);
            format!("{}/{path}", folder.trim_end_matches('/'))
        }
        None => path.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_of_a_patch_is_a_call() {
        let patch = "*** Begin Patch\n*** Add File: ./a\n+x\n*** Update File: /b\n-1\n+2\n*** Update File: c\n*** Move to: d\n-1\n+2\n\
            *** Update File: e\n*** Move to: f\n*** Delete File: g\n*** End Patch\n";
        let edit = |path: &str| {
            part(
                "Edit",
                json!({"file_path": path, "old_string": "1", "new_string": "2"}),
            )
        };
        let moved = |from: &str, to: &str| part("Move", json!({"source": from, "destination": to}));
        assert_eq!(
            calls(patch, Some("/p/")),
            [
                part("Write", json!({"file_path": "/p/a", "content": "x\n"})),
                edit("/b"),
                edit("/p/c"),
                moved("/p/c", "/p/d"),
                edit("/p/d"),
                moved("/p/e", "/p/f"),
                part("Delete", json!({"file_path": "/p/g"})),
            ]
        );
        // Nobody knows the folder.
        let deleted = "*** Begin Patch\n*** Delete File: g\n*** End Patch";
        for folder in [None, Some("p"), Some("")] {
            assert_eq!(
                calls(deleted, folder),
                [part("Delete", json!({"file_path": "g"}))]
            );
        }
    }

    #[test]
    fn a_patch_that_cannot_be_read_is_said_to_be_so_and_its_files_count() {
        let calls = calls("*** Delete File: a\n", Some("/p"));
        assert_eq!(
            calls,
            [
                unread("line 1 of the patch is not `*** Begin Patch`"),
                part("Edit", json!({"file_path": "/p/a"})),
            ]
        );
    }

    #[test]
    fn a_patch_counts_whatever_tool_carries_it() {
        let patch = "*** Begin Patch\n*** Delete File: g\n*** End Patch";
        for (tool, input, expected) in [
            ("patcher", json!({"what": patch}), "Delete"),
            ("patcher", json!(patch), "Delete"),
            ("mcp__fs__apply", json!({"patch": patch}), "Delete"),
            ("patcher", json!({"what": "*** Begin Patch"}), "Unread"),
            ("patcher", json!({"what": "see *** Begin Patch"}), "patcher"),
            (
                "mcp__fs__write",
                json!({"content": patch}),
                "mcp__fs__write",
            ),
            ("Edit", json!({"new_string": patch}), "Edit"),
            ("Bash", json!({"command": patch}), "Bash"),
        ] {
            let mut payload = json!({"tool_name": tool, "tool_input": input});
            tell_in_unknown_tool(&mut payload);
            assert_eq!(payload["tool_name"], expected, "{tool} {input}");
        }
    }
}
