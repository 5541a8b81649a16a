//! Runs scripts as command hooks are run, for programs that want nothing but that.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use crate::context::HookContext;
use crate::dialect::Exit;
use crate::error::{Error, Result};
use crate::runner::command::{self, CommandRequest, EnvBase};
use crate::settings::CommandAction;

/// The exit code of a script that took too long, as `timeout` has it.
const TIMED_OUT: i32 = 124;

/// Runs shell commands within a time limit. Dropping the future ends the command and everything that it started.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// use bowline::hooks::ScriptExecutor;
///
/// let result = ScriptExecutor::new()
///     .execute("echo \"$TOOL_NAME\"; exit 3", [("TOOL_NAME", "Bash")])
///     .await?;
/// assert_eq!((result.exit_code, result.stdout.as_str()), (3, "Bash\n"));
/// assert!(!result.timed_out);
/// # Ok::<(), bowline::Error>(())
/// # }).unwrap();
/// ```
#[derive(Debug, Clone)]
pub struct ScriptExecutor {
    timeout: Duration,
    cwd: Option<PathBuf>,
    environment: EnvBase,
}

/// How a script ended.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ExecutionResult {
    /// Its exit code; 128 and more if a signal ended it, 124 if it took too long.
    pub exit_code: i32,
    /// What it printed, up to 8 MB. Nothing if it took too long.
    pub stdout: String,
    /// What it printed as errors, up to 1 MB. Nothing if it took too long.
    pub stderr: String,
    /// Whether it took too long and was ended.
    pub timed_out: bool,
}

impl Default for ScriptExecutor {
    fn default() -> Self {
        Self {
            timeout: Duration::from_mins(1),
            cwd: None,
            environment: EnvBase::Inherited,
        }
    }
}

impl ScriptExecutor {
    /// Runs scripts here, for a minute at most, with this process's environment.
    pub fn new() -> Self {
        Self::default()
    }

    /// How long a script may take.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Where scripts run; at home if that folder is gone.
    pub fn cwd(mut self, cwd: impl Into<PathBuf>) -> Self {
        self.cwd = Some(cwd.into());
        self
    }

    /// What their environment starts from.
    pub fn environment(mut self, base: EnvBase) -> Self {
        self.environment = base;
        self
    }

    /// Runs a command through the shell, with these variables over all others. An error means that it could not be started.
    pub async fn execute<N: Into<String>, V: Into<String>>(
        &self,
        command: &str,
        env: impl IntoIterator<Item = (N, V)>,
    ) -> Result<ExecutionResult> {
        self.execute_watched(command, env, &|_| {}).await
    }

    /// The same, and tells what the command prints as it comes, in pieces of any length.
    pub async fn execute_watched<N: Into<String>, V: Into<String>>(
        &self,
        command: &str,
        env: impl IntoIterator<Item = (N, V)>,
        watch: &(dyn Fn(&[u8]) + Sync),
    ) -> Result<ExecutionResult> {
        let action = CommandAction {
            command: command.to_owned(),
            args: None,
        };
        let env: BTreeMap<String, String> = env
            .into_iter()
            .map(|(name, value)| (name.into(), value.into()))
            .collect();
        let mut ctx = HookContext::new("");
        ctx.cwd.clone_from(&self.cwd);
        let request = CommandRequest {
            action: &action,
            stdin: b"",
            variables: Vec::new(),
            extra_env: &env,
            base: self.environment,
            ctx: &ctx,
        };
        let run = command::run_watched(request, watch);
        let Ok(ended) = tokio::time::timeout(self.timeout, run).await else {
            return Ok(ExecutionResult {
                exit_code: TIMED_OUT,
                stdout: String::new(),
                stderr: String::new(),
                timed_out: true,
            });
        };
        let raw = ended.map_err(|error| Error::other(error.to_string()))?;
        Ok(ExecutionResult {
            exit_code: match raw.exit {
                Exit::Code(code) => code,
                Exit::Signal(signal) => 128 + signal,
            },
            stdout: raw.stdout,
            stderr: raw.stderr,
            timed_out: false,
        })
    }
}
