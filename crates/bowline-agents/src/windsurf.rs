//! Cascade, the agent of the editor Windsurf. It reports by kinds of calls, and knows one answer: exit code 2 before something happens.
//!
//! Built from its documentation; nothing of it was seen in a run.

mod decode;
mod registration;

use crate::agent::{Agent, ClaudeHooks, Protocol, Support};
use crate::answer::Answer;
use crate::decision::Decision;
use crate::event::HookEvent;
use crate::express::reason;
use crate::last_resort::{LastResort, none};
use crate::opinion::Opinion;
use crate::reading::Reading;
use crate::registration::Registration;
use crate::reported::Reported;

/// Windsurf Cascade.
pub const AGENT: Agent = Agent {
    name: "windsurf",
    title: "Windsurf Cascade",
    events: &[
        ("pre_user_prompt", HookEvent::UserPromptSubmit),
        ("pre_run_command", HookEvent::PreToolUse),
        ("pre_write_code", HookEvent::PreToolUse),
        ("pre_read_code", HookEvent::PreToolUse),
        ("pre_mcp_tool_use", HookEvent::PreToolUse),
        ("post_run_command", HookEvent::PostToolUse),
        ("post_write_code", HookEvent::PostToolUse),
        ("post_read_code", HookEvent::PostToolUse),
        ("post_mcp_tool_use", HookEvent::PostToolUse),
        ("post_cascade_response", HookEvent::Stop),
    ],
    marks: &[],
    last_resort: LastResort {
        ask: none,
        deny: none,
    },
    support: Support::Full(PROTOCOL),
};

/// How its events are decided.
pub const PROTOCOL: Protocol = Protocol {
    decode: decode::decode,
    asks: |_| false,
    rewrites: |_, _| false,
    ends_turn: |_| false,
    encode,
    reads,
    enforces,
    repeats: &[],
    tools: &[],
    limits: &[
        "All of this is from its documentation, and not tried with the real program.",
        "A hook that fails lets the call run, and it has no time limit of its own for them.",
        "It does not say when a session begins or ends, nor whether a command succeeded.",
        "It cannot be kept going at the end of its turn.",
    ],
    project_variable: None,
    claude_hooks: ClaudeHooks::Bridge,
    borrows: None,
    registration: Some(&REGISTRATION),
};

/// How Bowline is put into its settings.
pub const REGISTRATION: Registration = registration::REGISTRATION;

/// What begins with `pre_` can be blocked.
const fn enforces(event: HookEvent) -> bool {
    matches!(event, HookEvent::PreToolUse | HookEvent::UserPromptSubmit)
}

/// Writes silence, a message that Cascade shows the person, or exit code 2 with the reason.
fn encode(reported: &Reported<'_>, opinion: &Opinion) -> Answer {
    let event = reported.event;
    // It would run the call as it was.
    let is_changed = event == HookEvent::PreToolUse && opinion.rewritten_input().is_some();
    let denies = is_changed || matches!(opinion.decision(), Decision::Deny | Decision::Ask);
    if enforces(event) && denies {
        let reason = reason(opinion);
        let context = opinion.additional_context.as_deref();
        let context = context.map(|it| format!("\n{it}")).unwrap_or_default();
        return Answer {
            exit: 2,
            stderr: format!("{reason}{context}\n"),
            ..Answer::default()
        };
    }
    let message = opinion.system_message.as_deref();
    let message = message.filter(|_| shows_output(event));
    Answer {
        stdout: message.map(|it| format!("{it}\n")).unwrap_or_default(),
        ..Answer::default()
    }
}

/// Where `show_output` has an effect.
const fn shows_output(event: HookEvent) -> bool {
    matches!(event, HookEvent::PreToolUse | HookEvent::PostToolUse)
}

/// What Cascade does with an answer.
fn reads(reported: &Reported<'_>, answer: &Answer) -> Option<Reading> {
    let event = reported.event;
    let text = |text: &str| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
    match answer.exit {
        0 => Some(Reading {
            message: text(&answer.stdout).filter(|_| shows_output(event)),
            ..Reading::silence()
        }),
        2 if enforces(event) => Some(Reading::decided(Decision::Deny, text(&answer.stderr))),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
