//! What Bowline knows of an agent. All fields are required, so that the compiler names everything that a new one lacks.

use serde_json::Value;

use crate::answer::Answer;
use crate::claude_code::ClientVersion;
use crate::event::HookEvent;
use crate::last_resort::LastResort;
use crate::opinion::Opinion;
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
    pub registration: Option<Registration>,
}

/// Who runs the hooks of Claude Code's own files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ClaudeHooks {
    /// The agent does: we never run them a second time.
    Agent,
    /// Nobody, unless `[bridge]` says that Bowline does.
    Bridge,
}

/// How Bowline is put into an agent's settings.
#[derive(Debug)]
pub struct Registration {
    /// Its settings files.
    pub files: SettingsFiles,
    /// What they look like.
    pub syntax: SettingsSyntax,
    /// The agent's limit for one hook, in seconds, which `bowline-hook` expects.
    pub timeout: u32,
    /// Whether Bowline is registered for the event with a client of this version.
    pub(crate) registers: fn(HookEvent, ClientVersion) -> bool,
    /// Whether a client of this version starts a program with arguments, without a shell.
    pub(crate) takes_arguments: fn(ClientVersion) -> bool,
    /// Whether a client of this version can be told to block when the hook for the event cannot run.
    pub(crate) can_block: fn(HookEvent, ClientVersion) -> bool,
}

/// Where an agent's settings are.
#[derive(Debug)]
pub struct SettingsFiles {
    /// The user's, in the agent's folder of the user.
    pub user: &'static str,
    /// The project's, in the project.
    pub project: &'static str,
    /// The user's for one project, in the project.
    pub local: &'static str,
}

/// What a settings file looks like, and thus how it is edited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SettingsSyntax {
    /// Claude Code's `settings.json`: `hooks`, by event, in groups with matchers.
    ClaudeJson,
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

impl Registration {
    /// The events that Bowline is registered for with a client of this version.
    pub fn events(&self, client: ClientVersion) -> impl Iterator<Item = HookEvent> {
        let registers = self.registers;
        let all = HookEvent::ALL.iter().copied();
        all.filter(move |event| registers(*event, client))
    }

    /// Whether Bowline is registered for the event with a client of this version.
    pub fn registers(&self, event: HookEvent, client: ClientVersion) -> bool {
        (self.registers)(event, client)
    }

    /// Whether a client of this version starts a program with arguments, without a shell.
    pub fn takes_arguments(&self, client: ClientVersion) -> bool {
        (self.takes_arguments)(client)
    }

    /// Whether a client of this version can be told to block when the hook for the event cannot run.
    pub fn can_block(&self, event: HookEvent, client: ClientVersion) -> bool {
        (self.can_block)(event, client)
    }
}
