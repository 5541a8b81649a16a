//! Who calls: the folder, the environment, and where that user's settings are.

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bowline::hooks::HookInput;
use bowline::settings::Locations;
use bowline_builtins::tracing::{DISABLING_VARIABLES, disables};
use bowline_builtins::{OWN_PLACE_VARIABLES, own_places};
use bowline_guard::paths::OwnPlaces;
use bowline_wire::{Call, Environment};

use super::projects::{ClaudeHooks, ProjectKey};
use super::twins::Entry;
use crate::registration::{PROJECT_SCOPE, SCOPE_VARIABLE};

/// The agent's own word for its project's folder.
const PROJECT_VARIABLE: &str = "CLAUDE_PROJECT_DIR";
/// What moves the folders of settings, and of what must not be touched.
const LOCATION_VARIABLES: [&str; OWN_PLACE_VARIABLES.len()] = OWN_PLACE_VARIABLES;

/// The values of the variables that move folders.
pub(super) type LocationValues = [Option<String>; LOCATION_VARIABLES.len()];

/// Where the guard's own files are by these values.
pub(super) fn own_places_of(values: &LocationValues) -> OwnPlaces {
    own_places(|name| {
        let at = LOCATION_VARIABLES.iter().position(|it| *it == name)?;
        values.get(at)?.as_ref().map(OsString::from)
    })
}

/// Whether something is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Switch {
    On,
    Off,
}

/// What Bowline itself looks at in an environment, taken out in one go.
#[derive(Debug, Clone)]
pub(super) struct Known {
    /// The project's folder, if the agent names one.
    project: Option<PathBuf>,
    /// What moves the folders of settings.
    locations: Arc<LocationValues>,
    /// Whether anything shall be decided.
    pub(super) deciding: Switch,
    /// Whether anything shall be recorded.
    pub(super) tracking: Switch,
    /// Whose entry in the agent's settings made the call.
    entry: Entry,
}

impl Known {
    pub(super) fn of(env: &Environment) -> Self {
        let mut locations = LocationValues::default();
        let mut known = Self {
            project: None,
            locations: Arc::default(),
            deciding: Switch::On,
            tracking: Switch::On,
            entry: Entry::User,
        };
        for (name, value) in env.iter_if(may_be_known) {
            let (Some(name), Some(value)) = (name.to_str(), value.to_str()) else {
                continue;
            };
            match name {
                PROJECT_VARIABLE => known.project = Some(value.into()),
                "BOWLINE" if value == "off" => known.deciding = Switch::Off,
                SCOPE_VARIABLE if value == PROJECT_SCOPE => known.entry = Entry::Project,
                name if DISABLING_VARIABLES.contains(&name) && disables(value) => {
                    known.tracking = Switch::Off;
                }
                name => {
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
    pub(super) fn new(env: Environment, known: Arc<Known>, call: &Call, input: &HookInput) -> Self {
        let cwd = input.cwd().map(Path::new).filter(|cwd| cwd.is_absolute());
        Self {
            env,
            known,
            folder: cwd.unwrap_or(&call.cwd).to_owned(),
            claude_hooks: match call.agent.as_str() {
                "claude-code" => ClaudeHooks::Agent,
                _ => ClaudeHooks::Bridge,
            },
        }
    }

    /// Where it is now.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The project's folder, if the agent names one.
    pub(super) fn project_named(&self) -> Option<PathBuf> {
        self.known.project.clone()
    }

    pub(super) fn key(&self, folder: PathBuf) -> ProjectKey {
        ProjectKey {
            folder,
            claude_hooks: self.claude_hooks,
            locations: Arc::clone(&self.known.locations),
        }
    }

    pub(super) fn locations(&self) -> Locations {
        Locations::of_environment(|name| self.env.get(name).map(ToOwned::to_owned))
    }

    /// A variable of its environment.
    pub(super) fn variable(&self, name: &str) -> Option<OsString> {
        self.env.get(name).map(ToOwned::to_owned)
    }

    /// Whether it wants anything decided.
    pub(super) fn switch(&self) -> Switch {
        self.known.deciding
    }

    /// Whose entry in the agent's settings made the call.
    pub(super) fn entry(&self) -> Entry {
        self.known.entry
    }

    /// The environment for hooks that run outside this process. What is no text cannot be handed on; and an agent that one
    /// of them starts has entries of its own.
    pub(super) fn variables(&self) -> HashMap<String, String> {
        self.env
            .iter()
            .filter_map(|(name, value)| Some((name.to_str()?, value.to_str()?)))
            .filter(|(name, _)| *name != SCOPE_VARIABLE)
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect()
    }

    /// What our own hooks look at.
    pub(super) fn switches(&self) -> HashMap<String, String> {
        match (self.known.tracking, DISABLING_VARIABLES.first()) {
            (Switch::Off, Some(name)) => HashMap::from([((*name).to_owned(), "1".to_owned())]),
            _ => HashMap::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_variable_that_counts_is_ruled_out_by_its_first_letter() {
        let one_by_one = [PROJECT_VARIABLE, "BOWLINE", SCOPE_VARIABLE];
        for name in one_by_one
            .iter()
            .chain(&LOCATION_VARIABLES)
            .chain(DISABLING_VARIABLES)
        {
            assert!(may_be_known(name.as_bytes()), "{name}");
        }
    }
}
