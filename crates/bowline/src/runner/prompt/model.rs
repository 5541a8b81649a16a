//! One question to a model, and the text of its answer.

use std::time::Duration;

use serde_json::{Value, json};

use super::question::Question;
use crate::model_api::{ModelConfig, ModelError};
use crate::settings::ModelProvider;

/// Asks, and gives back what the model said; nothing, if it said nothing.
pub(super) async fn ask(
    config: &ModelConfig,
    model: Option<&str>,
    question: &Question,
    timeout: Duration,
) -> Result<String, ModelError> {
    let model = model.unwrap_or(&config.model);
    let reply = config
        .post(&request(config, model, question), timeout)
        .await?;
    Ok(match config.provider {
        ModelProvider::Anthropic => text_of(reply.get("content")),
        ModelProvider::Openai => {
            let message = reply.pointer("/choices/0/message");
            let said = text_of(message.and_then(|message| message.get("content")));
            if said.is_empty() {
                text_of(message.and_then(|message| message.get("refusal")))
            } else {
                said
            }
        }
    })
}

fn request(config: &ModelConfig, model: &str, question: &Question) -> Value {
    let max_tokens = config.max_tokens;
    match config.provider {
        ModelProvider::Anthropic => json!({
            "model": model,
            "max_tokens": max_tokens,
            "system": question.system,
            "messages": [{ "role": "user", "content": question.user }],
        }),
        ModelProvider::Openai => json!({
            "model": model,
            (config.openai_token_limit_key()): max_tokens,
            "messages": [
                { "role": "system", "content": question.system },
                { "role": "user", "content": question.user },
            ],
        }),
    }
}

/// The text of a message: a string, or the text parts of a list. Thoughts and tool calls are no answer.
fn text_of(content: Option<&Value>) -> String {
    match content {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => parts
            .iter()
            .filter_map(|part| part.get("text")?.as_str())
            .collect(),
        Some(Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_)) | None => {
            String::new()
        }
    }
}
