//! Starts this program anew without what a project's own files say about where a person's files are. An agent hands such
//! variables on to its hooks; with a program that believed them, a project would choose whose settings count.

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use bowline::settings::{
    Locations, ProjectVariable, Sight, Steers, find_project, project_variables,
};
use bowline_agents::is_project_variable;
use bowline_daemon::within;

use crate::error::{Error, ErrorKind, Result};

/// A disk that hangs must not delay anybody. What cannot be read in time is judged by the defaults anyway.
const FILES_WITHIN: Duration = Duration::from_millis(250);

/// Goes on if nothing of the environment is a project's word for a place; else it is started again without it, and this does not
/// return.
pub(crate) fn start_unsteered() -> Result<()> {
    let home = registered_home();
    let void = void_places(home.as_deref());
    if void.is_empty() {
        return Ok(());
    }
    let failed = |error| {
        let what =
            "cannot start again without the variables that the project's .claude settings set";
        Error::new(ErrorKind::System, what).caused_by(error)
    };
    let mut again = Command::new(env::current_exe().map_err(failed)?);
    let mut args = env::args_os();
    if let Some(called) = args.next() {
        again.arg0(called);
    }
    again.args(args);
    for name in &void {
        again.env_remove(name);
    }
    if let Some(home) = home.filter(|_| void.iter().any(|it| it == "HOME")) {
        again.env("HOME", home);
    }
    Err(failed(again.exec()))
}

/// Whether something of the environment is a project's word for a place.
pub(crate) fn is_steered() -> bool {
    !void_places(registered_home().as_deref()).is_empty()
}

/// The folders in the environment that a project has set.
fn void_places(home: Option<&Path>) -> Vec<String> {
    let users = Locations::of_environment(|name| match (name, home) {
        ("HOME", Some(home)) => Some(home.into()),
        _ => None,
    });
    let mut void = within(FILES_WITHIN, move || places_by_projects(&users)).unwrap_or_default();
    void.retain(|name| !is_home(name, home));
    void
}

/// The variables that say where something is and have the value that a project's own file gives them, here or where the agent
/// says that its project is.
fn places_by_projects(users: &Locations) -> Vec<String> {
    let variables = bowline_agents::project_variables().into_iter();
    let named = variables.filter_map(|name| env::var_os(name).map(PathBuf::from));
    let folders = env::current_dir().into_iter().chain(named);
    let mut projects: Vec<PathBuf> = folders.map(|it| find_project(&it, users)).collect();
    projects.dedup();
    let of_project = |it: &PathBuf| project_variables(it, users.claude_config_dir.as_deref());
    let set: Vec<ProjectVariable> = projects.iter().flat_map(of_project).collect();
    let gives = |it: &ProjectVariable, name: &str, value: &OsStr| match it.sight {
        Sight::Read => it.name == name && OsStr::new(&it.value) == value,
        _ => it.sets(name) && !is_persons(Path::new(value), &projects),
    };
    let places = env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value)));
    places
        .filter(|(name, _)| Steers::of(name) == Steers::Places && !is_project_variable(name))
        .filter(|(name, value)| set.iter().any(|it| gives(it, name, value)))
        .map(|(name, _)| name)
        .collect()
}

/// Whether a folder may be what a person means, where nobody knows what a project's file says: it is there, it is this user's,
/// and no project brought it along. What `init` wrote into the entry looks just like that.
fn is_persons(folder: &Path, projects: &[PathBuf]) -> bool {
    let Ok(real) = folder.canonicalize() else {
        return false;
    };
    let own = rustix::process::getuid().as_raw();
    let is_own = real.metadata().is_ok_and(|found| found.uid() == own);
    let is_brought = |project: &PathBuf| {
        let project = project.canonicalize();
        project.map_or(true, |project| real.starts_with(project))
    };
    is_own && !projects.iter().any(is_brought)
}

/// Whether a variable already says what the system does.
fn is_home(name: &str, home: Option<&Path>) -> bool {
    name == "HOME" && home.is_some_and(|home| env::var_os("HOME").is_some_and(|it| it == home))
}

/// The home folder as the system has it for this user.
fn registered_home() -> Option<PathBuf> {
    let user = rustix::process::getuid().as_raw().to_string();
    let users = fs::read_to_string("/etc/passwd").ok()?;
    let of_user = |line: &str| {
        let mut fields = line.split(':');
        let is_ours = fields.nth(2) == Some(user.as_str());
        fields.nth(2).filter(|_| is_ours).map(PathBuf::from)
    };
    users
        .lines()
        .find_map(of_user)
        .filter(|home| home.is_absolute())
}
