//! What Copilot calls its events, fields and tools. Hooks that are registered in Claude Code's spelling get Claude Code's names of tools, with
//! Copilot's own fields.

use crate::event::HookEvent;
use crate::spelling::Spellings;
use crate::words::{Fields, OwnTool, Words};

pub(super) const WORDS: Words = Words {
    events: EVENTS,
    fields: &[
        ("agentId", "agent_id"),
        ("agentName", "agent_name"),
        ("agentType", "agent_type"),
        ("customInstructions", "custom_instructions"),
        ("errorContext", "error_context"),
        ("initialPrompt", "initial_prompt"),
        ("parentAgentId", "parent_agent_id"),
        ("permissionSuggestions", "permission_suggestions"),
        ("response", "last_assistant_message"),
        ("sessionId", "session_id"),
        ("stopReason", "stop_reason"),
        ("toolArgs", "tool_input"),
        ("toolInput", "tool_input"),
        ("toolName", "tool_name"),
        ("toolResult", "tool_result"),
        ("transcriptPath", "transcript_path"),
    ],
    tools: TOOLS,
};

/// Names that differ from Claude Code's by more than their spelling come twice.
pub(super) const EVENTS: Spellings = &[
    ("SessionStart", HookEvent::SessionStart),
    ("SessionEnd", HookEvent::SessionEnd),
    ("UserPromptSubmit", HookEvent::UserPromptSubmit),
    ("userPromptSubmitted", HookEvent::UserPromptSubmit),
    ("PreToolUse", HookEvent::PreToolUse),
    ("PermissionRequest", HookEvent::PermissionRequest),
    ("PostToolUse", HookEvent::PostToolUse),
    ("PostToolUseFailure", HookEvent::PostToolUseFailure),
    ("Stop", HookEvent::Stop),
    ("agentStop", HookEvent::Stop),
    ("SubagentStart", HookEvent::SubagentStart),
    ("SubagentStop", HookEvent::SubagentStop),
    ("PreCompact", HookEvent::PreCompact),
    ("Notification", HookEvent::Notification),
    ("ErrorOccurred", HookEvent::StopFailure),
];

const PATH: Fields = &[("path", "file_path")];
const WRITE: Fields = &[("path", "file_path"), ("file_text", "content")];
const EDIT: Fields = &[
    ("path", "file_path"),
    ("old_str", "old_string"),
    ("new_str", "new_string"),
];
/// Of the editor that is told what to do.
pub(super) const EDITOR: Fields = &[
    ("path", "file_path"),
    ("file_text", "content"),
    ("old_str", "old_string"),
    ("new_str", "new_string"),
];
const SEARCH: Fields = &[("paths", "path")];
const DELEGATE: Fields = &[("agent_type", "subagent_type")];

pub(super) const TOOLS: &[OwnTool] = &[
    own("bash", "Bash", &[]),
    own("local_shell", "Bash", &[]),
    own("powershell", "PowerShell", &[]),
    own("view", "Read", PATH),
    own("Read", "Read", PATH),
    own("create", "Write", WRITE),
    own("Write", "Write", WRITE),
    own("edit", "Edit", EDIT),
    own("Edit", "Edit", EDIT),
    own("glob", "Glob", SEARCH),
    own("Glob", "Glob", SEARCH),
    own("grep", "Grep", SEARCH),
    own("rg", "Grep", SEARCH),
    own("Grep", "Grep", SEARCH),
    own("web_fetch", "WebFetch", &[]),
    own("web_search", "WebSearch", &[]),
    own("task", "Agent", DELEGATE),
    own("Agent", "Agent", DELEGATE),
    own("ask_user", "AskUserQuestion", &[]),
    own("skill", "Skill", &[]),
    own("update_todo", "TodoWrite", &[]),
    own("exit_plan_mode", "ExitPlanMode", &[]),
];

const fn own(name: &'static str, is: &'static str, fields: Fields) -> OwnTool {
    OwnTool { name, is, fields }
}
