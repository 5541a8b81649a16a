//! The part of reading an answer that all dialects share: is it nothing, text, or a JSON object?

use bowline_agents::Object;

use super::{Completeness, Exit, RawOutput};
use crate::error::{Error, Result};

/// What a hook printed.
pub(super) enum HookAnswer<'a> {
    /// Nothing but blanks.
    Blank,
    /// Text.
    Text(&'a str),
    /// One JSON object.
    Json(Object),
    /// It begins like a JSON object, but cannot be read as one.
    Broken {
        /// What was printed.
        text: &'a str,
        /// Why it cannot be read.
        reason: String,
    },
}

impl<'a> HookAnswer<'a> {
    pub(super) fn of(text: &'a str, completeness: Completeness) -> Self {
        let text = trim(text);
        if text.is_empty() {
            return Self::Blank;
        }
        if !text.starts_with('{') {
            return Self::Text(text);
        }
        if completeness == Completeness::Cut {
            let reason = "it was longer than the cap and was cut".to_owned();
            return Self::Broken { text, reason };
        }
        match serde_json::from_str(text) {
            Ok(object) => Self::Json(object),
            Err(error) => Self::Broken {
                text,
                reason: error.to_string(),
            },
        }
    }
}

impl RawOutput {
    pub(super) fn answer(&self) -> HookAnswer<'_> {
        HookAnswer::of(&self.stdout, self.completeness())
    }

    pub(super) fn completeness(&self) -> Completeness {
        if self.stdout_cut {
            Completeness::Cut
        } else {
            Completeness::Whole
        }
    }

    /// What is said on standard error, if anything.
    pub(super) fn complaint(&self) -> Option<&str> {
        Some(trim(&self.stderr)).filter(|text| !text.is_empty())
    }

    /// The warning about output that was cut.
    pub(super) fn cut_warnings(&self) -> Vec<String> {
        [(self.stdout_cut, "stdout"), (self.stderr_cut, "stderr")]
            .into_iter()
            .filter(|(cut, _)| *cut)
            .map(|(_, stream)| format!("{stream} was longer than the cap and was cut"))
            .collect()
    }

    /// The failure that this end of the process is, where it is one.
    pub(super) fn failure(&self, hook: &str) -> Error {
        let ended = match self.exit {
            Exit::Code(126) => "could not be executed (exit code 126)".to_owned(),
            Exit::Code(127) => "was not found (exit code 127)".to_owned(),
            Exit::Code(code) => format!("ended with exit code {code}"),
            Exit::Signal(signal) => format!("was ended by signal {signal}"),
        };
        match self.complaint().and_then(|text| text.lines().next()) {
            Some(line) => failed(hook, format!("it {ended}: {line}")),
            None => failed(hook, format!("it {ended}")),
        }
    }
}

/// The fields of an HTTP answer; `None` if it is empty.
pub(super) fn body(hook: &str, body: &str, completeness: Completeness) -> Result<Option<Object>> {
    match HookAnswer::of(body, completeness) {
        HookAnswer::Blank => Ok(None),
        HookAnswer::Json(object) => Ok(Some(object)),
        HookAnswer::Text(_) => Err(failed(
            hook,
            "its answer is not a JSON object; expected one, or an empty body",
        )),
        HookAnswer::Broken { reason, .. } => Err(failed(
            hook,
            format!("its answer begins like JSON but cannot be read: {reason}"),
        )),
    }
}

/// Blanks and a byte order mark around a text do not count.
pub(super) fn trim(text: &str) -> &str {
    text.trim_matches(|c: char| c.is_whitespace() || c == '\u{feff}')
}

pub(super) fn failed(hook: &str, reason: impl Into<String>) -> Error {
    Error::HookFailed {
        hook: hook.to_owned(),
        reason: reason.into(),
    }
}

/// The names of fields that were ignored, for a warning.
pub(super) fn quoted<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    const SHOWN: usize = 5;
    let mut names = names.into_iter();
    let mut shown: Vec<String> = names
        .by_ref()
        .take(SHOWN)
        .map(|name| format!("`{}`", name.chars().take(60).collect::<String>()))
        .collect();
    let rest = names.count();
    if rest > 0 {
        shown.push(format!("{rest} more"));
    }
    shown.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lists_and_names_are_shortened() {
        assert_eq!(quoted(["a", "b"]), "`a`, `b`");
        assert_eq!(quoted(["a"; 8]), "`a`, `a`, `a`, `a`, `a`, 3 more");
        assert_eq!(quoted(["é".repeat(100).as_str()]).chars().count(), 62);
    }
}
