//! Everything that a hook can say, and the decision that follows.

use serde_json::{Map, Value};

use crate::decision::Decision;
use crate::output::HookOutput;

/// A deliberate opinion on permission, beside continue or block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Permission {
    /// A person has to decide.
    Ask,
    /// The call may run without asking.
    Grant,
}

/// What a hook would have decided if it did more than observe.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Observed {
    /// The decision.
    pub decision: Decision,
    /// The rule from which it follows.
    pub rule: Option<String>,
    /// Why.
    pub reason: String,
}

/// A hook's output in full: what [`HookOutput`] says, and questions, grants, warnings and an agent's own fields.
///
/// Fields may be added; build one with a factory and the builder methods, or with `..Opinion::default()`.
#[derive(Debug, Clone, PartialEq)]
pub struct Opinion {
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
    /// What programs read beside the texts (`effortId`, `heartbeatCount`, …). Agents with their own form of answers do not get it.
    pub facts: Map<String, Value>,
    /// What the person who runs the hooks should know: ignored fields, cut output, skipped parts.
    pub warnings: Vec<String>,
    /// The id of the rule from which a block or a question follows (`git.push-force`).
    pub rule: Option<String>,
    /// What would have been decided, by a hook that only observes.
    pub observed: Option<Observed>,
}

impl Default for Opinion {
    fn default() -> Self {
        HookOutput::default().into()
    }
}

impl From<HookOutput> for Opinion {
    fn from(output: HookOutput) -> Self {
        Self {
            continue_execution: output.continue_execution,
            stop_reason: output.stop_reason,
            suppress_logging: output.suppress_logging,
            system_message: output.system_message,
            updated_input: output.updated_input,
            additional_context: output.additional_context,
            permission: None,
            message: None,
            end_turn: None,
            event_fields: Map::new(),
            facts: Map::new(),
            warnings: Vec::new(),
            rule: None,
            observed: None,
        }
    }
}

/// Keeps the six fields: a question is a block then, and a grant is no opinion.
impl From<Opinion> for HookOutput {
    fn from(opinion: Opinion) -> Self {
        Self {
            continue_execution: opinion.decision() < Decision::Ask,
            stop_reason: opinion.stop_reason,
            suppress_logging: opinion.suppress_logging,
            system_message: opinion.system_message,
            updated_input: opinion.updated_input,
            additional_context: opinion.additional_context,
        }
    }
}

impl Opinion {
    /// Continue. This is *no opinion*, never a grant.
    pub fn allow() -> Self {
        Self::default()
    }

    /// Do not continue.
    pub fn block(reason: impl Into<String>) -> Self {
        HookOutput::block(reason).into()
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
        add_text(&mut self.system_message, &message.into());
        self
    }

    /// Adds text for the model.
    pub fn context(mut self, context: impl Into<String>) -> Self {
        add_text(&mut self.additional_context, &context.into());
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

    /// Names the rule from which a block or a question follows.
    pub fn by_rule(mut self, rule: impl Into<String>) -> Self {
        self.rule = Some(rule.into());
        self
    }

    /// Instead of deciding, reports what would have been decided. Nothing is blocked, and nobody is asked.
    pub fn only_observed(self) -> Self {
        let observed = Observed {
            decision: self.decision(),
            rule: self.rule,
            reason: self.stop_reason.unwrap_or_default(),
        };
        Self {
            continue_execution: true,
            permission: None,
            stop_reason: None,
            rule: None,
            observed: Some(observed),
            ..self
        }
    }

    /// The decision of this opinion. A contradiction is read in the stricter way.
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

/// Adds a text for the model or the person after those that are there.
pub fn add_text(texts: &mut Option<String>, text: &str) {
    match texts {
        Some(texts) => {
            texts.push('\n');
            texts.push_str(text);
        }
        None => *texts = Some(text.to_owned()),
    }
}
