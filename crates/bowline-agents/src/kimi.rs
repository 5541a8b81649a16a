//! Kimi Code, the CLI of Moonshot AI. It reports in Claude Code's words, and can be told to deny, to go on at its end and, with a prompt,
//! some context. Nothing else that is said has an effect.
//!
//! Built against 2.1.0.

mod decode;
mod registration;

use serde_json::{Value, json};

use crate::agent::{Agent, ClaudeHooks, Protocol, Support};
use crate::answer::{Answer, plain_text};
use crate::decision::Decision;
use crate::event::HookEvent;
use crate::express::reason;
use crate::last_resort::{LastResort, none};
use crate::opinion::Opinion;
use crate::reading::Reading;
use crate::registration::Registration;
use crate::reported::Reported;

/// Kimi Code.
pub const AGENT: Agent = Agent {
    name: "kimi",
    title: "Kimi Code",
    events: &[
        ("SessionStart", HookEvent::SessionStart),
        ("SessionEnd", HookEvent::SessionEnd),
        ("UserPromptSubmit", HookEvent::UserPromptSubmit),
        ("PreToolUse", HookEvent::PreToolUse),
        ("PermissionRequest", HookEvent::PermissionRequest),
        ("PostToolUse", HookEvent::PostToolUse),
        ("PostToolUseFailure", HookEvent::PostToolUseFailure),
        ("SubagentStart", HookEvent::SubagentStart),
        ("SubagentStop", HookEvent::SubagentStop),
        ("PreCompact", HookEvent::PreCompact),
        ("PostCompact", HookEvent::PostCompact),
        ("Stop", HookEvent::Stop),
        ("StopFailure", HookEvent::StopFailure),
        ("Notification", HookEvent::Notification),
        ("Interrupt", HookEvent::Notification),
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
    // Its own question is about to be asked then.
    asks: |reported| reported.event == HookEvent::PermissionRequest,
    rewrites: |_, _| false,
    ends_turn: |_| false,
    encode,
    reads,
    enforces,
    repeats: &[],
    tools: decode::TOOLS,
    limits: &[
        "A hook that takes too long, fails or prints something else lets the call run. No released version can be told otherwise: an entry \
         with a key such as `fail_mode` makes Kimi ignore all hooks.",
        "It is kept going once in a turn.",
        "Calls of sub-agents are reported as calls of the session.",
        "When it runs without a person (`kimi -p`), it does not wait for hooks after a tool, and the end of the session is not reported.",
    ],
    project_variable: None,
    claude_hooks: ClaudeHooks::Bridge,
    borrows: None,
    registration: Some(&REGISTRATION),
};

/// How Bowline is put into its settings.
pub const REGISTRATION: Registration = registration::REGISTRATION;

const fn enforces(event: HookEvent) -> bool {
    matches!(
        event,
        HookEvent::PreToolUse | HookEvent::UserPromptSubmit | HookEvent::Stop
    )
}

/// Writes silence, a denial as one JSON object, or the context of a prompt as plain text.
fn encode(reported: &Reported<'_>, opinion: &Opinion) -> Answer {
    let event = reported.event;
    let context = opinion.additional_context.as_deref();
    // It would run the call as it was.
    let is_changed = event == HookEvent::PreToolUse && opinion.rewritten_input().is_some();
    let denies = is_changed || matches!(opinion.decision(), Decision::Deny | Decision::Ask);
    if enforces(event) && denies {
        let mut reason = reason(opinion).to_owned();
        if let Some(context) = context {
            reason = format!("{reason}\n{context}");
        }
        return Answer::line(&json!({"hookSpecificOutput": {
            "hookEventName": event.name(),
            "permissionDecision": "deny",
            "permissionDecisionReason": reason,
        }}));
    }
    Answer {
        stdout: plain_text(context.filter(|_| event == HookEvent::UserPromptSubmit)),
        ..Answer::default()
    }
}

/// What the client does with an answer.
fn reads(reported: &Reported<'_>, answer: &Answer) -> Option<Reading> {
    let event = reported.event;
    let denied = |reason: &str| {
        let reason = Some(reason.trim()).filter(|reason| !reason.is_empty());
        let reason = reason.map_or_else(
            || format!("Blocked by {} hook", event.name()),
            str::to_owned,
        );
        Some(Reading::decided(Decision::Deny, Some(reason)))
    };
    match answer.exit {
        2 if enforces(event) => return denied(&answer.stderr),
        0 | 2 => {}
        _ => return None,
    }
    if !enforces(event) {
        return Some(Reading::silence());
    }
    let said = serde_json::from_str::<Value>(answer.stdout.trim()).ok();
    let said = said.filter(Value::is_object);
    let text = |path: &str| said.as_ref()?.pointer(path)?.as_str();
    if text("/hookSpecificOutput/permissionDecision") == Some("deny") {
        let reason = text("/hookSpecificOutput/permissionDecisionReason");
        return denied(reason.unwrap_or_default());
    }
    let message = text("/message").or_else(|| text("/hookSpecificOutput/message"));
    let context = message.unwrap_or(&answer.stdout).trim();
    let reaches = event == HookEvent::UserPromptSubmit && !context.is_empty();
    Some(Reading {
        context: reaches.then(|| context.to_owned()),
        ..Reading::silence()
    })
}

#[cfg(test)]
mod tests;
