//! From a [`HookInput`] to the JSON that hooks get.

use chrono::SecondsFormat;
use serde_json::{Map, Value};

use super::names::snake_case;
use crate::context::HookContext;
use crate::event::HookEvent;
use crate::input::{HookEventData, HookInput, ToolOutput};

impl HookInput {
    /// The JSON object that hooks get on stdin: the common fields in Claude Code's order, `event` and
    /// `timestamp`, the event's own fields, then whatever else the agent sent.
    pub fn to_payload(&self, ctx: &HookContext) -> Value {
        let mut known = self.known_fields(ctx);
        let mut payload = Map::with_capacity(known.len());
        let own = self.event_type().payload_fields();
        for name in HookEvent::COMMON_FIELDS
            .iter()
            .chain(&["event", "timestamp"])
            .chain(own)
        {
            if let Some(value) = known.shift_remove(*name) {
                payload.insert((*name).to_owned(), value);
            }
        }
        payload.extend(known);
        Value::Object(payload)
    }

    /// Every field, in no particular order. What is in the metadata under the name of a typed field is what
    /// the agent sent in its place, and goes out again.
    fn known_fields(&self, ctx: &HookContext) -> Map<String, Value> {
        let mut fields = match &self.metadata {
            Some(Value::Object(fields)) => fields.clone(),
            _ => Map::new(),
        };
        let event = self.event_type();
        if event != HookEvent::FileChanged || !fields.contains_key("event") {
            let name = match event {
                HookEvent::Unknown => snake_case(self.event_name()),
                event => event.snake_name().to_owned(),
            };
            fields.insert("event".to_owned(), name.into());
        }

        let mut add = |name: &str, value: Value| {
            if !fields.contains_key(name) {
                fields.insert(name.to_owned(), value);
            }
        };
        let session_id = if self.session_id.is_empty() {
            &ctx.session_id
        } else {
            &self.session_id
        };
        add("session_id", session_id.as_str().into());
        add("hook_event_name", self.event_name().into());
        let timestamp = self.timestamp.to_rfc3339_opts(SecondsFormat::Millis, true);
        add("timestamp", timestamp.into());
        if let Some(cwd) = &ctx.cwd {
            add("cwd", cwd.to_string_lossy().into());
        }
        match &self.data {
            HookEventData::PreToolUse {
                tool_name,
                tool_input,
            } => {
                add("tool_name", tool_name.as_str().into());
                add("tool_input", tool_input.clone());
            }
            HookEventData::PostToolUse {
                tool_name,
                tool_result,
            } => {
                add("tool_name", tool_name.as_str().into());
                if let Some(response) = tool_response(tool_result) {
                    add("tool_response", response);
                }
            }
            HookEventData::PostToolUseFailure { tool_name, error } => {
                add("tool_name", tool_name.as_str().into());
                add("error", error.as_str().into());
            }
            HookEventData::UserPromptSubmit { prompt } => add("prompt", prompt.as_str().into()),
            HookEventData::SubagentStart {
                subagent_id,
                subagent_type,
                description,
            } => {
                for (names, value) in [
                    (["agent_id", "subagent_id"], subagent_id),
                    (["agent_type", "subagent_type"], subagent_type),
                ] {
                    for name in names.iter().filter(|_| !value.is_empty()) {
                        add(name, value.as_str().into());
                    }
                }
                if !description.is_empty() {
                    add("description", description.as_str().into());
                }
            }
            HookEventData::SubagentStop {
                subagent_id,
                success,
                error,
            } => {
                for name in ["agent_id", "subagent_id"] {
                    if !subagent_id.is_empty() {
                        add(name, subagent_id.as_str().into());
                    }
                }
                add("success", (*success).into());
                if let Some(error) = error {
                    add("error", error.as_str().into());
                }
                if let Some(agent_type) = self.agent_type() {
                    add("subagent_type", agent_type.into());
                }
            }
            HookEventData::Stop
            | HookEventData::PreCompact
            | HookEventData::SessionStart
            | HookEventData::SessionEnd
            | HookEventData::Other { .. } => {}
        }
        fields
    }
}

/// The tool's result as it came. An error that the result does not contain is added to it.
fn tool_response(result: &ToolOutput) -> Option<Value> {
    let told = ["is_error", "isError"]
        .iter()
        .any(|key| result.content.get(key) == Some(&Value::Bool(true)));
    match &result.content {
        content if told || !result.is_error => Some(content.clone()).filter(|c| !c.is_null()),
        Value::Object(fields) => {
            let mut fields = fields.clone();
            fields.insert("is_error".to_owned(), true.into());
            Some(Value::Object(fields))
        }
        content => Some(serde_json::json!({"content": content, "is_error": true})),
    }
}
