//! What an agent gets from the program that it started.

use serde_json::{Map, Value};

/// The fields of a JSON object.
pub type Object = Map<String, Value>;

/// What the agent gets: exactly these texts and this exit code. The default is silence.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Answer {
    /// The exit code.
    pub exit: u8,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

/// Text that a client does not take for JSON.
pub(crate) fn plain_text(text: Option<&str>) -> String {
    match text {
        Some(text) if text.trim_start().starts_with('{') => format!("Context:\n{text}\n"),
        Some(text) => format!("{text}\n"),
        None => String::new(),
    }
}

impl Answer {
    /// Silence, or one line with one JSON object.
    pub fn json(object: Object) -> Self {
        if object.is_empty() {
            return Self::default();
        }
        Self::line(&Value::Object(object))
    }

    /// One line with one JSON value.
    pub(crate) fn line(value: &Value) -> Self {
        Self {
            stdout: format!("{value}\n"),
            ..Self::default()
        }
    }

    /// What a process answered that decided directly. Any exit code but 0 and 2 is no answer but a failure.
    pub fn of_process(exit: Option<i32>, stdout: &[u8], stderr: &[u8]) -> Option<Self> {
        let exit = match exit {
            Some(0) => 0,
            Some(2) => 2,
            _ => return None,
        };
        let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
        let (stdout, stderr) = (text(stdout), text(stderr));
        Some(Self {
            exit,
            stdout,
            stderr,
        })
    }
}
