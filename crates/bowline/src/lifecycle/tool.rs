//! One tool call: what is asked, what came of it, and who is asked when a hook does not want to decide alone.

use std::pin::Pin;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use serde_json::Value;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::Notes;
use super::heard::{Heard, hear};
use crate::decision::Decision;
use crate::event::HookEvent;
use crate::execution::ExecutionContext;
use crate::input::{HookInput, ToolOutput, plain_text};

/// How long a tool may take to end by itself once the session is cancelled, before it is dropped.
const WIND_DOWN: Duration = Duration::from_secs(2);

/// A call that the model wants.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolCall {
    /// The call's id.
    pub id: String,
    /// The tool.
    pub name: String,
    /// What it is to run with.
    pub input: Value,
}

impl ToolCall {
    /// A call.
    pub fn new(id: impl Into<String>, name: impl Into<String>, input: impl Into<Value>) -> Self {
        Self {
            id: id.into(),
            name: name.into(),
            input: input.into(),
        }
    }
}

/// What came of a call.
#[derive(Debug, Clone, PartialEq)]
pub enum ToolOutcome {
    /// The tool ran.
    Ran(ToolOutput),
    /// The tool ran and failed, or was interrupted.
    Failed {
        /// What went wrong.
        error: String,
    },
    /// The tool did not run.
    Denied {
        /// Why; the model is to see it.
        reason: String,
    },
}

/// A call, resolved.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolReport {
    /// The call, with the input that ran if it was rewritten.
    pub call: ToolCall,
    /// What came of it.
    pub outcome: ToolOutcome,
    /// An instruction to the model from a hook that saw the outcome and objects. Nothing was undone.
    pub feedback: Option<String>,
    /// What hooks said.
    pub notes: Notes,
    pub(super) end_turn: Option<String>,
}

impl ToolReport {
    /// Whether the tool ran and succeeded.
    pub fn succeeded(&self) -> bool {
        matches!(self.outcome, ToolOutcome::Ran(_))
    }

    /// What the model is to see: the result, the error or the reason, then feedback and context.
    pub fn model_text(&self) -> String {
        let result = match &self.outcome {
            ToolOutcome::Ran(output) => plain_text(&output.content).into_owned(),
            ToolOutcome::Failed { error } => error.clone(),
            ToolOutcome::Denied { reason } => reason.clone(),
        };
        std::iter::once(&result)
            .chain(&self.feedback)
            .chain(&self.notes.context)
            .map(String::as_str)
            .collect::<Vec<_>>()
            .join("\n\n")
    }
}

/// The calls of one message, resolved.
#[derive(Debug, Clone, PartialEq)]
pub struct Batch {
    /// The calls, in the order of the message.
    pub reports: Vec<ToolReport>,
    /// An instruction to the model from a hook that saw all outcomes and objects.
    pub feedback: Option<String>,
    /// What hooks said about the batch.
    pub notes: Notes,
}

/// What a person decides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Approval {
    /// The call may run.
    Approved,
    /// It may not.
    Denied {
        /// Why; the model is to see it.
        reason: String,
    },
}

/// A way to ask a person about a tool call.
#[async_trait]
pub trait Approver: Send + Sync {
    /// Asks. The call is as it would run; the reason is the hook's.
    async fn approve(&self, call: &ToolCall, reason: &str) -> Approval;
}

/// Whether a call may run.
pub(super) enum Admission {
    /// It may, with this input. The report so far has no outcome of its own.
    Run(Admitted),
    /// It may not.
    Denied(ToolReport),
}

pub(super) struct Admitted {
    call: ToolCall,
    notes: Notes,
    end_turn: Option<String>,
}

/// Fires `PreToolUse`, and `PermissionRequest` if a hook wants a person to decide and there is a way to ask one.
pub(super) async fn admit(execution: &ExecutionContext, call: ToolCall) -> Admission {
    let before = HookInput::pre_tool_use(execution.session_id(), &call.name, call.input.clone())
        .with_field("tool_use_id", call.id.as_str());
    let mut admitted = Admitted {
        call,
        notes: Notes::default(),
        end_turn: None,
    };
    let decision = admitted.hear(execution, before).await;
    let verdict = match (decision, execution.approver()) {
        (HookRuling::Ask { reason }, Some(approver)) => {
            let request =
                HookInput::for_event(execution.session_id(), HookEvent::PermissionRequest)
                    .with_field("tool_name", admitted.call.name.as_str())
                    .with_field("tool_input", admitted.call.input.clone());
            match admitted.hear(execution, request).await {
                HookRuling::Silent => ask(approver.as_ref(), &admitted.call, &reason).await,
                HookRuling::Ask { reason } => ask(approver.as_ref(), &admitted.call, &reason).await,
                verdict => verdict,
            }
        }
        (verdict, _) => verdict,
    };
    match verdict {
        HookRuling::Grant | HookRuling::Silent => Admission::Run(admitted),
        HookRuling::Deny { reason } | HookRuling::Ask { reason } => {
            execution.count_denial();
            Admission::Denied(admitted.report(ToolOutcome::Denied { reason }))
        }
    }
}

enum HookRuling {
    Deny { reason: String },
    Ask { reason: String },
    Grant,
    Silent,
}

async fn ask(approver: &dyn Approver, call: &ToolCall, reason: &str) -> HookRuling {
    match approver.approve(call, reason).await {
        Approval::Approved => HookRuling::Grant,
        Approval::Denied { reason } => HookRuling::Deny { reason },
    }
}

impl Admitted {
    async fn hear(&mut self, execution: &ExecutionContext, input: HookInput) -> HookRuling {
        let heard = hear(execution, input).await;
        self.notes.absorb(heard.notes);
        self.end_turn = heard.end_turn.or(self.end_turn.take());
        if let Some(rewritten) = heard.rewritten_input {
            self.call.input = rewritten;
        }
        match (heard.decision, heard.block) {
            (Decision::Deny, Some(reason)) => HookRuling::Deny { reason },
            (Decision::Ask, Some(reason)) => HookRuling::Ask { reason },
            (Decision::Grant, _) => HookRuling::Grant,
            (Decision::Deny | Decision::Ask | Decision::NoOpinion, _) => HookRuling::Silent,
        }
    }

    fn report(self, outcome: ToolOutcome) -> ToolReport {
        ToolReport {
            call: self.call,
            outcome,
            feedback: None,
            notes: self.notes,
            end_turn: self.end_turn,
        }
    }

    /// Runs the tool, then fires `PostToolUse` or `PostToolUseFailure`.
    pub(super) async fn run<R, F>(self, execution: &ExecutionContext, run: R) -> ToolReport
    where
        R: FnOnce(ToolCall) -> F,
        F: Future<Output = Result<ToolOutput, String>>,
    {
        let started = Instant::now();
        let cancelled = execution.cancellation_token();
        let finished = {
            let tool = std::pin::pin!(run(self.call.clone()));
            until_cancelled(tool, cancelled).await
        };
        let interrupted = cancelled.is_cancelled();
        let result = finished.unwrap_or_else(|| Err("interrupted before it finished".to_owned()));
        let duration_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);

        let session = execution.session_id();
        let name = self.call.name.as_str();
        let (outcome, after) = match result {
            Ok(output) if !output.is_error => {
                let after = HookInput::post_tool_use(session, name, output.clone());
                (ToolOutcome::Ran(output), after)
            }
            failed => {
                let error = failed.map_or_else(
                    |error| error,
                    |output| plain_text(&output.content).into_owned(),
                );
                let mut after = HookInput::post_tool_use_failure(session, name, error.as_str());
                if interrupted {
                    after = after.with_field("is_interrupt", true);
                }
                (ToolOutcome::Failed { error }, after)
            }
        };
        let after = after
            .with_field("tool_input", self.call.input.clone())
            .with_field("tool_use_id", self.call.id.as_str())
            .with_field("duration_ms", duration_ms);
        let heard = hear(execution, after).await;
        self.report(outcome).hear(heard)
    }
}

impl ToolReport {
    fn hear(mut self, heard: Heard) -> Self {
        self.notes.absorb(heard.notes);
        self.feedback = heard.block;
        self.end_turn = heard.end_turn.or(self.end_turn);
        // A hook may rewrite what the model sees, to take out a secret for example.
        if let (ToolOutcome::Ran(output), Some(rewritten)) = (
            &mut self.outcome,
            heard.event_fields.get("updatedToolOutput"),
        ) {
            output.content = rewritten.clone();
        }
        self
    }

    /// A call that is not even offered to hooks.
    pub(super) fn not_run(call: ToolCall, reason: String) -> Self {
        Self {
            call,
            outcome: ToolOutcome::Denied { reason },
            feedback: None,
            notes: Notes::default(),
            end_turn: None,
        }
    }
}

/// Waits for the tool; after a cancellation only as long as a tool needs that winds itself down.
async fn until_cancelled<F: Future>(
    mut tool: Pin<&mut F>,
    cancelled: &CancellationToken,
) -> Option<F::Output> {
    tokio::select! {
        biased;
        result = &mut tool => Some(result),
        () = cancelled.cancelled() => timeout(WIND_DOWN, tool).await.ok(),
    }
}
