//! Cursor: the editor, its CLI and its SDK. One shell call fires `preToolUse` and `beforeShellExecution`.

use serde_json::json;

use crate::agent::{Agent, Support};
use crate::answer::Answer;
use crate::event::HookEvent;
use crate::last_resort::{LastResort, Unjudged, none};
use crate::spelling::plain;

/// Cursor.
pub(crate) const AGENT: Agent = Agent {
    name: "cursor",
    title: "Cursor",
    events: &[
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
    ],
    marks: &["CURSOR_AGENT"],
    last_resort: LastResort { ask, deny: none },
    support: Support::LastResort,
};

/// On `preToolUse` and `beforeReadFile` it takes an "ask" and does not act upon it.
fn ask(it: &Unjudged<'_>) -> Option<Answer> {
    let asks = ["beforeshellexecution", "beforemcpexecution"];
    asks.contains(&plain(it.name).as_str()).then(|| {
        Answer::line(
            &json!({"permission": "ask", "user_message": it.text, "agent_message": it.text}),
        )
    })
}
