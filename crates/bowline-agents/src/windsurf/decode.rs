//! What Cascade reports, in Bowline's words. All that is particular to an event is in `tool_info`.

use serde_json::{Map, Value};

use super::AGENT;
use crate::answer::Object;
use crate::event::{EventClass, HookEvent};
use crate::folder;
use crate::json;
use crate::words::{Words, keep_native};

const WORDS: Words = Words {
    events: AGENT.events,
    fields: &[
        ("agent_action_name", "hook_event_name"),
        ("trajectory_id", "session_id"),
        ("execution_id", "prompt_id"),
        ("model_name", "model"),
    ],
    tools: &[],
};

pub(super) fn decode(mut payload: Value) -> Value {
    let mut info = None;
    if let Some(fields) = payload.as_object_mut() {
        info = fields.shift_remove("tool_info");
    }
    let names = payload.as_object_mut().map(name_the_event);
    let mut payload = WORDS.translate(payload);
    let (Some(fields), Some(info)) = (payload.as_object_mut(), info) else {
        return payload;
    };
    match info {
        Value::Object(info) => {
            let kind = kind_of(&names.unwrap_or_default(), &info);
            tell(fields, kind, info);
        }
        other => {
            fields.insert("tool_info".to_owned(), other);
        }
    }
    payload
}

/// Says which event it is, and gives back what Cascade and the entry that it started call it. Cascade's own name counts more, unless only
/// the entry's is of something that can still be stopped.
fn name_the_event(fields: &mut Object) -> [Option<String>; 2] {
    let mut name = |field: &str| match fields.shift_remove(field) {
        Some(Value::String(name)) => Some(name),
        _ => None,
    };
    let (own, entry) = (name("agent_action_name"), name("hook_event_name"));
    let is_gate = |name: &Option<String>| {
        let event = name.as_deref().and_then(event_of);
        event.is_some_and(|event| event.class() == EventClass::Gate)
    };
    let counts = if own.is_none() || (is_gate(&entry) && !is_gate(&own)) {
        &entry
    } else {
        &own
    };
    if let Some(name) = counts.clone() {
        fields.insert("hook_event_name".to_owned(), name.into());
    }
    [own, entry]
}

/// An entry may call an event as Bowline does.
fn event_of(name: &str) -> Option<HookEvent> {
    WORDS
        .event(name)
        .or_else(|| HookEvent::from_any_spelling(name))
}

/// What kind of call it is, by the names of the event; else by what the call holds. A kind whose name nobody knows may still run a command.
fn kind_of(names: &[Option<String>; 2], info: &Object) -> &'static str {
    const KINDS: [(&str, &str); 4] = [
        ("run_command", "command_line"),
        ("write_code", "edits"),
        ("mcp_tool_use", "mcp_tool_name"),
        ("read_code", "file_path"),
    ];
    let known = names.iter().flatten().find_map(|name| {
        let (_, kind) = name.split_once('_')?;
        let mut kinds = KINDS.iter().map(|(known, _)| *known);
        kinds.find(|known| WORDS.event(name).is_some() && *known == kind)
    });
    let says = |name: &Option<String>| {
        let event = name.as_deref().and_then(event_of);
        event.is_some_and(|event| !event.is_tool_event())
    };
    let held = || {
        let mut kinds = KINDS.iter().filter(|(_, field)| info.contains_key(*field));
        kinds.next().map(|(kind, _)| *kind)
    };
    let is_other = || names.iter().any(says);
    known
        .or_else(|| if is_other() { None } else { held() })
        .unwrap_or_default()
}

/// What an event tells beside the fields that all have.
fn tell(fields: &mut Object, kind: &str, mut info: Object) {
    match kind {
        "run_command" => return run_command(fields, info),
        "write_code" => call(fields, "write_code", &info, edited(&info)),
        "read_code" => {
            let input = only(&info, &[("file_path", "file_path")]);
            call(fields, "read_code", &info, ("Read".to_owned(), input));
        }
        "mcp_tool_use" => {
            let name = |name: &str| info.get(name).and_then(Value::as_str).unwrap_or_default();
            let tool = format!(
                "mcp__{}__{}",
                name("mcp_server_name"),
                name("mcp_tool_name")
            );
            let input = info.get("mcp_tool_arguments").cloned();
            let mut input = input.unwrap_or_else(|| Value::Object(Map::new()));
            json::read_object(&mut input);
            call(fields, name("mcp_tool_name"), &info, (tool, input));
        }
        _ => {
            for (own, is) in [
                ("user_prompt", "prompt"),
                ("response", "last_assistant_message"),
            ] {
                if let Some(value) = info.shift_remove(own) {
                    fields.insert(is.to_owned(), value);
                }
            }
            // What nobody knows is kept.
            for (name, value) in info {
                fields.entry(name).or_insert(value);
            }
            return;
        }
    }
    respond(fields, &info);
}

/// A command names its folder itself.
fn run_command(fields: &mut Object, info: Object) {
    let input = only(&info, &[("command_line", "command")]);
    call(fields, "run_command", &info, ("Bash".to_owned(), input));
    if let Some(folder) = info.get("cwd").and_then(Value::as_str) {
        folder::enter(fields, folder);
    }
    respond(fields, &info);
}

/// One edit or several. A new file is an edit of nothing.
fn edited(info: &Object) -> (String, Value) {
    let edits = info.get("edits").and_then(Value::as_array);
    let text = |edit: &Value, name: &str| edit.get(name).and_then(Value::as_str).map(str::to_owned);
    let mut input = Map::new();
    if let Some(file) = info.get("file_path") {
        input.insert("file_path".to_owned(), file.clone());
    }
    let tool = if let Some([edit]) = edits.map(Vec::as_slice) {
        let (old, new) = (text(edit, "old_string"), text(edit, "new_string"));
        let new = new.unwrap_or_default();
        if let Some(old) = old.filter(|old| !old.is_empty()) {
            input.insert("old_string".to_owned(), old.into());
            input.insert("new_string".to_owned(), new.into());
            "Edit"
        } else {
            input.insert("content".to_owned(), new.into());
            "Write"
        }
    } else {
        let edits = info.get("edits").cloned().unwrap_or_default();
        input.insert("edits".to_owned(), edits);
        "MultiEdit"
    };
    (tool.to_owned(), Value::Object(input))
}

/// These fields under Bowline's names.
fn only(info: &Object, names: &[(&str, &str)]) -> Value {
    let named = names.iter();
    let named = named.filter_map(|(own, is)| Some(((*is).to_owned(), info.get(*own)?.clone())));
    Value::Object(named.collect())
}

/// Adds the call of a tool.
fn call(fields: &mut Object, own_name: &str, info: &Object, (tool, input): (String, Value)) {
    let mut native = Map::new();
    native.insert("tool_name".to_owned(), own_name.into());
    native.insert("tool_input".to_owned(), Value::Object(info.clone()));
    fields.insert("tool_name".to_owned(), tool.into());
    fields.insert("tool_input".to_owned(), input);
    keep_native(fields, native);
}

/// Adds what came of a call, as far as it is told.
fn respond(fields: &mut Object, info: &Object) {
    let named = [
        ("exit_code", "exit_code"),
        ("output", "stdout"),
        ("content", "content"),
        ("mcp_result", "content"),
    ];
    let response = only(info, &named);
    let is_told = response.as_object().is_some_and(|it| !it.is_empty());
    let is_after = fields.get("hook_event_name").and_then(Value::as_str) == Some("PostToolUse");
    if is_told && is_after {
        fields.insert("tool_response".to_owned(), response);
    }
}
