//! Judges what a shell command would do.

use std::sync::Arc;

use async_trait::async_trait;
use bowline::hooks::{Hook, HookContext, HookEvent, HookInput, HookOutput, Match, RunPolicy};
use bowline_guard::tool_call::{judge_command, no_command, notes_on_command, runs_a_shell};

use super::{EVENTS, Guards, PRIORITY, run_policy};

/// The guard for commands that destroy, disclose, or run what nobody has seen.
#[derive(Debug)]
pub struct CommandGuard(pub Arc<Guards>);

#[async_trait]
impl Hook for CommandGuard {
    fn name(&self) -> &str {
        "guard:commands"
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
            Some(tool) if runs_a_shell(tool) => Match::Yes,
            tool => Match::No(format!("{} runs no shell", tool.unwrap_or("it"))),
        }
    }

    async fn execute(&self, input: HookInput, ctx: &HookContext) -> bowline::Result<HookOutput> {
        let Self(guards) = self;
        let call = guards.call(&input, ctx);
        let Some(command) = call.fields.command else {
            let verdict = no_command(call.tool);
            return Ok(guards.answer(&verdict, call.policy.mode, &input, ctx));
        };
        let judgement = guards.analyst.judge(command, &input, ctx);
        let verdict = judge_command(&judgement, call.world(), &call.policy.guard);
        let answer = guards.answer(&verdict, call.policy.mode, &input, ctx);
        Ok(notes_on_command(&judgement)
            .into_iter()
            .fold(answer, HookOutput::warning))
    }
}
