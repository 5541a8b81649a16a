//! What Grok reports, in Bowline's words.

use serde_json::{Map, Value};

use super::AGENT;
use crate::answer::Object;
use crate::json;
use crate::parts;
use crate::words::{self, Fields, OwnTool, Words, keep_native};

pub(super) const TOOLS: &[OwnTool] = &[
    OwnTool {
        name: "run_terminal_command",
        is: "Bash",
        fields: &[("background", "run_in_background")],
    },
    OwnTool {
        name: "run_terminal_cmd",
        is: "Bash",
        fields: &[("background", "run_in_background")],
    },
    OwnTool::alike("monitor", "Monitor"),
    OwnTool {
        name: "read_file",
        is: "Read",
        fields: &[("target_file", "file_path")],
    },
    OwnTool {
        name: "hashline_read",
        is: "Read",
        fields: &[("target_file", "file_path")],
    },
    OwnTool::alike("write", "Write"),
    OwnTool::alike("search_replace", "Edit"),
    OwnTool::alike("hashline_edit", "Edit"),
    OwnTool {
        name: "list_dir",
        is: "LS",
        fields: &[("target_directory", "path")],
    },
    OwnTool::alike("grep", "Grep"),
    OwnTool::alike("hashline_grep", "Grep"),
    OwnTool::alike("web_search", "WebSearch"),
    OwnTool::alike("web_fetch", "WebFetch"),
    OwnTool {
        name: "spawn_subagent",
        is: "Agent",
        fields: &[("background", "run_in_background")],
    },
    OwnTool::alike("get_command_or_subagent_output", "TaskOutput"),
    OwnTool::alike("kill_command_or_subagent", "TaskStop"),
    OwnTool::alike("todo_write", "TodoWrite"),
    OwnTool::alike("ask_user_question", "AskUserQuestion"),
    OwnTool::alike("enter_plan_mode", "EnterPlanMode"),
    OwnTool::alike("exit_plan_mode", "ExitPlanMode"),
    OwnTool::alike("search_tool", "ToolSearch"),
    OwnTool::alike("skill", "Skill"),
];

/// What it calls otherwise than Claude Code. Most is there under both names.
const FIELDS: Fields = &[
    ("hookEventName", "hook_event_name"),
    ("sessionId", "session_id"),
    ("transcriptPath", "transcript_path"),
    ("permissionMode", "permission_mode"),
    ("promptId", "prompt_id"),
    ("toolName", "tool_name"),
    ("toolInput", "tool_input"),
    ("toolUseId", "tool_use_id"),
    ("toolResult", "tool_response"),
    ("durationMs", "duration_ms"),
    ("stopHookActive", "stop_hook_active"),
    ("lastAssistantMessage", "last_assistant_message"),
    ("backgroundTasks", "background_tasks"),
    ("sessionCrons", "session_crons"),
    ("subagentId", "agent_id"),
    ("subagentType", "agent_type"),
    ("notificationType", "notification_type"),
    ("errorDetails", "error_details"),
];

pub(super) const WORDS: Words = Words {
    events: AGENT.events,
    fields: FIELDS,
    tools: TOOLS,
};

pub(super) fn decode(payload: Value) -> Value {
    let Value::Object(mut fields) = payload else {
        return payload;
    };
    drop_twins(&mut fields);
    let mut payload = WORDS.translate(Value::Object(fields));
    if let Some(fields) = payload.as_object_mut() {
        let mut native = Map::new();
        call_of_server(fields, &mut native);
        cut_call(fields);
        read_response(fields);
        name_subagent(fields);
        end_session(fields, &mut native);
        name_source(fields, &mut native);
        words::end_cancelled_turn(fields);
        keep_native(fields, native);
    }
    payload
}

/// Takes away what is said again under another name. What is said otherwise there stays: only the event has two names.
fn drop_twins(fields: &mut Object) {
    for (own, is) in FIELDS {
        let is_same = fields
            .get(*is)
            .is_some_and(|it| *is == "hook_event_name" || fields.get(*own) == Some(it));
        if is_same {
            fields.shift_remove(*own);
        }
    }
}

fn text<'a>(fields: &'a Object, name: &str) -> Option<&'a str> {
    fields.get(name)?.as_str()
}

/// Says something in Bowline's word, and keeps what was said.
fn rename(fields: &mut Object, name: &str, is: &str, native: &mut Object) {
    if let Some(own) = fields.insert(name.to_owned(), is.into()) {
        native.insert(name.to_owned(), own);
    }
}

/// What calls tools of servers.
const CALLS_TOOLS: &str = "use_tool";

/// A tool of a server, `server__tool`, may come within a call that names it: `{"tool_name": "server__tool", "tool_input": {…}}`.
/// What the input of any other tool says is that tool's.
fn call_of_server(fields: &mut Object, native: &mut Object) {
    let is_wrapper = text(fields, "tool_name") == Some(CALLS_TOOLS);
    let input = fields.get("tool_input").and_then(Value::as_object);
    let named = input.and_then(|input| text(input, "tool_name"));
    let called = if is_wrapper {
        named
    } else {
        text(fields, "tool_name")
    };
    let wrapped = input.filter(|_| named.is_some() && named == called);
    let given = wrapped.and_then(|input| input.get("tool_input")).cloned();
    let given = given.map(|mut given| {
        json::read_object(&mut given);
        given
    });
    let is_of_server = |name: &&str| name.contains("__") && !name.starts_with("mcp__");
    let is_understood = !is_wrapper || given.as_ref().is_some_and(Value::is_object);
    let Some(called) = called.filter(is_of_server).filter(|_| is_understood) else {
        if is_wrapper {
            let why = "which tool of which server is called is not understood";
            parts::put(fields, vec![parts::unread(why)]);
        }
        return;
    };
    let name = format!("mcp__{called}");
    rename(fields, "tool_name", &name, native);
    if let Some(given) = given
        && let Some(own) = fields.insert("tool_input".to_owned(), given)
    {
        native.insert("tool_input".to_owned(), own);
    }
}

/// Of a large input Grok reports only the beginning, as text. What would be done by the rest is not known then.
fn cut_call(fields: &mut Object) {
    let is_cut = fields.get("toolInputTruncated") == Some(&Value::Bool(true));
    if is_cut && text(fields, "hook_event_name") == Some("PreToolUse") {
        let why = "Grok reports only the beginning of a call this large";
        parts::put(fields, vec![parts::unread(why)]);
    }
}

/// Of a session, Claude Code's word for a new one. Of a compaction, what Claude Code calls its trigger.
fn name_source(fields: &mut Object, native: &mut Object) {
    match text(fields, "hook_event_name") {
        Some("SessionStart") if text(fields, "source") == Some("new") => {
            rename(fields, "source", "startup", native);
        }
        Some("PreCompact" | "PostCompact") if !fields.contains_key("trigger") => {
            if let Some(trigger) = fields.shift_remove("source") {
                fields.insert("trigger".to_owned(), trigger);
            }
        }
        _ => {}
    }
}

/// What a tool gave back has a `type` and fields of that type's own; what was printed is there as numbers.
fn read_response(fields: &mut Object) {
    let response = fields.get_mut("tool_response");
    let Some(response) = response.and_then(Value::as_object_mut) else {
        return;
    };
    let Some(kind) = text(response, "type").map(str::to_owned) else {
        return;
    };
    for name in ["output", "stdout", "stderr"] {
        let printed = response.get(name).and_then(Value::as_array);
        if let Some(printed) = printed.and_then(|bytes| printed_text(bytes)) {
            response.shift_remove(name);
            let name = if name == "output" { "stdout" } else { name };
            response.insert(name.to_owned(), printed.into());
        }
    }
    if kind == "Bash" {
        let is_over = response.get("timed_out") == Some(&Value::Bool(true));
        response.insert("interrupted".to_owned(), is_over.into());
    }
    if let Some(subagent) = text(response, "subagent_id").map(str::to_owned) {
        response.insert("agentId".to_owned(), subagent.into());
    }
    // `{"type": "ReadFile", "FileNotFound": "Error: …"}`
    let failed = response.iter().any(|(name, value)| {
        name.starts_with(|c: char| c.is_ascii_uppercase())
            && value.as_str().is_some_and(|it| it.starts_with("Error"))
    });
    if failed && kind != "Bash" {
        response.insert("is_error".to_owned(), true.into());
    }
}

/// The text of bytes in JSON; nothing for any other list.
fn printed_text(bytes: &[Value]) -> Option<String> {
    let bytes = bytes.iter().map(|it| u8::try_from(it.as_u64()?).ok());
    let bytes: Vec<u8> = bytes.collect::<Option<_>>()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// Within a sub-agent, the session is the sub-agent's own, and events say only of which type it is.
fn name_subagent(fields: &mut Object) {
    if text(fields, "agent_type").is_some() && !fields.contains_key("agent_id") {
        let session = text(fields, "session_id").map(str::to_owned);
        if let Some(session) = session {
            fields.insert("agent_id".to_owned(), session.into());
        }
    }
}

/// At the end of a session there is another `Stop`, for which nothing can be kept going any more.
fn end_session(fields: &mut Object, native: &mut Object) {
    let is_over = matches!(text(fields, "reason"), Some("shutdown" | "channel_closed"));
    if is_over && text(fields, "hook_event_name") == Some("Stop") {
        fields.insert("hook_event_name".to_owned(), "SessionEnd".into());
        native.insert("event".to_owned(), "Stop".into());
    }
}
