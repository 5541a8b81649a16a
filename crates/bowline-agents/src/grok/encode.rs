//! Writing an answer that Grok follows: silence, or one JSON object with exit code 0. With exit code 2, a denial keeps the first line of
//! its reason only.

use serde_json::{Map, Value, json};

use super::decode::WORDS;
use crate::answer::{Answer, Object};
use crate::decision::Decision;
use crate::event::HookEvent;
use crate::express::reason;
use crate::opinion::Opinion;
use crate::reported::Reported;

pub(super) fn encode(reported: &Reported<'_>, opinion: &Opinion) -> Answer {
    match reported.event {
        HookEvent::PreToolUse => before_tool(reported, opinion),
        HookEvent::UserPromptSubmit => Answer::json(block(opinion, None)),
        // Context alone would keep it going.
        HookEvent::Stop | HookEvent::SubagentStop => {
            Answer::json(block(opinion, opinion.additional_context.as_deref()))
        }
        HookEvent::PostToolUse | HookEvent::PostToolUseFailure => {
            let mut answer = match reported.event {
                HookEvent::PostToolUse => block(opinion, None),
                _ => Map::new(),
            };
            let mut own = Map::new();
            if let Some(context) = &opinion.additional_context {
                own.insert("additionalContext".to_owned(), context.as_str().into());
            }
            // Its own tools have results of their own shapes.
            let of_server = reported.tool.is_some_and(|tool| tool.contains("__"));
            let result = opinion.event_fields.get("updatedToolOutput");
            if let Some(result) = result.filter(|_| of_server) {
                own.insert("updatedToolOutput".to_owned(), result.clone());
            }
            add_own(&mut answer, reported, own);
            Answer::json(answer)
        }
        _ => Answer::default(),
    }
}

fn before_tool(reported: &Reported<'_>, opinion: &Opinion) -> Answer {
    let mut own = Map::new();
    let mut decide = |word: &str, reason: String| {
        own.insert("permissionDecision".to_owned(), word.into());
        let reason = shortened(&reason);
        own.insert("permissionDecisionReason".to_owned(), reason.into());
    };
    let context = opinion.additional_context.as_deref();
    let rewritten = opinion.rewritten_input();
    let is_denied = match (opinion.decision(), rewritten) {
        // Such an answer would be a failure, and the call would run.
        (decision, Some(input)) if decision != Decision::Deny && !input.is_object() => {
            let reason = "A hook rewrote the tool's input to something that is not an object.";
            decide("deny", reason.to_owned());
            true
        }
        (Decision::Deny, _) => {
            decide("deny", with(reason(opinion), context));
            true
        }
        (Decision::Ask, _) => {
            decide("ask", reason(opinion).to_owned());
            false
        }
        // An "allow" says no more than silence.
        (Decision::Grant | Decision::NoOpinion, _) => false,
    };
    if !is_denied {
        if let Some(input) = rewritten {
            own.insert("updatedInput".to_owned(), own_input(reported, input));
        }
        if let Some(context) = context {
            own.insert("additionalContext".to_owned(), context.into());
        }
    }
    let mut answer = Map::new();
    add_own(&mut answer, reported, own);
    Answer::json(answer)
}

/// A tool's input that hooks have rewritten, in Grok's words: a tool of a server gets it within that of Grok's own tool.
fn own_input(reported: &Reported<'_>, input: &Value) -> Value {
    let called = reported.input.and_then(|it| it.get("tool_name"));
    match called.filter(|name| name.as_str() == reported.tool) {
        Some(name) => json!({"tool_name": name, "tool_input": input}),
        None => WORDS.own_input(reported, input),
    }
}

/// A block, where the opinion is one.
fn block(opinion: &Opinion, context: Option<&str>) -> Object {
    let mut answer = Map::new();
    if matches!(opinion.decision(), Decision::Deny | Decision::Ask) {
        answer.insert("decision".to_owned(), "block".into());
        answer.insert("reason".to_owned(), with(reason(opinion), context).into());
    }
    answer
}

fn add_own(answer: &mut Object, reported: &Reported<'_>, own: Object) {
    if own.is_empty() {
        return;
    }
    let mut specific = Map::new();
    specific.insert("hookEventName".to_owned(), reported.event.name().into());
    specific.extend(own);
    answer.insert("hookSpecificOutput".to_owned(), specific.into());
}

/// What Grok takes of a reason before a tool.
pub(super) const LONGEST: usize = 256;

/// The beginning and the end of a reason: there are what happened, and the rule with what to do instead.
fn shortened(reason: &str) -> String {
    const BETWEEN: &str = " … ";
    const BEGINNING: usize = 60;
    let length = reason.chars().count();
    if length <= LONGEST {
        return reason.to_owned();
    }
    let end = LONGEST - BEGINNING - BETWEEN.chars().count();
    let (beginning, end) = (
        reason.chars().take(BEGINNING),
        reason.chars().skip(length - end),
    );
    beginning.chain(BETWEEN.chars()).chain(end).collect()
}

/// Why, and what the model should know beside that, where nothing else brings it.
fn with(reason: &str, context: Option<&str>) -> String {
    match context {
        Some(context) => format!("{reason}\n{context}"),
        None => reason.to_owned(),
    }
}
