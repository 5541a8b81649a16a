//! The events that agents report: names, classes, what a matcher is compared with, payload fields.
//!
//! One table; everything that depends on the event (settings, dialects, `bowline events`) reads it here.

use std::fmt;
use std::str::FromStr;

use serde_core::{Serialize, Serializer};

use crate::near;
use crate::spelling::{self, Spellings};

/// What a block can still do when the event arrives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum EventClass {
    /// A block prevents what the agent is about to do.
    Gate,
    /// Nothing is undone; the reason of a block is delivered as an instruction.
    Redirect,
    /// A block is only recorded.
    Observe,
}

impl EventClass {
    /// Its name, in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Gate => "gate",
            Self::Redirect => "redirect",
            Self::Observe => "observe",
        }
    }
}

impl fmt::Display for EventClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl Serialize for EventClass {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

macro_rules! events {
    ($( $(#[$doc:meta])* $variant:ident, $snake:literal, $class:ident, $subject:expr, [$($field:literal),*]; )*) => {
        /// A point in an agent's life.
        ///
        /// `Display` is the snake_case form that payloads carry in `event`; [`HookEvent::name`] is the
        /// PascalCase form that settings files and `hook_event_name` use. Parsing accepts any casing.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum HookEvent {
            $( $(#[$doc])* $variant, )*
            /// An event that this version does not know. The name that came in is kept on the input
            /// (`HookInput::event_name`).
            Unknown,
        }

        impl HookEvent {
            /// Every known event, in the order of the table.
            pub const ALL: &'static [HookEvent] = &[$( HookEvent::$variant, )*];

            /// Every known event by its name.
            pub(crate) const NAMED: Spellings = &[$( (stringify!($variant), HookEvent::$variant), )*];

            /// The PascalCase name, as in settings files.
            pub const fn name(self) -> &'static str {
                match self {
                    $( Self::$variant => stringify!($variant), )*
                    Self::Unknown => "Unknown",
                }
            }

            /// The snake_case name, as in the payload's `event` field.
            pub const fn snake_name(self) -> &'static str {
                match self {
                    $( Self::$variant => $snake, )*
                    Self::Unknown => "unknown",
                }
            }

            /// What a block can do at this point.
            pub const fn class(self) -> EventClass {
                match self {
                    $( Self::$variant => EventClass::$class, )*
                    Self::Unknown => EventClass::Observe,
                }
            }

            /// The payload field that a string matcher is compared with; `None` where a matcher is ignored.
            pub const fn subject_field(self) -> Option<&'static str> {
                match self {
                    $( Self::$variant => $subject, )*
                    Self::Unknown => None,
                }
            }

            /// The fields that this event's payload carries beside the common ones.
            pub const fn payload_fields(self) -> &'static [&'static str] {
                match self {
                    $( Self::$variant => &[$($field),*], )*
                    Self::Unknown => &[],
                }
            }
        }
    };
}

events! {
    /// Before a tool runs.
    PreToolUse, "pre_tool_use", Gate, Some("tool_name"), ["tool_name", "tool_input", "tool_use_id", "mcp_server"];
    /// A permission prompt is about to be shown.
    PermissionRequest, "permission_request", Gate, Some("tool_name"), ["tool_name", "tool_input", "permission_suggestions", "mcp_server"];
    /// The agent's own classifier denied a call.
    PermissionDenied, "permission_denied", Observe, Some("tool_name"), ["tool_name", "tool_input", "tool_use_id", "reason", "mcp_server"];
    /// A tool succeeded.
    PostToolUse, "post_tool_use", Redirect, Some("tool_name"), ["tool_name", "tool_input", "tool_response", "tool_use_id", "duration_ms", "mcp_server"];
    /// A tool failed or was interrupted.
    PostToolUseFailure, "post_tool_use_failure", Redirect, Some("tool_name"), ["tool_name", "tool_input", "tool_use_id", "error", "is_interrupt", "duration_ms", "mcp_server"];
    /// Every call of one assistant message has resolved.
    PostToolBatch, "post_tool_batch", Redirect, None, ["tool_calls"];
    /// The user submitted a prompt.
    UserPromptSubmit, "user_prompt_submit", Gate, None, ["prompt", "session_title", "source"];
    /// A slash command or MCP prompt expands.
    UserPromptExpansion, "user_prompt_expansion", Gate, Some("command_name"), ["expansion_type", "command_name", "command_args", "command_source", "prompt"];
    /// A session begins, resumes, or continues after a compaction.
    SessionStart, "session_start", Gate, Some("source"), ["source", "agent_type", "model", "session_title", "seconds_since_last_response", "context_tokens", "prompt_cache_likely_expired", "estimated_cache_write_usd"];
    /// The agent initialises or maintains a project.
    Setup, "setup", Observe, Some("trigger"), ["trigger"];
    /// A session ends.
    SessionEnd, "session_end", Observe, Some("reason"), ["reason"];
    /// The agent is about to finish its turn.
    Stop, "stop", Redirect, None, ["stop_hook_active", "last_assistant_message", "background_tasks", "session_crons"];
    /// A turn ended with an API error.
    StopFailure, "stop_failure", Observe, Some("error"), ["error", "error_details", "last_assistant_message"];
    /// A sub-agent is spawned.
    SubagentStart, "subagent_start", Gate, Some("agent_type"), ["agent_id", "agent_type", "subagent_id", "subagent_type", "description"];
    /// A sub-agent is about to finish.
    SubagentStop, "subagent_stop", Redirect, Some("agent_type"), ["agent_id", "agent_type", "subagent_id", "success", "error", "stop_hook_active", "agent_transcript_path", "last_assistant_message", "background_tasks", "session_crons"];
    /// A teammate is about to go idle.
    TeammateIdle, "teammate_idle", Redirect, None, ["teammate_name", "team_name"];
    /// A task was created.
    TaskCreated, "task_created", Gate, None, ["task_id", "task_subject", "task_description", "teammate_name", "team_name"];
    /// A task is being marked as completed.
    TaskCompleted, "task_completed", Gate, None, ["task_id", "task_subject", "task_description", "teammate_name", "team_name"];
    /// Before the context is compacted.
    PreCompact, "pre_compact", Gate, Some("trigger"), ["trigger", "custom_instructions"];
    /// After the context was compacted.
    PostCompact, "post_compact", Observe, Some("trigger"), ["trigger", "compact_summary"];
    /// A notification is sent to the user.
    Notification, "notification", Observe, Some("notification_type"), ["message", "title", "notification_type"];
    /// An MCP server asks the user for input.
    Elicitation, "elicitation", Gate, Some("mcp_server_name"), ["mcp_server_name", "message", "mode", "url", "elicitation_id", "requested_schema"];
    /// The user's answer to an MCP server, before it is sent.
    ElicitationResult, "elicitation_result", Gate, Some("mcp_server_name"), ["mcp_server_name", "elicitation_id", "mode", "action", "content"];
    /// A settings or skill file changed on disk.
    ConfigChange, "config_change", Gate, Some("source"), ["source", "file_path"];
    /// An instruction file was loaded.
    InstructionsLoaded, "instructions_loaded", Observe, Some("load_reason"), ["file_path", "memory_type", "load_reason", "globs", "trigger_file_path", "parent_file_path"];
    /// A worktree is needed.
    WorktreeCreate, "worktree_create", Gate, None, ["name"];
    /// A worktree is being removed.
    WorktreeRemove, "worktree_remove", Observe, None, ["worktree_path"];
    /// The working directory changed.
    CwdChanged, "cwd_changed", Observe, None, ["old_cwd", "new_cwd"];
    /// A watched file changed on disk.
    FileChanged, "file_changed", Observe, Some("file_path"), ["file_path", "event"];
    /// Assistant text is about to be drawn.
    MessageDisplay, "message_display", Observe, None, ["turn_id", "message_id", "index", "final", "delta"];
    /// A directory was added to the session.
    DirectoryAdded, "directory_added", Observe, Some("source"), ["directory", "source"];
    /// Before a requested model switch.
    PreModelSwitch, "pre_model_switch", Gate, Some("to_model"), ["from_model", "to_model", "requested_model", "source", "context_tokens", "prompt_cache_warm", "cache_ttl", "estimated_cache_write_usd", "pricing"];
    /// After a model change.
    PostModelSwitch, "post_model_switch", Observe, Some("to_model"), ["from_model", "to_model", "requested_model", "source", "context_tokens", "prompt_cache_warm", "cache_ttl", "estimated_cache_write_usd", "pricing"];
}

impl HookEvent {
    /// The payload fields that any event may carry, in the order in which Claude Code sends them.
    pub const COMMON_FIELDS: [&'static str; 10] = [
        "session_id",
        "transcript_path",
        "cwd",
        "scratchpad_dir",
        "prompt_id",
        "permission_mode",
        "agent_id",
        "agent_type",
        "effort",
        "hook_event_name",
    ];

    /// The event of this name in any casing (`PreToolUse`, `preToolUse`, `pre_tool_use`, `pre-tool-use`).
    pub fn from_name(name: &str) -> Option<Self> {
        let all = || Self::ALL.iter().copied();
        all().find(|event| event.name() == name).or_else(|| {
            let folded = fold(name);
            all().find(|event| fold(event.name()) == folded)
        })
    }

    /// The event of this name as Bowline or any agent spells it (`beforeShellExecution`).
    pub fn from_any_spelling(name: &str) -> Option<Self> {
        Self::from_name(name).or_else(|| spelling::find_anywhere(name))
    }

    /// The known event whose name is nearest to a misspelt one, if any is near enough to suggest.
    pub fn nearest(name: &str) -> Option<Self> {
        near::nearest(name, Self::ALL.iter().map(|event| event.name()))
            .and_then(Self::from_name)
            .or_else(|| Self::beginning_with(&fold(name)))
    }

    /// The event with the shortest name that a folded text is the beginning of.
    fn beginning_with(folded: &str) -> Option<Self> {
        let events = Self::ALL.iter().copied();
        events
            .filter(|event| folded.len() > 3 && fold(event.name()).starts_with(folded))
            .min_by_key(|event| event.name().len())
    }

    /// Whether the event is about one tool call.
    pub const fn is_tool_event(self) -> bool {
        matches!(
            self,
            Self::PreToolUse
                | Self::PermissionRequest
                | Self::PermissionDenied
                | Self::PostToolUse
                | Self::PostToolUseFailure
        )
    }
}

impl fmt::Display for HookEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.snake_name())
    }
}

/// No event has this name, in any casing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownEvent {
    /// The name that was looked up.
    pub name: String,
    /// A known event with a similar name.
    pub nearest: Option<HookEvent>,
}

impl fmt::Display for UnknownEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no event is called `{}`", self.name)?;
        match self.nearest {
            Some(event) => write!(f, "; did you mean `{}`?", event.name()),
            None => Ok(()),
        }
    }
}

impl std::error::Error for UnknownEvent {}

impl FromStr for HookEvent {
    type Err = UnknownEvent;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Self::from_name(name).ok_or_else(|| UnknownEvent {
            name: name.to_owned(),
            nearest: Self::nearest(name),
        })
    }
}

impl Serialize for HookEvent {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// Letters and digits in lower case: all casings of one name fold to the same text.
pub fn fold(name: &str) -> String {
    name.chars()
        .filter(|c| !matches!(c, '_' | '-'))
        .flat_map(char::to_lowercase)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_is_like_nothing_suggests_nothing() {
        assert_eq!(
            HookEvent::nearest("PreToolUze"),
            Some(HookEvent::PreToolUse)
        );
        assert_eq!(
            HookEvent::nearest("SubAgentStopped"),
            Some(HookEvent::SubagentStop)
        );
        for (name, near) in [
            ("PostTool", HookEvent::PostToolUse),
            ("pre_tool", HookEvent::PreToolUse),
            ("UserPrompt", HookEvent::UserPromptSubmit),
        ] {
            assert_eq!(HookEvent::nearest(name), Some(near), "{name}");
        }
        assert_eq!(HookEvent::nearest("xyzzy"), None);
        assert_eq!(HookEvent::nearest("pre"), None);
    }
}
