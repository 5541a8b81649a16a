//! Failures of tools, as the rest of Bowline asks for them.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::error::Result;

/// A call that failed, as it comes with an event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailedCall {
    /// By what the failure is known again.
    pub failure: FailureRef,
    /// The message as far as it is kept, without secrets.
    pub message: Option<String>,
    /// A follow-up is opened when it failed so often.
    pub follow_up_after: u32,
}

/// By what a failure is known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailureRef {
    /// The project's folder; of a linked worktree its main checkout, so that they share their failures.
    pub project: String,
    /// The tool.
    pub tool: String,
    /// A number for the message without what differs from time to time.
    pub signature: u64,
    /// A number for how the message begins. One that begins alike is the same failure.
    pub beginning: u64,
}

/// A failure, with all times that it came.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Failure {
    /// Its number.
    pub id: i64,
    /// The project's folder.
    pub project: String,
    /// The tool that failed.
    pub tool: String,
    /// What it said last, if that is kept.
    pub message: Option<String>,
    /// When it came first.
    pub first_seen: DateTime<Utc>,
    /// When it came last.
    pub last_seen: DateTime<Utc>,
    /// How often it came.
    pub count: u64,
    /// In how many sessions; those that continue each other are one.
    pub sessions: u64,
    /// Whether somebody has to look at it.
    pub follow_up: Option<FollowUp>,
    /// What put an end to it last.
    pub fixed_by: Option<String>,
    /// When that was.
    pub fixed_at: Option<DateTime<Utc>>,
}

/// Something to look at, because it failed too often: a work item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct FollowUp {
    /// How it stands.
    pub status: FollowUpStatus,
    /// Since when.
    pub since: DateTime<Utc>,
    /// The work item's number; none if somebody dealt with the failure before it came too often.
    pub work_item: Option<i64>,
}

/// How a follow-up stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FollowUpStatus {
    /// Nobody has dealt with it.
    Open,
    /// Somebody has. It is not opened again.
    Done,
}

impl FollowUpStatus {
    /// The word that is stored.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Done => "done",
        }
    }
}

/// One time that something failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PastFailure {
    /// When.
    pub time: DateTime<Utc>,
    /// The tool.
    pub tool: String,
    /// What it said, if that is kept.
    pub message: Option<String>,
    /// The agent's name for the session.
    pub session: String,
    /// The failure's number.
    pub failure: i64,
}

/// Which failures are meant.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FailureFilter<'a> {
    /// Of this project's folder.
    pub project: Option<&'a str>,
    /// That came at this time or later.
    pub since: Option<DateTime<Utc>>,
    /// At most this many.
    pub limit: usize,
}

/// Knows what failed before. What comes with an event is a [`Change`](crate::Change) of its record; the rest is here.
pub trait Failures: Send + Sync {
    /// The failure that a message shows: the same without what differs, or one that begins alike.
    fn known(&self, failure: &FailureRef) -> Result<Option<Failure>>;

    /// The failures that a filter lets through, the last one first.
    fn list(&self, filter: &FailureFilter<'_>) -> Result<Vec<Failure>>;

    /// A failure by its number.
    fn one(&self, id: i64) -> Result<Option<Failure>>;

    /// The times that a failure came, the last one first.
    fn times(&self, id: i64, limit: usize) -> Result<Vec<PastFailure>>;

    /// Everything that failed, oldest first.
    fn all_times(&self, filter: &FailureFilter<'_>) -> Result<Vec<PastFailure>>;

    /// Notes that somebody has dealt with a failure, and ends its work item. Says what it was before; `None` if there is none.
    fn close_follow_up(&self, id: i64, at: DateTime<Utc>) -> Result<Option<Failure>>;

    /// Removes a failure and all times that it came; gives it back if there was one.
    fn forget_failure(&self, id: i64) -> Result<Option<Failure>>;
}
