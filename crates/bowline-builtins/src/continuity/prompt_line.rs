//! Tells an agent in one line, with each prompt, where it is: task, skill, phase, calls since the last log entry.

use std::sync::Arc;

use async_trait::async_trait;
use bowline::hooks::{Hook, HookContext, HookEvent, HookInput, Match, Opinion, RunPolicy};
use bowline_continuity::prompt_line::PromptLine;
use serde_json::json;

use super::Ground;
use super::caller::who;
use crate::assemble::BuiltinHook;

const NAME: &str = "effort-line";
const SUMMARY: &str = "tells an agent in an effort with each prompt where it is";

#[derive(Debug)]
pub(super) struct PromptContext {
    ground: Arc<Ground>,
}

impl PromptContext {
    pub(super) fn builtin(ground: &Arc<Ground>) -> BuiltinHook {
        let ground = Arc::clone(ground);
        BuiltinHook::of_all_tools(Self { ground }, SUMMARY)
    }
}

#[async_trait]
impl Hook for PromptContext {
    fn name(&self) -> &str {
        NAME
    }

    fn events(&self) -> &[HookEvent] {
        &[HookEvent::UserPromptSubmit]
    }

    fn policy(&self) -> RunPolicy {
        RunPolicy::observer().whole()
    }

    fn matches(&self, input: &HookInput) -> Match {
        self.ground.matches_in_effort(input)
    }

    async fn opinion(&self, input: &HookInput, ctx: &HookContext) -> bowline::Result<Opinion> {
        let who = who(input, ctx, &self.ground.project);
        let limit = self.ground.config.effort.block_after;
        let told = self
            .ground
            .live
            .in_effort(&who, ctx, |effort, state, known| {
                known.join(effort, input, ctx);
                let line = PromptLine::active(input.timestamp, effort, state.heartbeat, limit);
                let mut opinion = Opinion::allow().context(line.to_string());
                opinion.facts = super::as_map(json!({
                    "sessionContext": line.to_string(),
                    "effortId": effort.id,
                    "sessionId": input.session_id,
                    "taskDir": effort.task,
                    "skill": effort.skill,
                    "phase": effort.phase,
                    "heartbeat": line.beats(),
                }));
                opinion
            });
        Ok(told.unwrap_or_default())
    }
}
