//! Writing an answer that Cursor follows: always one flat JSON object, because silence may count as a failure.
//!
//! By an entry in Claude Code's settings it reads Claude Code's answers, if it is told to, and its own. Exit code 2 denies either way.

use serde_json::{Map, Value, json};

use super::words::WORDS;
use crate::answer::{Answer, Object};
use crate::decision::Decision;
use crate::event::HookEvent;
use crate::express::{reason, with_unenforced};
use crate::opinion::Opinion;
use crate::reported::Reported;
use crate::spelling::plain;

pub(super) fn encode(reported: &Reported<'_>, opinion: &Opinion) -> Answer {
    let event = reported.event;
    let denies = opinion.decision() == Decision::Deny;
    let asked_to_permit = matches!(event, HookEvent::PreToolUse | HookEvent::SubagentStart);
    if reported.entry_of.is_some() && asked_to_permit && denies {
        return Answer {
            exit: 2,
            stdout: String::new(),
            stderr: format!("{}\n", reason(opinion)),
        };
    }
    Answer::line(&Value::Object(fields(reported, opinion)))
}

fn fields(reported: &Reported<'_>, opinion: &Opinion) -> Object {
    let event = reported.event;
    let blocks = opinion.decision() >= Decision::Ask;
    match event {
        HookEvent::PreToolUse => before_tool(reported, opinion),
        HookEvent::SubagentStart if blocks => permission("deny", reason(opinion)),
        HookEvent::UserPromptSubmit | HookEvent::SessionStart if blocks => {
            object(&[("continue", false.into()), ("user_message", told(opinion))])
        }
        // It does not follow a block there: the model gets to read it.
        HookEvent::PostToolUse | HookEvent::PostToolUseFailure => context(
            reported,
            with_unenforced(super::AGENT.title, event, opinion),
        ),
        HookEvent::UserPromptSubmit | HookEvent::SessionStart => {
            context(reported, opinion.additional_context.clone())
        }
        HookEvent::Stop | HookEvent::SubagentStop if blocks => {
            object(&[("followup_message", told(opinion))])
        }
        _ => Map::new(),
    }
}

fn before_tool(reported: &Reported<'_>, opinion: &Opinion) -> Object {
    let is_first = plain(reported.name) == "pretooluse";
    let rewritten = opinion.rewritten_input();
    if rewritten.is_some_and(|input| !super::rewrites(reported, input)) {
        return permission("deny", reason(opinion));
    }
    let mut fields = match opinion.decision() {
        Decision::Deny => permission("deny", reason(opinion)),
        Decision::Ask => permission("ask", reason(opinion)),
        Decision::Grant => object(&[("permission", "allow".into())]),
        Decision::NoOpinion => Map::new(),
    };
    if let Some(input) = rewritten {
        let own = WORDS.own_input(reported, input);
        fields.insert("updated_input".to_owned(), own);
    }
    if is_first {
        fields.extend(context(reported, opinion.additional_context.clone()));
    }
    fields
}

/// The person and the model are told the same.
fn permission(word: &str, reason: &str) -> Object {
    object(&[
        ("permission", word.into()),
        ("user_message", reason.into()),
        ("agent_message", reason.into()),
    ])
}

fn told(opinion: &Opinion) -> Value {
    match &opinion.additional_context {
        Some(context) => format!("{}\n{context}", reason(opinion)).into(),
        None => reason(opinion).into(),
    }
}

/// Text for the model; by an entry of Claude Code's settings in both forms.
fn context(reported: &Reported<'_>, text: Option<String>) -> Object {
    let Some(text) = text else {
        return Map::new();
    };
    let mut fields = object(&[("additional_context", text.as_str().into())]);
    if reported.entry_of.is_some() && reported.event != HookEvent::PreToolUse {
        let own = json!({"hookEventName": reported.event.name(), "additionalContext": text});
        fields.insert("hookSpecificOutput".to_owned(), own);
    }
    fields
}

fn object(fields: &[(&str, Value)]) -> Object {
    let fields = fields.iter();
    fields
        .map(|(name, value)| ((*name).to_owned(), value.clone()))
        .collect()
}
