//! Keeps what each agent is doing, for the fleet: it works, it waits for a person, it is done, something failed.

use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use bowline::hooks::{
    Decision, Hook, HookContext, HookEvent, HookInput, Match, Opinion, RunPolicy,
};
use bowline::settings::FleetConfig;
use bowline_continuity::action::Who;
use bowline_continuity::fleet::{AgentStatus, Signal, status_after, waiting_for};
use bowline_guard::secrets::redact;
use bowline_store::{AgentSignal, Change};
use serde_json::{Value, json};

use super::caller::{Caller, host, who};
use super::{Ground, Live, notify};
use crate::assemble::BuiltinHook;
use crate::recorder::add_change;

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
        let ground = Arc::clone(ground);
        BuiltinHook::of_all_tools(Self { ground }, SUMMARY)
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
        RunPolicy::told()
    }

    /// Most events leave the status as it is.
    fn matches(&self, input: &HookInput) -> Match {
        let known = self.ground.live.status(&input.session_id);
        let changes = signal(input).and_then(|signal| status_after(signal, known));
        if always_counts(input.event_type()) || changes.is_some() {
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
        // What Bowline decides itself waits for nobody. What it asks about is noted by whoever answers the agent.
        let signal = signal(input)
            .filter(|signal| *signal != Signal::Asks || decision.decision() == Decision::NoOpinion);
        let changed = signal.and_then(|signal| status_after(signal, known));
        let status = match (changed, known) {
            (Some(status), _) => status,
            (None, known) if always_counts(input.event_type()) => {
                known.unwrap_or(AgentStatus::Done)
            }
            (None, _) => return,
        };
        self.ground.live.set_status(session, status);
        let waits_for = waiting_for(input.event_name(), &payload(input));
        let waits_for = waits_for.map(|text| redact(&text).into_owned());
        if changed == Some(AgentStatus::Attention) && self.ground.config.fleet.notify {
            notify::attention(&self.ground.project, waits_for.as_deref(), ctx);
        }
        keep(ctx, who, status, waits_for);
    }
}

/// An agent's call was asked about: it waits for a person. Most calls are not, so this is no hook, which would run for each of them.
pub fn note_question(
    live: &Live,
    (project, fleet): (&Path, FleetConfig),
    input: &HookInput,
    question: &Opinion,
    ctx: &HookContext,
) {
    let who = host(who(input, ctx, project));
    let Some(session) = who.session.as_deref() else {
        return;
    };
    let known = live.status(session);
    live.set_status(session, AgentStatus::Attention);
    let reason = question.stop_reason.as_deref();
    let waits_for = reason.map(|reason| redact(reason).into_owned());
    if fleet.notify && known != Some(AgentStatus::Attention) {
        notify::attention(project, waits_for.as_deref(), ctx);
    }
    keep(ctx, who, AgentStatus::Attention, waits_for);
}

fn keep(ctx: &HookContext, who: Who, status: AgentStatus, waits_for: Option<String>) {
    let signal = AgentSignal {
        id: who.agent_id,
        waiting_for: waits_for,
        folder: Some(who.folder),
        process: Caller::process(ctx),
        ..AgentSignal::new(status)
    };
    add_change(ctx, Change::AgentStatus(signal));
}

/// What an event says about its agent.
fn signal(input: &HookInput) -> Option<Signal> {
    let nothing = Value::Null;
    let payload = input.metadata.as_ref().unwrap_or(&nothing);
    Signal::of(input.event_type().name(), payload)
}

/// The event with its tool call, as the agent sent it.
fn payload(input: &HookInput) -> Value {
    let mut payload = input.metadata.clone().unwrap_or_else(|| json!({}));
    if let (Some(fields), Some(tool)) = (payload.as_object_mut(), input.tool_name()) {
        fields.insert("tool_name".to_owned(), tool.into());
        let arguments = input.tool_input().cloned().unwrap_or_default();
        fields.insert("tool_input".to_owned(), arguments);
    }
    payload
}
