//! Tool calls and decided events as they are read back.

use chrono::{DateTime, Utc};
use serde::ser::SerializeStruct;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;

use crate::record::{DecidedEvent, Form};
use crate::status::TraceStatus;

/// One tool call, from start to end.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Trace {
    /// The agent's id of the call, or one that was generated.
    pub tool_use_id: String,
    /// The group that it belongs to: usually everything that followed from one prompt.
    #[serde(rename = "trace_id")]
    pub group: String,
    /// The agent's name of the session.
    pub session: String,
    /// The number of the session's row; see [`SessionRef::Row`].
    pub session_row: i64,
    /// The agent.
    pub agent: String,
    /// The project's folder.
    pub project: Option<String>,
    /// The sub-agent that made the call.
    pub subagent: Option<String>,
    /// The tool.
    pub tool: String,
    /// What it was called with.
    pub input: Option<Value>,
    /// What the agent itself says for the tool and its input, where it has other words: an object with `tool` and `input`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub native: Option<Value>,
    /// What it gave.
    pub output: Option<Value>,
    /// When it began.
    pub started_at: DateTime<Utc>,
    /// When it ended.
    pub ended_at: Option<DateTime<Utc>>,
    /// How long it took, in milliseconds.
    pub duration_ms: Option<i64>,
    /// How it went.
    pub status: TraceStatus,
    /// What went wrong, or why it never ran.
    pub error: Option<String>,
    /// What a person is asked about it, while nobody knows the answer.
    #[serde(default)]
    pub asked: Option<String>,
    /// The id of the call that it is part of.
    pub parent: Option<String>,
    /// The number of the trace among all, in the order in which they were recorded.
    #[serde(skip)]
    pub(crate) row: i64,
    #[serde(skip)]
    pub(crate) parent_row: Option<i64>,
}

impl Trace {
    /// What the agent itself calls the tool, where it calls it otherwise.
    pub fn native_tool(&self) -> Option<&str> {
        self.native.as_ref()?.get("tool")?.as_str()
    }

    /// What the agent itself gave the tool, where it has other words for it.
    pub fn native_input(&self) -> Option<&Value> {
        self.native.as_ref()?.get("input")
    }
}

/// Which sessions are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionRef<'a> {
    /// Every session under the agent's name for it, with what it continues, what continues it, and its sub-agents.
    Chain(&'a str),
    /// The same, by the beginning of the name if no session has exactly this name.
    Beginning(&'a str),
    /// One session (one context window), by the number of its row.
    Row(i64),
}

/// Which statuses are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StatusFilter {
    /// One.
    Is(TraceStatus),
    /// Every one that counts as an error. Calls that never ended because their agent's process exited do not count.
    AnyError,
    /// Any of several.
    AnyOf(StatusSet),
}

impl StatusFilter {
    /// Whether a status is meant.
    pub const fn contains(self, status: TraceStatus) -> bool {
        match self {
            Self::Is(wanted) => wanted as u8 == status as u8,
            Self::AnyError => status.is_error(),
            Self::AnyOf(wanted) => wanted.0 & StatusSet::bit(status) != 0,
        }
    }

    /// Every status that is meant.
    pub fn statuses(self) -> impl Iterator<Item = TraceStatus> {
        let all = TraceStatus::ALL.into_iter();
        all.filter(move |status| self.contains(*status))
    }
}

/// Several statuses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StatusSet(u8);

impl StatusSet {
    const fn bit(status: TraceStatus) -> u8 {
        1 << status as u8
    }
}

impl FromIterator<TraceStatus> for StatusSet {
    fn from_iter<I: IntoIterator<Item = TraceStatus>>(statuses: I) -> Self {
        let bits = statuses.into_iter().map(Self::bit);
        Self(bits.fold(0, |set, bit| set | bit))
    }
}

/// Which traces are wanted, newest first. `None` matches all.
#[derive(Debug, Clone, PartialEq)]
pub struct TraceFilter<'a> {
    /// Of these sessions.
    pub session: Option<SessionRef<'a>>,
    /// Of this agent.
    pub agent: Option<&'a str>,
    /// Of this tool.
    pub tool: Option<&'a str>,
    /// With this status.
    pub status: Option<StatusFilter>,
    /// Begun at this time or later.
    pub since: Option<DateTime<Utc>>,
    /// Begun before this time.
    pub before: Option<DateTime<Utc>>,
    /// Of this project's folder.
    pub project: Option<&'a str>,
    /// At most this many.
    pub limit: usize,
}

impl Default for TraceFilter<'_> {
    fn default() -> Self {
        Self {
            session: None,
            agent: None,
            tool: None,
            status: None,
            since: None,
            before: None,
            project: None,
            limit: 100,
        }
    }
}

/// Statistics of several traces.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct TraceStatistics {
    /// By tool, most used first.
    pub tools: Vec<ToolStatistics>,
    /// How many traces were read: the newest.
    pub looked_at: usize,
    /// Whether there are more, older ones.
    pub more: bool,
}

/// Statistics of one tool's calls.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolStatistics {
    /// The tool.
    pub tool: String,
    /// How many calls.
    pub count: usize,
    /// How many of them failed, timed out or were cancelled.
    pub errors: usize,
    /// Half of the calls took at most this, in milliseconds.
    pub p50_ms: Option<i64>,
    /// 99 of 100 calls took at most this, in milliseconds.
    pub p99_ms: Option<i64>,
}

/// A decided event as it is read back.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct RecordedEvent {
    /// The event.
    #[serde(flatten)]
    pub decided: DecidedEvent,
    /// What the call was called with, where events are listed.
    #[serde(default)]
    pub input: Option<Value>,
    /// The prompt that the event gives, where events are listed.
    #[serde(default)]
    pub prompt: Option<String>,
    /// Its number among all, which follows its time. No other event has it; see [`EventFilter::older_than`]. It is not in JSON.
    #[serde(skip)]
    pub number: i64,
}

impl Serialize for RecordedEvent {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut fields = to.serialize_struct("RecordedEvent", DecidedEvent::FIELDS + 2)?;
        self.decided.write(&mut fields, Form::Answer)?;
        fields.serialize_field("input", &self.input)?;
        fields.serialize_field("prompt", &self.prompt)?;
        fields.end()
    }
}

/// Which decisions are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DecisionFilter {
    /// Nothing was decided.
    Nothing,
    /// Permitted.
    Grant,
    /// Asked.
    Ask,
    /// Denied.
    Deny,
    /// What would have been decided.
    Observed,
}

impl DecisionFilter {
    /// Every one.
    pub const ALL: [Self; 5] = [
        Self::Deny,
        Self::Ask,
        Self::Grant,
        Self::Observed,
        Self::Nothing,
    ];

    /// The word for it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Nothing => "nothing",
            Self::Grant => "grant",
            Self::Ask => "ask",
            Self::Deny => "deny",
            Self::Observed => "observed",
        }
    }
}

/// Which decided events are wanted, newest first. `None` and empty lists match all.
#[derive(Debug, Clone, PartialEq)]
pub struct EventFilter<'a> {
    /// Decided like one of these.
    pub decisions: &'a [DecisionFilter],
    /// Reported at this time or later.
    pub since: Option<DateTime<Utc>>,
    /// Reported before this time.
    pub before: Option<DateTime<Utc>>,
    /// Listed after the event of this number. Unlike a time it also tells events of one millisecond apart.
    pub older_than: Option<i64>,
    /// Of this project's folder.
    pub project: Option<&'a str>,
    /// Of these sessions.
    pub session: Option<SessionRef<'a>>,
    /// Reported by this agent.
    pub agent: Option<&'a str>,
    /// Of this name, in any case.
    pub event: Option<&'a str>,
    /// About this tool, in any case.
    pub tool: Option<&'a str>,
    /// Decided by this rule; `*` stands for anything.
    pub rule: Option<&'a str>,
    /// At most this many.
    pub limit: usize,
}

impl Default for EventFilter<'_> {
    fn default() -> Self {
        Self {
            decisions: &[],
            since: None,
            before: None,
            older_than: None,
            project: None,
            session: None,
            agent: None,
            event: None,
            tool: None,
            rule: None,
            limit: 50,
        }
    }
}

/// The value that `percent` of a hundred sorted values do not exceed.
pub(crate) fn percentile<T: Copy>(sorted: &[T], percent: usize) -> Option<T> {
    let rank = (sorted.len() * percent).div_ceil(100).max(1);
    sorted.get(rank - 1).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_values_that_occurred() {
        let hundred: Vec<u32> = (1..=100).collect();
        for (values, percent, expected) in [
            (&hundred[..], 50, Some(50)),
            (&hundred[..], 99, Some(99)),
            (&hundred[..], 100, Some(100)),
            (&hundred[..1], 50, Some(1)),
            (&hundred[..2], 99, Some(2)),
            (&hundred[..0], 50, None),
        ] {
            assert_eq!(percentile(values, percent), expected);
        }
    }
}
