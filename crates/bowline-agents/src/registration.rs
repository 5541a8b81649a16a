//! How Bowline is put into an agent's settings, and how `bowline doctor` tries it out.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::answer::Answer;
use crate::decision::Decision;
use crate::event::HookEvent;
use crate::reading::Reading;
use crate::version::ClientVersion;

/// How Bowline is put into an agent's settings. All fields are required, as in [`Agent`](crate::Agent).
#[derive(Debug)]
pub struct Registration {
    /// The agent's folder of the user.
    pub folder: UserFolder,
    /// Its settings files.
    pub files: SettingsFiles,
    /// The folders with its transcripts, in its folder of the user: those whose lines say what messages used. Empty where it keeps none that
    /// Bowline can read.
    pub transcripts: &'static [&'static str],
    /// The program that reads them.
    pub client: ClientProgram,
    /// The agent's limit for one hook, in seconds.
    pub timeout: u32,
    /// The limit on the events on which tests may run or a question may wait for a person.
    pub long_timeout: u32,
    /// The events on which the agent never waits longer than this, in seconds, whatever an entry says.
    pub short_timeouts: &'static [(HookEvent, u32)],
    /// The events on which a hook takes the place of what the agent does. Bowline is not registered for them.
    pub replacing: &'static [HookEvent],
    /// Whether a client of this version has the event.
    pub has_event: fn(HookEvent, ClientVersion) -> bool,
    /// Whether Bowline is registered under this name of an event. Where an agent has several for one, not all of them need an entry.
    pub is_entered: fn(&str) -> bool,
    /// The part of an entry that gives a program its arguments, without a shell.
    pub arguments: Option<EntryPart>,
    /// The part of an entry that makes the agent block when the hook cannot run.
    pub blocking: Option<EntryPart>,
    /// Whether the agent looks at that part on this event.
    pub blocks_at: fn(HookEvent) -> bool,
    /// Whether a hook that prints nothing counts as one that cannot run.
    pub blocks_on_silence: bool,
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

impl CanaryAnswer {
    /// What an agent makes of an answer, by what is known of the agent.
    pub(crate) fn read(reading: Option<Reading>) -> Option<Self> {
        let Reading {
            decision,
            reason,
            message,
            ..
        } = reading?;
        match decision {
            Decision::Deny => Some(Self::Deny),
            Decision::Ask => Some(Self::Ask(reason.unwrap_or_default())),
            Decision::NoOpinion if message.is_some() => Some(Self::Told),
            Decision::NoOpinion => Some(Self::Silent),
            Decision::Grant => None,
        }
    }
}

impl UserFolder {
    /// The folder of a user with these variables. One that is empty or relative counts as not set. What is in `.config` is where
    /// `XDG_CONFIG_HOME` says.
    pub fn find(
        &self,
        variable: impl Fn(&str) -> Option<OsString>,
        home: Option<&Path>,
    ) -> Option<PathBuf> {
        let absolute = |name: &str| {
            let path = variable(name).map(PathBuf::from);
            path.filter(|path| path.is_absolute())
        };
        let in_config = || {
            let below = self.in_home.strip_prefix(".config/")?;
            Some(absolute("XDG_CONFIG_HOME")?.join(below))
        };
        self.variable
            .and_then(absolute)
            .or_else(in_config)
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
    /// The folders in which a user with these variables has the agent's transcripts.
    pub fn transcript_folders(
        &self,
        variable: impl Fn(&str) -> Option<OsString>,
        home: Option<&Path>,
    ) -> impl Iterator<Item = PathBuf> {
        let folder = self.folder.find(variable, home);
        let folders = self.transcripts.iter();
        folders.filter_map(move |below| Some(folder.as_ref()?.join(below)))
    }

    /// Whether Bowline is registered for the event under this name of the agent's, with a client of this version.
    pub fn registers(&self, (name, event): (&str, HookEvent), client: ClientVersion) -> bool {
        !self.replacing.contains(&event)
            && (self.has_event)(event, client)
            && (self.is_entered)(name)
    }

    /// The limit for a hook on this event, in seconds.
    pub fn timeout_of(&self, event: HookEvent) -> u32 {
        let mut short = self.short_timeouts.iter();
        let short = short.find_map(|(of, limit)| (*of == event).then_some(*limit));
        short.unwrap_or(match event {
            HookEvent::PreToolUse | HookEvent::Stop | HookEvent::SubagentStop => self.long_timeout,
            _ => self.timeout,
        })
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

    #[test]
    fn what_is_in_the_usual_folder_for_settings_moves_with_it() {
        let folder = UserFolder {
            variable: None,
            in_home: ".config/opencode",
        };
        for (config, expected) in [
            (Some("/c"), "/c/opencode"),
            (Some("c"), "/home/ann/.config/opencode"),
            (None, "/home/ann/.config/opencode"),
        ] {
            let variable = |name: &str| {
                let config = config.filter(|_| name == "XDG_CONFIG_HOME");
                config.map(OsString::from)
            };
            let found = folder.find(variable, Some(Path::new("/home/ann")));
            assert_eq!(found.as_deref(), Some(Path::new(expected)), "{config:?}");
        }
    }
}
