//! `[work]`.

use crate::settings::keys::describe::{Key, Table, Unknown, WordList};
use crate::settings::keys::slot::{
    Put,
    Tightens::{Never, When},
};
use crate::settings::keys::value::{Choice, Chosen};

/// `[work]`: what work is for, and what is kept of delegated work.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct WorkConfig {
    /// Whether files may be changed without an active work item.
    pub items: WorkItems,
    /// The file that names the active work item, where another tracker has them.
    pub active_file: Option<String>,
    /// The command that prints the active work item.
    pub active_command: Option<String>,
    /// Whether sub-agents are told to save their results.
    pub save_results: bool,
}

/// Whether files may be changed without an active work item.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum WorkItems {
    /// Nobody asks for one.
    #[default]
    Off,
    /// The agent is told to have one.
    Advise,
    /// Changes are denied without one.
    Require,
}

pub(super) static TABLE: Table = Table {
    name: "Work",
    about: "",
    others: Unknown::Wrong,
    keys: &[
        Key::setting(
            "items",
            "What happens when an agent changes files and no work item is active.",
            &Put(
                |config, _, items: WorkItems| config.work.items = items,
                When("what is not milder", |items, weaker| {
                    *items >= weaker.work.items
                }),
            ),
        ),
        Key::setting(
            "active_file",
            "The file in which another tracker names the active work item: JSON with an `id`, or text whose first word is the name. Relative to the project.",
            &Put(
                |config, _, file| config.work.active_file = Some(file),
                Never,
            ),
        )
        .default("Bowline's own tracker, `bowline work`"),
        Key::setting(
            "active_command",
            "A command that prints the active work item, in the same form. It is run in the project by `sh -c`, for 2 seconds at most, and again after 30 seconds.",
            &Put(
                |config, _, command| config.work.active_command = Some(command),
                Never,
            ),
        )
        .default("none"),
        Key::setting(
            "save_results",
            "Sub-agents are told to save what they find, and somebody is told when they did not.",
            &Put(|config, _, on: bool| config.work.save_results = on, Never),
        ),
    ],
};

impl Chosen for WorkItems {
    const LIST: &'static WordList = &WordList {
        name: "WorkItems",
        about: "`advise` tells the agent once, `require` denies the change until an item is active. `off` does nothing.",
        words: || Self::CHOICE.names(),
    };
    const CHOICE: &'static Choice<Self> = &Choice {
        words: &[
            ("off", Self::Off),
            ("advise", Self::Advise),
            ("require", Self::Require),
        ],
        also: &[],
    };
}
