//! Limits answers so that they fit into one line and can be read back.

use std::io::{self, Write};

use bowline_wire::{MAX_REPLY, RequestError};
use serde::Serialize;
use serde_json::{Value, json};

/// Readers of JSON give up at 128 levels, and the response has one of its own.
const MAX_DEPTH: usize = 100;
/// The bytes around the answer in a response.
const AROUND: usize = 64 * 1024;

/// The answer as it is sent.
pub(crate) fn fit(answer: impl Serialize) -> Result<Value, RequestError> {
    fit_into(answer, MAX_REPLY - AROUND)
}

fn fit_into(answer: impl Serialize, bytes: usize) -> Result<Value, RequestError> {
    let mut answer = serde_json::to_value(answer)
        .map_err(|error| RequestError::handler(format!("the answer cannot be written: {error}")))?;
    flatten(&mut answer, MAX_DEPTH);
    let mut room = Room(bytes);
    if serde_json::to_writer(&mut room, &answer).is_err() {
        return Err(RequestError::Handler {
            code: "TOO_LARGE".to_owned(),
            message: format!(
                "the answer is larger than {} MB; ask for fewer rows with `limit`",
                MAX_REPLY / 1024 / 1024
            ),
            details: json!({"max_bytes": MAX_REPLY}),
        });
    }
    Ok(answer)
}

/// A value that is nested too deeply becomes its own JSON text.
fn flatten(value: &mut Value, levels: usize) {
    match value {
        Value::Array(_) | Value::Object(_) if levels == 0 => {
            *value = Value::String(value.to_string());
        }
        Value::Array(items) => items.iter_mut().for_each(|item| flatten(item, levels - 1)),
        Value::Object(fields) => fields
            .values_mut()
            .for_each(|field| flatten(field, levels - 1)),
        _ => {}
    }
}

/// Counts the bytes that are written, up to a limit.
struct Room(usize);

impl Write for Room {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 = self
            .0
            .checked_sub(bytes.len())
            .ok_or(io::ErrorKind::FileTooLarge)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_into_a_line_is_refused() {
        assert!(fit_into("12345678", 10).is_ok());
        let error = fit_into("123456789", 10).unwrap_err();
        assert_eq!(error.code(), "TOO_LARGE");
        assert!(error.to_string().contains("`limit`"), "{error}");
    }

    #[test]
    fn what_is_nested_too_deeply_becomes_text() {
        let nested = |levels| (0..levels).fold(json!(1), |inner, _| json!([inner]));
        assert_eq!(fit(nested(MAX_DEPTH)), Ok(nested(MAX_DEPTH)));
        let fitted = fit(nested(MAX_DEPTH + 2)).unwrap();
        assert!(fitted.to_string().contains("\"[[1]]\""), "{fitted}");
    }
}
