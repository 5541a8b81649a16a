//! Pinned notes and to-dos: what is handed over without an effort, too.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::effort::EffortId;

/// A line that somebody pinned to a project or an effort.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// The number of its row.
    pub id: i64,
    /// The project's folder.
    pub project: String,
    /// The effort, if it is pinned to one.
    pub effort: Option<EffortId>,
    /// What it says.
    pub text: String,
    /// When it was pinned.
    pub at: DateTime<Utc>,
}

impl Note {
    /// What it is pinned to, in words.
    pub fn pinned_to(&self) -> String {
        match self.effort {
            Some(effort) => format!("effort {}", effort.0),
            None => "the project".to_owned(),
        }
    }
}

/// One entry of an agent's to-do list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Todo {
    /// The agent's own name for it, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// What is to be done.
    pub text: String,
    /// How far it is.
    pub state: TodoState,
}

/// How far a to-do is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TodoState {
    /// Not begun.
    Pending,
    /// Being worked on.
    InProgress,
    /// Done.
    Completed,
}
