//! A hook that runs a shell command, for programs that need no settings file.

use std::collections::BTreeMap;
use std::time::Duration;

use async_trait::async_trait;
use regex::Regex;

use super::run_command;
use crate::context::HookContext;
use crate::dialect::Dialect;
use crate::error::{Error, Result};
use crate::event::HookEvent;
use crate::hook::{Hook, RunPolicy};
use crate::input::HookInput;
use crate::opinion::Opinion;
use crate::runner::command::EnvBase;
use crate::settings::{CommandAction, ExitPolicy};

/// A hook that runs a shell command: the event as JSON on stdin and in the environment, the answer on stdout.
///
/// It is read by the generic dialect: any non-zero exit blocks a gate, and so does a command that cannot be
/// started or takes too long.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// use bowline::hooks::{CommandHook, HookContext, HookEvent, HookInput, HookManager};
///
/// let mut manager = HookManager::new();
/// manager.register(
///     CommandHook::new("no-push", r#"case "$COMMAND" in *push*) echo "not today" >&2; exit 1;; esac"#, [HookEvent::PreToolUse])
///         .tool_pattern("^Bash$")?,
/// );
/// let input = HookInput::pre_tool_use("session-1", "Bash", serde_json::json!({"command": "git push"}));
/// let output = manager.execute(HookEvent::PreToolUse, input, &HookContext::new("session-1")).await?;
/// assert_eq!(output.stop_reason.as_deref(), Some("not today"));
/// # Ok::<(), bowline::Error>(())
/// # }).unwrap();
/// ```
#[derive(Debug, Clone)]
pub struct CommandHook {
    name: String,
    action: CommandAction,
    events: Vec<HookEvent>,
    tool_pattern: Option<Regex>,
    timeout: Duration,
    extra_env: BTreeMap<String, String>,
    priority: i32,
    policy: RunPolicy,
    environment: EnvBase,
}

impl CommandHook {
    /// A hook that runs `command` through the shell.
    pub fn new(
        name: impl Into<String>,
        command: impl Into<String>,
        events: impl IntoIterator<Item = HookEvent>,
    ) -> Self {
        Self {
            name: name.into(),
            action: CommandAction {
                command: command.into(),
                args: None,
            },
            events: events.into_iter().collect(),
            tool_pattern: None,
            timeout: Duration::from_mins(1),
            extra_env: BTreeMap::new(),
            priority: 0,
            policy: RunPolicy::default(),
            environment: EnvBase::Inherited,
        }
    }

    /// Starts `command` directly with these arguments, without a shell.
    pub fn args<A: Into<String>>(mut self, args: impl IntoIterator<Item = A>) -> Self {
        self.action.args = Some(args.into_iter().map(Into::into).collect());
        self
    }

    /// Only tools whose name the pattern finds.
    pub fn tool_pattern(mut self, pattern: &str) -> Result<Self> {
        let compiled = Regex::new(pattern).map_err(|error| Error::Pattern {
            pattern: pattern.to_owned(),
            reason: error.to_string(),
        })?;
        self.tool_pattern = Some(compiled);
        Ok(self)
    }

    /// How long it may take.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// How long it may take, in seconds.
    pub fn timeout_secs(self, seconds: u64) -> Self {
        self.timeout(Duration::from_secs(seconds))
    }

    /// Higher runs first.
    pub fn priority(mut self, priority: i32) -> Self {
        self.priority = priority;
        self
    }

    /// Sets a variable, over any other of that name.
    pub fn env(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.extra_env.insert(name.into(), value.into());
        self
    }

    /// What the command's environment starts from.
    pub fn environment(mut self, base: EnvBase) -> Self {
        self.environment = base;
        self
    }

    /// How the manager runs it.
    pub fn policy(mut self, policy: RunPolicy) -> Self {
        self.policy = policy;
        self
    }
}

#[async_trait]
impl Hook for CommandHook {
    fn name(&self) -> &str {
        &self.name
    }

    fn events(&self) -> &[HookEvent] {
        &self.events
    }

    fn tool_matcher(&self) -> Option<&Regex> {
        self.tool_pattern.as_ref()
    }

    fn timeout_secs(&self) -> u64 {
        self.timeout.as_secs()
    }

    fn timeout(&self) -> Duration {
        self.timeout
    }

    fn priority(&self) -> i32 {
        self.priority
    }

    fn policy(&self) -> RunPolicy {
        self.policy.clone()
    }

    async fn opinion(&self, input: &HookInput, ctx: &HookContext) -> Result<Opinion> {
        let raw = run_command(&self.action, input, ctx, &self.extra_env, self.environment)
            .await
            .map_err(|error| Error::HookFailed {
                hook: self.name.clone(),
                reason: error.to_string(),
            })?;
        Dialect::Generic.read_output(&self.name, input.event_type(), &raw, ExitPolicy::AnyNonZero)
    }
}
