//! Calls that do several things at once: each is a part, in Bowline's words, as if it were a call of its own.
//!
//! Bowline's own payload has the first part as its tool and input, and all of them in the field [`PARTS`] where there are several.

use serde_json::{Map, Value, json};

use crate::words::keep_native;

/// The field of Bowline's own payload that lists what a call does, as objects with `tool_name` and `tool_input`.
pub const PARTS: &str = "parts";

/// At most this many parts of a call are looked at one by one.
pub const MAX_PARTS: usize = 200;

/// What Bowline calls a call, or a part of one, that cannot be read. `why` in its input says so.
pub const UNREAD: &str = "Unread";

/// A part of a call.
pub fn part(tool: &str, input: Value) -> Value {
    json!({"tool_name": tool, "tool_input": input})
}

/// The part that stands for what cannot be read.
pub fn unread(why: &str) -> Value {
    part(UNREAD, json!({ "why": why }))
}

/// Says in a payload what its call does, and keeps what the agent said. The last part stands for those that are too many.
pub(crate) fn put(fields: &mut Map<String, Value>, mut parts: Vec<Value>) {
    let count = parts.len();
    if count > MAX_PARTS {
        parts.truncate(MAX_PARTS - 1);
        parts.push(too_many(count));
    }
    let Some(first) = parts.first() else {
        return;
    };
    let mut native = Map::new();
    for name in ["tool_name", "tool_input"] {
        let of_first = first.get(name).cloned().unwrap_or_default();
        if let Some(own) = fields.insert(name.to_owned(), of_first) {
            native.insert(name.to_owned(), own);
        }
    }
    keep_native(fields, native);
    if count > 1 {
        fields.insert(PARTS.to_owned(), Value::Array(parts));
    }
}

/// The part that stands for all those after the first [`MAX_PARTS`] but one.
pub fn too_many(count: usize) -> Value {
    unread(&format!(
        "the call does {count} things, of which only the first {} are judged one by one",
        MAX_PARTS - 1
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put_into(parts: Vec<Value>) -> Value {
        let said = json!({"tool_name": "run", "tool_input": {"commands": 2}});
        let mut fields = said.as_object().cloned().unwrap();
        put(&mut fields, parts);
        Value::Object(fields)
    }

    #[test]
    fn a_call_begins_with_its_first_part_and_keeps_what_was_said() {
        let ls = part("Bash", json!({"command": "ls"}));
        let rm = part("Bash", json!({"command": "rm a"}));
        let native = json!({"tool_name": "run", "tool_input": {"commands": 2}});
        let whole = json!({"tool_name": "Bash", "tool_input": {"command": "ls"}, "native": native});
        assert_eq!(put_into(vec![ls.clone()]), whole);
        let mut several = whole;
        several["parts"] = json!([ls, rm]);
        assert_eq!(put_into(vec![ls, rm]), several);
    }

    #[test]
    fn too_many_parts_end_with_one_that_says_so() {
        for (count, listed, is_whole) in [(200, 200, true), (201, 200, false), (5_000, 200, false)]
        {
            let parts = vec![part("Bash", json!({"command": "ls"})); count];
            let put = put_into(parts);
            let parts = put["parts"].as_array().unwrap();
            assert_eq!(parts.len(), listed);
            let last = parts.last().unwrap();
            assert_eq!(last["tool_name"] == "Bash", is_whole, "{last}");
            let why = last["tool_input"]["why"].as_str().unwrap_or_default();
            assert_eq!(why.contains(&count.to_string()), !is_whole, "{why}");
        }
    }
}
