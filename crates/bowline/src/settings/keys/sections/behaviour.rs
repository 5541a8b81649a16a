//! `[behaviour]`.

use crate::settings::keys::describe::{Key, Table, Unknown};
use crate::settings::keys::slot::{Put, Tightens::Never};

/// `[behaviour]`: what every session reads at its start, and what it gets back after a compaction.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct BehaviourConfig {
    /// Files of the project that every session is told at its start.
    pub files: Vec<String>,
    /// Whether the state before a compaction is told to the next session.
    pub recovery: bool,
}

pub(super) static TABLE: Table = Table {
    name: "Behaviour",
    about: "",
    others: Unknown::Wrong,
    keys: &[
        Key::setting(
            "files",
            "Files of the project that a session is told at its start, within the room that `[handover]` gives. Missing ones are skipped.",
            &Put(
                |config, _, files: Vec<String>| config.behaviour.files = files,
                Never,
            ),
        ),
        Key::setting(
            "recovery",
            "Which agent worked on what is kept before a compaction, and told to the next session.",
            &Put(|config, _, on: bool| config.behaviour.recovery = on, Never),
        ),
    ],
};
