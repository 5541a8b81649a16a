//! Typed access to what payloads carry beside the data of their event.

use serde_json::Value;

use super::HookInput;
use crate::event::HookEvent;

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

    /// The skill that the event puts into use: a call of the `Skill` tool, or a slash command.
    pub fn skill(&self) -> Option<&str> {
        if self.event_type() == HookEvent::UserPromptExpansion {
            return self.command_name();
        }
        let arguments = self
            .tool_input()
            .filter(|_| self.tool_name() == Some("Skill"))?;
        ["skill", "name", "command"]
            .iter()
            .find_map(|key| arguments.get(key).and_then(Value::as_str))
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
