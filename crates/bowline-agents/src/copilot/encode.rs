//! Writing an answer that Copilot follows: silence, or one JSON object with exit code 0.
//!
//! Before a tool, the spelling of the event decides: its own words stand at the top level, and Claude Code's in `hookSpecificOutput`. On all
//! other events both are answered alike. Exit code 2 would block some events, and lose the reason.

use serde_json::{Map, Value};

use super::AGENT;
use super::words::WORDS;
use crate::answer::{Answer, Object};
use crate::decision::Decision;
use crate::event::HookEvent;
use crate::express::{reason, with_unenforced};
use crate::opinion::Opinion;
use crate::reported::Reported;

pub(super) fn encode(reported: &Reported<'_>, opinion: &Opinion) -> Answer {
    let fields = match reported.event {
        HookEvent::PreToolUse => before_tool(reported, opinion),
        HookEvent::PermissionRequest => permission(opinion),
        HookEvent::PostToolUse
        | HookEvent::UserPromptSubmit
        | HookEvent::Stop
        | HookEvent::SubagentStop => block(reported.event, opinion),
        HookEvent::PostToolUseFailure | HookEvent::SessionStart | HookEvent::SubagentStart => {
            context(with_unenforced(AGENT.title, reported.event, opinion))
        }
        _ => Map::new(),
    };
    Answer::json(fields)
}

/// Whether an event is spelled as Copilot itself does, and not as Claude Code.
pub(super) fn is_in_own_words(reported: &Reported<'_>) -> bool {
    reported
        .name
        .starts_with(|letter: char| letter.is_ascii_lowercase())
}

fn before_tool(reported: &Reported<'_>, opinion: &Opinion) -> Object {
    let mut fields = Map::new();
    let mut add = |name: &str, value: Value| {
        fields.insert(name.to_owned(), value);
    };
    let own_words = is_in_own_words(reported);
    let rewritten = opinion.rewritten_input();
    let word = match opinion.decision() {
        Decision::Deny => Some("deny"),
        // Nothing else can be run.
        _ if rewritten.is_some_and(|input| !input.is_object()) => Some("deny"),
        Decision::Ask => Some("ask"),
        Decision::Grant => Some("allow"),
        Decision::NoOpinion => None,
    };
    if !own_words && (word.is_some() || rewritten.is_some() || has_context(opinion)) {
        // Another client that reads the same file wants to know it.
        add("hookEventName", reported.event.name().into());
    }
    if let Some(word) = word {
        add("permissionDecision", word.into());
        if word != "allow" {
            add("permissionDecisionReason", reason(opinion).into());
        }
    }
    if let Some(input) = rewritten.filter(|input| input.is_object()) {
        let name = if own_words {
            "modifiedArgs"
        } else {
            "updatedInput"
        };
        add(name, WORDS.own_input(reported, input));
    }
    if let Some(text) = &opinion.additional_context {
        add("additionalContext", text.as_str().into());
    }
    if own_words || fields.is_empty() {
        return fields;
    }
    Map::from_iter([("hookSpecificOutput".to_owned(), Value::Object(fields))])
}

fn has_context(opinion: &Opinion) -> bool {
    opinion.additional_context.is_some()
}

/// Silence lets Copilot's own dialog ask.
fn permission(opinion: &Opinion) -> Object {
    let mut fields = Map::new();
    match opinion.decision() {
        Decision::Deny => {
            fields.insert("behavior".to_owned(), "deny".into());
            fields.insert("message".to_owned(), reason(opinion).into());
            if opinion.end_turn.is_some() {
                fields.insert("interrupt".to_owned(), true.into());
            }
        }
        // It cannot be told another input here.
        Decision::Grant if opinion.rewritten_input().is_none() => {
            fields.insert("behavior".to_owned(), "allow".into());
        }
        Decision::Grant | Decision::Ask | Decision::NoOpinion => {}
    }
    fields
}

/// A block leaves no room for context beside its reason.
fn block(event: HookEvent, opinion: &Opinion) -> Object {
    if opinion.decision() < Decision::Ask {
        let ends = matches!(event, HookEvent::Stop | HookEvent::SubagentStop);
        return context(opinion.additional_context.clone().filter(|_| !ends));
    }
    let mut told = reason(opinion).to_owned();
    if let Some(text) = &opinion.additional_context {
        told = format!("{told}\n{text}");
    }
    Map::from_iter([
        ("decision".to_owned(), "block".into()),
        ("reason".to_owned(), told.into()),
    ])
}

fn context(text: Option<String>) -> Object {
    let text = text.map(|text| ("additionalContext".to_owned(), text.into()));
    text.into_iter().collect()
}
