//! Words for JSON, and JSON that is written as text.

use serde_json::Value;

/// The object that a text holds, if it holds one.
pub(crate) fn object_in(text: &Value) -> Option<Value> {
    let text = text
        .as_str()
        .filter(|it| it.trim_start().starts_with('{'))?;
    let value: Value = serde_json::from_str(text).ok()?;
    value.is_object().then_some(value)
}

/// Reads an object where it is written as a text. Whoever runs the tool may do the same.
pub(crate) fn read_object(value: &mut Value) {
    if let Some(object) = object_in(value) {
        *value = object;
    }
}

/// What a value is, in words for people.
pub fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_object_is_read_once_where_it_is_a_text() {
        for (said, expected) in [
            (json!(r#"{"a": 1}"#), json!({"a": 1})),
            (json!(r#"{"a": "{}"}"#), json!({"a": "{}"})),
            (json!(" {}"), json!({})),
            (json!("[1]"), json!("[1]")),
            (json!("{a"), json!("{a")),
            (json!("ls"), json!("ls")),
            (json!({"a": "{}"}), json!({"a": "{}"})),
            (json!(null), json!(null)),
        ] {
            let mut read = said.clone();
            read_object(&mut read);
            assert_eq!(read, expected, "{said}");
        }
    }
}
