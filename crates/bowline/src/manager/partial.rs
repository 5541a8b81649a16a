//! A hook that was taken back for some of its events.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use regex::Regex;

use crate::context::HookContext;
use crate::error::Result;
use crate::event::HookEvent;
use crate::hook::{Hook, Match, RunPolicy};
use crate::input::HookInput;
use crate::opinion::Opinion;

/// The same hook, for fewer events.
pub(super) struct Partial {
    pub(super) hook: Arc<dyn Hook>,
    pub(super) events: Vec<HookEvent>,
}

#[async_trait]
impl Hook for Partial {
    fn name(&self) -> &str {
        self.hook.name()
    }

    fn events(&self) -> &[HookEvent] {
        &self.events
    }

    fn tool_matcher(&self) -> Option<&Regex> {
        self.hook.tool_matcher()
    }

    fn timeout_secs(&self) -> u64 {
        self.hook.timeout_secs()
    }

    fn timeout(&self) -> Duration {
        self.hook.timeout()
    }

    fn priority(&self) -> i32 {
        self.hook.priority()
    }

    fn policy(&self) -> RunPolicy {
        self.hook.policy()
    }

    fn matches(&self, input: &HookInput) -> Match {
        self.hook.matches(input)
    }

    async fn opinion(&self, input: &HookInput, ctx: &HookContext) -> Result<Opinion> {
        self.hook.opinion(input, ctx).await
    }

    async fn decided(&self, input: &HookInput, decision: &Opinion, ctx: &HookContext) {
        self.hook.decided(input, decision, ctx).await;
    }
}
