//! VS Code, where its own harness runs the agent. It has no hooks of its own: it runs those of Copilot and of Claude Code, with a payload in
//! words of its own.
//!
//! Built from its documentation of July to October 2026 and from its source, and not tried with the real program. Where Copilot's harness runs
//! the agent, that is Copilot.

mod encode;
mod reads;
mod words;

use serde_json::Value;

use crate::agent::{Agent, Borrows, ClaudeHooks, Protocol, Support};
use crate::answer::Answer;
use crate::claude_code;
use crate::event::HookEvent;
use crate::last_resort::{LastResort, Unjudged, none};
use crate::reported::Reported;

/// VS Code.
pub(crate) const AGENT: Agent = Agent {
    name: "vscode",
    title: "VS Code",
    events: words::EVENTS,
    marks: &[],
    last_resort: LastResort { ask, deny: none },
    support: Support::Full(PROTOCOL),
};

const PROTOCOL: Protocol = Protocol {
    decode: words::decode,
    asks,
    rewrites,
    ends_turn: |_| true,
    encode: encode::encode,
    reads: reads::reads,
    enforces,
    repeats: &[],
    tools: words::TOOLS,
    limits: &[
        "This is VS Code's own harness, which is called Local. Where Copilot's harness runs the agent, that is Copilot.",
        "It reads the entries of Copilot (`bowline init --agent copilot`) and of Claude Code. Bowline knows by what it sends that it is VS Code.",
        "All of this is from its documentation and its source, and not tried with the real program.",
        "It has no end of a session. The end of a turn is the last that is known of one.",
    ],
    project_variable: None,
    claude_hooks: ClaudeHooks::Agent,
    borrows: Some(Borrows {
        from: &["claude-code", "copilot"],
        sent: |payload, _| sent(payload),
    }),
    registration: None,
};

/// Only it names the event so and nothing else of Claude Code's in that way. Some versions name the event as Claude Code does: those are known
/// by their tools.
fn sent(payload: &Value) -> bool {
    let text = |name: &str| payload.get(name).and_then(Value::as_str);
    let is_event = |name: &str| {
        let named = text(name);
        named.is_some_and(|event| words::EVENTS.iter().any(|(own, _)| *own == event))
    };
    if payload.get("hook_event_name").is_none() {
        return is_event("hookEventName") && payload.get("toolName").is_none();
    }
    let is_own = |tool: &str| words::TOOLS.iter().any(|own| own.name == tool);
    // Grok, whose tools have some of these names, names the event twice.
    let is_named_twice = payload.get("hookEventName").is_some();
    is_event("hook_event_name") && !is_named_twice && text("tool_name").is_some_and(is_own)
}

const fn asks(reported: &Reported<'_>) -> bool {
    matches!(reported.event, HookEvent::PreToolUse)
}

fn rewrites(reported: &Reported<'_>, _: &Value) -> bool {
    let does_several = reported
        .tool
        .is_some_and(|tool| words::SEVERAL.contains(&tool));
    reported.event == HookEvent::PreToolUse && !does_several
}

const fn enforces(event: HookEvent) -> bool {
    matches!(
        event,
        HookEvent::PreToolUse
            | HookEvent::PostToolUse
            | HookEvent::UserPromptSubmit
            | HookEvent::Stop
            | HookEvent::SubagentStop
    )
}

fn ask(it: &Unjudged<'_>) -> Option<Answer> {
    (it.event == Some(HookEvent::PreToolUse)).then(|| claude_code::permission(it, "ask"))
}

#[cfg(test)]
mod tests;
