//! The input of a hook: the event's data, typed, and everything else that the agent sent.

mod data;
mod fields;
mod parts;

use bowline_agents::{NATIVE, Reported, Tool};
use chrono::{DateTime, Utc};
use serde_json::{Map, Value};

use crate::event::HookEvent;

pub(crate) use data::plain_text;
pub use data::{HookEventData, ToolOutput};

/// One event: whose, when, what.
#[derive(Debug, Clone, PartialEq)]
pub struct HookInput {
    /// The agent's session.
    pub session_id: String,
    /// When the event was reported.
    pub timestamp: DateTime<Utc>,
    /// What it is about.
    pub data: HookEventData,
    /// Every other field of the payload, as a JSON object with snake_case names. Fields that nobody
    /// knows are kept and passed on. Read it with the accessors.
    pub metadata: Option<Value>,
}

impl HookInput {
    /// An event with the given data, now, with nothing else known.
    pub fn new(session_id: impl Into<String>, data: HookEventData) -> Self {
        Self {
            session_id: session_id.into(),
            timestamp: Utc::now(),
            data,
            metadata: None,
        }
    }

    /// Before a tool runs.
    pub fn pre_tool_use(
        session_id: impl Into<String>,
        tool_name: impl Into<String>,
        input: Value,
    ) -> Self {
        Self::new(
            session_id,
            HookEventData::PreToolUse {
                tool_name: tool_name.into(),
                tool_input: input,
            },
        )
    }

    /// After a tool succeeded.
    pub fn post_tool_use(
        session_id: impl Into<String>,
        tool_name: impl Into<String>,
        result: impl Into<ToolOutput>,
    ) -> Self {
        Self::new(
            session_id,
            HookEventData::PostToolUse {
                tool_name: tool_name.into(),
                tool_result: result.into(),
            },
        )
    }

    /// After a tool failed.
    pub fn post_tool_use_failure(
        session_id: impl Into<String>,
        tool_name: impl Into<String>,
        error: impl Into<String>,
    ) -> Self {
        Self::new(
            session_id,
            HookEventData::PostToolUseFailure {
                tool_name: tool_name.into(),
                error: error.into(),
            },
        )
    }

    /// A prompt was submitted.
    pub fn user_prompt_submit(session_id: impl Into<String>, prompt: impl Into<String>) -> Self {
        Self::new(
            session_id,
            HookEventData::UserPromptSubmit {
                prompt: prompt.into(),
            },
        )
    }

    /// A session begins.
    pub fn session_start(session_id: impl Into<String>) -> Self {
        Self::new(session_id, HookEventData::SessionStart)
    }

    /// A session ends.
    pub fn session_end(session_id: impl Into<String>) -> Self {
        Self::new(session_id, HookEventData::SessionEnd)
    }

    /// The agent is about to stop.
    pub fn stop(session_id: impl Into<String>) -> Self {
        Self::new(session_id, HookEventData::Stop)
    }

    /// Before a compaction.
    pub fn pre_compact(session_id: impl Into<String>) -> Self {
        Self::new(session_id, HookEventData::PreCompact)
    }

    /// A sub-agent is spawned.
    pub fn subagent_start(
        session_id: impl Into<String>,
        subagent_id: impl Into<String>,
        subagent_type: impl Into<String>,
        description: impl Into<String>,
    ) -> Self {
        Self::new(
            session_id,
            HookEventData::SubagentStart {
                subagent_id: subagent_id.into(),
                subagent_type: subagent_type.into(),
                description: description.into(),
            },
        )
    }

    /// A sub-agent finished.
    pub fn subagent_stop(
        session_id: impl Into<String>,
        subagent_id: impl Into<String>,
        success: bool,
        error: Option<String>,
    ) -> Self {
        Self::new(
            session_id,
            HookEventData::SubagentStop {
                subagent_id: subagent_id.into(),
                success,
                error,
            },
        )
    }

    /// Any event by name; the ten of [`HookEventData`] start with empty data. Fill in what it carries
    /// with [`HookInput::with_field`].
    pub fn for_event(session_id: impl Into<String>, event: HookEvent) -> Self {
        let empty = String::new;
        let data = match event {
            HookEvent::PreToolUse => HookEventData::PreToolUse {
                tool_name: empty(),
                tool_input: Value::Object(Map::new()),
            },
            HookEvent::PostToolUse => HookEventData::PostToolUse {
                tool_name: empty(),
                tool_result: ToolOutput::default(),
            },
            HookEvent::PostToolUseFailure => HookEventData::PostToolUseFailure {
                tool_name: empty(),
                error: empty(),
            },
            HookEvent::UserPromptSubmit => HookEventData::UserPromptSubmit { prompt: empty() },
            HookEvent::Stop => HookEventData::Stop,
            HookEvent::SubagentStart => HookEventData::SubagentStart {
                subagent_id: empty(),
                subagent_type: empty(),
                description: empty(),
            },
            HookEvent::SubagentStop => HookEventData::SubagentStop {
                subagent_id: empty(),
                success: true,
                error: None,
            },
            HookEvent::PreCompact => HookEventData::PreCompact,
            HookEvent::SessionStart => HookEventData::SessionStart,
            HookEvent::SessionEnd => HookEventData::SessionEnd,
            event => HookEventData::Other { event },
        };
        Self::new(session_id, data)
    }

    /// Sets a field of the payload that is not part of [`HookInput::data`], by its snake_case name.
    pub fn with_field(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        let metadata = self
            .metadata
            .get_or_insert_with(|| Value::Object(Map::new()));
        if let Value::Object(fields) = metadata {
            fields.insert(name.into(), value.into());
        }
        self
    }

    /// A field of the payload beside those in [`HookInput::data`].
    pub fn field(&self, name: &str) -> Option<&Value> {
        self.metadata.as_ref()?.get(name)
    }

    fn text_field(&self, name: &str) -> Option<&str> {
        self.field(name)?.as_str()
    }

    /// The event.
    pub fn event_type(&self) -> HookEvent {
        self.data.event_type()
    }

    /// What an answer to the agent has to know of the event: its own words for it.
    pub fn reported(&self) -> Reported<'_> {
        let tool = (self.tool_name(), self.tool_input());
        Reported::decoded(self.event_type(), self.field(NATIVE), tool)
            .in_mode(self.text_field("permission_mode"))
    }

    /// The event's name as the agent sent it; differs from [`HookEvent::name`] only for unknown events.
    pub fn event_name(&self) -> &str {
        match self.event_type() {
            HookEvent::Unknown => self.text_field("hook_event_name").unwrap_or("Unknown"),
            event => event.name(),
        }
    }

    /// The tool's name, on events about a tool call.
    pub fn tool_name(&self) -> Option<&str> {
        self.data.tool_name().or_else(|| {
            self.event_type()
                .is_tool_event()
                .then(|| self.text_field("tool_name"))
                .flatten()
        })
    }

    /// What the tool runs (or ran) with, on events about a tool call.
    pub fn tool_input(&self) -> Option<&Value> {
        self.data.tool_input().or_else(|| {
            self.event_type()
                .is_tool_event()
                .then(|| self.field("tool_input"))
                .flatten()
        })
    }

    /// What the tool gave back.
    pub fn tool_result(&self) -> Option<&ToolOutput> {
        match &self.data {
            HookEventData::PostToolUse { tool_result, .. } => Some(tool_result),
            _ => None,
        }
    }

    /// What the tool gave back, as the agent structures it, on any event that has it.
    pub(crate) fn tool_response(&self) -> Option<&Value> {
        self.tool_result()
            .map(|result| &result.content)
            .or_else(|| self.field("tool_response"))
    }

    /// The sub-agent's id, on the two sub-agent events.
    pub fn subagent_id(&self) -> Option<&str> {
        self.data.subagent_id()
    }

    /// The type of the sub-agent that the event is about, or inside which it happened.
    pub fn agent_type(&self) -> Option<&str> {
        match &self.data {
            HookEventData::SubagentStart { subagent_type, .. } => Some(subagent_type),
            _ => self.text_field("agent_type"),
        }
    }

    /// The sub-agent inside which the event happened, or which it is about.
    pub fn agent_id(&self) -> Option<&str> {
        self.data
            .subagent_id()
            .or_else(|| self.text_field("agent_id"))
    }

    /// The prompt, on the two prompt events.
    pub fn prompt(&self) -> Option<&str> {
        match &self.data {
            HookEventData::UserPromptSubmit { prompt } => Some(prompt),
            _ => self.text_field("prompt"),
        }
    }

    /// What went wrong, on the events that report a failure.
    pub fn error(&self) -> Option<&str> {
        match &self.data {
            HookEventData::PostToolUseFailure { error, .. } => Some(error),
            HookEventData::SubagentStop { error, .. } => error.as_deref(),
            _ => self.text_field("error"),
        }
    }

    /// The shell command of a tool call that has one.
    pub fn command(&self) -> Option<&str> {
        self.tool_input()?.get("command")?.as_str()
    }

    /// The file that the event is about: a tool call's file, or the event's own.
    pub fn file_path(&self) -> Option<&str> {
        let from_tool = || {
            let input = self.tool_input()?;
            let of_move =
                (self.tool_name().map(Tool::named) == Some(Tool::Move)).then_some("source");
            ["file_path", "notebook_path", "path"]
                .into_iter()
                .chain(of_move)
                .find_map(|key| input.get(key)?.as_str())
        };
        from_tool().or_else(|| self.text_field("file_path"))
    }

    /// What a string matcher is compared with: the tool's name, or the event's subject (source, trigger,
    /// agent type, …). `None` where matchers are ignored.
    pub fn subject(&self) -> Option<&str> {
        match self.event_type().subject_field()? {
            "tool_name" => self.tool_name(),
            "agent_type" => self.agent_type(),
            "error" => self.error(),
            "file_path" => self
                .file_path()
                .map(|path| path.rsplit('/').next().unwrap_or(path)),
            field => self.text_field(field),
        }
    }

    /// Replaces what the tool will run with. Events without a tool input are left as they are.
    pub fn replace_tool_input(&mut self, input: Value) {
        match &mut self.data {
            HookEventData::PreToolUse { tool_input, .. } => *tool_input = input,
            data if data.event_type().is_tool_event() => {
                if let Some(Value::Object(fields)) = &mut self.metadata {
                    fields.insert("tool_input".to_owned(), input);
                }
            }
            _ => {}
        }
    }
}
