//! What an event brings, as values of CEL.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::sync::Arc;

use bowline::hooks::{HookContext, HookInput};
use bowline_guard::effect::{Effect, Gravity};
use cel::Value;
use serde_json::Value as Json;

use super::inspect::VARIABLES;
use super::{Unsettled, fields};

/// Larger events are not handed to an expression.
const MAX_BYTES: usize = 1024 * 1024;
const MAX_VALUES: usize = 20_000;
const MAX_DEPTH: usize = 64;

/// What an expression may ask about.
#[derive(Debug)]
pub(in crate::rule) struct ConditionInput<'a> {
    pub(in crate::rule) input: &'a HookInput,
    /// The agent that reports the event, such as `claude-code`.
    pub(in crate::rule) agent: Option<&'a str>,
    pub(in crate::rule) command: Option<&'a str>,
    pub(in crate::rule) cwd: &'a str,
    pub(in crate::rule) project: &'a str,
    pub(in crate::rule) effects: &'a [&'a Effect],
}

/// The event as hooks get it, made when it is first asked for.
pub(super) type Payload = OnceCell<Json>;

/// How much was handed over.
#[derive(Debug, Default)]
pub(super) struct Size {
    pub(super) bytes: usize,
    values: usize,
    /// The longest list or map.
    pub(super) longest: usize,
}

impl Size {
    fn add(&mut self, bytes: usize, elements: usize) -> Result<(), Unsettled> {
        self.bytes = self.bytes.saturating_add(bytes);
        self.values += 1;
        self.longest = self.longest.max(elements);
        if self.bytes > MAX_BYTES || self.values > MAX_VALUES {
            Err(Unsettled::Failed(
                "the event is too large for it".to_owned(),
            ))
        } else {
            Ok(())
        }
    }
}

impl ConditionInput<'_> {
    /// The value of a variable. What an event does not have is empty, or nothing where that would be a wrong value.
    pub(super) fn value(
        &self,
        name: &str,
        payload: &Payload,
        size: &mut Size,
    ) -> Result<Option<Value>, Unsettled> {
        if VARIABLES.contains(&name) {
            return self.general(name, size).map(Some);
        }
        let payload = payload.get_or_init(|| {
            let ctx = HookContext::new(&self.input.session_id).with_cwd(self.cwd);
            self.input.to_payload(&ctx)
        });
        let value = match name {
            fields::PAYLOAD => Some(payload),
            _ => payload.get(name),
        };
        match value {
            Some(json) => converted(json, size, 0).map(Some),
            None => Ok(fields::absent(name)),
        }
    }

    fn general(&self, name: &str, size: &mut Size) -> Result<Value, Unsettled> {
        let input = self.input;
        let text = match name {
            "tool_input" => {
                return match input.tool_input() {
                    Some(json @ Json::Object(_)) => converted(json, size, 0),
                    _ => Ok(Value::from(HashMap::<String, Value>::new())),
                };
            }
            "effects" => return self.effects(size),
            "event" => Some(input.event_name()),
            "tool" => input.tool_name(),
            "prompt" => input.prompt(),
            "command" => self.command,
            "path" => input.file_path(),
            "cwd" => Some(self.cwd),
            "project" => Some(self.project),
            "session_id" => Some(input.session_id.as_str()),
            "agent" => self.agent,
            "agent_id" => input.agent_id(),
            "agent_type" => input.agent_type(),
            _ => None,
        };
        string(text.unwrap_or_default(), size)
    }

    fn effects(&self, size: &mut Size) -> Result<Value, Unsettled> {
        size.add(0, self.effects.len())?;
        let effects: Result<Vec<Value>, Unsettled> = self
            .effects
            .iter()
            .map(|effect| {
                let gravity = match effect.gravity {
                    Gravity::Harmless => "harmless",
                    Gravity::Doubtful => "doubtful",
                    Gravity::Grave => "grave",
                };
                let fields = [
                    ("category", effect.category.name()),
                    ("rule", effect.rule),
                    ("gravity", gravity),
                    ("what", effect.what.as_str()),
                ];
                let fields: HashMap<String, Value> = fields
                    .into_iter()
                    .map(|(name, text)| Ok((name.to_owned(), string(text, size)?)))
                    .collect::<Result<_, Unsettled>>()?;
                Ok(Value::from(fields))
            })
            .collect();
        Ok(Value::List(Arc::new(effects?)))
    }
}

fn string(text: &str, size: &mut Size) -> Result<Value, Unsettled> {
    size.add(text.len(), 0)?;
    Ok(Value::String(Arc::new(text.to_owned())))
}

fn converted(json: &Json, size: &mut Size, depth: usize) -> Result<Value, Unsettled> {
    if depth > MAX_DEPTH {
        return Err(Unsettled::Failed("the event is too deep for it".to_owned()));
    }
    match json {
        Json::Null => size.add(0, 0).map(|()| Value::Null),
        Json::Bool(flag) => size.add(0, 0).map(|()| Value::Bool(*flag)),
        Json::Number(number) => {
            size.add(0, 0)?;
            Ok(match (number.as_i64(), number.as_u64()) {
                (Some(whole), _) => Value::Int(whole),
                (None, Some(whole)) => Value::UInt(whole),
                (None, None) => Value::Float(number.as_f64().unwrap_or(f64::NAN)),
            })
        }
        Json::String(text) => string(text, size),
        Json::Array(elements) => {
            size.add(0, elements.len())?;
            let elements: Result<Vec<Value>, Unsettled> = elements
                .iter()
                .map(|element| converted(element, size, depth + 1))
                .collect();
            Ok(Value::List(Arc::new(elements?)))
        }
        Json::Object(fields) => {
            size.add(0, fields.len())?;
            let fields: HashMap<String, Value> = fields
                .iter()
                .map(|(name, value)| {
                    size.add(name.len(), 0)?;
                    Ok((name.clone(), converted(value, size, depth + 1)?))
                })
                .collect::<Result<_, Unsettled>>()?;
            Ok(Value::from(fields))
        }
    }
}
