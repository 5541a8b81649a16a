//! The conversation as the Messages API has it. Blocks that we do not know are kept and sent back as they are.

use serde_json::{Value, json};

use crate::lifecycle::{Batch, Notes, ToolCall, ToolReport};

#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Role {
    User,
    Assistant,
}

#[derive(Debug, Clone, serde::Serialize)]
pub(super) struct Message {
    pub(super) role: Role,
    pub(super) content: Vec<Value>,
}

impl Message {
    pub(super) fn user(text: impl Into<String>) -> Self {
        Self {
            role: Role::User,
            content: vec![text_block(text.into())],
        }
    }

    pub(super) fn assistant(content: Vec<Value>) -> Self {
        Self {
            role: Role::Assistant,
            content,
        }
    }

    /// The results of one message's calls, in order, then what hooks say about all of them.
    pub(super) fn results(batch: &Batch) -> Self {
        let mut content: Vec<Value> = batch.reports.iter().map(result_block).collect();
        content.extend(batch.feedback.iter().cloned().map(text_block));
        Self {
            role: Role::User,
            content,
        }
        .with_notes(&batch.notes)
    }

    /// The answer to calls that were cut off in the middle.
    pub(super) fn not_run(calls: &[ToolCall], why: &str) -> Self {
        let content = calls
            .iter()
            .map(|call| failed_block(&call.id, &format!("not run: {why}")))
            .collect();
        Self {
            role: Role::User,
            content,
        }
    }

    /// Adds what hooks say, context and system messages alike, set apart from what people say.
    pub(super) fn with_notes(mut self, notes: &Notes) -> Self {
        let said = notes.context.iter().chain(&notes.system_messages);
        self.content.extend(
            said.filter(|text| !text.trim().is_empty())
                .map(|text| text_block(format!("<hook-context>\n{text}\n</hook-context>"))),
        );
        self
    }

    pub(super) fn has_tool_calls(&self) -> bool {
        self.content
            .iter()
            .any(|block| block_type(block) == "tool_use")
    }
}

/// The API refuses empty text.
fn text_block(text: String) -> Value {
    let text = if text.trim().is_empty() {
        "(empty)".to_owned()
    } else {
        text
    };
    json!({ "type": "text", "text": text })
}

fn result_block(report: &ToolReport) -> Value {
    let mut text = report.model_text();
    for message in &report.notes.system_messages {
        text.push_str("\n\n");
        text.push_str(message);
    }
    if !report.succeeded() {
        return failed_block(&report.call.id, &text);
    }
    if text.is_empty() {
        "(no output)".clone_into(&mut text);
    }
    json!({ "type": "tool_result", "tool_use_id": report.call.id, "content": text })
}

fn failed_block(id: &str, text: &str) -> Value {
    json!({ "type": "tool_result", "tool_use_id": id, "content": text, "is_error": true })
}

fn block_type(block: &Value) -> &str {
    block
        .get("type")
        .and_then(Value::as_str)
        .unwrap_or_default()
}

/// Tokens that were used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Usage {
    /// What was sent, cached or not.
    pub input_tokens: u64,
    /// What was answered.
    pub output_tokens: u64,
}

impl Usage {
    pub(super) fn add(&mut self, more: Self) {
        self.input_tokens = self.input_tokens.saturating_add(more.input_tokens);
        self.output_tokens = self.output_tokens.saturating_add(more.output_tokens);
    }

    /// The size of the conversation after an answer.
    pub(super) fn context_size(self) -> u64 {
        self.input_tokens.saturating_add(self.output_tokens)
    }
}

/// What the model answered.
#[derive(Debug)]
pub(super) struct ModelMessage {
    pub(super) content: Vec<Value>,
    pub(super) stop_reason: String,
    pub(super) usage: Usage,
}

impl ModelMessage {
    /// Reads the API's answer; `None` if it is invalid.
    pub(super) fn read(mut json: Value) -> Option<Self> {
        let count = |name: &str| {
            let usage = json.get("usage")?;
            usage.get(name)?.as_u64()
        };
        let usage = Usage {
            input_tokens: [
                "input_tokens",
                "cache_creation_input_tokens",
                "cache_read_input_tokens",
            ]
            .into_iter()
            .filter_map(count)
            .fold(0, u64::saturating_add),
            output_tokens: count("output_tokens").unwrap_or_default(),
        };
        let stop_reason = json
            .get("stop_reason")
            .and_then(Value::as_str)
            .unwrap_or("end_turn")
            .to_owned();
        let Value::Array(content) = json.get_mut("content")?.take() else {
            return None;
        };
        Some(Self {
            content,
            stop_reason,
            usage,
        })
    }

    pub(super) fn text(&self) -> String {
        self.content
            .iter()
            .filter(|block| block_type(block) == "text")
            .filter_map(|block| block.get("text")?.as_str())
            .collect::<Vec<_>>()
            .join("\n")
    }

    pub(super) fn tool_calls(&self) -> Vec<ToolCall> {
        self.content
            .iter()
            .filter(|block| block_type(block) == "tool_use")
            .filter_map(|block| {
                Some(ToolCall::new(
                    block.get("id")?.as_str()?,
                    block.get("name")?.as_str()?,
                    block.get("input").cloned().unwrap_or_else(|| json!({})),
                ))
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_read_leniently() {
        let answer = ModelMessage::read(json!({
            "content": [
                {"type": "thinking", "thinking": "hm"},
                {"type": "text", "text": "one"},
                {"type": "tool_use", "id": "a", "name": "Bash", "input": {"command": "ls"}},
                {"type": "tool_use", "name": "no id"},
                {"type": "text", "text": "two"},
            ],
            "stop_reason": "tool_use",
            "usage": {"input_tokens": 1, "cache_read_input_tokens": 2, "output_tokens": 4, "other": "x"},
        }))
        .unwrap();
        assert_eq!(answer.text(), "one\ntwo");
        assert_eq!(
            answer.tool_calls(),
            [ToolCall::new("a", "Bash", json!({"command": "ls"}))]
        );
        assert_eq!(answer.usage.context_size(), 7);
        assert_eq!(answer.content.len(), 5);

        for broken in [
            json!(null),
            json!([]),
            json!({}),
            json!({"content": "text"}),
        ] {
            assert!(ModelMessage::read(broken).is_none());
        }
    }

    #[test]
    fn no_block_is_empty() {
        let message = Message::user("  ").with_notes(&Notes {
            context: vec![String::new(), "be brief".into()],
            ..Notes::default()
        });
        assert_eq!(message.content[0]["text"], "(empty)");
        assert_eq!(message.content.len(), 2);
        assert_eq!(
            message.content[1]["text"],
            "<hook-context>\nbe brief\n</hook-context>"
        );
    }
}
