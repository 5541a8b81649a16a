//! `HookRule` and `HookAction`: how plugins, skills and sub-agents write hooks.

use serde::{Deserialize, Serialize};

/// Hooks for the tools that the matcher names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HookRule {
    /// Which tools, such as `Write|Edit`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub matcher: Option<String>,
    /// What runs.
    pub hooks: Vec<HookAction>,
}

/// One thing to run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HookAction {
    /// The kind, such as `command`.
    #[serde(rename = "type")]
    pub hook_type: String,
    /// The command.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// The timeout, in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<u64>,
}
