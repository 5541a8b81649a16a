//! What is recognised, and what only sounds like it.

use serde_json::{Value, json};

use super::*;

fn limit(resets: &str) -> Exhaustion {
    Exhaustion::RateLimit {
        resets: (!resets.is_empty()).then(|| resets.to_owned()),
    }
}

fn found(records: &[Value]) -> Option<Exhaustion> {
    let lines: Vec<_> = records.iter().map(ToString::to_string).collect();
    let lines: Vec<_> = lines.iter().map(String::as_bytes).collect();
    in_transcript(&lines)
}

fn error(code: &str, status: u64, text: &str) -> Value {
    json!({"type": "assistant", "isApiErrorMessage": true, "error": code, "apiErrorStatus": status,
        "message": {"model": "<synthetic>", "content": [{"type": "text", "text": text}]}})
}

fn answer(text: &str) -> Value {
    json!({"type": "assistant", "message": {"model": "claude-opus-4-8", "content": [{"type": "text", "text": text}], "stop_reason": "end_turn"}})
}

fn retry(error: Value) -> Value {
    json!({"type": "system", "subtype": "api_error", "level": "error", "error": error, "retryAttempt": 1, "maxRetries": 10})
}

#[test]
fn errors_of_the_last_records_are_recognised() {
    for (record, expected) in [
        (
            error(
                "rate_limit",
                429,
                "You've hit your session limit · resets 9:50pm (Asia/Saigon)",
            ),
            Some(limit("9:50pm (Asia/Saigon)")),
        ),
        (
            error("rate_limit", 429, "API Error: Rate limit reached"),
            Some(limit("")),
        ),
        (
            error(
                "rate_limit",
                429,
                "Server is temporarily limiting requests (not your usage limit). Retry in 156s.",
            ),
            Some(limit("in 156s")),
        ),
        (
            json!({"type": "assistant", "isApiErrorMessage": true, "message": {"content": "Claude AI usage limit reached|1762952400"}}),
            Some(limit("at 2025-11-12 13:00 UTC")),
        ),
        (
            json!({"type": "assistant", "isApiErrorMessage": true, "message": {"content": "Claude usage limit reached. Your limit will reset at 3pm (America/Bogota)."}}),
            Some(limit("at 3pm (America/Bogota)")),
        ),
        (
            json!({"type": "assistant", "isApiErrorMessage": true, "message": {"content": "5-hour limit reached ∙ resets 3pm\n/upgrade to increase your limit."}}),
            Some(limit("3pm")),
        ),
        (
            json!({"type": "assistant", "isApiErrorMessage": true, "apiErrorStatus": 429, "message": {"content": "API Error"}}),
            Some(limit("")),
        ),
        (
            error("invalid_request", 400, "Prompt is too long"),
            Some(Exhaustion::Context),
        ),
        (
            error(
                "unknown",
                400,
                "API Error: 400 input length and `max_tokens` exceed context limit: 197000 + 21333 > 200000",
            ),
            Some(Exhaustion::Context),
        ),
        (
            error(
                "unknown",
                0,
                "Context limit reached · /compact or /clear to continue",
            ),
            Some(Exhaustion::Context),
        ),
        (
            retry(
                json!({"status": 429, "error": {"type": "error", "error": {"type": "rate_limit_error", "message": "This request would exceed your account's rate limit. Please try again later."}}}),
            ),
            Some(limit("")),
        ),
        (
            retry(
                json!({"status": 400, "error": {"type": "error", "error": {"type": "invalid_request_error", "message": "prompt is too long: 205004 tokens > 200000 maximum"}}}),
            ),
            Some(Exhaustion::Context),
        ),
        (
            json!({"type": "assistant", "message": {"content": [{"type": "text", "text": "And then"}], "stop_reason": "model_context_window_exceeded"}}),
            Some(Exhaustion::Context),
        ),
    ] {
        assert_eq!(found(std::slice::from_ref(&record)), expected, "{record}");
    }
}

#[test]
fn nothing_else_is() {
    for record in [
        answer("The API has a rate limit, and the prompt is too long: 429."),
        answer("You've hit your session limit · resets 9pm"),
        json!({"type": "user", "message": {"content": "Prompt is too long. usage limit reached"}}),
        json!({"type": "user", "toolUseResult": "Error: 429 rate_limit_error", "message": {"content": [{"type": "tool_result", "is_error": true, "content": "rate_limit_error: 429 Too Many Requests"}]}}),
        json!({"type": "system", "subtype": "informational", "content": "rate limit reached"}),
        json!({"type": "attachment", "attachment": {"stderr": "rate limit reached"}}),
        error(
            "overloaded",
            529,
            "API Error: 529 Overloaded. This is not a usage limit.",
        ),
        error("server_error", 500, "API Error: 500 Internal server error"),
        error(
            "authentication_failed",
            401,
            "Please run /login · API Error: 401",
        ),
        error(
            "max_output_tokens",
            200,
            "API Error: the response exceeded the 32000 output token maximum",
        ),
        error("billing_error", 400, "Credit balance is too low"),
        retry(json!({"status": 529, "message": "overloaded"})),
        retry(json!({"cause": {"code": "FailedToOpenSocket"}})),
        retry(json!(null)),
        json!({"type": "assistant", "isApiErrorMessage": "yes", "error": "rate_limit"}),
        json!({"type": "assistant", "isSidechain": true, "isApiErrorMessage": true, "error": "rate_limit"}),
        json!("rate_limit"),
    ] {
        assert_eq!(found(std::slice::from_ref(&record)), None, "{record}");
    }
    assert_eq!(
        in_transcript(&[b"{\"type\":\"assist", b"rate limit reached"]),
        None
    );
}

#[test]
fn an_error_is_over_when_the_model_answers_again() {
    let limited = error("rate_limit", 429, "API Error: Rate limit reached");
    let turn_end = json!({"type": "system", "subtype": "turn_duration"});
    let boundary = json!({"type": "system", "subtype": "compact_boundary"});
    let context = error("invalid_request", 400, "Prompt is too long");
    for (row, records, expected) in [
        ("last", vec![answer("Hm"), limited.clone()], Some(limit(""))),
        (
            "the turn ended",
            vec![limited.clone(), turn_end.clone()],
            Some(limit("")),
        ),
        (
            "prompted again",
            vec![
                limited.clone(),
                json!({"type": "user", "message": {"content": "go on"}}),
            ],
            Some(limit("")),
        ),
        (
            "answered again",
            vec![limited.clone(), answer("Now it works"), turn_end],
            None,
        ),
        ("compacted", vec![context.clone(), boundary], None),
        (
            "the later one counts",
            vec![limited.clone(), context],
            Some(Exhaustion::Context),
        ),
    ] {
        assert_eq!(found(&records), expected, "{row}");
    }
    let mut many = vec![limited];
    let other = json!({"type": "system", "subtype": "informational"});
    many.resize(LAST_LINES, other.clone());
    assert_eq!(found(&many), Some(limit("")));
    many.push(other);
    assert_eq!(found(&many), None);
}

#[test]
fn a_failed_turn_says_why() {
    for (payload, expected) in [
        (
            json!({"error": "rate_limit", "error_details": "429 Too Many Requests", "last_assistant_message": "API Error: Rate limit reached"}),
            Some(limit("")),
        ),
        (
            json!({"error": "rate_limit", "last_assistant_message": "You've hit your limit · resets 4:50am (Europe/Rome)"}),
            Some(limit("4:50am (Europe/Rome)")),
        ),
        (
            json!({"error": "invalid_request", "last_assistant_message": "Prompt is too long"}),
            Some(Exhaustion::Context),
        ),
        (
            json!({"error": "unknown", "error_details": "context_length_exceeded"}),
            Some(Exhaustion::Context),
        ),
        (
            json!({"error": "unknown", "last_assistant_message": "API Error: 400 scripted bad request"}),
            None,
        ),
        // The model's own words.
        (
            json!({"error": "server_error", "last_assistant_message": "I have added a rate limit. Prompt is too long is now an error."}),
            None,
        ),
        (
            json!({"error": "overloaded", "last_assistant_message": "API Error: Overloaded, not a rate limit"}),
            None,
        ),
        (json!({}), None),
        (json!({"error": 5, "last_assistant_message": []}), None),
    ] {
        assert_eq!(in_stop_failure(&payload), expected, "{payload}");
    }
}

#[test]
fn it_is_told_in_plain_words() {
    for (exhaustion, expected) in [
        (
            Exhaustion::Context,
            "stopped because its context window is full",
        ),
        (
            Exhaustion::RateLimit { resets: None },
            "stopped by a rate limit",
        ),
        (
            Exhaustion::RateLimit {
                resets: Some("at 3pm".into()),
            },
            "stopped by a rate limit, which resets at 3pm",
        ),
    ] {
        assert_eq!(exhaustion.to_string(), expected);
    }
}
