//! What Qwen Code makes of an answer.
//!
//! It reads JSON from standard output, else from standard error; with exit code 2 from standard error alone. Other text is a message, with
//! exit code 2 a denial. Text that begins as JSON does and is none is a failure.

use serde_json::Value;

use crate::answer::Answer;
use crate::claude_code::reads::{permission, text_at};
use crate::decision::Decision;
use crate::event::HookEvent;
use crate::reading::Reading;
use crate::reported::Reported;

pub(super) fn reads(reported: &Reported<'_>, answer: &Answer) -> Option<Reading> {
    let event = reported.event;
    let (stdout, stderr) = (answer.stdout.trim(), answer.stderr.trim());
    let is_refusal = answer.exit == 2;
    let text = if is_refusal || stdout.is_empty() {
        stderr
    } else {
        stdout
    };
    if text.is_empty() {
        return (answer.exit == 0).then(Reading::silence);
    }
    match json(text) {
        Ok(said) if said.is_object() => Some(followed(event, &said)),
        Err(_) if text.starts_with('{') && !is_refusal => None,
        _ if is_refusal => Some(blocked(event, text)),
        _ if answer.exit == 0 && !stdout.is_empty() && text_is_context(event) => Some(Reading {
            context: Some(text.to_owned()),
            ..Reading::silence()
        }),
        // A message that nobody sees.
        _ => Some(Reading::silence()),
    }
}

/// JSON, or JSON in a JSON string.
fn json(text: &str) -> serde_json::Result<Value> {
    match serde_json::from_str(text)? {
        Value::String(text) => serde_json::from_str(&text),
        said => Ok(said),
    }
}

/// What `decision: deny` does.
fn blocked(event: HookEvent, reason: &str) -> Reading {
    if follows_block(event) {
        Reading::decided(Decision::Deny, Some(reason.to_owned()))
    } else {
        Reading::silence()
    }
}

fn followed(event: HookEvent, said: &Value) -> Reading {
    let text = |name: &str| text_at(said, name);
    let own = said.get("hookSpecificOutput");
    let stops = said.get("continue") == Some(&Value::Bool(false));
    let blocks = matches!(text("/decision").as_deref(), Some("block" | "deny"));
    let reason = text("/stopReason").or_else(|| text("/reason"));
    let (decision, reason) = match event {
        HookEvent::PreToolUse => before_tool(said, stops),
        HookEvent::PermissionRequest => match own.and_then(|own| own.get("decision")) {
            Some(decision) if decision.is_object() => {
                let is_granted = text_at(decision, "/behavior").as_deref() == Some("allow");
                if is_granted {
                    (Decision::Grant, None)
                } else {
                    (Decision::Deny, text_at(decision, "/message"))
                }
            }
            _ => (Decision::NoOpinion, None),
        },
        // Also at the end of a turn, which goes on then.
        event if follows_block(event) && (blocks || stops) => (Decision::Deny, reason),
        _ => (Decision::NoOpinion, None),
    };
    let is_read = takes_context(event) && decision != Decision::Deny;
    let input = said.pointer("/hookSpecificOutput/decision/updatedInput");
    Reading {
        input: input.filter(|_| decision == Decision::Grant).cloned(),
        context: text("/hookSpecificOutput/additionalContext").filter(|_| is_read),
        message: text("/systemMessage").filter(|_| event == HookEvent::Stop),
        ..Reading::decided(decision, reason)
    }
}

/// The nested decision counts more than the one at the top, and both more than `continue`.
fn before_tool(said: &Value, stops: bool) -> (Decision, Option<String>) {
    let own = text_at(said, "/hookSpecificOutput/permissionDecision");
    let own = own.filter(|word| matches!(word.as_str(), "allow" | "deny" | "ask"));
    let word = own.or_else(|| {
        let word = text_at(said, "/decision")?;
        Some(if word == "block" {
            "deny".to_owned()
        } else {
            word
        })
    });
    let reason = text_at(said, "/hookSpecificOutput/permissionDecisionReason")
        .or_else(|| text_at(said, "/reason"));
    match permission(word.as_deref()) {
        Decision::Deny => (Decision::Deny, reason),
        Decision::Ask => (Decision::Ask, reason),
        _ if stops => (
            Decision::Deny,
            text_at(said, "/stopReason").or_else(|| text_at(said, "/reason")),
        ),
        // Its own permissions count, whatever is allowed.
        Decision::Grant | Decision::NoOpinion => (Decision::NoOpinion, None),
    }
}

/// Where `decision: block` has an effect.
const fn follows_block(event: HookEvent) -> bool {
    matches!(
        event,
        HookEvent::PreToolUse
            | HookEvent::PostToolBatch
            | HookEvent::UserPromptSubmit
            | HookEvent::UserPromptExpansion
            | HookEvent::Stop
            | HookEvent::SubagentStop
    )
}

const fn text_is_context(event: HookEvent) -> bool {
    matches!(
        event,
        HookEvent::SessionStart | HookEvent::UserPromptSubmit | HookEvent::UserPromptExpansion
    )
}

const fn takes_context(event: HookEvent) -> bool {
    matches!(
        event,
        HookEvent::PostToolUse
            | HookEvent::PostToolUseFailure
            | HookEvent::PostToolBatch
            | HookEvent::UserPromptSubmit
            | HookEvent::UserPromptExpansion
            | HookEvent::SessionStart
            | HookEvent::SubagentStart
            | HookEvent::PreCompact
    )
}
