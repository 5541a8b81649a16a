//! Runs the program of a command hook: through the shell, or directly.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::PathBuf;

use rustix::io::Errno;
use tokio::process::Command;

use crate::context::HookContext;
use crate::dialect::RawOutput;
use crate::runner::environment::{LONGEST, PROJECT_DIR, fit, is_name};
use crate::runner::process::{Caps, Process, Watch};
use crate::settings::CommandAction;

/// By path: looking it up in the hook's own `PATH` would need a slower way to start it.
const SHELL: &str = "/bin/sh";

const CAPS: Caps = Caps {
    stdout: 8 * 1024 * 1024,
    stderr: 1024 * 1024,
};

/// To what the event's variables are cut when the system refuses the whole environment.
const SHORT: usize = 4096;

/// The placeholders of the exec form.
const PLACEHOLDERS: [&str; 3] = [PROJECT_DIR, "CLAUDE_PLUGIN_ROOT", "CLAUDE_PLUGIN_DATA"];

/// What the environment of a command hook starts from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum EnvBase {
    /// This process's own environment, then the context's variables.
    #[default]
    Inherited,
    /// The context's variables alone: in a daemon, the caller's environment.
    Context,
}

/// One run of a command.
#[derive(Debug)]
pub(crate) struct CommandRequest<'a> {
    /// What to run.
    pub(crate) action: &'a CommandAction,
    /// The event as one line of JSON.
    pub(crate) stdin: &'a [u8],
    /// The event's variables.
    pub(crate) variables: Vec<(String, String)>,
    /// Configured variables, which override all others.
    pub(crate) extra_env: &'a BTreeMap<String, String>,
    /// What they are added to.
    pub(crate) base: EnvBase,
    /// Where to run.
    pub(crate) ctx: &'a HookContext,
}

/// Why a command gave no result.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RunError {
    /// It was never started.
    #[error("could not start `{program}`{}: {}", in_folder(.cwd.as_ref()), explain(.source))]
    Start {
        /// The program.
        program: String,
        /// Where.
        cwd: Option<PathBuf>,
        /// Why not.
        source: io::Error,
    },
    /// A placeholder has no value.
    #[error(
        "could not start `{program}`: `${{{variable}}}` has no value here (the plugin folders exist only for a plugin's hooks)"
    )]
    Placeholder {
        /// The program.
        program: String,
        /// The variable.
        variable: &'static str,
    },
    /// It was started, but the system does not say how it exited.
    #[error("lost sight of `{program}`: {source}")]
    Lost {
        /// The program.
        program: String,
        /// Why.
        source: io::Error,
    },
}

/// Runs a command to its exit. Dropping the future ends the process and everything that it started.
pub(crate) async fn run(request: CommandRequest<'_>) -> Result<RawOutput, RunError> {
    run_watched(request, &|_| {}).await
}

/// The same, for somebody who wants to see what it prints as it comes.
pub(crate) async fn run_watched(
    request: CommandRequest<'_>,
    watch: &Watch<'_>,
) -> Result<RawOutput, RunError> {
    let process = match start(&request, LONGEST).await {
        Err(RunError::Start { source, .. }) if is_too_long(&source) => start(&request, SHORT).await,
        result => result,
    }?;
    process
        .finish(request.stdin, CAPS, watch)
        .await
        .map_err(|source| RunError::Lost {
            program: program_name(request.action),
            source,
        })
}

/// Starts a program for a longer conversation.
#[cfg(feature = "mcp")]
pub(crate) async fn converse(request: &CommandRequest<'_>) -> Result<Process, RunError> {
    start(request, LONGEST).await
}

async fn start(request: &CommandRequest<'_>, longest: usize) -> Result<Process, RunError> {
    let environment = Environment::assemble(request, longest);
    let mut command = match &request.action.args {
        None => {
            let mut command = Command::new(SHELL);
            command.arg("-c").arg(&request.action.command);
            command
        }
        Some(args) => {
            let expand = |text| {
                expand(text, &environment).map_err(|variable| RunError::Placeholder {
                    program: request.action.command.clone(),
                    variable,
                })
            };
            let mut command = Command::new(expand(&request.action.command)?);
            for arg in args {
                command.arg(expand(arg)?);
            }
            command
        }
    };
    environment.apply(&mut command);
    let folders = working_directories(request.ctx, &environment);
    // In a folder that hangs this may never return, and then keeps only its own thread.
    let starting = tokio::task::spawn_blocking(move || {
        let cwd = first_of(folders);
        if let Some(cwd) = &cwd {
            command.current_dir(cwd);
        }
        (Process::spawn(command), cwd)
    });
    let lost = |error| (Err(io::Error::other(error)), None);
    let (process, cwd) = starting.await.unwrap_or_else(lost);
    process.map_err(|source| RunError::Start {
        program: program_name(request.action),
        cwd,
        source,
    })
}

fn program_name(action: &CommandAction) -> String {
    match action.args {
        None => SHELL.to_owned(),
        Some(_) => action.command.clone(),
    }
}

/// The session's folder, for when that is gone the project's, then the user's.
fn working_directories(ctx: &HookContext, environment: &Environment<'_>) -> Vec<PathBuf> {
    let Some(wanted) = ctx.cwd.clone() else {
        return Vec::new();
    };
    let others = [PROJECT_DIR, "HOME"].iter();
    let others = others.filter_map(|name| environment.get(name));
    let others = others.map(|folder| PathBuf::from(folder.into_owned()));
    std::iter::once(wanted).chain(others).collect()
}

/// The first that exists. If none does, the first, so that the error names it.
fn first_of(folders: Vec<PathBuf>) -> Option<PathBuf> {
    let there = folders.iter().position(|folder| folder.is_dir());
    folders.into_iter().nth(there.unwrap_or_default())
}

/// The environment of one child.
struct Environment<'a> {
    base: EnvBase,
    /// On top of the base.
    changes: BTreeMap<&'a str, Cow<'a, str>>,
}

impl<'a> Environment<'a> {
    fn assemble(request: &'a CommandRequest<'_>, longest: usize) -> Self {
        let mut environment = Self {
            base: request.base,
            changes: BTreeMap::new(),
        };
        for (name, value) in &request.ctx.env {
            environment.set(name, value, LONGEST);
        }
        for (name, value) in &request.variables {
            if name != PROJECT_DIR || environment.get(name).is_none() {
                environment.set(name, value, longest);
            }
        }
        for (name, value) in request.extra_env {
            environment.set(name, value, LONGEST);
        }
        environment
    }

    fn set(&mut self, name: &'a str, value: &'a str, longest: usize) {
        if is_name(name) {
            self.changes.insert(name, fit(name, value, longest));
        } else {
            tracing::warn!(name, "not a name for an environment variable; left out");
        }
    }

    fn get(&self, name: &str) -> Option<Cow<'_, OsStr>> {
        match (self.changes.get(name), self.base) {
            (Some(value), _) => Some(Cow::Borrowed(OsStr::new(value.as_ref()))),
            (None, EnvBase::Inherited) => std::env::var_os(name).map(Cow::Owned),
            (None, EnvBase::Context) => None,
        }
    }

    fn apply(&self, command: &mut Command) {
        if self.base == EnvBase::Context {
            command.env_clear();
        }
        command.envs(
            self.changes
                .iter()
                .map(|(name, value)| (*name, value.as_ref())),
        );
    }
}

/// Fills in the placeholders in one pass, so that what they stand for is never read as a placeholder again.
/// Everything else, `$HOME` included, stays as it is. The error is the placeholder without a value.
fn expand(text: &str, environment: &Environment<'_>) -> Result<OsString, &'static str> {
    let mut expanded = OsString::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        expanded.push(before);
        let placeholder = PLACEHOLDERS
            .into_iter()
            .find_map(|name| Some((name, after.strip_prefix(name)?.strip_prefix('}')?)));
        rest = if let Some((name, after)) = placeholder {
            expanded.push(environment.get(name).ok_or(name)?);
            after
        } else {
            expanded.push("${");
            after
        };
    }
    expanded.push(rest);
    Ok(expanded)
}

fn is_too_long(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::ArgumentListTooLong
}

fn in_folder(cwd: Option<&PathBuf>) -> String {
    cwd.map(|cwd| format!(" in {}", cwd.display()))
        .unwrap_or_default()
}

fn explain(error: &io::Error) -> String {
    let advice = match error.kind() {
        io::ErrorKind::NotFound => {
            "the program, the interpreter that its first line names, or the folder does not exist"
        }
        io::ErrorKind::PermissionDenied => {
            "not allowed to run it there; is it executable (`chmod +x`)?"
        }
        io::ErrorKind::ArgumentListTooLong => {
            "the command and its variables are longer than the system allows; shorten them, or read the event from stdin"
        }
        _ if error.raw_os_error() == Some(Errno::NOEXEC.raw_os_error()) => {
            "not a program; a script needs a first line such as `#!/bin/sh`"
        }
        _ => return error.to_string(),
    };
    format!("{advice} ({error})")
}

#[cfg(test)]
mod tests;
