//! Asks for a work item before files are changed.

use std::sync::Arc;

use async_trait::async_trait;
use bowline::hooks::{Hook, HookContext, HookEvent, HookInput, Match, Opinion, RunPolicy};
use bowline::settings::WorkItems as Mode;
use bowline_agents::Tool;
use bowline_guidance::call::CallKind;
use bowline_guidance::work::{ADVISED, ADVISED_ELSEWHERE, REQUIRED, REQUIRED_ELSEWHERE};

use super::Ground;
use super::tracker::{Asked, Tracker};
use crate::assemble::BuiltinHook;

const NAME: &str = "work-items";
const SUMMARY: &str = "asks for a work item before files are changed";

/// The rule under which a change without a work item is denied.
const RULE: &str = "work.item-required";

/// Before the guards, as the orchestrator is.
const PRIORITY: i32 = crate::guard::PRIORITY + 1;

#[derive(Debug)]
pub(super) struct WorkItems {
    ground: Arc<Ground>,
}

impl WorkItems {
    /// None where nobody asks for work items.
    pub(super) fn builtin(ground: &Arc<Ground>) -> Option<BuiltinHook> {
        if ground.config.work.items == Mode::Off {
            return None;
        }
        let runs_a_command = matches!(ground.tracker, Tracker::Command(_));
        let ground = Arc::clone(ground);
        let builtin = BuiltinHook::of_all_tools(Self { ground }, SUMMARY);
        Some(if runs_a_command {
            builtin.with_programs()
        } else {
            builtin
        })
    }

    fn without_item(&self, input: &HookInput, ctx: &HookContext) -> Opinion {
        let advice = &self.ground.advice;
        let tracker = self.ground.tracker.elsewhere();
        let values = tracker.iter().map(|it| ("tracker", it.as_str()));
        let values: Vec<_> = values.collect();
        if self.ground.config.work.items == Mode::Require {
            let text = tracker.as_ref().map_or(&REQUIRED, |_| &REQUIRED_ELSEWHERE);
            // A reason that a person has switched off is still a reason.
            let reason = advice.render(text, &values);
            let reason = reason.unwrap_or_else(|| "CREATE_WORK_ITEM".to_owned());
            return Opinion::block(reason).by_rule(RULE);
        }
        let text = tracker.as_ref().map_or(&ADVISED, |_| &ADVISED_ELSEWHERE);
        let said = advice.once(input, ctx, text, "", &values);
        said.map_or_else(Opinion::allow, |text| Opinion::allow().context(text))
    }
}

#[async_trait]
impl Hook for WorkItems {
    fn name(&self) -> &str {
        NAME
    }

    fn events(&self) -> &[HookEvent] {
        &[HookEvent::PreToolUse]
    }

    fn priority(&self) -> i32 {
        PRIORITY
    }

    fn policy(&self) -> RunPolicy {
        RunPolicy::fail_open().whole()
    }

    fn matches(&self, input: &HookInput) -> Match {
        let may_change = |part: &HookInput| {
            let tool = Tool::named(part.tool_name().unwrap_or_default());
            tool.changes_a_file() || tool.runs_a_shell()
        };
        if input.parts().any(|part| may_change(&part)) {
            return Match::Yes;
        }
        Match::No("it changes no file".to_owned())
    }

    async fn opinion(&self, input: &HookInput, ctx: &HookContext) -> bowline::Result<Opinion> {
        if self.ground.kind_of(input, ctx, &[]) != CallKind::Edits {
            return Ok(Opinion::allow());
        }
        Ok(
            match self.ground.tracker.ask(&input.session_id, ctx).await {
                Asked::Known(Some(_)) => Opinion::allow(),
                Asked::Known(None) => self.without_item(input, ctx),
                Asked::Unknown(why) => {
                    let warning = format!("nobody knows the active work item: {why}");
                    Opinion::allow().warning(warning)
                }
            },
        )
    }
}
