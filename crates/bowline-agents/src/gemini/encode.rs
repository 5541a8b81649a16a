//! Writing an answer that Gemini CLI follows: silence, or one JSON object with exit code 0.

use serde_json::{Map, Value};

use super::{AGENT, WORDS};
use crate::answer::{Answer, Object};
use crate::decision::Decision;
use crate::event::HookEvent;
use crate::express::{reason, with_unenforced};
use crate::opinion::Opinion;
use crate::reported::Reported;

pub(super) fn encode(reported: &Reported<'_>, opinion: &Opinion) -> Answer {
    let event = reported.event;
    let mut fields = Map::new();
    let mut add = |name: &str, value: Value| {
        fields.insert(name.to_owned(), value);
    };
    let stops = opinion.decision() >= Decision::Ask;
    if stops && super::enforces(event) {
        add("decision", "deny".into());
        add("reason", told(event, opinion).into());
    }
    if let Some(reason) = opinion.end_turn.as_deref().filter(|_| can_end_turn(event)) {
        add("continue", false.into());
        let reason = if stops {
            told(event, opinion)
        } else {
            reason.to_owned()
        };
        add("stopReason", reason.into());
    }
    if let Some(message) = &opinion.system_message {
        add("systemMessage", message.as_str().into());
    }
    let own = specific(reported, opinion);
    if !own.is_empty() {
        add("hookSpecificOutput", Value::Object(own));
    }
    Answer::json(fields)
}

/// Why it is stopped, with what the model should know beside it where there is no other way to tell it.
fn told(event: HookEvent, opinion: &Opinion) -> String {
    let reason = match opinion.decision() {
        Decision::Ask => format!("The user has to decide this: {}", reason(opinion)),
        _ => reason(opinion).to_owned(),
    };
    match &opinion.additional_context {
        Some(context) if !matches!(event, HookEvent::SessionStart) => {
            format!("{reason}\n{context}")
        }
        _ => reason,
    }
}

fn specific(reported: &Reported<'_>, opinion: &Opinion) -> Object {
    let event = reported.event;
    let mut own = Map::new();
    let stops = opinion.decision() >= Decision::Ask;
    let context = match event {
        HookEvent::SessionStart => with_unenforced(AGENT.title, event, opinion),
        // What is blocked is not read, and the reason says it all.
        HookEvent::UserPromptSubmit | HookEvent::PostToolUse | HookEvent::PostToolUseFailure => {
            opinion.additional_context.clone().filter(|_| !stops)
        }
        _ => None,
    };
    if let Some(context) = context {
        own.insert("additionalContext".to_owned(), context.into());
    }
    let rewritten = opinion.rewritten_input().filter(|it| it.is_object());
    if let Some(input) = rewritten.filter(|_| event == HookEvent::PreToolUse && !stops) {
        let input = WORDS.own_input(reported, input);
        own.insert("tool_input".to_owned(), input);
    }
    own
}

/// Elsewhere it is not looked at.
pub(super) const fn can_end_turn(event: HookEvent) -> bool {
    super::enforces(event)
}
