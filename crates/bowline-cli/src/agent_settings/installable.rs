//! An agent that Bowline can be put into, and how.

use std::path::{Path, PathBuf};

use bowline::settings::Locations;
use bowline_agents::claude_code::{self, ClientVersion};
use bowline_agents::{Agent, HookEvent, Registration, SettingsSyntax};
use bowline_daemon::registration::{HOOK_PROGRAM, MISSING_IS_FINE, PROJECT_SCOPE, SCOPE_VARIABLE};
use bowline_wire::FailMode;

use super::{Entry, Found, InstallScope, Plan, Shadowed, Unfit, edit, places};

/// An agent with settings that Bowline can be put into. What depends on the agent is its own to say; here is how the text is
/// changed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Installable {
    agent: &'static Agent,
    registration: &'static Registration,
}

impl Installable {
    /// The one that `init` is for today.
    pub(crate) const CLAUDE_CODE: Self = Self {
        agent: &claude_code::AGENT,
        registration: &claude_code::REGISTRATION,
    };

    /// The word by which `bowline-hook` knows it.
    pub(crate) const fn name(self) -> &'static str {
        self.agent.name
    }

    /// Its name, for people.
    pub(crate) const fn title(self) -> &'static str {
        self.agent.title
    }

    /// The settings file of a scope; `None` where there is no home folder.
    pub(crate) fn file(
        self,
        scope: InstallScope,
        project: &Path,
        locations: &Locations,
    ) -> Option<PathBuf> {
        let files = &self.registration.files;
        match (scope, self.registration.syntax) {
            (InstallScope::User, SettingsSyntax::ClaudeJson) => {
                let folder = locations.claude_config_dir.as_ref()?;
                Some(folder.join(files.user))
            }
            (InstallScope::Project, _) => Some(project.join(files.project)),
            (InstallScope::Local, _) => Some(project.join(files.local)),
        }
    }

    /// The events that Bowline is registered for, with a client of this version.
    pub(crate) fn events(self, client: ClientVersion) -> impl Iterator<Item = HookEvent> {
        self.registration.events(client)
    }

    /// The settings with Bowline in them, and nothing else changed.
    pub(crate) fn install(self, text: &str, plan: &Plan) -> Result<String, Unfit> {
        self.install_at(text, plan, &|_| true)
    }

    /// The settings with Bowline in them at the events that `is_meant`, and nothing else changed.
    pub(crate) fn install_at(
        self,
        text: &str,
        plan: &Plan,
        is_meant: &dyn Fn(&str) -> bool,
    ) -> Result<String, Unfit> {
        let all = HookEvent::ALL.iter().copied();
        let meant = all.filter(|event| is_meant(event.name()));
        let (entries, never): (Vec<_>, Vec<_>) =
            meant.partition(|event| self.registration.registers(*event, plan.client));
        let entries: Vec<_> = entries.iter().map(|it| self.entry(*it, plan)).collect();
        let never: Vec<_> = never.into_iter().map(HookEvent::name).collect();
        match self.registration.syntax {
            SettingsSyntax::ClaudeJson => edit::install(text, &entries, &never),
        }
    }

    /// The settings without Bowline, and nothing else changed.
    pub(crate) fn uninstall(self, text: &str) -> Result<String, Unfit> {
        self.uninstall_at(text, &|_| true)
    }

    /// The settings without Bowline at the events that `is_meant`, and nothing else changed.
    pub(crate) fn uninstall_at(
        self,
        text: &str,
        is_meant: &dyn Fn(&str) -> bool,
    ) -> Result<String, Unfit> {
        match self.registration.syntax {
            SettingsSyntax::ClaudeJson => edit::uninstall(text, is_meant),
        }
    }

    /// What starts Bowline in these settings.
    pub(crate) fn found(self, text: &str) -> Result<Vec<Found>, Unfit> {
        match self.registration.syntax {
            SettingsSyntax::ClaudeJson => edit::found(text),
        }
    }

    /// The entries that the agent does not read, because their key comes twice.
    pub(crate) fn shadowed(self, text: &str) -> Result<Vec<Shadowed>, Unfit> {
        match self.registration.syntax {
            SettingsSyntax::ClaudeJson => edit::shadowed(text),
        }
    }

    fn entry(self, event: HookEvent, plan: &Plan) -> Entry {
        let mut args = vec![self.name().to_owned(), event.name().to_owned()];
        if plan.on_failure != FailMode::default() {
            args.push(format!("--on-failure={}", plan.on_failure));
        }
        let (command, args) = match plan.scope {
            InstallScope::User => {
                args.extend(places::arguments(&plan.places));
                if self.registration.takes_arguments(plan.client) {
                    (plan.program.clone(), Some(args))
                } else {
                    args.insert(0, plan.program.clone());
                    let words: Vec<_> = args.iter().map(|it| for_the_shell(it)).collect();
                    (words.join(" "), None)
                }
            }
            InstallScope::Project | InstallScope::Local => (
                format!(
                    "{MISSING_IS_FINE}{SCOPE_VARIABLE}={PROJECT_SCOPE} exec {HOOK_PROGRAM} {}",
                    args.join(" ")
                ),
                None,
            ),
        };
        Entry {
            event: event.name().to_owned(),
            command,
            args,
            timeout: Some(self.registration.timeout),
            blocks_on_failure: plan.on_failure == FailMode::Closed
                && self.registration.can_block(event, plan.client),
        }
    }
}

/// A word that a shell reads as it stands.
fn for_the_shell(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./=".contains(c);
    if word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests;
