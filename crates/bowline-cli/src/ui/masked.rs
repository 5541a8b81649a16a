//! Redacts secrets in output. It never changes what is run, compared or recorded.

use bowline_builtins::{REDACTED, mask};
use bowline_guard::secrets::{is_sensitive_key, redact, scan};
use serde_json::{Map, Value};

/// The words that may stand before the credentials of a header.
const SCHEMES: &[&str] = &["basic", "bearer", "token", "apikey"];

/// A document without the secrets in its strings. Names of fields are ours and say nothing about their values.
pub(super) fn strings(value: Value) -> Value {
    match value {
        Value::String(text) => redact(&text).into_owned().into(),
        Value::Array(items) => Value::Array(items.into_iter().map(strings).collect()),
        Value::Object(fields) => Value::Object(
            fields
                .into_iter()
                .map(|(name, value)| (redact(&name).into_owned(), strings(value)))
                .collect(),
        ),
        other => other,
    }
}

/// Fields named by others, whose name says whether the value is secret.
pub(crate) fn fields(fields: &Map<String, Value>) -> Map<String, Value> {
    match mask(&Value::Object(fields.clone())) {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}

/// A text that may be JSON, which is then masked by the names in it.
pub(crate) fn output(text: &str) -> String {
    let document = serde_json::from_str::<Value>(text).ok();
    match document.filter(|it| it.is_object() || it.is_array()) {
        Some(document) => {
            let masked = mask(&document);
            if masked == document {
                text.to_owned()
            } else {
                masked.to_string()
            }
        }
        None => redact(text).into_owned(),
    }
}

/// The value of a variable or a header. That it is taken from a variable is no secret.
pub(crate) fn named(name: &str, value: &str) -> String {
    if is_sensitive_key(name) && !is_reference(value) {
        return REDACTED.to_owned();
    }
    redact(value).into_owned()
}

/// `$TOKEN`, `Bearer ${TOKEN}`.
fn is_reference(value: &str) -> bool {
    let value = match value.trim().split_once(' ') {
        Some((scheme, rest)) if SCHEMES.contains(&scheme.to_ascii_lowercase().as_str()) => rest,
        _ => value,
    };
    let name = value.trim().strip_prefix('$').map(|rest| {
        rest.strip_prefix('{')
            .and_then(|rest| rest.strip_suffix('}'))
            .unwrap_or(rest)
    });
    name.is_some_and(|name| {
        !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    })
}

/// The text with stars instead of its secrets. Its length stays the same, so that positions stay valid.
pub(super) fn in_place(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut kept = 0;
    for finding in scan(text) {
        shown.push_str(text.get(kept..finding.span.start).unwrap_or_default());
        // Line breaks stay where they are.
        for part in text
            .get(finding.span.clone())
            .unwrap_or_default()
            .split_inclusive('\n')
        {
            let stars = part.trim_end_matches('\n').len();
            shown.extend(std::iter::repeat_n('*', stars));
            shown.push_str(part.get(stars..).unwrap_or_default());
        }
        kept = finding.span.end;
    }
    shown.push_str(text.get(kept..).unwrap_or_default());
    shown
}

#[cfg(test)]
mod tests {
    use super::*;
    use bowline_guard::secrets::expand;

    #[test]
    fn only_the_secret_part_of_a_named_value_is_hidden() {
        for (name, value, expected) in [
            ("Authorization", "Bearer abc", "[REDACTED]"),
            ("Authorization", "Bearer $TOKEN", "Bearer $TOKEN"),
            ("API_KEY", "${KEY}", "${KEY}"),
            ("API_KEY", "pa$$word", "[REDACTED]"),
            ("API_KEY", "$", "[REDACTED]"),
            ("MODE", "fast", "fast"),
            (
                "PROXY",
                "http://ci:S3cr3t-pw9@proxy.test",
                "http://ci:[REDACTED:url-password]@proxy.test",
            ),
        ] {
            assert_eq!(named(name, value), expected, "{name}: {value}");
        }
    }

    #[test]
    fn stars_keep_every_position() {
        let text = expand(
            "a = 1\ntoken = 'ghp_{a36}'\n-----BEGIN RSA PRIVATE KEY-----\n{a64}\n{a64}\n-----END RSA PRIVATE KEY-----\nb",
        );
        let shown = in_place(&text);
        assert_eq!(shown.len(), text.len());
        assert!(
            !shown.contains("ghp_") && shown.ends_with("KEY-----\nb"),
            "{shown}"
        );
        assert_eq!(shown.matches('\n').count(), text.matches('\n').count());
    }

    #[test]
    fn output_is_masked_by_its_names_and_stays_otherwise() {
        for (text, expected) in [
            ("{ \"a\": 1 }", "{ \"a\": 1 }"),
            (
                "{\"input\": {\"api_key\": \"s\"}}",
                "{\"input\":{\"api_key\":\"[REDACTED]\"}}",
            ),
            ("not JSON", "not JSON"),
        ] {
            assert_eq!(output(text), expected);
        }
    }
}
