//! One turn: from an accepted prompt (or a started sub-agent) until the agent stops.

use std::marker::PhantomData;

use futures_util::stream::{self, StreamExt};
use serde_json::json;

use super::heard::{Heard, hear};
use super::tool::{Admission, admit};
use super::{
    Batch, CompactTrigger, Compaction, Notes, Session, Subagent, ToolCall, ToolReport, compact,
};
use crate::event::HookEvent;
use crate::execution::ExecutionContext;
use crate::input::{HookInput, ToolOutput};

/// How many tools of one message run at the same time.
const PARALLEL_TOOLS: usize = 8;

/// The agent at work on one prompt.
#[derive(Debug)]
#[must_use = "a turn ends with `stop`, `halt` or `fail`"]
pub struct Turn<'session> {
    execution: ExecutionContext,
    of: Whose,
    sent_on: bool,
    end_requested: Option<String>,
    session: PhantomData<&'session mut Session>,
}

#[derive(Debug)]
enum Whose {
    Session,
    Subagent(Box<Subagent>),
}

/// Whether the agent may stop.
#[derive(Debug)]
#[must_use]
pub enum Stop<'session> {
    /// The turn is over.
    End {
        /// What hooks said.
        notes: Notes,
    },
    /// A hook wants the agent to go on. It can do so once in a row: until the next stop.
    GoOn {
        /// The turn, still open.
        turn: Turn<'session>,
        /// What the agent is to do, for the model.
        reason: String,
        /// What hooks said.
        notes: Notes,
    },
}

impl<'session> Turn<'session> {
    pub(super) fn of_session(execution: ExecutionContext) -> Self {
        Self::new(execution, Whose::Session)
    }

    pub(super) fn of_subagent(execution: ExecutionContext, subagent: Subagent) -> Self {
        Self::new(execution, Whose::Subagent(Box::new(subagent)))
    }

    fn new(execution: ExecutionContext, of: Whose) -> Self {
        Self {
            execution,
            of,
            sent_on: false,
            end_requested: None,
            session: PhantomData,
        }
    }

    /// What tools of this turn run with.
    pub fn execution(&self) -> &ExecutionContext {
        &self.execution
    }

    /// Why the turn is to end, if a hook wants that. Ask it before each request to the model, and end with
    /// [`Turn::halt`]: tools do not run any more.
    pub fn end_requested(&self) -> Option<&str> {
        self.end_requested.as_deref()
    }

    /// The first to want the end gives the reason.
    pub(super) fn note_end(&mut self, reason: Option<String>) {
        self.end_requested = self.end_requested.take().or(reason);
    }

    /// Takes one call through `PreToolUse`, the tool, and `PostToolUse` or `PostToolUseFailure`.
    ///
    /// A denied call does not run; a rewritten input is what runs. Cancelling the session drops the running tool.
    /// `PostToolBatch` is about whole messages: see [`Turn::tools`].
    pub async fn tool<R, F>(&mut self, call: ToolCall, run: R) -> ToolReport
    where
        R: FnOnce(ToolCall) -> F,
        F: Future<Output = Result<ToolOutput, String>>,
    {
        if let Some(refusal) = self.refusal() {
            return ToolReport::not_run(call, refusal);
        }
        let mut report = match admit(&self.execution, call).await {
            Admission::Denied(report) => report,
            Admission::Run(admitted) => admitted.run(&self.execution, run).await,
        };
        self.note_end(report.end_turn.take());
        report
    }

    /// Takes all calls of one message through their events: `PreToolUse` one after the other in order, then the tools
    /// concurrently, each with its `PostToolUse` or `PostToolUseFailure`, then `PostToolBatch`.
    pub async fn tools<R, F>(&mut self, calls: Vec<ToolCall>, run: R) -> Batch
    where
        R: Fn(ToolCall) -> F,
        F: Future<Output = Result<ToolOutput, String>>,
    {
        if let Some(refusal) = self.refusal() {
            let refuse = |call| ToolReport::not_run(call, refusal.clone());
            return Batch {
                reports: calls.into_iter().map(refuse).collect(),
                feedback: None,
                notes: Notes::default(),
            };
        }
        let mut admissions = Vec::with_capacity(calls.len());
        for call in calls {
            admissions.push(admit(&self.execution, call).await);
        }
        let (execution, run) = (&self.execution, &run);
        let resolved = admissions.into_iter().map(|admission| async move {
            match admission {
                Admission::Denied(report) => report,
                Admission::Run(admitted) => admitted.run(execution, run).await,
            }
        });
        let mut reports: Vec<ToolReport> = stream::iter(resolved)
            .buffered(PARALLEL_TOOLS)
            .collect()
            .await;
        for report in &mut reports {
            self.note_end(report.end_turn.take());
        }

        let seen: Vec<_> = reports
            .iter()
            .map(|report| {
                json!({
                    "tool_name": report.call.name,
                    "tool_input": report.call.input,
                    "tool_use_id": report.call.id,
                    "tool_response": report.model_text(),
                })
            })
            .collect();
        let input = HookInput::for_event(self.execution.session_id(), HookEvent::PostToolBatch)
            .with_field("tool_calls", seen);
        let heard = hear(&self.execution, input).await;
        self.note_end(heard.end_turn);
        Batch {
            reports,
            feedback: heard.block,
            notes: heard.notes,
        }
    }

    fn refusal(&self) -> Option<String> {
        let reason = self.end_requested.as_ref()?;
        Some(format!("not run, because the turn is over: {reason}"))
    }

    /// Compacts the conversation: fires `PreCompact`, which may prevent it, asks for the summary (with the user's and the
    /// hooks' instructions), fires `PostCompact`, and in a session's turn `SessionStart` with source `compact`.
    pub async fn compact<S, F, E>(
        &mut self,
        trigger: CompactTrigger,
        instructions: Option<&str>,
        summarise: S,
    ) -> Result<Compaction, E>
    where
        S: FnOnce(Option<String>) -> F,
        F: Future<Output = Result<String, E>>,
    {
        let afterwards = match self.of {
            Whose::Session => compact::Afterwards::SessionStart,
            Whose::Subagent(_) => compact::Afterwards::Nothing,
        };
        let (done, end_turn) = compact::run(
            &self.execution,
            trigger,
            instructions,
            afterwards,
            summarise,
        )
        .await?;
        self.note_end(end_turn);
        Ok(done)
    }

    /// The agent is done: fires `Stop`, or `SubagentStop` in a sub-agent's turn.
    ///
    /// A block sends the agent on, at most once in a row: the next event says `stop_hook_active`, and a block on it is only
    /// noted as a warning. So is a block when a hook wants the turn to end.
    pub async fn stop(mut self, last_message: &str) -> Stop<'session> {
        let mut heard = self.fire_stop(last_message).await;
        self.note_end(heard.end_turn.take());
        match heard.block.take() {
            Some(reason) if !self.sent_on && self.end_requested.is_none() => {
                self.sent_on = true;
                Stop::GoOn {
                    turn: self,
                    reason,
                    notes: heard.notes,
                }
            }
            ignored => Stop::End {
                notes: self.last_notes(heard, ignored),
            },
        }
    }

    /// Ends the turn before the agent is done, for a limit of the caller's own or because [`Turn::end_requested`]: fires
    /// `Stop`, or `SubagentStop`; a block is only noted as a warning.
    pub async fn halt(self, last_message: &str) -> Notes {
        let mut heard = self.fire_stop(last_message).await;
        let ignored = heard.block.take();
        self.last_notes(heard, ignored)
    }

    async fn fire_stop(&self, last_message: &str) -> Heard {
        let input = self
            .stop_input(None)
            .with_field("stop_hook_active", self.sent_on)
            .with_field("last_assistant_message", last_message);
        hear(&self.execution, input).await
    }

    fn last_notes(&self, heard: Heard, ignored: Option<String>) -> Notes {
        let mut notes = heard.notes;
        if let Some(reason) = ignored {
            let why = if self.sent_on {
                "it had sent the agent on before"
            } else {
                "the turn is over"
            };
            notes.warnings.push(format!(
                "a {} hook wanted the agent to go on, but {why}: {reason}",
                self.stop_event().name()
            ));
        }
        notes
    }

    /// Ends the turn with an error: fires `StopFailure`, or `SubagentStop` without success in a sub-agent's turn. `error` is one
    /// word that matchers are compared with (`rate_limit`, `server_error`, …), `details` is for people.
    pub async fn fail(self, error: &str, details: &str) -> Notes {
        let input = match self.of {
            Whose::Session => {
                HookInput::for_event(self.execution.session_id(), HookEvent::StopFailure)
                    .with_field("error", error)
                    .with_field("error_details", details)
            }
            Whose::Subagent(_) => self
                .stop_input(Some(details.to_owned()))
                .with_field("stop_hook_active", self.sent_on),
        };
        let event = input.event_type();
        let heard = hear(&self.execution, input).await;
        let mut notes = heard.notes;
        if let Some(reason) = heard.block {
            notes.unenforced(event, &reason);
        }
        notes
    }

    fn stop_event(&self) -> HookEvent {
        match self.of {
            Whose::Session => HookEvent::Stop,
            Whose::Subagent(_) => HookEvent::SubagentStop,
        }
    }

    fn stop_input(&self, error: Option<String>) -> HookInput {
        let session = self.execution.session_id();
        match &self.of {
            Whose::Session => HookInput::stop(session),
            Whose::Subagent(subagent) => {
                HookInput::subagent_stop(session, subagent.id.as_str(), error.is_none(), error)
            }
        }
    }
}
