//! `[orchestrator]`.

use std::time::Duration;

use crate::settings::keys::describe::{Key, Table, Unknown, WordList};
use crate::settings::keys::slot::{
    Put,
    Tightens::{Never, When},
};
use crate::settings::keys::value::{Choice, Chosen};

/// `[orchestrator]`: whether an agent hands work to sub-agents instead of doing it itself.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct OrchestratorConfig {
    /// What happens to work that the agent does itself.
    pub mode: OrchestratorMode,
    /// So many explorations in a row are allowed.
    pub explorations: u32,
    /// At so many violations nearly everything is denied until a reset.
    pub breaker: u32,
    /// A violation counts for this long.
    pub decay: Duration,
    /// Programs that the agent may run itself.
    pub programs: Vec<String>,
}

impl Default for OrchestratorConfig {
    fn default() -> Self {
        Self {
            mode: OrchestratorMode::default(),
            explorations: 3,
            breaker: 3,
            decay: Duration::from_mins(10),
            programs: Vec::new(),
        }
    }
}

/// What happens to work that an agent does itself.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum OrchestratorMode {
    /// Nothing.
    #[default]
    Off,
    /// The agent is told to delegate.
    Guidance,
    /// It is denied.
    Strict,
}

pub(super) static TABLE: Table = Table {
    name: "Orchestrator",
    about: "An orchestrator hands work to sub-agents. Sub-agents themselves are exempt.",
    others: Unknown::Wrong,
    keys: &[
        Key::setting(
            "mode",
            "What happens when the agent changes files or repositories, or runs tests, builds and other programs itself.",
            &Put(
                |config, _, mode: OrchestratorMode| config.orchestrator.mode = mode,
                When("what is not milder", |mode, weaker| {
                    *mode >= weaker.orchestrator.mode
                }),
            ),
        ),
        Key::setting(
            "explorations",
            "With `strict`: this many looks at files in a row are allowed.",
            &Put(
                |config, _, most| config.orchestrator.explorations = most,
                Never,
            ),
        ),
        Key::setting(
            "breaker",
            "With `strict`: after this many violations only delegation, questions and `bowline` commands are allowed, until `bowline orchestrator reset`.",
            &Put(|config, _, most| config.orchestrator.breaker = most, Never),
        ),
        Key::setting(
            "decay_secs",
            "A violation counts for this long.",
            &Put(
                |config, _, decay: Duration| config.orchestrator.decay = decay,
                Never,
            ),
        ),
        Key::setting(
            "programs",
            "Programs that the agent may run itself, such as `gh`.",
            &Put(
                |config, _, programs: Vec<String>| config.orchestrator.programs = programs,
                Never,
            ),
        ),
    ],
};

impl Chosen for OrchestratorMode {
    const LIST: &'static WordList = &WordList {
        name: "OrchestratorMode",
        about: "`guidance` tells the agent to delegate, `strict` denies what a sub-agent should do. `off` does nothing.",
        words: || Self::CHOICE.names(),
    };
    const CHOICE: &'static Choice<Self> = &Choice {
        words: &[
            ("off", Self::Off),
            ("guidance", Self::Guidance),
            ("strict", Self::Strict),
        ],
        also: &[],
    };
}
