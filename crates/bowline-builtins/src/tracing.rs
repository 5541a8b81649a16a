//! What happened, for the store: tool calls from start to end, prompts, sessions, work handed to sub-agents.
//!
//! [`Tracing`] is a hook like any other. When an event is decided it notes what that means for the store, without
//! secrets, in a [`Journal`]; whoever triggered the event takes it out as a record and hands that to the store, so that
//! the decision and what follows from it are kept together or not at all. No daemon is needed for that:
//!
//! ```
//! use std::collections::HashMap;
//! use std::time::Instant;
//!
//! use bowline::hooks::{HookContext, HookInput, HookManager};
//! use bowline::settings::RecordConfig;
//! use bowline_builtins::tracing::{CALL_VARIABLE, DecidedEvent, Journal, Tracing};
//! use bowline_store::{Enforcement, Options, SqliteStore, Store};
//! use serde_json::json;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! let store = SqliteStore::open(Options::new(folder.path().join("data")))?;
//! let journal = Journal::new();
//! let mut manager = HookManager::new();
//! manager.register(Tracing::new(journal.clone(), RecordConfig::default()));
//!
//! let input = HookInput::pre_tool_use("s1", "Bash", json!({ "command": "ls", "api_key": "hush" }))
//!     .with_field("tool_use_id", "toolu_1");
//! // Every event has an id of its own, under which its notes are found again.
//! let call = "event-1";
//! let ctx = HookContext::new("s1").with_env(HashMap::from([(CALL_VARIABLE.into(), call.into())]));
//! let started = Instant::now();
//! let result = manager.trigger(input.clone(), &ctx).await;
//! let record = journal.record(DecidedEvent {
//!     call,
//!     time: chrono::Utc::now(),
//!     agent: "my-agent",
//!     project: None,
//!     input: &input,
//!     ctx: &ctx,
//!     result: &result,
//!     enforcement: Enforcement::Enforced,
//!     duration: started.elapsed(),
//!     scope_of: &|_hook| None,
//! });
//! if let Some(record) = record {
//!     store.submit(record, Box::new(|_outcome| {}));
//! }
//! store.flush()?;
//! let trace = store.get_trace("toolu_1")?.ok_or("there is no such trace")?;
//! assert_eq!(trace.input, Some(json!({ "command": "ls", "api_key": "[REDACTED]" })));
//! # Ok(())
//! # }
//! ```

mod changes;
mod detail;
pub(crate) mod digest;
mod journal;
mod response;

use std::sync::Arc;

use async_trait::async_trait;
use bowline::hooks::{
    Background, Decision, Hook, HookContext, HookEvent, HookInput, Opinion, RunMode, RunPolicy,
};
use bowline::settings::RecordConfig;
use bowline_store::Store;
use chrono::Utc;
use tokio::time::Instant;

use changes::{Course, changes};
pub use journal::{DecidedEvent, Journal};
use journal::{Noted, Notes};

/// The variable of the context that holds the id of the event that is decided.
pub const CALL_VARIABLE: &str = "BOWLINE_CALL_ID";

/// Variables of the context that switch tracking off, if [`disables`] says so of their value.
pub const DISABLING_VARIABLES: &[&str] =
    &["BOWLINE_DISABLE_TRACKING", "HTMLGRAPH_DISABLE_TRACKING"];

/// Whether the value of such a variable switches tracking off: all do that do not deny it.
pub fn disables(value: &str) -> bool {
    !matches!(
        value.trim().to_ascii_lowercase().as_str(),
        "" | "0" | "false" | "no" | "off"
    )
}

/// Background hooks whose failures are kept with the figures of hooks: the event that started them was recorded long before.
pub fn noting_failures(store: Arc<dyn Store>) -> Background {
    Background::telling(move |hook, error, ctx| {
        if !is_switched_off(ctx) {
            store.note_failure(hook, Utc::now(), &detail::reason(&error.to_string()));
        }
    })
}

/// The hook's name.
pub(crate) const NAME: &str = "trace";
pub(crate) const SUMMARY: &str =
    "keeps tool calls, prompts, sessions and delegations, without secrets";

/// The events that mean something for traces, sessions and delegations. All others are kept as events alone.
const EVENTS: &[HookEvent] = &[
    HookEvent::PreToolUse,
    HookEvent::PermissionDenied,
    HookEvent::PostToolUse,
    HookEvent::PostToolUseFailure,
    HookEvent::PostToolBatch,
    HookEvent::UserPromptSubmit,
    HookEvent::SessionStart,
    HookEvent::SessionEnd,
    HookEvent::SubagentStart,
    HookEvent::SubagentStop,
];

/// Notes what decided events mean for the store.
///
/// It needs [`CALL_VARIABLE`] in the context: without an id nobody could take the notes out again.
#[derive(Debug)]
pub struct Tracing {
    journal: Journal,
    detail: RecordConfig,
}

impl Tracing {
    /// A hook that notes in this journal, in this detail.
    pub fn new(journal: Journal, detail: RecordConfig) -> Self {
        Self { journal, detail }
    }
}

#[async_trait]
impl Hook for Tracing {
    fn name(&self) -> &str {
        NAME
    }

    fn events(&self) -> &[HookEvent] {
        EVENTS
    }

    fn priority(&self) -> i32 {
        crate::guard::PRIORITY
    }

    fn policy(&self) -> RunPolicy {
        let mut policy = RunPolicy::observer();
        policy.mode = RunMode::Told;
        policy
    }

    async fn decided(&self, input: &HookInput, decision: &Opinion, ctx: &HookContext) {
        let Some(call) = ctx.env.get(CALL_VARIABLE) else {
            return;
        };
        if is_switched_off(ctx) {
            return;
        }
        let started = Instant::now();
        let changes = |course| changes(input, course, self.detail);
        let notes = match decision.decision() {
            // Only whoever answers knows whether the agent obeys.
            Decision::Deny => Notes::Denied {
                obeyed: changes(Course::Stopped(decision.stop_reason.as_deref())),
                ignored: changes(Course::Free),
            },
            Decision::Ask => {
                Notes::Settled(changes(Course::Asked(decision.stop_reason.as_deref())))
            }
            Decision::NoOpinion | Decision::Grant => Notes::Settled(changes(Course::Free)),
        };
        self.journal.note(
            call,
            Noted {
                notes,
                took: started.elapsed(),
            },
        );
    }
}

/// Whether the caller wants nothing to be kept.
fn is_switched_off(ctx: &HookContext) -> bool {
    DISABLING_VARIABLES
        .iter()
        .any(|name| ctx.env.get(*name).is_some_and(|value| disables(value)))
}
