//! What Factory Droid makes of an answer.
//!
//! It reads the JSON on standard output whatever the exit code, and takes what is no JSON for nothing. Exit code 2 is a block, 3 ends the run,
//! and all others are failures.

use serde_json::{Map, Value};

use crate::answer::Answer;
use crate::claude_code::reads::text_at;
use crate::decision::Decision;
use crate::event::HookEvent;
use crate::reading::Reading;
use crate::reported::Reported;

pub(super) fn reads(reported: &Reported<'_>, answer: &Answer) -> Option<Reading> {
    let event = reported.event;
    let stdout = answer.stdout.trim();
    let said: Option<Value> = serde_json::from_str(stdout)
        .ok()
        .filter(|_| stdout.starts_with('{'));
    if said.is_none() && !matches!(answer.exit, 0 | 2 | 3) {
        return None;
    }
    let is_json = said.is_some();
    let said = said.unwrap_or_default();
    let (decision, reason) = decided(event, answer, &said);
    let own = text_at(&said, "/hookSpecificOutput/additionalContext");
    let context = match event {
        // It reads no context of a hook that failed or blocked.
        HookEvent::SessionStart | HookEvent::UserPromptSubmit if answer.exit != 0 => None,
        HookEvent::SessionStart | HookEvent::UserPromptSubmit if !is_json => {
            Some(stdout.to_owned()).filter(|text| !text.is_empty())
        }
        HookEvent::SessionStart | HookEvent::UserPromptSubmit | HookEvent::PostToolUse => own,
        _ => None,
    };
    let message = text_at(&said, "/systemMessage");
    let shows = matches!(event, HookEvent::PostToolUse | HookEvent::Stop);
    Some(Reading {
        input: rewritten(reported, &said).filter(|_| decision != Decision::Deny),
        context,
        message: message.filter(|_| shows),
        ..Reading::decided(decision, reason)
    })
}

fn decided(event: HookEvent, answer: &Answer, said: &Value) -> (Decision, Option<String>) {
    let stderr = || Some(answer.stderr.trim().to_owned());
    let ends = said.get("continue") == Some(&Value::Bool(false));
    let text = |path: &str| text_at(said, path);
    let word = text("/hookSpecificOutput/permissionDecision");
    match event {
        HookEvent::PreToolUse | HookEvent::PostToolUse if ends => {
            (Decision::Deny, text("/stopReason"))
        }
        HookEvent::PreToolUse => match (answer.exit, word.as_deref()) {
            (0..=2, Some("deny")) => (
                Decision::Deny,
                text("/hookSpecificOutput/permissionDecisionReason"),
            ),
            (2 | 3, _) => (Decision::Deny, stderr()),
            (_, Some("allow")) => (Decision::Grant, None),
            // A question is written down, and the call runs.
            _ => (Decision::NoOpinion, None),
        },
        HookEvent::PostToolUse if matches!(answer.exit, 2 | 3) => (Decision::Deny, stderr()),
        HookEvent::UserPromptSubmit if ends || matches!(answer.exit, 2 | 3) => {
            let reason = stderr().filter(|text| !text.is_empty());
            (Decision::Deny, reason.or_else(|| text("/stopReason")))
        }
        HookEvent::PreCompact if matches!(answer.exit, 2 | 3) => (Decision::Deny, stderr()),
        // It ends, or was told to go on.
        HookEvent::Stop if ends || answer.exit == 3 => (Decision::NoOpinion, None),
        HookEvent::Stop => match (text("/decision").as_deref(), text("/reason")) {
            (Some("block"), Some(reason)) if !reason.is_empty() => (Decision::Deny, Some(reason)),
            (Some("block"), _) => (Decision::NoOpinion, None),
            _ if answer.exit == 2 => (Decision::Deny, stderr()),
            _ => (Decision::NoOpinion, None),
        },
        _ => (Decision::NoOpinion, None),
    }
}

/// The new input is laid over the old one.
fn rewritten(reported: &Reported<'_>, said: &Value) -> Option<Value> {
    let new = said.pointer("/hookSpecificOutput/updatedInput");
    let new = new.filter(|_| reported.event == HookEvent::PreToolUse)?;
    let mut input: Map<String, Value> = reported
        .input
        .and_then(Value::as_object)
        .cloned()
        .unwrap_or_default();
    let new = new.as_object()?.iter();
    input.extend(new.map(|(name, value)| (name.clone(), value.clone())));
    Some(Value::Object(input))
}
