//! Tools of Copilot that no table can translate, because their input says what they do, or names several files.

use serde_json::{Map, Value, json};

use crate::parts::{self, part, unread};
use crate::patch;
use crate::reported::Reported;
use crate::words::renamed_input;

use super::words::EDITOR;

/// The tools that change files by a patch or by a command of their own. Hooks in Claude Code's spelling know both as `Edit`.
const PATCH: &str = "apply_patch";
const EDITOR_NAME: &str = "str_replace_editor";

/// The tools that type into a shell that runs.
const TYPES: &str = "write_bash";
const TYPES_IN_POWERSHELL: &str = "write_powershell";

/// How a patch begins.
const BEGIN: &str = "*** Begin Patch";

/// Whether a call can be run with another input: not where Bowline's words for it are no longer those of one input.
pub(super) fn is_of_one_input(reported: &Reported<'_>) -> bool {
    let has = |name: &str| {
        reported
            .input
            .is_some_and(|input| input.get(name).is_some())
    };
    let lists_paths = reported
        .input
        .and_then(|input| input.get("paths"))
        .is_some_and(Value::is_array);
    match reported.tool {
        Some(PATCH | EDITOR_NAME | TYPES | TYPES_IN_POWERSHELL) => false,
        Some("Edit" | "edit") => {
            (has("path") || has("file_path")) && reported.input.and_then(patch_in).is_none()
        }
        _ => !lists_paths,
    }
}

/// Puts into the payload what its call does, where the table of tools did not.
pub(super) fn tell(native: Option<&str>, fields: &mut Map<String, Value>) {
    let Some(tool) = fields.get("tool_name").and_then(Value::as_str) else {
        return;
    };
    let Some(input) = fields.get("tool_input") else {
        return;
    };
    let own = native.unwrap_or(tool);
    let folder = fields.get("cwd").and_then(Value::as_str);
    let calls = match own {
        PATCH => patch_calls(input, folder),
        EDITOR_NAME => editor_call(input),
        TYPES => typed("Bash", input),
        TYPES_IN_POWERSHELL => typed("PowerShell", input),
        "Edit" | "edit" => edit_calls(tool, input, folder),
        _ => searches(tool, input),
    };
    if !calls.is_empty() {
        parts::put(fields, calls);
    }
}

fn patch_calls(input: &Value, folder: Option<&str>) -> Vec<Value> {
    match patch_in(input) {
        Some(text) => patch::calls(text, folder),
        None => vec![unread("the call names no file, and holds no patch")],
    }
}

/// The patch is the input, or one of its fields. The text of an edit may look like one.
fn patch_in(input: &Value) -> Option<&str> {
    const OF_EDIT: [&str; 4] = ["old_str", "new_str", "old_string", "new_string"];
    let fields = input.as_object().into_iter().flatten();
    let others = fields.filter(|(name, _)| !OF_EDIT.contains(&name.as_str()));
    let mut texts = others.filter_map(|(_, value)| value.as_str());
    let is_patch = |text: &&str| text.trim_start().starts_with(BEGIN);
    input.as_str().or_else(|| texts.find(is_patch))
}

/// A change says which file, or is a patch. Where it is both, nobody knows which of them counts.
fn edit_calls(tool: &str, input: &Value, folder: Option<&str>) -> Vec<Value> {
    let is_edit = input.get("file_path").is_some();
    if is_edit && patch_in(input).is_none() {
        return Vec::new();
    }
    let mut calls = patch_calls(input, folder);
    if is_edit {
        calls.push(part(tool, input.clone()));
    }
    calls
}

/// What is typed is a command. Keys have names in it. Without it, a call only waits for what the shell prints.
fn typed(shell: &str, input: &Value) -> Vec<Value> {
    let said = input.get("input").map(|text| match text.as_str() {
        Some(text) => part(shell, json!({"command": text.replace("{enter}", "\n")})),
        None => unread("what is typed is no text"),
    });
    said.into_iter().collect()
}

fn editor_call(input: &Value) -> Vec<Value> {
    let tool = match input.get("command").and_then(Value::as_str) {
        Some("view") => "Read",
        Some("create") => "Write",
        Some("str_replace" | "insert") => "Edit",
        _ => {
            return vec![unread(
                "the editor is told to do something that is not known",
            )];
        }
    };
    vec![part(tool, renamed_input(input, EDITOR))]
}

/// A search in several places is one in each.
fn searches(tool: &str, input: &Value) -> Vec<Value> {
    let paths = input.get("path").and_then(Value::as_array);
    let Some((paths, fields)) = paths.zip(input.as_object()) else {
        return Vec::new();
    };
    let calls = paths.iter().map(|path| {
        let mut input = fields.clone();
        input.insert("path".to_owned(), path.clone());
        part(tool, Value::Object(input))
    });
    calls.collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::decode::decode;

    #[test]
    fn what_a_call_does_is_told_whatever_form_it_has() {
        let patch =
            "*** Begin Patch\n*** Add File: a.txt\n+x\n*** Delete File: b.txt\n*** End Patch\n";
        let write = json!({"tool_name": "Write", "tool_input": {"file_path": "/p/a.txt", "content": "x\n"}});
        let delete = json!({"tool_name": "Delete", "tool_input": {"file_path": "/p/b.txt"}});
        let both = json!([write, delete]);
        for (tool, input, first, parts) in [
            ("apply_patch", json!({"input": patch}), "Write", &both),
            ("apply_patch", json!(patch), "Write", &both),
            ("Edit", json!({"input": patch}), "Write", &both),
            (
                "Edit",
                json!({"path": "/p/c", "old_str": "1", "new_str": "2"}),
                "Edit",
                &json!(null),
            ),
            ("Edit", json!({"input": "?"}), "Unread", &json!(null)),
            (
                "Edit",
                json!({"path": "/p/c", "input": patch}),
                "Write",
                &json!([write, delete,
                    {"tool_name": "Edit", "tool_input": {"file_path": "/p/c", "input": patch}}]),
            ),
            (
                "Edit",
                json!({"path": "/p/c", "old_str": patch, "new_str": ""}),
                "Edit",
                &json!(null),
            ),
            (
                "grep",
                json!({"pattern": "x", "paths": ["/p/a", "/p/b"]}),
                "Grep",
                &json!([
                    {"tool_name": "Grep", "tool_input": {"pattern": "x", "path": "/p/a"}},
                    {"tool_name": "Grep", "tool_input": {"pattern": "x", "path": "/p/b"}},
                ]),
            ),
            (
                "grep",
                json!({"pattern": "x", "paths": "/p"}),
                "Grep",
                &json!(null),
            ),
            (
                "str_replace_editor",
                json!({"command": "create", "path": "/p/a", "file_text": "x"}),
                "Write",
                &json!(null),
            ),
            (
                "write_bash",
                json!({"shellId": "0", "input": "rm -rf ~{enter}"}),
                "Bash",
                &json!(null),
            ),
            ("write_bash", json!({"input": 3}), "Unread", &json!(null)),
            (
                "str_replace_editor",
                json!({"command": "undo", "path": "/p/a"}),
                "Unread",
                &json!(null),
            ),
        ] {
            let payload = json!({"hook_event_name": "PreToolUse", "cwd": "/p", "tool_name": tool, "tool_input": input});
            let decoded = decode(payload);
            assert_eq!(decoded["tool_name"], first, "{tool} {input}");
            assert_eq!(decoded["parts"], *parts, "{tool} {input}");
        }
        let typed = json!({"hook_event_name": "PreToolUse", "tool_name": "write_bash", "tool_input": {"input": "rm -rf ~{enter}"}});
        assert_eq!(decode(typed)["tool_input"]["command"], "rm -rf ~\n");
        let created = json!({"hook_event_name": "PreToolUse", "tool_name": "str_replace_editor",
            "tool_input": {"command": "create", "path": "/p/a", "file_text": "x"}});
        let decoded = decode(created.clone());
        assert_eq!(decoded["tool_input"]["file_path"], "/p/a");
        assert_eq!(decoded["tool_input"]["content"], "x");
        assert_eq!(decoded["native"]["tool_input"], created["tool_input"]);
    }
}
