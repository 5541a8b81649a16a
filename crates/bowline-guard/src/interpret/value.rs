//! What is known of texts: of words, of variables, of what programs print.

use super::bounds::{MAX_TEXT, TooLong, add_sources};
use crate::invocation::{Arg, Stdin, Value};

/// Stands for what is unknown within a text.
pub(crate) const UNKNOWN: char = '…';

/// A value and, where it is unknown, the programs whose output it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Content {
    pub(super) value: Value,
    pub(super) sources: Vec<String>,
}

impl Content {
    pub(super) fn known(text: impl Into<String>) -> Self {
        Self {
            value: Value::Known(text.into()),
            sources: Vec::new(),
        }
    }

    pub(super) fn unknown() -> Self {
        Self {
            value: Value::Unknown,
            sources: Vec::new(),
        }
    }

    /// A text with [`UNKNOWN`] where it is not known.
    pub(super) fn of_text(text: String) -> Self {
        let value = if !text.contains(UNKNOWN) {
            Value::Known(text)
        } else if text.chars().all(|c| c == UNKNOWN) {
            Value::Unknown
        } else {
            Value::Partly(text)
        };
        Self {
            value,
            sources: Vec::new(),
        }
    }

    /// The text with [`UNKNOWN`] where it is not known.
    pub(super) fn marked(&self) -> &str {
        marked(&self.value)
    }
}

/// The text with [`UNKNOWN`] where it is not known.
pub(super) fn marked(value: &Value) -> &str {
    match value {
        Value::Known(text) | Value::Pattern(text) | Value::Partly(text) => text,
        Value::Unknown => "…",
    }
}

/// One argument before it is given to a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Item {
    pub(super) arg: Arg,
    /// The programs whose output it is, where it is unknown.
    pub(super) sources: Vec<String>,
    /// What can be read through it: `<( )`.
    pub(super) feed: Option<Output>,
}

impl Item {
    pub(super) fn known(text: impl Into<String>) -> Self {
        Self {
            arg: Arg::known(text),
            sources: Vec::new(),
            feed: None,
        }
    }

    pub(super) fn of(content: Content) -> Self {
        Self {
            arg: Arg {
                source: marked(&content.value).to_owned(),
                value: content.value,
            },
            sources: content.sources,
            feed: None,
        }
    }

    pub(super) fn text(&self) -> Option<&str> {
        self.arg.text()
    }

    pub(super) fn marked(&self) -> &str {
        marked(&self.arg.value)
    }

    pub(super) fn content(&self) -> Content {
        Content {
            value: self.arg.value.clone(),
            sources: self.sources.clone(),
        }
    }
}

/// What programs print: the text with [`UNKNOWN`] for what only running shows, and who prints that.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Output {
    pub(super) text: String,
    pub(super) sources: Vec<String>,
}

impl Output {
    pub(super) fn nothing() -> Self {
        Self::default()
    }

    pub(super) fn text(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            sources: Vec::new(),
        }
    }

    pub(super) fn unknown(sources: Vec<String>) -> Self {
        Self {
            text: UNKNOWN.to_string(),
            sources,
        }
    }

    /// Whether all of the text is known.
    pub(super) fn is_known(&self) -> bool {
        self.sources.is_empty() && !self.text.contains(UNKNOWN)
    }

    /// Whether there is something in the text besides what is unknown.
    pub(super) fn says_something(&self) -> bool {
        self.text
            .chars()
            .any(|c| c != UNKNOWN && !c.is_whitespace())
    }

    /// Whether there is a text, of which nothing is known.
    pub(super) fn is_hidden(&self) -> bool {
        self.text.contains(UNKNOWN) && !self.says_something()
    }

    /// Adds what comes next; of what is too long it is only known that there is something.
    pub(super) fn append(&mut self, other: Self) -> Result<(), TooLong> {
        add_sources(&mut self.sources, &other.sources);
        if self.text.len() + other.text.len() <= MAX_TEXT {
            self.text.push_str(&other.text);
            return Ok(());
        }
        if !self.text.ends_with(UNKNOWN) {
            self.text.push(UNKNOWN);
        }
        Err(TooLong)
    }

    /// As a program's standard input.
    pub(super) fn to_stdin(&self) -> Stdin {
        if self.sources.is_empty() || self.says_something() {
            Stdin::Text(self.text.clone())
        } else {
            Stdin::Pipe(self.sources.clone())
        }
    }
}
