//! The JSON envelope: what agents send on stdin, and what hooks get.

mod decode;
mod encode;
mod names;

use bowline_agents::kind_of;
use serde_json::Value;

use crate::event::HookEvent;

/// The largest payload that is read, in bytes.
pub const MAX_PAYLOAD_BYTES: usize = 64 * 1024 * 1024;

/// How deeply the objects and lists of a payload may be nested.
pub const MAX_PAYLOAD_DEPTH: usize = 127;

/// Why a payload was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PayloadError {
    /// Fields that it must have are absent, or not of their type.
    #[error("the payload lacks {}", .missing.join(", "))]
    Missing {
        /// The missing fields.
        missing: Vec<&'static str>,
    },
    /// It is larger than [`MAX_PAYLOAD_BYTES`].
    #[error("the payload has {bytes} bytes; at most {MAX_PAYLOAD_BYTES} are read")]
    TooLarge {
        /// Its size.
        bytes: usize,
    },
    /// It is not text.
    #[error("the payload is not UTF-8: byte {offset} is not part of a character")]
    NotUtf8 {
        /// Where the text breaks off.
        offset: usize,
    },
    /// It is nested more deeply than [`MAX_PAYLOAD_DEPTH`].
    #[error("the payload is nested more than {MAX_PAYLOAD_DEPTH} levels deep")]
    TooDeep,
    /// It is not JSON.
    #[error("the payload is not JSON: {reason}")]
    NotJson {
        /// What the parser met, and where.
        reason: String,
    },
    /// It is JSON, but not an object.
    #[error("the payload is {found}; expected one JSON object")]
    NotAnObject {
        /// What it is.
        found: &'static str,
    },
}

/// Parses what an agent wrote on stdin: one JSON object in UTF-8, with or without a byte order mark.
pub fn parse_payload(bytes: &[u8]) -> Result<Value, PayloadError> {
    if bytes.len() > MAX_PAYLOAD_BYTES {
        return Err(PayloadError::TooLarge { bytes: bytes.len() });
    }
    let text = std::str::from_utf8(bytes).map_err(|error| PayloadError::NotUtf8 {
        offset: error.valid_up_to(),
    })?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text).trim();
    if text.is_empty() {
        return Err(PayloadError::NotJson {
            reason: "it is empty".to_owned(),
        });
    }
    match serde_json::from_str(text) {
        Ok(object @ Value::Object(_)) => Ok(object),
        Ok(other) => Err(PayloadError::NotAnObject {
            found: kind_of(&other),
        }),
        Err(_) if nesting(text) > MAX_PAYLOAD_DEPTH => Err(PayloadError::TooDeep),
        Err(error) => Err(PayloadError::NotJson {
            reason: error.to_string(),
        }),
    }
}

/// The name of the event that a payload reports, even if it is unknown.
pub fn event_named(payload: &Value) -> Option<&str> {
    let text = |field: &str| payload.get(field)?.as_str();
    let other = |field: &str| text(field).filter(|name| HookEvent::from_name(name).is_some());
    text("hook_event_name")
        .or_else(|| text("hookEventName"))
        .or_else(|| names::OTHER_EVENT_NAMES.into_iter().find_map(other))
}

/// The deepest nesting of brackets outside strings, whether or not the text is valid.
fn nesting(text: &str) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    let (mut quoted, mut escaped) = (false, false);
    for byte in text.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b'{' | b'[' if !quoted => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b'}' | b']' if !quoted => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nested(depth: usize) -> String {
        format!("{}1{}", "{\"a\":".repeat(depth), "}".repeat(depth))
    }

    #[test]
    fn what_is_not_a_payload_is_refused_with_its_reason() {
        let huge = vec![b' '; MAX_PAYLOAD_BYTES + 1];
        let deep = nested(MAX_PAYLOAD_DEPTH + 1);
        let very_deep = "[".repeat(1_000_000);
        for (bytes, expected) in [
            (
                &b"{\"a\":\"\xff\"}"[..],
                "the payload is not UTF-8: byte 6 is not part of a character",
            ),
            (
                &huge,
                "the payload has 67108865 bytes; at most 67108864 are read",
            ),
            (
                deep.as_bytes(),
                "the payload is nested more than 127 levels deep",
            ),
            (
                very_deep.as_bytes(),
                "the payload is nested more than 127 levels deep",
            ),
            (b"", "the payload is not JSON: it is empty"),
            (b" \n", "the payload is not JSON: it is empty"),
            (b"[]", "the payload is a list; expected one JSON object"),
            (
                b"\"x\"",
                "the payload is a string; expected one JSON object",
            ),
        ] {
            let error = parse_payload(bytes).unwrap_err();
            assert_eq!(error.to_string(), expected);
        }
        let error = parse_payload(b"{\"a\":").unwrap_err();
        assert!(matches!(error, PayloadError::NotJson { .. }), "{error}");
        let error = parse_payload(b"{} trailing").unwrap_err();
        assert!(matches!(error, PayloadError::NotJson { .. }), "{error}");
    }

    #[test]
    fn a_byte_order_mark_blanks_and_the_deepest_nesting_are_read() {
        for text in ["\u{feff}{\"a\":1}\n", "  {\"a\":1}  "] {
            assert_eq!(
                parse_payload(text.as_bytes()).unwrap(),
                serde_json::json!({"a": 1})
            );
        }
        parse_payload(nested(MAX_PAYLOAD_DEPTH).as_bytes()).unwrap();
    }

    #[test]
    fn brackets_in_strings_are_not_nesting() {
        assert_eq!(nesting(r#"{"a":"[[[[\"[[","b":[]}"#), 2);
    }
}
