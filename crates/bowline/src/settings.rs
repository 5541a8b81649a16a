//! Settings files: find, read, check, merge.

mod diagnostic;
mod fields;
mod findings;
mod hook_action;
mod hook_fields;
mod hook_policy;
mod json;
mod limits;
mod matcher_field;
mod model;
mod node;
mod read;
mod shape;
mod timeouts;
mod toml;
mod traps;
mod yaml;

pub use diagnostic::{Diagnostic, Severity};
pub use model::{
    Action, CommandAction, Dedupe, ExitPolicy, HookDefinition, HttpAction, Origin, Plugin,
    PromptAction, Scope, Shape, Timeout,
};
pub use read::{DialectChoice, Parsed, Source, Syntax, parse, parse_source, validate};
