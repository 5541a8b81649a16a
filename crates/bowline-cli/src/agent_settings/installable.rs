//! An agent that Bowline can be put into, and how.

use std::path::{Path, PathBuf};

use bowline::settings::{Locations, Settings};
use bowline_agents::{Agent, ClientVersion, HookEvent, Registration};
use bowline_daemon::registration::{HOOK_PROGRAM, MISSING_IS_FINE, PROJECT_SCOPE, SCOPE_VARIABLE};
use bowline_wire::{FailMode, USUAL_TIMEOUT};

use super::refusals::Refusal;
use super::shell_words::for_a_hook;
use super::trust::Trust;
use super::{Entry, Found, InstallScope, Plan, Shadowed, Unfit, client, places};

/// An agent with settings that Bowline can be put into: what it says of itself, and what takes a look at settings. All fields are
/// required, so that the compiler names everything that a new one lacks.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Installable {
    pub(crate) agent: &'static Agent,
    pub(crate) registration: &'static Registration,
    /// Its folder of skills, beside its settings, or with `../` one folder above them; `None` if it has none.
    pub(crate) skills: Option<&'static str>,
    /// How entries stand in the text of its settings.
    pub(crate) form: SettingsForm,
    /// What it wants before it runs hooks; nothing where it runs them at once.
    pub(crate) trust: Option<Trust>,
    /// What keeps the agent from reading a file that people and editors find nothing wrong with.
    pub(crate) refusals: fn(&str) -> Vec<Refusal>,
    /// What keeps the agent from running any hook, for people.
    pub(crate) hooks_off: fn(&Settings) -> Option<String>,
    /// What keeps the agent from running the entries that are there, for people.
    pub(crate) entries_off: fn(&Settings) -> Option<String>,
}

/// The text after a change, or why it was left alone.
pub(crate) type Edited = Result<String, Unfit>;

/// Which events are meant, as the agent spells them.
pub(crate) type EventFilter<'a> = &'a dyn Fn(&str) -> bool;

/// What a file is in which entries stand.
#[derive(Debug, Clone, Copy)]
pub(crate) enum FileKind {
    /// Settings of the agent, in which others write as well.
    Settings,
    /// A file of Bowline's own.
    Own,
    /// A program of Bowline's own for each event, in a folder, named after the event with one of these endings.
    Scripts {
        /// The usual one first. The agent runs a script of every ending.
        endings: &'static [&'static str],
        /// Whether a text has Bowline's mark, whoever has changed it since.
        is_marked: fn(&str) -> bool,
    },
}

impl FileKind {
    /// Whether nobody but Bowline writes there.
    pub(crate) const fn is_bowlines(self) -> bool {
        !matches!(self, Self::Settings)
    }

    /// The permissions of a new file.
    pub(crate) const fn new_file_mode(self, scope: InstallScope) -> u32 {
        let mode = scope.new_file_mode();
        match self {
            Self::Settings | Self::Own => mode,
            // Whoever may read it may run it.
            Self::Scripts { .. } => mode | (mode & 0o444) >> 2,
        }
    }
}

/// How entries stand in the text of settings. Every function leaves everything else as it is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SettingsForm {
    /// Puts the entries in, and takes Bowline away from the events of the second list.
    pub(crate) install: fn(&str, &[Entry], &[&str]) -> Edited,
    /// Takes Bowline away from the events that are meant. What was in the text before Bowline came stays, also where it is
    /// empty; nothing was in the last one where that is not known.
    pub(crate) uninstall: fn(&str, EventFilter<'_>, &str) -> Edited,
    /// What starts Bowline.
    pub(crate) found: fn(&str) -> Result<Vec<Found>, Unfit>,
    /// The entries that the agent does not read, because their key comes twice.
    pub(crate) shadowed: fn(&str) -> Result<Vec<Shadowed>, Unfit>,
    /// Whether the text says nothing, so that no file would say as much.
    pub(crate) is_blank: fn(&str) -> bool,
    /// What the file is.
    pub(crate) kind: FileKind,
    /// Whether an entry says how long the agent lets it run.
    pub(crate) has_timeouts: bool,
    /// How the status line stands there; nothing where the agent has none.
    pub(crate) status_line: Option<StatusLineForm>,
}

/// How the status line stands in the text of settings.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StatusLineForm {
    /// Puts that of this program in, with arguments that say where the person's files are, beside the one that is there.
    pub(crate) install: fn(&str, &str, &[String]) -> Result<String, Unfit>,
    /// Puts back what was there.
    pub(crate) uninstall: fn(&str) -> Result<String, Unfit>,
}

impl Installable {
    /// The word by which `bowline-hook` knows it.
    pub(crate) const fn name(&self) -> &'static str {
        self.agent.name
    }

    /// Its name, for people.
    pub(crate) const fn title(&self) -> &'static str {
        self.agent.title
    }

    /// Its folder of the user; `None` where there is no home folder.
    pub(crate) fn folder(&self, locations: &Locations) -> Option<PathBuf> {
        let folder = &self.registration.folder;
        folder.find(|name| std::env::var_os(name), locations.home.as_deref())
    }

    /// Whether it is on this machine: its folder, or its program.
    pub(crate) fn is_here(&self, locations: &Locations) -> bool {
        self.folder(locations).is_some_and(|folder| folder.is_dir())
            || client::programs(self, locations).next().is_some()
    }

    /// The name of its settings file of a scope; `None` where it has none.
    pub(crate) const fn file_name(&self, scope: InstallScope) -> Option<&'static str> {
        let files = &self.registration.files;
        match scope {
            InstallScope::User => Some(files.user),
            InstallScope::Project => files.project,
            InstallScope::Local => files.local,
        }
    }

    /// The settings file of a scope; `None` where there is no home folder, or no such file.
    pub(crate) fn file(
        &self,
        scope: InstallScope,
        project: &Path,
        locations: &Locations,
    ) -> Option<PathBuf> {
        let folder = match scope {
            InstallScope::User => self.folder(locations)?,
            InstallScope::Project | InstallScope::Local => project.to_owned(),
        };
        Some(folder.join(self.file_name(scope)?))
    }

    /// The events that Bowline is registered for with a client of this version, as the agent spells them.
    pub(crate) fn events(&self, client: ClientVersion) -> impl Iterator<Item = &'static str> {
        let registration = self.registration;
        let all = self.agent.events.iter();
        all.filter(move |name| registration.registers(**name, client))
            .map(|(name, _)| *name)
    }

    /// The parts of an entry that a client of this version does not know, for people.
    pub(crate) fn unknown_parts(&self, entry: &Entry, client: ClientVersion) -> Vec<String> {
        let name = &entry.event;
        let mut events = self.agent.events.iter();
        let event = events.find_map(|(it, event)| (it == name).then_some(*event));
        let is_new = event.is_some_and(|event| !(self.registration.has_event)(event, client));
        let Registration {
            arguments,
            blocking,
            ..
        } = self.registration;
        let parts = [
            (entry.args.is_some(), arguments),
            (entry.blocks_on_failure, blocking),
        ];
        let parts = parts.into_iter().filter_map(|(is_there, part)| {
            let part = part.as_ref()?;
            let is_unknown = is_there && !part.is_known_to(client);
            is_unknown.then(|| format!("`{}` of {name}", part.name))
        });
        let event = is_new.then(|| format!("the event {name}"));
        event.into_iter().chain(parts).collect()
    }

    /// The settings with Bowline in them, and nothing else changed.
    #[cfg(test)]
    pub(crate) fn install(&self, text: &str, plan: &Plan) -> Edited {
        self.install_at(text, plan, &|_| true)
    }

    /// The settings with Bowline in them at the events that `is_meant`, and nothing else changed.
    pub(crate) fn install_at(&self, text: &str, plan: &Plan, is_meant: EventFilter<'_>) -> Edited {
        let mut entries = Vec::new();
        let mut never = Vec::new();
        for (name, event) in self.agent.events.iter().filter(|(it, _)| is_meant(it)) {
            if self.registration.registers((name, *event), plan.client) {
                entries.push(self.entry(name, *event, plan));
            } else {
                never.push(*name);
            }
        }
        let text = (self.form.install)(text, &entries, &never)?;
        match (self.form.status_line, &plan.status_line) {
            (Some(form), Some(program)) => {
                (form.install)(&text, program, &Self::place_arguments(plan))
            }
            _ => Ok(text),
        }
    }

    /// The settings without Bowline, and nothing else changed. `before` are the settings before Bowline came, as far as they are
    /// known.
    pub(crate) fn uninstall(&self, text: &str, before: &str) -> Edited {
        self.uninstall_at(text, &|_| true, before)
    }

    /// As [`Self::uninstall`], at the events that `is_meant`.
    pub(crate) fn uninstall_at(
        &self,
        text: &str,
        is_meant: EventFilter<'_>,
        before: &str,
    ) -> Edited {
        // It was put in last, and goes first.
        match self.form.status_line {
            Some(form) => (self.form.uninstall)(&(form.uninstall)(text)?, is_meant, before),
            None => (self.form.uninstall)(text, is_meant, before),
        }
    }

    /// Whether a script has Bowline's mark, whoever has changed it since.
    pub(crate) fn is_marked(&self, text: &str) -> bool {
        match self.form.kind {
            FileKind::Scripts { is_marked, .. } => is_marked(text),
            FileKind::Settings | FileKind::Own => false,
        }
    }

    /// Whether a file that should be Bowline's own is somebody else's, or somebody has changed it. It is never touched.
    pub(crate) fn is_left_alone(&self, text: &str) -> bool {
        self.form.kind.is_bowlines() && self.found(text).is_err()
    }

    /// Whether a file that somebody has changed still starts Bowline, as far as that can be seen.
    pub(crate) fn still_starts_bowline(&self, text: &str) -> bool {
        let is_comment = |line: &str| {
            ["#", "//"]
                .iter()
                .any(|it| line.trim_start().starts_with(it))
        };
        let mut lines = text.lines();
        self.is_left_alone(text) && lines.any(|it| it.contains(HOOK_PROGRAM) && !is_comment(it))
    }

    /// What starts Bowline in these settings.
    pub(crate) fn found(&self, text: &str) -> Result<Vec<Found>, Unfit> {
        (self.form.found)(text)
    }

    /// The entries that the agent does not read, because their key comes twice.
    pub(crate) fn shadowed(&self, text: &str) -> Result<Vec<Shadowed>, Unfit> {
        (self.form.shadowed)(text)
    }

    /// What says where the person's files are. A project's settings are for everybody.
    fn place_arguments(plan: &Plan) -> Vec<String> {
        match plan.scope {
            InstallScope::User => places::arguments(&plan.places),
            InstallScope::Project | InstallScope::Local => Vec::new(),
        }
    }

    /// Whether an entry would block people who do not have Bowline: there a project's line prints nothing.
    fn would_block_others(&self, scope: InstallScope) -> bool {
        scope != InstallScope::User && self.registration.blocks_on_silence
    }

    fn entry(&self, name: &str, event: HookEvent, plan: &Plan) -> Entry {
        let mut args = vec![self.name().to_owned(), name.to_owned()];
        if plan.on_failure != FailMode::default() {
            args.push(format!("--on-failure={}", plan.on_failure));
        }
        let timeout = self.registration.timeout_of(event);
        if timeout != USUAL_TIMEOUT {
            args.push(format!("--timeout={timeout}"));
        }
        let (command, args) = match plan.scope {
            InstallScope::User => {
                args.extend(Self::place_arguments(plan));
                if self.registration.takes_arguments(plan.client) {
                    (plan.program.clone(), Some(args))
                } else {
                    args.insert(0, plan.program.clone());
                    let words: Vec<_> = args.iter().map(|it| for_a_hook(it)).collect();
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
            event: name.to_owned(),
            command,
            args,
            timeout: self.form.has_timeouts.then_some(timeout),
            blocks_on_failure: plan.on_failure == FailMode::Closed
                && self.registration.can_block(event, plan.client)
                && !self.would_block_others(plan.scope),
        }
    }
}

#[cfg(test)]
mod tests;
