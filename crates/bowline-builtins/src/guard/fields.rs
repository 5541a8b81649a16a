//! The texts in a tool's input, by the names that the guards know them by.

use serde_json::Value;

/// The text of a field; `paths/0` is the first item of a list, and a switch is `true` or `false`.
pub fn text_in<'v>(field: impl Fn(&str) -> Option<&'v Value>, name: &str) -> Option<&'v str> {
    if let Some((list, at)) = name.split_once('/') {
        return field(list)?.get(at.parse::<usize>().ok()?)?.as_str();
    }
    match field(name)? {
        Value::String(text) => Some(text),
        Value::Bool(true) if is_switch(name) => Some("true"),
        Value::Bool(false) if is_switch(name) => Some("false"),
        _ => None,
    }
}

/// Fields that are texts with some tools and switches with others.
fn is_switch(name: &str) -> bool {
    matches!(name, "force" | "hard")
}
