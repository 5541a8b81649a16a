//! How Bowline is put into an agent's settings, and how `bowline doctor` tries it out.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::answer::Answer;
use crate::event::HookEvent;
use crate::version::ClientVersion;

/// How Bowline is put into an agent's settings. All fields are required, as in [`Agent`](crate::Agent).
#[derive(Debug)]
pub struct Registration {
    /// The agent's folder of the user.
    pub folder: UserFolder,
    /// Its settings files.
    pub files: SettingsFiles,
    /// The program that reads them.
    pub client: ClientProgram,
    /// The agent's limit for one hook, in seconds, which `bowline-hook` expects.
    pub timeout: u32,
    /// The limit on the events on which tests may run or a question may wait for a person, which `bowline-hook` is told.
    pub long_timeout: u32,
    /// The events on which a hook takes the place of what the agent does. Bowline is not registered for them.
    pub replacing: &'static [HookEvent],
    /// Whether a client of this version has the event.
    pub has_event: fn(HookEvent, ClientVersion) -> bool,
    /// The part of an entry that gives a program its arguments, without a shell.
    pub arguments: Option<EntryPart>,
    /// The part of an entry that makes the agent block when the hook cannot run.
    pub blocking: Option<EntryPart>,
    /// Whether the agent looks at that part on this event.
    pub blocks_at: fn(HookEvent) -> bool,
    /// How the entry is tried out.
    pub canary: Canary,
}

/// The agent's folder of the user.
#[derive(Debug)]
pub struct UserFolder {
    /// The variable that names it.
    pub variable: Option<&'static str>,
    /// Its path in the home folder, where the variable does not name another.
    pub in_home: &'static str,
}

/// The names of an agent's settings files.
#[derive(Debug)]
pub struct SettingsFiles {
    /// The user's, in the agent's folder of the user.
    pub user: &'static str,
    /// The project's, in the project; nothing where the agent has none.
    pub project: Option<&'static str>,
    /// The user's for one project, in the project; nothing where the agent has none.
    pub local: Option<&'static str>,
}

/// The program that runs as the agent. It says its version when it is started with `--version`.
#[derive(Debug)]
pub struct ClientProgram {
    /// Its name on the path.
    pub name: &'static str,
    /// Where in the agent's folder its own installer puts it.
    pub in_folder: Option<&'static str>,
    /// The oldest version that Bowline is tried with.
    pub oldest: ClientVersion,
}

/// A part of an entry that older clients do not know.
#[derive(Debug)]
pub struct EntryPart {
    /// Its name in the settings.
    pub name: &'static str,
    /// The first version that knows it.
    pub since: ClientVersion,
}

/// How the agent reports a shell command before it runs, and what it makes of an answer.
#[derive(Debug)]
pub struct Canary {
    /// The event, as the agent spells it.
    pub event: &'static str,
    /// The tool that runs shell commands.
    pub tool: &'static str,
    /// What the hook gets.
    pub payload: fn(&CanaryCall<'_>) -> Value,
    /// What an answer means; nothing for what is neither an answer nor silence.
    pub meaning: fn(&Answer) -> Option<CanaryAnswer>,
}

/// A shell command that is reported and never run.
#[derive(Debug, Clone, Copy)]
pub struct CanaryCall<'a> {
    /// The session that it belongs to.
    pub session: &'a str,
    /// The folder in which it would run.
    pub folder: &'a str,
    /// The command.
    pub command: &'a str,
}

/// What an agent makes of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CanaryAnswer {
    /// The command passes.
    Silent,
    /// It passes, with a message for the person.
    Told,
    /// It is denied.
    Deny,
    /// The person is asked; why.
    Ask(String),
}

impl UserFolder {
    /// The folder of a user with these variables. One that is empty or relative counts as not set.
    pub fn find(
        &self,
        variable: impl Fn(&str) -> Option<OsString>,
        home: Option<&Path>,
    ) -> Option<PathBuf> {
        let named = self.variable.and_then(variable).map(PathBuf::from);
        named
            .filter(|path| path.is_absolute())
            .or_else(|| Some(home?.join(self.in_home)))
    }
}

impl EntryPart {
    /// Whether a client of this version knows it.
    pub fn is_known_to(&self, client: ClientVersion) -> bool {
        client >= self.since
    }
}

impl Registration {
    /// Whether Bowline is registered for the event with a client of this version.
    pub fn registers(&self, event: HookEvent, client: ClientVersion) -> bool {
        !self.replacing.contains(&event) && (self.has_event)(event, client)
    }

    /// The limit for a hook on this event, in seconds.
    pub const fn timeout_of(&self, event: HookEvent) -> u32 {
        match event {
            HookEvent::PreToolUse | HookEvent::Stop | HookEvent::SubagentStop => self.long_timeout,
            _ => self.timeout,
        }
    }

    /// Whether a client of this version starts a program with arguments, without a shell.
    pub fn takes_arguments(&self, client: ClientVersion) -> bool {
        let part = self.arguments.as_ref();
        part.is_some_and(|part| part.is_known_to(client))
    }

    /// Whether a client of this version can be told to block when the hook for the event cannot run.
    pub fn can_block(&self, event: HookEvent, client: ClientVersion) -> bool {
        let part = self.blocking.as_ref();
        part.is_some_and(|part| part.is_known_to(client)) && (self.blocks_at)(event)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_variable_counts_more_than_the_home() {
        let folder = UserFolder {
            variable: Some("CLAUDE_CONFIG_DIR"),
            in_home: ".claude",
        };
        for (variable, home, expected) in [
            (Some("/c"), Some("/home/ann"), Some("/c")),
            (Some("/c"), None, Some("/c")),
            (Some("c"), Some("/home/ann"), Some("/home/ann/.claude")),
            (Some(""), Some("/home/ann"), Some("/home/ann/.claude")),
            (None, Some("/home/ann"), Some("/home/ann/.claude")),
            (None, None, None),
        ] {
            let found = folder.find(|_| variable.map(OsString::from), home.map(Path::new));
            assert_eq!(found.as_deref(), expected.map(Path::new), "{variable:?}");
        }
    }
}
