//! What is handed to the store: one decided event, and what it means for traces, sessions, delegations, efforts and the fleet.

use std::time::Duration;

use bowline::hooks::Decision;
use bowline_continuity::effort::EffortId;
use bowline_continuity::message::Message;
use bowline_continuity::note::Todo;
use chrono::{DateTime, Utc};
use serde::ser::SerializeStruct;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;

use crate::continuity::AgentSignal;
use crate::failures::{FailedCall, FailureRef};
use crate::milliseconds;
use crate::status::{DelegationStatus, TraceStatus};

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

/// How a tool call is found again when it ends.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum CallKey {
    /// By the agent's own id.
    Id(String),
    /// The agent gives no ids: the oldest open call of this tool in the session, preferably with this input.
    Unnamed {
        /// Any number that is the same for the same input.
        digest: Option<u64>,
    },
}

/// What an event means for what is kept.
///
/// A session row exists before anything refers to it: a [`Record`] with a session needs no change for that.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Change {
    /// A session begins. After a compaction or a resume it is the next one of its chain.
    SessionStarted {
        /// Why it starts (`startup`, `resume`, `compact` …).
        source: Option<String>,
        /// The model that it starts with.
        model: Option<String>,
        /// The agent's name of the session that it continues, if the name differs.
        previous: Option<String>,
    },
    /// A session ends; tool calls, prompts and delegations still open in its chain are closed.
    SessionEnded {
        /// Why.
        reason: Option<String>,
        /// How calls that never finished are closed.
        unfinished: Unfinished,
    },
    /// The user gave a prompt; tool calls that follow belong to it.
    PromptGiven {
        /// What it says, if that is kept.
        text: Option<String>,
    },
    /// A tool call begins.
    TraceStarted(TraceStart),
    /// A tool call ended.
    TraceEnded(TraceEnd),
    /// A tool call will never end. One that has already ended stays as it is.
    TraceClosed {
        /// Which one.
        call: CallKey,
        /// How it is closed.
        how: Unfinished,
        /// Why.
        message: Option<String>,
    },
    /// What a tool call did or is about to do to files and repositories, in the format of the hook that reads it later.
    Worked {
        /// The call's id.
        call: String,
        /// What it did.
        work: Value,
    },
    /// A tool call hands work to a sub-agent. Comes with or after its [`Change::TraceStarted`].
    DelegationStarted(DelegationStart),
    /// The record's sub-agent starts to work on the oldest open delegation to its type.
    SubagentStarted,
    /// The record's sub-agent is done.
    DelegationEnded(DelegationEnd),
    /// The record's session works on an effort.
    EffortJoined {
        /// The effort. One that is unknown or finished is not joined.
        effort: EffortId,
        /// The file of the session's transcript.
        transcript: Option<String>,
    },
    /// The record's session made one more call without a log entry.
    HeartbeatCounted,
    /// The record's session logged something.
    HeartbeatReset,
    /// The used part of the session's context window, from 0 to 1.
    ContextUsed {
        /// How much.
        used: f64,
    },
    /// What the session's agent is doing. Signals of sub-agents are about the agent that they work for.
    AgentStatus(AgentSignal),
    /// A message of the session.
    Said(Message),
    /// The session read files.
    FilesLoaded {
        /// Their paths.
        files: Vec<String>,
    },
    /// The session was told to read files.
    FilesPreloaded {
        /// Their paths.
        files: Vec<String>,
        /// Directive files that were found; kept with the effort.
        directives: Vec<String>,
        /// Folders that were searched for them; kept with the effort.
        directories: Vec<String>,
    },
    /// The to-do list of the session, as a whole.
    Todos {
        /// Its entries.
        todos: Vec<Todo>,
    },
    /// The session edited files.
    FilesEdited {
        /// Their paths, the latest last.
        files: Vec<String>,
    },
    /// A part of a transcript was read. It is ignored unless the part before it was the last that was kept, so that each line is kept
    /// once, whoever reads.
    TranscriptRead {
        /// Names the transcript. A file that was replaced needs another name.
        path: String,
        /// Where the part begins.
        from: u64,
        /// Where it ends.
        offset: u64,
        /// What it says; at most 256 messages.
        messages: Vec<Message>,
    },
    /// What a hook remembers from now on.
    Remembered {
        /// Of what.
        of: MemoryOf,
        /// The hook.
        hook: String,
        /// What it remembers, in the format of the hook.
        state: Value,
    },
    /// A tool call failed.
    Failed(FailedCall),
    /// What failed before in the session went well again.
    FailureFixed {
        /// What failed.
        failure: FailureRef,
        /// What put an end to it, if that is kept, without secrets.
        by: Option<String>,
    },
}

/// What a hook remembers something of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MemoryOf {
    /// The record's session and those that continue it. Sub-agents share what their agent has.
    Session,
    /// The record's project.
    Project,
}

/// What a hook remembers of a session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RememberedSession {
    /// The agent's name for the session; of those that continue each other the last one.
    pub session: String,
    /// What the hook remembers, in its own format.
    pub state: Value,
    /// When that was last changed.
    pub at: DateTime<Utc>,
}

/// The reason for the end of a session whose agent's process is gone.
pub const GONE: &str = "gone";

/// The reason why the calls of such a session never ended. Their result is unknown, so they do not count as errors.
pub(crate) const AGENT_ENDED: &str = "the agent's process ended";

/// How something that never finished is closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unfinished {
    /// It was never reported again.
    Timeout,
    /// It was cancelled.
    Cancelled,
    /// It was denied before it ran.
    Denied,
    /// A person or the agent refused it before it ran.
    Refused,
}

impl From<Unfinished> for TraceStatus {
    fn from(how: Unfinished) -> Self {
        match how {
            Unfinished::Timeout => Self::Timeout,
            Unfinished::Cancelled => Self::Cancelled,
            Unfinished::Denied => Self::Denied,
            Unfinished::Refused => Self::Refused,
        }
    }
}

/// The beginning of a tool call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TraceStart {
    /// How it will be found again. A call without an id gets one.
    pub call: CallKey,
    /// The tool.
    pub tool: String,
    /// What it is called with, without secrets.
    pub input: Option<Value>,
    /// The group that it belongs to; by default that of the call that delegated, else of the prompt, else its own.
    #[serde(rename = "trace_id")]
    pub group: Option<String>,
    /// The id of the call that it is part of; by default the one that delegated to the sub-agent.
    pub parent: Option<String>,
    /// What a person is asked about it, without secrets. A call that never runs then was refused.
    #[serde(default)]
    pub asked: Option<String>,
}

impl TraceStart {
    /// A call with only this known about it.
    pub fn new(call: CallKey, tool: impl Into<String>) -> Self {
        Self {
            call,
            tool: tool.into(),
            input: None,
            group: None,
            parent: None,
            asked: None,
        }
    }
}

/// The end of a tool call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TraceEnd {
    /// Which one.
    pub call: CallKey,
    /// The tool.
    pub tool: String,
    /// How it went; with an error message, a completed call counts as failed.
    pub status: TraceStatus,
    /// What it gave, without secrets.
    pub output: Option<Value>,
    /// What went wrong, without secrets.
    pub error: Option<String>,
    /// How long it took, if the agent knows better than the time between its two events.
    pub duration: Option<Duration>,
    /// The sub-agent that continues the work after the call, if the call names it. It may not have been reported yet.
    #[serde(default)]
    pub subagent: Option<String>,
    /// The sub-agent that has finished the work, if the call names it.
    #[serde(default)]
    pub done_by: Option<String>,
}

impl TraceEnd {
    /// An end with only this known about it.
    pub fn new(call: CallKey, tool: impl Into<String>, status: TraceStatus) -> Self {
        Self {
            call,
            tool: tool.into(),
            status,
            output: None,
            error: None,
            duration: None,
            subagent: None,
            done_by: None,
        }
    }
}

/// Work handed to a sub-agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DelegationStart {
    /// The id of the call that hands over; the newest open call of the record's tool if there is none.
    pub call: Option<String>,
    /// The sub-agent's type.
    pub to: String,
    /// What it is to do, in a few words.
    pub description: Option<String>,
}

/// The end of a delegation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DelegationEnd {
    /// How it went.
    pub status: DelegationStatus,
    /// The last thing that the sub-agent said.
    pub last_message: Option<String>,
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
