//! Settings files: find, read, check, merge.

mod diagnostic;
mod model;
mod read;

pub use diagnostic::{Diagnostic, Severity};
pub use model::{
    Action, CommandAction, Dedupe, ExitPolicy, HookDefinition, HttpAction, Origin, Plugin,
    PromptAction, Scope, Shape, Timeout,
};
pub use read::{DialectChoice, Parsed, Source, Syntax, parse, parse_source};
