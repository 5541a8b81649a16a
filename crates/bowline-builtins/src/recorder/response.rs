//! How a tool call went, by what its tool gave back.

use bowline::hooks::ToolOutput;
use bowline_store::TraceStatus;
use serde_json::{Map, Value};

use crate::sanitise::sanitise;

/// How a call went, and what went wrong, as it stands in the response.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Outcome {
    pub(super) status: TraceStatus,
    pub(super) error: Option<String>,
}

impl Outcome {
    const OK: Self = Self {
        status: TraceStatus::Completed,
        error: None,
    };

    fn failed(error: impl Into<String>) -> Self {
        Self {
            status: TraceStatus::Failed,
            error: Some(error.into()),
        }
    }
}

/// Fields that hold the code with which a command ended.
const EXIT_CODES: &[&str] = &["exit_code", "exitCode", "returncode", "return_code"];

/// How a call went whose agent reports that it is over.
///
/// An error, a status of `error` or `failed`, `success: false`, an exit code other than 0 and a result that is marked as
/// an error are failures. So is a non-empty `stderr`, unless the response itself says that the call succeeded: many
/// commands that succeed write there.
pub(super) fn outcome(result: &ToolOutput) -> Outcome {
    let Value::Object(response) = &result.content else {
        return if result.is_error {
            Outcome::failed(plain(&result.content))
        } else {
            Outcome::OK
        };
    };
    let text = |name| text(response, name);
    let stderr = || text("stderr").map(|stderr| format!("stderr: {stderr}"));
    if let Some(error) = response.get("error").filter(|error| is_said(error)) {
        return Outcome::failed(plain(error));
    }
    if response.get("success") == Some(&Value::Bool(false)) {
        let reason = text("reason")
            .or_else(|| text("message"))
            .map(ToOwned::to_owned);
        return Outcome::failed(
            reason
                .or_else(stderr)
                .unwrap_or_else(|| "Unknown error".to_owned()),
        );
    }
    if text("status").is_some_and(|status| {
        status.eq_ignore_ascii_case("error") || status.eq_ignore_ascii_case("failed")
    }) {
        let message = text("message")
            .or_else(|| text("reason"))
            .map(ToOwned::to_owned);
        return Outcome::failed(
            message
                .or_else(stderr)
                .unwrap_or_else(|| "Unknown error".to_owned()),
        );
    }
    if result.is_error {
        let message = text("message").map(ToOwned::to_owned).or_else(stderr);
        return Outcome::failed(message.unwrap_or_else(|| plain(&result.content)));
    }
    if let Some(code) = exit_code(response).filter(|code| *code != 0) {
        let stderr = text("stderr").map(|stderr| format!("\n{stderr}"));
        return Outcome::failed(format!("Exit code {code}{}", stderr.unwrap_or_default()));
    }
    if response.get("interrupted") == Some(&Value::Bool(true)) {
        return Outcome {
            status: TraceStatus::Cancelled,
            error: Some("interrupted".to_owned()),
        };
    }
    match stderr() {
        Some(stderr) if !says_that_it_succeeded(response) => Outcome::failed(stderr),
        _ => Outcome::OK,
    }
}

/// The sub-agent that works on after the call that started it.
pub(crate) fn left_to(response: &Value) -> Option<&str> {
    let in_background = response.get("isAsync") == Some(&Value::Bool(true))
        || response.get("status").and_then(Value::as_str) == Some("async_launched");
    let id = response.get("agentId")?.as_str()?;
    (in_background && !id.is_empty()).then_some(id)
}

/// The sub-agent that did the work of a call, and is done.
pub(super) fn done_by(response: &Value) -> Option<&str> {
    let id = response.get("agentId")?.as_str()?;
    (!id.is_empty() && left_to(response).is_none()).then_some(id)
}

/// Claude Code's shell says that it was not interrupted, and reports failures by an event of their own.
fn says_that_it_succeeded(response: &Map<String, Value>) -> bool {
    let is = |name, value| response.get(name) == Some(&Value::Bool(value));
    is("success", true)
        || is("interrupted", false)
        || is("is_error", false)
        || is("isError", false)
        || exit_code(response) == Some(0)
}

fn exit_code(response: &Map<String, Value>) -> Option<i64> {
    EXIT_CODES
        .iter()
        .find_map(|name| response.get(*name)?.as_i64())
}

fn text<'a>(response: &'a Map<String, Value>, name: &str) -> Option<&'a str> {
    response
        .get(name)?
        .as_str()
        .filter(|text| !text.trim().is_empty())
}

fn is_said(error: &Value) -> bool {
    match error {
        Value::Null => false,
        Value::Bool(flag) => *flag,
        Value::Number(number) => number.as_i64() != Some(0),
        Value::String(text) => !text.trim().is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Object(fields) => !fields.is_empty(),
    }
}

/// A message for people: the text, or the message in an object, or else the JSON, in which names show what is secret.
fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Object(fields) => match text(fields, "message") {
            Some(message) => message.to_owned(),
            None => sanitise(value).to_string(),
        },
        Value::Array(blocks) => {
            let texts: Vec<&str> = blocks
                .iter()
                .filter_map(|block| block.get("text")?.as_str())
                .collect();
            if texts.is_empty() {
                sanitise(value).to_string()
            } else {
                texts.join("\n")
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn f20_c_the_response_tells_whether_the_call_failed() {
        let failed = |message: &str| Outcome::failed(message);
        for (response, expected) in [
            (json!(null), Outcome::OK),
            (json!("done"), Outcome::OK),
            (json!([{"type": "text", "text": "error"}]), Outcome::OK),
            (json!({}), Outcome::OK),
            (json!({"stdout": "x", "stderr": ""}), Outcome::OK),
            (json!({"stdout": "x", "stderr": " \n"}), Outcome::OK),
            (json!({"stderr": "boom"}), failed("stderr: boom")),
            (json!({"error": "no such file"}), failed("no such file")),
            (json!({"error": ""}), Outcome::OK),
            (json!({"error": null}), Outcome::OK),
            (json!({"error": false}), Outcome::OK),
            (json!({"error": 0}), Outcome::OK),
            (json!({"error": true}), failed("true")),
            (
                json!({"error": {"message": "gone", "code": 7}}),
                failed("gone"),
            ),
            (json!({"error": {"code": 7}}), failed("{\"code\":7}")),
            (json!({"success": false, "reason": "full"}), failed("full")),
            (json!({"success": false}), failed("Unknown error")),
            (
                json!({"success": false, "stderr": "x"}),
                failed("stderr: x"),
            ),
            (json!({"success": "false"}), Outcome::OK),
            (json!({"success": true}), Outcome::OK),
            (json!({"status": "ERROR", "message": "m"}), failed("m")),
            (json!({"status": "failed"}), failed("Unknown error")),
            (json!({"status": "completed"}), Outcome::OK),
            (json!({"code": 200, "codeText": "OK"}), Outcome::OK),
            (
                json!({"exitCode": 3, "stderr": "x"}),
                failed("Exit code 3\nx"),
            ),
            (
                json!({"stdout": "", "stderr": "", "interrupted": true}),
                Outcome {
                    status: TraceStatus::Cancelled,
                    error: Some("interrupted".to_owned()),
                },
            ),
        ] {
            assert_eq!(
                outcome(&ToolOutput::new(response.clone())),
                expected,
                "{response}"
            );
        }
        for (response, expected) in [
            (json!("it broke"), "it broke"),
            (
                json!([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]),
                "a\nb",
            ),
            (json!({"message": "m"}), "m"),
            (json!({"api_key": "hush"}), "{\"api_key\":\"[REDACTED]\"}"),
        ] {
            assert_eq!(outcome(&ToolOutput::error(response)), failed(expected));
        }
    }

    /// Claude Code reports a command that failed by an event of its own; compilers and `git push` write to stderr
    /// when all is well.
    #[test]
    fn f20_c_a_success_may_write_to_stderr() {
        for response in [
            json!({"stdout": "", "stderr": "warning: x", "interrupted": false, "isImage": false}),
            json!({"stderr": "warning: x", "success": true}),
            json!({"stderr": "warning: x", "exit_code": 0}),
            json!({"stderr": "warning: x", "isError": false}),
        ] {
            assert_eq!(
                outcome(&ToolOutput::new(response.clone())),
                Outcome::OK,
                "{response}"
            );
        }
    }

    #[test]
    fn a_sub_agent_in_the_background_is_named_by_the_call() {
        for (response, expected) in [
            (json!({"isAsync": true, "agentId": "a1"}), Some("a1")),
            (
                json!({"status": "async_launched", "agentId": "a1"}),
                Some("a1"),
            ),
            (json!({"status": "completed", "agentId": "a1"}), None),
            (json!({"isAsync": true, "agentId": ""}), None),
            (json!("text"), None),
        ] {
            assert_eq!(left_to(&response), expected, "{response}");
        }
    }
}
