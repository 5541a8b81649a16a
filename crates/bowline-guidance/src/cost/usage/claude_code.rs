//! A line of Claude Code's transcript.
//!
//! A message is written as several lines, one for each block, and each repeats what the message used.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::LazyLock;

use chrono::DateTime;
use memchr::memmem::Finder;
use serde::de::{SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::{MAX_TOKENS, MAX_TOOLS, Tokens, Usage};

static USAGE: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("\"usage\""));
static ASSISTANT: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("\"assistant\""));

fn at_most(tokens: Option<u64>) -> u64 {
    tokens.unwrap_or(0).min(MAX_TOKENS)
}

/// What the message on one line used. `None` for everything else: other rows, errors, what the client itself wrote.
pub(super) fn of_line(line: &[u8]) -> Option<Usage> {
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
