//! Sessions, prompts and delegations as they are read back.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::status::{DelegationStatus, SessionStatus};

/// One context window of an agent, or the life of one sub-agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Session {
    /// The number of its row.
    pub row: i64,
    /// The agent's name for it. Sub-agents share the name of the session in which they work.
    pub session: String,
    /// The agent.
    pub agent: String,
    /// The project's folder.
    pub project: Option<String>,
    /// The session that it continues.
    pub previous: Option<i64>,
    /// The session that a sub-agent works for.
    pub parent: Option<i64>,
    /// The sub-agent's id.
    pub subagent: Option<String>,
    /// The sub-agent's type.
    pub subagent_kind: Option<String>,
    /// Its status.
    pub status: SessionStatus,
    /// Why it started.
    pub source: Option<String>,
    /// The model that it started with.
    pub model: Option<String>,
    /// When it began, or was first seen.
    pub started_at: DateTime<Utc>,
    /// When it was last active; up to a second behind while events arrive.
    pub last_event_at: DateTime<Utc>,
    /// When it ended.
    pub ended_at: Option<DateTime<Utc>>,
    /// Why it ended.
    pub end_reason: Option<String>,
    /// How many events it reported.
    pub events: i64,
}

/// The summary of a session and of those that it continues.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SessionSummary {
    /// The newest of the chain, with the start time of the first.
    #[serde(flatten)]
    pub newest: Session,
    /// What the user said first, if it is kept.
    pub first_prompt: Option<String>,
    /// How many tool calls were made, those of sub-agents included; at most [`MOST_CALLS`](crate::MOST_CALLS).
    pub calls: i64,
    /// How many of them failed, timed out or were cancelled.
    pub errors: i64,
    /// How many of them were denied.
    pub denied: i64,
}

/// Which sessions are wanted, the last active first. `None` matches all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionFilter<'a> {
    /// Of this project's folder.
    pub project: Option<&'a str>,
    /// Active at this time or later.
    pub since: Option<DateTime<Utc>>,
    /// At most this many.
    pub limit: usize,
}

impl Default for SessionFilter<'_> {
    fn default() -> Self {
        Self {
            project: None,
            since: None,
            limit: 100,
        }
    }
}

/// Everything about the sessions of one chain, oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionDetails {
    /// The sessions, and those of their sub-agents.
    pub sessions: Vec<Session>,
    /// What the user said.
    pub prompts: Vec<Prompt>,
    /// What was handed to sub-agents.
    pub delegations: Vec<Delegation>,
}

/// What a user said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Prompt {
    /// The group of the traces that follow from it.
    #[serde(rename = "trace_id")]
    pub group: String,
    /// The number of the session's row.
    pub session_row: i64,
    /// When.
    pub time: DateTime<Utc>,
    /// What, if it is kept.
    pub text: Option<String>,
}

/// Work handed to a sub-agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Delegation {
    /// The number of the row of the session that handed over.
    pub session_row: i64,
    /// The id of the tool call that handed over.
    pub call: Option<String>,
    /// Who handed over: the agent, or the id of a sub-agent.
    pub from: String,
    /// The sub-agent's type.
    pub to: String,
    /// The sub-agent's id.
    pub subagent: Option<String>,
    /// What it is to do.
    pub description: Option<String>,
    /// Its status.
    pub status: DelegationStatus,
    /// When it was handed over.
    pub started_at: DateTime<Utc>,
    /// When it ended.
    pub ended_at: Option<DateTime<Utc>>,
    /// The last thing that the sub-agent said.
    pub last_message: Option<String>,
}
