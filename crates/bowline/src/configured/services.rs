//! What the hooks of settings files need from their surroundings.

#[cfg(feature = "prompt")]
use std::borrow::Cow;
use std::path::PathBuf;

#[cfg(feature = "agent")]
use bowline_guard::sensitive::SensitivePolicy;

#[cfg(any(feature = "http", feature = "prompt"))]
use crate::context::HookContext;
use crate::runner::command::EnvBase;
#[cfg(feature = "http")]
use crate::runner::http::HttpPolicy;
#[cfg(feature = "prompt")]
use crate::runner::prompt::ModelConfig;
#[cfg(feature = "mcp")]
use crate::settings::McpServers;
#[cfg(feature = "prompt")]
use crate::settings::PromptConfig;
use crate::settings::{Locations, Settings};

/// What the hooks of settings files need from their surroundings.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Services {
    /// The environment that command hooks start from.
    pub environment: EnvBase,
    /// What `~/` stands for in `if` conditions.
    pub home: Option<PathBuf>,
    /// The project, which command hooks know as `CLAUDE_PROJECT_DIR` unless the context names another.
    pub project: Option<PathBuf>,
    /// What HTTP hooks may do.
    #[cfg(feature = "http")]
    pub http: HttpPolicy,
    /// Where MCP servers are looked for.
    #[cfg(feature = "mcp")]
    pub mcp_servers: McpServers,
    /// What the project says of files that hold secrets, for agents that look at it.
    #[cfg(feature = "agent")]
    pub sensitive: SensitivePolicy,
    /// The `[prompt]` section; the key comes from the context.
    #[cfg(feature = "prompt")]
    pub prompt: PromptConfig,
    /// The model that prompt hooks ask; without one they are skipped with a warning.
    #[cfg(feature = "prompt")]
    pub model: Option<ModelConfig>,
}

impl Services {
    /// What the settings and this process's own environment say.
    pub fn from_settings(settings: &Settings, locations: &Locations) -> Self {
        Self {
            environment: EnvBase::Inherited,
            #[cfg(feature = "prompt")]
            model: ModelConfig::from_settings(&settings.config.prompt, &|name| {
                std::env::var(name).ok()
            }),
            ..Self::of_caller(settings, locations)
        }
    }

    /// What the settings say, for programs that act for others: hooks see nothing but the variables of their context, and
    /// the key of a model is looked for there.
    pub fn of_caller(settings: &Settings, locations: &Locations) -> Self {
        Self {
            environment: EnvBase::Context,
            home: locations.home.clone(),
            project: Some(settings.project.clone()),
            #[cfg(feature = "http")]
            http: HttpPolicy {
                allow_insecure_hosts: settings.config.http.allow_insecure_hosts.clone(),
            },
            #[cfg(feature = "mcp")]
            mcp_servers: settings.mcp_servers.clone(),
            #[cfg(feature = "agent")]
            sensitive: settings.sensitive_policy(),
            #[cfg(feature = "prompt")]
            prompt: settings.config.prompt.clone(),
            #[cfg(feature = "prompt")]
            model: None,
        }
    }

    /// The model that a prompt hook asks.
    #[cfg(feature = "prompt")]
    pub(super) fn model(&self, ctx: &HookContext) -> Option<Cow<'_, ModelConfig>> {
        match (self.environment, &self.model) {
            (_, Some(model)) => Some(Cow::Borrowed(model)),
            (EnvBase::Inherited, None) => None,
            (EnvBase::Context, None) => {
                ModelConfig::from_settings(&self.prompt, &|name| ctx.env.get(name).cloned())
                    .map(Cow::Owned)
            }
        }
    }

    /// A variable as the hook would see it.
    #[cfg(feature = "http")]
    pub(super) fn variable(&self, name: &str, ctx: &HookContext) -> Option<String> {
        ctx.env
            .get(name)
            .cloned()
            .or_else(|| match self.environment {
                EnvBase::Inherited => std::env::var(name).ok(),
                EnvBase::Context => None,
            })
    }
}
