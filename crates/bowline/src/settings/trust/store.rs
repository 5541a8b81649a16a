//! Which projects the user trusts, kept outside of them. A project that changes has to be trusted again.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::fingerprint::{ProjectFiles, VARIABLES};
use super::ledger_file::LedgerFile;
use super::repository::RepositoryFolder;
use crate::error::{Error, Result};
use crate::settings::claude::mcp_servers::MCP_FILE;
use crate::settings::claude::sensitive;
use crate::settings::files::locations::{CLAUDE_FOLDER, LOCAL_FILE, Locations, PROJECT_FILE};

const FORMAT: u64 = 2;
/// The format before, which knows no repositories.
const OLD_FORMAT: u64 = 1;

/// Whether a project's own Bowline files count in full. Until they are trusted they may only tighten.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum TrustState {
    /// The project has nothing that needs trust.
    NotNeeded,
    /// The user trusts them as they are now.
    Trusted,
    /// The user never trusted them.
    Untrusted,
    /// The user trusted them once, and they have changed since.
    Changed,
    /// The user trusts them as they are now, but not the allow-list of `.claude/sensitive-files.json`, which has come
    /// since.
    ExceptAllowList,
}

impl TrustState {
    /// Whether the project's files count in full.
    pub const fn is_trusted(self) -> bool {
        match self {
            Self::NotNeeded | Self::Trusted | Self::ExceptAllowList => true,
            Self::Untrusted | Self::Changed => false,
        }
    }

    /// Whether files may pass by the allow-list of `.claude/sensitive-files.json`.
    pub const fn covers_allow_list(self) -> bool {
        matches!(self, Self::Trusted)
    }

    /// Whether the variables that the project's files set for the agent were trusted with them.
    pub const fn covers_variables(self) -> bool {
        matches!(self, Self::Trusted | Self::ExceptAllowList)
    }

    /// Whether there is something that the user has not trusted.
    pub const fn is_pending(self) -> bool {
        match self {
            Self::NotNeeded | Self::Trusted => false,
            Self::Untrusted | Self::Changed | Self::ExceptAllowList => true,
        }
    }
}

/// One project that the user trusts.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct TrustEntry {
    /// The project's folder.
    pub project: PathBuf,
    /// SHA-256 of its files, in hexadecimal.
    pub sha256: String,
    /// When it was trusted.
    pub when: DateTime<Utc>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Record {
    sha256: String,
    when: DateTime<Utc>,
    /// Which repository it is of: in its other worktrees, and after a move, the same contents are trusted as well.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    repository: Option<RepositoryFolder>,
    /// The hash of each part by its name, to see which one changed. Older records have none.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    parts: BTreeMap<String, String>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Ledger {
    format: u64,
    projects: BTreeMap<String, Record>,
}

/// The parts of a project that trust covers.
#[derive(Debug, Clone, Copy)]
enum Part {
    /// Its own Bowline files.
    Settings,
    /// Its hooks in Claude Code's files, recorded under the folder that they are in.
    ClaudeHooks,
    /// Its MCP servers.
    McpServers,
}

impl Part {
    const ALL: [Self; 3] = [Self::Settings, Self::ClaudeHooks, Self::McpServers];

    const fn name(self) -> Option<&'static str> {
        match self {
            Self::Settings => None,
            Self::ClaudeHooks => Some(CLAUDE_FOLDER),
            Self::McpServers => Some(MCP_FILE),
        }
    }

    /// The key of its record.
    fn key(self, project: &str) -> String {
        match self.name() {
            Some(name) => format!("{project}/{name}"),
            None => project.to_owned(),
        }
    }

    /// Its place in the repository.
    fn within(self, repository: RepositoryFolder) -> RepositoryFolder {
        match self.name() {
            Some(name) => repository.join(name),
            None => repository,
        }
    }
}

/// The record of trusted projects: `trust.json` in the data folder.
///
/// A record that is damaged, or that others could have written, trusts nothing and is never overwritten.
#[derive(Debug)]
pub struct TrustStore {
    file: LedgerFile,
    locations: Locations,
    records: Result<BTreeMap<String, Record>, String>,
}

impl TrustStore {
    /// Reads the record. Fails only when there is no data folder to look in.
    pub fn open(locations: &Locations) -> Result<Self> {
        let folder = locations.data_dir.clone().ok_or_else(|| {
            Error::other("no data folder to keep trust in: set HOME or XDG_DATA_HOME")
        })?;
        let file = LedgerFile::new(folder, "trust", "trust record");
        Ok(Self {
            records: read_records(&file),
            locations: locations.clone(),
            file,
        })
    }

    /// The file that the record is kept in.
    pub fn file(&self) -> PathBuf {
        self.file.path()
    }

    /// Why the record cannot be used, if so.
    pub fn problem(&self) -> Option<&str> {
        self.records.as_ref().err().map(String::as_str)
    }

    /// Whether the project's files, as they are now, are trusted.
    pub fn state(&self, project: &Path) -> TrustState {
        self.state_of(project, &self.files_of(project))
    }

    /// As [`state`](Self::state), for files that were read already, so that what is judged is what is used.
    pub(in crate::settings) fn state_of(&self, project: &Path, files: &ProjectFiles) -> TrustState {
        let now = match files.sha256() {
            Ok(None) => return TrustState::NotNeeded,
            Ok(Some(sha256)) => Some(sha256),
            Err(_) => None,
        };
        let recorded = self.recorded(project, Part::Settings);
        let has = |sha256: Option<&String>| recorded.iter().any(|it| Some(&it.sha256) == sha256);
        if recorded.is_empty() {
            TrustState::Untrusted
        } else if now.is_some() && has(now.as_ref()) {
            TrustState::Trusted
        } else if matches!(files.own_sha256(), Ok(Some(own)) if has(Some(&own))) {
            TrustState::ExceptAllowList
        } else {
            TrustState::Changed
        }
    }

    /// What was recorded of a project: under its path, or of the same folder of the same repository.
    fn recorded(&self, project: &Path, part: Part) -> Vec<&Record> {
        let Ok(records) = &self.records else {
            return Vec::new();
        };
        let key = key(project).ok().map(|project| part.key(&project));
        let here = RepositoryFolder::of(project).map(|it| part.within(it));
        let is_meant = |path: &String, record: &Record| {
            Some(path) == key.as_ref() || (here.is_some() && record.repository == here)
        };
        let meant = records.iter().filter(|(path, it)| is_meant(path, it));
        meant.map(|(_, record)| record).collect()
    }

    /// Trusts the project's files as they are now.
    pub fn record(&mut self, project: &Path) -> Result<()> {
        let files = self.files_of(project);
        let sha256 = files.sha256()?.ok_or_else(|| {
            Error::other(format!(
                "there is nothing to trust: {} has no {PROJECT_FILE}, no {LOCAL_FILE}, no allow-list in {} and no variables for Bowline in .claude/settings.json",
                project.display(),
                sensitive::PATH
            ))
        })?;
        self.insert(project, Part::Settings, sha256, files.parts()?)
    }

    /// Trusts the project's files if they still have the fingerprint of what the user was shown.
    pub fn record_shown(&mut self, project: &Path, sha256: &str) -> Result<()> {
        let files = self.files_of(project);
        if files.sha256()?.as_deref() == Some(sha256) {
            // The files as they were shown, not as they are now.
            self.insert(project, Part::Settings, sha256.to_owned(), files.parts()?)
        } else {
            Err(Error::other(format!(
                "the settings of {} changed while they were shown; look at them again",
                project.display()
            )))
        }
    }

    /// Whether the project's hooks in Claude Code's files are trusted.
    pub(in crate::settings) fn claude_hooks_state(
        &self,
        project: &Path,
        sha256: &str,
    ) -> TrustState {
        self.state_of_part(project, Part::ClaudeHooks, sha256)
    }

    fn state_of_part(&self, project: &Path, part: Part, sha256: &str) -> TrustState {
        let recorded = self.recorded(project, part);
        if recorded.is_empty() {
            TrustState::Untrusted
        } else if recorded.iter().any(|record| record.sha256 == sha256) {
            TrustState::Trusted
        } else {
            TrustState::Changed
        }
    }

    /// Trusts the project's hooks in Claude Code's files, as the user was shown them.
    pub fn record_claude_hooks(&mut self, project: &Path, sha256: &str) -> Result<()> {
        self.insert(
            project,
            Part::ClaudeHooks,
            sha256.to_owned(),
            BTreeMap::new(),
        )
    }

    /// Whether the project's MCP servers are trusted.
    pub(in crate::settings) fn mcp_servers_state(
        &self,
        project: &Path,
        sha256: &str,
    ) -> TrustState {
        self.state_of_part(project, Part::McpServers, sha256)
    }

    /// Trusts the project's MCP servers, as the user was shown them.
    pub fn record_mcp_servers(&mut self, project: &Path, sha256: &str) -> Result<()> {
        self.insert(
            project,
            Part::McpServers,
            sha256.to_owned(),
            BTreeMap::new(),
        )
    }

    /// What has changed since the user trusted the project, in words; nothing if that was not recorded.
    pub fn changes(&self, project: &Path) -> Vec<String> {
        let recorded = self.recorded(project, Part::Settings);
        let newest = recorded.iter().max_by_key(|record| record.when);
        let before = newest.map(|record| &record.parts);
        let (Some(before), Ok(now)) = (
            before.filter(|parts| !parts.is_empty()),
            self.files_of(project).parts(),
        ) else {
            return Vec::new();
        };
        let names: BTreeSet<&String> = before.keys().chain(now.keys()).collect();
        let change = |name: &String| {
            let shown = match name.as_str() {
                VARIABLES => "`env` in the project's settings for Claude Code",
                name => name,
            };
            match (before.get(name), now.get(name)) {
                (Some(then), Some(now)) if then == now => None,
                (Some(_), Some(_)) => Some(format!("{shown} has changed")),
                (None, _) => Some(format!("{shown} is new")),
                (_, None) => Some(format!("{shown} is gone")),
            }
        };
        names.into_iter().filter_map(change).collect()
    }

    fn insert(
        &mut self,
        project: &Path,
        part: Part,
        sha256: String,
        parts: BTreeMap<String, String>,
    ) -> Result<()> {
        let key = part.key(&key(project)?);
        let record = Record {
            sha256,
            when: Utc::now(),
            repository: RepositoryFolder::of(project).map(|it| part.within(it)),
            parts,
        };
        self.change(|records| records.insert(key, record))?;
        Ok(())
    }

    /// SHA-256 of the project's files as they are now; `None` when it has none.
    pub fn fingerprint(&self, project: &Path) -> Result<Option<String>> {
        self.files_of(project).sha256()
    }

    pub(super) fn files_of(&self, project: &Path) -> ProjectFiles {
        ProjectFiles::read(project, &self.locations)
    }

    /// Forgets the project, also as its other worktrees have it. `false` when it was not trusted.
    pub fn revoke(&mut self, project: &Path) -> Result<bool> {
        // A project that is gone can still be revoked, by the path that it was listed with.
        let path = key(project).or_else(|error| utf8(project).map_err(|_| error))?;
        let keys = Part::ALL.map(|part| part.key(&path));
        let records = self.records.as_ref().ok();
        let there =
            RepositoryFolder::of(project).or_else(|| records?.get(&path)?.repository.clone());
        let places = there.map(|it| Part::ALL.map(|part| part.within(it.clone())));
        let is_meant = |key: &String, record: &Record| {
            let same = |places: &[RepositoryFolder; 3]| {
                record
                    .repository
                    .as_ref()
                    .is_some_and(|it| places.contains(it))
            };
            keys.contains(key) || places.as_ref().is_some_and(same)
        };
        if records.is_some_and(|records| !records.iter().any(|(key, it)| is_meant(key, it))) {
            return Ok(false);
        }
        self.change(|records| {
            let before = records.len();
            records.retain(|key, record| !is_meant(key, record));
            records.len() < before
        })
    }

    /// The trusted projects, by path.
    pub fn entries(&self) -> Vec<TrustEntry> {
        self.records
            .iter()
            .flatten()
            .map(|(project, record)| TrustEntry {
                project: PathBuf::from(project),
                sha256: record.sha256.clone(),
                when: record.when,
            })
            .collect()
    }

    /// Changes the record as it is on disk now, so that another process's changes are kept.
    fn change<T>(&mut self, change: impl FnOnce(&mut BTreeMap<String, Record>) -> T) -> Result<T> {
        let held = self.file.hold()?;
        self.records = read_records(&self.file);
        let records = self.records.as_mut().map_err(|problem| {
            Error::other(format!("{problem}; repair it or remove it, then try again"))
        })?;
        let result = change(records);
        held.write(&encode(records)?)?;
        Ok(result)
    }
}

fn key(project: &Path) -> Result<String> {
    let canonical = project.canonicalize().map_err(|source| Error::File {
        action: "find",
        path: project.to_owned(),
        source,
    })?;
    utf8(&canonical)
}

fn utf8(path: &Path) -> Result<String> {
    path.to_str().map(ToOwned::to_owned).ok_or_else(|| {
        Error::other(format!(
            "a project whose path is not UTF-8 cannot be trusted: {}",
            path.display()
        ))
    })
}

fn read_records(file: &LedgerFile) -> Result<BTreeMap<String, Record>, String> {
    match file.read()? {
        Some(text) => decode(&text).ok_or_else(|| file.refused("is damaged")),
        None => Ok(BTreeMap::new()),
    }
}

fn decode(text: &str) -> Option<BTreeMap<String, Record>> {
    let ledger: Ledger = serde_json::from_str(text).ok()?;
    matches!(ledger.format, FORMAT | OLD_FORMAT).then_some(ledger.projects)
}

fn encode(records: &BTreeMap<String, Record>) -> Result<String> {
    let ledger = Ledger {
        format: FORMAT,
        projects: records.clone(),
    };
    let text = serde_json::to_string_pretty(&ledger);
    let text = text.map_err(|source| Error::other(source.to_string()))?;
    Ok(format!("{text}\n"))
}

#[cfg(test)]
mod tests;
