//! The keys of Bowline's own files, one by one: how each is read, and what it sets.

use std::time::Duration;

use super::config::{Config, ModelProvider, RecordDetail, StoreDurability};
use super::guard::GuardSetting;
use super::hook_policy::{DEDUPES, EXIT_POLICIES, FAILURE_WORDS, FailureWord};
use super::model::{Dedupe, ExitPolicy};
use super::node::{Node, Value};
use crate::dialect::Dialect;
use crate::event::fold;
use crate::hook::{Attempts, OnFailure};

/// One key that a file sets.
#[derive(Debug)]
pub(super) enum Setting {
    ExitPolicy(ExitPolicy),
    OnFailure(FailureWord),
    Dedupe(Dedupe),
    Timeout(Duration),
    Dialect(String, Dialect),
    InsecureHosts(Vec<String>),
    Provider(ModelProvider),
    BaseUrl(String),
    Model(String),
    ApiKeyEnv(String),
    MaxTokens(u32),
    RecordPrompts(RecordDetail),
    RecordInputs(RecordDetail),
    RecordOutputs(RecordDetail),
    KeepDays(u32),
    MaxSize(u32),
    Durability(StoreDurability),
    ClaudeHooks(bool),
    Locked(Vec<String>),
    ManagedHooksOnly(bool),
    Guard(GuardSetting),
}

impl Setting {
    pub(super) fn apply(self, config: &mut Config) {
        match self {
            Self::ExitPolicy(policy) => config.defaults.exit_policy = Some(policy),
            Self::OnFailure(FailureWord::Is(outcome)) => {
                config.defaults.on_failure = Some(outcome);
                config.defaults.attempts = Attempts::Once;
            }
            Self::OnFailure(FailureWord::Retry) => {
                config.defaults.on_failure = None;
                config.defaults.attempts = Attempts::RetryOnce;
            }
            Self::Dedupe(dedupe) => config.defaults.dedupe = Some(dedupe),
            Self::Timeout(limit) => config.defaults.timeout = Some(limit),
            Self::Dialect(file, dialect) => {
                config.dialects.insert(file, dialect);
            }
            Self::InsecureHosts(hosts) => config.http.allow_insecure_hosts = hosts,
            Self::Provider(provider) => config.prompt.provider = Some(provider),
            Self::BaseUrl(url) => config.prompt.base_url = Some(url),
            Self::Model(model) => config.prompt.model = Some(model),
            Self::ApiKeyEnv(name) => config.prompt.api_key_env = Some(name),
            Self::MaxTokens(count) => config.prompt.max_tokens = Some(count),
            Self::RecordPrompts(detail) => config.record.prompts = detail,
            Self::RecordInputs(detail) => config.record.inputs = detail,
            Self::RecordOutputs(detail) => config.record.outputs = detail,
            Self::KeepDays(days) => config.store.keep_days = days,
            Self::MaxSize(megabytes) => config.store.max_size_mb = megabytes,
            Self::Durability(durability) => config.store.durability = durability,
            Self::ClaudeHooks(bridged) => config.bridge.claude_hooks = bridged,
            Self::Locked(keys) => config.locked = keys,
            Self::ManagedHooksOnly(only) => config.allow_managed_hooks_only = only,
            Self::Guard(setting) => setting.apply(config),
        }
    }

    /// Whether it can only make decisions stricter than weaker files do.
    pub(super) fn only_tightens(&self, weaker: &Config) -> bool {
        match self {
            Self::OnFailure(FailureWord::Is(OnFailure::Block)) => true,
            Self::Guard(setting) => setting.only_tightens(weaker),
            _ => false,
        }
    }

    pub(super) const fn is_for_administrators(&self) -> bool {
        matches!(self, Self::Locked(_) | Self::ManagedHooksOnly(_))
    }

    /// Whether it is about what all projects share, so that none may set it.
    pub(super) const fn is_for_the_whole_machine(&self) -> bool {
        matches!(
            self,
            Self::KeepDays(_) | Self::MaxSize(_) | Self::Durability(_)
        )
    }
}

pub(super) type Reader = fn(&Node) -> Result<Setting, String>;

/// Every key with one value. `hooks`, `[guard]` and the entries of `[dialects]` are read apart.
pub(super) const KEYS: &[(&str, Reader)] = &[
    ("defaults.exit_policy", |node| {
        choice(node, EXIT_POLICIES).map(Setting::ExitPolicy)
    }),
    ("defaults.on_failure", |node| {
        choice(node, FAILURE_WORDS).map(Setting::OnFailure)
    }),
    ("defaults.dedupe", |node| {
        choice(node, DEDUPES).map(Setting::Dedupe)
    }),
    ("defaults.timeout_secs", |node| {
        seconds(node).map(Setting::Timeout)
    }),
    ("http.allow_insecure_hosts", |node| {
        texts(node).map(Setting::InsecureHosts)
    }),
    ("prompt.provider", |node| {
        choice(
            node,
            &[
                ("anthropic", ModelProvider::Anthropic),
                ("openai", ModelProvider::Openai),
            ],
        )
        .map(Setting::Provider)
    }),
    ("prompt.base_url", |node| url(node).map(Setting::BaseUrl)),
    ("prompt.model", |node| text(node).map(Setting::Model)),
    ("prompt.api_key_env", |node| {
        variable_name(node).map(Setting::ApiKeyEnv)
    }),
    ("prompt.max_tokens", |node| {
        count(node).map(Setting::MaxTokens)
    }),
    ("record.prompts", |node| {
        choice(node, DETAILS).map(Setting::RecordPrompts)
    }),
    ("record.inputs", |node| {
        choice(node, DETAILS).map(Setting::RecordInputs)
    }),
    ("record.outputs", |node| {
        choice(node, DETAILS).map(Setting::RecordOutputs)
    }),
    ("store.keep_days", |node| count(node).map(Setting::KeepDays)),
    ("store.max_size_mb", |node| {
        count(node).map(Setting::MaxSize)
    }),
    ("store.durability", |node| {
        choice(
            node,
            &[
                ("process", StoreDurability::Process),
                ("power", StoreDurability::Power),
            ],
        )
        .map(Setting::Durability)
    }),
    ("bridge.claude_hooks", |node| {
        flag(node).map(Setting::ClaudeHooks)
    }),
    ("locked", |node| texts(node).map(Setting::Locked)),
    ("allow_managed_hooks_only", |node| {
        flag(node).map(Setting::ManagedHooksOnly)
    }),
];

const DETAILS: &[(&str, RecordDetail)] = &[
    ("full", RecordDetail::Full),
    ("summary", RecordDetail::Summary),
    ("off", RecordDetail::Off),
];

pub(super) fn choice<T: Copy>(node: &Node, choices: &[(&str, T)]) -> Result<T, String> {
    let chosen = match &node.value {
        Value::String(text) => {
            let folded = fold(text);
            choices.iter().find(|(name, _)| fold(name) == folded)
        }
        _ => None,
    };
    chosen.map(|(_, value)| *value).ok_or_else(|| {
        let names: Vec<_> = choices
            .iter()
            .map(|(name, _)| format!("`{name}`"))
            .collect();
        format!("expected {}", names.join(" or "))
    })
}

fn flag(node: &Node) -> Result<bool, String> {
    match node.value {
        Value::Bool(flag) => Ok(flag),
        _ => Err("expected true or false".to_owned()),
    }
}

fn text(node: &Node) -> Result<String, String> {
    match &node.value {
        Value::String(text) if !text.is_empty() => Ok(text.clone()),
        _ => Err("expected a text".to_owned()),
    }
}

fn texts(node: &Node) -> Result<Vec<String>, String> {
    let Value::List(items) = &node.value else {
        return Err("expected a list of texts".to_owned());
    };
    items.iter().map(text).collect()
}

fn seconds(node: &Node) -> Result<Duration, String> {
    let limit = match &node.value {
        Value::Number(digits) => digits
            .parse()
            .ok()
            .and_then(|secs| Duration::try_from_secs_f64(secs).ok()),
        _ => None,
    };
    limit
        .filter(|limit| !limit.is_zero())
        .ok_or_else(|| "expected a number of seconds above 0".to_owned())
}

fn count(node: &Node) -> Result<u32, String> {
    let count = match &node.value {
        Value::Number(digits) => digits.parse().ok(),
        _ => None,
    };
    count
        .filter(|count| *count > 0)
        .ok_or_else(|| "expected a whole number above 0".to_owned())
}

fn url(node: &Node) -> Result<String, String> {
    text(node)
        .ok()
        .filter(|url| url.starts_with("https://") || url.starts_with("http://"))
        .ok_or_else(|| "expected a URL that begins with https:// or http://".to_owned())
}

/// A name, so that nobody puts the key itself into a file.
fn variable_name(node: &Node) -> Result<String, String> {
    text(node)
        .ok()
        .filter(|name| {
            name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
                && !name.starts_with(|c: char| c.is_ascii_digit())
        })
        .ok_or_else(|| {
            "expected the name of an environment variable, not the key itself".to_owned()
        })
}
