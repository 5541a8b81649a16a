//! Bowline's own payload for Cursor's.

use serde_json::{Map, Value, json};

use super::parsed;
use super::words::WORDS;
use crate::event::HookEvent;
use crate::folder;
use crate::words::keep_native;

/// The server of every tool: Cursor names none.
const SERVER: &str = "unnamed";

pub(super) fn decode(payload: Value) -> Value {
    let Value::Object(mut fields) = payload else {
        return payload;
    };
    let name = fields.get("hook_event_name").and_then(Value::as_str);
    let name = name.unwrap_or_default().to_owned();
    tell_call(&name, &mut fields);
    tell_server(&mut fields);
    let Value::Object(mut fields) = WORDS.translate(Value::Object(fields)) else {
        return Value::Null;
    };
    if let Some(response) = fields.get_mut("tool_response")
        && let Some(value) = parsed(response)
    {
        *response = value;
    }
    name_session(&mut fields);
    place(&mut fields);
    let event = fields.get("hook_event_name").and_then(Value::as_str);
    match event.and_then(HookEvent::from_name) {
        Some(HookEvent::Stop) => end_turn(&mut fields),
        Some(HookEvent::SubagentStop) => end_subagent(&mut fields),
        _ => {}
    }
    Value::Object(fields)
}

/// Some events tell a call by its parts: the command, the file. They become a tool with its input.
fn tell_call(name: &str, fields: &mut Map<String, Value>) {
    let moved = |fields: &mut Map<String, Value>, name: &str| fields.shift_remove(name);
    let (tool, input) = match name {
        "beforeShellExecution" | "afterShellExecution" => {
            let Some(command) = moved(fields, "command") else {
                return;
            };
            if let Some(output) = moved(fields, "output") {
                fields.insert("tool_response".to_owned(), json!({"stdout": output}));
            }
            ("Bash", json!({"command": command}))
        }
        "beforeReadFile" => match moved(fields, "file_path") {
            Some(path) => ("Read", json!({"file_path": path})),
            None => return,
        },
        "afterFileEdit" => {
            let (Some(path), Some(Value::Array(edits))) =
                (moved(fields, "file_path"), moved(fields, "edits"))
            else {
                return;
            };
            match edits.as_slice() {
                [Value::Object(edit)] => {
                    let mut input = edit.clone();
                    input.insert("file_path".to_owned(), path);
                    ("Edit", Value::Object(input))
                }
                _ => ("MultiEdit", json!({"file_path": path, "edits": edits})),
            }
        }
        "beforeMCPExecution" | "afterMCPExecution" => {
            if let Some(input) = fields.get_mut("tool_input")
                && let Some(value) = parsed(input)
            {
                *input = value;
            }
            if let Some(result) = moved(fields, "result_json") {
                fields.insert("tool_response".to_owned(), result);
            }
            let tool = fields.get("tool_name").and_then(Value::as_str);
            if let Some(tool) = tool.filter(|tool| !tool.starts_with("MCP:")) {
                let tool = format!("MCP:{tool}");
                fields.insert("tool_name".to_owned(), tool.into());
            }
            return;
        }
        _ => return,
    };
    fields.insert("tool_name".to_owned(), tool.into());
    fields.insert("tool_input".to_owned(), input);
}

/// `MCP:query` is a tool of a server.
fn tell_server(fields: &mut Map<String, Value>) {
    let name = fields.get("tool_name").and_then(Value::as_str);
    let tool = name.and_then(|name| name.strip_prefix("MCP:"));
    if let Some(tool) = tool.filter(|tool| !tool.is_empty()) {
        let name = format!("mcp__{SERVER}__{tool}");
        if let Some(own) = fields.insert("tool_name".to_owned(), name.into()) {
            keep_native(fields, Map::from_iter([("tool_name".to_owned(), own)]));
        }
    }
}

/// What a sub-agent does belongs to the conversation that started it.
fn name_session(fields: &mut Map<String, Value>) {
    let id = |name: &str| fields.get(name).filter(|id| id.is_string()).cloned();
    let conversation = || id("session_id").or_else(|| id("conversation_id"));
    if let Some(session) = id("parent_conversation_id").or_else(conversation) {
        fields.insert("session_id".to_owned(), session);
    }
}

/// Where the call works: a shell says it with its command, other events name the workspace. That is the project, whatever a call says.
fn place(fields: &mut Map<String, Value>) {
    let text = |value: Option<&Value>| {
        let text = value.and_then(Value::as_str).map(str::to_owned);
        text.filter(|folder| !folder.is_empty())
    };
    let here = text(fields.get("cwd"));
    let root = fields.get("workspace_roots");
    if let Some(root) = root.and_then(|roots| text(roots.get(0))) {
        fields.insert("cwd".to_owned(), root.into());
    }
    let is_shell = fields.get("tool_name").is_some_and(|tool| tool == "Bash");
    let input = fields.get("tool_input").filter(|_| is_shell);
    let of_call = input.and_then(|input| text(input.get("cwd")));
    for folder in [here, of_call].into_iter().flatten() {
        folder::enter(fields, &folder);
    }
}

/// A turn that a person ended is never sent on.
fn end_turn(fields: &mut Map<String, Value>) {
    let status = fields.get("status").and_then(Value::as_str);
    if status == Some("error") {
        fields.insert(
            "hook_event_name".to_owned(),
            HookEvent::StopFailure.name().into(),
        );
        fields.entry("error").or_insert_with(|| "error".into());
        return;
    }
    let rounds = match status {
        Some("aborted") => Some(1),
        _ => rounds(fields),
    };
    was_sent_on(fields, rounds);
}

fn end_subagent(fields: &mut Map<String, Value>) {
    let status = fields.get("status").and_then(Value::as_str);
    if let Some(success) = status.map(|status| status == "completed") {
        fields.entry("success").or_insert(success.into());
    }
    let rounds = rounds(fields);
    was_sent_on(fields, rounds);
}

/// How often the agent was sent on in this turn.
fn rounds(fields: &Map<String, Value>) -> Option<u64> {
    fields.get("loop_count")?.as_u64()
}

fn was_sent_on(fields: &mut Map<String, Value>, rounds: Option<u64>) {
    if let Some(rounds) = rounds {
        let was = (rounds > 0).into();
        fields.entry("stop_hook_active").or_insert(was);
    }
}
