//! Writing an answer for VS Code: Claude Code's form, with the end of a turn told in both of its ways.

use serde_json::{Map, Value};

use super::AGENT;
use super::words::own_input;
use crate::answer::{Answer, Object};
use crate::decision::Decision;
use crate::event::HookEvent;
use crate::express::{reason, with_unenforced};
use crate::opinion::Opinion;
use crate::reported::Reported;

pub(super) fn encode(reported: &Reported<'_>, opinion: &Opinion) -> Answer {
    let event = reported.event;
    let blocks = opinion.decision() >= Decision::Ask;
    let (mut top, mut own) = (Map::new(), Map::new());
    match event {
        HookEvent::PreToolUse => before_tool(reported, opinion, &mut own),
        // It knows no other way to block a prompt.
        HookEvent::UserPromptSubmit if blocks => {
            return Answer {
                exit: 2,
                stderr: format!("{}\n", reason(opinion)),
                ..Answer::default()
            };
        }
        HookEvent::PostToolUse => {
            if blocks {
                block(opinion, &mut top);
            }
            add_context(opinion.additional_context.clone(), &mut own);
        }
        HookEvent::Stop | HookEvent::SubagentStop if blocks => {
            block(opinion, &mut top);
            block(opinion, &mut own);
        }
        HookEvent::SessionStart | HookEvent::SubagentStart => {
            add_context(with_unenforced(AGENT.title, event, opinion), &mut own);
        }
        _ => {}
    }
    if !own.is_empty() {
        let mut specific = Map::from_iter([("hookEventName".to_owned(), event.name().into())]);
        specific.extend(own);
        top.insert("hookSpecificOutput".to_owned(), Value::Object(specific));
    }
    if let Some(message) = &opinion.system_message {
        top.insert("systemMessage".to_owned(), message.as_str().into());
    }
    if let Some(reason) = &opinion.end_turn {
        top.insert("continue".to_owned(), false.into());
        top.insert("stopReason".to_owned(), reason.as_str().into());
    }
    Answer::json(top)
}

fn before_tool(reported: &Reported<'_>, opinion: &Opinion, own: &mut Object) {
    let rewritten = opinion.rewritten_input();
    let word = match opinion.decision() {
        Decision::Deny => Some("deny"),
        // Nothing else can be run.
        _ if rewritten.is_some_and(|input| !input.is_object()) => Some("deny"),
        Decision::Ask => Some("ask"),
        Decision::Grant => Some("allow"),
        Decision::NoOpinion => None,
    };
    if let Some(word) = word {
        own.insert("permissionDecision".to_owned(), word.into());
        if word != "allow" {
            let reason = reason(opinion).into();
            own.insert("permissionDecisionReason".to_owned(), reason);
        }
    }
    if let Some(input) = rewritten.filter(|input| input.is_object()) {
        own.insert("updatedInput".to_owned(), own_input(reported, input));
    }
    add_context(opinion.additional_context.clone(), own);
}

fn block(opinion: &Opinion, fields: &mut Object) {
    fields.insert("decision".to_owned(), "block".into());
    fields.insert("reason".to_owned(), reason(opinion).into());
}

fn add_context(text: Option<String>, own: &mut Object) {
    if let Some(text) = text {
        own.insert("additionalContext".to_owned(), text.into());
    }
}
