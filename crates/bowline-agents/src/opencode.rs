//! OpenCode. It has no hooks that start programs: a plugin that `bowline init` writes runs inside of it, says what happens in OpenCode's
//! words, and does what it is answered.
//!
//! What the plugin says: `event` (as OpenCode calls it), `sessionID`, of a sub-agent also `parentID` (the session that a person
//! began) and `agent` (its kind), `directory`, and what belongs to the event: `tool`, `callID`, `args`, `output`, `metadata`,
//! `prompt`, `text`, `error` and so on.
//!
//! What it is answered is silence, or one object of these:
//!
//! | field | what the plugin does |
//! |---|---|
//! | `deny` | before a tool or a prompt: refuses it with this text; after a tool: adds the text to what the model gets |
//! | `args` | before a tool: runs it with this input |
//! | `output` | after a tool: the model gets this instead |
//! | `context` | gives it to the model: with a prompt at once, of a session with its next prompt, of a tool with its result |
//! | `message` | shows it to the person |
//!
//! Exit code 2 is a `deny` with the text on stderr. Anything else is a failure.

mod decode;
mod registration;

use serde_json::{Map, Value};

use crate::agent::{Agent, ClaudeHooks, Protocol, Support};
use crate::answer::Answer;
use crate::decision::Decision;
use crate::event::HookEvent;
use crate::express::reason;
use crate::last_resort::{LastResort, Unjudged, none};
use crate::opinion::{Opinion, add_text};
use crate::reading::Reading;
use crate::registration::Registration;
use crate::reported::Reported;
use decode::WORDS;

/// OpenCode.
pub const AGENT: Agent = Agent {
    name: "opencode",
    title: "OpenCode",
    events: &[
        ("session.created", HookEvent::SessionStart),
        ("session.compacted", HookEvent::SessionStart),
        ("chat.message", HookEvent::UserPromptSubmit),
        ("tool.execute.before", HookEvent::PreToolUse),
        ("permission.asked", HookEvent::PermissionRequest),
        ("permission.replied", HookEvent::PermissionDenied),
        ("tool.execute.after", HookEvent::PostToolUse),
        ("message.part.updated", HookEvent::PostToolUseFailure),
        ("experimental.session.compacting", HookEvent::PreCompact),
        ("session.idle", HookEvent::Stop),
        ("session.error", HookEvent::StopFailure),
        ("session.deleted", HookEvent::SessionEnd),
        ("dispose", HookEvent::SessionEnd),
    ],
    marks: &["OPENCODE"],
    last_resort: LastResort { ask, deny: none },
    support: Support::Full(PROTOCOL),
};

/// How its events are decided.
pub const PROTOCOL: Protocol = Protocol {
    decode: decode::decode,
    // Its own dialog is about to open then.
    asks: |reported| reported.event == HookEvent::PermissionRequest,
    // Bowline knows a patch by its parts.
    rewrites: |reported, _| {
        reported.event == HookEvent::PreToolUse && reported.tool != Some(decode::PATCH)
    },
    ends_turn: |_| false,
    encode,
    reads,
    enforces,
    repeats: &[],
    tools: decode::TOOLS,
    project_variable: None,
    limits: &[
        "A prompt that is denied ends as an internal error of OpenCode. The reason is shown beside it, but not by `opencode run`.",
        "Text at the start of a session and before a tool call waits in the plugin: the model gets it with its prompt, and with the \
         tool's result.",
        "Experimental code mode calls the tools of servers without telling plugins.",
        "Other plugins may change a call after Bowline has judged it, and `--pure` loads none.",
    ],
    claude_hooks: ClaudeHooks::Bridge,
    borrows: None,
    registration: Some(&REGISTRATION),
};

/// How Bowline is put into it.
pub const REGISTRATION: Registration = registration::REGISTRATION;

/// A plugin cannot make OpenCode ask; only where a dialog comes anyway does silence ask.
fn ask(it: &Unjudged<'_>) -> Option<Answer> {
    (it.event == Some(HookEvent::PermissionRequest)).then(Answer::default)
}

const fn enforces(event: HookEvent) -> bool {
    matches!(
        event,
        HookEvent::PreToolUse | HookEvent::UserPromptSubmit | HookEvent::PostToolUse
    )
}

/// Whether there is a way to the model.
const fn takes_context(event: HookEvent) -> bool {
    matches!(
        event,
        HookEvent::SessionStart
            | HookEvent::SubagentStart
            | HookEvent::UserPromptSubmit
            | HookEvent::PreToolUse
            | HookEvent::PostToolUse
            | HookEvent::PreCompact
    )
}

/// Writes silence, or one JSON object.
fn encode(reported: &Reported<'_>, opinion: &Opinion) -> Answer {
    let event = reported.event;
    let mut answer = Map::new();
    let mut add = |name: &str, value: Value| {
        answer.insert(name.to_owned(), value);
    };
    let mut context = opinion.additional_context.clone();
    let mut message = opinion.system_message.clone();
    let decision = opinion.decision();
    match decision {
        Decision::Deny | Decision::Ask if enforces(event) => {
            let mut denial = Some(reason(opinion).to_owned());
            // What is refused has no result that could bring the context.
            if event != HookEvent::PostToolUse
                && let Some(context) = context.take()
            {
                add_text(&mut denial, &context);
            }
            add("deny", denial.into());
        }
        // A question is asked by its own dialog.
        Decision::Deny | Decision::Ask
            if decision == Decision::Deny || event != HookEvent::PermissionRequest =>
        {
            let name = reported.name;
            let told = format!(
                "A hook blocked {name}, which OpenCode cannot enforce: {}",
                reason(opinion)
            );
            add_text(&mut message, &told);
        }
        Decision::NoOpinion | Decision::Grant if event == HookEvent::PreToolUse => {
            match opinion.rewritten_input() {
                Some(input) if input.is_object() => add("args", WORDS.own_input(reported, input)),
                Some(_) => add(
                    "deny",
                    "A hook rewrote the tool's input to something that is not an object.".into(),
                ),
                None => {}
            }
        }
        _ => {}
    }
    if event == HookEvent::PostToolUse
        && let Some(output) = opinion.event_fields.get("updatedToolOutput")
    {
        let text = output.as_str().map(str::to_owned);
        add("output", text.unwrap_or_else(|| output.to_string()).into());
    }
    if let Some(context) = context.filter(|_| takes_context(event)) {
        add("context", context.into());
    }
    if let Some(message) = message {
        add("message", message.into());
    }
    Answer::json(answer)
}

/// What the plugin does with an answer.
fn reads(reported: &Reported<'_>, answer: &Answer) -> Option<Reading> {
    let event = reported.event;
    let refused = |reason: String| match event {
        HookEvent::PreToolUse | HookEvent::UserPromptSubmit | HookEvent::PostToolUse => {
            Reading::decided(Decision::Deny, Some(reason))
        }
        _ => Reading::silence(),
    };
    match answer.exit {
        0 => {}
        2 => return Some(refused(answer.stderr.trim().to_owned())),
        _ => return None,
    }
    if answer.stdout.trim().is_empty() {
        return Some(Reading::silence());
    }
    let said: Value = serde_json::from_str(&answer.stdout).ok()?;
    let said = said.as_object()?;
    // One field of another type voids the whole answer.
    let text = |name: &str| match said.get(name) {
        None => Some(None),
        Some(Value::String(text)) => Some(Some(text.clone())),
        Some(_) => None,
    };
    let args = match said.get("args") {
        None => None,
        Some(args @ Value::Object(_)) => Some(args.clone()),
        Some(_) => return None,
    };
    let (deny, context, output) = (text("deny")?, text("context")?, text("output")?);
    let base = deny.map_or_else(Reading::silence, refused);
    let is_denied = base.decision == Decision::Deny && event != HookEvent::PostToolUse;
    let context = context.filter(|_| takes_context(event) && !is_denied);
    let output = output.filter(|_| event == HookEvent::PostToolUse);
    let to_model: Vec<String> = [output, context].into_iter().flatten().collect();
    Some(Reading {
        input: args.filter(|_| event == HookEvent::PreToolUse && !is_denied),
        context: (!to_model.is_empty()).then(|| to_model.join("\n")),
        message: text("message")?,
        ..base
    })
}

#[cfg(test)]
mod tests;
