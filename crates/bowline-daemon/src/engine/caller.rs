//! Who calls: the folder, the environment, and where that user's settings are.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bowline::hooks::{HookInput, Recording};
use bowline::settings::{Locations, Settings, Sight, Steers, find_project, project_variables};
use bowline_agents::{ClaudeHooks, DEFAULT, Protocol};
use bowline_builtins::OWN_PLACE_VARIABLES;
use bowline_builtins::tracing::{DISABLING_VARIABLES, disables};
use bowline_wire::{Call, Environment};

use super::projects::ProjectKey;
use super::twins::Entry;
use crate::bounded::{FILES_WITHIN, within};
use crate::registration::{PROJECT_SCOPE, SCOPE_VARIABLE};

/// Switches everything off where the agent runs.
pub(super) const SWITCH_VARIABLE: &str = "BOWLINE";
/// What moves the folders of settings, and of what must not be touched.
const LOCATION_VARIABLES: [&str; OWN_PLACE_VARIABLES.len()] = OWN_PLACE_VARIABLES;

/// The values of the variables that move folders.
pub(super) type LocationValues = [Option<String>; LOCATION_VARIABLES.len()];

/// The value that a variable has among these.
pub(super) fn location(values: &LocationValues, name: &str) -> Option<OsString> {
    let at = LOCATION_VARIABLES.iter().position(|it| *it == name)?;
    values.get(at)?.as_ref().map(OsString::from)
}

/// Where programs are looked for when the caller's word for it does not count.
const USUAL_PATH: &str = "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin";

/// Whether something is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Switch {
    On,
    Off,
}

/// What Bowline itself looks at in an environment, taken out in one go.
#[derive(Debug, Clone)]
pub(super) struct Known {
    /// The agent's own word for its project's folder.
    project_variable: Option<&'static str>,
    /// The project's folder, if the agent names one.
    project: Option<PathBuf>,
    /// What moves the folders of settings.
    locations: Arc<LocationValues>,
    /// Whether anything shall be decided.
    pub(super) deciding: Switch,
    /// The variables that say that nothing shall be recorded.
    unrecorded_by: Vec<&'static str>,
    /// Whose entry in the agent's settings made the call.
    entry: Entry,
}

impl Known {
    pub(super) fn of(call: &Call) -> Self {
        // Who does not say which agent it is may be the default one.
        let agent = bowline_agents::named(&call.agent).unwrap_or(DEFAULT);
        let mut locations = LocationValues::default();
        let mut known = Self {
            project_variable: agent.protocol().and_then(|it| it.project_variable),
            project: None,
            locations: Arc::default(),
            deciding: Switch::On,
            unrecorded_by: Vec::new(),
            entry: Entry::User,
        };
        for (name, value) in call.env.iter_if(may_be_known) {
            let (Some(name), Some(value)) = (name.to_str(), value.to_str()) else {
                continue;
            };
            match name {
                name if known.project_variable == Some(name) => known.project = Some(value.into()),
                SWITCH_VARIABLE if value == "off" => known.deciding = Switch::Off,
                SCOPE_VARIABLE if value == PROJECT_SCOPE => known.entry = Entry::Project,
                name => {
                    let disabling = DISABLING_VARIABLES.iter().find(|it| **it == name);
                    if let Some(variable) = disabling.filter(|_| disables(value)) {
                        known.unrecorded_by.push(variable);
                        continue;
                    }
                    let place = LOCATION_VARIABLES.iter().position(|known| *known == name);
                    if let Some(location) = place.and_then(|at| locations.get_mut(at)) {
                        *location = Some(value.to_owned());
                    }
                }
            }
        }
        known.project = known.project.filter(|folder| folder.is_absolute());
        known.locations = Arc::new(locations);
        known
    }
}

impl Known {
    /// Whether the caller wants the event kept, whoever set the variable that says so.
    pub(super) fn recording(&self) -> Recording {
        if self.unrecorded_by.is_empty() {
            Recording::On
        } else {
            Recording::Off
        }
    }

    /// Whether a variable is one that a project's own files set, here or where the agent says that its project is, trusted
    /// or not. What cannot be read in time may.
    pub(super) fn is_void(&self, folder: &Path, name: &'static str) -> bool {
        let mut folders = vec![folder.to_owned()];
        folders.extend(self.project.clone());
        let look = move || {
            let users = Locations::from_env();
            folders.into_iter().any(|folder| {
                let project = find_project(&folder, &users);
                let variables = project_variables(&project, users.claude_config_dir.as_deref());
                variables.iter().any(|it| it.sets(name))
            })
        };
        within(FILES_WITHIN, look).unwrap_or(true)
    }
}

/// Whether the first letter of a variable does not rule out that it is one of ours.
fn may_be_known(entry: &[u8]) -> bool {
    matches!(entry, [b'B' | b'C' | b'H' | b'X', ..])
}

/// The process that reports an event. What it brings is used and never kept.
pub(super) struct Caller {
    env: Environment,
    known: Arc<Known>,
    folder: PathBuf,
    claude_hooks: ClaudeHooks,
}

impl Caller {
    pub(super) fn new(
        env: Environment,
        known: Arc<Known>,
        (call, protocol): (&Call, &Protocol),
        input: &HookInput,
    ) -> Self {
        let cwd = input.cwd().map(Path::new).filter(|cwd| cwd.is_absolute());
        Self {
            env,
            known,
            folder: cwd.unwrap_or(&call.cwd).to_owned(),
            claude_hooks: protocol.claude_hooks,
        }
    }

    /// Where it is now.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The project's folder, if the agent names one.
    pub(super) fn project_named(&self) -> Option<&Path> {
        self.known.project.as_deref()
    }

    /// Whether a project's own files name it, which no project may: it would choose whose settings count.
    pub(super) fn is_named_by_project(&self) -> bool {
        let variable = self.known.project_variable;
        variable.is_some_and(|variable| self.known.is_void(&self.folder, variable))
    }

    pub(super) fn key(&self, folder: PathBuf) -> ProjectKey {
        ProjectKey {
            folder,
            claude_hooks: self.claude_hooks,
            locations: Arc::clone(&self.known.locations),
        }
    }

    /// Whether it wants anything decided, by a word that counts.
    pub(super) fn switch(&self, void: &Void) -> Switch {
        if void.has(SWITCH_VARIABLE) {
            Switch::On
        } else {
            self.known.deciding
        }
    }

    /// Whether it wants something off, by anybody's word.
    pub(super) fn switches_off(&self) -> Switch {
        match (self.known.deciding, self.known.recording()) {
            (Switch::On, Recording::On) => Switch::On,
            _ => Switch::Off,
        }
    }

    /// A variable of its environment.
    pub(super) fn variable(&self, name: &str) -> Option<OsString> {
        self.env.get(name).map(ToOwned::to_owned)
    }

    /// The variables that this caller brings, and that count for nothing.
    pub(super) fn attempts(&self, void: &Void) -> Vec<String> {
        let brought = self.env.iter().filter_map(|(name, _)| name.to_str());
        let mut brought: Vec<String> = brought
            .filter(|name| void.is_attempt(name))
            .map(str::to_owned)
            .collect();
        brought.sort_unstable();
        brought
    }

    /// Whose entry in the agent's settings made the call.
    pub(super) fn entry(&self) -> Entry {
        self.known.entry
    }

    /// The environment for hooks that run outside this process. What is no text cannot be handed on; and an agent that one
    /// of them starts has entries of its own.
    pub(super) fn variables(&self, void: &Void) -> HashMap<String, String> {
        let brought = self.env.iter();
        brought
            .filter_map(|(name, value)| Some((name.to_str()?, value.to_str()?)))
            .filter(|(name, _)| *name != SCOPE_VARIABLE)
            .filter_map(|(name, value)| {
                let counts = !void.has(name);
                let value = counts.then(|| value.to_owned());
                Some((name.to_owned(), value.or_else(|| own_value(name))?))
            })
            .collect()
    }

    /// Whether it wants the event kept, by a word that counts.
    pub(super) fn recording(&self, void: &Void) -> Recording {
        if self.known.unrecorded_by.iter().all(|name| void.has(name)) {
            Recording::On
        } else {
            Recording::Off
        }
    }
}

/// The variables that only a project's own files set, and that count for nothing.
#[derive(Debug, Clone, Default)]
pub(super) struct Void {
    /// Sorted.
    names: Vec<String>,
    /// What the project's files set, too, but with a person's trust.
    believed: Vec<String>,
    /// Any variable may be the project's: its files could not be read.
    unread: bool,
}

impl Void {
    pub(super) fn of(settings: &Settings) -> Self {
        let mut names: Vec<String> = settings
            .void_variables()
            .map(|it| it.name.clone())
            .collect();
        names.sort_unstable();
        names.dedup();
        let believed = settings.believed_variables();
        Self {
            names,
            believed: believed.map(|it| it.name.clone()).collect(),
            unread: settings
                .variables
                .iter()
                .any(|it| it.sight == Sight::Unread),
        }
    }

    /// Of a project whose files could not be read. Nobody knows whose word it is that would switch everything off.
    pub(super) fn unread() -> Self {
        Self {
            unread: true,
            ..Self::default()
        }
    }

    /// The same with these names, unless a person's trust covers them by now.
    pub(super) fn and(&self, names: &[String]) -> Cow<'_, Self> {
        let counts_here = |name: &String| self.has(name) || self.believed.contains(name);
        let mut more = names.iter().filter(|name| !counts_here(name)).peekable();
        if more.peek().is_none() {
            return Cow::Borrowed(self);
        }
        let mut void = self.clone();
        void.names.extend(more.cloned());
        void.names.sort_unstable();
        Cow::Owned(void)
    }

    fn has(&self, name: &str) -> bool {
        (self.unread && !is_inert(name)) || self.is_named(name)
    }

    fn is_named(&self, name: &str) -> bool {
        let order = self.names.binary_search_by(|it| it.as_str().cmp(name));
        order.is_ok()
    }

    /// Whether a variable that a caller brings is worth remembering as a project's word. Where that may be any variable, a
    /// switch is.
    fn is_attempt(&self, name: &str) -> bool {
        let is_switch = || name == SWITCH_VARIABLE || DISABLING_VARIABLES.contains(&name);
        self.is_named(name) || (self.unread && is_switch())
    }
}

/// Whether a variable may be anybody's word: it neither loads code nor says where something is, and programs need it.
fn is_inert(name: &str) -> bool {
    const INERT: &[&str] = &["USER", "LOGNAME", "LANG", "LANGUAGE", "TERM", "TZ", "PWD"];
    INERT.contains(&name) || name.starts_with("LC_")
}

/// What hooks get instead of a project's word: where a person's files are, as this process knows it, and where programs usually are.
fn own_value(name: &str) -> Option<String> {
    match Steers::of(name) {
        Steers::Places => std::env::var(name).ok(),
        _ if name == "PATH" => Some(USUAL_PATH.to_owned()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_variable_that_counts_is_ruled_out_by_its_first_letter() {
        let one_by_one = ["BOWLINE", SCOPE_VARIABLE];
        for name in one_by_one
            .iter()
            .chain(&bowline_agents::project_variables())
            .chain(&LOCATION_VARIABLES)
            .chain(DISABLING_VARIABLES)
        {
            assert!(may_be_known(name.as_bytes()), "{name}");
        }
    }
}
