//! Claude Code: its events, answers, tools and settings, to the letter.
//!
//! Built against client 2.1.325 and compatible with 2.1.197.

mod encode;
pub mod fields;
pub(crate) mod reads;
mod registration;
pub mod rules;
pub mod tools;
mod version;

use serde_json::json;

use crate::agent::{Agent, ClaudeHooks, Protocol, Support};
use crate::answer::Answer;
use crate::event::HookEvent;
use crate::last_resort::{LastResort, Unjudged};
use crate::registration::Registration;
pub use version::Feature;

/// The variable by which it names its project's folder. Scripts that were written for it look for the same one.
pub const PROJECT_VARIABLE: &str = "CLAUDE_PROJECT_DIR";

/// The variable that names its folder of the user.
pub const FOLDER_VARIABLE: &str = "CLAUDE_CONFIG_DIR";

/// Claude Code.
pub const AGENT: Agent = Agent {
    name: "claude-code",
    title: "Claude Code",
    events: HookEvent::NAMED,
    marks: &["CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT"],
    last_resort: LastResort { ask, deny },
    support: Support::Full(PROTOCOL),
};

/// How its events are decided.
pub const PROTOCOL: Protocol = Protocol {
    decode: std::convert::identity,
    // Its encoder knows what can be said on which event.
    asks: |_| true,
    rewrites: |_, _| true,
    ends_turn: rules::can_end_turn,
    encode: |reported, opinion| encode::encode(reported.event, opinion),
    reads: reads::reads,
    enforces: rules::enforces,
    repeats: &[],
    tools: &[],
    project_variable: Some(PROJECT_VARIABLE),
    limits: &[],
    claude_hooks: ClaudeHooks::Agent,
    borrows: None,
    registration: Some(&REGISTRATION),
};

/// How Bowline is put into its settings.
pub const REGISTRATION: Registration = registration::REGISTRATION;

fn ask(it: &Unjudged<'_>) -> Option<Answer> {
    match it.event? {
        HookEvent::PreToolUse | HookEvent::PreModelSwitch => Some(permission(it, "ask")),
        // The dialog comes anyway.
        HookEvent::PermissionRequest | HookEvent::Elicitation => Some(Answer::default()),
        _ => None,
    }
}

fn deny(it: &Unjudged<'_>) -> Option<Answer> {
    let denied = json!({"hookSpecificOutput": {
        "hookEventName": it.name,
        "decision": {"behavior": "deny", "message": it.text},
    }});
    (it.event == Some(HookEvent::PermissionRequest)).then(|| Answer::line(&denied))
}

/// An answer before a tool runs: `ask` or `deny`. Agents that take Claude Code's settings are told in the same words.
pub(crate) fn permission(it: &Unjudged<'_>, word: &str) -> Answer {
    Answer::line(&json!({"hookSpecificOutput": {
        "hookEventName": it.name,
        "permissionDecision": word,
        "permissionDecisionReason": it.text,
    }}))
}
