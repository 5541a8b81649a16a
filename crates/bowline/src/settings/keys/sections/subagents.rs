//! `[subagents]`.

use crate::settings::keys::describe::{Key, Table, Unknown};
use crate::settings::keys::slot::{
    Put,
    Tightens::{Never, When},
};

/// `[subagents]`: which sub-agents there are, and what they are told.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct SubagentConfig {
    /// The names of all agents; empty if any name is fine.
    pub registry: Vec<String>,
    /// Whether an unknown one is not started, and not handed over to.
    pub strict: bool,
    /// Whether a sub-agent is told what it needs to know of the project.
    pub context: bool,
}

pub(super) static TABLE: Table = Table {
    name: "Subagents",
    about: "Names that begin with `mock-` are always fine, and so are agents with a file in `.claude/agents` and those of the client itself.",
    others: Unknown::Wrong,
    keys: &[
        Key::setting(
            "registry",
            "The names of all sub-agents. Any other gets a warning, at its start and where a report hands over to it. Empty: any name is fine.",
            &Put(
                |config, _, names: Vec<String>| config.subagents.registry = names,
                Never,
            ),
        ),
        Key::setting(
            "strict",
            "Sub-agents that are not in the registry are not started.",
            &Put(
                |config, _, on: bool| config.subagents.strict = on,
                When("true", |on, weaker| *on || !weaker.subagents.strict),
            ),
        ),
        Key::setting(
            "context",
            "A sub-agent is told the versions of the project's frameworks, where its memory is, and what was being done before a compaction.",
            &Put(|config, _, on: bool| config.subagents.context = on, Never),
        ),
    ],
};
