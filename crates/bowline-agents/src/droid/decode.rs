//! Bowline's own payload for Factory Droid's.

use serde_json::{Map, Value};

use super::{PATCH, WORDS};
use crate::answer::Object;
use crate::parts::{self, part, unread};
use crate::patch;
use crate::words::keep_native;

/// Its modes, and Bowline's words for the same.
const MODES: [(&str, &str); 5] = [
    ("off", "default"),
    ("spec", "plan"),
    ("auto-low", "acceptEdits"),
    ("auto-medium", "auto"),
    ("auto-high", "bypassPermissions"),
];

/// The sign between a server and its tool.
const OF_SERVER: &str = "___";

pub(super) fn decode(payload: Value) -> Value {
    let Value::Object(mut fields) = payload else {
        return payload;
    };
    split_patch(&mut fields);
    let Value::Object(mut fields) = WORDS.translate(Value::Object(fields)) else {
        return Value::Null;
    };
    name_mode(&mut fields);
    name_server(&mut fields);
    split_search(&mut fields);
    leave_code_out(&mut fields);
    Value::Object(fields)
}

fn name_mode(fields: &mut Object) {
    let mode = fields.get("permission_mode").and_then(Value::as_str);
    if let Some((_, is)) = MODES.iter().find(|(own, _)| mode == Some(own)) {
        replace(fields, "permission_mode", (*is).into());
    }
}

fn name_server(fields: &mut Object) {
    let name = fields.get("tool_name").and_then(Value::as_str);
    let parts = name.and_then(|name| name.split_once(OF_SERVER));
    let Some((server, tool)) =
        parts.filter(|(server, tool)| !server.is_empty() && !tool.is_empty())
    else {
        return;
    };
    let name = format!("mcp__{server}__{tool}");
    replace(fields, "tool_name", name.into());
}

/// Each file of a patch is a call of its own.
fn split_patch(fields: &mut Object) {
    if fields.get("tool_name").and_then(Value::as_str) != Some(PATCH) {
        return;
    }
    let text = fields.get("tool_input").and_then(|it| it.get("input"));
    let folder = fields.get("cwd").and_then(Value::as_str);
    let calls = match text.and_then(Value::as_str) {
        Some(text) => patch::calls(text, folder),
        None => vec![unread("the patch is no text")],
    };
    parts::put(fields, calls);
}

/// Each pattern of a search is a call of its own.
fn split_search(fields: &mut Object) {
    let Some(input) = fields.get("tool_input").filter(|_| {
        let tool = fields.get("tool_name").and_then(Value::as_str);
        tool == Some("Glob")
    }) else {
        return;
    };
    let patterns = input.get("pattern").and_then(Value::as_array);
    let search = |pattern: &Value| {
        let mut search = input.clone();
        if let Some(own) = search.get_mut("pattern") {
            *own = pattern.clone();
        }
        part("Glob", search)
    };
    let searches = patterns.into_iter().flatten().map(search).collect();
    parts::put(fields, searches);
}

/// What a command printed ends with its code, `[Process exited with code 0]`. A command that failed is not reported.
fn leave_code_out(fields: &mut Object) {
    let response = fields.get_mut("tool_response");
    let Some(Value::String(printed)) = response.and_then(|it| it.get_mut("stdout")) else {
        return;
    };
    if let Some((before, code)) = printed
        .trim_end()
        .rsplit_once("\n[Process exited with code ")
        && code.ends_with(']')
    {
        *printed = before.trim_end_matches('\n').to_owned();
    }
}

/// Replaces a field, and keeps what the agent said.
fn replace(fields: &mut Object, name: &str, value: Value) {
    if let Some(own) = fields.insert(name.to_owned(), value) {
        keep_native(fields, Map::from_iter([(name.to_owned(), own)]));
    }
}
