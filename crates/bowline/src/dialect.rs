//! How one agent spells events and answers in JSON. Domain types know nothing of this.

pub mod claude_code;
pub mod generic;

use std::fmt;
use std::str::FromStr;

use crate::event::HookEvent;
use crate::output::HookOutput;

/// The rules by which a settings file, a hook's output and an answer are read and written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Dialect {
    /// Claude Code's own.
    ClaudeCode,
    /// Bowline's own, the superset that the library and `bowline.toml` use.
    Generic,
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::ClaudeCode => "claude-code",
            Self::Generic => "generic",
        })
    }
}

impl FromStr for Dialect {
    type Err = crate::Error;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        match name {
            "claude-code" => Ok(Self::ClaudeCode),
            "generic" => Ok(Self::Generic),
            other => Err(crate::Error::other(format!(
                "`{other}` is not a dialect; expected `claude-code` or `generic`"
            ))),
        }
    }
}

/// What a hook's process, server or tool gave back, before it is understood.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RawOutput {
    /// How it ended.
    pub exit: Exit,
    /// Standard output, or the body.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
    /// Standard output was longer than the cap and was cut.
    pub stdout_cut: bool,
    /// Standard error was longer than the cap and was cut.
    pub stderr_cut: bool,
}

/// How a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// With this code.
    Code(i32),
    /// By this signal.
    Signal(i32),
}

impl Default for Exit {
    fn default() -> Self {
        Self::Code(0)
    }
}

/// An answer as the agent expects it from the program that it started.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reply {
    /// The exit code.
    pub exit_code: u8,
    /// What to print on standard output.
    pub stdout: String,
    /// What to print on standard error.
    pub stderr: String,
}

impl Dialect {
    /// Writes an answer for the agent. No opinion is silence; only a grant is ever an "allow".
    pub fn encode(self, event: HookEvent, output: &HookOutput) -> Reply {
        match self {
            Self::ClaudeCode => claude_code::encode(event, output),
            Self::Generic => generic::encode(event, output),
        }
    }
}
