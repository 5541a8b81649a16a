//! Everything for writing, finding and running hooks.

pub use async_trait::async_trait;
pub use chrono::{DateTime, Utc};
pub use regex::Regex;
pub use tokio_util::sync::CancellationToken;

pub use bowline_agents::Answer;

pub use crate::answerer::{Answerer, PersonsAnswer, PersonsVerdict};
pub use crate::condition::Condition;
pub use crate::configured::{CommandHook, Services};
pub use crate::context::{Extensions, HookContext, Recording};
pub use crate::decision::Decision;
pub use crate::dialect::{self, Completeness, Dialect, Exit, RawOutput};
pub use crate::duration::humane as humane_duration;
pub use crate::event::{EventClass, HookEvent, UnknownEvent};
pub use crate::execution::{
    EnvironmentPolicy, ExecutionContext, PathRefused, Secrets, SecurityContext,
};
pub use crate::hook::{
    Activation, Attempts, FnHook, Hook, Match, OnFailure, Parts, Repeat, RunMode, RunPolicy,
};
pub use crate::input::{HookEventData, HookInput, ToolOutput};
pub use crate::manager::{
    Background, DEFAULT_TIMEOUT_CAP, HookManager, HookRun, RunStatus, TriggerResult,
};
pub use crate::matcher::Matcher;
pub use crate::merge::merge;
pub use crate::opinion::{Observed, Opinion, Permission};
pub use crate::output::HookOutput;
pub use crate::payload::{
    MAX_PAYLOAD_BYTES, MAX_PAYLOAD_DEPTH, PayloadError, event_named, parse_payload,
};
pub use crate::rule::{HookAction, HookRule};
pub use crate::runner::command::EnvBase;
#[cfg(feature = "http")]
pub use crate::runner::http::HttpPolicy;
pub use crate::script::{ExecutionResult, ScriptExecutor};
pub use crate::settings;
