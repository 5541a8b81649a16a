//! Calls that do several things at once.

use std::borrow::Cow;

use bowline_agents::{MAX_PARTS, NATIVE, PARTS, parts};
use serde_json::{Map, Value, json};

use super::{HookEventData, HookInput};

/// The field that says which part of its call an event is about: `number`, from 1, and `of`.
const PART: &str = "part";

impl HookInput {
    /// How many things the call of this event does; one for every event that is not about a call of several.
    pub fn part_count(&self) -> usize {
        self.listed_parts()
            .map_or(1, |parts| parts.len().min(MAX_PARTS))
    }

    /// What the call of this event does, one after another, each as if it were a call of its own. An event that is not about a call
    /// of several things is its only part.
    ///
    /// A part that cannot be read, and what comes after the first [`MAX_PARTS`] but one, is a call of the tool `Unread`.
    pub fn parts(&self) -> impl Iterator<Item = Cow<'_, Self>> {
        (0..self.part_count()).map(|index| self.part(index))
    }

    /// One of the parts, counted from 0.
    pub(crate) fn part(&self, index: usize) -> Cow<'_, Self> {
        let Some(parts) = self.listed_parts() else {
            return Cow::Borrowed(self);
        };
        let is_rest = parts.len() > MAX_PARTS && index + 1 >= MAX_PARTS;
        let part = parts.get(index).filter(|_| !is_rest);
        let (tool, input) = part.and_then(read).unwrap_or_else(|| {
            let unread = if is_rest {
                parts::too_many(parts.len())
            } else {
                parts::unread("a part of the call has no tool or no input")
            };
            let input = unread.get("tool_input").cloned();
            (parts::UNREAD.to_owned(), input.unwrap_or_default())
        });
        Cow::Owned(self.with_call(tool, input, index))
    }

    /// What the tool runs with: of a call of several things the first, with all of them in its field `parts`. Two calls are the same if
    /// this is.
    pub fn call_input(&self) -> Option<Cow<'_, Value>> {
        let input = self.tool_input()?;
        let Some(parts) = self.listed_parts() else {
            return Some(Cow::Borrowed(input));
        };
        let mut all = input.as_object().cloned().unwrap_or_default();
        all.insert(PARTS.to_owned(), Value::from(parts.to_vec()));
        Some(Cow::Owned(Value::Object(all)))
    }

    /// Only the program that reports a call can say that it has several parts: no model writes this field.
    fn listed_parts(&self) -> Option<&[Value]> {
        if !self.event_type().is_tool_event() {
            return None;
        }
        let parts = self.field(PARTS)?.as_array()?;
        (parts.len() > 1).then_some(parts.as_slice())
    }

    /// The same event, about a part. What concerns all parts stays behind: it may be large.
    fn with_call(&self, tool: String, input: Value, index: usize) -> Self {
        let mut fields = Map::new();
        for (name, value) in self.metadata.iter().filter_map(Value::as_object).flatten() {
            match name.as_str() {
                PARTS | "tool_name" | "tool_input" => {}
                NATIVE => {
                    let own = value.as_object().into_iter().flatten();
                    let own =
                        own.filter(|(name, _)| ["event", "tool_name"].contains(&name.as_str()));
                    let own = own.map(|(name, value)| (name.clone(), value.clone()));
                    fields.insert(name.clone(), Value::Object(own.collect()));
                }
                _ => {
                    fields.insert(name.clone(), value.clone());
                }
            }
        }
        fields.insert(
            PART.to_owned(),
            json!({"number": index + 1, "of": self.part_count()}),
        );
        let mut data = self.data.clone();
        let mut input = Some(input);
        match &mut data {
            HookEventData::PreToolUse {
                tool_name,
                tool_input,
            } => {
                *tool_name = tool;
                *tool_input = input.take().unwrap_or_default();
            }
            HookEventData::PostToolUse { tool_name, .. }
            | HookEventData::PostToolUseFailure { tool_name, .. } => *tool_name = tool,
            _ => {
                fields.insert("tool_name".to_owned(), tool.into());
            }
        }
        fields.extend(input.map(|input| ("tool_input".to_owned(), input)));
        Self {
            session_id: self.session_id.clone(),
            timestamp: self.timestamp,
            data,
            metadata: Some(Value::Object(fields)),
        }
    }
}

/// The tool of a part, and its input.
fn read(part: &Value) -> Option<(String, Value)> {
    let tool = part
        .get("tool_name")?
        .as_str()
        .filter(|it| !it.is_empty())?;
    let input = part.get("tool_input").filter(|it| it.is_object())?;
    Some((tool.to_owned(), input.clone()))
}

#[cfg(test)]
mod tests {
    use crate::event::HookEvent;

    use super::*;

    fn parts() -> Value {
        json!([
            {"tool_name": "Edit", "tool_input": {"file_path": "/a", "old_string": "1", "new_string": "2"}},
            {"tool_name": "Delete", "tool_input": {"file_path": "/b"}},
            {"tool_name": "", "tool_input": {}},
            {"tool_name": "Write", "tool_input": "x"},
            "x",
        ])
    }

    fn event(name: &str) -> HookInput {
        HookInput::from_owned_payload(json!({
            "hook_event_name": name, "session_id": "s", "tool_use_id": "c", "cwd": "/p",
            "tool_name": "Edit", "tool_input": {"file_path": "/a", "old_string": "1", "new_string": "2"},
            "tool_response": "fine", "error": "bad",
            "native": {
                "tool_name": "apply_patch", "tool_input": {"command": "*** Begin Patch"}, "tool_response": "fine",
            },
            "parts": parts(),
        }))
    }

    #[test]
    fn each_part_is_like_a_call_of_its_own() {
        for name in [
            "PreToolUse",
            "PermissionRequest",
            "PermissionDenied",
            "PostToolUse",
            "PostToolUseFailure",
        ] {
            let event = event(name);
            let parts: Vec<_> = event.parts().collect();
            let tools: Vec<_> = parts.iter().filter_map(|it| it.tool_name()).collect();
            assert_eq!(
                tools,
                ["Edit", "Delete", "Unread", "Unread", "Unread"],
                "{name}"
            );
            let deleted = &parts[1];
            assert_eq!(deleted.tool_input(), Some(&json!({"file_path": "/b"})));
            assert_eq!(deleted.file_path(), Some("/b"));
            assert_eq!(
                deleted.field("native"),
                Some(&json!({"tool_name": "apply_patch"}))
            );
            assert_eq!(deleted.field("part"), Some(&json!({"number": 2, "of": 5})));
            assert_eq!(
                (deleted.tool_use_id(), deleted.cwd()),
                (Some("c"), Some("/p"))
            );
            assert_eq!(deleted.tool_response(), event.tool_response());
            assert_eq!((deleted.error(), deleted.part_count()), (event.error(), 1));
            assert_eq!(deleted.timestamp, event.timestamp);
            let why = parts[3].tool_input().and_then(|it| it["why"].as_str());
            assert!(why.is_some_and(|why| why.contains("no tool")), "{name}");
        }
    }

    #[test]
    fn a_call_of_one_thing_is_its_only_part() {
        let call = HookInput::pre_tool_use("s", "Bash", json!({"command": "ls", "parts": parts()}));
        let one = json!([{"tool_name": "Write", "tool_input": {}}]);
        for input in [
            HookInput::stop("s").with_field("parts", parts()),
            call.clone().with_field("parts", one),
            call.clone().with_field("parts", "x"),
            call.clone(),
        ] {
            assert_eq!(input.part_count(), 1);
            let parts: Vec<_> = input.parts().collect();
            assert_eq!(parts, [Cow::Borrowed(&input)]);
            assert_eq!(input.call_input().as_deref(), input.tool_input());
        }
        assert_eq!(
            HookInput::for_event("s", HookEvent::Stop).call_input(),
            None
        );
    }

    #[test]
    fn what_is_too_much_is_unread_and_still_part_of_the_call() {
        let ls = json!({"tool_name": "Bash", "tool_input": {"command": "ls"}});
        let call = HookInput::pre_tool_use("s", "Bash", json!({"command": "ls"}));
        for (count, unread) in [(MAX_PARTS, 0), (MAX_PARTS + 1, 1), (1_000, 1)] {
            let call = call.clone().with_field("parts", vec![ls.clone(); count]);
            let parts: Vec<_> = call.parts().collect();
            assert_eq!(parts.len(), MAX_PARTS);
            let of = parts.iter().filter(|it| it.tool_name() == Some("Unread"));
            assert_eq!(of.count(), unread, "{count}");
            let all = call.call_input().unwrap();
            assert_eq!(all["parts"].as_array().map(Vec::len), Some(count));
            assert_eq!(all["command"], "ls");
        }
    }
}
