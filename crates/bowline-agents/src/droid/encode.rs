//! Writing an answer that Factory Droid follows: silence, one JSON object, or exit code 2 with the reason on standard error.
//!
//! Where several hooks answer before a tool, the first one's `permissionDecision` counts, and an "allow" is what counts then. Exit code 2 denies
//! whatever others say.

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
    let stops = opinion.decision() >= Decision::Ask && enforces(event);
    if let Some(reason) = opinion.end_turn.as_deref().filter(|_| can_end_turn(event)) {
        add(&mut top, "continue", false);
        add(&mut top, "stopReason", reason);
    }
    if stops && event == HookEvent::Stop {
        add(&mut top, "decision", "block");
        add(&mut top, "reason", told(opinion));
    }
    if let Some(message) = opinion.system_message.as_deref()
        && matches!(event, HookEvent::PostToolUse | HookEvent::Stop)
    {
        add(&mut top, "systemMessage", message);
    }
    let own = specific(reported, opinion);
    if !own.is_empty() {
        let mut specific = Map::new();
        add(&mut specific, "hookEventName", event.name());
        specific.extend(own);
        add(&mut top, "hookSpecificOutput", Value::Object(specific));
    }
    let answer = Answer::json(top);
    if stops && event != HookEvent::Stop {
        return Answer {
            exit: 2,
            stderr: format!("{}\n", told(opinion)),
            ..answer
        };
    }
    answer
}

fn add(fields: &mut Object, name: &str, value: impl Into<Value>) {
    fields.insert(name.to_owned(), value.into());
}

/// Why it is stopped, with what the model should know beside it.
fn told(opinion: &Opinion) -> String {
    let reason = match opinion.decision() {
        Decision::Ask => format!("The user has to decide this: {}", reason(opinion)),
        _ => reason(opinion).to_owned(),
    };
    match &opinion.additional_context {
        Some(context) => format!("{reason}\n{context}"),
        None => reason,
    }
}

fn specific(reported: &Reported<'_>, opinion: &Opinion) -> Object {
    let event = reported.event;
    let mut own = Map::new();
    let decision = opinion.decision();
    let context = match event {
        HookEvent::SessionStart => with_unenforced(AGENT.title, event, opinion),
        HookEvent::UserPromptSubmit | HookEvent::PostToolUse if decision < Decision::Ask => {
            opinion.additional_context.clone()
        }
        _ => None,
    };
    if let Some(context) = context {
        add(&mut own, "additionalContext", context);
    }
    if event == HookEvent::PreToolUse && decision < Decision::Ask {
        if decision == Decision::Grant {
            add(&mut own, "permissionDecision", "allow");
        }
        if let Some(input) = opinion.rewritten_input().filter(|it| it.is_object()) {
            add(&mut own, "updatedInput", WORDS.own_input(reported, input));
        }
    }
    own
}

pub(super) const fn can_end_turn(event: HookEvent) -> bool {
    matches!(
        event,
        HookEvent::PreToolUse
            | HookEvent::PostToolUse
            | HookEvent::UserPromptSubmit
            | HookEvent::Stop
    )
}
