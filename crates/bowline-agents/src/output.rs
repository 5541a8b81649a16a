//! What one hook says.

use serde_json::Value;

/// What a hook answers: six fields, which may also be written out as a literal. [`HookOutput::allow`] has no
/// opinion: the agent's own permissions decide.
///
/// A hook that asks, grants or warns gives an [`Opinion`](crate::Opinion) instead.
#[derive(Debug, Clone, PartialEq)]
pub struct HookOutput {
    /// `false` blocks.
    pub continue_execution: bool,
    /// Why execution does not continue.
    pub stop_reason: Option<String>,
    /// The output should not be logged.
    pub suppress_logging: bool,
    /// A message for the user, injected into the context by agents that do so.
    pub system_message: Option<String>,
    /// What the tool runs with instead of its input.
    pub updated_input: Option<Value>,
    /// Text for the model.
    pub additional_context: Option<String>,
}

impl Default for HookOutput {
    fn default() -> Self {
        Self {
            continue_execution: true,
            stop_reason: None,
            suppress_logging: false,
            system_message: None,
            updated_input: None,
            additional_context: None,
        }
    }
}

impl HookOutput {
    /// Continue. This is *no opinion*, never a grant.
    pub fn allow() -> Self {
        Self::default()
    }

    /// Do not continue.
    pub fn block(reason: impl Into<String>) -> Self {
        Self {
            continue_execution: false,
            stop_reason: Some(reason.into()),
            ..Self::default()
        }
    }

    /// Adds a message for the user.
    pub fn system_message(mut self, message: impl Into<String>) -> Self {
        self.system_message = Some(message.into());
        self
    }

    /// Adds text for the model.
    pub fn context(mut self, context: impl Into<String>) -> Self {
        self.additional_context = Some(context.into());
        self
    }

    /// Replaces the tool's input.
    pub fn updated_input(mut self, input: Value) -> Self {
        self.updated_input = Some(input);
        self
    }

    /// Asks that this output is not logged.
    pub fn suppress_logging(mut self) -> Self {
        self.suppress_logging = true;
        self
    }
}
