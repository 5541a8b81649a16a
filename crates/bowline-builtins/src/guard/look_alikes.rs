//! Judges whether the characters of commands and names are what they look like.

use std::sync::Arc;

use async_trait::async_trait;
use bowline::hooks::{Hook, HookContext, HookEvent, HookInput, HookOutput, Match, RunPolicy};
use bowline_guard::tool_call::{is_file_tool, judge_looks, judge_names, runs_a_shell};

use super::{EVENTS, Guards, PRIORITY, run_policy};

/// The guard for characters that deceive the eye.
#[derive(Debug)]
pub struct LookAlikeGuard(pub Arc<Guards>);

#[async_trait]
impl Hook for LookAlikeGuard {
    fn name(&self) -> &str {
        "guard:look-alikes"
    }

    fn events(&self) -> &[HookEvent] {
        EVENTS
    }

    fn priority(&self) -> i32 {
        PRIORITY
    }

    fn policy(&self) -> RunPolicy {
        run_policy()
    }

    fn matches(&self, input: &HookInput) -> Match {
        match input.tool_name() {
            Some(tool) if runs_a_shell(tool) || is_file_tool(tool) => Match::Yes,
            tool => Match::No(format!(
                "{} neither runs a shell nor touches files",
                tool.unwrap_or("it")
            )),
        }
    }

    async fn execute(&self, input: HookInput, ctx: &HookContext) -> bowline::Result<HookOutput> {
        let Self(guards) = self;
        let call = guards.call(&input, ctx);
        let policy = &call.policy.guard;
        let verdict = match call.fields.command.filter(|_| runs_a_shell(call.tool)) {
            Some(command) => {
                let judgement = guards.analyst.judge(command, &input, ctx);
                judge_looks(command, &judgement, call.world(), policy)
            }
            None => judge_names(call.tool, &call.fields, call.world(), policy),
        };
        Ok(guards.answer(&verdict, call.policy.mode, &input, ctx))
    }
}
