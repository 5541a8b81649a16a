//! One event's answer, taken apart for the step that fired it.

use serde_json::{Map, Value};

use super::Notes;
use crate::decision::Decision;
use crate::event::{EventClass, HookEvent};
use crate::execution::ExecutionContext;
use crate::input::HookInput;

const NO_REASON: &str = "a hook blocked it and gave no reason";

pub(super) struct Heard {
    event: HookEvent,
    pub(super) decision: Decision,
    /// The reason, if a hook does not let the agent continue.
    pub(super) block: Option<String>,
    /// The reason, if a hook wants the turn to end after this event.
    pub(super) end_turn: Option<String>,
    pub(super) rewritten_input: Option<Value>,
    pub(super) event_fields: Map<String, Value>,
    pub(super) notes: Notes,
}

/// Fires the event. A block that nothing can come of is noted as a warning, not returned.
pub(super) async fn hear(execution: &ExecutionContext, input: HookInput) -> Heard {
    let event = input.event_type();
    let output = execution.fire(input).await;
    let decision = output.decision();
    let mut notes = Notes::of(&output);
    let mut block = match decision {
        Decision::Deny | Decision::Ask => Some(
            output
                .stop_reason
                .clone()
                .unwrap_or_else(|| NO_REASON.to_owned()),
        ),
        Decision::Grant | Decision::NoOpinion => None,
    };
    if event.class() == EventClass::Observe
        && let Some(reason) = block.take()
    {
        notes.unenforced(event, &reason);
    }
    Heard {
        event,
        decision,
        block,
        rewritten_input: output.rewritten_input().cloned(),
        end_turn: output.end_turn,
        event_fields: output.event_fields,
        notes,
    }
}

impl Heard {
    /// Notes a wish to end the turn where no turn is running.
    pub(super) fn end_turn_is_void(&mut self) {
        if let Some(reason) = self.end_turn.take() {
            self.notes.no_turn_to_end(self.event, &reason);
        }
    }
}
