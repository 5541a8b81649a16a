//! The language of settings files and of what their hooks print. How an agent itself is answered is in [`agents`](crate::agents).

mod answer;
mod claude_code;
mod generic;

use std::fmt;
use std::str::FromStr;

use crate::error::Result;
use crate::event::HookEvent;
use crate::opinion::Opinion;
use crate::settings::ExitPolicy;

/// The rules by which a settings file and what its hooks print are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Dialect {
    /// Claude Code's own.
    ClaudeCode,
    /// Bowline's own, the superset that the library and `bowline.toml` use.
    Generic,
}

impl Dialect {
    /// Both.
    pub const ALL: [Self; 2] = [Self::ClaudeCode, Self::Generic];

    /// Its name: that of the agent whose files are written so.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ClaudeCode => bowline_agents::claude_code::AGENT.name,
            Self::Generic => bowline_agents::generic::AGENT.name,
        }
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Dialect {
    type Err = crate::Error;

    fn from_str(name: &str) -> Result<Self> {
        let mut all = Self::ALL.into_iter();
        all.find(|dialect| dialect.name() == name).ok_or_else(|| {
            let [first, second] = Self::ALL.map(Self::name);
            crate::Error::other(format!(
                "`{name}` is not a dialect; expected `{first}` or `{second}`"
            ))
        })
    }
}

/// The raw result of a hook's process, server or tool.
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
}
