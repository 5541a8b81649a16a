//! `[metrics]`.

use crate::settings::keys::describe::{Key, Table, Unknown};
use crate::settings::keys::slot::{Put, Tightens::Never};

/// `[metrics]`: figures of each day in a file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct MetricsConfig {
    /// Whether the file of the day is written when a turn or a session ends.
    pub daily: bool,
}

pub(super) static TABLE: Table = Table {
    name: "Metrics",
    about: "",
    others: Unknown::Wrong,
    keys: &[Key::setting(
        "daily",
        "The figures of the day are written to a file in the data folder when a turn or a session ends. `bowline metrics` shows them.",
        &Put(|config, _, on: bool| config.metrics.daily = on, Never),
    )],
};
