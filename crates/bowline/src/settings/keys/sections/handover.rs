//! `[handover]`.

use crate::settings::keys::describe::{Key, Table, Unknown, WordList};
use crate::settings::keys::slot::{Put, Tightens::Never};
use crate::settings::keys::value::{Choice, Chosen};

/// `[handover]`: what a new session is told about the one before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct HandoverConfig {
    /// How much.
    pub detail: HandoverDetail,
    /// At most about this many tokens, and never more than the agent takes.
    pub max_tokens: u32,
}

impl Default for HandoverConfig {
    fn default() -> Self {
        Self {
            detail: HandoverDetail::default(),
            max_tokens: 2_500,
        }
    }
}

/// How much a new session is told about the one before.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum HandoverDetail {
    /// Nothing but what its effort needs.
    Off,
    /// Pinned notes, how the last prompt begins, open to-dos and the files that were edited last.
    #[default]
    Summary,
    /// The same in full, as far as there is room.
    Full,
}

pub(super) static TABLE: Table = Table {
    name: "Handover",
    about: "",
    others: Unknown::Wrong,
    keys: &[
        Key::setting(
            "detail",
            "How much a new session is told about the one before.",
            &Put(
                |config, _, detail: HandoverDetail| config.handover.detail = detail,
                Never,
            ),
        ),
        Key::setting(
            "max_tokens",
            "At most about this many tokens are handed over, and never more than the agent takes.",
            &Put(
                |config, _, tokens| config.handover.max_tokens = tokens,
                Never,
            ),
        ),
    ],
};

impl Chosen for HandoverDetail {
    const LIST: &'static WordList = &WordList {
        name: "HandoverDetail",
        about: "`summary` is pinned notes, how the last prompt begins, open to-dos and the files that were edited last; `full` is the same \
                uncut, as far as there is room; `off` is nothing but what an effort needs.",
        words: || Self::CHOICE.names(),
    };
    const CHOICE: &'static Choice<Self> = &Choice {
        words: &[
            ("off", Self::Off),
            ("summary", Self::Summary),
            ("full", Self::Full),
        ],
        also: &[],
    };
}
