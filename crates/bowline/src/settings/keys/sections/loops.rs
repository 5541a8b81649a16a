//! `[loops]`.

use crate::settings::keys::describe::{Key, Table, Unknown, WordList};
use crate::settings::keys::slot::{
    Put,
    Tightens::{Never, When},
};
use crate::settings::keys::value::{Choice, Chosen};

/// `[loops]`: what happens to an agent that repeats itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct LoopConfig {
    /// What happens.
    pub mode: LoopMode,
    /// An agent is told when a call gave the same result so often.
    pub warn_after: u32,
    /// The call with this number is denied.
    pub stop_after: u32,
}

impl Default for LoopConfig {
    fn default() -> Self {
        Self {
            mode: LoopMode::default(),
            warn_after: 3,
            stop_after: 6,
        }
    }
}

/// What happens to an agent that makes the same calls with the same results.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum LoopMode {
    /// Nothing.
    #[default]
    Off,
    /// It is told once.
    Warn,
    /// It is told once, and then denied.
    Stop,
}

pub(super) static TABLE: Table = Table {
    name: "Loops",
    about: "",
    others: Unknown::Wrong,
    keys: &[
        Key::setting(
            "mode",
            "What happens to an agent that makes the same calls with the same results.",
            &Put(
                |config, _, mode: LoopMode| config.loops.mode = mode,
                When("what is not milder", |mode, weaker| {
                    *mode >= weaker.loops.mode
                }),
            ),
        ),
        Key::setting(
            "warn_after",
            "The agent is told once when a call has given the same result so often.",
            &Put(|config, _, times| config.loops.warn_after = times, Never),
        ),
        Key::setting(
            "stop_after",
            "The call that would be the one with this number is denied, and so is each one after it, until something else was tried.",
            &Put(|config, _, times| config.loops.stop_after = times, Never),
        ),
    ],
};

impl Chosen for LoopMode {
    const LIST: &'static WordList = &WordList {
        name: "LoopMode",
        about: "`warn` tells the agent once, `stop` also denies the call in the end.",
        words: || Self::CHOICE.names(),
    };
    const CHOICE: &'static Choice<Self> = &Choice {
        words: &[
            ("off", Self::Off),
            ("warn", Self::Warn),
            ("stop", Self::Stop),
        ],
        also: &[],
    };
}
