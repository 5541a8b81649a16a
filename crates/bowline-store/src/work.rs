//! What a session's calls did to files, as it is read back.

use chrono::{DateTime, Utc};
use serde_json::Value;

use crate::status::TraceStatus;

/// One call of a session: the part that shows who made which file.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct PastCall {
    /// The agent's id of the call.
    pub tool_use_id: String,
    /// The tool.
    pub tool: String,
    /// When it began.
    pub started_at: DateTime<Utc>,
    /// When it ended.
    pub ended_at: Option<DateTime<Utc>>,
    /// How it went.
    pub status: TraceStatus,
    /// What it was called with, of tools that read a file.
    pub input: Option<Value>,
    /// What was kept of its work, in order; see [`Change::Worked`](crate::Change::Worked).
    pub work: Vec<Value>,
}
