//! Tells an agent that its calls have little to do with what it works on.

use std::sync::Arc;

use async_trait::async_trait;
use bowline::hooks::{Hook, HookContext, HookEvent, HookInput, Match, Opinion, RunPolicy};
use bowline_agents::Tool;
use bowline_guidance::call::CallKind;
use bowline_guidance::drift::{self, Activity, Drift, Queue};
use bowline_guidance::text::preview;

use super::Ground;
use super::active_work::active_work;
use crate::assemble::BuiltinHook;
use crate::recorder::{kept_call, subagent_of, subject_of};

const NAME: &str = "drift";
const SUMMARY: &str = "tells an agent that its calls have little to do with its work";

/// The longest description of a call.
const PREVIEW: usize = 60;

#[derive(Debug)]
pub(super) struct Drifting {
    ground: Arc<Ground>,
}

impl Drifting {
    pub(super) fn builtin(ground: &Arc<Ground>) -> Option<BuiltinHook> {
        let is_on = ground.config.advice.drift;
        let ground = Arc::clone(ground);
        is_on.then(|| BuiltinHook::of_all_tools(Self { ground }, SUMMARY))
    }

    /// Whether a shell line tells what is worked on. To look around, to test and to commit is a part of any work.
    fn is_telling(&self, input: &HookInput, ctx: &HookContext) -> bool {
        let kind = self.ground.kind_of(input, ctx, &[]);
        matches!(kind, CallKind::Runs | CallKind::Edits)
    }
}

#[async_trait]
impl Hook for Drifting {
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
        // What a sub-agent does belongs to what it was asked for.
        if subagent_of(input).is_some() {
            return Match::No("a sub-agent has its own task".to_owned());
        }
        let tells = |part: &HookInput| {
            let tool = Tool::named(part.tool_name().unwrap_or_default());
            tool.is_for_files() || tool.runs_a_shell()
        };
        if input.parts().any(|part| tells(&part)) {
            return Match::Yes;
        }
        Match::No("it is not about files".to_owned())
    }

    async fn opinion(&self, input: &HookInput, ctx: &HookContext) -> bowline::Result<Opinion> {
        let Some(work) = active_work(&self.ground, input, ctx) else {
            return Ok(Opinion::allow());
        };
        let parts: Vec<_> = input.parts().collect();
        let files: Vec<&str> = parts.iter().filter_map(|it| it.file_path()).collect();
        let text = input.command().unwrap_or_default();
        let files = files.as_slice();
        let activity = Activity { files, text };
        let Some(far) = drift::drift(&work, activity) else {
            return Ok(Opinion::allow());
        };
        let tool = input.tool_name().unwrap_or_default();
        if Tool::named(tool).runs_a_shell() && !self.is_telling(input, ctx) {
            return Ok(Opinion::allow());
        }
        let call = preview(&format!("{tool} {}", subject_of(input)), PREVIEW);
        // What waits in the queue is kept.
        let kept = kept_call(self.ground.config.record, &call);
        let kept = kept.unwrap_or_else(|| tool.to_owned());
        let memory = &self.ground.memory;
        let drift = memory.of_session(NAME, input, ctx, |queue: &mut Queue| {
            if !queue.has_met(&work, activity) {
                return Drift::Near;
            }
            queue.add(far, &kept, input.timestamp)
        });
        let advice = &self.ground.advice;
        let said = match drift {
            Drift::Near => None,
            Drift::Away => {
                let values = [("call", call.as_str()), ("work", &work.name)];
                advice.first(input, ctx, &drift::AWAY, &work.name, &values)
            }
            Drift::OtherWork(calls) => {
                let calls = calls.join("; ");
                let values = [("calls", calls.as_str()), ("work", &work.name)];
                advice.once(input, ctx, &drift::OTHER_WORK, &work.name, &values)
            }
        };
        Ok(said.map_or_else(Opinion::allow, |text| Opinion::allow().context(text)))
    }
}
