//! Hooks made of settings: a definition, what it runs, and the dialect that reads what comes back.

mod command_hook;
mod services;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;

#[cfg(feature = "agent")]
use crate::agent::View;
use crate::condition::Condition;
use crate::context::HookContext;
use crate::dialect::{Dialect, RawOutput};
use crate::error::{Error, Result};
use crate::event::HookEvent;
#[cfg(feature = "agent")]
use crate::execution::Secrets;
use crate::hook::{Activation, Hook, Match, Parts, RunPolicy};
use crate::input::HookInput;
use crate::manager::HookManager;
use crate::opinion::Opinion;
use crate::runner::command::{self, CommandRequest, EnvBase};
use crate::runner::environment::{PROJECT_DIR, event_variables};
#[cfg(feature = "http")]
use crate::runner::http;
#[cfg(feature = "mcp")]
use crate::runner::mcp;
#[cfg(feature = "prompt")]
use crate::runner::prompt;
use crate::settings::{Action, CommandAction, Dedupe, HookDefinition, Settings};
pub use command_hook::CommandHook;
pub use services::Services;

/// One hook of a settings file, ready to run.
pub(crate) struct ConfiguredHook {
    definition: HookDefinition,
    policy: RunPolicy,
    /// The definition's variables and the project's folder.
    env_with_project: BTreeMap<String, String>,
    services: Arc<Services>,
}

impl ConfiguredHook {
    pub(crate) fn new(definition: HookDefinition, services: Arc<Services>) -> Self {
        let policy = RunPolicy {
            mode: definition.mode,
            on_failure: definition.on_failure,
            on_timeout: definition.on_timeout,
            attempts: definition.attempts,
            repeat: definition.repeat,
            parallel_group: definition.parallel_group,
            activation: definition.activation.clone(),
            identity: identity(&definition),
            parts: Parts::Each,
        };
        let mut env_with_project = definition.env.clone();
        if let Some(project) = &services.project {
            env_with_project
                .entry(PROJECT_DIR.to_owned())
                .or_insert_with(|| project.to_string_lossy().into_owned());
        }
        Self {
            definition,
            policy,
            env_with_project,
            services,
        }
    }

    fn failed(&self, reason: impl fmt::Display) -> Error {
        Error::HookFailed {
            hook: self.definition.id.clone(),
            reason: reason.to_string(),
        }
    }

    async fn run_command(
        &self,
        action: &CommandAction,
        input: &HookInput,
        ctx: &HookContext,
    ) -> Result<Opinion> {
        let definition = &self.definition;
        if let Some(variable) = self.missing_plugin_variable(action, ctx) {
            return Err(self.failed(format!(
                "`${{{variable}}}` is set only for the hooks of a plugin or a skill"
            )));
        }
        let env = if ctx.env.contains_key(PROJECT_DIR) {
            &definition.env
        } else {
            &self.env_with_project
        };
        let env = match definition.origin.dialect {
            Dialect::ClaudeCode => &with_client_variables(env, input, ctx),
            Dialect::Generic => env,
        };
        let base = self.services.environment;
        let raw = run_command(action, input, ctx, env, base)
            .await
            .map_err(|error| self.failed(error))?;
        definition.origin.dialect.read_output(
            &definition.id,
            input.event_type(),
            &raw,
            definition.exit_policy,
        )
    }

    /// As in Claude Code, a command that needs a plugin's folder and has none does not start: with an empty
    /// variable it could do harm.
    fn missing_plugin_variable(
        &self,
        action: &CommandAction,
        ctx: &HookContext,
    ) -> Option<&'static str> {
        ["CLAUDE_PLUGIN_ROOT", "CLAUDE_PLUGIN_DATA"]
            .into_iter()
            .find(|name| {
                action.command.contains(&format!("${{{name}}}"))
                    && !self.definition.env.contains_key(*name)
                    && !ctx.env.contains_key(*name)
            })
    }

    #[cfg(feature = "http")]
    async fn run_http(
        &self,
        action: &crate::settings::HttpAction,
        input: &HookInput,
        ctx: &HookContext,
    ) -> Result<Opinion> {
        let definition = &self.definition;
        let body = input.to_payload(ctx).to_string();
        let variable = |name: &str| self.services.variable(name, ctx);
        let limit = definition.timeout.limit;
        let reply = http::run(
            action,
            body.as_bytes(),
            &variable,
            &self.services.http,
            limit,
        )
        .await
        .map_err(|error| self.failed(error))?;
        let dialect = definition.origin.dialect;
        dialect.read_body(
            &definition.id,
            input.event_type(),
            &reply.body,
            reply.completeness,
        )
    }

    #[cfg(feature = "prompt")]
    async fn run_prompt(
        &self,
        action: &crate::settings::PromptAction,
        input: &HookInput,
        ctx: &HookContext,
    ) -> Result<Opinion> {
        let definition = &self.definition;
        let payload = input.to_payload(ctx);
        let model = self.services.model(ctx);
        let limit = definition.timeout.limit;
        prompt::run(
            action,
            input,
            ctx,
            &payload,
            definition.origin.dialect,
            model.as_deref(),
            limit,
        )
        .await
        .map_err(|error| self.failed(error))
    }

    #[cfg(feature = "mcp")]
    async fn run_mcp_tool(
        &self,
        action: &crate::settings::McpToolAction,
        input: &HookInput,
        ctx: &HookContext,
    ) -> Result<Opinion> {
        let definition = &self.definition;
        let place = mcp::Surroundings {
            servers: &self.services.mcp_servers,
            base: self.services.environment,
            project: self.services.project.as_deref(),
            http: &self.services.http,
            ctx,
        };
        let raw = mcp::run(action, &input.to_payload(ctx), place)
            .await
            .map_err(|error| self.failed(error))?;
        definition.origin.dialect.read_output(
            &definition.id,
            input.event_type(),
            &raw,
            definition.exit_policy,
        )
    }

    #[cfg(feature = "agent")]
    async fn run_agent(
        &self,
        action: &crate::settings::AgentAction,
        input: &HookInput,
        ctx: &HookContext,
    ) -> Result<Opinion> {
        let services = &self.services;
        let project = services.project.clone().or_else(|| ctx.cwd.clone());
        let project = project.ok_or_else(|| self.failed("there is no project to look at"))?;
        let (home, policy) = (services.home.as_deref(), services.sensitive.clone());
        let view = View {
            secrets: Secrets::of_project(&project, home, policy),
            project,
        };
        let payload = input.to_payload(ctx);
        let event = prompt::Event {
            input,
            ctx,
            payload: &payload,
        };
        let model = services.model(ctx);
        let dialect = self.definition.origin.dialect;
        prompt::agent::run(action, event, dialect, model.as_deref(), view)
            .await
            .map_err(|error| self.failed(error))
    }

    /// Without its feature a kind of hook is passed over, and says so.
    #[cfg(not(all(feature = "agent", feature = "mcp")))]
    fn without_feature(&self, feature: &str) -> Opinion {
        Opinion::allow().warning(format!(
            "hook `{}` was skipped: this program was built without the feature `{feature}`",
            self.definition.id
        ))
    }
}

/// What hooks of Claude Code's files find in their environment there. What the caller brings, or the hook sets, stays.
fn with_client_variables(
    env: &BTreeMap<String, String>,
    input: &HookInput,
    ctx: &HookContext,
) -> BTreeMap<String, String> {
    let session = match input.session_id.as_str() {
        "" => &ctx.session_id,
        session => session,
    };
    let takes_exports = matches!(
        input.event_type(),
        HookEvent::SessionStart | HookEvent::Setup | HookEvent::CwdChanged | HookEvent::FileChanged
    );
    let mut env = env.clone();
    for (name, value) in [
        ("CLAUDECODE", Some("1")),
        ("CLAUDE_CODE_SESSION_ID", Some(session)),
        // Only the client runs what is written there. Writing must not fail without it.
        ("CLAUDE_ENV_FILE", takes_exports.then_some("/dev/null")),
    ] {
        if let Some(value) = value
            && !ctx.env.contains_key(name)
        {
            env.entry(name.to_owned())
                .or_insert_with(|| value.to_owned());
        }
    }
    env
}

/// Claude Code runs identical handlers of one event once, whichever of their groups match.
fn identity(definition: &HookDefinition) -> Option<Arc<str>> {
    (definition.dedupe == Dedupe::Event).then(|| {
        let origin = &definition.origin;
        // A skill's or sub-agent's hook is never the same as another file's.
        let file = match definition.activation {
            Activation::Always => None,
            _ => origin.file.as_deref(),
        };
        let plugin = origin.plugin.as_ref().map(|plugin| plugin.root.as_path());
        let root = plugin.or(file);
        let condition = definition.condition.as_ref().map(Condition::source);
        let action = match (origin.dialect, &definition.action) {
            (Dialect::ClaudeCode, Action::Http(action)) => format!("http {}", action.url),
            (Dialect::ClaudeCode, Action::Prompt(action)) => format!("prompt {}", action.prompt),
            (_, action) => format!("{action:?}"),
        };
        format!("{root:?} {condition:?} {action}").into()
    })
}

/// Runs a command for an event, with the event on stdin and in the environment.
async fn run_command(
    action: &CommandAction,
    input: &HookInput,
    ctx: &HookContext,
    extra_env: &BTreeMap<String, String>,
    base: EnvBase,
) -> Result<RawOutput, command::RunError> {
    let mut line = input.to_payload(ctx).to_string();
    line.push('\n');
    command::run(CommandRequest {
        action,
        stdin: line.as_bytes(),
        variables: event_variables(input, ctx),
        extra_env,
        base,
        ctx,
    })
    .await
}

#[async_trait]
impl Hook for ConfiguredHook {
    fn name(&self) -> &str {
        &self.definition.id
    }

    fn events(&self) -> &[HookEvent] {
        std::slice::from_ref(&self.definition.event)
    }

    fn timeout_secs(&self) -> u64 {
        self.definition.timeout.limit.as_secs()
    }

    fn timeout(&self) -> Duration {
        self.definition.timeout.limit
    }

    fn priority(&self) -> i32 {
        self.definition.priority
    }

    fn policy(&self) -> RunPolicy {
        self.policy.clone()
    }

    fn matches(&self, input: &HookInput) -> Match {
        match (
            self.definition.matcher.matches(input),
            &self.definition.condition,
        ) {
            (Match::Yes, Some(condition)) => {
                condition.matches(input, self.services.home.as_deref())
            }
            (answer, _) => answer,
        }
    }

    async fn opinion(&self, input: &HookInput, ctx: &HookContext) -> Result<Opinion> {
        match &self.definition.action {
            Action::Command(action) => self.run_command(action, input, ctx).await,
            #[cfg(feature = "http")]
            Action::Http(action) => self.run_http(action, input, ctx).await,
            #[cfg(not(feature = "http"))]
            Action::Http(_) => Ok(self.without_feature("http")),
            #[cfg(feature = "prompt")]
            Action::Prompt(action) => self.run_prompt(action, input, ctx).await,
            #[cfg(not(feature = "prompt"))]
            Action::Prompt(_) => Ok(self.without_feature("prompt")),
            #[cfg(feature = "agent")]
            Action::Agent(action) => self.run_agent(action, input, ctx).await,
            #[cfg(not(feature = "agent"))]
            Action::Agent(_) => Ok(self.without_feature("agent")),
            #[cfg(feature = "mcp")]
            Action::McpTool(action) => self.run_mcp_tool(action, input, ctx).await,
            #[cfg(not(feature = "mcp"))]
            Action::McpTool(_) => Ok(self.without_feature("mcp")),
        }
    }
}

impl Settings {
    /// A manager with every hook in force, in order.
    pub fn manager(&self, services: Services) -> HookManager {
        let mut manager = HookManager::new();
        self.register_into(&mut manager, services);
        manager
    }

    /// Adds every hook in force to a manager, in order.
    pub fn register_into(&self, manager: &mut HookManager, services: Services) {
        let services = Arc::new(services);
        for definition in self.in_force() {
            let hook = ConfiguredHook::new(definition.clone(), Arc::clone(&services));
            manager.register_arc(Arc::new(hook));
        }
    }
}

#[cfg(test)]
mod tests;
