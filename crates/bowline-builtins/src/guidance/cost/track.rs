//! Counts what an agent used, while nobody waits for it.

use std::sync::Arc;

use async_trait::async_trait;
use bowline::hooks::{Hook, HookContext, HookEvent, HookInput, Match, Opinion, RunPolicy};

use super::super::Ground;
use super::is_limited;
use crate::assemble::BuiltinHook;

const NAME: &str = "cost-track";
const SUMMARY: &str = "counts from its transcripts what an agent used";

#[derive(Debug)]
pub(in crate::guidance) struct Track {
    ground: Arc<Ground>,
}

impl Track {
    pub(in crate::guidance) fn builtin(ground: &Arc<Ground>) -> Option<BuiltinHook> {
        let ground = Arc::clone(ground);
        let config = &ground.config.cost;
        let is_on = config.track || is_limited(config);
        is_on.then(|| BuiltinHook::of_all_tools(Self { ground }, SUMMARY))
    }
}

#[async_trait]
impl Hook for Track {
    fn name(&self) -> &str {
        NAME
    }

    fn events(&self) -> &[HookEvent] {
        &[
            HookEvent::PostToolUse,
            HookEvent::PostToolUseFailure,
            HookEvent::Stop,
            HookEvent::SubagentStop,
            HookEvent::SessionEnd,
        ]
    }

    fn policy(&self) -> RunPolicy {
        RunPolicy::background().whole()
    }

    fn matches(&self, input: &HookInput) -> Match {
        if input.transcript_path().is_none() {
            return Match::No("the agent names no transcript".to_owned());
        }
        Match::Yes
    }

    async fn opinion(&self, input: &HookInput, _: &HookContext) -> bowline::Result<Opinion> {
        let (ground, input) = (Arc::clone(&self.ground), input.clone());
        // Files and the store are waited for elsewhere.
        let read = tokio::task::spawn_blocking(move || ground.spending.refresh(&input));
        match read.await {
            Ok(Err(error)) => tracing::debug!("costs were not counted: {error}"),
            Err(error) => tracing::debug!("costs were not counted: {error}"),
            Ok(Ok(_)) => {}
        }
        Ok(Opinion::allow())
    }
}
