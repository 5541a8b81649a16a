//! What Cursor calls its events, fields and tools.

use crate::event::HookEvent;
use crate::spelling::Spellings;
use crate::words::{Fields, OwnTool, Words};

pub(super) const WORDS: Words = Words {
    events: EVENTS,
    fields: &[
        ("duration", "duration_ms"),
        ("error_message", "error"),
        ("subagent_id", "agent_id"),
        ("subagent_type", "agent_type"),
        ("summary", "last_assistant_message"),
        ("task", "description"),
        ("tool_output", "tool_response"),
    ],
    tools: TOOLS,
};

pub(super) const EVENTS: Spellings = &[
    ("sessionStart", HookEvent::SessionStart),
    ("sessionEnd", HookEvent::SessionEnd),
    ("beforeSubmitPrompt", HookEvent::UserPromptSubmit),
    ("preToolUse", HookEvent::PreToolUse),
    ("beforeShellExecution", HookEvent::PreToolUse),
    ("beforeMCPExecution", HookEvent::PreToolUse),
    ("beforeReadFile", HookEvent::PreToolUse),
    ("postToolUse", HookEvent::PostToolUse),
    ("afterShellExecution", HookEvent::PostToolUse),
    ("afterMCPExecution", HookEvent::PostToolUse),
    ("afterFileEdit", HookEvent::PostToolUse),
    ("postToolUseFailure", HookEvent::PostToolUseFailure),
    ("subagentStart", HookEvent::SubagentStart),
    ("subagentStop", HookEvent::SubagentStop),
    ("preCompact", HookEvent::PreCompact),
    ("stop", HookEvent::Stop),
];

const WRITE: Fields = &[("contents", "content")];
const LIST: Fields = &[("file_path", "path")];

pub(super) const TOOLS: &[OwnTool] = &[
    OwnTool::alike("Shell", "Bash"),
    OwnTool::alike("Read", "Read"),
    own("Write", "Write", WRITE),
    OwnTool::alike("Delete", "Delete"),
    own("List", "LS", LIST),
    OwnTool::alike("Grep", "Grep"),
    OwnTool::alike("Fetch", "WebFetch"),
    OwnTool::alike("Task", "Agent"),
];

const fn own(name: &'static str, is: &'static str, fields: Fields) -> OwnTool {
    OwnTool { name, is, fields }
}

/// Whether a tool belongs to a server.
pub(super) fn is_of_server(tool: &str) -> bool {
    tool.starts_with("MCP:") || tool.starts_with("mcp__")
}
