//! What an agent leaves for the next session of its effort: how it is asked for, and how it is read.

use serde_json::{Map, Value, json};

use crate::error::{Code, RuleError};
use crate::log_entry::printable;
use crate::session::{Dehydrated, MAX_REQUIRED_FILES};

/// At most so many bytes are taken.
pub const MAX_BYTES: usize = 64 * 1024;

type Result<T> = std::result::Result<T, RuleError>;

/// Reads what the agent gives: a JSON object with keys in camel or snake case, or plain text, which becomes the summary. Unknown keys
/// are kept. Text that is JSON but no object is a mistake, unless it is a text in quotes.
pub fn read(text: &str) -> Result<Dehydrated> {
    if text.len() > MAX_BYTES {
        let found = format!("{} bytes", text.len());
        return Err(wrong(
            "input",
            &found,
            &format!("at most {MAX_BYTES} bytes"),
        ));
    }
    let text = without_fence(text.trim());
    let dehydrated = if text.starts_with('{') {
        let value: Map<String, Value> = serde_json::from_str(text).map_err(|error| {
            RuleError::new(
                Code::ParseError,
                format!("the input begins like JSON but is none: {error}. Correct it, or give plain text"),
            )
        })?;
        of_object(printable_object(value))?
    } else {
        Dehydrated {
            summary: printable(&plain(text)?),
            ..Dehydrated::default()
        }
    };
    if dehydrated.summary.trim().is_empty() {
        return Err(wrong(
            "summary",
            "nothing",
            "a text that says what was done and found",
        ));
    }
    Ok(dehydrated)
}

/// Text that is not an object.
fn plain(text: &str) -> Result<String> {
    match serde_json::from_str(text) {
        Ok(Value::String(summary)) => Ok(summary),
        Ok(other) => {
            let expected = "plain text, or a JSON object such as {\"summary\": \"…\"}";
            Err(wrong("input", kind(&other), expected))
        }
        Err(_) => Ok(text.to_owned()),
    }
}

/// The object without control characters, which no reader of the summary expects.
fn printable_object(object: Map<String, Value>) -> Map<String, Value> {
    let entries = object.into_iter();
    entries
        .map(|(key, value)| (printable(&key), printable_value(value)))
        .collect()
}

fn printable_value(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(printable(&text)),
        Value::Array(entries) => entries.into_iter().map(printable_value).collect(),
        Value::Object(object) => Value::Object(printable_object(object)),
        other => other,
    }
}

/// Models like to put JSON between marks.
fn without_fence(text: &str) -> &str {
    let inside = text
        .strip_prefix("```json")
        .or_else(|| text.strip_prefix("```"))
        .and_then(|rest| rest.strip_suffix("```"))
        .map(str::trim);
    match inside {
        Some(inside) if inside.starts_with('{') => inside,
        _ => text,
    }
}

fn of_object(object: Map<String, Value>) -> Result<Dehydrated> {
    let mut read = Dehydrated::default();
    let mut seen: Vec<&str> = Vec::new();
    for (key, value) in object {
        let Some(field) = FIELDS
            .iter()
            .find(|(camel, snake)| key == *camel || key == *snake)
        else {
            read.other.insert(key, value);
            continue;
        };
        let name = field.0;
        if seen.contains(&name) {
            return Err(wrong(name, "it twice, in both spellings", "it once"));
        }
        seen.push(name);
        // Null says the same as a missing key.
        if value.is_null() {
            continue;
        }
        match name {
            "summary" => read.summary = text(name, value)?,
            "lastAction" => read.last_action = Some(text(name, value)?),
            "nextSteps" => read.next_steps = texts(name, value)?,
            "handoverInstructions" => read.handover_instructions = Some(text(name, value)?),
            "userHistory" => read.user_history = Some(text(name, value)?),
            _ => read.required_files = texts(name, value)?,
        }
    }
    if read.required_files.len() > MAX_REQUIRED_FILES {
        let found = format!("{} files", read.required_files.len());
        return Err(wrong(
            "requiredFiles",
            &found,
            &format!("at most {MAX_REQUIRED_FILES}"),
        ));
    }
    Ok(read)
}

/// The keys in both spellings.
const FIELDS: [(&str, &str); 6] = [
    ("summary", "summary"),
    ("lastAction", "last_action"),
    ("nextSteps", "next_steps"),
    ("handoverInstructions", "handover_instructions"),
    ("userHistory", "user_history"),
    ("requiredFiles", "required_files"),
];

fn text(field: &str, value: Value) -> Result<String> {
    match value {
        Value::String(text) => Ok(text),
        other => Err(wrong(field, kind(&other), "a text")),
    }
}

fn texts(field: &str, value: Value) -> Result<Vec<String>> {
    let Value::Array(entries) = value else {
        return Err(wrong(field, kind(&value), "a list of texts"));
    };
    let text = |entry| match entry {
        Value::String(text) => Ok(text),
        other => {
            let found = format!("a list with {}", kind(&other));
            Err(wrong(field, &found, "a list of texts"))
        }
    };
    entries.into_iter().map(text).collect()
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

fn wrong(field: &str, found: &str, expected: &str) -> RuleError {
    RuleError::new(
        Code::CommandError,
        format!("{field}: found {found}, expected {expected}"),
    )
    .with_details(json!({"field": field, "found": found, "expected": expected}))
}

/// What an agent is told when its context window is nearly full.
pub fn instruction(usage: f64, threshold: f64) -> String {
    let percent = |share: f64| (share.clamp(0.0, 1.0) * 100.0).floor();
    format!(
        "Your context window is {:.0}% full (the limit is {:.0}%). Stop here, and leave your work to the next session, which knows nothing \
         but what you write now. Run this command with your own texts, then end your turn:\n\n\
         bowline effort dehydrate <<'EOF'\n\
         {{\"summary\": \"what was done and found\", \"lastAction\": \"…\", \"nextSteps\": [\"…\"], \"handoverInstructions\": \"how to go on\", \
         \"userHistory\": \"what the user said that matters\", \"requiredFiles\": [\"at most {MAX_REQUIRED_FILES} files to read first\"]}}\n\
         EOF",
        percent(usage),
        percent(threshold),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn f35_b_both_spellings_are_read_and_nothing_is_lost() {
        let camel = r#"{"summary": "Half done.\n", "lastAction": "ran tests", "nextSteps": ["fix a", "fix b"],
            "handoverInstructions": "be careful", "userHistory": "wants speed", "requiredFiles": ["a.rs"], "mood": {"good": true}}"#;
        let snake = r#"{"summary": "Half done.\n", "last_action": "ran tests", "next_steps": ["fix a", "fix b"],
            "handover_instructions": "be careful", "user_history": "wants speed", "required_files": ["a.rs"], "mood": {"good": true}}"#;
        let mut other = Map::new();
        other.insert("mood".into(), json!({"good": true}));
        let expected = Dehydrated {
            summary: "Half done.\n".into(),
            last_action: Some("ran tests".into()),
            next_steps: vec!["fix a".into(), "fix b".into()],
            handover_instructions: Some("be careful".into()),
            user_history: Some("wants speed".into()),
            required_files: vec!["a.rs".into()],
            other,
        };
        for text in [camel, snake, &format!("```json\n{camel}\n```\n")] {
            assert_eq!(read(text).unwrap(), expected, "{text}");
        }
    }

    #[test]
    fn control_characters_get_into_no_text() {
        let text = r#"{"summary": "\u001b[31mred\u001b[0m\u0007\n", "nextSteps": ["a\u0000b"], "mo\u001bod": [{"x": "y\u0008"}]}"#;
        let mut other = Map::new();
        other.insert("mood".into(), json!([{"x": "y"}]));
        let expected = Dehydrated {
            summary: "red\n".into(),
            next_steps: vec!["ab".into()],
            other,
            ..Dehydrated::default()
        };
        assert_eq!(read(text).unwrap(), expected);
        for text in ["\u{1b}[1mdone\u{7}", r#""\u001b[1mdone\u0007""#] {
            assert_eq!(read(text).unwrap().summary, "done", "{text:?}");
        }
    }

    const PLAIN_OR_OBJECT: &str = "plain text, or a JSON object such as {\"summary\": \"…\"}";

    #[test]
    fn plain_text_is_the_summary() {
        for (text, expected) in [
            ("Half done.\nTests fail.\n", "Half done.\nTests fail."),
            ("[x] first, [ ] second", "[x] first, [ ] second"),
            // A text in quotes, as JSON has it.
            (
                r#""It's \"done\".\nTests fail.""#,
                "It's \"done\".\nTests fail.",
            ),
            ("\"quoted\" and more", "\"quoted\" and more"),
            ("[1", "[1"),
            ("5 of 7 are done", "5 of 7 are done"),
            ("```a``` or ```b```", "```a``` or ```b```"),
            (
                r#"{"summary": "s", "nextSteps": null, "requiredFiles": null}"#,
                "s",
            ),
        ] {
            let expected = Dehydrated {
                summary: expected.into(),
                ..Dehydrated::default()
            };
            assert_eq!(read(text).unwrap(), expected, "{text}");
        }
    }

    #[test]
    fn what_is_wrong_is_named() {
        let nine = json!({"summary": "s", "requiredFiles": vec!["f"; 9]}).to_string();
        for (text, field, found, expected) in [
            (
                "",
                "summary",
                "nothing",
                "a text that says what was done and found",
            ),
            (
                " \n",
                "summary",
                "nothing",
                "a text that says what was done and found",
            ),
            (
                r#"{"summary": "  "}"#,
                "summary",
                "nothing",
                "a text that says what was done and found",
            ),
            (
                r#"{"nextSteps": []}"#,
                "summary",
                "nothing",
                "a text that says what was done and found",
            ),
            (r#"{"summary": 5}"#, "summary", "a number", "a text"),
            ("[1]", "input", "a list", PLAIN_OR_OBJECT),
            ("42", "input", "a number", PLAIN_OR_OBJECT),
            (" true\n", "input", "true or false", PLAIN_OR_OBJECT),
            ("null", "input", "null", PLAIN_OR_OBJECT),
            (
                "\" \"",
                "summary",
                "nothing",
                "a text that says what was done and found",
            ),
            (
                r#"{"summary": "s", "last_action": ["a"]}"#,
                "lastAction",
                "a list",
                "a text",
            ),
            (
                r#"{"summary": "s", "nextSteps": "go on"}"#,
                "nextSteps",
                "a text",
                "a list of texts",
            ),
            (
                r#"{"summary": "s", "nextSteps": ["a", {}]}"#,
                "nextSteps",
                "a list with an object",
                "a list of texts",
            ),
            (
                r#"{"summary": "s", "userHistory": true}"#,
                "userHistory",
                "true or false",
                "a text",
            ),
            (
                r#"{"summary": "s", "nextSteps": [], "next_steps": []}"#,
                "nextSteps",
                "it twice, in both spellings",
                "it once",
            ),
            (nine.as_str(), "requiredFiles", "9 files", "at most 8"),
            (
                &"x".repeat(MAX_BYTES + 1),
                "input",
                "65537 bytes",
                "at most 65536 bytes",
            ),
        ] {
            let error = read(text).unwrap_err();
            let row = &text[..text.len().min(60)];
            assert_eq!(error.code, Code::CommandError, "{row}");
            assert_eq!(
                error.message,
                format!("{field}: found {found}, expected {expected}"),
                "{row}"
            );
            assert_eq!(error.details["field"], field, "{row}");
        }
        assert_eq!(
            read(&"x".repeat(MAX_BYTES)).unwrap().summary.len(),
            MAX_BYTES
        );
        let eight = json!({"summary": "s", "requiredFiles": vec!["f"; 8]}).to_string();
        assert_eq!(read(&eight).unwrap().required_files.len(), 8);
    }

    #[test]
    fn broken_json_is_no_summary() {
        let error = read("{\"summary\": \"s\",}").unwrap_err();
        assert_eq!(error.code, Code::ParseError);
        assert!(error.message.contains("line 1"), "{error}");
    }

    #[test]
    fn the_instruction_has_a_command_that_can_be_read_back() {
        let text = instruction(0.917, 0.9);
        assert!(
            text.starts_with("Your context window is 91% full (the limit is 90%)."),
            "{text}"
        );
        let (_, rest) = text
            .split_once("bowline effort dehydrate <<'EOF'\n")
            .unwrap();
        let given = read(rest.strip_suffix("\nEOF").unwrap()).unwrap();
        assert_eq!(given.summary, "what was done and found");
        assert!(given.last_action.is_some() && given.handover_instructions.is_some());
        assert!(given.user_history.is_some() && given.other.is_empty());
        assert_eq!((given.next_steps.len(), given.required_files.len()), (1, 1));
    }
}
