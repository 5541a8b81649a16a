//! Recognises that an agent stopped because it may send no more, or because its context window is full.

use std::fmt;

use chrono::DateTime;
use serde_json::Value;

use crate::text::{beginning, one_line};
use crate::transcript::{Chain, text_of};

/// Only the last records of a transcript are looked at.
pub const LAST_LINES: usize = 50;

/// Why an agent cannot go on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Exhaustion {
    /// It has sent too much for now.
    RateLimit {
        /// When it may go on, in the words of the error.
        resets: Option<String>,
    },
    /// Its context window is full.
    Context,
}

impl fmt::Display for Exhaustion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::RateLimit { resets: None } => f.write_str("stopped by a rate limit"),
            Self::RateLimit {
                resets: Some(resets),
            } => write!(f, "stopped by a rate limit, which resets {resets}"),
            Self::Context => f.write_str("stopped because its context window is full"),
        }
    }
}

/// What the end of a transcript says. Only errors count; people and models may write about limits as they like. An error after which
/// the model answered again is over.
pub fn in_transcript(lines: &[&[u8]]) -> Option<Exhaustion> {
    for line in lines.iter().rev().take(LAST_LINES) {
        let Ok(record) = serde_json::from_slice::<Value>(line) else {
            continue;
        };
        if Chain::of(&record) == Chain::Side {
            continue;
        }
        match look(&record) {
            Look::Found(found) => return Some(found),
            Look::WentOn => return None,
            Look::Nothing => {}
        }
    }
    None
}

/// What the payload of a `StopFailure` says.
pub fn in_stop_failure(payload: &Value) -> Option<Exhaustion> {
    let text = |key: &str| payload.get(key).and_then(Value::as_str).unwrap_or_default();
    let last = text("last_assistant_message");
    // It usually holds the error as the user sees it, but it may be the model's own words.
    let said = if reads_like_an_error(last) { last } else { "" };
    let error = payload.get("error").unwrap_or(&Value::Null);
    Failure::of(error, None, &format!("{}\n{said}", text("error_details"))).exhaustion()
}

/// What one record means.
enum Look {
    Found(Exhaustion),
    WentOn,
    Nothing,
}

fn look(record: &Value) -> Look {
    let kind = |key: &str| record.get(key).and_then(Value::as_str);
    let error = record.get("error").unwrap_or(&Value::Null);
    let failure = match (kind("type"), kind("subtype")) {
        (Some("assistant"), _) if is(record, "isApiErrorMessage") => {
            let status = record.get("apiErrorStatus").and_then(Value::as_u64);
            Failure::of(error, status, &words(record.pointer("/message/content")))
        }
        (Some("assistant"), _) => {
            let reason = record.pointer("/message/stop_reason");
            return match reason.and_then(Value::as_str) {
                Some("model_context_window_exceeded") => Look::Found(Exhaustion::Context),
                _ => Look::WentOn,
            };
        }
        (Some("system"), Some("api_error")) => {
            Failure::of(error, None, &words(record.get("content")))
        }
        // The client could send the conversation to summarise it, and it is small again.
        (Some("system"), Some("compact_boundary")) => return Look::WentOn,
        _ => return Look::Nothing,
    };
    failure.exhaustion().map_or(Look::Nothing, Look::Found)
}

/// What is known of an error.
struct Failure {
    code: Option<String>,
    status: Option<u64>,
    text: String,
}

impl Failure {
    /// `error` is a word, or what the API sent: an object that may hold another one.
    fn of(error: &Value, status: Option<u64>, text: &str) -> Self {
        let mut failure = Self {
            code: error.as_str().map(str::to_owned),
            status,
            text: beginning(text, 4000).to_owned(),
        };
        let mut level = Some(error);
        // The innermost one says most.
        for _ in 0..4 {
            let Some(object) = level.and_then(Value::as_object) else {
                break;
            };
            if let Some(status) = object.get("status").and_then(Value::as_u64) {
                failure.status = Some(status);
            }
            if let Some(code) = object.get("type").and_then(Value::as_str) {
                failure.code = Some(code.to_owned());
            }
            if let Some(message) = object.get("message").and_then(Value::as_str) {
                failure.text.push('\n');
                failure.text.push_str(beginning(message, 4000));
            }
            level = object.get("error");
        }
        failure
    }

    fn exhaustion(&self) -> Option<Exhaustion> {
        let text = self.text.to_lowercase();
        if CONTEXT.iter().any(|phrase| text.contains(phrase)) {
            return Some(Exhaustion::Context);
        }
        let limited = match self.code.as_deref() {
            Some("rate_limit" | "rate_limit_error") => true,
            // These have causes of their own, whatever else their texts say.
            Some(
                "overloaded"
                | "overloaded_error"
                | "authentication_failed"
                | "authentication_error"
                | "oauth_org_not_allowed"
                | "billing_error"
                | "model_not_found"
                | "max_output_tokens"
                | "account_on_hold"
                | "verification_required"
                | "cloud_credential_error",
            ) => false,
            _ => self.status == Some(429) || LIMIT.iter().any(|phrase| text.contains(phrase)),
        };
        limited.then(|| Exhaustion::RateLimit {
            resets: resets(&self.text),
        })
    }
}

/// How errors say that the window is full, in lower case.
const CONTEXT: &[&str] = &[
    "prompt is too long",
    "prompt too long",
    "context limit reached",
    "exceed context limit",
    "conversation too long",
    "conversation is too long",
    "context_length_exceeded",
    "context window exceeded",
    "exceeds the context window",
    "maximum context length",
    "model_context_window_exceeded",
];

/// How errors say that too much was sent, in lower case.
const LIMIT: &[&str] = &[
    "rate limit",
    "rate_limit",
    "usage limit",
    "session limit",
    "weekly limit",
    "hit your limit",
    "limit reached",
    "too many requests",
    "exceeded your current quota",
];

/// How clients begin what they say in place of an answer, in lower case.
const OPENINGS: &[&str] = &[
    "api error",
    "claude ai usage limit",
    "claude usage limit",
    "you've hit your",
    "you’ve hit your",
    "prompt is too long",
    "context limit reached",
    "conversation too long",
    "rate limit",
    "error:",
    "5-hour limit reached",
    "weekly limit reached",
    "opus weekly limit reached",
    "session limit reached",
];

fn reads_like_an_error(text: &str) -> bool {
    let text = beginning(text.trim_start(), 100).to_lowercase();
    OPENINGS.iter().any(|opening| text.starts_with(opening))
}

/// When the limit ends, as the error says it: `resets 9:50pm (Asia/Saigon)`, `will reset at 3pm`, `limit reached|1762952400`,
/// `Retry in 156s`.
fn resets(text: &str) -> Option<String> {
    if let Some((_, number)) = text.split_once("limit reached|") {
        let digits: String = number.chars().take_while(char::is_ascii_digit).collect();
        let time = DateTime::from_timestamp(digits.parse().ok()?, 0)?;
        return Some(format!("at {}", time.format("%Y-%m-%d %H:%M UTC")));
    }
    // ASCII case only: the positions must be those of the text itself.
    let lower = text.to_ascii_lowercase();
    let after = |marker: &str| Some(lower.find(marker)? + marker.len());
    let (word, from) = None
        .or_else(|| Some(("at ", after("reset at ")?)))
        .or_else(|| Some(("", after("resets ")?)))
        .or_else(|| Some(("in ", after("retry in ")?)))
        .or_else(|| Some(("in ", after("try again in ")?)))?;
    let rest = text.get(from..)?.lines().next()?;
    let end = rest.find(". ").unwrap_or(rest.len());
    let said = one_line(rest.get(..end)?.trim_end_matches(['.', ' ']), 60);
    (!said.is_empty()).then(|| format!("{word}{said}"))
}

fn words(content: Option<&Value>) -> String {
    match content {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(blocks)) => text_of(blocks),
        _ => String::new(),
    }
}

fn is(record: &Value, key: &str) -> bool {
    record.get(key).and_then(Value::as_bool) == Some(true)
}

#[cfg(test)]
mod tests;
