//! `[errors]`.

use crate::settings::keys::describe::{Key, Table, Unknown};
use crate::settings::keys::slot::{Put, Tightens::Never};

/// `[errors]`: what is remembered of failures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct ErrorConfig {
    /// Whether failures of tools are remembered.
    pub memory: bool,
    /// A failure that came so often gets a follow-up.
    pub follow_up_after: u32,
}

impl Default for ErrorConfig {
    fn default() -> Self {
        Self {
            memory: false,
            follow_up_after: 3,
        }
    }
}

pub(super) static TABLE: Table = Table {
    name: "Errors",
    about: "",
    others: Unknown::Wrong,
    keys: &[
        Key::setting(
            "memory",
            "Failures of tools are remembered, without secrets. An agent whose call fails as before is told what put an end to it.",
            &Put(|config, _, on: bool| config.errors.memory = on, Never),
        ),
        Key::setting(
            "follow_up_after",
            "A failure that came so often gets one follow-up, which `bowline errors` shows.",
            &Put(
                |config, _, times| config.errors.follow_up_after = times,
                Never,
            ),
        ),
    ],
};
