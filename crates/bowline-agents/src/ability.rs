//! What an agent can be told, event by event. Nothing of it is written down anywhere: it follows from what Bowline writes and from how the
//! agent reads it.

use serde_json::{Map, Value, json};

use crate::agent::{Agent, Protocol};
use crate::decision::Decision;
use crate::event::HookEvent;
use crate::opinion::Opinion;
use crate::reading::Reading;
use crate::reported::{NATIVE, Reported};

/// Something that a hook may say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Said {
    /// Do not go on; where the agent was about to end its turn, go on.
    Deny,
    /// Let a person decide.
    Ask,
    /// Go on without asking.
    Grant,
    /// Go on with another input.
    Rewrite,
    /// Text for the model.
    Context,
}

/// What becomes of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Heard {
    /// The agent does not report the event.
    NoEvent,
    /// It is not told, or makes no difference.
    Nothing,
    /// It is denied instead.
    Denied,
    /// It is done.
    Done,
}

impl Heard {
    /// In a word, for people.
    pub const fn word(self) -> &'static str {
        match self {
            Self::NoEvent => "",
            Self::Nothing => "no",
            Self::Denied => "denied instead",
            Self::Done => "yes",
        }
    }
}

const TEXT: &str = "why";

/// What becomes of something that a hook says about an event of this agent. Where the agent reports the event under several names, the
/// best of them counts.
pub fn heard(agent: &Agent, event: HookEvent, said: Said) -> Heard {
    let Some(protocol) = agent.protocol() else {
        return Heard::NoEvent;
    };
    let names = agent.events.iter().filter(|(_, it)| *it == event);
    let heard = names.map(|(name, _)| heard_as(agent, protocol, name, said));
    heard.max().unwrap_or(Heard::NoEvent)
}

fn heard_as(agent: &Agent, protocol: &Protocol, name: &str, said: Said) -> Heard {
    let payload = protocol.decode(shell_call(protocol, name));
    let event = payload.get("hook_event_name").and_then(Value::as_str);
    let Some(event) = event.and_then(HookEvent::from_name) else {
        return Heard::Nothing;
    };
    let tool = payload.get("tool_name").and_then(Value::as_str);
    let reported = Reported::decoded(
        event,
        payload.get(NATIVE),
        (tool, payload.get("tool_input")),
    )
    .in_mode(payload.get("permission_mode").and_then(Value::as_str));
    let opinion = match said {
        Said::Deny => Opinion::block(TEXT),
        Said::Ask => Opinion::ask(TEXT),
        Said::Grant => Opinion::grant(),
        Said::Rewrite => Opinion::allow().updated_input(json!({"command": "make -n"})),
        Said::Context => Opinion::allow().context(TEXT),
    };
    let expressed = protocol.express(agent.title, &reported, &opinion);
    let answer = protocol.encode(&reported, &expressed);
    let read = protocol.reads(&reported, &answer).unwrap_or_default();
    heard_in(&read, said)
}

fn heard_in(read: &Reading, said: Said) -> Heard {
    let is_done = match said {
        Said::Deny => read.decision == Decision::Deny,
        Said::Ask => read.decision == Decision::Ask,
        Said::Grant => read.decision == Decision::Grant,
        Said::Rewrite => read.input.is_some(),
        Said::Context => read.context.is_some(),
    };
    match read.decision {
        _ if is_done => Heard::Done,
        Decision::Deny => Heard::Denied,
        _ => Heard::Nothing,
    }
}

/// An event of this name as the agent would report it in its usual mode, with a call of its shell.
fn shell_call(protocol: &Protocol, name: &str) -> Value {
    let shell = protocol.tools.iter().find(|tool| tool.is == "Bash");
    let own_field = shell.and_then(|tool| tool.fields.iter().find(|(_, is)| *is == "command"));
    let field = own_field.map_or("command", |(own, _)| own);
    let mut input = Map::new();
    input.insert(field.to_owned(), "make".into());
    json!({
        "session_id": "s", "cwd": "/", "permission_mode": "default", "hook_event_name": name,
        "tool_name": shell.map_or("Bash", |tool| tool.name), "tool_input": input,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::named;

    #[test]
    fn what_is_said_follows_from_what_is_written_and_how_it_is_read() {
        for (agent, event, said, expected) in [
            (
                "claude-code",
                HookEvent::PreToolUse,
                Said::Deny,
                Heard::Done,
            ),
            ("claude-code", HookEvent::PreToolUse, Said::Ask, Heard::Done),
            (
                "claude-code",
                HookEvent::PreToolUse,
                Said::Rewrite,
                Heard::Done,
            ),
            ("claude-code", HookEvent::Stop, Said::Deny, Heard::Done),
            (
                "claude-code",
                HookEvent::SessionEnd,
                Said::Deny,
                Heard::Nothing,
            ),
            (
                "claude-code",
                HookEvent::PreCompact,
                Said::Context,
                Heard::Done,
            ),
            ("generic", HookEvent::PreToolUse, Said::Grant, Heard::Done),
        ] {
            let agent = named(agent).unwrap();
            let found = heard(agent, event, said);
            assert_eq!(found, expected, "{} {event} {said:?}", agent.name);
        }
    }
}
