//! `[docs]`.

use crate::settings::keys::describe::{Key, Table, Unknown};
use crate::settings::keys::slot::{Put, Tightens::Never};

/// `[docs]`: reminders to keep documentation up to date.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct DocsConfig {
    /// Whether an agent that edits a module is reminded of its documentation.
    pub reminder: bool,
    /// The folders whose sub-folders are modules.
    pub modules: Vec<String>,
}

impl Default for DocsConfig {
    fn default() -> Self {
        let modules = [
            "web/modules/custom",
            "modules/custom",
            "docroot/modules/custom",
        ];
        Self {
            reminder: false,
            modules: modules.map(str::to_owned).to_vec(),
        }
    }
}

pub(super) static TABLE: Table = Table {
    name: "Docs",
    about: "",
    others: Unknown::Wrong,
    keys: &[
        Key::setting(
            "reminder",
            "An agent that edits a module is reminded of its documentation, once a session and module.",
            &Put(|config, _, on: bool| config.docs.reminder = on, Never),
        ),
        Key::setting(
            "modules",
            "The folders of the project whose sub-folders are modules.",
            &Put(
                |config, _, modules: Vec<String>| config.docs.modules = modules,
                Never,
            ),
        ),
    ],
};
