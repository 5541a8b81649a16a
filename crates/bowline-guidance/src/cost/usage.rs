//! What one message of a model used, read from the lines of an agent's transcript.
//!
//! A message may be written several times. Early lines may know less than late ones, and a session that continues another one may repeat
//! its lines. So everything about a message is merged in a way that does not depend on the order, or on how often it was read.

mod claude_code;
mod others;
mod reader;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::{Add, AddAssign};

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

pub use reader::TranscriptReader;

/// A message has at most so many tools that are told apart.
pub const MAX_TOOLS: usize = 8;

/// No message uses more tokens of a kind. A transcript that says more is wrong, and must not make sums overflow.
pub const MAX_TOKENS: u64 = 100_000_000;

/// Tokens, as they are priced.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tokens {
    /// Sent, and not from the cache.
    pub input: u64,
    /// Written by the model.
    pub output: u64,
    /// Put into the cache.
    pub cache_write: u64,
    /// The part of `cache_write` that is kept for an hour, which costs more.
    #[serde(default)]
    pub cache_write_1h: u64,
    /// Sent, and taken from the cache.
    pub cache_read: u64,
}

impl Tokens {
    /// All of them.
    pub const fn total(&self) -> u64 {
        self.prompt().saturating_add(self.output)
    }

    /// What was sent.
    pub const fn prompt(&self) -> u64 {
        self.input
            .saturating_add(self.cache_write)
            .saturating_add(self.cache_read)
    }

    /// The more complete of two readings of the same message.
    #[must_use]
    pub fn or_more(self, other: Self) -> Self {
        Self {
            input: self.input.max(other.input),
            output: self.output.max(other.output),
            cache_write: self.cache_write.max(other.cache_write),
            cache_write_1h: self.cache_write_1h.max(other.cache_write_1h),
            cache_read: self.cache_read.max(other.cache_read),
        }
    }

    /// One of `parts` equal parts. The first parts take what cannot be divided, so that all parts together are the whole.
    #[must_use]
    pub fn part(&self, number: u64, parts: u64) -> Self {
        let share = |whole: u64| {
            let parts = parts.max(1);
            whole / parts + u64::from(number < whole % parts)
        };
        Self {
            input: share(self.input),
            output: share(self.output),
            cache_write: share(self.cache_write),
            cache_write_1h: share(self.cache_write_1h),
            cache_read: share(self.cache_read),
        }
    }
}

impl Add for Tokens {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            input: self.input.saturating_add(other.input),
            output: self.output.saturating_add(other.output),
            cache_write: self.cache_write.saturating_add(other.cache_write),
            cache_write_1h: self.cache_write_1h.saturating_add(other.cache_write_1h),
            cache_read: self.cache_read.saturating_add(other.cache_read),
        }
    }
}

impl AddAssign for Tokens {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

/// How long a prompt was. Some models cost more when it is long.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum Band {
    /// At most 100,000 tokens.
    #[default]
    Short,
    /// At most 200,000.
    Middle,
    /// More.
    Long,
}

impl Band {
    /// Of a prompt of so many tokens.
    pub const fn of(prompt: u64) -> Self {
        match prompt {
            0..=100_000 => Self::Short,
            100_001..=200_000 => Self::Middle,
            _ => Self::Long,
        }
    }
}

/// What one message used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// The message's id.
    pub message: String,
    /// When its first block was written.
    pub at: DateTime<Utc>,
    /// The agent's name for the session.
    pub session: String,
    /// The folder in which it worked.
    pub folder: String,
    /// The kind of the sub-agent, or its id if the kind is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subagent: Option<String>,
    /// The model. One that was asked to be fast has `-fast` after its name, because that has another price.
    pub model: String,
    /// The tools that it calls.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub tools: BTreeSet<String>,
    /// The tokens.
    pub tokens: Tokens,
}

impl Usage {
    /// Takes in another reading of the same message. The session that had it first keeps it.
    pub fn merge(&mut self, other: Self) {
        self.tokens = self.tokens.or_more(other.tokens);
        for tool in other.tools {
            if self.tools.len() < MAX_TOOLS {
                self.tools.insert(tool);
            }
        }
        if (other.at, &other.session) < (self.at, &self.session) {
            self.at = other.at;
            self.session = other.session;
            self.folder = other.folder;
            self.subagent = other.subagent;
        }
    }
}

/// What messages used, each counted once.
#[derive(Debug, Default)]
pub struct Gathered(BTreeMap<String, Usage>);

impl Gathered {
    /// Takes in what a line says.
    pub fn add(&mut self, usage: Usage) {
        match self.0.get_mut(&usage.message) {
            Some(known) => known.merge(usage),
            None => {
                self.0.insert(usage.message.clone(), usage);
            }
        }
    }

    /// How many messages there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The messages; none is left.
    pub fn take(&mut self) -> Vec<Usage> {
        std::mem::take(&mut self.0).into_values().collect()
    }
}

#[cfg(test)]
mod tests;
