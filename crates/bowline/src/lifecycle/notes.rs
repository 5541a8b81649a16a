//! What hooks say beside their decisions.

use crate::event::HookEvent;
use crate::opinion::Opinion;

/// What the hooks of one step said, for the model, the user and the person who runs the hooks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Notes {
    /// For the model.
    pub context: Vec<String>,
    /// For the user; agents may give them to the model too.
    pub system_messages: Vec<String>,
    /// For the person who runs the hooks: what failed, was ignored or could not be enforced.
    pub warnings: Vec<String>,
}

impl Notes {
    pub(super) fn of(output: &Opinion) -> Self {
        Self {
            context: output.additional_context.iter().cloned().collect(),
            system_messages: output.system_message.iter().cloned().collect(),
            warnings: output.warnings.clone(),
        }
    }

    /// Adds what was said later.
    pub fn absorb(&mut self, later: Self) {
        self.context.extend(later.context);
        self.system_messages.extend(later.system_messages);
        self.warnings.extend(later.warnings);
    }

    /// Whether nothing was said.
    pub fn is_empty(&self) -> bool {
        self.context.is_empty() && self.system_messages.is_empty() && self.warnings.is_empty()
    }

    pub(super) fn unenforced(&mut self, event: HookEvent, reason: &str) {
        self.warnings.push(format!(
            "a {} hook blocked, but there is nothing to prevent at that point: {reason}",
            event.name()
        ));
    }

    pub(super) fn no_turn_to_end(&mut self, event: HookEvent, reason: &str) {
        self.warnings.push(format!(
            "a {} hook wanted to end the turn, but no turn was running: {reason}",
            event.name()
        ));
    }
}
