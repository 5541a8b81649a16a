//! `[fleet]`.

use crate::settings::keys::describe::{Key, Table, Unknown};
use crate::settings::keys::slot::{Put, Tightens::Never};

/// `[fleet]`: how a person learns what agents are doing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct FleetConfig {
    /// Whether the desktop shows a notification when an agent waits for a person.
    pub notify: bool,
}

pub(super) static TABLE: Table = Table {
    name: "Fleet",
    about: "",
    others: Unknown::Wrong,
    keys: &[Key::setting(
        "notify",
        "Show a desktop notification when an agent waits for a person.",
        &Put(|config, _, notify| config.fleet.notify = notify, Never),
    )],
};
