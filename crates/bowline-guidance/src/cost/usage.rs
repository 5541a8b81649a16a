//! What one message of a model used, read from a line of Claude Code's transcript.
//!
//! A message is written as several lines, one for each block, and each repeats what the message used. Early lines may know less than late
//! ones, and a session that continues another one may repeat its lines. So everything about a message is merged in a way that does not
//! depend on the order, or on how often it was read.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::ops::{Add, AddAssign};
use std::sync::LazyLock;

use chrono::{DateTime, Utc};
use memchr::memmem::Finder;
use serde::de::{SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

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

static USAGE: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("\"usage\""));
static ASSISTANT: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("\"assistant\""));

fn at_most(tokens: Option<u64>) -> u64 {
    tokens.unwrap_or(0).min(MAX_TOKENS)
}

/// What the message on one line used. `None` for everything else: other rows, errors, what the client itself wrote.
pub fn of_line(line: &[u8]) -> Option<Usage> {
    // Most lines are results of tools, and large: they are not parsed at all.
    if USAGE.find(line).is_none() || ASSISTANT.find(line).is_none() {
        return None;
    }
    let line: Line<'_> = serde_json::from_slice(line).ok()?;
    if line.kind != "assistant" || line.is_error == Some(true) {
        return None;
    }
    let message = line.message?;
    let model = message.model.filter(|model| model != "<synthetic>")?;
    let counts = message.usage?;
    let written_1h = counts.cache_creation.and_then(|it| it.one_hour);
    let fast = counts.speed.is_some_and(|speed| speed == "fast");
    let subagent = (line.subagent_kind.or(line.subagent))
        .filter(|_| line.is_sidechain == Some(true))
        .or_else(|| (line.is_sidechain == Some(true)).then_some(Cow::Borrowed("sub-agent")));
    let mut tools = message.content.map(|it| it.tools).unwrap_or_default();
    while tools.len() > MAX_TOOLS {
        tools.pop_last();
    }
    Some(Usage {
        message: message.id.or(line.uuid)?.into_owned(),
        at: DateTime::parse_from_rfc3339(&line.timestamp?)
            .ok()?
            .to_utc(),
        session: line.session.unwrap_or_default().into_owned(),
        folder: line.cwd.unwrap_or_default().into_owned(),
        subagent: subagent.map(Cow::into_owned),
        model: if fast {
            format!("{model}-fast")
        } else {
            model.into_owned()
        },
        tools,
        tokens: Tokens {
            input: counts.input?.min(MAX_TOKENS),
            output: at_most(counts.output),
            cache_write: at_most(counts.cache_write),
            cache_write_1h: at_most(written_1h).min(at_most(counts.cache_write)),
            cache_read: at_most(counts.cache_read),
        },
    })
}

type Words<'a> = Option<Cow<'a, str>>;

#[derive(Deserialize)]
struct Line<'a> {
    #[serde(rename = "type", borrow)]
    kind: Cow<'a, str>,
    #[serde(rename = "isApiErrorMessage", default)]
    is_error: Option<bool>,
    #[serde(rename = "isSidechain", default)]
    is_sidechain: Option<bool>,
    #[serde(rename = "agentId", borrow, default)]
    subagent: Words<'a>,
    #[serde(rename = "attributionAgent", borrow, default)]
    subagent_kind: Words<'a>,
    #[serde(rename = "sessionId", borrow, default)]
    session: Words<'a>,
    #[serde(borrow, default)]
    timestamp: Words<'a>,
    #[serde(borrow, default)]
    cwd: Words<'a>,
    #[serde(borrow, default)]
    uuid: Words<'a>,
    #[serde(borrow, default)]
    message: Option<Message<'a>>,
}

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow, default)]
    id: Words<'a>,
    #[serde(borrow, default)]
    model: Words<'a>,
    #[serde(borrow, default)]
    usage: Option<Counts<'a>>,
    #[serde(default)]
    content: Option<Blocks>,
}

#[derive(Deserialize)]
struct Counts<'a> {
    #[serde(rename = "input_tokens")]
    input: Option<u64>,
    #[serde(rename = "output_tokens", default)]
    output: Option<u64>,
    #[serde(rename = "cache_creation_input_tokens", default)]
    cache_write: Option<u64>,
    #[serde(rename = "cache_read_input_tokens", default)]
    cache_read: Option<u64>,
    #[serde(default)]
    cache_creation: Option<Kept>,
    #[serde(borrow, default)]
    speed: Words<'a>,
}

#[derive(Deserialize)]
struct Kept {
    #[serde(rename = "ephemeral_1h_input_tokens", default)]
    one_hour: Option<u64>,
}

/// Of a message's content only the tools that it calls.
struct Blocks {
    tools: BTreeSet<String>,
}

#[derive(Deserialize)]
struct Block<'a> {
    #[serde(rename = "type", borrow, default)]
    kind: Words<'a>,
    #[serde(borrow, default)]
    name: Words<'a>,
}

impl<'de> Deserialize<'de> for Blocks {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(BlocksVisitor)
    }
}

struct BlocksVisitor;

impl<'de> Visitor<'de> for BlocksVisitor {
    type Value = Blocks;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text or a list of blocks")
    }

    fn visit_str<E>(self, _: &str) -> Result<Blocks, E> {
        Ok(Blocks {
            tools: BTreeSet::new(),
        })
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut blocks: A) -> Result<Blocks, A::Error> {
        let mut tools = BTreeSet::new();
        while let Some(block) = blocks.next_element::<Block<'de>>()? {
            if block.kind.is_some_and(|kind| kind == "tool_use") {
                tools.extend(block.name.map(Cow::into_owned));
            }
        }
        Ok(Blocks { tools })
    }
}

#[cfg(test)]
mod tests;
