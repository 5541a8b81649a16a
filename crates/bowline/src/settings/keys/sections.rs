//! What the sections of Bowline's own files say.

use std::time::Duration;

use crate::hook::{Attempts, OnFailure};
use crate::settings::hooks::model::{Dedupe, ExitPolicy};

/// `[defaults]`: for hooks of Bowline's own files that say nothing themselves.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct Defaults {
    /// How exit codes are read.
    pub exit_policy: Option<ExitPolicy>,
    /// The result of a failure on a gate; `None` to use the shape's default.
    pub on_failure: Option<OnFailure>,
    /// Whether a failure is tried again: `on_failure = "retry"`.
    pub attempts: Attempts,
    /// What counts as the same hook.
    pub dedupe: Option<Dedupe>,
    /// `timeout_secs`: how long a hook may take.
    pub timeout: Option<Duration>,
}

/// `[http]`: what HTTP hooks may do.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct HttpConfig {
    /// Hosts, other than this machine, that hooks may post to without TLS.
    pub allow_insecure_hosts: Vec<String>,
}

/// `[prompt]`: the model that prompt hooks ask.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct PromptConfig {
    /// Whose way of asking.
    pub provider: Option<ModelProvider>,
    /// Where to ask, for other servers than the provider's own.
    pub base_url: Option<String>,
    /// The model.
    pub model: Option<String>,
    /// The environment variable that holds the key.
    pub api_key_env: Option<String>,
    /// The longest answer.
    pub max_tokens: Option<u32>,
}

/// Whose way of asking a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ModelProvider {
    /// Anthropic's messages.
    Anthropic,
    /// OpenAI's chat completions, which many servers understand.
    Openai,
}

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

/// `[store]`: how long things are kept. Only the user's and the administrator's files say so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct StoreConfig {
    /// Older things are removed.
    pub keep_days: u32,
    /// When more is in use, the oldest things are removed.
    pub max_size_mb: u32,
    /// What a recorded event survives.
    pub durability: StoreDurability,
}

impl Default for StoreConfig {
    fn default() -> Self {
        Self {
            keep_days: 30,
            max_size_mb: 1024,
            durability: StoreDurability::default(),
        }
    }
}

/// What a recorded event survives.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum StoreDurability {
    /// The sudden end of Bowline.
    #[default]
    Process,
    /// The sudden end of the machine; every answer waits for the disk.
    Power,
}

/// `[bridge]`: hooks of other agents.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct BridgeConfig {
    /// Whether the hooks in Claude Code's files run for agents that do not load them themselves. Only in projects that
    /// the user trusts.
    pub claude_hooks: bool,
}

/// `[effort]`: how efforts are watched over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct EffortConfig {
    /// How many tool calls an agent may make without a log entry; the next one is denied. An effort may say it for itself.
    pub block_after: u32,
    /// From this part of the context window on, in percent, the agent is told to leave a summary.
    pub overflow_percent: u32,
    /// What happens to an agent whose context is compacted by itself.
    pub on_auto_compaction: OnAutoCompaction,
}

impl Default for EffortConfig {
    fn default() -> Self {
        Self {
            block_after: 10,
            overflow_percent: 90,
            on_auto_compaction: OnAutoCompaction::default(),
        }
    }
}

/// What happens to an agent whose context is compacted by itself.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum OnAutoCompaction {
    /// It is recorded.
    #[default]
    Record,
    /// The agent's process is ended, for a supervisor to start it again. Only in an effort, and only the agent that called.
    End,
}

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

/// `[fleet]`: how a person learns what agents are doing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct FleetConfig {
    /// Whether the desktop shows a notification when an agent waits for a person.
    pub notify: bool,
}
