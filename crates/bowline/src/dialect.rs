//! How one agent spells events and answers in JSON. Domain types know nothing of this.

mod answer;
mod claude_code;
mod generic;

use std::fmt;
use std::str::FromStr;

use crate::error::Result;
use crate::event::{EventClass, HookEvent};
use crate::opinion::Opinion;
use crate::settings::ExitPolicy;

pub use claude_code::{ClientVersion, Feature, NoVersion};

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

    fn from_str(name: &str) -> Result<Self> {
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

/// Whether a text is all that was sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Completeness {
    /// It is.
    Whole,
    /// It was longer than the cap and was cut.
    Cut,
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

impl Reply {
    /// Silence, or one line with one JSON object.
    fn json(object: answer::Object) -> Self {
        let stdout = if object.is_empty() {
            String::new()
        } else {
            format!("{}\n", serde_json::Value::Object(object))
        };
        Self {
            stdout,
            ..Self::default()
        }
    }
}

impl Dialect {
    /// Reads what a command hook printed. `Err` is a failure of the hook, not a block.
    pub fn read_output(
        self,
        hook: &str,
        event: HookEvent,
        raw: &RawOutput,
        policy: ExitPolicy,
    ) -> Result<Opinion> {
        match self {
            Self::ClaudeCode => claude_code::read_output(hook, event, raw, policy),
            Self::Generic => generic::read_output(hook, event, raw, policy),
        }
    }

    /// Reads the body of a successful HTTP answer: nothing, or one JSON object. Anything else is a failure
    /// of the hook.
    pub fn read_body(
        self,
        hook: &str,
        event: HookEvent,
        body: &str,
        completeness: Completeness,
    ) -> Result<Opinion> {
        let Some(object) = answer::body(hook, body, completeness)? else {
            return Ok(Opinion::allow());
        };
        match self {
            Self::ClaudeCode => claude_code::read_answer(hook, event, &object),
            Self::Generic => Ok(generic::read_answer(hook, event, &object)),
        }
    }

    /// Whether a block on this event has an effect: it prevents, or its reason reaches the model. Elsewhere it
    /// is at most shown to the user.
    pub const fn enforces(self, event: HookEvent) -> bool {
        match self {
            Self::ClaudeCode => claude_code::enforces(event),
            Self::Generic => !matches!(event.class(), EventClass::Observe),
        }
    }

    /// Writes an answer for the agent. No opinion is silence; only a grant is ever an "allow".
    pub fn encode(self, event: HookEvent, output: &Opinion) -> Reply {
        match self {
            Self::ClaudeCode => claude_code::encode(event, output),
            Self::Generic => generic::encode(event, output),
        }
    }
}
