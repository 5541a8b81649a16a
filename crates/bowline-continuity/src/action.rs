//! What is asked of the store, and what it gives back.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::effort::{Effort, EffortId, PhaseChange};
use crate::note::{Note, Todo};
use crate::session::{Dehydrated, SessionState};
use crate::task::{Task, TaskState};

/// Who asks: everything by which an effort and a session are found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Who {
    /// Where the agent is: a project's folder, or below one.
    pub folder: String,
    /// The project's folder, if it is known; it covers worktrees, too.
    pub project: Option<String>,
    /// `AGENT_ID`, unless it is empty or `default`.
    pub agent_id: Option<String>,
    /// The agent's own name for its session.
    pub session: Option<String>,
    /// The sub-agent's id.
    pub subagent: Option<String>,
}

/// What was found. Every part may be missing; nothing is an error.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Resolved {
    /// The registered project's folder.
    pub project: Option<String>,
    /// The effort.
    pub effort: Option<Effort>,
    /// The open session of the effort.
    pub session: Option<SessionState>,
}

/// An effort to be begun.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EffortStart {
    /// Who begins it. The session and the agent are bound to it.
    pub who: Who,
    /// The project's folder.
    pub project: String,
    /// The task's folder.
    pub task: String,
    /// The task's title, where the task is new.
    pub title: Option<String>,
    /// The skill.
    pub skill: String,
    /// Its mode.
    pub mode: Option<String>,
    /// The skill's phases.
    pub phases: Vec<String>,
}

/// An effort that was begun or taken up again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Begun {
    /// The effort.
    pub effort: Effort,
    /// Whether it existed before.
    pub how: How,
    /// What an earlier session left, which the session that takes it up gets and no other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left: Option<Dehydrated>,
}

/// Whether an effort is new.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum How {
    /// It is.
    Started,
    /// It was active already.
    Resumed,
}

/// An effort with everything that is shown of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EffortDetails {
    /// The effort.
    pub effort: Effort,
    /// Its sessions, oldest first.
    pub sessions: Vec<SessionState>,
    /// Its changes of phase, oldest first.
    pub history: Vec<PhaseChange>,
    /// Its notes, oldest first.
    pub notes: Vec<Note>,
}

/// A task with its efforts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TaskSummary {
    /// The task.
    pub task: Task,
    /// Whether somebody works on it.
    pub state: TaskState,
    /// Its efforts, oldest first.
    pub efforts: Vec<Effort>,
}

/// A change of phase to be made.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PhaseRequest {
    /// The phase (`2.1: Build`, or its label alone).
    pub to: String,
    /// What shows that the last one is done.
    pub proof: Option<String>,
    /// Why the order is left.
    pub reason: Option<String>,
}

/// What a session that begins is told, before it is cut to size.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HandOver {
    /// The effort that it continues.
    pub effort: Option<Effort>,
    /// What the session before left, which this session gets and no other.
    pub dehydrated: Option<Dehydrated>,
    /// Pinned notes, oldest first: those of the project, then of the effort.
    pub notes: Vec<Note>,
    /// Which session the last prompt, the to-dos and the edited files are of.
    pub from: Origin,
    /// What the user said last there.
    pub last_prompt: Option<String>,
    /// What was still to be done there.
    pub todos: Vec<Todo>,
    /// The files that were edited last, the latest first.
    pub edited_files: Vec<String>,
}

/// Which session something is of.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Origin {
    /// One before the session that is told.
    #[default]
    Earlier,
    /// The session that is told, in a context window before.
    Same,
}

/// Sets or removes keys of an effort's metadata; `null` removes.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MetadataPatch {
    /// The effort.
    pub effort: Option<EffortId>,
    /// The keys with their new values.
    pub keys: Vec<(String, Value)>,
}
