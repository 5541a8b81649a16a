//! What Bowline's own files say beside hooks and rules.

use std::collections::BTreeMap;

use super::guard::GuardConfig;
use super::sections::{
    BridgeConfig, Defaults, EffortConfig, FleetConfig, HandoverConfig, HttpConfig, LeaseConfig,
    PromptConfig, RecordConfig, StoreConfig,
};
use crate::dialect::Dialect;

/// What Bowline's own files say beside their hooks, after precedence: managed, local, project, global.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct Config {
    /// `[defaults]`: for hooks of Bowline's own files that say nothing themselves.
    pub defaults: Defaults,
    /// `[dialects]`: the rules that a file is read by, by its path relative to the project
    /// or to the folder of its `bowline.toml`.
    pub dialects: BTreeMap<String, Dialect>,
    /// `[guard]`: how strict the guards are.
    pub guard: GuardConfig,
    /// `[http]`: what HTTP hooks may do.
    pub http: HttpConfig,
    /// `[prompt]`: the model that prompt hooks ask.
    pub prompt: PromptConfig,
    /// `[record]`: how much is kept of what agents do.
    pub record: RecordConfig,
    /// `[store]`: how long it is kept.
    pub store: StoreConfig,
    /// `[bridge]`: hooks of other agents.
    pub bridge: BridgeConfig,
    /// `[effort]`: how efforts are watched over.
    pub effort: EffortConfig,
    /// `[handover]`: what a new session is told about the one before.
    pub handover: HandoverConfig,
    /// `[leases]`: whether two sessions may write the same file.
    pub leases: LeaseConfig,
    /// `[fleet]`: how a person learns what agents are doing.
    pub fleet: FleetConfig,
    /// `locked`: keys and sections that only the administrator's file may set.
    pub locked: Vec<String>,
    /// `allow_managed_hooks_only`: only the administrator's hooks run.
    pub allow_managed_hooks_only: bool,
    /// Why what a person let pass with `bowline allow` does not count, if the administrator keeps that to himself.
    pub allow_locked: Option<String>,
}
