//! The files in which an agent's entries stand: one for all events, or one for each.

use std::path::{Path, PathBuf};

use super::file::SettingsText;
use super::installable::FileKind;
use super::{Installable, program};
use crate::project;

/// A file in which entries stand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct EntryFile {
    pub(crate) path: PathBuf,
    /// The event that it is for; nothing where it is for all of them.
    event: Option<&'static str>,
    /// A file of somebody else that has the usual name.
    instead_of: Option<PathBuf>,
}

impl EntryFile {
    /// Whether entries for the event stand in it.
    pub(crate) fn is_for(&self, event: &str) -> bool {
        self.event.is_none_or(|own| own == event)
    }

    /// Its name, where there is one for each event.
    pub(crate) fn name(&self) -> Option<String> {
        self.event?;
        let name = self.path.file_name()?;
        Some(name.to_string_lossy().into_owned())
    }

    /// What somebody else's file of the usual name keeps it from, for people.
    pub(crate) fn limit(&self, agent: &Installable) -> Option<String> {
        let theirs = project::shown(self.instead_of.as_ref()?);
        let (ours, title) = (self.name()?, agent.title());
        Some(format!(
            "{theirs} is not Bowline's and stays as it is; not every client of {title} also runs Bowline's {ours}"
        ))
    }

    /// Whether the agent can start it, where it is a program.
    pub(crate) fn can_be_started(&self) -> bool {
        self.event.is_none() || program::is_executable(&self.path)
    }
}

/// The file of this path, or those in the folder of this path.
pub(crate) fn entry_files(agent: &Installable, path: PathBuf) -> Vec<EntryFile> {
    let FileKind::Scripts { endings, .. } = agent.form.kind else {
        return vec![EntryFile {
            path,
            event: None,
            instead_of: None,
        }];
    };
    let events = agent.agent.events.iter();
    let file = |(event, _): &(&'static str, _)| script(agent, &path, event, endings);
    events.map(file).collect()
}

/// The script of an event: the one that is Bowline's, though somebody may have changed it since; else the first whose name is free.
/// Where none is, it is the first, which is somebody else's.
fn script(agent: &Installable, folder: &Path, event: &'static str, endings: &[&str]) -> EntryFile {
    let paths = endings
        .iter()
        .map(|ending| folder.join(format!("{event}{ending}")));
    let paths: Vec<PathBuf> = paths.collect();
    let text = |path: &PathBuf| SettingsText::read(path).map(|it| it.text).ok();
    let is_marked = |path: &&PathBuf| text(path).is_some_and(|text| agent.is_marked(&text));
    let is_free = |path: &&PathBuf| text(path).is_some_and(|text| !agent.is_left_alone(&text));
    let marked = paths.iter().find(is_marked);
    let chosen = marked.or_else(|| paths.iter().find(is_free));
    let usual = paths.first().cloned().unwrap_or_default();
    let path = chosen.unwrap_or(&usual).clone();
    EntryFile {
        instead_of: Some(usual).filter(|usual| *usual != path && usual.exists()),
        path,
        event: Some(event),
    }
}
