//! What an event means for traces, sessions, delegations, efforts and the fleet.

use std::time::Duration;

use bowline_continuity::effort::EffortId;
use bowline_continuity::message::Message;
use bowline_continuity::note::Todo;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::continuity::AgentSignal;
use crate::failures::{FailedCall, FailureRef};
use crate::status::{DelegationStatus, TraceStatus};

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
/// A session row exists before anything refers to it: a [`Record`](crate::Record) with a session needs no change for that.
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
    /// What the agent itself says for these, where it has other words: an object with `tool` and `input`, without secrets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub native: Option<Value>,
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
            native: None,
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
