//! `[leases]`.

use std::time::Duration;

use crate::settings::keys::describe::{Key, Table, Unknown, WordList};
use crate::settings::keys::slot::{
    Put,
    Tightens::{Never, When},
};
use crate::settings::keys::value::{Choice, Chosen};

/// `[leases]`: whether two sessions may write the same file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct LeaseConfig {
    /// What happens to the second writer.
    pub mode: LeaseMode,
    /// A writer that did nothing for this long no longer holds its files.
    pub expires: Duration,
}

impl Default for LeaseConfig {
    fn default() -> Self {
        Self {
            mode: LeaseMode::default(),
            expires: Duration::from_mins(10),
        }
    }
}

/// What happens to a session that writes a file that another one is working on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum LeaseMode {
    /// Nothing.
    #[default]
    Off,
    /// A person is asked.
    Ask,
    /// It is denied.
    Deny,
}

pub(super) static TABLE: Table = Table {
    name: "Leases",
    about: "",
    others: Unknown::Wrong,
    keys: &[
        Key::setting(
            "mode",
            "What happens to a session that writes a file that another session is working on.",
            &Put(
                |config, _, mode: LeaseMode| config.leases.mode = mode,
                When("what is not milder", |mode, weaker| {
                    *mode >= weaker.leases.mode
                }),
            ),
        ),
        Key::setting(
            "expires_secs",
            "A session that did nothing for this long no longer holds its files.",
            &Put(
                |config, _, expires: Duration| config.leases.expires = expires,
                Never,
            ),
        ),
    ],
};

impl Chosen for LeaseMode {
    const LIST: &'static WordList = &WordList {
        name: "LeaseMode",
        about: "`ask` asks a person, `deny` refuses; both name the session that holds the file. `off` lets both write.",
        words: || Self::CHOICE.names(),
    };
    const CHOICE: &'static Choice<Self> = &Choice {
        words: &[("off", Self::Off), ("ask", Self::Ask), ("deny", Self::Deny)],
        also: &[],
    };
}
