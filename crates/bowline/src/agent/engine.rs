//! The loop: ask the model, run what it calls, until it is done. Agents and sub-agents are driven alike.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::StopReason;
use super::compaction::{self, Older};
use super::ledger::Ledger;
use super::message::{Message, ModelMessage};
use super::tools::Toolbox;
use crate::error::{Error, Result};
use crate::lifecycle::{CompactTrigger, Compaction, Stop, Turn};
use crate::model_api::{ModelConfig, ModelError};

/// The longest that one answer may take.
const ANSWER_LIMIT: Duration = Duration::from_mins(10);

/// What drives a turn.
#[derive(Clone)]
pub(super) struct Engine {
    pub(super) model: ModelConfig,
    pub(super) system_prompt: Option<String>,
    pub(super) tools: Toolbox,
    pub(super) max_turns: usize,
    /// The size of a conversation, in tokens, above which it is compacted.
    pub(super) compact_above: Option<u64>,
    pub(super) ledger: Arc<Ledger>,
}

/// What driving a turn came to.
pub(super) struct Finished {
    pub(super) text: String,
    pub(super) turns: usize,
    pub(super) stop_reason: StopReason,
}

impl Engine {
    /// Drives the turn to its end. The messages stay a valid conversation, also after an error.
    pub(super) async fn drive(
        &self,
        mut turn: Turn<'_>,
        messages: &mut Vec<Message>,
    ) -> Result<Finished> {
        let mut text = String::new();
        let mut turns = 0;
        let mut size = 0;
        loop {
            if let Some(stop_reason) = self.limit(&turn, turns) {
                self.ledger.note(turn.halt(&text).await);
                return Ok(Finished {
                    text,
                    turns,
                    stop_reason,
                });
            }
            self.compact_if_large(&mut turn, messages, size).await;
            turns += 1;
            let answer = match self.answer(&turn, messages).await {
                Ok(answer) => answer,
                Err(failure) => {
                    let (kind, error) = failure.explained();
                    self.ledger.note(turn.fail(kind, &error.to_string()).await);
                    return Err(error);
                }
            };
            size = answer.usage.context_size();
            text = answer.text();
            let calls = answer.tool_calls();
            let stop_reason = match (answer.stop_reason.as_str(), calls.is_empty()) {
                ("tool_use", false) => {
                    self.ledger.count_calls(calls.len());
                    let execution = turn.execution().clone();
                    let batch = turn
                        .tools(calls, |call| self.tools.run(call, &execution))
                        .await;
                    for report in &batch.reports {
                        self.ledger.note(report.notes.clone());
                    }
                    self.ledger.note(batch.notes.clone());
                    // Together, so that no call is ever without its result.
                    messages.push(Message::assistant(answer.content));
                    messages.push(Message::results(&batch));
                    continue;
                }
                ("pause_turn", true) => {
                    messages.push(Message::assistant(answer.content));
                    continue;
                }
                ("end_turn" | "stop_sequence" | "tool_use", _) => StopReason::Finished,
                (other, _) => StopReason::Model(other.to_owned()),
            };
            if !answer.content.is_empty() {
                messages.push(Message::assistant(answer.content));
            }
            if !calls.is_empty() {
                messages.push(Message::not_run(&calls, "the answer was cut off"));
            }
            match turn.stop(&text).await {
                Stop::End { notes } => {
                    self.ledger.note(notes);
                    return Ok(Finished {
                        text,
                        turns,
                        stop_reason,
                    });
                }
                Stop::GoOn {
                    turn: again,
                    reason,
                    notes,
                } => {
                    let feedback = format!("Stop hook feedback:\n{reason}");
                    messages.push(Message::user(feedback).with_notes(&notes));
                    self.ledger.note(notes);
                    turn = again;
                }
            }
        }
    }

    fn limit(&self, turn: &Turn<'_>, turns: usize) -> Option<StopReason> {
        if let Some(reason) = turn.end_requested() {
            return Some(StopReason::EndedByHook {
                reason: reason.to_owned(),
            });
        }
        (turns >= self.max_turns).then_some(StopReason::MaxTurns)
    }

    async fn answer(&self, turn: &Turn<'_>, messages: &[Message]) -> Result<ModelMessage, Failure> {
        let cancelled = turn.execution().cancellation_token();
        let system = self.system_prompt.as_deref();
        self.ask(system, messages, &self.tools.specs(), cancelled)
            .await
    }

    async fn ask(
        &self,
        system: Option<&str>,
        messages: &[Message],
        tools: &[Value],
        cancelled: &CancellationToken,
    ) -> Result<ModelMessage, Failure> {
        let mut body = json!({
            "model": self.model.model,
            "max_tokens": self.model.max_tokens,
            "messages": messages,
        });
        if let Value::Object(fields) = &mut body {
            fields.extend(system.map(|system| ("system".to_owned(), system.into())));
            if !tools.is_empty() {
                fields.insert("tools".to_owned(), tools.into());
            }
        }
        let json = tokio::select! {
            biased;
            () = cancelled.cancelled() => return Err(Failure::Cancelled),
            json = self.model.post(&body, ANSWER_LIMIT) => json.map_err(Failure::Model)?,
        };
        let answer = ModelMessage::read(json).ok_or(Failure::NoAnswer)?;
        self.ledger.spend(answer.usage);
        Ok(answer)
    }

    /// A failed compaction is no reason to give up: the conversation stays as it is.
    async fn compact_if_large(&self, turn: &mut Turn<'_>, messages: &mut Vec<Message>, size: u64) {
        if self.compact_above.is_none_or(|limit| size <= limit) {
            return;
        }
        let Some(Older { transcript, kept }) = compaction::split(messages) else {
            return;
        };
        let cancelled = turn.execution().cancellation_token().clone();
        let compacted = turn
            .compact(CompactTrigger::Auto, None, |instructions| async move {
                let request = compaction::request(&transcript, instructions.as_deref());
                let messages = [Message::user(request)];
                let answer = self.ask(None, &messages, &[], &cancelled).await?;
                Ok::<_, Failure>(answer.text())
            })
            .await;
        let notes = match compacted {
            Ok(Compaction::Done { summary, notes }) => {
                compaction::replace_older(messages, kept, &summary, &notes);
                notes
            }
            Ok(Compaction::Prevented { reason, mut notes }) => {
                notes
                    .warnings
                    .push(format!("a hook prevented the compaction: {reason}"));
                notes
            }
            Err(failure) => {
                let (_, error) = failure.explained();
                compaction::failed(&error)
            }
        };
        self.ledger.note(notes);
    }
}

impl fmt::Debug for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Engine")
            .field("model", &self.model)
            .field("tools", &self.tools)
            .finish_non_exhaustive()
    }
}

/// Why there is no answer.
enum Failure {
    Cancelled,
    NoAnswer,
    Model(ModelError),
}

impl Failure {
    /// The word that `StopFailure` matchers are compared with, and the error.
    fn explained(self) -> (&'static str, Error) {
        match self {
            Self::Cancelled => ("cancelled", Error::other("the run was cancelled")),
            Self::NoAnswer => (
                "server_error",
                Error::Model {
                    reason:
                        "its answer has no `content` list; is the base URL that of a Messages API?"
                            .to_owned(),
                },
            ),
            Self::Model(error) => {
                let kind = match &error {
                    ModelError::Status { code, .. } => match code {
                        401 | 403 => "authentication_failed",
                        404 => "model_not_found",
                        429 => "rate_limit",
                        503 | 529 => "overloaded",
                        400..500 => "invalid_request",
                        _ => "server_error",
                    },
                    _ => "unknown",
                };
                (kind, error.into())
            }
        }
    }
}
