//! The hook settings of agents: which files they are, and how Bowline is put into them and taken out again.
//!
//! Everything that changes a text is a function from text to text; only `file` touches the disk.

pub(crate) mod agents;
pub(crate) mod backups;
pub(crate) mod client;
mod cline;
pub(crate) mod diff;
mod edit;
pub(crate) mod effort_skill;
pub(crate) mod entry_file;
pub(crate) mod file;
mod groups;
pub(crate) mod installable;
mod kinds;
mod opencode;
mod own;
pub(crate) mod places;
pub(crate) mod preview;
pub(crate) mod program;
pub(crate) mod refusals;
pub(crate) mod shell_words;
mod switches;
mod tables;
pub(crate) mod trust;

use std::time::Duration;

use bowline_agents::ClientVersion;
use bowline_wire::{FailMode, USUAL_TIMEOUT};
use serde::Serialize;

pub(crate) use agents::CLAUDE_CODE;
pub(crate) use installable::Installable;

/// Whose settings Bowline is put into.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
pub(crate) enum InstallScope {
    /// Yours, for every project
    User,
    /// The project's, for everybody who works on it
    Project,
    /// Yours, for this project only
    Local,
}

impl InstallScope {
    pub(crate) const ALL: [Self; 3] = [Self::User, Self::Project, Self::Local];

    /// The permissions of a new settings file. A user's file may hold secrets later; a project's is public.
    pub(crate) const fn new_file_mode(self) -> u32 {
        match self {
            Self::User | Self::Local => 0o600,
            Self::Project => 0o644,
        }
    }

    /// The word of the command line.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Project => "project",
            Self::Local => "local",
        }
    }
}

/// One hook of an agent's settings that starts Bowline.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Entry {
    /// The event, as the agent spells it.
    pub(crate) event: String,
    /// The program, or a line for the shell.
    pub(crate) command: String,
    /// The program's arguments; none for a line.
    pub(crate) args: Option<Vec<String>>,
    /// The agent's limit, in seconds; nothing where none is written.
    pub(crate) timeout: Option<u32>,
    /// Whether the agent itself blocks when the hook cannot run.
    pub(crate) blocks_on_failure: bool,
}

impl Entry {
    /// How long an answer may take: what `bowline-hook` is told, and the agent's own limit.
    pub(crate) fn limit(&self) -> Duration {
        let words = self.args.iter().flatten().map(String::as_str);
        let mut words = words.chain(self.command.split_whitespace());
        let told = words.find_map(|word| word.strip_prefix("--timeout=")?.parse().ok());
        let told = told.unwrap_or(USUAL_TIMEOUT);
        let seconds = self.timeout.map_or(told, |agents| agents.min(told));
        Duration::from_secs(seconds.into())
    }
}

/// An [`Entry`] as it was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Found {
    #[serde(flatten)]
    pub(crate) entry: Entry,
    /// The group's matcher, if it narrows which occurrences arrive.
    pub(crate) matcher: Option<String>,
}

/// A key of the settings that the agent does not read, because it comes again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Shadowed {
    /// From 1.
    pub(crate) line: usize,
    pub(crate) key: String,
    /// The line of the one that it reads.
    pub(crate) read_line: usize,
}

impl Shadowed {
    pub(crate) fn told(&self) -> String {
        let Self {
            line,
            key,
            read_line,
        } = self;
        format!("line {line}: `{key}` comes again in line {read_line}, and only that one is read")
    }
}

/// How Bowline is to be started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Plan {
    pub(crate) scope: InstallScope,
    /// The client that reads the entries. Nothing is written that it does not know.
    pub(crate) client: ClientVersion,
    /// The absolute path of `bowline-hook`.
    pub(crate) program: String,
    pub(crate) on_failure: FailMode,
    /// Where the person's files are: `NAME=VALUE` of the variables that say so. A project may set those for the agent.
    pub(crate) places: Vec<String>,
    /// The absolute path of `bowline`, if it is to be shown in the agent's status line.
    pub(crate) status_line: Option<String>,
}

/// Why a settings file was left alone: what was found where, and what was expected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub(crate) struct Unfit {
    /// From 1.
    pub(crate) line: usize,
    pub(crate) message: String,
}
