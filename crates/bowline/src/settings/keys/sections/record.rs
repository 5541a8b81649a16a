//! `[record]`.

use crate::settings::keys::describe::{Key, Table, Unknown, WordList};
use crate::settings::keys::slot::{Put, Tightens::Never};
use crate::settings::keys::value::{Choice, Chosen};

/// `[record]`: how much is kept of what agents do. That a tool was called, by whom, when and how it went always is, and
/// why something was refused; secrets never are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct RecordConfig {
    /// Of what users write.
    pub prompts: RecordDetail,
    /// Of what tools are called with, and what sub-agents are to do.
    pub inputs: RecordDetail,
    /// Of what tools give back, their errors included, and of the last messages of sub-agents.
    pub outputs: RecordDetail,
}

/// How much is kept of something.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RecordDetail {
    /// All but secrets, up to 10 000 characters of each text.
    #[default]
    Full,
    /// Of a text how it begins, of a value its fields and how much is in each.
    Summary,
    /// Nothing.
    Off,
}

pub(super) static TABLE: Table = Table {
    name: "Record",
    about: "That a tool was called, by whom, when and how it went is always kept, and so is why something was refused.",
    others: Unknown::Wrong,
    keys: &[
        Key::setting(
            "prompts",
            "What users write.",
            &Put(|config, _, detail| config.record.prompts = detail, Never),
        ),
        Key::setting(
            "inputs",
            "What tools are called with, and what sub-agents are to do.",
            &Put(|config, _, detail| config.record.inputs = detail, Never),
        ),
        Key::setting(
            "outputs",
            "What tools give back, their errors, and the last messages of sub-agents.",
            &Put(|config, _, detail| config.record.outputs = detail, Never),
        ),
    ],
};

impl Chosen for RecordDetail {
    const LIST: &'static WordList = &WordList {
        name: "Detail",
        about: "`full` is all but secrets, up to 10,000 characters of each text; `summary` is how a text begins, and of \
                a value its fields and how much is in each; `off` is nothing.",
        words: || Self::CHOICE.names(),
    };
    const CHOICE: &'static Choice<Self> = &Choice {
        words: &[
            ("full", Self::Full),
            ("summary", Self::Summary),
            ("off", Self::Off),
        ],
        also: &[],
    };
}
