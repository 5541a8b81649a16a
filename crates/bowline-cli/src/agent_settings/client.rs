//! Which Claude Code the entries are written for.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use bowline::dialect::ClientVersion;
use bowline::settings::Locations;
use serde::Serialize;

use super::InstallScope;
use super::program::is_executable;
use crate::process;

/// A client that needs longer to say its version is not waited for.
const LIMIT: Duration = Duration::from_secs(5);

/// The version that entries are written for, and how it is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub(crate) struct Client {
    pub(crate) version: ClientVersion,
    source: Source,
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
    /// The file is for everybody who works on the project, whichever client they have.
    Shared,
}

impl Client {
    /// The one that a file of this scope is for.
    pub(crate) fn of(
        scope: InstallScope,
        named: Option<ClientVersion>,
        locations: &Locations,
    ) -> Self {
        let oldest = |source| Self {
            version: ClientVersion::OLDEST_SUPPORTED,
            source,
        };
        let known = |version, source| Self { version, source };
        match (named, scope) {
            (Some(version), _) => known(version, Source::Named),
            (None, InstallScope::Project | InstallScope::Local) => oldest(Source::Shared),
            (None, InstallScope::User) => installed(locations).map_or_else(
                || oldest(Source::NotFound),
                |version| known(version, Source::Installed),
            ),
        }
    }

    /// Which one it is and why, for people.
    pub(crate) fn told(self) -> String {
        let version = self.version;
        match self.source {
            Source::Named => format!("For Claude Code {version}, as you said."),
            Source::Installed => format!("For Claude Code {version}, which is installed here."),
            Source::NotFound => format!(
                "Claude Code was not found here: this is what version {version} and later know; --client-version names \
                 another."
            ),
            Source::Shared => format!(
                "For Claude Code {version} and later: others may read this file with any of them; --client-version \
                 names another."
            ),
        }
    }
}

/// The version of the client that is installed here, as the client itself says it.
pub(crate) fn installed(locations: &Locations) -> Option<ClientVersion> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    programs(&path, locations.claude_config_dir.as_deref())
        .into_iter()
        .filter(|program| is_executable(program))
        .find_map(|program| version_of(&program))
}

/// Where the client may be: on the path, else where its own installer puts it.
fn programs(path: &OsStr, config: Option<&Path>) -> Vec<PathBuf> {
    let folders = std::env::split_paths(path).filter(|folder| folder.is_absolute());
    let own = config.map(|folder| folder.join("local"));
    let folders = folders.chain(own);
    folders.map(|folder| folder.join("claude")).collect()
}

fn version_of(program: &Path) -> Option<ClientVersion> {
    let mut command = Command::new(program);
    // Inside an agent the variable would make it believe that it runs inside itself.
    command
        .arg("--version")
        .current_dir("/")
        .env_remove("CLAUDECODE");
    let ran = process::run(command, b"", LIMIT).ok()?;
    ran.stdout.parse().ok()
}
