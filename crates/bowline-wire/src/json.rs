//! Reading and writing fields, and texts of the operating system without loss.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};

use serde_json::{Map, Value};

use crate::{Environment, PROTOCOL, Signs, WireError};

pub(crate) type Object = Map<String, Value>;

pub(crate) fn object(line: &[u8], what: &'static str, limit: usize) -> Result<Object, WireError> {
    if line.len() > limit {
        let bytes = line.len();
        return Err(WireError::TooLong { what, bytes, limit });
    }
    match serde_json::from_slice(line) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(_) => Err(WireError::Malformed(format!(
            "the {what} is not a JSON object"
        ))),
        Err(error) => Err(WireError::Malformed(format!(
            "the {what} is not JSON: {error}"
        ))),
    }
}

pub(crate) fn check_version(object: &Object) -> Result<(), WireError> {
    match number(object, "bowline")? {
        PROTOCOL => Ok(()),
        found => Err(WireError::Version { found }),
    }
}

pub(crate) fn number(object: &Object, name: &str) -> Result<u64, WireError> {
    let value = object.get(name).and_then(Value::as_u64);
    value.ok_or_else(|| WireError::field(name, "a whole number"))
}

pub(crate) fn string(object: &mut Object, name: &str) -> Result<String, WireError> {
    match object.remove(name) {
        Some(Value::String(text)) => Ok(text),
        _ => Err(WireError::field(name, "a string")),
    }
}

/// Whether the sender knows signs of life.
pub(crate) fn signs(object: &Object) -> Signs {
    match object.get("signs") {
        Some(Value::Bool(true)) => Signs::Known,
        _ => Signs::Unknown,
    }
}

/// One line, ended by a newline. JSON has no raw newlines inside.
pub(crate) fn line(value: &Value) -> Vec<u8> {
    let mut line = value.to_string().into_bytes();
    line.push(b'\n');
    line
}

/// Appends a string.
pub(crate) fn push_text(line: &mut Vec<u8>, text: &str) {
    // Writing a text into memory cannot fail.
    let _ = serde_json::to_writer(line, text);
}

/// Appends a string where the text is UTF-8, else its bytes as numbers.
pub(crate) fn push_os_text(line: &mut Vec<u8>, text: &OsStr) {
    match text.to_str() {
        Some(text) => push_text(line, text),
        None => line.extend_from_slice(format!("{:?}", text.as_bytes()).as_bytes()),
    }
}

/// Appends an environment as one text.
pub(crate) fn push_environment(line: &mut Vec<u8>, variables: &Environment) {
    push_os_text(line, OsStr::from_bytes(variables.as_block()));
}

pub(crate) fn read_os_text(value: Value) -> Option<OsString> {
    match value {
        Value::String(text) => Some(text.into()),
        Value::Array(bytes) => {
            let byte = |value: Value| value.as_u64().and_then(|byte| u8::try_from(byte).ok());
            let bytes: Option<Vec<u8>> = bytes.into_iter().map(byte).collect();
            bytes.map(OsString::from_vec)
        }
        _ => None,
    }
}

/// One text, or an object of strings as a person would write it.
pub(crate) fn read_environment(value: Value) -> Option<Environment> {
    match value {
        Value::Object(variables) => variables
            .into_iter()
            .map(|(name, value)| Some((name, read_os_text(value)?)))
            .collect(),
        block => {
            let block = read_os_text(block)?;
            Some(Environment::from_block(block.into_vec()))
        }
    }
}
