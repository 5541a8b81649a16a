//! `[bridge]`.

use crate::settings::keys::describe::{Key, Table, Unknown};
use crate::settings::keys::slot::{Put, Tightens::Never};

/// `[bridge]`: hooks of other agents.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct BridgeConfig {
    /// Whether the hooks in Claude Code's files run for agents that do not load them themselves. Only in projects that
    /// the user trusts.
    pub claude_hooks: bool,
}

pub(super) static TABLE: Table = Table {
    name: "Bridge",
    about: "",
    others: Unknown::Wrong,
    keys: &[Key::setting(
        "claude_hooks",
        "Run the hooks in Claude Code's files for agents that do not load them themselves, in projects that the user trusts.",
        &Put(
            |config, _, bridged| config.bridge.claude_hooks = bridged,
            Never,
        ),
    )],
};
