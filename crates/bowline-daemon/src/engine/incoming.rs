//! A call that has arrived: who reports what, and which variables of its environment count.

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bowline::hooks::{Recording, parse_payload};
use bowline::settings::{Locations, Steers, find_project, project_variables};
use bowline_agents::DEFAULT;
use bowline_builtins::OWN_PLACE_VARIABLES;
use bowline_builtins::recorder::{DISABLING_VARIABLES, disables};
use bowline_wire::{Call, CallId};
use chrono::{DateTime, Utc};
use serde_json::Value;

use super::duplicates::Entry;
use super::void::Void;
use crate::bounded::{FILES_WITHIN, within};
use crate::registration::{PROJECT_SCOPE, SCOPE_VARIABLE};

/// Switches deciding off, in the agent's environment.
pub(super) const SWITCH_VARIABLE: &str = "BOWLINE";
/// The variables that move the folders of settings and of protected files.
const LOCATION_VARIABLES: [&str; OWN_PLACE_VARIABLES.len()] = OWN_PLACE_VARIABLES;

/// The values of the variables that move folders.
pub(super) type LocationValues = [Option<String>; LOCATION_VARIABLES.len()];

/// The value of a variable.
pub(super) fn location(values: &LocationValues, name: &str) -> Option<OsString> {
    let at = LOCATION_VARIABLES.iter().position(|it| *it == name)?;
    values.get(at)?.as_ref().map(OsString::from)
}

/// The `PATH` for hooks when the caller's does not count.
const USUAL_PATH: &str = "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin";

/// Whether something is switched on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Switch {
    On,
    Off,
}

/// A call that has arrived. Its environment is used and never kept.
#[derive(Debug)]
pub struct Incoming {
    pub(super) call: Call,
    /// When it arrived.
    pub(super) time: DateTime<Utc>,
    /// The variable in which the agent names its project's folder.
    project_variable: Option<&'static str>,
    /// The project's folder, if the agent names one.
    project: Option<PathBuf>,
    /// The values of the variables that move folders.
    pub(super) locations: Arc<LocationValues>,
    /// Whether to decide.
    deciding: Switch,
    /// The variables that switch recording off.
    unrecorded_by: Vec<&'static str>,
    /// Whose entry in the agent's settings made the call.
    pub(super) entry: Entry,
}

impl Incoming {
    /// A call with its payload, which is only used to find the agent if nothing else names it. Reads the environment once.
    pub fn new(mut call: Call, payload: &[u8]) -> Arc<Self> {
        name_the_agent(&mut call, payload);
        // An unnamed agent may be the default one.
        let agent = bowline_agents::named(&call.agent).unwrap_or(DEFAULT);
        let project_variable = agent.protocol().and_then(|it| it.project_variable);
        let mut project: Option<PathBuf> = None;
        let mut locations = LocationValues::default();
        let mut deciding = Switch::On;
        let mut unrecorded_by = Vec::new();
        let mut entry = Entry::User;
        for (name, value) in call.env.iter_if(may_be_known) {
            let (Some(name), Some(value)) = (name.to_str(), value.to_str()) else {
                continue;
            };
            match name {
                name if project_variable == Some(name) => project = Some(value.into()),
                SWITCH_VARIABLE if value == "off" => deciding = Switch::Off,
                SCOPE_VARIABLE if value == PROJECT_SCOPE => entry = Entry::Project,
                name => {
                    let disabling = DISABLING_VARIABLES.iter().find(|it| **it == name);
                    if let Some(variable) = disabling.filter(|_| disables(value)) {
                        unrecorded_by.push(*variable);
                        continue;
                    }
                    let place = LOCATION_VARIABLES.iter().position(|known| *known == name);
                    if let Some(location) = place.and_then(|at| locations.get_mut(at)) {
                        *location = Some(value.to_owned());
                    }
                }
            }
        }
        Arc::new(Self {
            time: Utc::now(),
            project_variable,
            project: project.filter(|folder| folder.is_absolute()),
            locations: Arc::new(locations),
            deciding,
            unrecorded_by,
            entry,
            call,
        })
    }

    /// The name of the call.
    pub fn id(&self) -> &CallId {
        &self.call.id
    }

    /// Whether to decide a call that cannot be read. Only the files of its project are checked.
    pub(super) fn switch_unread(&self) -> Switch {
        match self.deciding {
            Switch::Off if self.is_void(&self.call.cwd, SWITCH_VARIABLE) => Switch::On,
            deciding => deciding,
        }
    }

    /// Whether to record the event, whoever set the variable.
    pub(super) fn recording_unread(&self) -> Recording {
        if self.unrecorded_by.is_empty() {
            Recording::On
        } else {
            Recording::Off
        }
    }

    /// Whether a project's own files set a variable, here or in the project that the agent names, trusted or not. A file that
    /// cannot be read in time may do so.
    fn is_void(&self, folder: &Path, name: &'static str) -> bool {
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

    /// The project's folder, if the agent names one.
    pub(super) fn project_named(&self) -> Option<&Path> {
        self.project.as_deref()
    }

    /// Whether a project's own files name it. No project may, because it would choose whose settings count.
    pub(super) fn is_named_by_project(&self, folder: &Path) -> bool {
        let variable = self.project_variable;
        variable.is_some_and(|variable| self.is_void(folder, variable))
    }

    /// Whether to decide, by a variable that counts.
    pub(super) fn switch(&self, void: &Void) -> Switch {
        if void.has(SWITCH_VARIABLE) {
            Switch::On
        } else {
            self.deciding
        }
    }

    /// Whether any variable switches something off.
    pub(super) fn switches_off(&self) -> Switch {
        match (self.deciding, self.recording_unread()) {
            (Switch::On, Recording::On) => Switch::On,
            _ => Switch::Off,
        }
    }

    /// A variable of its environment.
    pub(super) fn variable(&self, name: &str) -> Option<OsString> {
        self.call.env.get(name).map(ToOwned::to_owned)
    }

    /// The variables of this caller that do not count.
    pub(super) fn attempts(&self, void: &Void) -> Vec<String> {
        let brought = self.call.env.iter().filter_map(|(name, _)| name.to_str());
        let mut brought: Vec<String> = brought
            .filter(|name| void.is_attempt(name))
            .map(str::to_owned)
            .collect();
        brought.sort_unstable();
        brought
    }

    /// The environment for hooks that run outside this process. Only text can be passed on. The scope variable is left out, because an
    /// agent that a hook starts has its own entries.
    pub(super) fn variables(&self, void: &Void) -> HashMap<String, String> {
        let brought = self.call.env.iter();
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

    /// Whether to record the event, by variables that count.
    pub(super) fn recording(&self, void: &Void) -> Recording {
        if self.unrecorded_by.iter().all(|name| void.has(name)) {
            Recording::On
        } else {
            Recording::Off
        }
    }
}

/// Names the agent of a call without one: a client that cannot pass arguments starts the program without any. If the event looks
/// like the default agent's, it is.
pub fn name_the_agent(call: &mut Call, payload: &[u8]) {
    if !call.agent.is_empty() {
        return;
    }
    let Ok(payload) = parse_payload(payload) else {
        return;
    };
    let has_text = |name: &str| payload.get(name).is_some_and(Value::is_string);
    if has_text("hook_event_name") && has_text("session_id") {
        DEFAULT.name.clone_into(&mut call.agent);
    }
}

/// Whether a variable may be one of ours, by its first letter.
fn may_be_known(entry: &[u8]) -> bool {
    matches!(entry, [b'B' | b'C' | b'H' | b'X', ..])
}

/// What hooks get instead of a project's value: the folders of the person as this process knows them, and the usual `PATH`.
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
