//! Sub-agents, as a tool.

use async_trait::async_trait;
use serde_json::{Value, json};

use super::{Tool, arguments};
use crate::agent::StopReason;
use crate::agent::engine::Engine;
use crate::agent::message::Message;
use crate::execution::ExecutionContext;
use crate::input::ToolOutput;
use crate::lifecycle::Subagent;

/// Lets a sub-agent do a piece of work and returns its last words. The sub-agent has the agent's tools but this one: it cannot
/// start sub-agents of its own.
#[derive(Debug)]
pub(in crate::agent) struct Task {
    engine: Engine,
}

#[derive(serde::Deserialize)]
struct Input {
    description: String,
    prompt: String,
    #[serde(default = "general_purpose")]
    subagent_type: String,
}

fn general_purpose() -> String {
    "general-purpose".to_owned()
}

impl Task {
    pub(in crate::agent) const NAME: &'static str = "Task";

    /// Sub-agents are driven by this engine.
    pub(in crate::agent) fn new(engine: Engine) -> Self {
        Self { engine }
    }
}

#[async_trait]
impl Tool for Task {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn description(&self) -> &'static str {
        "Lets a sub-agent do a piece of work on its own and returns its report. It knows nothing of this conversation: say \
         everything that it needs in the prompt. Several may work at the same time."
    }

    fn input_schema(&self) -> Value {
        json!({
            "type": "object",
            "properties": {
                "description": {"type": "string", "description": "The work, in a few words."},
                "prompt": {"type": "string", "description": "The work, in full."},
                "subagent_type": {"type": "string", "description": "The kind of sub-agent; general-purpose unless given."},
            },
            "required": ["description", "prompt"],
        })
    }

    async fn run(&self, input: Value, ctx: &ExecutionContext) -> Result<ToolOutput, String> {
        let input: Input = arguments(self.name(), input)?;
        let (turn, notes) = Subagent::new(input.subagent_type, input.description)
            .start(ctx)
            .await
            .map_err(|error| error.to_string())?;
        let mut messages = vec![Message::user(input.prompt).with_notes(&notes)];
        self.engine.ledger.note(notes);
        let finished = self
            .engine
            .drive(turn, &mut messages)
            .await
            .map_err(|error| error.to_string())?;
        Ok(ToolOutput::new(match finished.stop_reason {
            StopReason::Finished => finished.text,
            StopReason::MaxTurns => {
                unfinished(&finished.text, "it was asked as often as it may be")
            }
            StopReason::EndedByHook { reason } | StopReason::Model(reason) => {
                unfinished(&finished.text, &reason)
            }
        }))
    }
}

fn unfinished(text: &str, why: &str) -> String {
    format!("{text}\n\n(The sub-agent did not finish: {why}.)")
}
