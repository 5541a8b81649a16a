//! What happened, for the store: tool calls from start to end, prompts, sessions, work handed to sub-agents.
//!
//! [`Tracing`] is a hook like any other. When an event is decided it notes in the event's context what that means for the store,
//! without secrets. The caller that triggered the event makes a record of it with [`make_record`] and hands that to the store, so that
//! the decision and what follows from it are kept together or not at all. No daemon is needed for that:
//!
//! ```
//! use bowline::hooks::{HookContext, HookInput, HookManager};
//! use bowline::settings::RecordConfig;
//! use bowline_builtins::recorder::{Tracing, make_record};
//! use bowline_store::{Enforcement, Options, SqliteStore, Store};
//! use serde_json::json;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! let store = SqliteStore::open(Options::new(folder.path().join("data")))?;
//! let mut manager = HookManager::new();
//! manager.register(Tracing::new(RecordConfig::default()));
//!
//! let input = HookInput::pre_tool_use("s1", "Bash", json!({ "command": "ls", "api_key": "hush" }))
//!     .with_field("tool_use_id", "toolu_1");
//! let ctx = HookContext::new("s1").with_call_id("event-1").with_agent("my-agent");
//! let result = manager.trigger(input.clone(), &ctx).await;
//! let made = make_record(chrono::Utc::now(), &input, &ctx, &result, Enforcement::Enforced);
//! if let Some(record) = made {
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
mod failure;
mod pending;
mod record;
mod response;

use std::sync::Arc;

use async_trait::async_trait;
use bowline::hooks::{
    Background, Decision, Hook, HookContext, HookEvent, HookInput, Opinion, Recording, RunPolicy,
};
use bowline::settings::RecordConfig;
use bowline_store::Store;
use chrono::Utc;
use tokio::time::Instant;

use changes::{Course, changes, end_with_any_input};
pub(crate) use failure::{Ended, ended, kept_call, kept_failure, subject_of};
pub use pending::add_change;
use pending::{Meaning, PendingChanges};
pub use record::make_record;
pub(crate) use record::subagent_of;
pub(crate) use response::left_to;

/// Variables of a caller that switch recording off, if [`disables`] says so of their value. HtmlGraph is a tracker whose
/// hooks Bowline replaces: its switch keeps working.
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
        if ctx.recording() == Recording::On {
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
#[derive(Debug)]
pub struct Tracing {
    detail: RecordConfig,
}

impl Tracing {
    /// A hook that notes in this detail.
    pub fn new(detail: RecordConfig) -> Self {
        Self { detail }
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
        RunPolicy::told()
    }

    async fn decided(&self, input: &HookInput, decision: &Opinion, ctx: &HookContext) {
        // An event without an id gets no record.
        if ctx.recording() == Recording::Off || ctx.call_id().is_none() {
            return;
        }
        let started = Instant::now();
        let changes = |course| {
            let mut changes = changes(input, course, self.detail);
            if decision.rewritten_input().is_some() {
                end_with_any_input(&mut changes);
            }
            changes
        };
        let meaning = match decision.decision() {
            // Only the caller that answers knows whether the agent obeys.
            Decision::Deny => Meaning::Denied {
                obeyed: changes(Course::Stopped(decision.stop_reason.as_deref())),
                ignored: changes(Course::Free),
            },
            Decision::Ask => {
                Meaning::Settled(changes(Course::Asked(decision.stop_reason.as_deref())))
            }
            Decision::NoOpinion | Decision::Grant => Meaning::Settled(changes(Course::Free)),
        };
        PendingChanges::of(ctx).set_meaning(meaning, started.elapsed());
    }
}
