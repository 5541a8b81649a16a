//! Configuring an agent.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::task::spawn_blocking;
use tokio_util::sync::CancellationToken;

use super::Agent;
use super::engine::Engine;
use super::tools::{Task, Tool, Toolbox};
use crate::configured::Services;
use crate::error::{Error, Result};
use crate::execution::SecurityContext;
use crate::hook::Hook;
use crate::lifecycle::{Approver, Notes, SessionOptions};
use crate::manager::HookManager;
use crate::model_api::{ApiKey, ModelConfig};
use crate::settings::{self, Locations, ModelProvider, Severity};

const MAX_TURNS: usize = 100;
const COMPACT_ABOVE: u64 = 150_000;
const MAX_TOKENS: u32 = 16_000;

/// An agent to be. What is not set comes from the environment: `ANTHROPIC_API_KEY`, `ANTHROPIC_BASE_URL` and `ANTHROPIC_MODEL`.
#[must_use]
pub struct AgentBuilder {
    hooks: HookManager,
    tools: Toolbox,
    session: SessionOptions,
    model: Option<String>,
    base_url: Option<String>,
    api_key: Option<ApiKey>,
    system_prompt: Option<String>,
    max_turns: usize,
    max_tokens: u32,
    compact_above: Option<u64>,
    security: Option<SecurityContext>,
    cwd: Option<PathBuf>,
    project: Option<PathBuf>,
    locations: Option<Locations>,
}

impl Default for AgentBuilder {
    fn default() -> Self {
        Self {
            hooks: HookManager::new(),
            tools: Toolbox::builtin(),
            session: SessionOptions::new(),
            model: None,
            base_url: None,
            api_key: None,
            system_prompt: None,
            max_turns: MAX_TURNS,
            max_tokens: MAX_TOKENS,
            compact_above: Some(COMPACT_ABOVE),
            security: None,
            cwd: None,
            project: None,
            locations: None,
        }
    }
}

impl AgentBuilder {
    /// Works in a project's folder, with the hooks that its and the user's Claude Code settings configure, after those of
    /// [`AgentBuilder::hook`] where priorities are equal. They run commands: use it for projects that you trust.
    ///
    /// Settings files that are partly wrong work in part; what is wrong with them is among the first reply's warnings.
    pub async fn from_claude_code(mut self, project: impl AsRef<Path>) -> Result<Self> {
        let project = folder(project.as_ref()).await?;
        self.project = Some(project.clone());
        Ok(self.cwd(project))
    }

    /// Sets where settings outside the project are looked for; the user's own places unless set.
    pub fn locations(mut self, locations: Locations) -> Self {
        self.locations = Some(locations);
        self
    }

    /// Adds a hook.
    pub fn hook(mut self, hook: impl Hook + 'static) -> Self {
        self.hooks.register(hook);
        self
    }

    /// Adds a tool, in the place of one of the same name.
    pub fn tool(mut self, tool: impl Tool + 'static) -> Self {
        self.tools.add(Arc::new(tool));
        self
    }

    /// Takes away the tools so far: the agent has only those that are added after this.
    pub fn without_tools(mut self) -> Self {
        self.tools = Toolbox::default();
        self
    }

    /// Sets the model.
    pub fn model(mut self, model: impl Into<String>) -> Self {
        self.model = Some(model.into());
        self
    }

    /// Sets where the Messages API is: the part before `/v1/messages`.
    pub fn base_url(mut self, url: impl Into<String>) -> Self {
        self.base_url = Some(url.into());
        self
    }

    /// Sets the key of the API.
    pub fn api_key(mut self, key: impl Into<String>) -> Self {
        self.api_key = Some(ApiKey::new(key));
        self
    }

    /// Sets the system prompt, also of sub-agents.
    pub fn system_prompt(mut self, prompt: impl Into<String>) -> Self {
        self.system_prompt = Some(prompt.into());
        self
    }

    /// Sets how often the model may be asked in one run, and by each sub-agent: 100 unless set.
    pub fn max_turns(mut self, turns: usize) -> Self {
        self.max_turns = turns;
        self
    }

    /// Sets the longest answer, in tokens.
    pub fn max_tokens(mut self, tokens: u32) -> Self {
        self.max_tokens = tokens;
        self
    }

    /// Sets the size of the conversation, in tokens, above which its older part is summarised: 150,000 unless set.
    pub fn compact_above(mut self, tokens: u64) -> Self {
        self.compact_above = Some(tokens);
        self
    }

    /// Sets the folder in which the agent works; the current one unless set.
    pub fn cwd(mut self, cwd: impl Into<PathBuf>) -> Self {
        self.cwd = Some(cwd.into());
        self
    }

    /// Sets what the tools may touch: the agent's folder unless set.
    pub fn security(mut self, security: SecurityContext) -> Self {
        self.security = Some(security);
        self
    }

    /// Sets who is asked when a hook wants a person to decide. Without one, such calls are denied.
    pub fn approver(mut self, approver: impl Approver + 'static) -> Self {
        self.session = self.session.approver(approver);
        self
    }

    /// Cancelling the token ends the run with an error and interrupts running tools.
    pub fn cancellation(mut self, token: CancellationToken) -> Self {
        self.session = self.session.cancellation(token);
        self
    }

    /// The agent. Fails without a key, or when its folder does not exist.
    pub async fn build(mut self) -> Result<Agent> {
        let cwd = folder(self.cwd.as_deref().unwrap_or(Path::new("."))).await?;
        let key = self
            .api_key
            .or_else(|| env("ANTHROPIC_API_KEY").map(ApiKey::new));
        let key = key.ok_or_else(|| Error::Model {
            reason: "there is no key; set ANTHROPIC_API_KEY, or call `api_key` on the builder"
                .to_owned(),
        })?;
        let mut model = ModelConfig::new(ModelProvider::Anthropic, key);
        model.max_tokens = self.max_tokens;
        if let Some(name) = self.model.or_else(|| env("ANTHROPIC_MODEL")) {
            model.model = name;
        }
        if let Some(url) = self.base_url.or_else(|| env("ANTHROPIC_BASE_URL")) {
            model.base_url = url;
        }
        let mut findings = Notes::default();
        if let Some(project) = self.project {
            let locations = self.locations.unwrap_or_else(Locations::from_env);
            findings.warnings =
                register_settings(&mut self.hooks, project, locations, &model).await?;
        }
        let options = self
            .session
            .model(model.model.as_str())
            .security(self.security.unwrap_or_else(|| SecurityContext::new(&cwd)))
            .cwd(cwd);
        let mut engine = Engine {
            model,
            system_prompt: self.system_prompt,
            tools: self.tools,
            max_turns: self.max_turns,
            compact_above: self.compact_above,
            ledger: Arc::default(),
        };
        engine.ledger.note(findings);
        // Sub-agents get the tools so far, and so no way to start others. A tool of the caller's takes the name first.
        if !engine.tools.is_empty() && !engine.tools.has(Task::NAME) {
            let task = Task::new(engine.clone());
            engine.tools.add(Arc::new(task));
        }
        Ok(Agent::new(engine, self.hooks, options))
    }
}

impl fmt::Debug for AgentBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AgentBuilder")
            .field("cwd", &self.cwd)
            .field("model", &self.model)
            .field("tools", &self.tools)
            .finish_non_exhaustive()
    }
}

fn env(name: &str) -> Option<String> {
    std::env::var(name)
        .ok()
        .filter(|value| !value.trim().is_empty())
}

/// The real place of a folder, so that hooks and tools see one spelling of it.
async fn folder(path: &Path) -> Result<PathBuf> {
    let given = path.to_owned();
    let real = aside(move || {
        let real = given.canonicalize()?;
        if real.is_dir() {
            Ok(real)
        } else {
            Err(std::io::ErrorKind::NotADirectory.into())
        }
    })
    .await?;
    real.map_err(|source| Error::File {
        action: "work in",
        path: path.to_owned(),
        source,
    })
}

/// Registers the hooks that settings configure, and returns what is wrong with the files.
async fn register_settings(
    hooks: &mut HookManager,
    project: PathBuf,
    locations: Locations,
    model: &ModelConfig,
) -> Result<Vec<String>> {
    let (settings, mut services) = aside(move || {
        let settings = settings::load(&project, &locations);
        let services = Services::from_settings(&settings, &locations);
        (settings, services)
    })
    .await?;
    // Prompt hooks for which nothing else is configured ask the agent's own API, for a small and fast model.
    services.model.get_or_insert_with(|| ModelConfig {
        base_url: model.base_url.clone(),
        ..ModelConfig::new(model.provider, model.api_key.clone())
    });
    settings.register_into(hooks, services);
    Ok(settings
        .diagnostics
        .iter()
        .filter(|finding| finding.severity > Severity::Note)
        .map(ToString::to_string)
        .collect())
}

/// Runs blocking work on a thread where it delays nobody.
async fn aside<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T> {
    spawn_blocking(work)
        .await
        .map_err(|error| Error::other(format!("the agent cannot be set up: {error}")))
}
