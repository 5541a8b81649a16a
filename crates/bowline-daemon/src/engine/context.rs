//! What one call brings: who reports what, which variables of its environment count, and which project it is about.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use bowline::hooks::{CancellationToken, HookContext, HookInput, Recording, parse_payload};
use bowline::settings::{Locations, Steers, find_project, project_variables};
use bowline_agents::{Agent, DEFAULT, NATIVE, Protocol, WORKS_IN};
use bowline_builtins::OWN_PLACE_VARIABLES;
use bowline_builtins::continuity::Caller;
use bowline_builtins::machine::process;
use bowline_builtins::recorder::{DISABLING_VARIABLES, disables};
use bowline_wire::Call;
use chrono::{DateTime, Utc};
use serde_json::Value;

use super::duplicates::{Entry, Met};
use super::projects::{Project, ProjectKey};
use super::void::Void;
use super::{Decided, Engine, Understood, lock, remember, sender};
use crate::bounded::{FILES_WITHIN, within};
use crate::registration::{PROJECT_SCOPE, SCOPE_VARIABLE};

/// Switches deciding off, in the agent's environment.
pub(super) const SWITCH_VARIABLE: &str = "BOWLINE";
/// Names an agent in its fleet.
const AGENT_ID_VARIABLE: &str = "AGENT_ID";
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

/// A call on its way to its decision: who reports what, what its payload says, and which variables of its environment count. The
/// environment is used and never kept.
pub(crate) struct CallContext {
    pub(super) engine: Arc<Engine>,
    pub(super) call: Arc<Call>,
    /// When it arrived.
    pub(super) time: DateTime<Utc>,
    pub(super) began: Instant,
    pub(super) agent: &'static Agent,
    pub(super) protocol: &'static Protocol,
    pub(super) input: HookInput,
    /// The same with the mode of its session, once that was looked up.
    pub(super) completed: OnceLock<HookInput>,
    /// Where the agent is now.
    pub(super) folder: PathBuf,
    /// Its project, if that is loaded.
    pub(super) project: Option<Arc<Project>>,
    /// The project's folder, if the agent names one.
    named: Option<PathBuf>,
    /// The values of the variables that move folders.
    locations: Arc<LocationValues>,
    /// Whether to decide.
    deciding: Switch,
    /// The variables that switch recording off.
    unrecorded_by: Vec<&'static str>,
    /// The agent's name in its fleet.
    agent_id: Option<String>,
    /// Whether another call has reported the same event.
    pub(super) met: Met,
    pub(super) cancellation: CancellationToken,
}

impl CallContext {
    /// Reads a call with its payload, and its environment once. The error is the result of a call that cannot be read.
    pub(super) fn read(
        engine: &Arc<Engine>,
        call: &Arc<Call>,
        payload: &[u8],
        cancellation: CancellationToken,
    ) -> Result<Self, Box<Decided>> {
        let (time, began) = (Utc::now(), Instant::now());
        let Understood {
            agent,
            protocol,
            input,
            identity,
        } = engine.understand(call, payload, began)?;
        let mut named: Option<PathBuf> = None;
        let mut locations = LocationValues::default();
        let mut deciding = Switch::On;
        let mut unrecorded_by = Vec::new();
        let mut entry = Entry::User;
        let mut agent_id = None;
        for (name, value) in call.env.iter_if(may_be_known) {
            let (Some(name), Some(value)) = (name.to_str(), value.to_str()) else {
                continue;
            };
            match name {
                name if protocol.project_variable == Some(name) => named = Some(value.into()),
                SWITCH_VARIABLE if value == "off" => deciding = Switch::Off,
                SCOPE_VARIABLE if value == PROJECT_SCOPE => entry = Entry::Project,
                AGENT_ID_VARIABLE => agent_id = Some(value.to_owned()),
                name => {
                    if let Some(variable) = disabling(name, value) {
                        unrecorded_by.push(variable);
                        continue;
                    }
                    let place = LOCATION_VARIABLES.iter().position(|known| *known == name);
                    if let Some(location) = place.and_then(|at| locations.get_mut(at)) {
                        *location = Some(value.to_owned());
                    }
                }
            }
        }
        let cwd = input.cwd().map(Path::new).filter(|cwd| cwd.is_absolute());
        let mut context = Self {
            engine: Arc::clone(engine),
            call: Arc::clone(call),
            time,
            began,
            folder: cwd.unwrap_or(&call.cwd).to_owned(),
            agent,
            protocol,
            input,
            completed: OnceLock::new(),
            project: None,
            named: named.filter(|folder| folder.is_absolute()),
            locations: Arc::new(locations),
            deciding,
            unrecorded_by,
            agent_id,
            met: engine.duplicates.meet(identity, entry),
            cancellation,
        };
        let key = context.known_project().map(|folder| context.key(folder));
        context.project = key.and_then(|key| engine.projects.get(&key));
        Ok(context)
    }

    pub(super) fn key(&self, folder: PathBuf) -> ProjectKey {
        ProjectKey {
            folder,
            claude_hooks: self.protocol.claude_hooks,
            locations: Arc::clone(&self.locations),
        }
    }

    /// The project, if it is known without reading a file. A variable that names the agent's own folder is harmless.
    pub(super) fn known_project(&self) -> Option<PathBuf> {
        let session = &self.input.session_id;
        match &self.named {
            Some(named) if *named == *self.works_in() => Some(named.clone()),
            Some(named) => {
                let known = lock(&self.engine.named);
                known.get(session).filter(|it| *it == named).cloned()
            }
            None => lock(&self.engine.beginnings).get(session).cloned(),
        }
    }

    /// The project: the one that the agent names, unless a project's own file set that name; else where the session began.
    pub(super) fn find_project(&self) -> PathBuf {
        let session = &self.input.session_id;
        match &self.named {
            Some(named) if !self.is_named_by_project(named) => {
                remember(&self.engine.named, session, named);
                named.clone()
            }
            _ => self.engine.find_beginning(session, &self.works_in()),
        }
    }

    /// The folder in which the agent works. No call chooses the project by naming a folder of its own.
    pub(super) fn works_in(&self) -> Cow<'_, Path> {
        let said = self.input.field(NATIVE);
        let said = said.and_then(|native| native.get(WORKS_IN)?.as_str());
        match said {
            Some(folder) => Cow::Owned(self.call.cwd.join(folder).components().collect()),
            None => Cow::Borrowed(&self.folder),
        }
    }

    /// Whether a project's own files name it. No project may, because it would choose whose settings count.
    fn is_named_by_project(&self, named: &Path) -> bool {
        let folders = vec![self.works_in().into_owned(), named.to_owned()];
        let variable = self.protocol.project_variable;
        variable.is_some_and(|variable| is_void(folders, variable))
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
        if self.unrecorded_by.is_empty() {
            self.deciding
        } else {
            Switch::Off
        }
    }

    /// Says in the hooks' context who reports the event.
    pub(super) fn introduce(&self, ctx: &HookContext, void: &Void) {
        if let Some(id) = &self.agent_id
            && !void.has(AGENT_ID_VARIABLE)
        {
            Caller::set_agent_id(ctx, id);
        }
        if let Some(reporter) = self.call.reporter {
            Caller::set_process(ctx, move || process::agent_of(reporter));
        }
        if self.call.waits_secs > 0 {
            let left = Duration::from_secs(self.call.waits_secs.into());
            Caller::set_waits(ctx, left.saturating_sub(self.began.elapsed()));
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

/// The variable, if its value switches recording off.
fn disabling(name: &str, value: &str) -> Option<&'static str> {
    let mut variables = DISABLING_VARIABLES.iter();
    let variable = variables.find(|it| **it == name && disables(value));
    variable.copied()
}

/// Whether to decide a call that cannot be read. Only the files of its project are checked.
pub(super) fn switch_unread(call: &Call) -> Switch {
    let is_off = |(name, value): (&OsStr, &OsStr)| name == SWITCH_VARIABLE && value == "off";
    if !call.env.iter().any(is_off) {
        return Switch::On;
    }
    // An unnamed agent may be the default one.
    let agent = bowline_agents::named(&call.agent).unwrap_or(DEFAULT);
    let variable = agent.protocol().and_then(|it| it.project_variable);
    let named = variable.and_then(|variable| call.env.get(variable));
    let named = named.map(PathBuf::from).filter(|it| it.is_absolute());
    let folders = [call.cwd.clone()].into_iter().chain(named).collect();
    if is_void(folders, SWITCH_VARIABLE) {
        Switch::On
    } else {
        Switch::Off
    }
}

/// Whether to record a call that cannot be read, whoever set the variable.
pub(super) fn recording_unread(call: &Call) -> Recording {
    let mut variables = call.env.iter_if(may_be_known);
    let is_off = |(name, value): (&OsStr, &OsStr)| disabling(name.to_str()?, value.to_str()?);
    match variables.find_map(is_off) {
        Some(_) => Recording::Off,
        None => Recording::On,
    }
}

/// Whether a project's own files set a variable in one of these folders, trusted or not. A file that cannot be read in time may do so.
fn is_void(folders: Vec<PathBuf>, name: &'static str) -> bool {
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

/// Names the agent of a call without one: a client that cannot pass arguments starts the program without any. Such an entry is in the default
/// agent's settings, and is run by that agent or by one that reads them, too.
pub fn name_the_agent(call: &mut Call, payload: &[u8]) {
    if !call.agent.is_empty() {
        return;
    }
    let Ok(payload) = parse_payload(payload) else {
        return;
    };
    let has_text = |name: &str| payload.get(name).is_some_and(Value::is_string);
    let is_usual = has_text("hook_event_name") && has_text("session_id");
    if is_usual || sender(DEFAULT, call, &payload).is_some() {
        DEFAULT.name.clone_into(&mut call.agent);
    }
}

/// Whether a variable may be one of ours, by its first letter.
fn may_be_known(entry: &[u8]) -> bool {
    matches!(
        entry,
        [b'B' | b'C' | b'F' | b'G' | b'H' | b'K' | b'Q' | b'X', ..] | [b'A', b'G', ..]
    )
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
        let one_by_one = ["BOWLINE", SCOPE_VARIABLE, AGENT_ID_VARIABLE];
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
