//! Which version of an agent's program the entries are written for.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use bowline::hooks::humane_duration;
use bowline::settings::Locations;
use bowline_agents::ClientVersion;
use serde::Serialize;

use super::program::is_executable;
use super::{InstallScope, Installable};
use crate::process;
use crate::project;
use crate::ui::clipped;

/// A client that needs longer to say its version is not waited for.
const LIMIT: Duration = Duration::from_secs(5);

/// The version that entries are written for, and how it is known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Client {
    /// The name of the agent, for people.
    #[serde(skip)]
    title: &'static str,
    pub(crate) version: ClientVersion,
    source: Source,
    /// What kept an installed client from saying its version.
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Source {
    /// The person named it.
    Named,
    /// The client that is installed here says so.
    Installed,
    /// No client was found here.
    NotFound,
    /// A client is here, and does not say which one it is.
    Unanswered,
    /// The file is for everybody who works on the project, whichever client they have.
    Shared,
    /// The file is the person's own, for whichever client they use in this project.
    Own,
}

/// The client that is installed here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Installation {
    /// It says that it is this one.
    Known(ClientVersion),
    /// There is none.
    NotFound,
    /// It is there, and does not say which one it is; why, for people.
    Unanswered(String),
}

impl Installation {
    pub(crate) fn version(&self) -> Option<ClientVersion> {
        match self {
            Self::Known(version) => Some(*version),
            Self::NotFound | Self::Unanswered(_) => None,
        }
    }
}

impl Client {
    /// The one that a file of this scope is for.
    pub(crate) fn of(
        agent: &Installable,
        scope: InstallScope,
        named: Option<ClientVersion>,
        locations: &Locations,
    ) -> Self {
        let known = |version, source| Self {
            title: agent.title(),
            version,
            source,
            problem: None,
        };
        let oldest = |source| known(agent.registration.client.oldest, source);
        match (named, scope) {
            (Some(version), _) => known(version, Source::Named),
            (None, InstallScope::Project) => oldest(Source::Shared),
            (None, InstallScope::Local) => oldest(Source::Own),
            (None, InstallScope::User) => match installed(agent, locations) {
                Installation::Known(version) => known(version, Source::Installed),
                Installation::NotFound => oldest(Source::NotFound),
                Installation::Unanswered(problem) => Self {
                    problem: Some(problem),
                    ..oldest(Source::Unanswered)
                },
            },
        }
    }

    /// Which one it is and why, for people.
    pub(crate) fn told(&self) -> String {
        let Self { title, version, .. } = self;
        match self.source {
            Source::Named => format!("For {title} {version}, as you said."),
            Source::Installed => format!("For {title} {version}, which is installed here."),
            Source::NotFound => format!(
                "{title} was not found here: this is what version {version} and later know; --client-version names \
                 another."
            ),
            Source::Unanswered => format!(
                "{title} does not say its version: {}. This is what version {version} and later know; \
                 --client-version names another.",
                self.problem.as_deref().unwrap_or_default()
            ),
            Source::Shared => format!(
                "For {title} {version} and later: others may read this file with any of them; --client-version \
                 names another."
            ),
            Source::Own => format!(
                "For {title} {version} and later, whichever of them you use in this project; --client-version \
                 names another."
            ),
        }
    }
}

/// The client that is installed here, and its version as the client itself says it.
pub(crate) fn installed(agent: &Installable, locations: &Locations) -> Installation {
    let mut first_problem = None;
    for program in programs(agent, locations) {
        match version_of(&program, agent) {
            Ok(version) => return Installation::Known(version),
            Err(problem) => first_problem = first_problem.or(Some(problem)),
        }
    }
    first_problem.map_or(Installation::NotFound, Installation::Unanswered)
}

/// The agent's programs: on the path, and where its own installer puts it.
pub(super) fn programs(
    agent: &Installable,
    locations: &Locations,
) -> impl Iterator<Item = PathBuf> {
    let client = &agent.registration.client;
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders: Vec<_> = std::env::split_paths(&path)
        .filter(|folder| folder.is_absolute())
        .collect();
    let own = (client.in_folder).and_then(|below| Some(agent.folder(locations)?.join(below)));
    let programs = folders.into_iter().chain(own);
    programs
        .map(|folder| folder.join(client.name))
        .filter(|program| is_executable(program))
}

fn version_of(program: &Path, agent: &Installable) -> Result<ClientVersion, String> {
    let mut command = Command::new(program);
    command.arg("--version").current_dir("/");
    // Inside an agent these would make it believe that it runs inside itself.
    for mark in agent.agent.marks {
        command.env_remove(mark);
    }
    let shown = format!("`{} --version`", project::shown(program));
    let ran = process::run(command, b"", LIMIT).map_err(|error| match error.kind() {
        io::ErrorKind::TimedOut => {
            format!("{shown} gave no answer within {}", humane_duration(LIMIT))
        }
        _ => format!("{shown} cannot be started: {error}"),
    })?;
    let said = [ran.stdout.trim(), ran.stderr.trim()].join(" ");
    ran.stdout.parse().map_err(|_| match said.trim() {
        "" => format!("{shown} answered nothing"),
        said => format!(
            "{shown} answered \"{}\", which is no version",
            clipped(said)
        ),
    })
}
