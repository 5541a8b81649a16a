//! What Bowline knows of an agent. All fields are required, so that the compiler names everything that a new one lacks.

use std::borrow::Cow;
use std::ffi::OsString;

use serde_json::Value;

use crate::answer::Answer;
use crate::event::HookEvent;
use crate::express;
use crate::json;
use crate::last_resort::LastResort;
use crate::opinion::Opinion;
use crate::patch;
use crate::reading::Reading;
use crate::registration::Registration;
use crate::reported::Reported;
use crate::spelling::Spellings;
use crate::words::OwnTool;

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
    /// Makes Bowline's own payload of the agent's: `hook_event_name`, `tool_name`, `tool_input` and so on, and keeps in `native` what
    /// was translated. Every event goes through here, so it must cost nothing where the two are alike.
    pub(crate) decode: fn(Value) -> Value,
    /// Whether the agent can be made to ask a person about this. Where it cannot, a question is a denial.
    pub(crate) asks: fn(&Reported<'_>) -> bool,
    /// Whether a hook can end the agent's turn on this event. Where it cannot, what could still be stopped is denied.
    pub(crate) ends_turn: fn(HookEvent) -> bool,
    /// Whether the agent runs this call with this input instead, which is in Bowline's words. Where it does not, a call with a
    /// rewritten input is denied.
    pub(crate) rewrites: fn(&Reported<'_>, &Value) -> bool,
    /// Writes an answer. No opinion is silence; only a grant is ever an "allow".
    pub(crate) encode: fn(&Reported<'_>, &Opinion) -> Answer,
    /// What the agent makes of an answer, by its own rules: a small model of the client. `None` if the client takes it for a
    /// failure of the hook.
    pub(crate) reads: fn(&Reported<'_>, &Answer) -> Option<Reading>,
    /// Whether a block on this event has an effect: it prevents, or its reason reaches the model.
    pub(crate) enforces: fn(HookEvent) -> bool,
    /// The events by which it reports a call that it has reported before, as it spells them.
    pub repeats: &'static [&'static str],
    /// Its own tools that are called otherwise than Bowline calls them.
    pub tools: &'static [OwnTool],
    /// The variable by which it names its project's folder.
    pub project_variable: Option<&'static str>,
    /// What people should know about it that no table shows: what it does not enforce, and on what that depends. Each is a sentence.
    pub limits: &'static [&'static str],
    /// Who runs the hooks of Claude Code's own files where this agent works.
    pub claude_hooks: ClaudeHooks,
    /// The settings of other agents in which it finds hooks, too.
    pub borrows: Option<Borrows>,
    /// How Bowline is put into its settings; nothing where a program has to start `bowline-hook` by itself.
    pub registration: Option<&'static Registration>,
}

/// An agent that runs the hooks of other agents' settings. An entry there names another agent than the one that runs it.
#[derive(Debug)]
pub struct Borrows {
    /// The agents whose settings these are.
    pub from: &'static [&'static str],
    /// Whether this agent sent a payload, and not one of those. The variables are those of the program that it started.
    pub(crate) sent: fn(&Value, Variables<'_>) -> bool,
}

/// Looks up a variable of a program's environment.
pub type Variables<'a> = &'a dyn Fn(&str) -> Option<OsString>;

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

/// What agents call the field with what a tool is given.
const GIVEN: [&str; 4] = ["tool_input", "toolInput", "toolArgs", "args"];

impl Protocol {
    /// Bowline's own payload for the agent's. What a tool is given may be written as a text.
    pub fn decode(&self, mut payload: Value) -> Value {
        for name in GIVEN {
            if let Some(given) = payload.get_mut(name) {
                json::read_object(given);
            }
        }
        let mut payload = (self.decode)(payload);
        patch::tell_in_unknown_tool(&mut payload);
        payload
    }

    /// The nearest opinion that the agent can be told about this: the same, or a stricter one that says why.
    pub fn express<'o>(
        &self,
        title: &str,
        reported: &Reported<'_>,
        opinion: &'o Opinion,
    ) -> Cow<'o, Opinion> {
        let asks = || (self.asks)(reported);
        let ends_turn = || (self.ends_turn)(reported.event);
        let rewrites = |input: &Value| (self.rewrites)(reported, input);
        express::within(title, reported.event, opinion, asks, ends_turn, rewrites)
    }

    /// Writes an answer for the agent, to an opinion that was [expressed](Self::express). No opinion is silence; only a grant is
    /// ever an "allow".
    pub fn encode(&self, reported: &Reported<'_>, opinion: &Opinion) -> Answer {
        (self.encode)(reported, opinion)
    }

    /// What the agent makes of an answer, by its own rules. `None` if it takes it for a failure of the hook.
    pub fn reads(&self, reported: &Reported<'_>, answer: &Answer) -> Option<Reading> {
        (self.reads)(reported, answer)
    }

    /// Whether the agent has reported the call of this event before, under another name.
    pub fn repeats(&self, reported: &Reported<'_>) -> bool {
        self.repeats.contains(&reported.name)
    }

    /// Whether a block on this event has an effect: it prevents, or its reason reaches the model. Elsewhere it is at most
    /// shown to the user.
    pub fn enforces(&self, event: HookEvent) -> bool {
        (self.enforces)(event)
    }
}
