//! What a hook is told: the event's data, typed, and everything else that the agent sent.

use chrono::{DateTime, Utc};
use serde_json::{Map, Value};

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

impl From<Value> for ToolOutput {
    fn from(content: Value) -> Self {
        Self::new(content)
    }
}

/// What the event is about. Events beside the ten here are [`HookEventData::Other`]; what they carry is
/// read with the accessors of [`HookInput`].
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
            ["file_path", "notebook_path", "path"]
                .iter()
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

macro_rules! text_accessors {
    ($( $(#[$doc:meta])* $name:ident; )*) => {
        impl HookInput { $(
            $(#[$doc])*
            pub fn $name(&self) -> Option<&str> {
                self.text_field(stringify!($name))
            }
        )* }
    };
}

text_accessors! {
    /// The agent's own id of the tool call.
    tool_use_id;
    /// The conversation's transcript file.
    transcript_path;
    /// The sub-agent's transcript file.
    agent_transcript_path;
    /// The agent's working directory, which follows `cd`.
    cwd;
    /// The agent's permission mode.
    permission_mode;
    /// The prompt that the event belongs to.
    prompt_id;
    /// What started a session, a configuration change, or a prompt.
    source;
    /// The model in use.
    model;
    /// What caused a compaction or a set-up.
    trigger;
    /// What the user asked a compaction to keep.
    custom_instructions;
    /// The summary that a compaction produced.
    compact_summary;
    /// Why a session ended, or a call was denied.
    reason;
    /// The text of a notification or an elicitation.
    message;
    /// The title of a notification.
    title;
    /// The kind of a notification.
    notification_type;
    /// The agent's last words.
    last_assistant_message;
    /// The teammate.
    teammate_name;
    /// The team.
    team_name;
    /// The agent's own task.
    task_id;
    /// The task's subject line.
    task_subject;
    /// The task's description.
    task_description;
    /// The slash command that expands.
    command_name;
    /// The arguments of the slash command.
    command_args;
    /// The MCP server that asks.
    mcp_server_name;
    /// Why an instruction file was loaded.
    load_reason;
    /// The working directory before a change.
    old_cwd;
    /// The working directory after a change.
    new_cwd;
    /// The directory that was added.
    directory;
    /// The model before a switch.
    from_model;
    /// The model after a switch.
    to_model;
    /// The worktree that is being removed.
    worktree_path;
}

impl HookInput {
    /// Whether a stop hook already sent the agent on in this turn.
    pub fn stop_hook_active(&self) -> bool {
        self.field("stop_hook_active")
            .and_then(Value::as_bool)
            .unwrap_or(false)
    }

    /// Whether the failure was an interruption by the user.
    pub fn is_interrupt(&self) -> bool {
        self.field("is_interrupt")
            .and_then(Value::as_bool)
            .unwrap_or(false)
    }

    /// How long the tool took.
    pub fn duration_ms(&self) -> Option<u64> {
        self.field("duration_ms")?.as_u64()
    }

    /// The permission updates that the agent suggests.
    pub fn permission_suggestions(&self) -> &[Value] {
        self.field("permission_suggestions")
            .and_then(Value::as_array)
            .map_or(&[], Vec::as_slice)
    }

    /// The calls of a finished batch.
    pub fn tool_calls(&self) -> &[Value] {
        self.field("tool_calls")
            .and_then(Value::as_array)
            .map_or(&[], Vec::as_slice)
    }
}
