//! Tasks: permanent folders of work.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

/// A task. It never finishes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Task {
    /// Its folder (`PROJECT/.tasks/NAME`), which names it.
    pub folder: String,
    /// The project's folder.
    pub project: String,
    /// Its title.
    pub title: Option<String>,
    /// What it is about.
    pub description: Option<String>,
    /// Words to find it by.
    pub keywords: Vec<String>,
    /// When it was made.
    pub created_at: DateTime<Utc>,
}

/// Whether somebody works on a task; derived from its efforts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskState {
    /// An effort of it is active.
    Active,
    /// None is.
    Dormant,
}
