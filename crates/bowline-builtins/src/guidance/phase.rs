//! Sends an orchestrator that has completed a phase to the agent that validates it.

use std::sync::Arc;

use async_trait::async_trait;
use bowline::hooks::{Hook, HookContext, HookEvent, HookInput, Match, Opinion, RunPolicy};
use bowline_guidance::checkpoint;

use super::Ground;
use super::report::{self, Report, Sent};
use crate::assemble::BuiltinHook;

const NAME: &str = "phase-checkpoint";
const SUMMARY: &str = "sends a completed phase to the agent that validates it";
/// After the tests, before handoffs.
const PRIORITY: i32 = 20;

#[derive(Debug)]
pub(super) struct PhaseCheckpoint {
    ground: Arc<Ground>,
}

impl PhaseCheckpoint {
    pub(super) fn builtin(ground: &Arc<Ground>) -> Option<BuiltinHook> {
        let ground = Arc::clone(ground);
        let is_on = ground.config.tests.phases;
        is_on.then(|| BuiltinHook::of_all_tools(Self { ground }, SUMMARY))
    }
}

#[async_trait]
impl Hook for PhaseCheckpoint {
    fn name(&self) -> &str {
        NAME
    }

    fn events(&self) -> &[HookEvent] {
        report::EVENTS_OF_ROUTES
    }

    fn priority(&self) -> i32 {
        PRIORITY
    }

    fn policy(&self) -> RunPolicy {
        RunPolicy::fail_open().whole()
    }

    fn matches(&self, input: &HookInput) -> Match {
        report::may_come_with(input)
    }

    async fn opinion(&self, input: &HookInput, ctx: &HookContext) -> bowline::Result<Opinion> {
        let ground = &self.ground;
        let Some(report) = Report::to_follow(&ground.memory, input, ctx) else {
            return Ok(Opinion::allow());
        };
        if Sent::of(ctx).is_set() || !checkpoint::completes_phase(&report.agent, &report.text) {
            return Ok(Opinion::allow());
        }
        let validator = ground.config.tests.validator.as_str();
        let values = [("agent", report.agent.as_str()), ("target", validator)];
        let Some(text) = ground.advice.render(&checkpoint::VALIDATE, &values) else {
            return Ok(Opinion::allow());
        };
        if !report::is_first(&ground.memory, NAME, &report, input, ctx) {
            return Ok(Opinion::allow());
        }
        Sent::of(ctx).set();
        Ok(Report::send(text, input).by_rule("checkpoint.phase"))
    }
}
