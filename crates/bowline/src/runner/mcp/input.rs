//! What a tool gets: the hook's `input`, with fields of the event in its texts.

use serde_json::{Map, Value};

use crate::input::plain_text;

/// Fills in `${a.b.c}` in every text, also of nested values, in one pass. A field that is missing or null is empty, an object or a list is
/// its JSON; what comes out is always a text.
pub(super) fn filled(input: &Map<String, Value>, payload: &Value) -> Map<String, Value> {
    input
        .iter()
        .map(|(name, value)| (name.clone(), value_with(value, payload)))
        .collect()
}

fn value_with(value: &Value, payload: &Value) -> Value {
    match value {
        Value::String(text) => Value::String(text_with(text, payload)),
        Value::Array(values) => values
            .iter()
            .map(|value| value_with(value, payload))
            .collect(),
        Value::Object(fields) => Value::Object(filled(fields, payload)),
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}

fn text_with(text: &str, payload: &Value) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        out.push_str(before);
        match after.split_once('}') {
            Some((path, behind)) if !path.is_empty() => {
                out.push_str(&field(payload, path));
                rest = behind;
            }
            _ => {
                out.push_str("${");
                rest = after;
            }
        }
    }
    out.push_str(rest);
    out
}

fn field(payload: &Value, path: &str) -> String {
    path.split('.')
        .try_fold(payload, |value, step| match value {
            Value::Array(values) => values.get(step.parse::<usize>().ok()?),
            value => value.get(step),
        })
        .filter(|value| !value.is_null())
        .map(|value| plain_text(value).into_owned())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn fields_of_the_event_are_put_in_as_text() {
        let payload = json!({
            "tool_name": "Bash",
            "tool_input": { "command": "echo ${tool_name}", "timeout": 5, "flag": true, "none": null, "list": ["a", "b"] },
        });
        for (text, expected) in [
            ("", ""),
            ("plain $tool_name", "plain $tool_name"),
            ("${tool_name}", "Bash"),
            ("<${tool_name}|${tool_name}>", "<Bash|Bash>"),
            // Inserted text is not expanded again.
            ("${tool_input.command}", "echo ${tool_name}"),
            ("${tool_input.timeout} ${tool_input.flag}", "5 true"),
            ("[${tool_input.none}${tool_input.missing}${a.b.c}]", "[]"),
            ("${tool_input.list}", r#"["a","b"]"#),
            ("${tool_input.list.1}", "b"),
            ("${tool_name.length}", ""),
            ("${tool_name", "${tool_name"),
            ("${}", "${}"),
        ] {
            assert_eq!(text_with(text, &payload), expected, "{text}");
        }
        let Value::Object(input) =
            json!({ "a": ["${tool_name}", 1, { "b": "${tool_name}" }], "${tool_name}": null })
        else {
            panic!("an object");
        };
        assert_eq!(
            Value::Object(filled(&input, &payload)),
            json!({ "a": ["Bash", 1, { "b": "Bash" }], "${tool_name}": null })
        );
    }
}
