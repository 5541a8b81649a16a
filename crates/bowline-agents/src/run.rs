//! `bowline run`: a program without hooks of its own. What it starts by name is reported for it, as a call of a shell.

use serde_json::{Map, Value, json};

use crate::agent::{Agent, ClaudeHooks, Protocol, Support};
use crate::answer::Answer;
use crate::decision::Decision;
use crate::event::HookEvent;
use crate::last_resort::{LastResort, Unjudged, none};
use crate::opinion::Opinion;
use crate::reading::Reading;
use crate::reported::Reported;

/// The variable that names the folder of a run, for all that is started in it.
pub const RUN_VARIABLE: &str = "BOWLINE_RUN";

/// A program that `bowline run` started.
pub const AGENT: Agent = Agent {
    name: "run",
    title: "`bowline run`",
    events: &[
        ("SessionStart", HookEvent::SessionStart),
        ("PreToolUse", HookEvent::PreToolUse),
        ("PermissionDenied", HookEvent::PermissionDenied),
        ("PostToolUse", HookEvent::PostToolUse),
        ("PostToolUseFailure", HookEvent::PostToolUseFailure),
        ("SessionEnd", HookEvent::SessionEnd),
    ],
    marks: &[RUN_VARIABLE],
    last_resort: LastResort { ask, deny: none },
    support: Support::Full(PROTOCOL),
};

/// How its events are decided.
pub const PROTOCOL: Protocol = Protocol {
    decode: std::convert::identity,
    asks: |_| true,
    rewrites: |_, input| command_of(input).is_some(),
    ends_turn: |_| false,
    encode,
    reads,
    enforces,
    repeats: &[],
    tools: &[],
    limits: &[
        "It sees what a program starts by name, and nothing that the program does itself.",
        "A question is asked at the terminal of the program. Where there is none, the call is denied.",
        "The program reads the reason of a denial on standard error, with exit code 126.",
    ],
    project_variable: None,
    claude_hooks: ClaudeHooks::Bridge,
    borrows: None,
    registration: None,
};

const fn enforces(event: HookEvent) -> bool {
    matches!(event, HookEvent::SessionStart | HookEvent::PreToolUse)
}

/// The command of a call of a shell.
pub fn command_of(input: &Value) -> Option<&str> {
    input.get("command")?.as_str()
}

fn ask(it: &Unjudged<'_>) -> Option<Answer> {
    let asks = it.event == Some(HookEvent::PreToolUse);
    asks.then(|| Answer::line(&json!({"run": "ask", "reason": it.text})))
}

/// Writes silence, or one JSON object.
fn encode(reported: &Reported<'_>, opinion: &Opinion) -> Answer {
    let mut answer = Map::new();
    let mut add = |name: &str, text: &str| answer.insert(name.to_owned(), text.into());
    if enforces(reported.event) {
        match opinion.decision() {
            Decision::NoOpinion | Decision::Grant => {}
            Decision::Ask => drop(add("run", "ask")),
            Decision::Deny => drop(add("run", "deny")),
        }
        if let Some(reason) = &opinion.stop_reason {
            add("reason", reason);
        }
        if let Some(command) = opinion.rewritten_input().and_then(command_of) {
            add("command", command);
        }
    }
    if let Some(message) = &opinion.system_message {
        add("message", message);
    }
    Answer::json(answer)
}

/// What `bowline run` does with an answer.
fn reads(reported: &Reported<'_>, answer: &Answer) -> Option<Reading> {
    let decided = |decision, reason| {
        if enforces(reported.event) {
            Reading::decided(decision, reason)
        } else {
            Reading::silence()
        }
    };
    match answer.exit {
        0 => {}
        2 => {
            let reason = answer.stderr.trim().to_owned();
            return Some(decided(Decision::Deny, Some(reason)));
        }
        _ => return None,
    }
    if answer.stdout.trim().is_empty() {
        return Some(Reading::silence());
    }
    let said: Value = serde_json::from_str(&answer.stdout).ok()?;
    let text = |name: &str| Some(said.get(name)?.as_str()?.to_owned());
    let decision = match text("run").as_deref() {
        None => Decision::NoOpinion,
        Some("ask") => Decision::Ask,
        // Also a word that it does not know.
        Some(_) => Decision::Deny,
    };
    Some(Reading {
        input: text("command").map(|command| json!({"command": command})),
        message: text("message"),
        ..decided(decision, text("reason"))
    })
}
