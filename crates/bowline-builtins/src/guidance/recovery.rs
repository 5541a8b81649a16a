//! Keeps what a session was doing before its context is compacted, for the session after.
//!
//! The state goes into the store with the record of the event. A session that begins claims it with its own record, so that it is gone
//! only when the answer that tells it is safe.

use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use bowline::hooks::{Hook, HookContext, HookEvent, HookInput, Match, Opinion, RunPolicy};
use bowline::settings::Config;
use bowline_continuity::note::TodoState;
use bowline_guidance::recovery::{Recovery, Saved};
use chrono::Utc;
use serde::{Deserialize, Serialize};

use super::handoff::{LAST, LastHandoff};
use super::{Ground, Memory};
use crate::assemble::BuiltinHook;
use crate::recorder::subagent_of;

const NAME: &str = "recovery";
const SUMMARY: &str = "keeps what a session was doing before its context is compacted";
/// Under which the sub-agents at work are remembered.
const ACTIVE: &str = "recovery-agents";
/// So many sub-agents at work are remembered.
const MAX_ACTIVE: usize = 32;

#[derive(Debug)]
pub(super) struct RecoveryHook {
    ground: Arc<Ground>,
}

/// The sub-agents of a session that are at work, the last started last: their ids and names.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Active {
    agents: Vec<(String, String)>,
}

impl RecoveryHook {
    pub(super) fn builtin(ground: &Arc<Ground>) -> Option<BuiltinHook> {
        let ground = Arc::clone(ground);
        let is_on = ground.config.behaviour.recovery;
        is_on.then(|| BuiltinHook::of_all_tools(Self { ground }, SUMMARY))
    }

    fn state(&self, input: &HookInput, ctx: &HookContext) -> Recovery {
        let memory = &self.ground.memory;
        let active_agent = memory.of_session(ACTIVE, input, ctx, |active: &mut Active| {
            active.agents.last().map(|(_, name)| name.clone())
        });
        let handoff = memory.of_session(LAST, input, ctx, |last: &mut LastHandoff| last.clone());
        let handoff = (handoff != LastHandoff::default()).then_some(handoff);
        Recovery {
            session: input.session_id.clone(),
            saved_at: Utc::now(),
            active_agent,
            current_task: self.task(&input.session_id),
            handoff_state: handoff.and_then(|it| serde_json::to_value(it).ok()),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            claimed_by: None,
        }
    }

    /// The to-do that is in progress.
    fn task(&self, session: &str) -> Option<String> {
        let store = self.ground.memory.store()?;
        let todos = store.continuity().todos(session).ok()?;
        let mut todos = todos.into_iter();
        let task = todos.find(|todo| todo.state == TodoState::InProgress)?;
        Some(task.text)
    }

    fn save(&self, input: &HookInput, ctx: &HookContext) {
        let state = self.state(input, ctx);
        if state.is_worth_it() {
            let project = self.ground.project.to_string_lossy();
            let memory = &self.ground.memory;
            memory.of_project(NAME, &project, ctx, |saved: &mut Saved| saved.save(state));
        }
    }
}

/// What waits for a session that begins, in words. It is given to no other session.
pub(crate) fn claim(
    memory: &Memory,
    config: &Config,
    project: &Path,
    input: &HookInput,
    ctx: &HookContext,
) -> Option<String> {
    let call = ctx.call_id().filter(|_| config.behaviour.recovery)?;
    let project = project.to_string_lossy();
    let given = memory.of_project(NAME, &project, ctx, |saved: &mut Saved| {
        saved.claim(&input.session_id, input.source(), call)
    });
    given?.told(&config.advice.texts)
}

/// What a session was doing before its last compaction, in words, whoever has got it since.
pub(super) fn last(ground: &Ground, input: &HookInput, ctx: &HookContext) -> Option<String> {
    if !ground.config.behaviour.recovery {
        return None;
    }
    let project = ground.project.to_string_lossy();
    let state = (ground.memory).of_project(NAME, &project, ctx, |saved: &mut Saved| {
        let states = &mut saved.states.iter();
        states.find(|it| it.session == input.session_id).cloned()
    });
    state?.told(&ground.config.advice.texts)
}

#[async_trait]
impl Hook for RecoveryHook {
    fn name(&self) -> &str {
        NAME
    }

    fn events(&self) -> &[HookEvent] {
        &[
            HookEvent::PreCompact,
            HookEvent::SubagentStart,
            HookEvent::SubagentStop,
        ]
    }

    fn policy(&self) -> RunPolicy {
        RunPolicy::observer().whole()
    }

    fn matches(&self, input: &HookInput) -> Match {
        match input.event_type() {
            HookEvent::PreCompact => Match::Yes,
            _ if subagent_of(input).is_some() => Match::Yes,
            _ => Match::No("it is no sub-agent".to_owned()),
        }
    }

    async fn opinion(&self, input: &HookInput, ctx: &HookContext) -> bowline::Result<Opinion> {
        let memory = &self.ground.memory;
        match (input.event_type(), subagent_of(input)) {
            (HookEvent::PreCompact, _) => self.save(input, ctx),
            (HookEvent::SubagentStart, Some(agent)) => {
                memory.of_session(ACTIVE, input, ctx, |active: &mut Active| {
                    active.agents.retain(|(id, _)| *id != agent.id);
                    if active.agents.len() >= MAX_ACTIVE {
                        active.agents.remove(0);
                    }
                    active.agents.push((agent.id, agent.kind));
                });
            }
            (_, Some(agent)) => {
                memory.of_session(ACTIVE, input, ctx, |active: &mut Active| {
                    active.agents.retain(|(id, _)| *id != agent.id);
                });
            }
            _ => {}
        }
        Ok(Opinion::allow())
    }
}
