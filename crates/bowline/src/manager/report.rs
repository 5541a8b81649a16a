//! What each hook did, and what all of them came to.

use std::time::Duration;

use serde_json::Value;

use crate::decision::Decision;
use crate::opinion::{Opinion, Permission};

/// What one hook did for one event.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct HookRun {
    /// The hook's name.
    pub id: String,
    /// How it went.
    pub status: RunStatus,
    /// What it said; a failure that decides is here too.
    pub output: Opinion,
    /// What went wrong.
    pub error: Option<String>,
    /// How long it took.
    pub duration: Duration,
}

/// How a hook's turn went.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum RunStatus {
    /// It ran and answered.
    Ran,
    /// It could not run, erred, panicked, timed out or was cancelled.
    Failed,
    /// It was started and left alone.
    Started,
    /// It did not run, and why.
    Skipped(String),
}

impl HookRun {
    pub(super) fn skipped(id: &str, why: &str) -> Self {
        Self {
            id: id.to_owned(),
            status: RunStatus::Skipped(why.to_owned()),
            output: Opinion::allow(),
            error: None,
            duration: Duration::ZERO,
        }
    }

    pub(super) fn told(id: &str) -> Self {
        Self {
            status: RunStatus::Ran,
            ..Self::skipped(id, "")
        }
    }

    /// Whether it ran and answered (or was started, for a background hook).
    pub fn success(&self) -> bool {
        matches!(self.status, RunStatus::Ran | RunStatus::Started)
    }

    /// What it decided.
    pub fn decision(&self) -> Decision {
        self.output.decision()
    }

    /// Takes back a grant that was given to another input than `rewritten`. A hook that grants what it has itself
    /// rewritten means the new input.
    pub(super) fn drop_grant_beside(&mut self, rewritten: &Value) {
        if self.output.permission == Some(Permission::Grant)
            && self.output.updated_input.as_ref() != Some(rewritten)
        {
            self.output.permission = None;
            self.output.warnings.push(format!(
                "the input was rewritten after `{}` allowed it, so that it is not allowed any more",
                self.id
            ));
        }
    }

    pub(super) fn denies(&self) -> bool {
        self.decision() == Decision::Deny
    }
}

/// What all hooks of an event came to.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct TriggerResult {
    /// Whether the agent may go on: nothing denied and nothing asked.
    pub allowed: bool,
    /// The merged output.
    pub output: Opinion,
    /// The hooks that matched, in order; also those that a block kept from running.
    pub results: Vec<HookRun>,
}
