//! Bowline's own protocol, for agents that have none of their own: answers under the names of the library's fields.

use serde_json::{Map, Value, json};

use crate::agent::{Agent, ClaudeHooks, Protocol, Support};
use crate::answer::Answer;
use crate::claude_code;
use crate::decision::Decision;
use crate::event::{EventClass, HookEvent};
use crate::last_resort::{LastResort, Unjudged, none};
use crate::opinion::Opinion;
use crate::reading::Reading;
use crate::reported::Reported;

/// Any agent that speaks Bowline's own protocol.
pub const AGENT: Agent = Agent {
    name: "generic",
    title: "an agent of your own",
    events: HookEvent::NAMED,
    marks: &[],
    last_resort: LastResort { ask, deny: none },
    support: Support::Full(PROTOCOL),
};

/// How its events are decided.
pub const PROTOCOL: Protocol = Protocol {
    decode: std::convert::identity,
    asks: |_| true,
    rewrites: |_, _| true,
    ends_turn: |_| false,
    encode,
    reads,
    enforces,
    repeats: &[],
    tools: &[],
    limits: &["What an answer means is up to whoever builds the agent."],
    // The one that scripts know.
    project_variable: Some(claude_code::PROJECT_VARIABLE),
    claude_hooks: ClaudeHooks::Bridge,
    borrows: None,
    registration: None,
};

const fn enforces(event: HookEvent) -> bool {
    !matches!(event.class(), EventClass::Observe)
}

#[expect(clippy::unnecessary_wraps, reason = "a form may be missing")]
fn ask(it: &Unjudged<'_>) -> Option<Answer> {
    Some(Answer::line(
        &json!({"continue_execution": false, "decision": "ask", "stop_reason": it.text}),
    ))
}

/// Writes silence, or one JSON object.
fn encode(_: &Reported<'_>, output: &Opinion) -> Answer {
    let mut answer = Map::new();
    let mut add = |name: &str, value: Value| {
        answer.insert(name.to_owned(), value);
    };
    let decision = output.decision();
    if matches!(decision, Decision::Deny | Decision::Ask) {
        add("continue_execution", false.into());
    }
    match decision {
        Decision::NoOpinion => {}
        Decision::Grant => add("decision", "grant".into()),
        Decision::Ask => add("decision", "ask".into()),
        Decision::Deny => add("decision", "deny".into()),
    }
    for (name, text) in [
        ("stop_reason", &output.stop_reason),
        ("system_message", &output.system_message),
        ("additional_context", &output.additional_context),
    ] {
        if let Some(text) = text {
            add(name, text.as_str().into());
        }
    }
    if let Some(input) = output.rewritten_input() {
        add("updated_input", input.clone());
    }
    if output.suppress_logging {
        add("suppress_logging", true.into());
    }
    for (name, fact) in &output.facts {
        add(name, fact.clone());
    }
    Answer::json(answer)
}

/// An agent that speaks this protocol does what is said.
fn reads(reported: &Reported<'_>, answer: &Answer) -> Option<Reading> {
    // What has happened cannot be stopped.
    let decided = |decision| {
        if enforces(reported.event) {
            decision
        } else {
            Decision::NoOpinion
        }
    };
    match answer.exit {
        0 => {}
        2 => {
            let reason = answer.stderr.trim().to_owned();
            return Some(Reading::decided(decided(Decision::Deny), Some(reason)));
        }
        _ => return None,
    }
    if answer.stdout.trim().is_empty() {
        return Some(Reading::silence());
    }
    let said: Value = serde_json::from_str(&answer.stdout).ok()?;
    let text = |name: &str| Some(said.get(name)?.as_str()?.to_owned());
    let decision = match text("decision").as_deref() {
        Some("deny") => Decision::Deny,
        Some("ask") => Decision::Ask,
        Some("grant") => Decision::Grant,
        _ if said.get("continue_execution") == Some(&Value::Bool(false)) => Decision::Deny,
        _ => Decision::NoOpinion,
    };
    Some(Reading {
        input: said.get("updated_input").cloned(),
        context: text("additional_context"),
        message: text("system_message"),
        ..Reading::decided(decided(decision), text("stop_reason"))
    })
}
