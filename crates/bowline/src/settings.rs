//! Settings files: find, read, check, merge.

mod allowances;
mod check;
mod claude_hooks;
mod config;
mod diagnostic;
mod fields;
mod files;
mod findings;
mod front_matter;
mod guard;
mod guard_doubts;
mod hook_action;
mod hook_fields;
mod hook_policy;
mod ids;
mod json;
mod keys;
mod ledger_file;
mod limits;
mod load;
mod locations;
mod matcher_field;
mod mcp_servers;
mod merge;
mod model;
mod node;
mod plugins;
mod programs;
mod read;
mod repository;
mod rule;
mod rule_examples;
mod rule_fields;
mod rules;
#[cfg(feature = "schema")]
mod schema;
mod script_hashes;
mod scripts;
mod sensitive;
mod shape;
mod steering;
mod switches;
mod timeouts;
mod toml;
mod traps;
mod tree;
mod trust;
mod unmatched;
mod url_patterns;
mod yaml;

pub use allowances::{
    Allowance, AllowanceStore, AllowedCall, Caller, Lasts, Occasion, Reach, Use, Wish,
};
pub use check::{FileReport, check_file};
pub use claude_hooks::ClaudeHooks;
pub use config::{
    BridgeConfig, Config, Defaults, HttpConfig, ModelProvider, PromptConfig, RecordConfig,
    RecordDetail, StoreConfig, StoreDurability,
};
pub use diagnostic::{Diagnostic, Severity};
pub use guard::{
    GuardAllow, GuardAnswer, GuardConfig, GuardLayer, GuardMode, SecretWriting, SensitiveConfig,
};
pub use json::{NotJson, not_json};
pub use load::{FileKind, FileStatus, Settings, SettingsFile, load, load_without_project};
pub use locations::{Locations, find_bowline_root, find_project, main_checkout};
#[cfg(feature = "mcp")]
pub(crate) use mcp_servers::NoServer;
pub use mcp_servers::{McpServers, ProjectServers};
pub use merge::{HookStatus, LoadedHook, merge};
pub use model::{
    Action, AgentAction, CommandAction, Dedupe, ExitPolicy, HookDefinition, HttpAction,
    McpToolAction, Origin, Plugin, PromptAction, Scope, Shape, Timeout,
};
pub use plugins::plugin_files;
pub use programs::program_findings;
pub use read::{DialectChoice, Parsed, Source, Syntax, parse, parse_source, validate};
pub use rule::{
    ExampleCall, Expected, LoadedRule, MeantTool, Place, RuleDefinition, RuleExample, RuleOrigin,
    RuleStatus, RuleVerdict, Written,
};
#[cfg(feature = "schema")]
pub use schema::json_schema;
pub use scripts::{script_findings, scripts};
pub use sensitive::{SensitiveFiles, SensitivePattern};
pub use steering::{ProjectVariable, Sight, Steers, project_variables};
pub use trust::{TrustEntry, TrustState, TrustStore};
pub use unmatched::matcher_findings;
