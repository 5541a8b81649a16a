//! Requests to a model's API: where, with which key, and once more when the server is busy.

use std::fmt;
use std::time::Duration;

use bowline_net::http::{BODY_LIMIT, Body, cause, client_for, excerpt, host, read_body};
use reqwest::Url;
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue, RETRY_AFTER};
use serde_json::Value;
use tokio::time::{Instant, sleep, timeout};

use crate::settings::{ModelProvider, PromptConfig};

/// The version of Anthropic's API that requests are written for.
const ANTHROPIC_VERSION: &str = "2023-06-01";

/// The pause before the second attempt when the server names none, or one that is too long.
const BACKOFF: Duration = Duration::from_millis(250);

/// Enough for a verdict with its reason, also from a model that thinks first.
const MAX_TOKENS: u32 = 4096;

impl ModelProvider {
    const fn default_base_url(self) -> &'static str {
        match self {
            Self::Anthropic => "https://api.anthropic.com",
            Self::Openai => "https://api.openai.com/v1",
        }
    }

    const fn key_variable(self) -> &'static str {
        match self {
            Self::Anthropic => "ANTHROPIC_API_KEY",
            Self::Openai => "OPENAI_API_KEY",
        }
    }

    const fn base_url_variable(self) -> &'static str {
        match self {
            Self::Anthropic => "ANTHROPIC_BASE_URL",
            Self::Openai => "OPENAI_BASE_URL",
        }
    }

    const fn default_model(self) -> &'static str {
        match self {
            Self::Anthropic => "claude-haiku-5-5",
            Self::Openai => "gpt-6-luna",
        }
    }
}

/// The key to a model's API. It is never shown.
#[derive(Clone, PartialEq, Eq)]
pub struct ApiKey(String);

impl ApiKey {
    /// Keeps a key.
    pub fn new(key: impl Into<String>) -> Self {
        Self(key.into())
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ApiKey(***)")
    }
}

/// Which model is asked, and how it is reached.
#[derive(Debug, Clone)]
pub struct ModelConfig {
    /// Whose API it is.
    pub provider: ModelProvider,
    /// Where it is: for Anthropic the part before `/v1/messages`, for OpenAI the part before
    /// `/chat/completions`.
    pub base_url: String,
    /// The model.
    pub model: String,
    /// The key.
    pub api_key: ApiKey,
    /// The longest answer, in tokens.
    pub max_tokens: u32,
}

impl ModelConfig {
    /// The provider's own address, a small and fast model.
    pub fn new(provider: ModelProvider, api_key: ApiKey) -> Self {
        Self {
            provider,
            base_url: provider.default_base_url().to_owned(),
            model: provider.default_model().to_owned(),
            api_key,
            max_tokens: MAX_TOKENS,
        }
    }

    /// What the environment configures: `ANTHROPIC_API_KEY` and `ANTHROPIC_BASE_URL`, else `OPENAI_API_KEY`
    /// and `OPENAI_BASE_URL`; `BOWLINE_PROMPT_MODEL` names another model. `None` without a key.
    ///
    /// Ask only a person's own environment: an address that a project sets would be sent that person's key.
    pub fn from_env(variable: &dyn Fn(&str) -> Option<String>) -> Option<Self> {
        let set = |name: &str| {
            let value = variable(name)?.trim().to_owned();
            (!value.is_empty()).then_some(value)
        };
        let mut config = [ModelProvider::Anthropic, ModelProvider::Openai]
            .into_iter()
            .find_map(|provider| {
                let mut config = Self::new(provider, ApiKey::new(set(provider.key_variable())?));
                if let Some(base_url) = set(provider.base_url_variable()) {
                    config.base_url = base_url;
                }
                Some(config)
            })?;
        if let Some(model) = set("BOWLINE_PROMPT_MODEL") {
            config.model = model;
        }
        Some(config)
    }

    /// What `[prompt]` in the settings says, over what the environment configures. A provider or address
    /// that the settings name goes with the key that they name, or else the provider's usual one.
    pub(crate) fn from_settings(
        settings: &PromptConfig,
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> Option<Self> {
        let named = settings.provider.is_some()
            || settings.base_url.is_some()
            || settings.api_key_env.is_some();
        let mut config = if named {
            let provider = settings.provider.unwrap_or(ModelProvider::Anthropic);
            let key = settings
                .api_key_env
                .as_deref()
                .unwrap_or(provider.key_variable());
            let key = variable(key).filter(|key| !key.trim().is_empty())?;
            Self::new(provider, ApiKey::new(key.trim()))
        } else {
            Self::from_env(variable)?
        };
        let elsewhere = || variable(config.provider.base_url_variable());
        if let Some(base_url) = settings.base_url.clone().or_else(elsewhere) {
            config.base_url = base_url;
        }
        if let Some(model) = &settings.model {
            config.model.clone_from(model);
        }
        if let Some(max_tokens) = settings.max_tokens {
            config.max_tokens = max_tokens;
        }
        Some(config)
    }

    /// Where requests go. People write the base with and without a slash, and Anthropic's with and without `/v1`.
    fn endpoint(&self) -> Result<Url, ModelError> {
        let base = self.base_url.trim_end_matches('/');
        let url = match self.provider {
            ModelProvider::Anthropic => {
                format!("{}/v1/messages", base.strip_suffix("/v1").unwrap_or(base))
            }
            ModelProvider::Openai => format!("{base}/chat/completions"),
        };
        let invalid = |reason: String| ModelError::BaseUrl { reason };
        let url = Url::parse(&url).map_err(|error| invalid(error.to_string()))?;
        match url.scheme() {
            "http" | "https" => Ok(url),
            other => Err(invalid(format!("`{other}` is not http or https"))),
        }
    }

    /// What OpenAI's API calls the longest answer. Its own server no longer takes the name that others know.
    pub(crate) fn openai_token_limit_key(&self) -> &'static str {
        match Url::parse(&self.base_url) {
            Ok(url) if host(&url).ends_with("api.openai.com") => "max_completion_tokens",
            _ => "max_tokens",
        }
    }

    fn headers(&self) -> Result<HeaderMap, ModelError> {
        let mut headers = HeaderMap::new();
        match self.provider {
            ModelProvider::Anthropic => {
                headers.insert(
                    HeaderName::from_static("anthropic-version"),
                    HeaderValue::from_static(ANTHROPIC_VERSION),
                );
                headers.insert(
                    HeaderName::from_static("x-api-key"),
                    secret_value(&self.api_key.0)?,
                );
            }
            ModelProvider::Openai => {
                headers.insert(
                    AUTHORIZATION,
                    secret_value(&format!("Bearer {}", self.api_key.0))?,
                );
            }
        }
        Ok(headers)
    }

    /// Posts a request body to the API and reads the JSON of the answer. A busy server (429, 5xx) is
    /// asked once more; all of it happens within `limit`.
    pub(crate) async fn post(&self, body: &Value, limit: Duration) -> Result<Value, ModelError> {
        let url = self.endpoint()?;
        let headers = self.headers()?;
        let started = Instant::now();
        let attempts = async {
            let refusal = match self.attempt(&url, &headers, body).await? {
                ModelResponse::Json(json) => return Ok(json),
                ModelResponse::Refused(refusal) => refusal,
            };
            let remaining = limit.saturating_sub(started.elapsed());
            let Some(pause) = refusal.pause(remaining) else {
                return Err(refusal.into());
            };
            sleep(pause).await;
            match self.attempt(&url, &headers, body).await? {
                ModelResponse::Json(json) => Ok(json),
                ModelResponse::Refused(refusal) => Err(refusal.into()),
            }
        };
        timeout(limit, attempts)
            .await
            .unwrap_or(Err(ModelError::Timeout { after: limit }))
    }

    async fn attempt(
        &self,
        url: &Url,
        headers: &HeaderMap,
        body: &Value,
    ) -> Result<ModelResponse, ModelError> {
        let broken = |error| ModelError::Connect {
            host: host(url).to_owned(),
            reason: cause(error),
        };
        let response = client_for(url)
            .map_err(broken)?
            .post(url.clone())
            .headers(headers.clone())
            .json(body)
            .send()
            .await
            .map_err(broken)?;
        let status = response.status();
        let retry_after = response
            .headers()
            .get(RETRY_AFTER)
            .and_then(|value| value.to_str().ok()?.trim().parse().ok())
            .map(Duration::from_secs);
        let Body { text, cut } = read_body(response, BODY_LIMIT).await.map_err(broken)?;
        if !status.is_success() {
            return Ok(ModelResponse::Refused(Refusal {
                code: status.as_u16(),
                retry_after,
                detail: excerpt(
                    &error_message(&text),
                    &[&self.api_key.0, url.password().unwrap_or_default()],
                ),
            }));
        }
        if cut {
            return Err(ModelError::TooLong);
        }
        serde_json::from_str(&text)
            .map(ModelResponse::Json)
            .map_err(|error| ModelError::NotJson {
                reason: error.to_string(),
            })
    }
}

enum ModelResponse {
    Json(Value),
    Refused(Refusal),
}

fn secret_value(text: &str) -> Result<HeaderValue, ModelError> {
    let mut value = HeaderValue::from_str(text).map_err(|_| ModelError::ApiKey)?;
    value.set_sensitive(true);
    Ok(value)
}

/// An answer that is not 2xx.
struct Refusal {
    code: u16,
    retry_after: Option<Duration>,
    detail: String,
}

impl Refusal {
    /// How long to wait before asking again; `None` when that makes no sense or no time is left for it.
    fn pause(&self, remaining: Duration) -> Option<Duration> {
        let busy = self.code == 429 || (500..600).contains(&self.code);
        let fits = |pause: &Duration| *pause < remaining;
        self.retry_after
            .filter(fits)
            .or_else(|| Some(BACKOFF).filter(fits))
            .filter(|_| busy)
    }
}

impl From<Refusal> for ModelError {
    fn from(refusal: Refusal) -> Self {
        Self::Status {
            code: refusal.code,
            detail: refusal.detail,
        }
    }
}

/// What an API says about its refusal: `error.message` where it is JSON, else the text.
fn error_message(text: &str) -> String {
    serde_json::from_str::<Value>(text)
        .ok()
        .and_then(|json| {
            let error = json.get("error")?;
            let message = error.get("message").unwrap_or(error);
            message.as_str().map(str::to_owned)
        })
        .unwrap_or_else(|| text.to_owned())
}

/// Why a model has no answer. No text holds the key or the URL.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ModelError {
    /// The address is no URL.
    #[error("the model's base URL cannot be used: {reason}")]
    BaseUrl {
        /// What is wrong with it.
        reason: String,
    },
    /// The key cannot be sent.
    #[error(
        "the API key has characters that no header can carry; check the variable that holds it"
    )]
    ApiKey,
    /// The server was not reached, or the connection broke.
    #[error("{host}: {reason}")]
    Connect {
        /// The server.
        host: String,
        /// What happened.
        reason: String,
    },
    /// The server refused.
    #[error("the server answered {code}: {}", if .detail.is_empty() { "no reason given" } else { .detail })]
    Status {
        /// The status.
        code: u16,
        /// What it said, shortened.
        detail: String,
    },
    /// The answer is no JSON.
    #[error("the server's answer is not JSON: {reason}")]
    NotJson {
        /// What is wrong with it.
        reason: String,
    },
    /// The answer is longer than anything that a model says.
    #[error("the server's answer is longer than {} MB", BODY_LIMIT / (1024 * 1024))]
    TooLong,
    /// No complete answer in time.
    #[error("no answer within {}", crate::duration::humane(*.after))]
    Timeout {
        /// The limit.
        after: Duration,
    },
}

impl From<ModelError> for crate::Error {
    fn from(error: ModelError) -> Self {
        Self::Model {
            reason: error.to_string(),
        }
    }
}

#[cfg(test)]
mod tests;
