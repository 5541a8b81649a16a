//! Tells an agent about patterns in the tools that it uses one after another.

use std::sync::Arc;

use async_trait::async_trait;
use bowline::hooks::{Hook, HookContext, HookEvent, HookInput, Match, Opinion, RunPolicy};
use bowline_agents::Tool;
use bowline_guidance::tool_patterns::{History, Used};

use super::Ground;
use crate::assemble::BuiltinHook;
use crate::recorder::subagent_of;

const NAME: &str = "tool-patterns";
const SUMMARY: &str = "tells an agent about patterns in the tools that it uses";

#[derive(Debug)]
pub(super) struct ToolPatterns {
    ground: Arc<Ground>,
}

impl ToolPatterns {
    pub(super) fn builtin(ground: &Arc<Ground>) -> Option<BuiltinHook> {
        let is_on = ground.config.advice.tool_patterns;
        let ground = Arc::clone(ground);
        is_on.then(|| BuiltinHook::of_all_tools(Self { ground }, SUMMARY))
    }
}

fn used(tool: &str) -> Used {
    match Tool::named(tool) {
        Tool::Shell | Tool::PowerShell => Used::Bash,
        Tool::Write | Tool::Edit => Used::Edit,
        Tool::Grep | Tool::Glob => Used::Grep,
        Tool::Read => Used::Read,
        _ => Used::Other,
    }
}

#[async_trait]
impl Hook for ToolPatterns {
    fn name(&self) -> &str {
        NAME
    }

    fn events(&self) -> &[HookEvent] {
        &[HookEvent::PostToolUse, HookEvent::PostToolUseFailure]
    }

    fn policy(&self) -> RunPolicy {
        RunPolicy::observer().whole()
    }

    fn matches(&self, input: &HookInput) -> Match {
        // The calls of sub-agents come between those of their agent, in no order.
        match subagent_of(input) {
            Some(_) => Match::No("it is a sub-agent's call".to_owned()),
            None => Match::Yes,
        }
    }

    async fn opinion(&self, input: &HookInput, ctx: &HookContext) -> bowline::Result<Opinion> {
        let used = used(input.tool_name().unwrap_or_default());
        let now = input.timestamp.timestamp();
        let memory = &self.ground.memory;
        let remarks = memory.of_session(NAME, input, ctx, |history: &mut History| {
            history.add(used, now)
        });
        let mut opinion = Opinion::allow();
        for remark in remarks {
            let values: Vec<(&str, &str)> = remark
                .values
                .iter()
                .map(|(name, value)| (*name, value.as_str()))
                .collect();
            let advice = &self.ground.advice;
            let said = advice.first(input, ctx, remark.text, "", &values);
            opinion = said.into_iter().fold(opinion, Opinion::context);
        }
        Ok(opinion)
    }
}
