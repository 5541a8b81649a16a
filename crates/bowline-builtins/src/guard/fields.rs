//! The texts in a tool's input, by the names that the guards know them by.

use serde_json::Value;

/// The text of a field; `paths/0` is the first item of a list, `edits/0/old_string` a field of one, and a switch is `true` or `false`.
pub fn text_in<'v>(field: impl Fn(&str) -> Option<&'v Value>, name: &str) -> Option<&'v str> {
    let mut names = name.split('/');
    let first = field(names.next()?)?;
    let found = names.try_fold(first, |holder, name| match holder {
        Value::Array(items) => items.get(name.parse::<usize>().ok()?),
        other => other.get(name),
    })?;
    match found {
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_text_is_found_however_deep_it_is() {
        let input = json!({"a": "1", "list": ["2", {"b": "3"}], "force": true, "in": {"force": true, "n": 4}});
        for (name, expected) in [
            ("a", Some("1")),
            ("list/0", Some("2")),
            ("list/1/b", Some("3")),
            ("list/2", None),
            ("list/b", None),
            ("a/0", None),
            ("force", Some("true")),
            ("in/force", None),
            ("in/n", None),
            ("", None),
        ] {
            assert_eq!(text_in(|it| input.get(it), name), expected, "{name}");
        }
    }
}
