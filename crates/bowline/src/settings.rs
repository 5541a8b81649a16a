//! Settings files: find, read, check, merge.

mod allowances;
mod check;
mod claude_hooks;
mod diagnostic;
mod fields;
mod files;
mod findings;
mod front_matter;
mod hook_action;
mod hook_fields;
mod hook_keys;
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
mod rule_keys;
mod rules;
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
pub use diagnostic::{Diagnostic, Severity};
pub use json::{NotJson, not_json};
pub use keys::{
    BridgeConfig, Config, Defaults, GuardAllow, GuardAnswer, GuardConfig, GuardLayer, GuardMode,
    HttpConfig, ModelProvider, PromptConfig, RecordConfig, RecordDetail, SecretWriting,
    SensitiveConfig, StoreConfig, StoreDurability, json_schema, settings_page,
};
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
pub use scripts::{script_findings, scripts};
pub use sensitive::{SensitiveFiles, SensitivePattern};
pub use steering::{ProjectVariable, Sight, Steers, project_variables};
pub use trust::{TrustEntry, TrustState, TrustStore};
pub use unmatched::matcher_findings;
