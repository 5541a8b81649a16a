//! `[handoff]`.

use crate::settings::keys::describe::{Key, Table, Unknown};
use crate::settings::keys::slot::{Put, Tightens::Never};

/// `[handoff]`: who goes on where a sub-agent stopped.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct HandoffConfig {
    /// Whether reports of sub-agents are read for whom they hand over to.
    pub detect: bool,
    /// The agent that completed work goes to if its report names nobody.
    pub hub: String,
}

impl Default for HandoffConfig {
    fn default() -> Self {
        Self {
            detect: false,
            hub: "task-orchestrator".to_owned(),
        }
    }
}

pub(super) static TABLE: Table = Table {
    name: "Handoff",
    about: "A report that says \"use the NAME subagent to …\" sends the agent on to that sub-agent, once.",
    others: Unknown::Wrong,
    keys: &[
        Key::setting(
            "detect",
            "Reports of sub-agents are read for the agent that they hand over to.",
            &Put(|config, _, on: bool| config.handoff.detect = on, Never),
        ),
        Key::setting(
            "hub",
            "The agent that gets completed work of implementation agents whose reports name nobody.",
            &Put(|config, _, hub: String| config.handoff.hub = hub, Never),
        ),
    ],
};
