//! The part of a session that belongs to an effort.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::effort::EffortId;

/// At most this many files may be named in a hand-over.
pub const MAX_REQUIRED_FILES: usize = 8;

/// A session within an effort.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SessionState {
    /// The number of the session's row.
    pub session: i64,
    /// The session of the same effort that it continues.
    pub previous: Option<i64>,
    /// The effort.
    pub effort: EffortId,
    /// How many calls were made since the last log entry.
    pub heartbeat: u32,
    /// The used part of the context window, from 0 to 1.
    pub context_usage: Option<f64>,
    /// Files that the agent has read.
    pub loaded_files: Vec<String>,
    /// Files that the agent was told to read.
    pub preloaded_files: Vec<String>,
    /// What it left for the next session.
    pub dehydrated: Option<Dehydrated>,
}

impl SessionState {
    /// A session that has just come to an effort. Its row is not known yet.
    pub fn new(effort: EffortId) -> Self {
        Self {
            session: 0,
            previous: None,
            effort,
            heartbeat: 0,
            context_usage: None,
            loaded_files: Vec::new(),
            preloaded_files: Vec::new(),
            dehydrated: None,
        }
    }
}

/// What a session leaves for the next one of its effort.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Dehydrated {
    /// What was done and found.
    pub summary: String,
    /// What was done last.
    pub last_action: Option<String>,
    /// What comes next, in order.
    pub next_steps: Vec<String>,
    /// How to go on.
    pub handover_instructions: Option<String>,
    /// What the user said that matters.
    pub user_history: Option<String>,
    /// Files to read first; at most [`MAX_REQUIRED_FILES`].
    pub required_files: Vec<String>,
    /// Everything else that the agent gave.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}
