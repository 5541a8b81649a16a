//! Keeps what each agent is doing, for the fleet: it works, it waits for a person, it is done, something failed.

use std::sync::Arc;

use async_trait::async_trait;
use bowline::hooks::{
    Decision, Hook, HookContext, HookEvent, HookInput, Match, Opinion, RunMode, RunPolicy,
};
use bowline_continuity::fleet::{AgentStatus, Signal, status_after, waiting_for};
use bowline_store::{AgentSignal, Change};

use super::Ground;
use super::caller::{Caller, host, who};
use crate::assemble::BuiltinHook;
use crate::recorder::add_change;
use crate::sanitise::mask;

const NAME: &str = "fleet";
const SUMMARY: &str = "keeps what each agent is doing, for `bowline fleet`";

const EVENTS: &[HookEvent] = &[
    HookEvent::SessionStart,
    HookEvent::UserPromptSubmit,
    HookEvent::PreToolUse,
    HookEvent::PermissionRequest,
    HookEvent::PostToolUse,
    HookEvent::PostToolUseFailure,
    HookEvent::Notification,
    HookEvent::Elicitation,
    HookEvent::ElicitationResult,
    HookEvent::Stop,
    HookEvent::StopFailure,
    HookEvent::SessionEnd,
    HookEvent::CwdChanged,
];

#[derive(Debug)]
pub(super) struct Status {
    ground: Arc<Ground>,
}

impl Status {
    pub(super) fn builtin(ground: &Arc<Ground>) -> BuiltinHook {
        BuiltinHook {
            hook: Arc::new(Self {
                ground: Arc::clone(ground),
            }),
            summary: SUMMARY.to_owned(),
            tools: None,
        }
    }
}

/// Events that are recorded even if the status stays as it is: the session, the folder or the process may be another one.
fn always_counts(event: HookEvent) -> bool {
    matches!(event, HookEvent::SessionStart | HookEvent::CwdChanged)
}

#[async_trait]
impl Hook for Status {
    fn name(&self) -> &str {
        NAME
    }

    fn events(&self) -> &[HookEvent] {
        EVENTS
    }

    fn priority(&self) -> i32 {
        crate::guard::PRIORITY
    }

    fn policy(&self) -> RunPolicy {
        let mut policy = RunPolicy::observer();
        policy.mode = RunMode::Told;
        policy
    }

    /// Most events leave the status as it is. What a person is asked shows only after the decision, so calls that come right before one
    /// count as well.
    fn matches(&self, input: &HookInput) -> Match {
        let event = input.event_type();
        let known = self.ground.live.status(&input.session_id);
        let next = signal(input, None).and_then(|signal| status_after(known, signal));
        if always_counts(event) || event == HookEvent::PreToolUse || next != known {
            return Match::Yes;
        }
        Match::No("the agent's status stays as it is".to_owned())
    }

    async fn decided(&self, input: &HookInput, decision: &Opinion, ctx: &HookContext) {
        let who = host(who(input, ctx, &self.ground.project));
        let Some(session) = who.session.as_deref() else {
            return;
        };
        let known = self.ground.live.status(session);
        let asked = (decision.decision() == Decision::Ask)
            .then(|| decision.stop_reason.clone().unwrap_or_default());
        let next = signal(input, asked.as_deref()).and_then(|signal| status_after(known, signal));
        let Some(status) = next.or(known).or(Some(AgentStatus::Done)) else {
            return;
        };
        if known == Some(status) && !always_counts(input.event_type()) {
            return;
        }
        self.ground.live.set_status(session, status);
        let waits_for = match asked {
            Some(reason) => Some(reason),
            None => waiting_for(
                input.event_name(),
                input.metadata.as_ref(),
                input.tool_name(),
            ),
        };
        add_change(
            ctx,
            Change::AgentStatus(AgentSignal {
                id: who.agent_id.clone(),
                label: None,
                status,
                waiting_for: waits_for
                    .filter(|_| status == AgentStatus::Attention || status == AgentStatus::Error)
                    .map(|text| mask(&text).into_owned()),
                folder: Some(who.folder.clone()),
                process: Caller::process(ctx),
            }),
        );
    }
}

/// What an event says about its agent.
fn signal<'a>(input: &'a HookInput, asked: Option<&str>) -> Option<Signal<'a>> {
    if asked.is_some() {
        return Some(Signal::Asked);
    }
    Signal::of(input.event_type().name(), input.notification_type())
}
