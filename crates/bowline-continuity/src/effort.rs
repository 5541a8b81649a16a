//! Efforts: one go at a task, with one skill, in phases.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The number of an effort's row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct EffortId(pub i64);

/// One go at a task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Effort {
    /// The number of its row.
    pub id: EffortId,
    /// The folder of its task.
    pub task: String,
    /// The project's folder.
    pub project: String,
    /// The skill that it uses (`implement`).
    pub skill: String,
    /// The skill's mode.
    pub mode: Option<String>,
    /// The how-manieth effort of its task it is, from 1.
    pub ordinal: u32,
    /// Whether it goes on.
    pub lifecycle: Lifecycle,
    /// The phase that it is in (`2.1: Build`).
    pub phase: Option<String>,
    /// The phases that it goes through, in order. None: any phase is allowed.
    pub phases: Vec<String>,
    /// Directive files that its sessions have found.
    pub directives: Vec<String>,
    /// Folders that were searched for directives.
    pub directories: Vec<String>,
    /// What steers it.
    pub metadata: Metadata,
    /// When it began.
    pub created_at: DateTime<Utc>,
    /// When it was finished.
    pub finished_at: Option<DateTime<Utc>>,
}

/// Whether an effort goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Lifecycle {
    /// It does.
    Active,
    /// It is finished, for good.
    Finished,
}

/// What steers an effort. Unknown keys are kept.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Metadata {
    /// How many calls without a log entry are allowed; the settings say it if this does not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub block_after: Option<u32>,
    /// The agent is loading files: calls are not counted.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub loading: bool,
    /// The agent is writing its summary: calls are not counted.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub dehydrating: bool,
    /// Rules that fire on figures of the session, as they were written. One that is not understood never fires.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub guards: Vec<Value>,
    /// What the agent is told after its next tool call, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pending_injections: Vec<Injection>,
    /// Everything else.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// Something that an agent is told once.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Injection {
    /// Where it comes from.
    pub rule_id: String,
    /// What it says.
    pub content: String,
}

/// One change of phase.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PhaseChange {
    /// The phase that was entered.
    pub phase: String,
    /// What shows that the last one is done.
    pub proof: Option<String>,
    /// Why the order was left.
    pub reason: Option<String>,
    /// When.
    pub at: DateTime<Utc>,
}
