//! What Kimi reports, in Bowline's words.

use serde_json::Value;

use super::AGENT;
use crate::answer::Object;
use crate::folder;
use crate::words::{self, Fields, OwnTool, Words};

/// The file of a tool.
const FILE: Fields = &[("path", "file_path")];

pub(super) const TOOLS: &[OwnTool] = &[
    OwnTool {
        name: "Read",
        is: "Read",
        fields: FILE,
    },
    OwnTool {
        name: "Write",
        is: "Write",
        fields: FILE,
    },
    OwnTool {
        name: "Edit",
        is: "Edit",
        fields: FILE,
    },
    OwnTool::alike("FetchURL", "WebFetch"),
    OwnTool {
        name: "AgentSwarm",
        is: "Agent",
        fields: &[("prompt_template", "prompt")],
    },
    OwnTool::alike("TodoList", "TodoWrite"),
];

const WORDS: Words = Words {
    events: AGENT.events,
    fields: &[
        ("tool_call_id", "tool_use_id"),
        ("tool_output", "tool_response"),
        ("agent_name", "agent_type"),
        ("response", "last_assistant_message"),
        ("error_type", "error"),
        ("error_message", "error_details"),
    ],
    tools: TOOLS,
};

pub(super) fn decode(payload: Value) -> Value {
    let mut payload = WORDS.translate(payload);
    if let Some(fields) = payload.as_object_mut() {
        join_prompt(fields);
        words::end_cancelled_turn(fields);
        read_error(fields);
        enter_folder(fields);
    }
    payload
}

/// A prompt comes in parts; images have no text.
fn join_prompt(fields: &mut Object) {
    let Some(parts) = fields.get("prompt").and_then(Value::as_array) else {
        return;
    };
    let texts = parts.iter().filter_map(|part| part.get("text")?.as_str());
    let prompt = texts.collect::<Vec<_>>().join("\n");
    fields.insert("prompt".to_owned(), prompt.into());
}

/// `{"code": …, "message": …, "retryable": …}`
fn read_error(fields: &mut Object) {
    let message = fields.get("error").and_then(|error| error.get("message"));
    if let Some(message) = message.filter(|it| it.is_string()).cloned() {
        fields.insert("error".to_owned(), message);
    }
}

/// Its shell takes a folder beside the command.
fn enter_folder(fields: &mut Object) {
    if fields.get("tool_name").and_then(Value::as_str) != Some("Bash") {
        return;
    }
    let folder = fields.get("tool_input").and_then(|it| it.get("cwd"));
    let Some(folder) = folder.and_then(Value::as_str).map(str::to_owned) else {
        return;
    };
    folder::enter(fields, &folder);
}
