//! Writing an answer that Qwen Code follows: silence, or one JSON object with exit code 0.
//!
//! Where several hooks answer before a tool, the last one's `permissionDecision` replaces all others, an "allow" a denial, too. `continue: false`
//! is not replaced, and denies the call as well. So it goes with every denial and every question.

use serde_json::{Map, Value};

use super::{AGENT, WORDS, enforces};
use crate::answer::{Answer, Object};
use crate::decision::Decision;
use crate::event::HookEvent;
use crate::express::{reason, with_unenforced};
use crate::opinion::Opinion;
use crate::reported::Reported;

pub(super) fn encode(reported: &Reported<'_>, opinion: &Opinion) -> Answer {
    let event = reported.event;
    let mut top = Map::new();
    let mut own = Map::new();
    let decision = opinion.decision();
    match event {
        HookEvent::PreToolUse if decision >= Decision::Ask => {
            let reason = with_context(opinion);
            let word = if decision == Decision::Ask {
                "ask"
            } else {
                "deny"
            };
            add(&mut own, "permissionDecision", word);
            add(&mut own, "permissionDecisionReason", reason.as_str());
            add(&mut top, "continue", false);
            add(&mut top, "stopReason", reason);
        }
        HookEvent::PermissionRequest => permission(reported, opinion, &mut own),
        event if enforces(event) && event != HookEvent::PreToolUse => {
            let stops = decision >= Decision::Ask;
            if stops {
                add(&mut top, "decision", "block");
                add(&mut top, "reason", with_context(opinion));
            }
            let context = opinion.additional_context.as_deref();
            if let Some(context) = context.filter(|_| takes_context(event) && !stops) {
                add(&mut own, "additionalContext", context);
            }
        }
        // The text is for the summary, not for the model that goes on.
        HookEvent::PreCompact => {
            if let Some(context) = opinion.additional_context.as_deref() {
                add(&mut own, "additionalContext", context);
            }
        }
        event if takes_context(event) => {
            if let Some(context) = with_unenforced(AGENT.title, event, opinion) {
                add(&mut own, "additionalContext", context);
            }
        }
        _ => {}
    }
    // It shows this nowhere else.
    if let Some(message) = opinion.system_message.as_deref()
        && event == HookEvent::Stop
    {
        add(&mut top, "systemMessage", message);
    }
    if !own.is_empty() {
        let mut specific = Map::new();
        add(&mut specific, "hookEventName", event.name());
        specific.extend(own);
        add(&mut top, "hookSpecificOutput", Value::Object(specific));
    }
    Answer::json(top)
}

fn add(fields: &mut Object, name: &str, value: impl Into<Value>) {
    fields.insert(name.to_owned(), value.into());
}

/// Why it is stopped, with what the model should know beside it.
fn with_context(opinion: &Opinion) -> String {
    match &opinion.additional_context {
        Some(context) => format!("{}\n{context}", reason(opinion)),
        None => reason(opinion).to_owned(),
    }
}

/// Silence lets its own dialog ask.
fn permission(reported: &Reported<'_>, opinion: &Opinion, own: &mut Object) {
    let mut decision = Map::new();
    match opinion.decision() {
        Decision::Deny => {
            add(&mut decision, "behavior", "deny");
            add(&mut decision, "message", with_context(opinion));
            if opinion.end_turn.is_some() {
                add(&mut decision, "interrupt", true);
            }
        }
        Decision::Grant => {
            add(&mut decision, "behavior", "allow");
            if let Some(input) = opinion.rewritten_input().filter(|it| it.is_object()) {
                add(
                    &mut decision,
                    "updatedInput",
                    WORDS.own_input(reported, input),
                );
            }
        }
        Decision::Ask | Decision::NoOpinion => return,
    }
    add(own, "decision", Value::Object(decision));
}

/// Where text reaches the model.
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
    )
}
