//! The agents of a user: what each is doing, what it waits for, and how it is shown.

mod status;
mod tmux;

pub use status::{Signal, combined, status_after, waiting_for};
pub use tmux::{
    Colours, PANE_OPTION, Pane, Role, SEGMENT_OPTION, colours, segment_command, segment_reset,
    tmux_commands, tmux_reset,
};

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::effort::EffortId;

/// What an agent is doing. Of several signals the greatest counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AgentStatus {
    /// Its turn is over.
    Done,
    /// It wanted a person, who has looked.
    Checked,
    /// It works on a prompt.
    Working,
    /// It waits for a person.
    Attention,
    /// Something failed.
    Error,
}

/// A process, which is another one if it began at another time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Process {
    /// Its id.
    pub id: u32,
    /// When it began, in ticks since the machine started.
    pub started: u64,
}

/// One agent of the fleet, as it is listed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FleetAgent {
    /// Its name in the fleet: `AGENT_ID`, else the session's name.
    pub id: String,
    /// What it is shown as, if it has a label.
    pub label: Option<String>,
    /// Which program it is (`claude-code`).
    pub agent: String,
    /// The agent's own name for its session.
    pub session: String,
    /// The project's folder.
    pub project: Option<String>,
    /// The folder that it works in, if it differs (a worktree).
    pub worktree: Option<String>,
    /// The folder of its task.
    pub task: Option<String>,
    /// Its effort.
    pub effort: Option<EffortId>,
    /// The effort's number within its task.
    pub ordinal: Option<u32>,
    /// The effort's skill.
    pub skill: Option<String>,
    /// The effort's phase.
    pub phase: Option<String>,
    /// Calls since the last log entry.
    pub heartbeat: Option<u32>,
    /// What it is doing.
    pub status: AgentStatus,
    /// Since when.
    pub since: DateTime<Utc>,
    /// When it was last active.
    pub last_event_at: DateTime<Utc>,
    /// The used part of its context window.
    pub context_usage: Option<f64>,
    /// The last tool call, in a few words.
    pub last_action: Option<String>,
    /// What it waits for.
    pub waiting_for: Option<String>,
    /// Its process, if it is known.
    pub process: Option<Process>,
    /// When its session ended.
    pub ended_at: Option<DateTime<Utc>>,
    /// Why (`gone` if its process ended without a word).
    pub end_reason: Option<String>,
}
