//! Cursor: the editor, its CLI and its SDK.
//!
//! One shell call is reported by `preToolUse`, by `beforeShellExecution` and, when it is done, by `postToolUse` and `afterShellExecution`. A call can
//! be changed at the first of them only, and asked about at the second only. So Bowline is registered for both, and recognises the second as the
//! same call. What repeats a call and can do no more is left out.
//!
//! Built from the hook runtime in its SDK 1.0.32, which the editor shares, and not tried with the real program.

mod decode;
mod encode;
mod reads;
mod registration;
mod words;

use serde_json::{Value, json};

use crate::agent::{Agent, Borrows, ClaudeHooks, Protocol, Support};
use crate::answer::Answer;
use crate::event::HookEvent;
use crate::last_resort::{LastResort, Unjudged, none};
use crate::registration::Registration;
use crate::reported::Reported;
use crate::spelling::plain;

/// The events on which a question is put to a person.
const ASKING: &[&str] = &["beforeshellexecution", "beforemcpexecution"];

/// What of an input can be changed. It passes over everything else.
const CHANGEABLE: &[&str] = &["command", "cwd", "file_path", "pattern", "url"];

/// Cursor.
pub const AGENT: Agent = Agent {
    name: "cursor",
    title: "Cursor",
    events: words::EVENTS,
    marks: &["CURSOR_AGENT"],
    last_resort: LastResort { ask, deny: none },
    support: Support::Full(PROTOCOL),
};

/// How its events are decided.
pub const PROTOCOL: Protocol = Protocol {
    decode: decode::decode,
    asks,
    rewrites,
    ends_turn: |_| false,
    encode: encode::encode,
    reads: reads::reads,
    enforces,
    repeats: &[
        "beforeShellExecution",
        "beforeMCPExecution",
        "beforeReadFile",
        "afterShellExecution",
        "afterMCPExecution",
        "afterFileEdit",
    ],
    tools: words::TOOLS,
    limits: &[
        "All of this is from the hook runtime in its SDK, and not tried with the real program.",
        "It asks about shell commands and calls of servers. A question about another tool is denied.",
        "Commands, files, patterns and addresses of a call can be changed. A call whose other input was changed is denied.",
        "It does not say to which server a tool belongs: every server is called `unnamed`.",
        "It runs the hooks of Claude Code's settings where the user allows that. Bowline's entry there denies what it would ask, unless Cursor's own \
         entries are there, too.",
        "It goes on by itself at most five times in a row.",
    ],
    project_variable: Some("CURSOR_PROJECT_DIR"),
    claude_hooks: ClaudeHooks::Bridge,
    borrows: Some(Borrows {
        from: &["claude-code"],
        sent: |payload, _| payload.get("cursor_version").is_some(),
    }),
    registration: Some(&REGISTRATION),
};

/// How Bowline is put into its settings.
pub const REGISTRATION: Registration = registration::REGISTRATION;

/// At `preToolUse` it takes a question and passes it over. About shells and servers it is asked at the event that follows, for which Bowline is
/// registered, too; but not in the settings of another agent.
fn asks(reported: &Reported<'_>) -> bool {
    match plain(reported.name).as_str() {
        "pretooluse" => is_asked_later(reported),
        name => ASKING.contains(&name),
    }
}

fn is_asked_later(reported: &Reported<'_>) -> bool {
    let tool = reported.tool.unwrap_or_default();
    let is_reported_again = ["Shell", "Bash"].contains(&tool) || words::is_of_server(tool);
    is_reported_again && reported.entry_of.is_none()
}

/// The other events know no input, and of an input only some fields can be changed.
fn rewrites(reported: &Reported<'_>, input: &Value) -> bool {
    plain(reported.name) == "pretooluse"
        && reported.entry_of.is_none()
        && changes_what_can_be_changed(reported, &words::WORDS.own_input(reported, input))
}

/// Whether all that differs from what the agent said can be changed.
fn changes_what_can_be_changed(reported: &Reported<'_>, input: &Value) -> bool {
    let Some(new) = input.as_object() else {
        return false;
    };
    let was = |name: &str| reported.input.and_then(|input| input.get(name));
    let changed = new
        .iter()
        .filter(|(name, value)| was(name) != Some(*value))
        .map(|(name, _)| name.as_str());
    let old = reported.input.and_then(Value::as_object);
    let gone = old.into_iter().flatten().map(|(name, _)| name.as_str());
    let gone = gone.filter(|name| !new.contains_key(*name));
    changed.chain(gone).all(|name| CHANGEABLE.contains(&name))
}

const fn enforces(event: HookEvent) -> bool {
    matches!(
        event,
        HookEvent::PreToolUse
            | HookEvent::SubagentStart
            | HookEvent::UserPromptSubmit
            | HookEvent::SessionStart
            | HookEvent::Stop
            | HookEvent::SubagentStop
    )
}

fn ask(it: &Unjudged<'_>) -> Option<Answer> {
    ASKING.contains(&plain(it.name).as_str()).then(|| {
        Answer::line(
            &json!({"permission": "ask", "user_message": it.text, "agent_message": it.text}),
        )
    })
}

/// A value that may be written as text.
fn parsed(value: &Value) -> Option<Value> {
    serde_json::from_str(value.as_str()?).ok()
}

#[cfg(test)]
mod tests;
