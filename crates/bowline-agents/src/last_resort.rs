//! The answers of last resort, when nobody could decide: in which form an agent is asked and denied, and the effect of a block.
//!
//! `bowline-wire` has the modes (open, ask, closed) that choose between them. The client links this and nothing else of an
//! agent, which is why the registry keeps it in a table of its own.

use crate::answer::Answer;
use crate::event::{EventClass, HookEvent};
use crate::registry;
use crate::spelling::{find, find_anywhere};

/// The forms of one agent. There is none for letting something pass: that is silence.
#[derive(Debug, Clone, Copy)]
pub struct LastResort {
    /// Lets the person decide. Nothing unless the agent is known to follow it on that event; silence where a dialog is about
    /// to open anyway.
    pub(crate) ask: Form,
    /// Denies. Nothing where exit code 2 does, which nearly every agent follows.
    pub(crate) deny: Form,
}

/// Writes an answer for an event, if the agent has this form for it.
pub(crate) type Form = fn(&Unjudged<'_>) -> Option<Answer>;

/// An event that could not be judged.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Unjudged<'a> {
    /// The event, if the agent has one of this name.
    pub(crate) event: Option<HookEvent>,
    /// The name that the agent calls it by.
    pub(crate) name: &'a str,
    /// Why, for the person.
    pub(crate) text: &'a str,
}

/// No such form.
pub(crate) fn none(_: &Unjudged<'_>) -> Option<Answer> {
    None
}

/// The effect of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stake {
    /// Something runs, or a model is switched.
    Action,
    /// Something else continues.
    Gate,
    /// The agent would go on instead of ending its turn.
    Turn,
    /// It is too late, or was never possible.
    Nothing,
}

impl Stake {
    /// The effect of a block on this event.
    pub const fn of(event: HookEvent) -> Self {
        match event {
            HookEvent::PreToolUse | HookEvent::PermissionRequest | HookEvent::PreModelSwitch => {
                Self::Action
            }
            HookEvent::Stop | HookEvent::SubagentStop | HookEvent::TeammateIdle => Self::Turn,
            event => match event.class() {
                EventClass::Gate => Self::Gate,
                EventClass::Redirect | EventClass::Observe => Self::Nothing,
            },
        }
    }

    /// The effect of a block on an event by an agent's name for it. An unknown agent may spell it as any other
    /// does; a name that no agent has is at stake for nothing.
    pub fn of_name(agent: &str, event: &str) -> Self {
        let own = registry::last_resort(agent).and_then(|it| find(event, it.events));
        let event = own.or_else(|| find_anywhere(event));
        event.map_or(Self::Nothing, Self::of)
    }
}

/// An agent's way to let the person decide about the event that it calls so.
pub fn ask(agent: &str, event: &str, text: &str) -> Option<Answer> {
    let agent = registry::last_resort(agent)?;
    (agent.forms.ask)(&agent.unjudged(event, text))
}

/// An agent's own way to deny the event that it calls so, where it has one.
pub fn deny(agent: &str, event: &str, text: &str) -> Option<Answer> {
    let agent = registry::last_resort(agent)?;
    (agent.forms.deny)(&agent.unjudged(event, text))
}

/// What the table of last resorts has of an agent.
pub(crate) struct Row {
    pub(crate) name: &'static str,
    pub(crate) events: crate::spelling::Spellings,
    pub(crate) forms: LastResort,
}

impl Row {
    fn unjudged<'a>(&self, name: &'a str, text: &'a str) -> Unjudged<'a> {
        Unjudged {
            event: find(name, self.events),
            name,
            text,
        }
    }
}
