//! Lines of the transcripts of other agents, as their clients wrote them when they were recorded: Codex 0.166.0, Copilot CLI 1.0.102,
//! Gemini CLI 0.61.0, Qwen Code 0.24.4.
//!
//! What these count as input is everything that was sent, with what came from the cache.

use std::collections::BTreeSet;

use chrono::DateTime;
use serde::Deserialize;
use serde_json::Value;

use super::{MAX_TOKENS, MAX_TOOLS, Tokens, Usage};

/// What earlier lines said.
#[derive(Debug, Default)]
pub(super) struct Said {
    pub(super) session: String,
    folder: String,
    model: String,
}

impl Said {
    /// The beginning of a session or of a turn. What a line does not say stays.
    pub(super) fn take_in(&mut self, line: &[u8]) {
        let Ok(line) = serde_json::from_slice::<Value>(line) else {
            return;
        };
        let first = |paths: &[&str]| {
            let texts = paths.iter().map(|path| line.pointer(path)?.as_str());
            texts.flatten().find(|text| !text.is_empty())
        };
        for (known, paths) in [
            (
                &mut self.session,
                &[
                    "/payload/session_id",
                    "/payload/id",
                    "/data/sessionId",
                    "/sessionId",
                ][..],
            ),
            (&mut self.folder, &["/payload/cwd", "/data/context/cwd"]),
            (&mut self.model, &["/payload/model", "/data/selectedModel"]),
        ] {
            if let Some(text) = first(paths) {
                text.clone_into(known);
            }
        }
    }
}

/// What was sent, with what came from the cache, and what was written.
struct Counted {
    sent: u64,
    from_cache: u64,
    to_cache: u64,
    written: u64,
}

impl From<Counted> for Tokens {
    fn from(it: Counted) -> Self {
        let capped = |tokens: u64| tokens.min(MAX_TOKENS);
        Self {
            input: capped(
                it.sent
                    .saturating_sub(it.from_cache)
                    .saturating_sub(it.to_cache),
            ),
            output: capped(it.written),
            cache_write: capped(it.to_cache),
            cache_write_1h: 0,
            cache_read: capped(it.from_cache),
        }
    }
}

fn time(text: &str) -> Option<chrono::DateTime<chrono::Utc>> {
    Some(DateTime::parse_from_rfc3339(text).ok()?.to_utc())
}

fn some_tools(names: impl Iterator<Item = String>) -> BTreeSet<String> {
    let mut tools: BTreeSet<String> = names.collect();
    while tools.len() > MAX_TOOLS {
        tools.pop_last();
    }
    tools
}

#[derive(Deserialize)]
struct CodexLine {
    timestamp: String,
    payload: CodexPayload,
}

#[derive(Deserialize)]
struct CodexPayload {
    response_id: String,
    #[serde(default)]
    session_id: String,
    usage: CodexUsage,
}

#[expect(clippy::struct_field_names, reason = "the names are the client's")]
#[derive(Deserialize)]
struct CodexUsage {
    #[serde(default)]
    input_tokens: u64,
    #[serde(default)]
    cached_input_tokens: u64,
    #[serde(default)]
    cache_write_input_tokens: u64,
    #[serde(default)]
    output_tokens: u64,
}

pub(super) fn codex(line: &[u8], said: &Said) -> Option<Usage> {
    let CodexLine { timestamp, payload } = serde_json::from_slice(line).ok()?;
    let CodexPayload {
        response_id,
        session_id,
        usage,
    } = payload;
    Some(Usage {
        message: response_id,
        at: time(&timestamp)?,
        session: Some(session_id)
            .filter(|it| !it.is_empty())
            .unwrap_or_else(|| said.session.clone()),
        folder: said.folder.clone(),
        subagent: None,
        model: said.model.clone(),
        tools: BTreeSet::new(),
        tokens: Counted {
            sent: usage.input_tokens,
            from_cache: usage.cached_input_tokens,
            to_cache: usage.cache_write_input_tokens,
            written: usage.output_tokens,
        }
        .into(),
    })
}

#[derive(Deserialize)]
struct CopilotLine {
    timestamp: String,
    id: String,
    data: CopilotData,
}

#[derive(Deserialize)]
struct CopilotData {
    usage: CopilotUsage,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct CopilotUsage {
    model: String,
    #[serde(default)]
    input_tokens: u64,
    #[serde(default)]
    output_tokens: u64,
    #[serde(default)]
    cache_read_tokens: u64,
    #[serde(default)]
    cache_write_tokens: u64,
    #[serde(default)]
    accounting: Accounting,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase")]
struct Accounting {
    #[serde(default)]
    source_session_id: String,
    #[serde(default)]
    usage_id: String,
}

pub(super) fn copilot(line: &[u8], said: &Said) -> Option<Usage> {
    let CopilotLine {
        timestamp,
        id,
        data: CopilotData { usage },
    } = serde_json::from_slice(line).ok()?;
    let or = |text: String, other: &str| {
        if text.is_empty() {
            other.to_owned()
        } else {
            text
        }
    };
    Some(Usage {
        message: or(usage.accounting.usage_id, &id),
        at: time(&timestamp)?,
        session: or(usage.accounting.source_session_id, &said.session),
        folder: said.folder.clone(),
        subagent: None,
        model: usage.model,
        tools: BTreeSet::new(),
        tokens: Counted {
            sent: usage.input_tokens,
            from_cache: usage.cache_read_tokens,
            to_cache: usage.cache_write_tokens,
            written: usage.output_tokens,
        }
        .into(),
    })
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct GeminiLine {
    id: String,
    timestamp: String,
    model: String,
    tokens: GeminiTokens,
    #[serde(default)]
    tool_calls: Vec<Named>,
}

#[derive(Deserialize)]
struct GeminiTokens {
    #[serde(default)]
    input: u64,
    #[serde(default)]
    output: u64,
    #[serde(default)]
    cached: u64,
    #[serde(default)]
    thoughts: u64,
}

#[derive(Deserialize)]
struct Named {
    name: String,
}

pub(super) fn gemini(line: &[u8], said: &Said) -> Option<Usage> {
    let line: GeminiLine = serde_json::from_slice(line).ok()?;
    Some(Usage {
        message: line.id,
        at: time(&line.timestamp)?,
        session: said.session.clone(),
        folder: said.folder.clone(),
        subagent: None,
        model: line.model,
        tools: some_tools(line.tool_calls.into_iter().map(|it| it.name)),
        tokens: Counted {
            sent: line.tokens.input,
            from_cache: line.tokens.cached,
            to_cache: 0,
            written: line.tokens.output.saturating_add(line.tokens.thoughts),
        }
        .into(),
    })
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct QwenLine {
    uuid: String,
    timestamp: String,
    session_id: String,
    #[serde(default)]
    cwd: String,
    model: String,
    usage_metadata: QwenUsage,
    #[serde(default)]
    message: QwenMessage,
}

#[expect(clippy::struct_field_names, reason = "the names are the client's")]
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct QwenUsage {
    #[serde(default)]
    prompt_token_count: u64,
    #[serde(default)]
    candidates_token_count: u64,
    #[serde(default)]
    thoughts_token_count: u64,
    #[serde(default)]
    cached_content_token_count: u64,
    #[serde(default)]
    total_token_count: u64,
}

#[derive(Deserialize, Default)]
struct QwenMessage {
    #[serde(default)]
    parts: Vec<QwenPart>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct QwenPart {
    #[serde(default)]
    function_call: Option<Named>,
}

pub(super) fn qwen(line: &[u8]) -> Option<Usage> {
    let line: QwenLine = serde_json::from_slice(line).ok()?;
    let usage = line.usage_metadata;
    // Some of the models behind it count thoughts as part of what was written.
    let without_thoughts = usage
        .prompt_token_count
        .saturating_add(usage.candidates_token_count);
    let thoughts = if usage.total_token_count > without_thoughts {
        usage.thoughts_token_count
    } else {
        0
    };
    let called = line.message.parts.into_iter();
    Some(Usage {
        message: line.uuid,
        at: time(&line.timestamp)?,
        session: line.session_id,
        folder: line.cwd,
        subagent: None,
        model: line.model,
        tools: some_tools(called.filter_map(|part| Some(part.function_call?.name))),
        tokens: Counted {
            sent: usage.prompt_token_count,
            from_cache: usage.cached_content_token_count,
            to_cache: 0,
            written: usage.candidates_token_count.saturating_add(thoughts),
        }
        .into(),
    })
}
