//! Sub-agents: a turn of their own, inside a session.

use super::heard::hear;
use super::{Notes, Turn};
use crate::error::{Error, Result};
use crate::execution::{ExecutionContext, fresh_id};
use crate::input::HookInput;

/// A sub-agent to start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subagent {
    /// Its id.
    pub id: String,
    /// Its type, with which matchers are compared.
    pub agent_type: String,
    /// What it is for.
    pub description: String,
}

impl Subagent {
    /// A sub-agent with an id of its own.
    pub fn new(agent_type: impl Into<String>, description: impl Into<String>) -> Self {
        Self {
            id: fresh_id(),
            agent_type: agent_type.into(),
            description: description.into(),
        }
    }

    /// Sets its id.
    pub fn id(mut self, id: impl Into<String>) -> Self {
        self.id = id.into();
        self
    }

    /// Fires `SubagentStart` and opens the sub-agent's turn; a block is [`Error::Refused`]. It needs no more than the context that
    /// tools run with, so that several sub-agents may run at once. Events of the turn carry the sub-agent's id and type, and
    /// [`Turn::stop`] fires `SubagentStop`.
    pub async fn start(self, execution: &ExecutionContext) -> Result<(Turn<'static>, Notes)> {
        let execution = execution
            .clone()
            .with_field("agent_id", self.id.as_str())
            .with_field("agent_type", self.agent_type.as_str());
        let input = HookInput::subagent_start(
            execution.session_id(),
            self.id.as_str(),
            self.agent_type.as_str(),
            self.description.as_str(),
        );
        let heard = hear(&execution, input).await;
        if let Some(reason) = heard.block {
            return Err(Error::Refused { reason });
        }
        let mut turn = Turn::of_subagent(execution, self);
        turn.note_end(heard.end_turn);
        Ok((turn, heard.notes))
    }
}
