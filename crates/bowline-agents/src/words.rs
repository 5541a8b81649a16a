//! The words of an agent, and Bowline's own for the same.
//!
//! Bowline's own words for tools, their inputs and the fields of a payload are those of Claude Code: guards, rules and hooks know
//! no others. What an agent said otherwise stays in the payload's field [`NATIVE`].

use serde_json::{Map, Value};

use crate::event::HookEvent;
use crate::reported::{NATIVE, Reported};
use crate::spelling::{self, Spellings};

/// The field that names the event.
const EVENT: &str = "hook_event_name";

/// One of an agent's tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OwnTool {
    /// What the agent calls it.
    pub name: &'static str,
    /// What Bowline calls it.
    pub is: &'static str,
    /// The fields of its input that have other names: the agent's, and Bowline's.
    pub fields: &'static [(&'static str, &'static str)],
}

/// Names of fields: the agent's, and Bowline's.
pub(crate) type Fields = &'static [(&'static str, &'static str)];

impl OwnTool {
    /// A tool whose input has Bowline's own fields.
    pub const fn alike(name: &'static str, is: &'static str) -> Self {
        Self {
            name,
            is,
            fields: &[],
        }
    }
}

/// The words of an agent that are not Bowline's.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Words {
    pub(crate) events: Spellings,
    /// Fields of its payloads.
    pub(crate) fields: Fields,
    pub(crate) tools: &'static [OwnTool],
}

impl Words {
    /// The payload in Bowline's words.
    pub(crate) fn translate(&self, payload: Value) -> Value {
        let Value::Object(fields) = payload else {
            return payload;
        };
        let mut fields = self.rename_fields(fields);
        let mut native = Map::new();
        self.translate_event(&mut fields, &mut native);
        self.translate_tool(&mut fields, &mut native);
        translate_output(&mut fields, &mut native);
        keep_native(&mut fields, native);
        Value::Object(fields)
    }

    /// The fields under Bowline's names. The agent's own field is the one that it goes by; only the name of the event may be the command
    /// line's, which was weighed before.
    fn rename_fields(&self, fields: Map<String, Value>) -> Map<String, Value> {
        let is_own = |name: &String| self.fields.iter().any(|(own, _)| own == name);
        if !fields.keys().any(is_own) {
            return fields;
        }
        // Of several names of its own the first one counts.
        let counts = |name: &str| {
            let (_, is) = self.fields.iter().find(|(own, _)| *own == name)?;
            let mut same = self.fields.iter().filter(|(_, other)| other == is);
            let (first, _) = same.find(|(own, _)| fields.contains_key(*own))?;
            let is_weighed = *is == EVENT && fields.contains_key(EVENT);
            (*first == name && !is_weighed).then_some(*is)
        };
        let renamed = fields.keys().map(|name| counts(name).map(str::to_owned));
        let renamed: Vec<Option<String>> = renamed.collect();
        let mut all = Map::with_capacity(fields.len());
        for ((name, value), is) in fields.into_iter().zip(renamed) {
            match is {
                Some(is) => drop(all.insert(is, value)),
                None => drop(all.entry(name).or_insert(value)),
            }
        }
        all
    }

    fn translate_event(&self, fields: &mut Map<String, Value>, native: &mut Map<String, Value>) {
        let Some(name) = fields.get("hook_event_name").and_then(Value::as_str) else {
            return;
        };
        let Some(event) = self.event(name) else {
            return;
        };
        if name != event.name()
            && let Some(own) = fields.insert("hook_event_name".to_owned(), event.name().into())
        {
            native.insert("event".to_owned(), own);
        }
    }

    /// The event of this name. Two names that differ only in their spelling are told apart where the agent has both.
    pub(crate) fn event(&self, name: &str) -> Option<HookEvent> {
        let exact = self.events.iter().find(|(spelling, _)| *spelling == name);
        exact
            .map(|(_, event)| *event)
            .or_else(|| spelling::find(name, self.events))
    }

    fn translate_tool(&self, fields: &mut Map<String, Value>, native: &mut Map<String, Value>) {
        let Some(name) = fields.get("tool_name").and_then(Value::as_str) else {
            return;
        };
        let Some(tool) = self.tool(name) else {
            return;
        };
        let own_input = fields.get("tool_input").and_then(Value::as_object);
        let input = own_input.and_then(|input| renamed(input, tool.fields));
        if tool.name != tool.is
            && let Some(own) = fields.insert("tool_name".to_owned(), tool.is.into())
        {
            native.insert("tool_name".to_owned(), own);
        }
        if let Some(input) = input
            && let Some(own) = fields.insert("tool_input".to_owned(), Value::Object(input))
        {
            native.insert("tool_input".to_owned(), own);
        }
    }

    /// The agent's tool of this name.
    pub(crate) fn tool(&self, name: &str) -> Option<&'static OwnTool> {
        self.tools.iter().find(|tool| tool.name == name)
    }

    /// Whether an input that hooks have rewritten still has every field that the agent gave the tool.
    pub(crate) fn keeps_all_fields(&self, reported: &Reported<'_>, input: &Value) -> bool {
        let own = self.own_input(reported, input);
        let before = reported.input.and_then(Value::as_object);
        let mut before = before.into_iter().flat_map(Map::keys);
        own.is_object() && before.all(|name| own.get(name).is_some())
    }

    /// A tool's input that hooks have rewritten, in the agent's words. What hooks left out is left out.
    pub(crate) fn own_input(&self, reported: &Reported<'_>, input: &Value) -> Value {
        let tool = reported.tool.and_then(|name| self.tool(name));
        let (Some(tool), Some(fields)) = (tool, input.as_object()) else {
            return input.clone();
        };
        let own = fields.iter().map(|(name, value)| {
            let own = tool.fields.iter().find(|(_, is)| is == name);
            let name = own.map_or(name.as_str(), |(own, _)| own);
            (name.to_owned(), value.clone())
        });
        Value::Object(own.collect())
    }
}

/// What a shell printed, as hooks know it: an object with `stdout`.
fn translate_output(fields: &mut Map<String, Value>, native: &mut Map<String, Value>) {
    if fields.get("tool_name").and_then(Value::as_str) != Some("Bash") {
        return;
    }
    let Some(own) = fields.get("tool_response") else {
        return;
    };
    let Some(printed) = printed(own) else {
        return;
    };
    let failed = [own.get("is_error"), own.get("isError")].contains(&Some(&Value::Bool(true)))
        || own.get("error").is_some_and(|error| !error.is_null());
    let mut output = Map::new();
    output.insert("stdout".to_owned(), printed.into());
    output.insert("stderr".to_owned(), "".into());
    output.insert("interrupted".to_owned(), false.into());
    if failed {
        output.insert("is_error".to_owned(), true.into());
    }
    if let Some(own) = fields.insert("tool_response".to_owned(), Value::Object(output)) {
        native.insert("tool_response".to_owned(), own);
    }
}

/// The text in what an agent calls the response of its shell; nothing in what hooks know already, or nobody knows.
fn printed(response: &Value) -> Option<&str> {
    /// What a person would see first.
    const FIELDS: [&str; 5] = [
        "returnDisplay",
        "llmContent",
        "textResultForLlm",
        "text_result_for_llm",
        "output",
    ];
    if let Value::String(text) = response {
        return Some(text);
    }
    if response.get("stdout").is_some() {
        return None;
    }
    FIELDS
        .iter()
        .find_map(|field| response.get(field)?.as_str())
}

/// A tool's input under Bowline's names of its fields.
pub(crate) fn renamed_input(input: &Value, names: Fields) -> Value {
    let own = input.as_object();
    own.and_then(|own| renamed(own, names))
        .map_or_else(|| input.clone(), Value::Object)
}

/// The fields under Bowline's names, if any has another one. The agent's own field is the one that its tool reads: what a model put under
/// Bowline's name beside it does not count.
fn renamed(input: &Map<String, Value>, names: Fields) -> Option<Map<String, Value>> {
    let is_of = |name: &str| {
        let found = names.iter().find(|(own, _)| *own == name);
        found.map(|(_, is)| *is)
    };
    if !input.keys().any(|name| is_of(name).is_some()) {
        return None;
    }
    let mut renamed = Map::with_capacity(input.len());
    for (name, value) in input {
        match is_of(name) {
            Some(is) => drop(renamed.insert(is.to_owned(), value.clone())),
            None => {
                renamed
                    .entry(name.as_str())
                    .or_insert_with(|| value.clone());
            }
        }
    }
    Some(renamed)
}

/// The type of a notification that a person ended a turn, of agents that report it by an event of its own.
const TURN_CANCELLED: &str = "turn_cancelled";

/// Makes the notification that a person ended a turn, where the agent's own event is that.
pub(crate) fn end_cancelled_turn(fields: &mut Map<String, Value>) {
    let own = fields.get(NATIVE).and_then(|native| native.get("event"));
    if !matches!(
        own.and_then(Value::as_str),
        Some("StopCancelled" | "Interrupt")
    ) {
        return;
    }
    let why = fields.get("reason").and_then(Value::as_str);
    let message = format!("The turn was ended: {}", why.unwrap_or("interrupted"));
    fields.insert("notification_type".to_owned(), TURN_CANCELLED.into());
    fields.insert("message".to_owned(), message.into());
}

/// Adds what was translated to what was translated before.
pub(crate) fn keep_native(fields: &mut Map<String, Value>, native: Map<String, Value>) {
    if native.is_empty() {
        return;
    }
    match fields.get_mut(NATIVE).and_then(Value::as_object_mut) {
        Some(before) => {
            for (name, value) in native {
                before.entry(name).or_insert(value);
            }
        }
        None => {
            fields.insert(NATIVE.to_owned(), Value::Object(native));
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const WORDS: Words = Words {
        events: &[
            ("BeforeTool", HookEvent::PreToolUse),
            ("SessionStart", HookEvent::SessionStart),
        ],
        fields: &[
            ("event", "hook_event_name"),
            ("sessionId", "session_id"),
            ("toolArgs", "tool_input"),
        ],
        tools: &[
            OwnTool::alike("run_shell_command", "Bash"),
            OwnTool {
                name: "read_file",
                is: "Read",
                fields: &[("absolute_path", "file_path")],
            },
        ],
    };

    #[test]
    fn what_an_agent_says_is_translated_and_kept() {
        for (said, expected) in [
            (
                json!({"hook_event_name": "BeforeTool", "tool_name": "run_shell_command", "tool_input": {"command": "ls"}}),
                json!({"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "ls"},
                    "native": {"event": "BeforeTool", "tool_name": "run_shell_command"}}),
            ),
            (
                json!({"sessionId": "s", "hook_event_name": "PreToolUse", "tool_name": "read_file", "toolArgs": {"absolute_path": "/a", "limit": 2}}),
                json!({"session_id": "s", "hook_event_name": "PreToolUse", "tool_name": "Read", "tool_input": {"file_path": "/a", "limit": 2},
                    "native": {"tool_name": "read_file", "tool_input": {"absolute_path": "/a", "limit": 2}}}),
            ),
            // An agent goes by its own field.
            (
                json!({"sessionId": "s", "session_id": "t", "tool_name": "read_file", "tool_input": {}}),
                json!({"session_id": "s", "tool_name": "Read", "tool_input": {}, "native": {"tool_name": "read_file"}}),
            ),
            (
                json!({"tool_input": {"command": "ls"}, "toolArgs": {"command": "rm a"}, "tool_name": "Bash"}),
                json!({"tool_input": {"command": "rm a"}, "tool_name": "Bash"}),
            ),
            (
                json!({"toolArgs": {"command": "rm a"}, "tool_input": {"command": "ls"}, "tool_name": "Bash"}),
                json!({"tool_input": {"command": "rm a"}, "tool_name": "Bash"}),
            ),
            // The command line's name of the event was weighed against the payload's before.
            (
                json!({"hook_event_name": "BeforeTool", "event": "SessionStart"}),
                json!({"hook_event_name": "PreToolUse", "event": "SessionStart", "native": {"event": "BeforeTool"}}),
            ),
            // A tool reads its own field, wherever a model puts another one.
            (
                json!({"tool_name": "read_file", "tool_input": {"absolute_path": "/a", "file_path": "/b"}}),
                json!({"tool_name": "Read", "tool_input": {"file_path": "/a"},
                    "native": {"tool_name": "read_file", "tool_input": {"absolute_path": "/a", "file_path": "/b"}}}),
            ),
            (
                json!({"tool_name": "read_file", "tool_input": {"file_path": "/b", "absolute_path": "/a"}}),
                json!({"tool_name": "Read", "tool_input": {"file_path": "/a"},
                    "native": {"tool_name": "read_file", "tool_input": {"file_path": "/b", "absolute_path": "/a"}}}),
            ),
        ] {
            assert_eq!(WORDS.translate(said), expected);
        }
    }

    #[test]
    fn what_a_shell_printed_is_where_hooks_look_for_it() {
        for (said, stdout, failed) in [
            (json!("a\n"), Some("a\n"), None),
            (
                json!({"llmContent": "Output: a", "returnDisplay": "a"}),
                Some("a"),
                None,
            ),
            (
                json!({"resultType": "success", "textResultForLlm": "a"}),
                Some("a"),
                None,
            ),
            (
                json!({"output": "a", "error": "exit 1"}),
                Some("a"),
                Some(true),
            ),
            (json!({"stdout": "a", "stderr": "b"}), Some("a"), None),
            (json!({"other": 1}), None, None),
            (json!(null), None, None),
        ] {
            let payload = json!({"hook_event_name": "PostToolUse", "tool_name": "run_shell_command", "tool_response": said});
            let read = WORDS.translate(payload);
            let field = |name: &str| read["tool_response"].get(name).cloned();
            assert_eq!(field("stdout"), stdout.map(Value::from), "{said}");
            assert_eq!(field("is_error"), failed.map(Value::from), "{said}");
        }
        let other = json!({"tool_name": "read_file", "tool_response": "text"});
        assert_eq!(WORDS.translate(other)["tool_response"], "text");
    }

    #[test]
    fn what_is_said_in_bowlines_words_stays_as_it_is() {
        for said in [
            json!({"hook_event_name": "SessionStart", "session_id": "s"}),
            json!({"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "ls"}}),
            json!({"hook_event_name": "New", "tool_name": 3, "tool_input": "x"}),
            json!([1]),
        ] {
            assert_eq!(WORDS.translate(said.clone()), said);
        }
    }

    #[test]
    fn a_rewritten_input_is_said_in_the_agents_words() {
        let mut reported = Reported::of(HookEvent::PreToolUse);
        reported.tool = Some("read_file");
        let own = WORDS.own_input(&reported, &json!({"file_path": "/b", "limit": 1}));
        assert_eq!(own, json!({"absolute_path": "/b", "limit": 1}));
        reported.tool = Some("other");
        let own = WORDS.own_input(&reported, &json!({"file_path": "/b"}));
        assert_eq!(own, json!({"file_path": "/b"}));
    }
}
