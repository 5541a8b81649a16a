//! Cline: its CLI, built against 3.0.65, and its extension for VS Code, by what is documented of it.
//!
//! It has no settings for hooks: it runs the scripts that are named after its events. Both clients run a script without an ending in
//! `~/Documents/Cline/Hooks` and in `.clinerules/hooks`. They report in different words, of which both are read, and take the same
//! answers, but for one:
//!
//! | field | what becomes of it |
//! |---|---|
//! | `cancel` | before and after a tool: the whole run ends, and the model never hears why |
//! | `errorMessage` | with `cancel`: the extension shows it; without: it is context |
//! | `contextModification` | the model gets it |
//! | `overrideInput` | before a tool, CLI only: the tool runs with this input |
//!
//! No exit code and no text on stderr has a meaning. So one call alone is denied by another input, which does nothing but fail and say
//! why (`denial.rs`). That is known for the CLI's own tools; elsewhere a denial ends the run.

mod decode;
mod denial;
mod input;
mod registration;

use serde_json::{Map, Value, json};

use crate::agent::{Agent, ClaudeHooks, Protocol, Support};
use crate::answer::{Answer, Object};
use crate::decision::Decision;
use crate::event::HookEvent;
use crate::express::reason;
use crate::last_resort::{LastResort, Unjudged, none};
use crate::opinion::Opinion;
use crate::reading::Reading;
use crate::registration::Registration;
use crate::reported::Reported;

/// Cline.
pub const AGENT: Agent = Agent {
    name: "cline",
    title: "Cline",
    // The names of its scripts. What its CLI calls them in a payload is in `decode`.
    events: &[
        ("TaskStart", HookEvent::SessionStart),
        ("TaskResume", HookEvent::SessionStart),
        ("UserPromptSubmit", HookEvent::UserPromptSubmit),
        ("PreToolUse", HookEvent::PreToolUse),
        ("PostToolUse", HookEvent::PostToolUse),
        ("PreCompact", HookEvent::PreCompact),
        ("TaskComplete", HookEvent::Stop),
        ("TaskError", HookEvent::StopFailure),
        ("TaskCancel", HookEvent::SessionEnd),
        ("SessionShutdown", HookEvent::SessionEnd),
    ],
    marks: &["CLINE_ACTIVE", "CLINE_CONNECTOR_CLI_LAUNCH"],
    last_resort: LastResort { ask: none, deny },
    support: Support::Full(PROTOCOL),
};

/// How its events are decided.
pub const PROTOCOL: Protocol = Protocol {
    decode: decode::decode,
    asks: |_| false,
    rewrites,
    ends_turn: |_| false,
    encode,
    reads,
    enforces,
    repeats: &[],
    tools: decode::TOOLS,
    project_variable: None,
    limits: &[
        "A denied call of the CLI's own tools runs with another input instead, which fails and says why. A denied call of another tool, \
         and of every tool of VS Code's extension, ends the whole run, and the model does not hear why.",
        "A script that runs after Bowline's and changes the input takes a denial away: the CLI takes the last input that it is given.",
        "A script that fails or takes too long lets the call run: 30 seconds in VS Code's extension, 120 in the CLI.",
        "The CLI asks nothing when a task begins, and does not report prompts. VS Code's extension takes text for the model there, and \
         a denial of a prompt ends the task.",
    ],
    claude_hooks: ClaudeHooks::Bridge,
    borrows: None,
    registration: Some(&REGISTRATION),
};

/// How Bowline is put into it.
pub const REGISTRATION: Registration = registration::REGISTRATION;

/// The longest text that it gives to the model.
const LONGEST_CONTEXT: usize = 50_000;

/// Whoever cannot say what a call does cannot say how it fails.
fn deny(it: &Unjudged<'_>) -> Option<Answer> {
    let is_gate = matches!(
        it.event?,
        HookEvent::PreToolUse | HookEvent::UserPromptSubmit
    );
    is_gate.then(|| cancel(it.text))
}

fn cancel(reason: &str) -> Answer {
    Answer::line(&json!({"cancel": true, "errorMessage": reason}))
}

/// Whether a call can be run with another input is known of the CLI's own tools.
fn rewrites(reported: &Reported<'_>, _: &Value) -> bool {
    reported.event == HookEvent::PreToolUse && reported.tool.is_some_and(denial::is_known)
}

const fn enforces(event: HookEvent) -> bool {
    matches!(event, HookEvent::PreToolUse)
}

/// Writes silence, or one JSON object.
fn encode(reported: &Reported<'_>, opinion: &Opinion) -> Answer {
    let stops = matches!(opinion.decision(), Decision::Deny | Decision::Ask);
    let context = opinion.additional_context.as_deref();
    match reported.event {
        HookEvent::PreToolUse if stops => deny_call(reported, &with(reason(opinion), context)),
        HookEvent::PreToolUse => run_call(reported, opinion),
        // Only VS Code's extension looks at it.
        HookEvent::UserPromptSubmit if stops => cancel(reason(opinion)),
        // The run is not to end because of what has happened.
        HookEvent::PostToolUse if stops => inform(Some(&with(reason(opinion), context))),
        HookEvent::SessionStart | HookEvent::UserPromptSubmit | HookEvent::PostToolUse => {
            inform(context)
        }
        _ => Answer::default(),
    }
}

fn with(reason: &str, context: Option<&str>) -> String {
    match context {
        Some(context) => format!("{reason}\n{context}"),
        None => reason.to_owned(),
    }
}

fn inform(context: Option<&str>) -> Answer {
    let mut answer = Map::new();
    add_context(&mut answer, context);
    Answer::json(answer)
}

fn add_context(answer: &mut Object, context: Option<&str>) {
    if let Some(context) = context {
        answer.insert("contextModification".to_owned(), context.into());
    }
}

fn deny_call(reported: &Reported<'_>, reason: &str) -> Answer {
    let input = reported.tool.and_then(|tool| denial::input(tool, reason));
    match input {
        Some(input) => Answer::line(&json!({ "overrideInput": input })),
        None => cancel(reason),
    }
}

fn run_call(reported: &Reported<'_>, opinion: &Opinion) -> Answer {
    let mut answer = Map::new();
    match opinion.rewritten_input() {
        Some(input) if input.is_object() && rewrites(reported, input) => {
            let tool = reported.tool.unwrap_or_default();
            answer.insert("overrideInput".to_owned(), input::own(tool, input));
        }
        Some(_) => {
            let reason = "A hook changed what this call would do to something that cannot be run.";
            return deny_call(reported, reason);
        }
        None => {}
    }
    add_context(&mut answer, opinion.additional_context.as_deref());
    Answer::json(answer)
}

/// What the CLI does with an answer.
fn reads(reported: &Reported<'_>, answer: &Answer) -> Option<Reading> {
    // It waits for no script on other events.
    let event = reported.event;
    if !matches!(event, HookEvent::PreToolUse | HookEvent::PostToolUse) {
        return Some(Reading::silence());
    }
    let text = answer.stdout.trim();
    let control = |line: &str| {
        line.trim()
            .strip_prefix("HOOK_CONTROL\t")
            .map(str::to_owned)
    };
    let said = text.lines().filter_map(control).next_back();
    let said = said.as_deref().unwrap_or(text);
    if said.is_empty() {
        return Some(Reading::silence());
    }
    let said: Value = serde_json::from_str(said).ok()?;
    // What is of another type is as if it were not there.
    let text = |name: &str| said.get(name)?.as_str().map(str::to_owned);
    let message = text("errorMessage").filter(|it| !it.trim().is_empty());
    let context = text("context").or_else(|| text("contextModification"));
    if said.get("cancel") == Some(&Value::Bool(true)) {
        return Some(Reading {
            message,
            ..Reading::decided(Decision::Deny, None)
        });
    }
    let context = context.or(message);
    let context = context.map(|text| text.chars().take(LONGEST_CONTEXT).collect());
    let input = said.get("overrideInput").cloned();
    let input = input.filter(|_| event == HookEvent::PreToolUse);
    let told = input.as_ref().zip(reported.tool);
    let told = told.and_then(|(input, tool)| denial::told(tool, input));
    let decision = match told {
        Some(_) => Decision::Deny,
        None => Decision::NoOpinion,
    };
    Some(Reading {
        input: input.filter(|_| told.is_none()),
        context,
        ..Reading::decided(decision, told)
    })
}

#[cfg(test)]
mod tests;
