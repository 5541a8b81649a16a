//! `[store]`.

use crate::settings::keys::describe::{Key, Table, Unknown, Who, WordList};
use crate::settings::keys::slot::{Put, Tightens::Never};
use crate::settings::keys::value::{Choice, Chosen};

/// `[store]`: how long things are kept. Only the user's and the administrator's files say so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct StoreConfig {
    /// Older things are removed.
    pub keep_days: u32,
    /// When more is in use, the oldest things are removed.
    pub max_size_mb: u32,
    /// What a recorded event survives.
    pub durability: StoreDurability,
}

impl Default for StoreConfig {
    fn default() -> Self {
        Self {
            keep_days: 30,
            max_size_mb: 1024,
            durability: StoreDurability::default(),
        }
    }
}

/// What a recorded event survives.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum StoreDurability {
    /// The sudden end of Bowline.
    #[default]
    Process,
    /// The sudden end of the machine; every answer waits for the disk.
    Power,
}

pub(super) static TABLE: Table = Table {
    name: "Store",
    about: "",
    others: Unknown::Wrong,
    keys: &[
        Key::setting(
            "keep_days",
            "What is older, in days, is removed.",
            &Put(|config, _, days| config.store.keep_days = days, Never),
        )
        .by(Who::User),
        Key::setting(
            "max_size_mb",
            "When more megabytes are in use, the oldest things are removed.",
            &Put(
                |config, _, megabytes| config.store.max_size_mb = megabytes,
                Never,
            ),
        )
        .by(Who::User),
        Key::setting(
            "durability",
            "What a recorded event survives.",
            &Put(
                |config, _, durability| config.store.durability = durability,
                Never,
            ),
        )
        .by(Who::User),
    ],
};

impl Chosen for StoreDurability {
    const LIST: &'static WordList = &WordList {
        name: "Durability",
        about: "`process`: the sudden end of Bowline. `power`: the sudden end of the machine, for which every answer \
                waits for the disk.",
        words: || Self::CHOICE.names(),
    };
    const CHOICE: &'static Choice<Self> = &Choice {
        words: &[("process", Self::Process), ("power", Self::Power)],
        also: &[],
    };
}
