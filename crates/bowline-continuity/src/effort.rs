//! Efforts: one go at a task, with one skill, in phases.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::error::{Code, RuleError};
use crate::task;

/// The number of an effort's row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct EffortId(pub i64);

impl EffortId {
    /// The refusal where no effort has this number.
    pub fn unknown(self) -> RuleError {
        let message = format!(
            "There is no effort {}. `bowline effort list` shows those that there are.",
            self.0
        );
        RuleError::new(Code::NotFound, message)
    }
}

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
    /// Its number among the efforts of its task, from 1.
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

impl Effort {
    /// What people call it: its task, its number and its skill.
    pub fn label(&self) -> String {
        let task = task::name_of(&self.task);
        format!("{task} #{} ({})", self.ordinal, self.skill)
    }

    /// How the names of its files in the task's folder begin.
    pub fn artifact_prefix(&self) -> String {
        format!("{}_", self.ordinal)
    }

    /// The name of its log in the task's folder (`2_CODE_REVIEW_LOG.md`).
    pub fn log_file(&self) -> String {
        let skill: String = self.skill.chars().map(in_file_name).collect();
        format!("{}{skill}_LOG.md", self.artifact_prefix())
    }

    /// Refuses to change an effort that is finished.
    pub fn may_change(&self) -> Result<(), RuleError> {
        match self.lifecycle {
            Lifecycle::Active => Ok(()),
            Lifecycle::Finished => {
                let message = format!(
                    "The effort {} is finished and cannot change. Start another one: `bowline effort start {} {}`.",
                    self.label(),
                    task::name_of(&self.task),
                    self.skill,
                );
                Err(RuleError::new(Code::EffortFinished, message))
            }
        }
    }

    /// Finishes it, for good and once.
    pub fn finish(&mut self, at: DateTime<Utc>) -> Result<(), RuleError> {
        match self.lifecycle {
            Lifecycle::Active => {
                self.lifecycle = Lifecycle::Finished;
                self.finished_at = Some(at);
                Ok(())
            }
            Lifecycle::Finished => {
                let message = format!(
                    "The effort {} is finished already. Nothing is left to do.",
                    self.label()
                );
                Err(RuleError::new(Code::AlreadyFinished, message))
            }
        }
    }
}

fn in_file_name(character: char) -> char {
    if character.is_ascii_alphanumeric() {
        character.to_ascii_uppercase()
    } else {
        '_'
    }
}

/// The number of a task's next effort. A number is never given twice.
pub fn next_ordinal(existing: impl Iterator<Item = u32>) -> u32 {
    existing.max().unwrap_or(0).saturating_add(1)
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

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn sample() -> Effort {
        Effort {
            id: EffortId(7),
            task: "/home/ann/shop/.tasks/fix-login".to_owned(),
            project: "/home/ann/shop".to_owned(),
            skill: "implement".to_owned(),
            mode: None,
            ordinal: 2,
            lifecycle: Lifecycle::Active,
            phase: None,
            phases: Vec::new(),
            directives: Vec::new(),
            directories: Vec::new(),
            metadata: Metadata::default(),
            created_at: DateTime::UNIX_EPOCH,
            finished_at: None,
        }
    }

    #[test]
    fn ordinals_go_up_from_one() {
        for (existing, expected) in [
            (&[][..], 1),
            (&[1], 2),
            (&[1, 2, 3], 4),
            (&[3, 1], 4),
            (&[u32::MAX], u32::MAX),
        ] {
            let next = next_ordinal(existing.iter().copied());
            assert_eq!(next, expected, "{existing:?}");
        }
    }

    #[test]
    fn a_log_is_named_by_number_and_skill() {
        for (ordinal, skill, expected) in [
            (1, "brainstorm", "1_BRAINSTORM_LOG.md"),
            (12, "code-review", "12_CODE_REVIEW_LOG.md"),
            (2, "team:fix v2", "2_TEAM_FIX_V2_LOG.md"),
            (2, "../../x", "2_______X_LOG.md"),
            (2, "é", "2___LOG.md"),
        ] {
            let effort = Effort {
                ordinal,
                skill: skill.to_owned(),
                ..sample()
            };
            assert_eq!(effort.log_file(), expected, "{skill}");
            let prefix = effort.artifact_prefix();
            assert!(effort.log_file().starts_with(&prefix), "{prefix}");
        }
    }

    #[test]
    fn people_call_an_effort_by_task_number_and_skill() {
        assert_eq!(sample().label(), "fix-login #2 (implement)");
    }

    #[test]
    fn an_effort_is_finished_once_and_then_never_changes() {
        let mut effort = sample();
        assert_eq!(effort.may_change(), Ok(()));

        let at = DateTime::UNIX_EPOCH + chrono::TimeDelta::hours(1);
        assert_eq!(effort.finish(at), Ok(()));
        assert_eq!(effort.lifecycle, Lifecycle::Finished);
        assert_eq!(effort.finished_at, Some(at));

        let again = effort.finish(at + chrono::TimeDelta::hours(1));
        assert_eq!(again.unwrap_err().code, Code::AlreadyFinished);
        assert_eq!(effort.finished_at, Some(at));

        let refusal = effort.may_change().unwrap_err();
        assert_eq!(refusal.code, Code::EffortFinished);
        let way = "`bowline effort start fix-login implement`";
        assert!(refusal.message.contains(way), "{refusal}");
    }
}
