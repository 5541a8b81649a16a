//! The tree that every syntax is read into. Each node and key knows its bytes in the file, so that a finding
//! can point at them.

use std::ops::Range;

/// Bytes of the file.
pub(in crate::settings) type Span = Range<usize>;

/// A value and where it is written.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::settings) struct Node {
    pub(in crate::settings) value: Value,
    pub(in crate::settings) span: Span,
}

/// What a node holds.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::settings) enum Value {
    Null,
    Bool(bool),
    /// In decimal digits, as Rust parses them: settings use numbers as whole numbers and as fractions.
    Number(String),
    String(String),
    List(Vec<Node>),
    /// In the order of the file; a key may come twice.
    Map(Vec<Entry>),
}

/// One key of a map, with its value.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::settings) struct Entry {
    pub(in crate::settings) key: Key,
    pub(in crate::settings) value: Node,
}

/// A key and where it is written.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::settings) struct Key {
    pub(in crate::settings) text: String,
    pub(in crate::settings) span: Span,
}

impl Node {
    pub(in crate::settings) fn new(value: Value, span: Span) -> Self {
        Self { value, span }
    }

    /// The same as JSON; of a key that comes twice, the last.
    pub(in crate::settings) fn to_json(&self) -> serde_json::Value {
        use serde_json::Value as Json;
        match &self.value {
            Value::Null => Json::Null,
            Value::Bool(flag) => Json::Bool(*flag),
            // A value that JSON cannot write as a number, such as infinity, stays a text.
            Value::Number(digits) => {
                serde_json::from_str(digits).unwrap_or_else(|_| Json::String(digits.clone()))
            }
            Value::String(text) => Json::String(text.clone()),
            Value::List(nodes) => nodes.iter().map(Self::to_json).collect(),
            Value::Map(entries) => Json::Object(
                entries
                    .iter()
                    .map(|entry| (entry.key.text.clone(), entry.value.to_json()))
                    .collect(),
            ),
        }
    }

    /// What it is, for messages: "a string".
    pub(in crate::settings) fn kind(&self) -> &'static str {
        match self.value {
            Value::Null => "null",
            Value::Bool(_) => "true or false",
            Value::Number(_) => "a number",
            Value::String(_) => "a string",
            Value::List(_) => "a list",
            Value::Map(_) => "an object",
        }
    }

    /// The value of a key; the last one, if the key comes twice.
    pub(in crate::settings) fn get(&self, key: &str) -> Option<&Node> {
        self.entry(key).map(|entry| &entry.value)
    }

    /// A key with its value; the last one, if the key comes twice.
    pub(in crate::settings) fn entry(&self, key: &str) -> Option<&Entry> {
        let Value::Map(entries) = &self.value else {
            return None;
        };
        entries.iter().rev().find(|entry| entry.key.text == key)
    }
}

/// A text that is broken, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::settings) struct SyntaxError {
    pub(in crate::settings) span: Span,
    pub(in crate::settings) message: String,
}

/// Moves a span of a part of the file to its place in the whole file.
pub(in crate::settings) fn shifted(span: Span, base: usize) -> Span {
    span.start.saturating_add(base)..span.end.saturating_add(base)
}
