//! What events are about.

use std::borrow::Cow;

use serde_json::Value;

use crate::event::HookEvent;

/// What a tool gave back.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ToolOutput {
    /// The result, as the agent structures it.
    pub content: Value,
    /// Whether the tool reported an error.
    pub is_error: bool,
}

impl ToolOutput {
    /// A successful result.
    pub fn new(content: impl Into<Value>) -> Self {
        Self {
            content: content.into(),
            is_error: false,
        }
    }

    /// A result that reports an error.
    pub fn error(content: impl Into<Value>) -> Self {
        Self {
            content: content.into(),
            is_error: true,
        }
    }
}

/// A JSON value for people and models: text as it is, nothing for null, anything else as JSON.
pub(crate) fn plain_text(value: &Value) -> Cow<'_, str> {
    match value {
        Value::Null => Cow::Borrowed(""),
        Value::String(text) => Cow::Borrowed(text),
        Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            Cow::Owned(value.to_string())
        }
    }
}

impl From<Value> for ToolOutput {
    fn from(content: Value) -> Self {
        Self::new(content)
    }
}

/// What the event is about. Events beside the ten here are [`HookEventData::Other`]; what they carry is
/// read with the accessors of [`HookInput`](crate::hooks::HookInput).
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum HookEventData {
    /// Before a tool runs.
    PreToolUse {
        /// The tool.
        tool_name: String,
        /// What it will run with.
        tool_input: Value,
    },
    /// A tool succeeded.
    PostToolUse {
        /// The tool.
        tool_name: String,
        /// What it gave back.
        tool_result: ToolOutput,
    },
    /// A tool failed.
    PostToolUseFailure {
        /// The tool.
        tool_name: String,
        /// What went wrong.
        error: String,
    },
    /// The user submitted a prompt.
    UserPromptSubmit {
        /// The text.
        prompt: String,
    },
    /// The agent is about to finish its turn.
    Stop,
    /// A sub-agent is spawned.
    SubagentStart {
        /// Its id.
        subagent_id: String,
        /// Its type.
        subagent_type: String,
        /// What it is for.
        description: String,
    },
    /// A sub-agent finished.
    SubagentStop {
        /// Its id.
        subagent_id: String,
        /// Whether it did what it was for.
        success: bool,
        /// What went wrong.
        error: Option<String>,
    },
    /// Before the context is compacted.
    PreCompact,
    /// A session begins.
    SessionStart,
    /// A session ends.
    SessionEnd,
    /// Any other event.
    Other {
        /// Which one; [`HookEvent::Unknown`] for one that this version does not know.
        event: HookEvent,
    },
}

impl HookEventData {
    /// The event.
    pub fn event_type(&self) -> HookEvent {
        match self {
            Self::PreToolUse { .. } => HookEvent::PreToolUse,
            Self::PostToolUse { .. } => HookEvent::PostToolUse,
            Self::PostToolUseFailure { .. } => HookEvent::PostToolUseFailure,
            Self::UserPromptSubmit { .. } => HookEvent::UserPromptSubmit,
            Self::Stop => HookEvent::Stop,
            Self::SubagentStart { .. } => HookEvent::SubagentStart,
            Self::SubagentStop { .. } => HookEvent::SubagentStop,
            Self::PreCompact => HookEvent::PreCompact,
            Self::SessionStart => HookEvent::SessionStart,
            Self::SessionEnd => HookEvent::SessionEnd,
            Self::Other { event } => *event,
        }
    }

    /// The tool's name, on the three tool events above.
    pub fn tool_name(&self) -> Option<&str> {
        match self {
            Self::PreToolUse { tool_name, .. }
            | Self::PostToolUse { tool_name, .. }
            | Self::PostToolUseFailure { tool_name, .. } => Some(tool_name),
            _ => None,
        }
    }

    /// What the tool will run with, on `PreToolUse`.
    pub fn tool_input(&self) -> Option<&Value> {
        match self {
            Self::PreToolUse { tool_input, .. } => Some(tool_input),
            _ => None,
        }
    }

    /// The sub-agent's id, on the two sub-agent events.
    pub fn subagent_id(&self) -> Option<&str> {
        match self {
            Self::SubagentStart { subagent_id, .. } | Self::SubagentStop { subagent_id, .. } => {
                Some(subagent_id)
            }
            _ => None,
        }
    }
}
