//! What Codex reports, in Bowline's words.

use serde_json::Value;

use crate::parts::{self, unread};
use crate::patch;
use crate::words::{OwnTool, Words};

/// The tool that changes files. All of them are in one text.
pub(super) const PATCH: &str = "apply_patch";

const SPAWN: &[(&str, &str)] = &[
    ("message", "prompt"),
    ("task_name", "description"),
    ("agent_type", "subagent_type"),
];

/// Its own tools. A shell call is reported as `Bash`, and a tool of an MCP server as Claude Code does. Newer versions put the name of a
/// tool's group before that of the tool.
pub(super) const TOOLS: &[OwnTool] = &[
    // Which files are changed, and how, is in its text.
    OwnTool::alike(PATCH, "Edit"),
    OwnTool {
        name: "collaborationspawn_agent",
        is: "Agent",
        fields: SPAWN,
    },
    OwnTool::alike("collaborationwait_agent", "TaskOutput"),
    OwnTool::alike("list_mcp_resources", "ListMcpResourcesTool"),
    OwnTool::alike("read_mcp_resource", "ReadMcpResourceTool"),
    OwnTool::alike("request_user_input", "AskUserQuestion"),
    OwnTool {
        name: "spawn_agent",
        is: "Agent",
        fields: SPAWN,
    },
    OwnTool::alike("update_plan", "TodoWrite"),
    OwnTool {
        name: "view_image",
        is: "Read",
        fields: &[("path", "file_path")],
    },
    OwnTool::alike("wait_agent", "TaskOutput"),
];

/// Its events and their fields are called as Claude Code's.
pub(super) const WORDS: Words = Words {
    events: super::AGENT.events,
    fields: &[],
    tools: TOOLS,
};

/// Bowline's payload. One that is in Bowline's words stays as it is.
pub(super) fn decode(mut payload: Value) -> Value {
    if let Some(fields) = payload.as_object_mut()
        && fields.get("tool_name").and_then(Value::as_str) == Some(PATCH)
    {
        let calls = {
            let text = fields.get("tool_input").and_then(|it| it.get("command"));
            let folder = fields.get("cwd").and_then(Value::as_str);
            match text.and_then(Value::as_str) {
                Some(text) => patch::calls(text, folder),
                None => vec![unread("the patch is no text")],
            }
        };
        parts::put(fields, calls);
    }
    WORDS.translate(payload)
}
