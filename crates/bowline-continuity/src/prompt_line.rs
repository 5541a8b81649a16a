//! The one line of context that goes with every prompt.

use std::fmt;

use chrono::{DateTime, Utc};

use crate::effort::Effort;

/// Where an agent stands when it gets a prompt. With an active effort it is shown as
/// `2026-11-15 12:00 UTC | /shop/.tasks/checkout | implement | 2.1: Build | heartbeat 3/10`, without one as nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptLine {
    /// When the prompt was given.
    pub at: DateTime<Utc>,
    /// The effort, if one is active.
    pub effort: Option<Standing>,
    /// Calls since the last log entry.
    pub heartbeat: u32,
    /// How many are allowed.
    pub limit: u32,
}

/// Where an effort stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standing {
    /// The folder of its task.
    pub folder: String,
    /// Its skill.
    pub skill: String,
    /// Its phase.
    pub phase: Option<String>,
}

impl PromptLine {
    /// The line of an agent without an effort.
    pub fn idle(at: DateTime<Utc>, limit: u32) -> Self {
        Self {
            at,
            effort: None,
            heartbeat: 0,
            limit,
        }
    }

    /// The line of an agent that works on an effort. `limit` counts unless the effort has its own.
    pub fn active(at: DateTime<Utc>, effort: &Effort, heartbeat: u32, limit: u32) -> Self {
        Self {
            at,
            effort: Some(Standing {
                folder: effort.task.clone(),
                skill: effort.skill.clone(),
                phase: effort.phase.clone(),
            }),
            heartbeat,
            limit: effort.metadata.block_after.unwrap_or(limit),
        }
    }

    /// The heartbeat alone: `3/10`.
    pub fn beats(&self) -> String {
        format!("{}/{}", self.heartbeat, self.limit)
    }
}

impl fmt::Display for PromptLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(effort) = &self.effort else {
            return Ok(());
        };
        write!(
            f,
            "{} | {} | {} | {} | heartbeat {}",
            self.at.format("%Y-%m-%d %H:%M UTC"),
            effort.folder,
            effort.skill,
            effort.phase.as_deref().unwrap_or("none"),
            self.beats()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::{effort, moment};

    #[test]
    fn f37_d_one_line_says_where_the_agent_stands() {
        let mut without_phase = effort();
        without_phase.phase = None;
        let mut own_limit = effort();
        own_limit.metadata.block_after = Some(3);
        for (line, expected, beats) in [
            (
                PromptLine::active(moment(0), &effort(), 4, 10),
                "2026-11-15 12:00 UTC | /shop/.tasks/checkout | implement | 2.1: Build | heartbeat 4/10",
                "4/10",
            ),
            (
                PromptLine::active(moment(60), &without_phase, 0, 12),
                "2026-11-15 12:01 UTC | /shop/.tasks/checkout | implement | none | heartbeat 0/12",
                "0/12",
            ),
            (
                PromptLine::active(moment(0), &own_limit, 9, 10),
                "2026-11-15 12:00 UTC | /shop/.tasks/checkout | implement | 2.1: Build | heartbeat 9/3",
                "9/3",
            ),
            (PromptLine::idle(moment(0), 10), "", "0/10"),
        ] {
            assert_eq!(line.to_string(), expected);
            assert_eq!(line.beats(), beats, "{expected}");
        }
    }
}
