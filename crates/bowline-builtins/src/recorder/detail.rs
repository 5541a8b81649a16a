//! How much is kept of prompts, inputs and outputs. Secrets never are.

use std::borrow::Cow;

use bowline::settings::RecordDetail;
use bowline_agents::{MAX_PARTS, PARTS};
use bowline_guard::secrets::{is_sensitive_key, redact};
use serde_json::{Map, Value, json};

use super::digest::digest_of_text;
use crate::sanitise::{self, Beginning, REDACTED, sanitise};

/// What is kept of an error, in characters.
const ERROR: usize = 500;
/// What is kept of a sub-agent's last message.
const LAST_MESSAGE: usize = 2_000;
/// What is kept of what a hook says.
const REASON: usize = 10_000;
/// What is kept of a prompt.
const PROMPT: usize = 10_000;
/// What a summary keeps of a field's name.
const NAME: usize = 500;
/// What a summary keeps of a text.
const BEGINNING: usize = 80;

/// Fields of an input that say what a call is about. A summary keeps how they begin.
const SUBJECTS: &[&str] = &[
    "command",
    "description",
    "file_path",
    "notebook_path",
    "path",
    "pattern",
    "query",
    "skill",
    "subagent_type",
    "url",
];

/// The name of a tool, a model or a kind of sub-agent.
pub(super) fn name(name: &str) -> String {
    redact(name).into_owned()
}

/// The id of a call or a sub-agent. One with a secret in it becomes another, always the same, so that the call is found again by it.
pub(super) fn id(id: &str) -> String {
    match redact(id) {
        Cow::Borrowed(id) => id.to_owned(),
        Cow::Owned(clean) => format!("{clean}-{:016x}", digest_of_text(id)),
    }
}

/// What is kept of a tool's input.
pub(super) fn input(detail: RecordDetail, input: &Value) -> Option<Value> {
    match detail {
        RecordDetail::Full => Some(sanitise(input)),
        RecordDetail::Summary => Some(outline_of_call(input)),
        _ => None,
    }
}

/// The fields of an input; of a call of several things those of each.
fn outline_of_call(input: &Value) -> Value {
    let mut outlined = outline(input, SUBJECTS);
    let parts = input.get(PARTS).and_then(Value::as_array);
    if let (Some(parts), Some(fields)) = (parts, outlined.as_object_mut()) {
        let parts = parts.iter().take(MAX_PARTS).map(|part| {
            let tool = part.get("tool_name").and_then(Value::as_str);
            let input = part.get("tool_input").map(|it| outline(it, SUBJECTS));
            json!({"tool_name": tool.map(name), "tool_input": input})
        });
        fields.insert(PARTS.to_owned(), parts.collect());
    }
    outlined
}

/// What is kept of a tool's output.
pub(super) fn output(detail: RecordDetail, output: &Value) -> Option<Value> {
    match detail {
        _ if output.is_null() => None,
        RecordDetail::Full => Some(sanitise(output)),
        RecordDetail::Summary => Some(outline(output, &[])),
        _ => None,
    }
}

/// What is kept of a prompt.
pub(super) fn prompt(detail: RecordDetail, text: &str) -> Option<String> {
    told(detail, text, PROMPT)
}

/// What is kept of what went wrong in a tool, which is part of its output.
pub(super) fn error(detail: RecordDetail, text: &str) -> Option<String> {
    told(detail, text, ERROR)
}

/// What is kept of a sub-agent's last message.
pub(super) fn last_message(detail: RecordDetail, text: &str) -> Option<String> {
    told(detail, text, LAST_MESSAGE)
}

/// Why a call was refused: as much as of an error, because it is the reason of the decision.
pub(super) fn refusal(text: &str) -> String {
    masked(text, ERROR)
}

/// What a hook gave as its reason, or as what went wrong in it.
pub(super) fn reason(text: &str) -> String {
    masked(text, REASON)
}

fn told(detail: RecordDetail, text: &str, characters: usize) -> Option<String> {
    match detail {
        _ if text.trim().is_empty() => None,
        RecordDetail::Full => Some(masked(text, characters)),
        RecordDetail::Summary => Some(beginning(text)),
        _ => None,
    }
}

/// The first characters of a text, at most this many, without secrets.
fn masked(text: &str, characters: usize) -> String {
    let Beginning { clean, rest } = sanitise::beginning(text, characters, usize::MAX);
    if rest.is_empty() && clean.chars().nth(characters).is_none() {
        return clean.into_owned();
    }
    let kept = clean.chars().take(characters.saturating_sub(1));
    kept.chain(['…']).collect()
}

/// How a text begins, on one line, and how long it is if that is not all.
fn beginning(text: &str) -> String {
    let line: String = masked(text, BEGINNING + 1).replace(char::is_whitespace, " ");
    match text.chars().count() {
        0..=BEGINNING => line,
        length => {
            let kept: String = line.chars().take(BEGINNING).collect();
            format!("{}… [{length} characters]", kept.trim_end_matches('…'))
        }
    }
}

/// The fields of a value with how much is in each: numbers and flags as they are, texts only where they are subjects.
fn outline(value: &Value, subjects: &[&str]) -> Value {
    let Value::Object(fields) = value else {
        return amount(value);
    };
    let outline = fields.iter().map(|(name, value)| {
        let outlined = match value {
            Value::String(text) if subjects.contains(&name.as_str()) => beginning(text).into(),
            Value::String(_) | Value::Number(_) if is_sensitive_key(name) => REDACTED.into(),
            value => amount(value),
        };
        (masked(name, NAME), outlined)
    });
    Value::Object(outline.collect::<Map<_, _>>())
}

fn amount(value: &Value) -> Value {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
        Value::String(text) => format!("[{} characters]", text.chars().count()).into(),
        Value::Array(items) => format!("[{} items]", items.len()).into(),
        Value::Object(fields) => format!("[{} fields]", fields.len()).into(),
    }
}

#[cfg(test)]
mod tests {
    use bowline_guard::secrets::expand;

    use super::*;

    const ALL: [RecordDetail; 3] = [RecordDetail::Full, RecordDetail::Summary, RecordDetail::Off];

    #[test]
    fn a_summary_tells_what_and_how_much_but_not_more() {
        let call = json!({
            "command": format!("echo {}", "x".repeat(200)),
            "description": "Say\nit",
            "content": "secret plans",
            "timeout": 5,
            "replace_all": true,
            "token": 123_456,
            "password": "hush",
            "edits": [1, 2],
            "options": {"a": 1},
        });
        let command = format!("echo {}… [205 characters]", "x".repeat(75));
        assert_eq!(
            input(RecordDetail::Summary, &call),
            Some(json!({
                "command": command,
                "description": "Say it",
                "content": "[12 characters]",
                "timeout": 5,
                "replace_all": true,
                "token": "[REDACTED]",
                "password": "[REDACTED]",
                "edits": "[2 items]",
                "options": "[1 fields]",
            }))
        );
        let given = json!({"stdout": "command", "command": "ls", "interrupted": false});
        assert_eq!(
            output(RecordDetail::Summary, &given),
            Some(
                json!({"stdout": "[7 characters]", "command": "[2 characters]", "interrupted": false})
            )
        );
        let patch = json!({"file_path": "/a", "content": "x", "parts": [
            {"tool_name": "Write", "tool_input": {"file_path": "/a", "content": "x"}},
            {"tool_name": "Delete", "tool_input": {"file_path": "/b"}},
            3,
        ]});
        assert_eq!(
            input(RecordDetail::Summary, &patch),
            Some(
                json!({"file_path": "/a", "content": "[1 characters]", "parts": [
                    {"tool_name": "Write", "tool_input": {"file_path": "/a", "content": "[1 characters]"}},
                    {"tool_name": "Delete", "tool_input": {"file_path": "/b"}},
                    {"tool_name": null, "tool_input": null},
                ]})
            )
        );
        assert_eq!(
            output(RecordDetail::Summary, &json!("abc")),
            Some(json!("[3 characters]"))
        );
        assert_eq!(
            prompt(RecordDetail::Summary, &"ä ".repeat(50)).as_deref(),
            Some(format!("{}… [100 characters]", "ä ".repeat(40)).as_str())
        );
        assert_eq!(
            prompt(RecordDetail::Summary, "do it").as_deref(),
            Some("do it")
        );
        let exact = "y".repeat(80);
        assert_eq!(prompt(RecordDetail::Summary, &exact), Some(exact));
    }

    #[test]
    fn ids_without_a_secret_stay_and_others_are_told_apart() {
        for known in [
            "toolu_01A09q90qw90lq917835lq9",
            "toolu_bdrk_01XFDUDYJgAACzvnptvVoYEL",
            "call_62136354a9c8b7d6e5f4a3b2",
            "chatcmpl-tool-3f2a9c8b7d6e4f4a8b2c1d0e9f8a7b6c",
            "3f2a9c8b-7d6e-4f4a-8b2c-1d0e9f8a7b6c",
            "3f2a9c8b7d6e4f4a8b2c1d0e9f8a7b6c",
            "function-call-1234567890123456789",
            "a",
        ] {
            assert_eq!(id(known), known);
        }
        let [one, other] = [expand("ghp_{a36}"), expand("ghp_{h36}")].map(|token| id(&token));
        assert!(one.starts_with("[REDACTED:github-token]-"), "{one}");
        assert_eq!(one, id(&expand("ghp_{a36}")));
        assert_ne!(one, other);
        assert_eq!(id(&one), one, "what is shown finds the call");
    }

    #[test]
    fn off_keeps_nothing() {
        let value = json!({"command": "ls"});
        assert_eq!(input(RecordDetail::Off, &value), None);
        assert_eq!(output(RecordDetail::Off, &value), None);
        assert_eq!(prompt(RecordDetail::Off, "x"), None);
        assert_eq!(error(RecordDetail::Off, "x"), None);
        assert_eq!(last_message(RecordDetail::Off, "x"), None);
        assert_eq!(refusal("x"), "x");
    }

    #[test]
    fn f20_c_messages_have_a_length_and_secrets_are_gone_before_they_are_cut() {
        let secret = expand("ghp_{a36}");
        for detail in ALL {
            for (kept, limit) in [
                (error(detail, &"é".repeat(2_000)), 500),
                (last_message(detail, &"é".repeat(20_000)), 2_000),
                (prompt(detail, &"é".repeat(200_000)), 10_000),
            ] {
                let length = kept.map_or(0, |text| text.chars().count());
                let expected = match detail {
                    RecordDetail::Full => limit,
                    RecordDetail::Summary => length.min(110),
                    _ => 0,
                };
                assert_eq!(length, expected, "{detail:?}");
            }
            // Wherever the text is cut, no part of the secret stays.
            for start in 480..500 {
                let text = format!("{}{secret} end", " ".repeat(start));
                let kept = error(detail, &text).unwrap_or_default();
                assert!(!kept.contains("ghp"), "{start}: {kept}");
            }
            for start in 60..80 {
                let text = format!("{}{secret} end", "a ".repeat(start / 2));
                let kept = prompt(detail, &text).unwrap_or_default();
                assert!(!kept.contains("ghp"), "{start}: {kept}");
            }
        }
    }
}
