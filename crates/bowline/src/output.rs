//! What one hook says, and what all of them come to.

use serde_json::{Map, Value};

use crate::decision::Decision;

/// A deliberate opinion on permission, beside continue or block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Permission {
    /// A person has to decide.
    Ask,
    /// The call may run without asking.
    Grant,
}

/// What a hook answers. [`HookOutput::allow`] has no opinion: the agent's own permissions decide.
///
/// Fields may be added; build one with a factory and the builder methods, or with
/// `..HookOutput::default()`. A literal of the first six fields alone, as document 001 has it, cannot compile: Rust wants every
/// field named, and questions, grants and warnings need fields of their own.
#[derive(Debug, Clone, PartialEq)]
pub struct HookOutput {
    /// `false` blocks (or, with [`Permission::Ask`], holds until a person has decided).
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
    /// An opinion beyond continue or block.
    pub permission: Option<Permission>,
    /// Plain text that a hook printed; kept for people, not given to the model.
    pub message: Option<String>,
    /// The hook asks that the agent's turn ends after this event (Claude Code's `continue: false`).
    /// Unlike a block it prevents nothing by itself.
    pub end_turn: Option<String>,
    /// Fields that only this event has (`sessionTitle`, `watchPaths`, …), under the agent's own names.
    pub event_fields: Map<String, Value>,
    /// What the person who runs the hooks should know: ignored fields, cut output, skipped parts.
    pub warnings: Vec<String>,
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
            permission: None,
            message: None,
            end_turn: None,
            event_fields: Map::new(),
            warnings: Vec::new(),
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

    /// Let a person decide.
    pub fn ask(reason: impl Into<String>) -> Self {
        Self {
            permission: Some(Permission::Ask),
            ..Self::block(reason)
        }
    }

    /// Permit deliberately, without asking anyone.
    pub fn grant() -> Self {
        Self {
            permission: Some(Permission::Grant),
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

    /// Adds a warning for the person who runs the hooks.
    pub fn warning(mut self, warning: impl Into<String>) -> Self {
        self.warnings.push(warning.into());
        self
    }

    /// What this output comes to. A contradiction is read in the stricter way.
    pub fn decision(&self) -> Decision {
        match (self.continue_execution, self.permission) {
            (_, Some(Permission::Ask)) => Decision::Ask,
            (false, _) => Decision::Deny,
            (true, Some(Permission::Grant)) => Decision::Grant,
            (true, None) => Decision::NoOpinion,
        }
    }

    /// The input that the tool is to run with, if it was rewritten and nothing blocked.
    pub fn rewritten_input(&self) -> Option<&Value> {
        self.updated_input
            .as_ref()
            .filter(|_| self.decision() != Decision::Deny)
    }
}
