//! Keeps an agent that coordinates from doing the work itself.

use std::sync::Arc;

use async_trait::async_trait;
use bowline::hooks::{Hook, HookContext, HookEvent, HookInput, Match, Opinion, RunPolicy};
use bowline::settings::{OrchestratorConfig, OrchestratorMode};
use bowline_guidance::call::CallKind;
use bowline_guidance::orchestrator::{
    DENIED, HINT, Kept, Limits, NAME, ProjectState, STOPPED, Suggestion, Verdict, suggestion,
};
use bowline_guidance::text::Text;
use chrono::TimeDelta;

use super::Ground;
use crate::assemble::BuiltinHook;
use crate::recorder::subagent_of;

const SUMMARY: &str = "keeps an agent that coordinates from doing the work itself";

/// The rule under which a call is denied that a sub-agent should make.
const DELEGATE_RULE: &str = "orchestrator.delegate";
/// The rule under which nearly everything is denied.
const BREAKER_RULE: &str = "orchestrator.breaker";

/// Before the guards, so that their judgement is not asked for where it does not matter, and after rewrites.
const PRIORITY: i32 = crate::guard::PRIORITY + 1;

#[derive(Debug)]
pub(super) struct Orchestrator {
    ground: Arc<Ground>,
}

impl Orchestrator {
    /// None where it is off.
    pub(super) fn builtin(ground: &Arc<Ground>) -> Option<BuiltinHook> {
        let is_on = ground.config.orchestrator.mode != OrchestratorMode::Off;
        let ground = Arc::clone(ground);
        is_on.then(|| BuiltinHook::of_all_tools(Self { ground }, SUMMARY))
    }

    fn config(&self) -> &OrchestratorConfig {
        &self.ground.config.orchestrator
    }

    fn limits(&self) -> Limits {
        let config = self.config();
        Limits {
            explorations: config.explorations,
            breaker: config.breaker,
            counts_for: TimeDelta::from_std(config.decay).unwrap_or(TimeDelta::MAX),
        }
    }

    fn is_off_for_project(&self, ctx: &HookContext) -> bool {
        let project = self.ground.project.to_string_lossy();
        let off = |state: &mut ProjectState| state.off;
        self.ground.memory.of_project(NAME, &project, ctx, off)
    }

    /// Decides on a call and counts it; allowed where a person has switched it off, or the state cannot be read.
    fn judge(&self, kind: CallKind, input: &HookInput, ctx: &HookContext) -> Verdict {
        if self.is_off_for_project(ctx) {
            return Verdict::Allowed;
        }
        let limits = self.limits();
        let judge = |kept: &mut Kept| match kept {
            Kept::State(state) if !state.off => state.judge(kind, limits, input.timestamp),
            Kept::State(_) => Verdict::Allowed,
            Kept::Unreadable(_) => {
                tracing::warn!("the state of orchestrator mode cannot be read, so it is off");
                Verdict::Allowed
            }
        };
        self.ground.memory.of_session(NAME, input, ctx, judge)
    }

    fn hint(&self, kind: CallKind, input: &HookInput, ctx: &HookContext) -> Opinion {
        let hinted = [CallKind::Edits, CallKind::Builds, CallKind::WritesGit];
        let Some(suggestion) = suggestion(kind).filter(|_| hinted.contains(&kind)) else {
            return Opinion::allow();
        };
        let is_off = |kept: &mut Kept| matches!(kept, Kept::State(state) if state.off);
        let memory = &self.ground.memory;
        if self.is_off_for_project(ctx) || memory.of_session(NAME, input, ctx, is_off) {
            return Opinion::allow();
        }
        let values = [("what", suggestion.what), ("instead", suggestion.instead)];
        let about = format!("{kind:?}");
        let said = self.ground.advice.once(input, ctx, &HINT, &about, &values);
        said.map_or_else(Opinion::allow, |text| Opinion::allow().context(text))
    }

    fn denied(&self, kind: CallKind, count: u32) -> String {
        let most = self.config().breaker.to_string();
        let Suggestion { what, instead } = suggestion(kind).unwrap_or(Suggestion {
            what: "this is work for a sub-agent",
            instead: "Hand it over.",
        });
        let values = [
            ("what", what),
            ("count", &count.to_string()),
            ("most", &most),
            ("instead", instead),
        ];
        self.render(&DENIED, &values)
    }

    fn stopped(&self) -> String {
        let most = self.config().breaker.to_string();
        self.render(&STOPPED, &[("most", &most)])
    }

    /// A reason that a person has switched off is still a reason.
    fn render(&self, text: &Text, values: &[(&str, &str)]) -> String {
        let rendered = self.ground.advice.render(text, values);
        rendered.unwrap_or_else(|| "Orchestrator mode does not allow this.".to_owned())
    }
}

#[async_trait]
impl Hook for Orchestrator {
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
        if subagent_of(input).is_some() {
            return Match::No("sub-agents are exempt".to_owned());
        }
        Match::Yes
    }

    async fn opinion(&self, input: &HookInput, ctx: &HookContext) -> bowline::Result<Opinion> {
        let kind = self.ground.kind_of(input, ctx, &self.config().programs);
        if self.config().mode == OrchestratorMode::Guidance {
            return Ok(self.hint(kind, input, ctx));
        }
        Ok(match self.judge(kind, input, ctx) {
            Verdict::Allowed => Opinion::allow(),
            Verdict::Denied { count } => {
                Opinion::block(self.denied(kind, count)).by_rule(DELEGATE_RULE)
            }
            Verdict::DeniedAndStopped { count } => {
                let reason = format!("{} {}", self.denied(kind, count), self.stopped());
                Opinion::block(reason).by_rule(BREAKER_RULE)
            }
            Verdict::Stopped => Opinion::block(self.stopped()).by_rule(BREAKER_RULE),
        })
    }
}
