//! `[prompt]`.

use crate::settings::keys::describe::{Key, Table, Unknown, WordList};
use crate::settings::keys::slot::{Put, Tightens::Never};
use crate::settings::keys::value::{Choice, Chosen, Url, VariableName};

/// `[prompt]`: the model that prompt hooks ask.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct PromptConfig {
    /// Whose way of asking.
    pub provider: Option<ModelProvider>,
    /// Where to ask, for other servers than the provider's own.
    pub base_url: Option<String>,
    /// The model.
    pub model: Option<String>,
    /// The environment variable that holds the key.
    pub api_key_env: Option<String>,
    /// The longest answer.
    pub max_tokens: Option<u32>,
}

/// Whose way of asking a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ModelProvider {
    /// Anthropic's messages.
    Anthropic,
    /// OpenAI's chat completions, which many servers understand.
    Openai,
}

pub(super) static TABLE: Table = Table {
    name: "Prompt",
    about: "",
    others: Unknown::Wrong,
    keys: &[
        Key::setting(
            "provider",
            "Whose API it is.",
            &Put(
                |config, _, provider: ModelProvider| config.prompt.provider = Some(provider),
                Never,
            ),
        )
        .default("by the API key in the environment; `anthropic` first"),
        Key::setting(
            "base_url",
            "Where to ask, for servers other than the provider's own.",
            &Put(
                |config, _, url: Url| config.prompt.base_url = Some(url.0),
                Never,
            ),
        )
        .default("the provider's")
        .example("\"https://example.com/v1\""),
        Key::setting(
            "model",
            "The model.",
            &Put(|config, _, model| config.prompt.model = Some(model), Never),
        )
        .default("a small and fast one")
        .example("\"MODEL\""),
        Key::setting(
            "api_key_env",
            "The environment variable that holds the API key; never the key itself.",
            &Put(
                |config, _, name: VariableName| config.prompt.api_key_env = Some(name.0),
                Never,
            ),
        )
        .default("`ANTHROPIC_API_KEY` or `OPENAI_API_KEY`")
        .example("\"ANTHROPIC_API_KEY\""),
        Key::setting(
            "max_tokens",
            "The longest answer, in tokens.",
            &Put(
                |config, _, count| config.prompt.max_tokens = Some(count),
                Never,
            ),
        )
        .default("4096"),
    ],
};

impl Chosen for ModelProvider {
    const LIST: &'static WordList = &WordList {
        name: "Provider",
        about: "`openai` is the chat completions API, which many servers understand.",
        words: || Self::CHOICE.names(),
    };
    const CHOICE: &'static Choice<Self> = &Choice {
        words: &[("anthropic", Self::Anthropic), ("openai", Self::Openai)],
        also: &[],
    };
}
