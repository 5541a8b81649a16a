//! Settings files: find, read, check, merge.
//!
//! | folder | what it does |
//! |---|---|
//! | `files` | where settings files are; reads them within limits |
//! | `syntax` | text → a tree that knows its places in the file; what is wrong with it |
//! | `hooks` | trees → hooks, in the order in which they run |
//! | `rules` | `[[rule]]` |
//! | `keys` | all other keys of Bowline's own files: described once, read, resolved; JSON schema and reference page |
//! | `claude` | Claude Code's files |
//! | `trust` | what the user agreed to |
//! | `load` | all files of a project → [`Settings`] |

mod claude;
mod files;
mod hooks;
mod keys;
mod load;
mod rules;
mod syntax;
mod trust;

pub use bowline_agents::Strictness;
pub use claude::hooks::ClaudeHooks;
#[cfg(feature = "mcp")]
pub(crate) use claude::mcp_servers::NoServer;
pub use claude::mcp_servers::{McpServers, ProjectServers};
pub use claude::plugins::plugin_files;
pub use claude::sensitive::{SensitiveFiles, SensitivePattern};
pub use claude::steering::{ProjectVariable, Sight, Steers, project_variables};
pub use files::locations::{Locations, find_bowline_root, find_project, main_checkout};
pub use hooks::merge::{HookStatus, LoadedHook, merge};
pub use hooks::model::{
    Action, AgentAction, CommandAction, Dedupe, ExitPolicy, HookDefinition, HttpAction,
    McpToolAction, Origin, Plugin, PromptAction, Scope, Shape, Timeout,
};
pub use hooks::programs::program_findings;
pub use hooks::read::{DialectChoice, Parsed, Source, Syntax, parse, parse_source, validate};
pub use hooks::scripts::{script_findings, scripts};
pub use hooks::unmatched::matcher_findings;
pub use keys::sections::*;
pub use keys::{
    GuardAllow, GuardConfig, GuardLayer, GuardMode, Preset, SecretWriting, SensitiveConfig,
    SettingKey, SettingSource, SettingStatus, StatedSetting, TemplateFor, UnfitForPreset,
    json_schema, presets_page, setting_keys, settings_page, settings_template, with_preset,
};
pub use load::check::{FileReport, check_file, rules_with};
pub use load::loader::{load, load_without_project};
pub use load::settings::{FileKind, FileStatus, Settings, SettingsFile};
pub use rules::definition::{
    ExampleCall, Expected, FilePosition, LoadedRule, MeantTool, RuleDefinition, RuleExample,
    RuleOrigin, RuleStatus, RuleVerdict, Written,
};
pub use syntax::diagnostic::{Diagnostic, Severity};
pub use syntax::json::{NotJson, not_json};
pub use trust::allowances::{
    Allowance, AllowanceStore, AllowedCall, Caller, Lasts, Occasion, Reach, Use, Wish,
};
pub use trust::amend::LocalFile;
pub use trust::store::{TrustEntry, TrustState, TrustStore};
