//! Reading what the plugin says.

use serde_json::{Map, Value};

use super::AGENT;
use crate::event::HookEvent;
use crate::reported::NATIVE;
use crate::words::{OwnTool, Words, keep_native};
use crate::{folder, parts, patch};

/// Its tools.
pub(super) const TOOLS: &[OwnTool] = &[
    // Which files are changed, and how, is in its text.
    OwnTool::alike(PATCH, "Edit"),
    OwnTool::alike("bash", "Bash"),
    OwnTool::alike("codesearch", "WebSearch"),
    OwnTool {
        name: "edit",
        is: "Edit",
        fields: &[
            FILE,
            ("oldString", "old_string"),
            ("newString", "new_string"),
            ("replaceAll", "replace_all"),
        ],
    },
    OwnTool::alike("glob", "Glob"),
    OwnTool {
        name: "grep",
        is: "Grep",
        fields: &[("include", "glob")],
    },
    OwnTool::alike("list", "LS"),
    OwnTool::alike("list_mcp_resource_templates", "ListMcpResourcesTool"),
    OwnTool::alike("list_mcp_resources", "ListMcpResourcesTool"),
    OwnTool {
        name: "multiedit",
        is: "MultiEdit",
        fields: &[FILE],
    },
    OwnTool::alike("plan_enter", "EnterPlanMode"),
    OwnTool::alike("plan_exit", "ExitPlanMode"),
    OwnTool::alike("question", "AskUserQuestion"),
    OwnTool {
        name: "read",
        is: "Read",
        fields: &[FILE],
    },
    OwnTool::alike("read_mcp_resource", "ReadMcpResourceTool"),
    OwnTool {
        name: "skill",
        is: "Skill",
        fields: &[("name", "skill")],
    },
    OwnTool::alike("task", "Agent"),
    OwnTool::alike("todowrite", "TodoWrite"),
    OwnTool::alike("webfetch", "WebFetch"),
    OwnTool::alike("websearch", "WebSearch"),
    OwnTool {
        name: "write",
        is: "Write",
        fields: &[FILE],
    },
];

const FILE: (&str, &str) = ("filePath", "file_path");

/// What a permission is called that is for no tool.
const OWN_PERMISSIONS: &[&str] = &["doom_loop", "external_directory"];

/// The tool that changes several files. All of them are in one text.
pub(super) const PATCH: &str = "apply_patch";

/// The tool that makes several calls.
const BATCH: &str = "batch";

pub(super) const WORDS: Words = Words {
    events: AGENT.events,
    fields: &[
        ("event", "hook_event_name"),
        ("sessionID", "session_id"),
        ("directory", "cwd"),
        ("callID", "tool_use_id"),
        ("tool", "tool_name"),
        ("args", "tool_input"),
        ("text", "last_assistant_message"),
    ],
    tools: TOOLS,
};

/// What the plugin says, in Bowline's words.
pub(super) fn decode(payload: Value) -> Value {
    let Value::Object(mut fields) = payload else {
        return payload;
    };
    name_the_event(&mut fields);
    let Value::Object(mut fields) = WORDS.translate(Value::Object(fields)) else {
        return Value::Null;
    };
    name_the_server(&mut fields);
    part_the_patch(&mut fields);
    part_the_batch(&mut fields);
    let event = text(&fields, "hook_event_name").and_then(HookEvent::from_name);
    match event {
        Some(HookEvent::SessionStart) => add_source(&mut fields),
        Some(HookEvent::PreToolUse | HookEvent::PermissionRequest) => add_place(&mut fields),
        Some(HookEvent::PostToolUse) => add_response(&mut fields),
        Some(HookEvent::StopFailure) => split_error(&mut fields),
        Some(HookEvent::SessionEnd) => add_reason(&mut fields),
        _ => {}
    }
    name_the_subagent(&mut fields, event);
    Value::Object(fields)
}

/// Of several names of one event the plugin's own counts, whatever the command line says.
fn name_the_event(fields: &mut Map<String, Value>) {
    let event = |name: &str| WORDS.event(text(fields, name)?);
    let is_same = event("event").is_some() && event("event") == event("hook_event_name");
    if is_same && let Some(own) = fields.shift_remove("event") {
        fields.insert("hook_event_name".to_owned(), own);
    }
}

fn text<'a>(fields: &'a Map<String, Value>, name: &str) -> Option<&'a str> {
    fields.get(name)?.as_str()
}

fn native_event(fields: &Map<String, Value>) -> Option<&str> {
    fields.get(NATIVE)?.get("event")?.as_str()
}

fn set(fields: &mut Map<String, Value>, name: &str, value: impl Into<Value>) {
    fields.insert(name.to_owned(), value.into());
}

/// `SERVER_TOOL` is a tool of a server: OpenCode joins the two names so. A server whose own name has that sign cannot be told from
/// another one.
fn name_the_server(fields: &mut Map<String, Value>) {
    let Some(name) = text(fields, "tool_name") else {
        return;
    };
    let Some((server, tool)) = name.split_once('_') else {
        return;
    };
    let is_own = name.starts_with("mcp__") || OWN_PERMISSIONS.contains(&name);
    if server.is_empty() || tool.is_empty() || is_own {
        return;
    }
    let known = format!("mcp__{server}__{tool}");
    let own = fields.insert("tool_name".to_owned(), known.into());
    let own = own.map(|own| ("tool_name".to_owned(), own));
    keep_native(fields, own.into_iter().collect());
}

/// A patch is a call for each file.
fn part_the_patch(fields: &mut Map<String, Value>) {
    let own = fields
        .get(NATIVE)
        .and_then(|native| native.get("tool_name"));
    if own.and_then(Value::as_str) != Some(PATCH) {
        return;
    }
    let said = fields.get("tool_input").and_then(|it| it.get("patchText"));
    let calls = match said.and_then(Value::as_str) {
        Some(patch) => patch::calls(patch, text(fields, "cwd")),
        None => vec![parts::unread("the patch is no text")],
    };
    parts::put(fields, calls);
}

/// A batch makes several calls. It makes no batch.
fn part_the_batch(fields: &mut Map<String, Value>) {
    if text(fields, "tool_name") != Some(BATCH) {
        return;
    }
    let said = fields
        .get("tool_input")
        .and_then(|it| it.get("tool_calls"))
        .and_then(Value::as_array);
    let calls = said.into_iter().flatten();
    let calls: Vec<Value> = calls.flat_map(|call| of_batch(fields, call)).collect();
    parts::put(
        fields,
        if calls.is_empty() {
            vec![parts::unread("the batch lists no calls")]
        } else {
            calls
        },
    );
}

/// A call of a batch, read as if it were reported by itself.
fn of_batch(fields: &Map<String, Value>, call: &Value) -> Vec<Value> {
    let tool = call.get("tool").filter(|it| it.is_string() && *it != BATCH);
    let input = call.get("parameters").filter(|it| it.is_object());
    let (Some(tool), Some(input)) = (tool, input) else {
        return vec![parts::unread("a call of the batch is not understood")];
    };
    let mut alone = Map::new();
    for (name, value) in [
        ("hook_event_name", fields.get("hook_event_name")),
        ("cwd", fields.get("cwd")),
        ("tool_name", Some(tool)),
        ("tool_input", Some(input)),
    ] {
        alone.extend(value.map(|value| (name.to_owned(), value.clone())));
    }
    let mut alone = decode(Value::Object(alone));
    // The parts of a call have one folder.
    if alone.get("cwd") != fields.get("cwd")
        && let Some(there) = alone.get("cwd").and_then(Value::as_str).map(str::to_owned)
        && let Some(input) = alone.get_mut("tool_input").and_then(Value::as_object_mut)
    {
        folder::run_in(input, &there);
    }
    let field = |name: &str| alone.get(name).cloned().unwrap_or_default();
    match alone.get(parts::PARTS).and_then(Value::as_array) {
        Some(listed) => listed.clone(),
        None => vec![parts::part(
            field("tool_name").as_str().unwrap_or_default(),
            field("tool_input"),
        )],
    }
}

/// The session of a sub-agent is its own; Bowline's is the one that a person began.
fn name_the_subagent(fields: &mut Map<String, Value>, event: Option<HookEvent>) {
    let Some(Value::String(parent)) = fields.shift_remove("parentID") else {
        return;
    };
    if let Some(own) = fields.insert("session_id".to_owned(), parent.into()) {
        fields.insert("agent_id".to_owned(), own);
    }
    if let Some(kind) = fields.shift_remove("agent") {
        fields.insert("agent_type".to_owned(), kind);
    }
    let event = match event {
        Some(HookEvent::SessionStart) => HookEvent::SubagentStart,
        Some(HookEvent::Stop | HookEvent::SessionEnd) => HookEvent::SubagentStop,
        _ => return,
    };
    if event == HookEvent::SubagentStart {
        fields.shift_remove("source");
        if let Some(title) = fields.shift_remove("title") {
            fields.insert("description".to_owned(), title);
        }
    }
    set(fields, "hook_event_name", event.name());
}

fn add_source(fields: &mut Map<String, Value>) {
    let is_resumed = fields.shift_remove("resumed") == Some(Value::Bool(true));
    let source = match native_event(fields) {
        Some("session.compacted") => "compact",
        Some("session.created") if is_resumed => "resume",
        Some("session.created") => "startup",
        _ => return,
    };
    set(fields, "source", source);
    if let Some(title) = fields.shift_remove("title") {
        fields.insert("session_title".to_owned(), title);
    }
}

/// A command may say in which folder it runs, and a question which file it is about.
fn add_place(fields: &mut Map<String, Value>) {
    let input = |name: &str| fields.get("tool_input")?.get(name)?.as_str();
    let is_command = text(fields, "tool_name") == Some("Bash");
    let workdir = input("workdir").filter(|_| is_command);
    let workdir = workdir.map(str::to_owned);
    let file = input("filepath").map(str::to_owned);
    if let Some(workdir) = workdir {
        folder::enter(fields, &workdir);
    }
    let input = fields.get_mut("tool_input").and_then(Value::as_object_mut);
    if let (Some(input), Some(file)) = (input, file) {
        input.entry("file_path").or_insert_with(|| file.into());
    }
}

/// `output`, `title` and `metadata` are what the tool gave back. What a shell printed is where hooks look for it.
fn add_response(fields: &mut Map<String, Value>) {
    let is_shell = text(fields, "tool_name") == Some("Bash");
    let mut response = Map::new();
    for (own, name) in [
        ("output", if is_shell { "stdout" } else { "output" }),
        ("title", "title"),
        ("metadata", "metadata"),
        ("isError", "is_error"),
    ] {
        if let Some(value) = fields.shift_remove(own) {
            response.insert(name.to_owned(), value);
        }
    }
    let of_metadata = |name: &str| response.get("metadata")?.get(name).cloned();
    // The second is the session that work was handed to.
    let (exit, session) = (of_metadata("exit"), of_metadata("sessionId"));
    for (name, value) in [("exit_code", exit), ("agentId", session)] {
        if let Some(value) = value.filter(|value| !value.is_null()) {
            set(&mut response, name, value);
        }
    }
    if !response.is_empty() {
        set(fields, "tool_response", response);
    }
}

fn split_error(fields: &mut Map<String, Value>) {
    let Some(Value::Object(error)) = fields.get("error") else {
        return;
    };
    let (name, message) = (error.get("name").cloned(), error.get("message").cloned());
    if let Some(name) = name.filter(Value::is_string) {
        set(fields, "error", name);
    }
    if let Some(message) = message.filter(Value::is_string) {
        set(fields, "error_details", message);
    }
}

fn add_reason(fields: &mut Map<String, Value>) {
    let reason = match native_event(fields) {
        Some("session.deleted") => "deleted",
        Some("dispose") => "exit",
        _ => return,
    };
    fields.entry("reason").or_insert_with(|| reason.into());
}
