//! What is handed to the store: one decided event, and what it means for traces, sessions, delegations, efforts and the fleet.

mod change;

use std::time::Duration;

use bowline::hooks::Decision;
use chrono::{DateTime, Utc};
use serde::ser::SerializeStruct;
use serde::{Deserialize, Serialize, Serializer};

use crate::milliseconds;
pub(crate) use change::AGENT_ENDED;
pub use change::{
    CallKey, Change, DelegationEnd, DelegationStart, GONE, MemoryOf, RememberedSession, TraceEnd,
    TraceStart, Unfinished,
};

/// One decided event: what was reported and what was answered.
///
/// The store keeps texts as they are. The caller removes secrets first.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct DecidedEvent {
    /// Names the event among all others; a record whose id is known is ignored.
    ///
    /// An id that begins with the time (a UUID of version 7, or twelve hexadecimal digits of milliseconds since 1970 and
    /// `-`) is recognised wherever it comes from. Any other is recognised together with [`DecidedEvent::time`].
    pub id: String,
    /// When the event was reported.
    pub time: DateTime<Utc>,
    /// Which agent reported it (`claude-code`).
    pub agent: String,
    /// The event's name, as [`HookEvent::name`](bowline::hooks::HookEvent::name) or as the agent called it.
    pub event: String,
    /// The project's folder.
    pub project: Option<String>,
    /// The agent's own name for the session. If it is empty, only the event is kept.
    pub session: String,
    /// The sub-agent that it is about, or that reported it. Only its id is read back.
    #[serde(default, deserialize_with = "subagent::read")]
    pub subagent: Option<Subagent>,
    /// The tool that it is about.
    pub tool: Option<String>,
    /// The agent's id of the tool call.
    pub tool_use_id: Option<String>,
    /// What was answered.
    #[serde(with = "decision")]
    pub decision: Decision,
    /// Why, without secrets.
    pub reason: Option<String>,
    /// The id of the rule from which the decision follows (`git.push-force`).
    #[serde(default)]
    pub rule: Option<String>,
    /// Whether the agent acts on the decision.
    pub enforcement: Enforcement,
    /// How long deciding took.
    #[serde(alias = "duration_ms", with = "milliseconds")]
    pub duration: Duration,
    /// The hooks that fired, in order.
    pub hooks: Vec<HookFired>,
}

/// Where a decided event is written. The forms differ in the sub-agent and the duration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// To the spool, for the store.
    Spool,
    /// To an answer, for clients of the daemon.
    Answer,
}

/// The name under which the answer of a person in Bowline's inbox is among the hooks of an event. No hook of a file has no scope.
pub const INBOX: &str = "inbox";

impl DecidedEvent {
    /// What a person answered in the inbox, and who, when and where.
    pub fn answer(&self) -> Option<&HookFired> {
        let mut hooks = self.hooks.iter();
        hooks.find(|hook| hook.is_answer())
    }

    pub(crate) const FIELDS: usize = 15;

    /// Writes the fields in their order. This is done by hand because each answered call writes a line to the spool, and
    /// serde's `flatten` is slower.
    pub(crate) fn write<S: SerializeStruct>(&self, to: &mut S, form: Form) -> Result<(), S::Error> {
        to.serialize_field("id", &self.id)?;
        to.serialize_field("time", &self.time)?;
        to.serialize_field("agent", &self.agent)?;
        to.serialize_field("event", &self.event)?;
        to.serialize_field("project", &self.project)?;
        to.serialize_field("session", &self.session)?;
        match form {
            Form::Spool => to.serialize_field("subagent", &self.subagent)?,
            Form::Answer => to.serialize_field("subagent", &self.subagent_id())?,
        }
        to.serialize_field("tool", &self.tool)?;
        to.serialize_field("tool_use_id", &self.tool_use_id)?;
        to.serialize_field("decision", decision::as_str(self.decision))?;
        to.serialize_field("reason", &self.reason)?;
        to.serialize_field("rule", &self.rule)?;
        to.serialize_field("enforcement", &self.enforcement)?;
        match form {
            Form::Spool => to.serialize_field("duration", &self.duration)?,
            Form::Answer => to.serialize_field("duration_ms", &milliseconds::of(self.duration))?,
        }
        to.serialize_field("hooks", &self.hooks)
    }

    /// The sub-agent's id.
    pub fn subagent_id(&self) -> Option<&str> {
        self.subagent.as_ref().map(|it| it.id.as_str())
    }
}

/// One decided event with its changes. The store keeps all of it or nothing, and only once.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct Record {
    /// The event.
    #[serde(flatten)]
    pub decided: DecidedEvent,
    /// What the event means for traces, sessions, delegations, efforts and the fleet, in order.
    pub changes: Vec<Change>,
}

impl Serialize for Record {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut fields = to.serialize_struct("Record", DecidedEvent::FIELDS + 1)?;
        self.decided.write(&mut fields, Form::Spool)?;
        fields.serialize_field("changes", &self.changes)?;
        fields.end()
    }
}

impl Record {
    /// A record of an event about which nothing else is known yet.
    pub fn new(
        id: impl Into<String>,
        time: DateTime<Utc>,
        agent: impl Into<String>,
        event: impl Into<String>,
        session: impl Into<String>,
    ) -> Self {
        Self {
            decided: DecidedEvent {
                id: id.into(),
                time,
                agent: agent.into(),
                event: event.into(),
                project: None,
                session: session.into(),
                subagent: None,
                tool: None,
                tool_use_id: None,
                decision: Decision::NoOpinion,
                reason: None,
                rule: None,
                enforcement: Enforcement::Enforced,
                duration: Duration::ZERO,
                hooks: Vec::new(),
            },
            changes: Vec::new(),
        }
    }
}

/// The sub-agent of an event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subagent {
    /// The agent's id of it.
    pub id: String,
    /// Its type; may be empty.
    pub kind: String,
}

/// Whether an agent acts on what was decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Enforcement {
    /// It does.
    Enforced,
    /// It cannot on this event: the decision was shown to the user.
    Unenforced,
    /// Nothing was decided. This is what would have been decided.
    Observed,
}

impl Enforcement {
    /// The word that is stored.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Enforced => "enforced",
            Self::Unenforced => "unenforced",
            Self::Observed => "observed",
        }
    }

    /// The enforcement of a stored word.
    pub(crate) fn parse(word: &str) -> Option<Self> {
        [Self::Enforced, Self::Unenforced, Self::Observed]
            .into_iter()
            .find(|enforcement| enforcement.as_str() == word)
    }
}

/// What one hook did for the event.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct HookFired {
    /// The hook's name.
    pub name: String,
    /// Where it was defined (`project`, `global`, `built-in` …).
    pub scope: Option<String>,
    /// What it decided.
    #[serde(with = "decision")]
    pub decision: Decision,
    /// How long it took, in milliseconds.
    #[serde(
        rename = "duration_ms",
        alias = "duration",
        with = "crate::milliseconds"
    )]
    pub duration: Duration,
    /// What went wrong, without secrets.
    pub failure: Option<String>,
    /// What the person who runs the hooks should know, without secrets.
    #[serde(default)]
    pub warnings: Vec<String>,
    /// Plain text that the hook printed, without secrets.
    #[serde(default)]
    pub message: Option<String>,
}

impl HookFired {
    /// Whether it is the answer of a person in the inbox.
    pub fn is_answer(&self) -> bool {
        self.name == INBOX && self.scope.is_none()
    }
}

/// A sub-agent as the spool or an answer has it.
mod subagent {
    use serde::{Deserialize, Deserializer};

    use super::Subagent;

    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Written {
        Id(String),
        Whole(Subagent),
    }

    pub(super) fn read<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Subagent>, D::Error> {
        let written = Option::<Written>::deserialize(from)?;
        Ok(written.map(|written| match written {
            Written::Id(id) => Subagent {
                id,
                kind: String::new(),
            },
            Written::Whole(subagent) => subagent,
        }))
    }
}

/// A decision by the name that is stored.
pub(crate) mod decision {
    use bowline::hooks::Decision;
    use serde::{Deserialize, Deserializer, Serializer};

    /// The word that is stored.
    pub(crate) const fn as_str(decision: Decision) -> &'static str {
        match decision {
            Decision::NoOpinion => "no_opinion",
            Decision::Grant => "grant",
            Decision::Ask => "ask",
            Decision::Deny => "deny",
        }
    }

    /// The decision of a stored word.
    pub(crate) fn parse(word: &str) -> Option<Decision> {
        [
            Decision::NoOpinion,
            Decision::Grant,
            Decision::Ask,
            Decision::Deny,
        ]
        .into_iter()
        .find(|decision| as_str(*decision) == word)
    }

    #[expect(
        clippy::trivially_copy_pass_by_ref,
        reason = "serde hands over a reference"
    )]
    pub(crate) fn serialize<S: Serializer>(decision: &Decision, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(as_str(*decision))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Decision, D::Error> {
        let word = String::deserialize(from)?;
        parse(&word).ok_or_else(|| serde::de::Error::custom(format!("no decision `{word}`")))
    }
}
