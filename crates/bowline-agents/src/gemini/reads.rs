//! What Gemini CLI makes of an answer.
//!
//! It reads JSON from standard output, else from standard error, whatever the exit code. Other text is a message with exit codes 0 and 1
//! and a denial with all others.

use serde_json::Value;

use crate::answer::Answer;
use crate::claude_code::reads::text_at;
use crate::decision::Decision;
use crate::event::HookEvent;
use crate::reading::Reading;
use crate::reported::Reported;

pub(super) fn reads(reported: &Reported<'_>, answer: &Answer) -> Option<Reading> {
    let texts = [answer.stdout.trim(), answer.stderr.trim()];
    let Some(text) = texts.into_iter().find(|text| !text.is_empty()) else {
        // Without any text, no exit code blocks.
        return (answer.exit == 0).then(Reading::silence);
    };
    match json(text) {
        Ok(said) if said.is_object() => Some(followed(reported.event, &said)),
        Ok(_) => Some(Reading::silence()),
        Err(_) if answer.exit > 1 => Some(denied(reported.event, text)),
        Err(_) => Some(Reading {
            message: Some(text.to_owned()),
            ..Reading::silence()
        }),
    }
}

/// JSON, or JSON in a JSON string.
fn json(text: &str) -> serde_json::Result<Value> {
    match serde_json::from_str(text)? {
        Value::String(text) => serde_json::from_str(&text),
        said => Ok(said),
    }
}

fn denied(event: HookEvent, reason: &str) -> Reading {
    if follows(event) {
        Reading::decided(Decision::Deny, Some(reason.to_owned()))
    } else {
        Reading::silence()
    }
}

fn followed(event: HookEvent, said: &Value) -> Reading {
    let text = |name: &str| text_at(said, &format!("/{name}"));
    let own = said.get("hookSpecificOutput");
    let word = text("decision");
    let ends = said.get("continue") == Some(&Value::Bool(false));
    let decision = match word.as_deref() {
        _ if !follows(event) => Decision::NoOpinion,
        // A turn that was about to end ends.
        _ if ends && event == HookEvent::Stop => Decision::NoOpinion,
        _ if ends => Decision::Deny,
        Some("deny" | "block") => Decision::Deny,
        // It waits for a person, also where there is none.
        Some("ask") if event == HookEvent::PreToolUse => Decision::Ask,
        _ => Decision::NoOpinion,
    };
    let stops = decision == Decision::Deny;
    let is_read = takes_context(event) && !stops;
    let input = own.and_then(|own| own.get("tool_input"));
    let is_changed = event == HookEvent::PreToolUse && !stops;
    Reading {
        input: input.filter(|it| is_changed && it.is_object()).cloned(),
        context: text_at(said, "/hookSpecificOutput/additionalContext").filter(|_| is_read),
        message: text("systemMessage"),
        ..Reading::decided(
            decision,
            text("stopReason")
                .or_else(|| text("reason"))
                .filter(|_| decision >= Decision::Ask),
        )
    }
}

/// Whether a decision counts.
const fn follows(event: HookEvent) -> bool {
    matches!(
        event,
        HookEvent::PreToolUse
            | HookEvent::PostToolUse
            | HookEvent::PostToolUseFailure
            | HookEvent::UserPromptSubmit
            | HookEvent::Stop
    )
}

const fn takes_context(event: HookEvent) -> bool {
    matches!(
        event,
        HookEvent::PostToolUse
            | HookEvent::PostToolUseFailure
            | HookEvent::UserPromptSubmit
            | HookEvent::SessionStart
    )
}
