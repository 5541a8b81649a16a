//! What agents cost, as the rest of Bowline asks for it.

use bowline_continuity::effort::EffortId;
use bowline_guidance::cost::budget::BudgetOf;
use bowline_guidance::cost::prices::Usd;
use bowline_guidance::cost::report::{By, Spent};
use bowline_guidance::cost::usage::Usage;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::error::Result;

/// How far a transcript was read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark {
    /// The file, by its path and what tells it from another file of that path.
    pub file: String,
    /// The first byte that was not read.
    pub offset: u64,
}

/// A part of what was used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SpentOn {
    /// A session, by the agent's name for it, with its sub-agents.
    Session(String),
    /// All sessions of an effort.
    Effort(EffortId),
    /// A project, by its folder.
    Project(String),
}

/// What is to be added up.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SpentFilter {
    /// By what.
    pub by: By,
    /// Only a part of it.
    pub on: Option<SpentOn>,
    /// Only what was used since then.
    pub since: Option<DateTime<Utc>>,
}

/// Keeps what messages of models used.
pub trait Costs: Send + Sync {
    /// Keeps what messages used, and how far the transcript was read that says so. What is known already is merged: a message counts once.
    fn keep_usage(&self, usage: Vec<Usage>, mark: Option<Mark>) -> Result<()>;

    /// How far files were read; 0 for those that are not known.
    fn marks(&self, files: &[String]) -> Result<Vec<u64>>;

    /// Adds up what was used.
    fn spent(&self, filter: &SpentFilter) -> Result<Vec<Spent>>;

    /// The effort that a session was last in.
    fn effort_of_session(&self, session: &str) -> Result<Option<EffortId>>;

    /// Adds to a budget; says what was added to it in all.
    fn raise_budget(&self, of: BudgetOf, name: &str, by: Usd, at: DateTime<Utc>) -> Result<Usd>;

    /// What was added to a budget.
    fn budget_raise(&self, of: BudgetOf, name: &str) -> Result<Usd>;
}
