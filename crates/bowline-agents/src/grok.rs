//! Grok Build, the CLI of xAI. Its payloads say everything twice, in its own words and in Claude Code's, and its answers are nearly
//! Claude Code's. What differs: an "allow" lifts no question of its own, a question is answered by itself where approvals are off, what a
//! hook says to the model arrives with tools only, and its messages for the person are shown nowhere.
//!
//! Built against 1.0.41.

mod decode;
mod encode;
mod reads;
mod registration;

use serde_json::Value;

use crate::agent::{Agent, Borrows, ClaudeHooks, Protocol, Support};
use crate::event::HookEvent;
use crate::last_resort::{LastResort, none};
use crate::registration::Registration;
use crate::reported::Reported;

/// The variable by which it names its project's folder.
pub const PROJECT_VARIABLE: &str = "GROK_WORKSPACE_ROOT";

/// Grok Build.
pub const AGENT: Agent = Agent {
    name: "grok",
    title: "Grok Build",
    events: &[
        ("SessionStart", HookEvent::SessionStart),
        ("SessionEnd", HookEvent::SessionEnd),
        ("UserPromptSubmit", HookEvent::UserPromptSubmit),
        ("PreToolUse", HookEvent::PreToolUse),
        ("PostToolUse", HookEvent::PostToolUse),
        ("PostToolUseFailure", HookEvent::PostToolUseFailure),
        ("PermissionDenied", HookEvent::PermissionDenied),
        ("SubagentStart", HookEvent::SubagentStart),
        ("SubagentStop", HookEvent::SubagentStop),
        ("PreCompact", HookEvent::PreCompact),
        ("PostCompact", HookEvent::PostCompact),
        ("Stop", HookEvent::Stop),
        ("StopFailure", HookEvent::StopFailure),
        ("Notification", HookEvent::Notification),
        ("StopCancelled", HookEvent::Notification),
    ],
    marks: &["GROK_AGENT"],
    // Nobody knows then whether approvals are on.
    last_resort: LastResort {
        ask: none,
        deny: none,
    },
    support: Support::Full(PROTOCOL),
};

/// How its events are decided.
pub const PROTOCOL: Protocol = Protocol {
    decode: decode::decode,
    asks,
    rewrites: |reported, _| reported.event == HookEvent::PreToolUse,
    ends_turn: |_| false,
    encode: encode::encode,
    reads: reads::reads,
    enforces,
    repeats: &[],
    tools: decode::TOOLS,
    limits: &[
        "A question is asked where the payload says that approvals are on. Where they are off (`--always-approve`), Grok would answer it \
         with yes by itself, so that it is denied instead.",
        "The model reads at most 256 characters of the reason for a denial: its beginning and its end.",
        "Hooks of a project run only once the person trusts it: `/hooks-trust` in Grok, or `grok --trust`. Until then they are skipped \
         without a word.",
        "Sub-agents have sessions of their own, and do not say whose they are.",
        "A hook that takes too long, fails or prints something else lets the call run.",
    ],
    project_variable: Some(PROJECT_VARIABLE),
    claude_hooks: ClaudeHooks::Agent,
    borrows: Some(Borrows {
        from: &["claude-code", "cursor"],
        sent: |payload, _| sent(payload),
    }),
    registration: Some(&REGISTRATION),
};

/// How Bowline is put into its settings.
pub const REGISTRATION: Registration = registration::REGISTRATION;

/// Only it says the event in both words.
fn sent(payload: &Value) -> bool {
    let text = |name: &str| payload.get(name).and_then(Value::as_str);
    let own = text("hookEventName").is_some_and(|own| {
        own.starts_with(|c: char| c.is_ascii_lowercase()) && text("hook_event_name").is_some()
    });
    own && text("workspaceRoot").is_some()
}

/// Whether somebody answers its questions. In other modes it goes on without an answer.
fn has_approvals(mode: Option<&str>) -> bool {
    matches!(mode, Some("default" | "auto" | "plan"))
}

fn asks(reported: &Reported<'_>) -> bool {
    reported.event == HookEvent::PreToolUse && has_approvals(reported.mode)
}

const fn enforces(event: HookEvent) -> bool {
    matches!(
        event,
        HookEvent::PreToolUse
            | HookEvent::UserPromptSubmit
            | HookEvent::PostToolUse
            | HookEvent::Stop
            | HookEvent::SubagentStop
    )
}

#[cfg(test)]
mod tests;
