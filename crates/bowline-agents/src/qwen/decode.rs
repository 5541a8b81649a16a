//! Bowline's own payload for Qwen Code's.

use serde_json::{Map, Value};

use super::WORDS;
use crate::answer::Object;
use crate::folder;
use crate::words::keep_native;

/// What the report is called that a turn goes on after its tools. It is no prompt, and looks like one.
const TURN_GOES_ON: &str = "TurnGoesOn";

/// Its modes, and Bowline's words for the same.
const MODES: [(&str, &str); 2] = [("auto_edit", "acceptEdits"), ("yolo", "bypassPermissions")];

pub(super) fn decode(payload: Value) -> Value {
    let Value::Object(mut fields) = WORDS.translate(payload) else {
        return Value::Null;
    };
    name_turn(&mut fields);
    name_mode(&mut fields);
    name_call(&mut fields);
    enter_folder(&mut fields);
    Value::Object(fields)
}

/// It reports a prompt without any text after each round of tools.
fn name_turn(fields: &mut Object) {
    let text = |name: &str| fields.get(name).and_then(Value::as_str);
    let is_empty = text("prompt") == Some("") && text("submitted_prompt").is_none();
    if is_empty && text("hook_event_name") == Some("UserPromptSubmit") {
        replace(fields, "hook_event_name", TURN_GOES_ON, "event");
    }
}

fn name_mode(fields: &mut Object) {
    let mode = fields.get("permission_mode").and_then(Value::as_str);
    if let Some((_, is)) = MODES.iter().find(|(own, _)| mode == Some(own)) {
        replace(fields, "permission_mode", is, "permission_mode");
    }
}

/// A call has an id of the hooks' and one of the model's. What is told of all calls of a round names them by the model's alone.
fn name_call(fields: &mut Object) {
    let id = fields.get("tool_call_id").and_then(Value::as_str);
    if let Some(id) = id.filter(|id| !id.is_empty()).map(str::to_owned) {
        replace(fields, "tool_use_id", &id, "tool_use_id");
    }
}

/// A command runs in the folder that the call names.
fn enter_folder(fields: &mut Object) {
    let tool = fields.get("tool_name").and_then(Value::as_str);
    if !matches!(tool, Some("Bash" | "Monitor")) {
        return;
    }
    let named = fields.get("tool_input").and_then(|it| it.get("directory"));
    let Some(folder) = named.and_then(Value::as_str).map(str::to_owned) else {
        return;
    };
    folder::enter(fields, &folder);
}

/// Replaces a field, and keeps what the agent said under another name.
fn replace(fields: &mut Object, field: &str, value: &str, kept: &str) {
    if let Some(own) = fields.insert(field.to_owned(), value.into()) {
        keep_native(fields, Map::from_iter([(kept.to_owned(), own)]));
    }
}
