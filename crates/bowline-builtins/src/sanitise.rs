//! Takes secrets out of JSON before it is stored, logged or shown. What a tool runs with is never touched.

use std::borrow::Cow;

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
/// All strings of a value together are looked at up to this many bytes: an agent waits meanwhile.
const MAX_BYTES: usize = 1024 * 1024;
/// A list is read as a command line if it is no longer than one.
const MAX_ARGUMENTS: usize = 4096;
/// Upper bound for the length of a secret. This many bytes are scanned past the cut-off, so that none is cut in two before it
/// is found.
const MAX_SECRET: usize = 64 * 1024;

const TOO_DEEP: &str = "[left out: nested too deeply]";
const TOO_MUCH: &str = "[left out: too much in one value]";

/// The fields that name what stands beside them, as in `{"name": "Authorization", "value": "…"}`.
const NAMING_FIELDS: &[&str] = &["name", "key", "header", "field", "variable", "Name", "Key"];
const NAMED_FIELDS: &[&str] = &["value", "values", "content", "default", "Value", "Values"];

/// The value as it may be kept: without secrets, and of limited size.
///
/// What stands under a name that sounds secret becomes `[REDACTED]`, at any depth; every other string loses the secrets
/// in it and is cut after 10 000 characters, saying how many were left out. After the first megabyte of strings the others
/// are left out.
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
        name_bytes: MAX_BYTES,
    }
    .value(value, MAX_DEPTH)
}

/// The value without secrets, in full: for those who look at it now.
pub fn mask(value: &Value) -> Value {
    Sanitiser {
        characters: usize::MAX,
        values: usize::MAX,
        bytes: usize::MAX,
        name_bytes: usize::MAX,
    }
    .value(value, MAX_DEPTH)
}

/// The beginning of a text without secrets.
pub(crate) struct Beginning<'t> {
    /// Without secrets; not cut to the length that was wanted.
    pub(crate) clean: Cow<'t, str>,
    /// What of the text was not looked at, or may hold a part of a secret.
    pub(crate) rest: &'t str,
}

/// Takes the secrets out of as much of a text as is needed to keep this many characters, looking at no more than this many
/// bytes.
pub(crate) fn beginning(text: &str, characters: usize, bytes: usize) -> Beginning<'_> {
    let window = characters
        .saturating_mul(4)
        .saturating_add(MAX_SECRET)
        .min(bytes);
    if text.len() <= window {
        return Beginning {
            clean: redact(text),
            rest: "",
        };
    }
    let (looked_at, _) = text.split_at(text.floor_char_boundary(window));
    // A text that begins later may continue behind the window, where a secret would not be recognised.
    let safe = looked_at.floor_char_boundary(looked_at.len().saturating_sub(MAX_SECRET));
    let findings = scan(looked_at);
    let across = findings
        .iter()
        .find(|finding| finding.span.start < safe && safe < finding.span.end);
    let end = across.map_or(safe, |finding| finding.span.start);
    let (kept, rest) = text.split_at(text.floor_char_boundary(end));
    let clean = without(kept, 0, &findings);
    Beginning {
        clean: Cow::Owned(redact(&clean).into_owned()),
        rest,
    }
}

/// What may still be kept.
struct Sanitiser {
    /// Of one string.
    characters: usize,
    values: usize,
    /// May still be looked at, of all strings.
    bytes: usize,
    /// And of all names, which a large value must not take away.
    name_bytes: usize,
}

impl Sanitiser {
    fn value(&mut self, value: &Value, depth: usize) -> Value {
        let Some(values) = self.values.checked_sub(1) else {
            return TOO_MUCH.into();
        };
        self.values = values;
        match value {
            Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
            Value::String(text) => self.text(text).into(),
            Value::Array(_) | Value::Object(_) if depth == 0 => TOO_DEEP.into(),
            Value::Array(items) => Value::Array(self.list(items, depth - 1)),
            Value::Object(fields) => Value::Object(self.object(fields, depth - 1)),
        }
    }

    fn object(&mut self, fields: &Map<String, Value>, depth: usize) -> Map<String, Value> {
        let names_a_secret = fields.iter().any(|(naming, name)| {
            NAMING_FIELDS.contains(&naming.as_str()) && name.as_str().is_some_and(is_sensitive_key)
        });
        let mut kept = Map::new();
        for (name, value) in fields {
            if self.values == 0 {
                kept.insert(TOO_MUCH.to_owned(), (fields.len() - kept.len()).into());
                break;
            }
            let named = names_a_secret && NAMED_FIELDS.contains(&name.as_str());
            let value = if named || sounds_secret(name) || may_be_secret(name, value, fields) {
                hidden(value)
            } else {
                self.value(value, depth)
            };
            let name = within(name, self.characters, &mut self.name_bytes);
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
        let line = arguments(items, self.bytes);
        let mut kept = Vec::new();
        for (index, item) in items.iter().enumerate() {
            let argument = line.as_ref().map(|line| line.get(index));
            if self.values == 0 || argument == Some(None) {
                kept.push(TOO_MUCH.into());
                break;
            }
            kept.push(match argument.flatten() {
                Some(Some(argument)) => self.value(&Value::String(argument.clone()), depth),
                Some(None) | None => self.value(item, depth),
            });
        }
        kept
    }

    fn text(&mut self, text: &str) -> String {
        within(text, self.characters, &mut self.bytes)
    }
}

/// A text without its secrets, as much of it as may be kept; `bytes` may still be looked at.
fn within(text: &str, characters: usize, bytes: &mut usize) -> String {
    let Beginning { clean, rest } = beginning(text, characters, *bytes);
    let looked_at = text.len().min(MAX_SECRET + text.len() - rest.len());
    *bytes = bytes.saturating_sub(looked_at);
    let end = clean
        .char_indices()
        .nth(characters)
        .map_or(clean.len(), |(end, _)| end);
    let (kept, cut) = clean.split_at(end);
    match (kept, cut.chars().count() + rest.chars().count()) {
        (kept, 0) => kept.to_owned(),
        ("", more) => format!("[{more} characters left out]"),
        (kept, more) => format!("{kept}… [{more} more characters left out]"),
    }
}

/// Whether a field's name says that its value is secret. A name that was a secret itself says nothing any more.
fn sounds_secret(name: &str) -> bool {
    !name.starts_with(MARK) && is_sensitive_key(name)
}

/// Whether a text stands under a name that is as good as secret: `key` and `tokens` hold secrets, but also numbers of things, and the
/// name of what stands beside it.
fn may_be_secret(name: &str, value: &Value, fields: &Map<String, Value>) -> bool {
    let holds = |name: &str| ["key", "keys", "tokens"].contains(&name);
    let has_text = match value {
        Value::String(_) => true,
        Value::Array(items) => items.iter().any(Value::is_string),
        _ => false,
    };
    let names_another = || NAMED_FIELDS.iter().any(|field| fields.contains_key(*field));
    has_text && holds(&name.to_ascii_lowercase()) && !names_another()
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

/// The texts of a list without secrets that only their neighbours reveal: `["-u", "name:password"]`; `None` for a text that is too
/// long. At most this many bytes.
fn arguments(items: &[Value], bytes: usize) -> Option<Vec<Option<String>>> {
    if items.len() > MAX_ARGUMENTS {
        return None;
    }
    let texts: Vec<&str> = items.iter().map(Value::as_str).collect::<Option<_>>()?;
    let mut line = String::new();
    let mut places = Vec::with_capacity(texts.len());
    for text in texts {
        let short = text.len() <= MAX_SECRET || bytes == usize::MAX;
        let argument = if short { text } else { "" };
        if line.len() + argument.len() > bytes {
            break;
        }
        places.push(short.then_some((line.len(), text)));
        line.push_str(argument);
        line.push(' ');
    }
    let findings = scan(&line);
    let masked = places
        .into_iter()
        .map(|place| place.map(|(start, text)| without(text, start, &findings)));
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
