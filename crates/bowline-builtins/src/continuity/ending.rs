//! What the end of a turn, of a context window or of a sub-agent means for an effort.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use bowline::hooks::{Hook, HookContext, HookEvent, HookInput, Opinion, RunPolicy};
use bowline::settings::OnAutoCompaction;
use bowline_continuity::exhaustion::{self, Exhaustion};
use bowline_continuity::fleet::Process;
use bowline_continuity::transcript::{self, Chain};
use bowline_store::{Change, Unfinished};
use serde_json::json;

use super::Ground;
use super::caller::{Caller, who};
use super::delivery::read_on;
use super::files;
use super::messages::note;
use crate::assemble::BuiltinHook;
use crate::machine::process::runs;
use crate::recorder::add_change;

const NAME: &str = "effort-end";
const SUMMARY: &str =
    "keeps why a turn, a context window or a sub-agent ended, and says so if an agent cannot go on";

/// The reason for the end of a session whose context window was full.
const OVERFLOW: &str = "overflow";

/// The agent gets its answer before it is ended.
const BEFORE_THE_END: Duration = Duration::from_millis(300);

#[derive(Debug)]
pub(super) struct Ending {
    ground: Arc<Ground>,
}

impl Ending {
    pub(super) fn builtin(ground: &Arc<Ground>) -> BuiltinHook {
        let ground = Arc::clone(ground);
        BuiltinHook::of_all_tools(Self { ground }, SUMMARY)
    }

    /// An agent's context was too full. A summary is no longer possible here; that was the business of the calls before.
    fn compaction(&self, input: &HookInput, ctx: &HookContext) -> Opinion {
        if input.trigger() != Some("auto") {
            return Opinion::allow();
        }
        let who = who(input, ctx, &self.ground.project);
        note(ctx, None, &json!({"event": "auto_compaction"}));
        let in_effort = self.ground.live.in_effort(&who, ctx, |effort, _, known| {
            known.join(effort, input, ctx);
            effort.label()
        });
        let (Some(effort), OnAutoCompaction::End) =
            (in_effort, self.ground.config.effort.on_auto_compaction)
        else {
            return Opinion::allow();
        };
        let Some(process) = Caller::process(ctx) else {
            return Opinion::allow()
                .warning("the agent's process is not known, so it was not ended");
        };
        add_change(
            ctx,
            Change::SessionEnded {
                reason: Some(OVERFLOW.to_owned()),
                unfinished: Unfinished::Cancelled,
            },
        );
        tokio::spawn(end(process));
        Opinion::allow().system_message(format!(
            "The context window is full. The agent is ended, and the next session goes on with {effort}."
        ))
    }

    /// Why the turn ended, if the agent cannot go on.
    fn stop(&self, input: &HookInput, ctx: &HookContext) -> Opinion {
        let who = who(input, ctx, &self.ground.project);
        let tail = input.transcript_path().and_then(files::last_lines);
        let in_effort = self.ground.live.in_effort(&who, ctx, |_, state, known| {
            if let Some(store) = self.ground.store() {
                read_on(store.as_ref(), &who, state, known, input, ctx);
            }
        });
        // Outside of an effort nobody reads on; how full the window is shows at the end.
        if in_effort.is_none()
            && let Some(tail) = &tail
            && let Some(reading) = transcript::read(tail.as_bytes(), 0, Chain::Main).usage
        {
            let used = reading.used(None);
            add_change(ctx, Change::ContextUsed { used });
        }
        let exhaustion = match input.event_type() {
            HookEvent::StopFailure => {
                let payload = input.metadata.as_ref();
                payload.and_then(exhaustion::in_stop_failure)
            }
            _ => tail.and_then(|text| {
                let lines: Vec<&[u8]> = text.lines().map(str::as_bytes).collect();
                exhaustion::in_transcript(&lines)
            }),
        };
        let Some(exhaustion) = exhaustion else {
            return Opinion::allow();
        };
        let content = match &exhaustion {
            Exhaustion::RateLimit { resets } => json!({"event": "rate_limit", "resets": resets}),
            Exhaustion::Context => json!({"event": "context_exhausted"}),
        };
        note(ctx, None, &content);
        Opinion::allow().system_message(format!("Bowline: {exhaustion}"))
    }

    /// A sub-agent is done: its session ends, and no other.
    fn subagent_stop(&self, input: &HookInput, ctx: &HookContext) {
        let who = who(input, ctx, &self.ground.project);
        if who.subagent.is_none() {
            return;
        }
        self.ground
            .live
            .in_effort(&who, ctx, |effort, state, known| {
                known.join(effort, input, ctx);
                if let Some(store) = self.ground.store() {
                    read_on(store.as_ref(), &who, state, known, input, ctx);
                }
            });
        self.ground.live.forget(&who);
    }
}

/// Ends a process, if it is still the same.
async fn end(process: Process) {
    tokio::time::sleep(BEFORE_THE_END).await;
    let Ok(id) = i32::try_from(process.id) else {
        return;
    };
    if runs(process)
        && let Some(pid) = rustix::process::Pid::from_raw(id)
    {
        let _ = rustix::process::kill_process(pid, rustix::process::Signal::TERM);
    }
}

#[async_trait]
impl Hook for Ending {
    fn name(&self) -> &str {
        NAME
    }

    fn events(&self) -> &[HookEvent] {
        &[
            HookEvent::PreCompact,
            HookEvent::Stop,
            HookEvent::StopFailure,
            HookEvent::SubagentStop,
            HookEvent::SessionEnd,
        ]
    }

    fn policy(&self) -> RunPolicy {
        RunPolicy::observer().whole()
    }

    async fn opinion(&self, input: &HookInput, ctx: &HookContext) -> bowline::Result<Opinion> {
        Ok(match input.event_type() {
            HookEvent::PreCompact => self.compaction(input, ctx),
            HookEvent::Stop | HookEvent::StopFailure => self.stop(input, ctx),
            HookEvent::SubagentStop => {
                self.subagent_stop(input, ctx);
                Opinion::allow()
            }
            HookEvent::SessionEnd => {
                self.ground
                    .live
                    .forget(&who(input, ctx, &self.ground.project));
                Opinion::allow()
            }
            _ => Opinion::allow(),
        })
    }
}
