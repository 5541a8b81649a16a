//! What happened in a period, counted.

use bowline::hooks::Decision;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::record::{Enforcement, decision};
use crate::status::TraceStatus;
use crate::trace::{RecordedEvent, Trace};

/// Which period, and where.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DigestFilter<'a> {
    /// From this time on.
    pub since: Option<DateTime<Utc>>,
    /// Of this project's folder.
    pub project: Option<&'a str>,
}

/// What happened in a period.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Digest {
    /// How many events were decided.
    pub events: u64,
    /// How many sessions they came from; those that continue each other are one.
    pub sessions: u64,
    /// How many calls there were, by how they went.
    pub calls: Vec<StatusCount>,
    /// How many of them failed, timed out or were cancelled. A call whose agent was killed is none of them.
    #[serde(default)]
    pub failed: u64,
    /// What was decided, or would have been, by rule; the most frequent first.
    pub decided: Vec<RuleDigest>,
    /// The calls that failed, timed out or were cancelled, by tool; the most frequent first.
    pub failures: Vec<ToolFailures>,
    /// The calls that took longest, without what they gave.
    pub slowest: Vec<Trace>,
    /// The hooks that failed; the most frequent first.
    pub failed_hooks: Vec<FailedHook>,
}

/// How many calls went like this.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct StatusCount {
    /// How they went.
    pub status: TraceStatus,
    /// How many.
    pub count: u64,
}

/// What one rule decided.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RuleDigest {
    /// What was decided.
    #[serde(with = "decision")]
    pub decision: Decision,
    /// Whether it counted.
    pub enforcement: Enforcement,
    /// The rule; `None` for hooks, which have none.
    pub rule: Option<String>,
    /// How often.
    pub count: u64,
    /// What people answered, if they were asked.
    pub answers: AnswerCount,
    /// The newest of these events.
    pub last: RecordedEvent,
}

/// What people answered to questions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnswerCount {
    /// So many calls ran then.
    pub ran: u64,
    /// So many never did.
    pub refused: u64,
    /// Of so many it is not known: nobody has answered yet, or no end was reported.
    pub unknown: u64,
}

/// The calls of a tool that failed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolFailures {
    /// The tool.
    pub tool: String,
    /// How many.
    pub count: u64,
    /// The newest of them, without what it gave.
    pub last: Trace,
}

/// A hook that failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailedHook {
    /// Its name.
    pub hook: String,
    /// How often.
    pub count: u64,
    /// When it failed last.
    pub last_failed: DateTime<Utc>,
    /// How it failed then.
    pub failure: String,
}
