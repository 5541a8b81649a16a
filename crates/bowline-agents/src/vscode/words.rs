//! What VS Code calls its events, fields and tools.

use serde_json::{Map, Value, json};

use crate::event::HookEvent;
use crate::parts::{self, part, unread};
use crate::patch;
use crate::spelling::Spellings;
use crate::words::{Fields, OwnTool, Words, keep_native, renamed_input};

const REPLACEMENT: Fields = &[
    ("filePath", "file_path"),
    ("oldString", "old_string"),
    ("newString", "new_string"),
];

const WORDS: Words = Words {
    events: EVENTS,
    fields: &[
        ("hookEventName", "hook_event_name"),
        ("sessionId", "session_id"),
    ],
    tools: TOOLS,
};

pub(super) const EVENTS: Spellings = &[
    ("SessionStart", HookEvent::SessionStart),
    ("UserPromptSubmit", HookEvent::UserPromptSubmit),
    ("PreToolUse", HookEvent::PreToolUse),
    ("PostToolUse", HookEvent::PostToolUse),
    ("PreCompact", HookEvent::PreCompact),
    ("SubagentStart", HookEvent::SubagentStart),
    ("SubagentStop", HookEvent::SubagentStop),
    ("Stop", HookEvent::Stop),
];

pub(super) const TOOLS: &[OwnTool] = &[
    own(
        "run_in_terminal",
        "Bash",
        &[
            ("explanation", "description"),
            ("isBackground", "run_in_background"),
        ],
    ),
    own("read_file", "Read", &[("filePath", "file_path")]),
    own("create_file", "Write", &[("filePath", "file_path")]),
    own("replace_string_in_file", "Edit", REPLACEMENT),
    own(
        "insert_edit_into_file",
        "Edit",
        &[("filePath", "file_path"), ("code", "new_string")],
    ),
    own(
        "edit_notebook_file",
        "NotebookEdit",
        &[("filePath", "notebook_path"), ("newCode", "new_source")],
    ),
    own("list_dir", "LS", &[]),
    own("file_search", "Glob", &[("query", "pattern")]),
    own(
        "grep_search",
        "Grep",
        &[("query", "pattern"), ("includePattern", "glob")],
    ),
    own("runSubagent", "Agent", &[("agentName", "subagent_type")]),
    own("manage_todo_list", "TodoWrite", &[("todoList", "todos")]),
];

const fn own(name: &'static str, is: &'static str, fields: Fields) -> OwnTool {
    OwnTool { name, is, fields }
}

/// Tools that do several things at once, or say in a text what they do.
pub(super) const SEVERAL: &[&str] = &[
    "apply_patch",
    "create_and_run_task",
    "fetch_webpage",
    "multi_replace_string_in_file",
    TYPES,
];

/// Runs a command of the editor. One of them types into a terminal.
const TYPES: &str = "run_vscode_command";

pub(super) fn decode(payload: Value) -> Value {
    let mut payload = WORDS.translate(payload);
    if let Some(fields) = payload.as_object_mut() {
        tell_several(fields);
        tell_server(fields);
    }
    if let Some(source) = payload.get_mut("source").filter(|it| *it == "new") {
        *source = "startup".into();
    }
    payload
}

fn tell_several(fields: &mut Map<String, Value>) {
    let text = |name: &str| fields.get(name).and_then(Value::as_str);
    let input = fields.get("tool_input").unwrap_or(&Value::Null);
    let each = |list: &str, call: fn(&Value) -> Value| -> Vec<Value> {
        let listed = input.get(list).and_then(Value::as_array);
        listed.into_iter().flatten().map(call).collect()
    };
    let calls = match text("tool_name") {
        Some("apply_patch") => match input.get("input").and_then(Value::as_str) {
            Some(patch) => patch::calls(patch, text("cwd")),
            None => Vec::new(),
        },
        Some("create_and_run_task") => vec![task(input)],
        Some(TYPES) => match typed(input) {
            Some(call) => vec![call],
            None => return,
        },
        Some("fetch_webpage") => each("urls", |url| part("WebFetch", json!({ "url": url }))),
        Some("multi_replace_string_in_file") => each("replacements", |replacement| {
            part("Edit", renamed_input(replacement, REPLACEMENT))
        }),
        _ => return,
    };
    if calls.is_empty() {
        parts::put(fields, vec![unread("its input says nothing that is known")]);
    } else {
        parts::put(fields, calls);
    }
}

/// A task is a command with its arguments, which the shell reads.
fn task(input: &Value) -> Value {
    let task = input.get("task").unwrap_or(input);
    let words = task.get("args").and_then(Value::as_array);
    let words = words.into_iter().flatten().map(Value::as_str);
    let words = std::iter::once(task.get("command").and_then(Value::as_str)).chain(words);
    match words.collect::<Option<Vec<_>>>() {
        Some(words) => part("Bash", json!({"command": words.join(" ")})),
        None => unread("the task's command is no text"),
    }
}

/// What a command of the editor types into a terminal, if it is the one that does.
fn typed(input: &Value) -> Option<Value> {
    let said = input.as_object()?.values().filter_map(Value::as_str);
    let types = |text: &str| text.ends_with("terminal.sendSequence");
    said.into_iter().find(|text| types(text))?;
    let arguments = match input.get("args") {
        Some(Value::Array(items)) => items.as_slice(),
        Some(item) => std::slice::from_ref(item),
        None => &[],
    };
    let text = |it: &Value| it.get("text").unwrap_or(it).as_str().map(str::to_owned);
    let texts: Option<Vec<String>> = arguments.iter().map(text).collect();
    Some(match texts {
        Some(texts) if !texts.is_empty() => part("Bash", json!({"command": texts.join("\n")})),
        _ => unread("what is typed into the terminal is no text"),
    })
}

/// `mcp_files_read` is the tool `read` of the server `files`. Where either has the sign in its name, the first one counts.
fn tell_server(fields: &mut Map<String, Value>) {
    let name = fields.get("tool_name").and_then(Value::as_str);
    let name = name.filter(|name| !name.starts_with("mcp__"));
    let parts = name.and_then(|name| name.strip_prefix("mcp_")?.split_once('_'));
    let Some((server, tool)) =
        parts.filter(|(server, tool)| !server.is_empty() && !tool.is_empty())
    else {
        return;
    };
    let name = format!("mcp__{server}__{tool}");
    if let Some(own) = fields.insert("tool_name".to_owned(), name.into()) {
        keep_native(fields, Map::from_iter([("tool_name".to_owned(), own)]));
    }
}

pub(super) fn own_input(reported: &crate::reported::Reported<'_>, input: &Value) -> Value {
    WORDS.own_input(reported, input)
}
