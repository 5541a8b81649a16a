//! GitHub's Copilot CLI. It speaks Claude Code's form where an event is registered in Claude Code's spelling, and its own elsewhere.

use serde_json::json;

use crate::agent::{Agent, Support};
use crate::answer::Answer;
use crate::claude_code;
use crate::event::HookEvent;
use crate::last_resort::{LastResort, Unjudged};
use crate::spelling::plain;

/// Copilot.
pub(crate) const AGENT: Agent = Agent {
    name: "copilot",
    title: "Copilot CLI",
    events: &[
        ("sessionStart", HookEvent::SessionStart),
        ("sessionEnd", HookEvent::SessionEnd),
        ("userPromptSubmitted", HookEvent::UserPromptSubmit),
        ("UserPromptSubmit", HookEvent::UserPromptSubmit),
        ("preToolUse", HookEvent::PreToolUse),
        ("preMcpToolCall", HookEvent::PreToolUse),
        ("permissionRequest", HookEvent::PermissionRequest),
        ("postToolUse", HookEvent::PostToolUse),
        ("postToolUseFailure", HookEvent::PostToolUseFailure),
        ("agentStop", HookEvent::Stop),
        ("Stop", HookEvent::Stop),
        ("subagentStart", HookEvent::SubagentStart),
        ("subagentStop", HookEvent::SubagentStop),
        ("preCompact", HookEvent::PreCompact),
        ("notification", HookEvent::Notification),
        ("errorOccurred", HookEvent::StopFailure),
    ],
    marks: &[],
    last_resort: LastResort { ask, deny },
    support: Support::LastResort,
};

fn ask(it: &Unjudged<'_>) -> Option<Answer> {
    match plain(it.name).as_str() {
        "permissionrequest" => Some(Answer::default()),
        "pretooluse" if it.name == "PreToolUse" => Some(claude_code::asking(it)),
        "pretooluse" => Some(Answer::line(
            &json!({"permissionDecision": "ask", "permissionDecisionReason": it.text}),
        )),
        _ => None,
    }
}

fn deny(it: &Unjudged<'_>) -> Option<Answer> {
    match it.event? {
        HookEvent::PermissionRequest => Some(Answer::line(
            &json!({"behavior": "deny", "message": it.text}),
        )),
        HookEvent::UserPromptSubmit => Some(Answer::line(
            &json!({"decision": "block", "reason": it.text}),
        )),
        _ => None,
    }
}
