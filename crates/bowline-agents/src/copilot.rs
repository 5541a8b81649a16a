//! GitHub's Copilot CLI. It speaks Claude Code's form where an event is registered in Claude Code's spelling, and its own elsewhere.
//!
//! Built against client 1.0.102.

mod decode;
mod encode;
mod reads;
mod registration;
mod several;
mod words;

use serde_json::{Value, json};

use crate::agent::{Agent, Borrows, ClaudeHooks, Protocol, Support, Variables};
use crate::answer::Answer;
use crate::claude_code;
use crate::event::HookEvent;
use crate::last_resort::{LastResort, Unjudged};
use crate::registration::Registration;
use crate::reported::Reported;
use crate::spelling::plain;

/// The variable by which it marks the programs that it starts.
const MARK: &str = "COPILOT_CLI";

/// Copilot.
pub const AGENT: Agent = Agent {
    name: "copilot",
    title: "Copilot CLI",
    events: words::EVENTS,
    marks: &[MARK],
    last_resort: LastResort { ask, deny },
    support: Support::Full(PROTOCOL),
};

/// How its events are decided.
pub const PROTOCOL: Protocol = Protocol {
    decode: decode::decode,
    asks,
    rewrites,
    ends_turn: |_| false,
    encode: encode::encode,
    reads: reads::reads,
    enforces,
    // A permission is requested for nearly every call, also where nobody is asked.
    repeats: &["PermissionRequest", "permissionRequest"],
    tools: words::TOOLS,
    limits: &[
        "Where nobody is at the terminal, and in autopilot, it denies what it was told to ask.",
        "It tells people nothing of what hooks say to them.",
        "A hook that takes too long, or prints what is no JSON, lets the call run. One that fails before a tool denies it.",
        "It runs hooks of a project (`.github/hooks`, `.claude/settings.json`) in folders that the user trusts, and says nothing elsewhere.",
        "What a sub-agent of a sub-agent does is recorded under the sub-agent that started it.",
        "A tool of a server is called `SERVER-TOOL`: where a tool has a `-` in its name, the part before it counts as the server's.",
    ],
    project_variable: Some("COPILOT_PROJECT_DIR"),
    claude_hooks: ClaudeHooks::Agent,
    borrows: Some(Borrows {
        from: &["claude-code"],
        sent,
    }),
    registration: Some(&REGISTRATION),
};

/// How Bowline is put into its settings.
pub const REGISTRATION: Registration = registration::REGISTRATION;

/// Claude Code names the transcript and no time in every event, and may itself be started by Copilot's shell.
fn sent(payload: &Value, variable: Variables<'_>) -> bool {
    let has = |name: &str| payload.get(name).is_some();
    has("timestamp") && !has("permission_mode") && !has("tool_use_id") && variable(MARK).is_some()
}

/// Its own dialog asks where a permission is requested.
const fn asks(reported: &Reported<'_>) -> bool {
    matches!(
        reported.event,
        HookEvent::PreToolUse | HookEvent::PermissionRequest
    )
}

fn rewrites(reported: &Reported<'_>, _: &Value) -> bool {
    reported.event == HookEvent::PreToolUse && several::is_of_one_input(reported)
}

const fn enforces(event: HookEvent) -> bool {
    matches!(
        event,
        HookEvent::PreToolUse
            | HookEvent::PermissionRequest
            | HookEvent::PostToolUse
            | HookEvent::UserPromptSubmit
            | HookEvent::Stop
            | HookEvent::SubagentStop
    )
}

fn ask(it: &Unjudged<'_>) -> Option<Answer> {
    match plain(it.name).as_str() {
        "permissionrequest" => Some(Answer::default()),
        "pretooluse" => Some(before_tool(it, "ask")),
        _ => None,
    }
}

/// Exit code 2 would lose the reason, and on some events blocks nothing.
fn deny(it: &Unjudged<'_>) -> Option<Answer> {
    match it.event? {
        HookEvent::PreToolUse => Some(before_tool(it, "deny")),
        HookEvent::PermissionRequest => Some(Answer::line(
            &json!({"behavior": "deny", "message": it.text}),
        )),
        HookEvent::UserPromptSubmit => Some(Answer::line(
            &json!({"decision": "block", "reason": it.text}),
        )),
        _ => None,
    }
}

fn before_tool(it: &Unjudged<'_>, word: &str) -> Answer {
    if it.name == "PreToolUse" {
        return claude_code::permission(it, word);
    }
    Answer::line(&json!({"permissionDecision": word, "permissionDecisionReason": it.text}))
}

#[cfg(test)]
mod tests;
