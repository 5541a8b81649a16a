//! What Bowline knows of an agent. All fields are required, so that the compiler names everything that a new one lacks.

use serde_json::Value;

use crate::answer::Answer;
use crate::event::HookEvent;
use crate::last_resort::LastResort;
use crate::opinion::Opinion;
use crate::registration::Registration;
use crate::spelling::Spellings;
use crate::tool::Tool;

/// An agent that reports events.
#[derive(Debug)]
pub struct Agent {
    /// The word by which `bowline-hook`, settings and records name it.
    pub name: &'static str,
    /// Its name, for people.
    pub title: &'static str,
    /// Its events, as it spells them.
    pub events: Spellings,
    /// The variables by which it marks the programs that it starts.
    pub marks: &'static [&'static str],
    /// Its answers if nobody could decide.
    pub last_resort: LastResort,
    /// How much of it works.
    pub support: Support,
}

/// How much of an agent works.
#[derive(Debug)]
pub enum Support {
    /// Its events are decided.
    Full(Protocol),
    /// Its events are refused, in its own words.
    LastResort,
}

/// How an agent's events are decided.
#[derive(Debug)]
pub struct Protocol {
    /// Makes Bowline's own payload of the agent's: `hook_event_name`, `tool_name`, `tool_input` and so on. Every event goes
    /// through here, so it must cost nothing where the two are alike.
    pub(crate) decode: fn(Value) -> Value,
    /// Writes an answer. No opinion is silence; only a grant is ever an "allow".
    pub(crate) encode: fn(HookEvent, &Opinion) -> Answer,
    /// Whether a block on this event has an effect: it prevents, or its reason reaches the model.
    pub(crate) enforces: fn(HookEvent) -> bool,
    /// Its own tools, and what they are. Case does not count.
    pub tools: &'static [(&'static str, Tool)],
    /// The variable by which it names its project's folder.
    pub project_variable: Option<&'static str>,
    /// Who runs the hooks of Claude Code's own files where this agent works.
    pub claude_hooks: ClaudeHooks,
    /// How Bowline is put into its settings; nothing where a program has to start `bowline-hook` by itself.
    pub registration: Option<&'static Registration>,
}

/// Who runs the hooks of Claude Code's own files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ClaudeHooks {
    /// The agent does: we never run them a second time.
    Agent,
    /// Nobody, unless `[bridge]` says that Bowline does.
    Bridge,
}

impl Agent {
    /// How its events are decided, if they are.
    pub const fn protocol(&self) -> Option<&Protocol> {
        match &self.support {
            Support::Full(protocol) => Some(protocol),
            Support::LastResort => None,
        }
    }
}

impl Protocol {
    /// Bowline's own payload for the agent's.
    pub fn decode(&self, payload: Value) -> Value {
        (self.decode)(payload)
    }

    /// Writes an answer for the agent. No opinion is silence; only a grant is ever an "allow".
    pub fn encode(&self, event: HookEvent, output: &Opinion) -> Answer {
        (self.encode)(event, output)
    }

    /// Whether a block on this event has an effect: it prevents, or its reason reaches the model. Elsewhere it is at most
    /// shown to the user.
    pub fn enforces(&self, event: HookEvent) -> bool {
        (self.enforces)(event)
    }
}
