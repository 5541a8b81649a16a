//! Which occurrences of an event a hook in a settings file is for.

use crate::dialect::Dialect;
use crate::error::Result;
use crate::hook::Match;
use crate::input::HookInput;

/// A compiled matcher.
#[derive(Debug, Clone)]
pub struct Matcher {
    source: String,
}

impl Matcher {
    /// Matches everything.
    pub fn all() -> Self {
        Self {
            source: String::new(),
        }
    }

    /// A matcher written as one string.
    pub fn from_text(text: &str, dialect: Dialect) -> Result<Self> {
        let _ = dialect;
        Ok(Self {
            source: text.to_owned(),
        })
    }

    /// The object form: every key has to match. Keys are `toolName` and `agentName`, in any casing.
    pub fn from_keys<'a>(
        keys: impl IntoIterator<Item = (&'a str, &'a str)>,
        dialect: Dialect,
    ) -> Result<Self> {
        let _ = (keys.into_iter().count(), dialect);
        Ok(Self::all())
    }

    /// Whether the matcher fits the event.
    pub fn matches(&self, input: &HookInput) -> Match {
        let _ = input;
        Match::Yes
    }

    /// As written, in one line; empty when it matches everything.
    pub fn source(&self) -> &str {
        &self.source
    }
}
