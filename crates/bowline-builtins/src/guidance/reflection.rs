//! Asks an agent, after it ran code, whether that was the way to go.

use std::sync::Arc;

use async_trait::async_trait;
use bowline::hooks::{Hook, HookContext, HookEvent, HookInput, Match, Opinion, RunPolicy};
use bowline_agents::Tool;
use bowline_guidance::{reflection, text};

use super::Ground;
use crate::assemble::BuiltinHook;

const NAME: &str = "reflection";
const SUMMARY: &str = "asks an agent that ran code whether a sub-agent could go on";

#[derive(Debug)]
pub(super) struct Reflection {
    ground: Arc<Ground>,
}

impl Reflection {
    pub(super) fn builtin(ground: &Arc<Ground>) -> Option<BuiltinHook> {
        let ground = Arc::clone(ground);
        let is_on = ground.config.advice.reflection;
        is_on.then(|| BuiltinHook::of_all_tools(Self { ground }, SUMMARY))
    }
}

#[async_trait]
impl Hook for Reflection {
    fn name(&self) -> &str {
        NAME
    }

    fn events(&self) -> &[HookEvent] {
        &[HookEvent::PostToolUse]
    }

    fn policy(&self) -> RunPolicy {
        RunPolicy::observer().whole()
    }

    fn matches(&self, input: &HookInput) -> Match {
        let runs_a_shell = input
            .tool_name()
            .is_some_and(|tool| Tool::named(tool).runs_a_shell());
        let command = input.command().filter(|_| runs_a_shell);
        match command {
            Some(command) if reflection::is_worth_it(command) => Match::Yes,
            _ => Match::No("it runs no code".to_owned()),
        }
    }

    async fn opinion(&self, input: &HookInput, ctx: &HookContext) -> bowline::Result<Opinion> {
        let command = text::preview(input.command().unwrap_or_default(), reflection::PREVIEW);
        let values = [("command", command.as_str())];
        let advice = &self.ground.advice;
        let said = advice.once(input, ctx, &reflection::AFTER_RUN, "", &values);
        Ok(said.map_or_else(Opinion::allow, |text| Opinion::allow().context(text)))
    }
}
