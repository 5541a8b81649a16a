//! Takes secrets out of JSON before it is stored, logged or shown. What a tool runs with is never touched.

use bowline_guard::secrets::{Finding, is_sensitive_key, redact, scan};
use serde_json::{Map, Value};

/// What stands in the place of a value that its name declares secret.
pub const REDACTED: &str = "[REDACTED]";

/// How the stand-in for a secret within a text begins.
const MARK: &str = "[REDACTED:";

/// Values nested deeper are left out: nothing that an agent sends is.
const MAX_DEPTH: usize = 128;
/// Longer strings are cut when they are kept.
const MAX_CHARACTERS: usize = 10_000;
/// More values than this are not kept.
const MAX_VALUES: usize = 100_000;
/// All strings of a value together are kept up to so many bytes.
const MAX_BYTES: usize = 4 * 1024 * 1024;
/// A list is read as a command line if it is no longer than one.
const MAX_ARGUMENTS: usize = 4096;

const TOO_DEEP: &str = "[left out: nested too deeply]";
const TOO_MUCH: &str = "[left out: too much in one value]";

/// The fields that name what stands beside them, as in `{"name": "Authorization", "value": "…"}`.
const NAMING_FIELDS: &[&str] = &["name", "key", "header", "field", "variable", "Name", "Key"];
const NAMED_FIELDS: &[&str] = &["value", "values", "content", "default", "Value", "Values"];

/// The value as it may be kept: without secrets, and no larger than anybody reads.
///
/// What stands under a name that sounds secret becomes `[REDACTED]`, at any depth; every other string loses the secrets
/// in it and is cut after 10 000 characters, saying how many were left out.
///
/// ```
/// use bowline_builtins::sanitise;
/// use serde_json::json;
///
/// let input = json!({"command": "deploy", "options": {"api_key": "s", "max_tokens": 5}});
/// assert_eq!(
///     sanitise(&input),
///     json!({"command": "deploy", "options": {"api_key": "[REDACTED]", "max_tokens": 5}}),
/// );
/// ```
pub fn sanitise(value: &Value) -> Value {
    Sanitiser {
        characters: MAX_CHARACTERS,
        values: MAX_VALUES,
        bytes: MAX_BYTES,
    }
    .value(value, MAX_DEPTH)
}

/// The value without secrets, in full: for those who look at it now.
pub fn mask(value: &Value) -> Value {
    Sanitiser {
        characters: usize::MAX,
        values: usize::MAX,
        bytes: usize::MAX,
    }
    .value(value, MAX_DEPTH)
}

/// What may still be kept.
struct Sanitiser {
    /// Of one string.
    characters: usize,
    values: usize,
    bytes: usize,
}

impl Sanitiser {
    fn value(&mut self, value: &Value, depth: usize) -> Value {
        let Some(values) = self.values.checked_sub(1) else {
            return TOO_MUCH.into();
        };
        self.values = values;
        match value {
            Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
            Value::String(text) => self.text(&redact(text)).into(),
            Value::Array(_) | Value::Object(_) if depth == 0 => TOO_DEEP.into(),
            Value::Array(items) => Value::Array(self.list(items, depth - 1)),
            Value::Object(fields) => Value::Object(self.object(fields, depth - 1)),
        }
    }

    fn object(&mut self, fields: &Map<String, Value>, depth: usize) -> Map<String, Value> {
        let names_a_secret = NAMING_FIELDS.iter().any(|naming| {
            let name = fields.get(*naming).and_then(Value::as_str);
            name.is_some_and(is_sensitive_key)
        });
        let mut kept = Map::new();
        for (name, value) in fields {
            if self.values == 0 {
                kept.insert(TOO_MUCH.to_owned(), (fields.len() - kept.len()).into());
                break;
            }
            let named = names_a_secret && NAMED_FIELDS.contains(&name.as_str());
            let value = if named || sounds_secret(name) {
                hidden(value)
            } else {
                self.value(value, depth)
            };
            let name = self.text(&redact(name));
            kept.insert(unused(name, &kept), value);
        }
        kept
    }

    fn list(&mut self, items: &[Value], depth: usize) -> Vec<Value> {
        if let [Value::String(name), value] = items
            && is_sensitive_key(name)
        {
            // `["Authorization", "Bearer …"]`, as some write their headers.
            return vec![self.text(name).into(), hidden(value)];
        }
        let line = arguments(items);
        let mut kept = Vec::new();
        for (index, item) in items.iter().enumerate() {
            if self.values == 0 {
                kept.push(TOO_MUCH.into());
                break;
            }
            let argument = line.as_ref().and_then(|line| line.get(index));
            kept.push(match argument {
                Some(argument) => self.value(&Value::String(argument.clone()), depth),
                None => self.value(item, depth),
            });
        }
        kept
    }

    /// A text that holds no secrets any more, as much of it as may be kept.
    fn text(&mut self, text: &str) -> String {
        let end = text
            .char_indices()
            .nth(self.characters)
            .map_or(text.len(), |(end, _)| end);
        let end = text.floor_char_boundary(end.min(self.bytes));
        let kept = text.get(..end).unwrap_or_default();
        self.bytes -= kept.len();
        match text.get(end..).map_or(0, |rest| rest.chars().count()) {
            0 => kept.to_owned(),
            more => format!("{kept}… [{more} more characters left out]"),
        }
    }
}

/// Whether a field's name says that its value is secret. A name that was a secret itself says nothing any more.
fn sounds_secret(name: &str) -> bool {
    !name.starts_with(MARK) && is_sensitive_key(name)
}

/// What is shown of a value that its name declares secret. Whether there is one at all is no secret.
fn hidden(value: &Value) -> Value {
    match value {
        Value::Null | Value::Bool(_) => value.clone(),
        Value::Number(_) | Value::String(_) | Value::Array(_) | Value::Object(_) => REDACTED.into(),
    }
}

/// A name that is not taken: two names may be the same once their secrets are gone.
fn unused(name: String, taken: &Map<String, Value>) -> String {
    if !taken.contains_key(&name) {
        return name;
    }
    (2..=taken.len() + 2)
        .map(|number| format!("{name} ({number})"))
        .find(|candidate| !taken.contains_key(candidate))
        .unwrap_or(name)
}

/// The texts of a list without the secrets that only their neighbours tell: `["-u", "name:password"]`.
fn arguments(items: &[Value]) -> Option<Vec<String>> {
    if items.len() > MAX_ARGUMENTS {
        return None;
    }
    let texts: Vec<&str> = items.iter().map(Value::as_str).collect::<Option<_>>()?;
    let line = texts.join(" ");
    let findings = scan(&line);
    let mut start = 0;
    let masked = texts.iter().map(|text| {
        let masked = without(text, start, &findings);
        start += text.len() + 1;
        masked
    });
    Some(masked.collect())
}

/// The text that begins at `start` of a line, without what was found in the line.
fn without(text: &str, start: usize, findings: &[Finding]) -> String {
    let end = start + text.len();
    let mut masked = String::with_capacity(text.len());
    let mut kept = 0;
    for finding in findings {
        if finding.span.end <= start || finding.span.start >= end {
            continue;
        }
        let from = finding.span.start.saturating_sub(start).max(kept);
        masked.push_str(text.get(kept..from).unwrap_or_default());
        masked.push_str(MARK);
        masked.push_str(finding.rule);
        masked.push(']');
        kept = finding.span.end.min(end) - start;
    }
    masked.push_str(text.get(kept..).unwrap_or_default());
    masked
}
