//! What an agent makes of an answer.

use serde_json::Value;

use crate::decision::Decision;

/// What an agent makes of an answer, by its own rules.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Reading {
    /// What it does: it goes on as it would anyway, goes on without asking, asks a person, or does not go on. Where an agent was about
    /// to end its turn, a denial keeps it going.
    pub decision: Decision,
    /// Why, as the model or the person gets to read it.
    pub reason: Option<String>,
    /// The tool's input that runs instead, in the agent's own words.
    pub input: Option<Value>,
    /// What reaches the model beside that.
    pub context: Option<String>,
    /// What the person gets to read.
    pub message: Option<String>,
    /// Whether its turn ends with this.
    pub ends_turn: bool,
}

impl Reading {
    /// Nothing was said.
    pub fn silence() -> Self {
        Self::default()
    }

    /// A decision with its reason.
    pub fn decided(decision: Decision, reason: Option<String>) -> Self {
        Self {
            decision,
            reason,
            ..Self::default()
        }
    }
}
