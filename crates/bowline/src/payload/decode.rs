//! From an agent's JSON to a [`HookInput`].

use chrono::{DateTime, Utc};
use serde_json::{Map, Value};

use super::PayloadError;
use super::names::{OTHER_EVENT_NAMES, TOOL_ALIASES, canonical};
use crate::event::HookEvent;
use crate::input::{HookEventData, HookInput, ToolOutput};

impl HookInput {
    /// Reads a payload, refusing one that lacks required fields.
    pub fn from_payload(payload: &Value) -> Result<Self, PayloadError> {
        let fields = Fields::read(payload.clone());
        let missing = fields.missing();
        if missing.is_empty() {
            Ok(fields.into_input())
        } else {
            Err(PayloadError::Missing { missing })
        }
    }

    /// Reads a payload as far as it goes: what is missing is left empty, never an error. A field of a
    /// type that nobody expects stays in [`HookInput::metadata`] as it came.
    pub fn from_payload_lenient(payload: &Value) -> Self {
        Self::from_owned_payload(payload.clone())
    }

    /// As [`HookInput::from_payload_lenient`], but takes ownership of the payload.
    pub fn from_owned_payload(payload: Value) -> Self {
        Fields::read(payload).into_input()
    }
}

/// The payload's fields under their canonical names, and the event.
struct Fields {
    event: HookEvent,
    named: bool,
    values: Map<String, Value>,
}

impl Fields {
    fn read(payload: Value) -> Self {
        let (payload, form) = unwrapped(payload);
        let values = match payload {
            Value::Object(fields) if fields.keys().all(|key| canonical(key) == key.as_str()) => {
                fields
            }
            payload => renamed(&payload),
        };
        let mut fields = Self {
            event: HookEvent::Unknown,
            named: false,
            values,
        };
        fields.find_event();
        if fields.event.is_tool_event() {
            for (alias, name) in TOOL_ALIASES {
                fields.rename(alias, name);
            }
            if form == Form::Wrapped {
                fields.rename("output", "tool_response");
            }
        }
        fields
    }

    /// Takes the event's name out. An unknown name stays, so that it can be shown and passed on; `event` and
    /// `type` count only if they are the name of an event, because some events have fields of these names.
    fn find_event(&mut self) {
        if let Some(Value::String(name)) = self.values.get("hook_event_name") {
            self.named = true;
            if let Some(event) = HookEvent::from_name(name) {
                self.event = event;
                self.values.shift_remove("hook_event_name");
            }
        }
        for field in OTHER_EVENT_NAMES {
            let other_name = self.values.get(field).and_then(Value::as_str);
            if let Some(event) = other_name.and_then(HookEvent::from_name)
                && (!self.named || event == self.event)
            {
                self.named = true;
                self.event = event;
                self.values.shift_remove(field);
            }
        }
    }

    fn rename(&mut self, from: &str, to: &str) {
        if self.values.get(to).is_none_or(Value::is_null)
            && let Some(value) = self.values.shift_remove(from)
        {
            self.values.insert(to.to_owned(), value);
        }
    }

    fn is_text(&self, name: &str) -> bool {
        self.values.get(name).is_some_and(Value::is_string)
    }

    fn missing(&self) -> Vec<&'static str> {
        let mut missing: Vec<&'static str> = ["session_id", "transcript_path", "cwd"]
            .into_iter()
            .filter(|name| !self.is_text(name))
            .collect();
        if !self.named {
            missing.push("hook_event_name");
        }
        if self.event.is_tool_event() && !self.is_text("tool_name") {
            missing.push("tool_name");
        }
        if self.event == HookEvent::PreToolUse
            && self.values.get("tool_input").is_none_or(Value::is_null)
        {
            missing.push("tool_input");
        }
        if self.event == HookEvent::UserPromptSubmit && !self.is_text("prompt") {
            missing.push("prompt");
        }
        missing
    }

    fn into_input(mut self) -> HookInput {
        let session_id = self.text("session_id").unwrap_or_default();
        let timestamp = self.timestamp().unwrap_or_else(Utc::now);
        let data = self.data();
        HookInput {
            session_id,
            timestamp,
            data,
            metadata: (!self.values.is_empty()).then_some(Value::Object(self.values)),
        }
    }

    /// Takes a text out; anything else stays where it is.
    fn text(&mut self, name: &str) -> Option<String> {
        let text = self.values.get(name)?.as_str()?.to_owned();
        self.values.shift_remove(name);
        Some(text)
    }

    /// Takes a text out. Anything else stays, but its JSON is given, so that hooks that look for
    /// something in the text still find it.
    fn text_of_anything(&mut self, name: &str) -> String {
        self.text(name)
            .or_else(|| {
                let value = self.values.get(name).filter(|value| !value.is_null())?;
                Some(value.to_string())
            })
            .unwrap_or_default()
    }

    fn value(&mut self, name: &str) -> Option<Value> {
        self.values
            .shift_remove(name)
            .filter(|value| !value.is_null())
    }

    /// Takes one thing out that agents call by two names; a second, different value stays.
    fn text_by_either_name(&mut self, name: &str, other: &str) -> String {
        let (first, second) = (self.text(name), self.text(other));
        match (first, second) {
            (Some(first), Some(second)) if first != second => {
                self.values.insert(other.to_owned(), second.into());
                first
            }
            (first, second) => first.or(second).unwrap_or_default(),
        }
    }

    fn timestamp(&mut self) -> Option<DateTime<Utc>> {
        let time = match self.values.get("timestamp")? {
            Value::String(text) => DateTime::parse_from_rfc3339(text).ok()?.to_utc(),
            Value::Number(millis) => DateTime::from_timestamp_millis(millis.as_i64()?)?,
            _ => return None,
        };
        self.values.shift_remove("timestamp");
        Some(time)
    }

    fn data(&mut self) -> HookEventData {
        match self.event {
            HookEvent::PreToolUse => HookEventData::PreToolUse {
                tool_name: self.text("tool_name").unwrap_or_default(),
                tool_input: self
                    .value("tool_input")
                    .unwrap_or_else(|| Value::Object(Map::new())),
            },
            HookEvent::PostToolUse => HookEventData::PostToolUse {
                tool_name: self.text("tool_name").unwrap_or_default(),
                tool_result: tool_output(self.value("tool_response").unwrap_or_default()),
            },
            HookEvent::PostToolUseFailure => HookEventData::PostToolUseFailure {
                tool_name: self.text("tool_name").unwrap_or_default(),
                error: self.text_of_anything("error"),
            },
            HookEvent::UserPromptSubmit => HookEventData::UserPromptSubmit {
                prompt: self.text_of_anything("prompt"),
            },
            HookEvent::Stop => HookEventData::Stop,
            HookEvent::SubagentStart => HookEventData::SubagentStart {
                subagent_id: self.text_by_either_name("subagent_id", "agent_id"),
                subagent_type: self.text_by_either_name("subagent_type", "agent_type"),
                description: self.text("description").unwrap_or_default(),
            },
            HookEvent::SubagentStop => {
                self.rename("subagent_type", "agent_type");
                HookEventData::SubagentStop {
                    subagent_id: self.text_by_either_name("subagent_id", "agent_id"),
                    success: self.flag("success").unwrap_or(true),
                    error: self.text("error"),
                }
            }
            HookEvent::PreCompact => HookEventData::PreCompact,
            HookEvent::SessionStart => HookEventData::SessionStart,
            HookEvent::SessionEnd => HookEventData::SessionEnd,
            event => HookEventData::Other { event },
        }
    }

    fn flag(&mut self, name: &str) -> Option<bool> {
        let flag = self.values.get(name)?.as_bool()?;
        self.values.shift_remove(name);
        Some(flag)
    }
}

/// How an agent arranges what it reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// All fields side by side.
    Flat,
    /// The event's own fields in an object of their own: `{type, timestamp, sessionId, payload: {…}}`.
    Wrapped,
}

/// The same payload with all fields side by side. What stands outside wins over what is wrapped.
fn unwrapped(mut payload: Value) -> (Value, Form) {
    let event = payload.get("type").and_then(Value::as_str);
    if event.and_then(HookEvent::from_name).is_some()
        && payload.get("payload").is_some_and(Value::is_object)
        && let Some(fields) = payload.as_object_mut()
        && let Some(Value::Object(own)) = fields.shift_remove("payload")
    {
        for (name, value) in own {
            fields.entry(name).or_insert(value);
        }
        return (payload, Form::Wrapped);
    }
    (payload, Form::Flat)
}

/// The payload's fields under their canonical names.
fn renamed(payload: &Value) -> Map<String, Value> {
    let mut values = Map::new();
    for (key, value) in payload.as_object().into_iter().flatten() {
        let name = canonical(key);
        let renamed = name != key.as_str();
        let taken = renamed && (has_value(payload, &name) || values.contains_key(&*name));
        let name = if taken { key } else { name.as_ref() };
        if !value.is_null() || !values.contains_key(name) {
            values.insert(name.to_owned(), value.clone());
        }
    }
    values
}

fn has_value(payload: &Value, name: &str) -> bool {
    payload.get(name).is_some_and(|value| !value.is_null())
}

/// A tool failed only if its result says so in so many words: other shapes differ from tool to tool.
fn tool_output(content: Value) -> ToolOutput {
    let says = |key| content.get(key).and_then(Value::as_bool) == Some(true);
    ToolOutput {
        is_error: says("is_error") || says("isError"),
        content,
    }
}
