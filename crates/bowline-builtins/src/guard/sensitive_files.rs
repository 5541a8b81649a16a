//! Judges the files that a tool would read or change.

use std::sync::Arc;

use async_trait::async_trait;
use bowline::hooks::{Hook, HookContext, HookEvent, HookInput, HookOutput, Match, RunPolicy};
use bowline_guard::tool_call::{is_file_tool, judge_files, note_on_file};

use super::{EVENTS, Guards, PRIORITY, run_policy};

/// The guard for files that hold secrets, and for the settings of the guards themselves.
#[derive(Debug)]
pub struct SensitiveFileGuard(pub Arc<Guards>);

#[async_trait]
impl Hook for SensitiveFileGuard {
    fn name(&self) -> &str {
        "guard:sensitive-files"
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
            Some(tool) if is_file_tool(tool) => Match::Yes,
            tool => Match::No(format!("{} touches no files", tool.unwrap_or("it"))),
        }
    }

    async fn execute(&self, input: HookInput, ctx: &HookContext) -> bowline::Result<HookOutput> {
        let Self(guards) = self;
        let call = guards.call(&input, ctx);
        let verdict = judge_files(call.tool, &call.fields, call.world(), &call.policy.guard);
        let answer = guards.answer(&verdict, call.policy.mode, &input, ctx);
        Ok(match note_on_file(call.tool, &call.fields, call.world()) {
            Some(note) => answer.warning(note),
            None => answer,
        })
    }
}
