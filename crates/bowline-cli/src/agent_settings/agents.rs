//! The agents that Bowline can be put into. A new one is a file here and a line in the table.

mod claude_code;
mod cline;
mod codex;
mod copilot;
mod cursor;
mod droid;
mod gemini;
mod grok;
mod kimi;
mod opencode;
mod qwen;
mod windsurf;

use std::path::{Path, PathBuf};

use bowline::settings::{Locations, find_project};
use bowline_agents::DEFAULT;
use clap::builder::{PossibleValuesParser, TypedValueParser};

use super::entry_file::entry_files;
use super::file::SettingsText;
use super::{InstallScope, Installable};
use crate::error::Result;
use crate::project;

pub(crate) use claude_code::INSTALLABLE as CLAUDE_CODE;

/// All of them, by name.
pub(crate) static INSTALLABLE: &[Installable] = &[
    claude_code::INSTALLABLE,
    cline::INSTALLABLE,
    codex::INSTALLABLE,
    copilot::INSTALLABLE,
    cursor::INSTALLABLE,
    droid::INSTALLABLE,
    gemini::INSTALLABLE,
    grok::INSTALLABLE,
    kimi::INSTALLABLE,
    opencode::INSTALLABLE,
    qwen::INSTALLABLE,
    windsurf::INSTALLABLE,
];

/// Reads the name of one on the command line.
pub(crate) fn by_name() -> impl TypedValueParser<Value = Installable> {
    let names = INSTALLABLE.iter().map(Installable::name);
    PossibleValuesParser::new(names).try_map(|name| {
        let mut all = INSTALLABLE.iter().copied();
        all.find(|agent| agent.name() == name)
            .ok_or("no such agent")
    })
}

/// Where the commands that install do their work.
#[derive(Debug)]
pub(crate) struct Surroundings {
    /// The agents that they know.
    pub(crate) agents: &'static [Installable],
    pub(crate) locations: Locations,
    pub(crate) project: PathBuf,
}

impl Surroundings {
    /// Those of this process.
    pub(crate) fn of_process() -> Result<Self> {
        let locations = Locations::from_env();
        Ok(Self {
            agents: INSTALLABLE,
            project: find_project(&project::folder(None)?, &locations),
            locations,
        })
    }

    /// The agents that a command is for: the one that was named, else those that are on this machine or whose settings of
    /// these scopes name Bowline, else the usual one.
    pub(crate) fn chosen(
        &self,
        named: Option<Installable>,
        scopes: &[InstallScope],
    ) -> Vec<Installable> {
        if let Some(agent) = named {
            return vec![agent];
        }
        let is_meant = |agent: &&Installable| {
            let mut files = scopes.iter().filter_map(|scope| self.file(agent, *scope));
            agent.is_here(&self.locations) || files.any(|file| names_bowline(agent, &file))
        };
        let meant: Vec<_> = self.agents.iter().filter(is_meant).copied().collect();
        if !meant.is_empty() {
            return meant;
        }
        let all = self.agents.iter().copied();
        all.filter(|agent| agent.name() == DEFAULT.name).collect()
    }

    /// The agent's settings file of a scope; `None` where there is no home folder, or no such file.
    pub(crate) fn file(&self, agent: &Installable, scope: InstallScope) -> Option<PathBuf> {
        agent.file(scope, &self.project, &self.locations)
    }
}

/// Whether the settings of this path, or in this folder, have an entry of Bowline's.
pub(crate) fn names_bowline(agent: &Installable, path: &Path) -> bool {
    let files = entry_files(agent, path.to_owned());
    files.iter().any(|file| {
        let text = SettingsText::read(&file.path).map(|it| it.text);
        let text = text.unwrap_or_default();
        agent.found(&text).is_ok_and(|found| !found.is_empty())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_agent_with_a_registration_is_in_the_table() {
        let registered = bowline_agents::supported()
            .filter(|(_, protocol)| protocol.registration.is_some())
            .map(|(agent, _)| agent.name);
        let installable = INSTALLABLE.iter().map(Installable::name);
        assert!(registered.eq(installable), "a line is missing in the table");
    }
}
