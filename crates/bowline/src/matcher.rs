//! Which occurrences of an event a hook in a settings file is for.
//!
//! Everything is compiled when the settings are read; an event is only compared.

mod javascript;
mod rule;
mod tools;

use std::sync::Arc;

use bowline_agents::near::nearest;

use crate::dialect::Dialect;
use crate::error::{Error, Result};
use crate::event::{HookEvent, fold};
use crate::hook::Match;
use crate::input::HookInput;

use rule::{Casing, Rule, Value};

pub(crate) use rule::listed_names;
pub(crate) use tools::{meant_pattern, misspelt};

/// A compiled matcher. Cloning it is cheap.
///
/// ```
/// use bowline::hooks::{Dialect, HookInput, Match, Matcher};
///
/// let matcher = Matcher::from_text("Bash|Write", Dialect::Generic)?;
/// let call = HookInput::pre_tool_use("s1", "TodoWrite", serde_json::json!({}));
/// assert_ne!(matcher.matches(&call), Match::Yes);
/// # Ok::<(), bowline::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Matcher {
    source: Arc<str>,
    kind: Arc<Kind>,
}

#[derive(Debug)]
enum Kind {
    All,
    Text(Rule),
    Keys(Vec<(Key, Rule)>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Key {
    ToolName,
    AgentName,
}

impl Key {
    const ALL: [Key; 2] = [Key::ToolName, Key::AgentName];

    const fn name(self) -> &'static str {
        match self {
            Self::ToolName => "toolName",
            Self::AgentName => "agentName",
        }
    }

    fn from_name(name: &str) -> Result<Self> {
        let folded = fold(name);
        if let Some(key) = Self::ALL.into_iter().find(|key| fold(key.name()) == folded) {
            return Ok(key);
        }
        let hint = nearest(name, Self::ALL.iter().map(|key| key.name()))
            .map(|nearest| format!("; did you mean `{nearest}`?"))
            .unwrap_or_default();
        Err(Error::other(format!(
            "a matcher has no key `{name}`, only `toolName` and `agentName`{hint}"
        )))
    }
}

impl Matcher {
    /// Matches everything.
    pub fn all() -> Self {
        Self {
            source: Arc::from(""),
            kind: Arc::new(Kind::All),
        }
    }

    /// A matcher written as one string.
    pub fn from_text(text: &str, dialect: Dialect) -> Result<Self> {
        Ok(Self::written(text, Rule::parse(text, dialect)?))
    }

    /// A matcher of Bowline's own rules: as in the generic dialect, but in any casing.
    pub(crate) fn in_any_casing(text: &str) -> Result<Self> {
        Ok(Self::written(text, Rule::generic(text, Casing::Any)?))
    }

    fn written(text: &str, rule: Rule) -> Self {
        match rule {
            Rule::All => Self::all(),
            rule => Self {
                source: Arc::from(text),
                kind: Arc::new(Kind::Text(rule)),
            },
        }
    }

    /// The object form: every key has to match. Keys are `toolName` and `agentName`, in any casing.
    /// `toolName` never fits an event without a tool.
    pub fn from_keys<'a>(
        keys: impl IntoIterator<Item = (&'a str, &'a str)>,
        dialect: Dialect,
    ) -> Result<Self> {
        let mut rules = Vec::new();
        let mut written = Vec::new();
        for (name, text) in keys {
            let key = Key::from_name(name)?;
            written.push(format!("{}: {text}", key.name()));
            rules.push((key, Rule::parse(text, dialect)?));
        }
        if rules.is_empty() {
            return Ok(Self::all());
        }
        Ok(Self {
            source: Arc::from(written.join(", ")),
            kind: Arc::new(Kind::Keys(rules)),
        })
    }

    /// Whether the matcher fits the event.
    pub fn matches(&self, input: &HookInput) -> Match {
        match &*self.kind {
            Kind::All => Match::Yes,
            Kind::Text(rule) => match Value::subject(input) {
                Some(value) if !rule.fits(&value) => self.refused(&value.describe()),
                // Nothing to compare with: the matcher is ignored.
                Some(_) | None => Match::Yes,
            },
            Kind::Keys(rules) => rules
                .iter()
                .find_map(|(key, rule)| self.key_refuses(*key, rule, input))
                .unwrap_or(Match::Yes),
        }
    }

    fn key_refuses(&self, key: Key, rule: &Rule, input: &HookInput) -> Option<Match> {
        let event = input.event_type();
        let value = match key {
            Key::ToolName => input.tool_name().map(|name| Value::tool(name, event)),
            Key::AgentName => input.agent_type().map(|name| Value::other(name, event)),
        };
        match (value, key) {
            (Some(value), _) if rule.fits(&value) => None,
            (Some(value), _) => Some(self.refused(&value.describe())),
            (None, Key::ToolName) => Some(Match::No(format!(
                "`{}` asks for a tool, and {} has none",
                self.source,
                input.event_name()
            ))),
            // A sub-agent of unknown type is still a sub-agent.
            (None, Key::AgentName)
                if matches!(rule, Rule::All)
                    && matches!(event, HookEvent::SubagentStart | HookEvent::SubagentStop) =>
            {
                None
            }
            (None, Key::AgentName) => Some(Match::No(format!(
                "`{}` asks for a sub-agent, and this event has none",
                self.source
            ))),
        }
    }

    fn refused(&self, value: &str) -> Match {
        Match::No(format!("`{}` does not match {value}", self.source))
    }

    /// As written, in one line; empty when it matches everything.
    pub fn source(&self) -> &str {
        &self.source
    }
}

#[cfg(test)]
mod tests;
