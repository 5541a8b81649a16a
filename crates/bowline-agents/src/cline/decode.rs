//! Reading what Cline reports: the CLI's form (`hookName`, `tool_call`, `tool_result`) and the older one of VS Code's extension
//! (`preToolUse`, `postToolUse`, with all values as texts), which the CLI sends as well.

use serde_json::{Map, Value};

use super::{AGENT, denial, input};
use crate::event::{EventClass, HookEvent};
use crate::parts;
use crate::reported::NATIVE;
use crate::words::{OwnTool, Words, keep_native};

/// The tools of the CLI, then those of the extension.
pub(super) const TOOLS: &[OwnTool] = &[
    OwnTool::alike("run_commands", "Bash"),
    // Whether it writes a file or changes one depends on its input.
    OwnTool::alike("editor", "Edit"),
    OwnTool::alike("apply_patch", "Edit"),
    OwnTool::alike("ask_question", "AskUserQuestion"),
    OwnTool::alike("fetch_web_content", "WebFetch"),
    OwnTool::alike("read_files", "Read"),
    OwnTool::alike("search_codebase", "Grep"),
    OwnTool::alike("skills", "Skill"),
    OwnTool {
        name: "spawn_agent",
        is: "Agent",
        fields: &[("task", "prompt")],
    },
    OwnTool::alike("ask_followup_question", "AskUserQuestion"),
    OwnTool::alike("execute_command", "Bash"),
    OwnTool {
        name: "list_files",
        is: "LS",
        fields: &[],
    },
    OwnTool {
        name: "read_file",
        is: "Read",
        fields: &[("path", "file_path")],
    },
    OwnTool {
        name: "replace_in_file",
        is: "Edit",
        fields: &[("path", "file_path"), ("diff", "new_string")],
    },
    OwnTool {
        name: "search_files",
        is: "Grep",
        fields: &[("regex", "pattern"), ("file_pattern", "glob")],
    },
    OwnTool::alike("web_fetch", "WebFetch"),
    OwnTool::alike("web_search", "WebSearch"),
    OwnTool {
        name: "write_to_file",
        is: "Write",
        fields: &[("path", "file_path")],
    },
];

const WORDS: Words = Words {
    events: AGENT.events,
    fields: &[],
    tools: TOOLS,
};

/// What the CLI calls the events in `hookName`, and the scripts that it runs for them.
const HOOK_NAMES: &[(&str, &str)] = &[
    ("agent_start", "TaskStart"),
    ("agent_resume", "TaskResume"),
    ("agent_abort", "TaskCancel"),
    ("agent_end", "TaskComplete"),
    ("agent_error", "TaskError"),
    ("tool_call", "PreToolUse"),
    ("tool_result", "PostToolUse"),
    ("prompt_submit", "UserPromptSubmit"),
    ("pre_compact", "PreCompact"),
    ("session_shutdown", "SessionShutdown"),
];

/// What Cline reports, in Bowline's words.
pub(super) fn decode(payload: Value) -> Value {
    let Value::Object(mut fields) = payload else {
        return payload;
    };
    // Every payload of Cline's names its task, and none in Bowline's words does.
    if !fields.contains_key("taskId") && !fields.contains_key("hookName") {
        return translated(fields);
    }
    let script = name_the_event(&mut fields);
    name_the_session(&mut fields);
    take_call(&mut fields);
    let Value::Object(mut fields) = translated(fields) else {
        return Value::Null;
    };
    let event = text(&fields, "hook_event_name").and_then(HookEvent::from_name);
    match event {
        Some(HookEvent::SessionStart) => {
            let is_resumed = script.as_deref() == Some("TaskResume");
            set(
                &mut fields,
                "source",
                if is_resumed { "resume" } else { "startup" },
            );
        }
        Some(HookEvent::UserPromptSubmit) => {
            move_up(&mut fields, ("userPromptSubmit", "prompt"), "prompt");
        }
        Some(HookEvent::Stop) => {
            move_up(
                &mut fields,
                ("turn", "outputText"),
                "last_assistant_message",
            );
        }
        Some(HookEvent::StopFailure) => split_error(&mut fields),
        Some(HookEvent::SessionEnd) => end(&mut fields),
        Some(HookEvent::PreCompact) => set(&mut fields, "trigger", "auto"),
        _ => {}
    }
    name_the_subagent(&mut fields);
    Value::Object(fields)
}

/// What a call does is looked up before its tool is translated.
fn translated(mut fields: Map<String, Value>) -> Value {
    let tool = text(&fields, "tool_name").map(str::to_owned);
    let tool = tool.unwrap_or_default();
    let said = fields.get("tool_input").cloned().unwrap_or_default();
    let folder = text(&fields, "cwd").map(str::to_owned);
    if let Some(calls) = input::calls(&tool, &said, folder.as_deref()) {
        parts::put(&mut fields, calls);
        if let Some(why) = denial::told(&tool, &said) {
            refuse(&mut fields, why);
        }
    } else if let Some((server, name)) = server(&tool, &said) {
        let known = format!("mcp__{server}__{name}");
        let own = fields.insert("tool_name".to_owned(), known.into());
        let mut native = Map::new();
        native.extend(own.map(|own| ("tool_name".to_owned(), own)));
        if tool == "use_mcp_tool" {
            let arguments = text_or_json(said.get("arguments"));
            native.extend(
                fields
                    .insert("tool_input".to_owned(), arguments)
                    .map(|own| ("tool_input".to_owned(), own)),
            );
        }
        keep_native(&mut fields, native);
    } else if tool == "attempt_completion" && said.get("command").is_some_and(Value::is_string) {
        // It shows the result by a command.
        parts::put(&mut fields, vec![parts::part("Bash", said)]);
    }
    let Value::Object(mut fields) = WORDS.translate(Value::Object(fields)) else {
        return Value::Null;
    };
    if tool == "replace_in_file" {
        name_what_goes(&mut fields);
    }
    add_errors(&mut fields);
    Value::Object(fields)
}

/// What a change puts its text in the place of: that of all its blocks. An empty one stands for the whole file.
fn name_what_goes(fields: &mut Map<String, Value>) {
    let Some(input) = fields.get_mut("tool_input").and_then(Value::as_object_mut) else {
        return;
    };
    input.shift_remove("old_string");
    if let Some(searched) = text(input, "new_string").and_then(input::searched) {
        set(input, "old_string", searched);
    }
}

fn text<'a>(fields: &'a Map<String, Value>, name: &str) -> Option<&'a str> {
    fields.get(name)?.as_str()
}

fn set(fields: &mut Map<String, Value>, name: &str, value: impl Into<Value>) {
    fields.insert(name.to_owned(), value.into());
}

/// Puts a value where Bowline has it.
fn move_up(fields: &mut Map<String, Value>, (outer, inner): (&str, &str), name: &str) {
    let value = fields.get(outer).and_then(|it| it.get(inner)).cloned();
    if let Some(value) = value {
        fields.entry(name).or_insert(value);
    }
}

/// The name of the event, by what the payload says and by the script that was started; the script, if it is known. Where the two differ,
/// what can still be stopped counts.
fn name_the_event(fields: &mut Map<String, Value>) -> Option<String> {
    let own = text(fields, "hookName").map(str::to_owned);
    let script = own.as_deref().map(|own| {
        let known = HOOK_NAMES.iter().find(|(name, _)| *name == own);
        known.map_or(own, |(_, script)| *script).to_owned()
    });
    let event = |name: Option<&str>| WORDS.event(name?);
    let started = event(text(fields, "hook_event_name"));
    let is_gate = |event: Option<HookEvent>| event.is_some_and(|it| it.class() == EventClass::Gate);
    let said = event(script.as_deref());
    if said.is_none() || (started != said && is_gate(started)) {
        return text(fields, "hook_event_name").map(str::to_owned);
    }
    if let Some(script) = &script {
        set(fields, "hook_event_name", script.as_str());
    }
    let mut native = Map::new();
    native.extend(
        own.filter(|own| Some(own) != script.as_ref())
            .map(|own| ("event".to_owned(), own.into())),
    );
    keep_native(fields, native);
    fields.shift_remove("hookName");
    script
}

fn name_the_session(fields: &mut Map<String, Value>) {
    let root = fields
        .get("sessionContext")
        .and_then(|it| it.get("rootSessionId"));
    let session = root.or_else(|| fields.get("taskId")).cloned();
    let root = fields
        .get("workspaceRoots")
        .and_then(|it| it.get(0))
        .cloned();
    for (name, value) in [("session_id", session), ("cwd", root)] {
        if let Some(value) = value.filter(Value::is_string) {
            fields.entry(name).or_insert(value);
        }
    }
    if let Some(task) = fields.shift_remove("taskId") {
        fields.entry("task_id").or_insert(task);
    }
    // The extension writes milliseconds as a text, which nobody reads. The event has just happened.
    if text(fields, "timestamp").is_some_and(|it| it.parse::<u64>().is_ok()) {
        fields.shift_remove("timestamp");
    }
}

/// The call, by the CLI's words, else by those of the extension.
fn take_call(fields: &mut Map<String, Value>) {
    let of_cli = [
        ("tool_call", "id", "name", "input"),
        ("tool_result", "id", "name", "input"),
    ];
    let of_extension = [
        ("preToolUse", "", "toolName", "parameters"),
        ("postToolUse", "", "toolName", "parameters"),
    ];
    let all = of_cli.into_iter().chain(of_extension);
    let said = all.filter_map(|names| Some((fields.get(names.0)?.as_object()?.clone(), names)));
    let Some((call, (place, id, name, input))) = said.into_iter().next() else {
        return;
    };
    for (own, is) in [
        (id, "tool_use_id"),
        (name, "tool_name"),
        (input, "tool_input"),
    ] {
        if let Some(value) = call.get(own) {
            fields.entry(is).or_insert_with(|| value.clone());
        }
    }
    for (own, is) in [
        ("durationMs", "duration_ms"),
        ("executionTimeMs", "duration_ms"),
    ] {
        if let Some(value) = call.get(own) {
            fields.entry(is).or_insert_with(|| value.clone());
        }
    }
    let has_failed = match place {
        "tool_result" => call.get("error").is_some_and(Value::is_string),
        "postToolUse" => call.get("success") == Some(&Value::Bool(false)),
        _ => false,
    };
    let response = call
        .get(if place == "tool_result" {
            "output"
        } else {
            "result"
        })
        .cloned();
    match (has_failed, response) {
        (true, response) => {
            let error = call.get("error").cloned().or(response);
            set(
                fields,
                "hook_event_name",
                HookEvent::PostToolUseFailure.name(),
            );
            set(fields, "error", error.unwrap_or_default());
        }
        (false, Some(response)) => set(fields, "tool_response", response),
        (false, None) => {}
    }
    // What stands there now stands elsewhere.
    for place in ["tool_call", "tool_result", "preToolUse", "postToolUse"] {
        fields.shift_remove(place);
    }
}

/// A call that Bowline has denied ran with another input: nothing has happened.
fn refuse(fields: &mut Map<String, Value>, why: String) {
    let event = text(fields, "hook_event_name").and_then(HookEvent::from_name);
    if matches!(
        event,
        Some(HookEvent::PostToolUse | HookEvent::PostToolUseFailure)
    ) {
        set(
            fields,
            "hook_event_name",
            HookEvent::PermissionDenied.name(),
        );
        set(fields, "reason", why);
        fields.shift_remove("tool_response");
        fields.shift_remove("error");
    }
}

/// What several parts of a call have given back: what a shell printed, and which of them failed.
fn add_errors(fields: &mut Map<String, Value>) {
    let is_shell = text(fields, "tool_name") == Some("Bash");
    let Some(Value::Array(results)) = fields.get("tool_response") else {
        return;
    };
    let texts = |name: &str| -> Vec<String> {
        let all = results
            .iter()
            .filter_map(|result| result.get(name)?.as_str());
        all.map(str::to_owned).collect()
    };
    let (printed, errors) = (texts("result"), texts("error"));
    let mut response = Map::new();
    if is_shell {
        set(&mut response, "stdout", printed.join("\n"));
        set(&mut response, "stderr", "");
        set(&mut response, "interrupted", false);
    } else {
        set(&mut response, "results", results.clone());
    }
    if !errors.is_empty() {
        set(&mut response, "error", errors.join("\n"));
    }
    let own = fields.insert("tool_response".to_owned(), Value::Object(response));
    let native = own
        .filter(|_| is_shell)
        .map(|own| ("tool_response".to_owned(), own));
    keep_native(fields, native.into_iter().collect());
}

/// The server and the tool of a call of one.
fn server(tool: &str, input: &Value) -> Option<(String, String)> {
    if tool == "use_mcp_tool" {
        let text = |name: &str| Some(input.get(name)?.as_str()?.to_owned());
        return Some((text("server_name")?, text("tool_name")?));
    }
    let (server, name) = tool
        .split_once("__")
        .filter(|_| !tool.starts_with("mcp__"))?;
    let is_whole = !server.is_empty() && !name.is_empty();
    is_whole.then(|| (server.to_owned(), name.to_owned()))
}

/// The extension writes every value as a text, objects as JSON.
fn text_or_json(value: Option<&Value>) -> Value {
    let parsed = value
        .and_then(Value::as_str)
        .and_then(|text| serde_json::from_str(text).ok());
    parsed.or_else(|| value.cloned()).unwrap_or_default()
}

fn split_error(fields: &mut Map<String, Value>) {
    let Some(Value::Object(error)) = fields.get("error") else {
        return;
    };
    let (name, message) = (error.get("name").cloned(), error.get("message").cloned());
    for (place, value) in [("error", name), ("error_details", message)] {
        if let Some(value) = value.filter(Value::is_string) {
            set(fields, place, value);
        }
    }
}

/// The CLI tells that a run was stopped before it says that it is over.
fn end(fields: &mut Map<String, Value>) {
    let own = fields.get(NATIVE).and_then(|native| native.get("event"));
    if own.and_then(Value::as_str) == Some("agent_abort") {
        set(fields, "hook_event_name", HookEvent::StopFailure.name());
        set(fields, "error", "aborted");
        return;
    }
    fields.entry("reason").or_insert_with(|| "abort".into());
}

/// Only a sub-agent has a parent. The agent that a person talks to has an id, too.
fn name_the_subagent(fields: &mut Map<String, Value>) {
    let is_subagent = fields
        .shift_remove("parent_agent_id")
        .is_some_and(|it| it.is_string());
    if !is_subagent {
        fields.shift_remove("agent_id");
        return;
    }
    let event = text(fields, "hook_event_name").and_then(HookEvent::from_name);
    let event = match event {
        Some(HookEvent::SessionStart) => HookEvent::SubagentStart,
        Some(HookEvent::Stop) => HookEvent::SubagentStop,
        Some(HookEvent::SessionEnd) => {
            set(fields, "success", false);
            HookEvent::SubagentStop
        }
        _ => return,
    };
    for name in ["source", "reason"] {
        fields.shift_remove(name);
    }
    set(fields, "hook_event_name", event.name());
}
