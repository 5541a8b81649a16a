//! What the sessions of agents do now, as it is read back.

use bowline_continuity::fleet::FleetAgent;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::status::TraceStatus;

/// Calls are counted up to this number, so that no session takes long to be counted: the newest.
pub const MOST_CALLS: u64 = 10_000;
/// The same for those that did not go well: each has to be looked at.
pub const MOST_STOPPED: u64 = 1_000;
/// Of what a call is called with, and of a prompt, at most this many characters are told.
const TOLD: usize = 400;
/// The fields of a tool's input that say most about a call, best first.
pub const TELLING: [&str; 13] = [
    "command",
    "file_path",
    "notebook_path",
    "path",
    "pattern",
    "url",
    "query",
    "source",
    // An agent's own words may not fit what it does, so they come last.
    "description",
    "prompt",
    "subject",
    "skill",
    "name",
];

/// An agent of the fleet, with what its session does. Sessions that continue each other count as one.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Running {
    /// The agent.
    pub agent: FleetAgent,
    /// The model that its session started with.
    pub model: Option<String>,
    /// The last prompt.
    pub prompt: Option<LastPrompt>,
    /// How many calls it made, those of sub-agents included; at most [`MOST_CALLS`].
    pub calls: u64,
    /// How many of them failed, timed out or were cancelled, of the last [`MOST_STOPPED`] that did not go well.
    pub failed: u64,
    /// How many of those were denied.
    pub denied: u64,
    /// The newest of the calls that run.
    pub open: Option<RunningCall>,
    /// The call that began last, and how it went.
    pub last: Option<LastCall>,
}

impl Running {
    /// An agent of which nothing else is known.
    pub const fn new(agent: FleetAgent) -> Self {
        Self {
            agent,
            model: None,
            prompt: None,
            calls: 0,
            failed: 0,
            denied: 0,
            open: None,
            last: None,
        }
    }
}

/// What a user said last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LastPrompt {
    /// The group of the traces that follow from it.
    pub group: String,
    /// How it begins, if it is kept.
    pub text: Option<String>,
}

/// A call that runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunningCall {
    /// What it does.
    pub doing: Doing,
    /// Since when.
    pub since: DateTime<Utc>,
}

/// The call that began last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LastCall {
    /// The agent's id of the call.
    pub tool_use_id: String,
    /// What it was to do.
    pub doing: Doing,
    /// How it went.
    pub status: TraceStatus,
    /// When it began.
    pub started_at: DateTime<Utc>,
    /// When it ended.
    pub ended_at: Option<DateTime<Utc>>,
    /// What went wrong, or why it never ran.
    pub error: Option<String>,
}

/// A tool call in a few words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Doing {
    /// The tool.
    pub tool: String,
    /// What says most about the call, with its line breaks: whoever saw its first line alone would not know that more follows.
    pub what: Option<String>,
}

impl Doing {
    /// The call of a tool with this input.
    pub fn of(tool: &str, input: Option<&Value>) -> Self {
        let told = TELLING
            .iter()
            .find_map(|key| input?.get(*key)?.as_str())
            .map(str::trim)
            .filter(|text| !text.is_empty());
        Self {
            tool: tool.to_owned(),
            what: told.map(beginning),
        }
    }
}

/// As much of a text as is told.
pub(crate) fn beginning(text: &str) -> String {
    match text.char_indices().nth(TOLD) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}
