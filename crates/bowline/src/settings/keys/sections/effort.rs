//! `[effort]`.

use crate::settings::keys::describe::{Key, Table, Unknown, WordList};
use crate::settings::keys::slot::{Put, Tightens::Never};
use crate::settings::keys::value::{Choice, Chosen, Percent};

/// `[effort]`: how efforts are watched over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct EffortConfig {
    /// The call with this number since the last log entry is denied. An effort may have its own number.
    pub block_after: u32,
    /// From this part of the context window on, in percent, the agent is told to leave a summary.
    pub overflow_percent: u32,
    /// What happens to an agent whose context is compacted by itself.
    pub on_auto_compaction: OnAutoCompaction,
}

impl Default for EffortConfig {
    fn default() -> Self {
        Self {
            block_after: 10,
            overflow_percent: 90,
            on_auto_compaction: OnAutoCompaction::default(),
        }
    }
}

/// What happens to an agent whose context is compacted by itself.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum OnAutoCompaction {
    /// It is recorded.
    #[default]
    Record,
    /// The agent's process is ended, for a supervisor to start it again. Only in an effort, and only the agent that called.
    End,
}

pub(super) static TABLE: Table = Table {
    name: "Effort",
    about: "",
    others: Unknown::Wrong,
    keys: &[
        Key::setting(
            "block_after",
            "The call with this number since the last log entry is denied, and so is each one after it, until the agent logs. An effort may have its own number.",
            &Put(|config, _, calls| config.effort.block_after = calls, Never),
        ),
        Key::setting(
            "overflow_percent",
            "From this part of the context window on, the agent is told to leave a summary for the next session.",
            &Put(
                |config, _, part: Percent| config.effort.overflow_percent = part.0,
                Never,
            ),
        ),
        Key::setting(
            "on_auto_compaction",
            "What happens to an agent in an effort whose context is compacted by itself.",
            &Put(
                |config, _, what: OnAutoCompaction| config.effort.on_auto_compaction = what,
                Never,
            ),
        ),
    ],
};

impl Chosen for OnAutoCompaction {
    const LIST: &'static WordList = &WordList {
        name: "OnAutoCompaction",
        about: "`record` only records it; `end` also ends the agent's process, for `bowline supervise` to start it again with a fresh context.",
        words: || Self::CHOICE.names(),
    };
    const CHOICE: &'static Choice<Self> = &Choice {
        words: &[("record", Self::Record), ("end", Self::End)],
        also: &[],
    };
}
