//! OpenAI's Codex CLI: Claude Code's events, read more strictly.

use crate::agent::{Agent, Support};
use crate::answer::Answer;
use crate::event::HookEvent;
use crate::last_resort::{LastResort, Unjudged, none};

/// Codex.
pub(crate) const AGENT: Agent = Agent {
    name: "codex",
    title: "Codex",
    events: &[
        ("SessionStart", HookEvent::SessionStart),
        ("SessionEnd", HookEvent::SessionEnd),
        ("UserPromptSubmit", HookEvent::UserPromptSubmit),
        ("PreToolUse", HookEvent::PreToolUse),
        ("PermissionRequest", HookEvent::PermissionRequest),
        ("PostToolUse", HookEvent::PostToolUse),
        ("PreCompact", HookEvent::PreCompact),
        ("PostCompact", HookEvent::PostCompact),
        ("SubagentStart", HookEvent::SubagentStart),
        ("SubagentStop", HookEvent::SubagentStop),
        ("Stop", HookEvent::Stop),
    ],
    marks: &["CODEX_SANDBOX"],
    last_resort: LastResort { ask, deny: none },
    support: Support::LastResort,
};

/// It runs the call on any "ask"; only where a dialog comes anyway does silence ask.
fn ask(it: &Unjudged<'_>) -> Option<Answer> {
    (it.event == Some(HookEvent::PermissionRequest)).then(Answer::default)
}
