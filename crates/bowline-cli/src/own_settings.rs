//! Bowline's own settings files, as commands write them.

use std::path::{Path, PathBuf};

use bowline::settings::{
    Locations, Preset, TemplateFor, find_bowline_root, settings_template, with_preset,
};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

use crate::agent_settings::InstallScope;
use crate::agent_settings::backups::Backups;
use crate::agent_settings::file::SettingsText;
use crate::error::{Error, ErrorKind, Result};
use crate::project;

/// How a file begins that only names a preset.
const SHORT: &str = "\
# Settings of Bowline. `bowline config show --all` lists every key, `bowline check` finds mistakes.
";

/// One of them, as it was read.
#[derive(Debug)]
pub(crate) struct OwnSettings {
    pub(crate) file: PathBuf,
    pub(crate) scope: InstallScope,
    current: SettingsText,
    backups: Backups,
}

impl OwnSettings {
    /// The file of a scope: the user's, the project's, or the project's on this machine.
    pub(crate) fn read(scope: InstallScope, project: &Path, locations: &Locations) -> Result<Self> {
        let file = file_of(scope, project, locations).ok_or_else(|| {
            Error::new(ErrorKind::File, "there is no home folder")
                .hint("set HOME or XDG_CONFIG_HOME to an absolute path")
        })?;
        let current = SettingsText::read(&file)?;
        let backups = Backups::of(current.target(), locations)?;
        Ok(Self {
            file,
            scope,
            current,
            backups,
        })
    }

    pub(crate) fn exists(&self) -> bool {
        self.current.exists()
    }

    /// What is in it.
    pub(crate) fn text(&self) -> &str {
        &self.current.text
    }

    /// A file to begin with.
    pub(crate) fn new_text(&self, preset: Option<Preset>) -> String {
        let target = match self.scope {
            InstallScope::User => TemplateFor::User,
            InstallScope::Project | InstallScope::Local => TemplateFor::Project,
        };
        settings_template(target, preset)
    }

    /// What is in it, with this preset; a short file if there is none.
    pub(crate) fn text_with(&self, preset: Preset) -> Result<String> {
        if !self.exists() {
            return Ok(format!("{SHORT}preset = \"{}\"\n", preset.name()));
        }
        with_preset(self.text(), preset).map_err(|unfit| {
            let shown = project::shown(&self.file);
            Error::new(
                ErrorKind::File,
                format!("{shown}:{}: {}", unfit.line, unfit.message),
            )
            .hint(format!(
                "repair it and run it again, nothing was changed; `bowline check {shown}` tells more"
            ))
        })
    }

    /// Puts a text in its place; says where the copy of the old one is.
    pub(crate) fn write(&self, text: &str) -> Result<Option<PathBuf>> {
        self.current.replace(text, self.scope, &self.backups)
    }
}

/// Where the file of a scope is.
pub(crate) fn file_of(
    scope: InstallScope,
    project: &Path,
    locations: &Locations,
) -> Option<PathBuf> {
    let in_project = |name: &str| find_bowline_root(project, locations).join(name);
    match scope {
        InstallScope::User => locations.user_config.clone(),
        InstallScope::Project => Some(in_project("bowline.toml")),
        InstallScope::Local => Some(in_project("bowline.local.toml")),
    }
}

/// Reads the name of a preset on the command line.
pub(crate) fn preset() -> impl TypedValueParser<Value = Preset> {
    let names = Preset::ALL.map(|it| PossibleValue::new(it.name()).help(it.about()));
    PossibleValuesParser::new(names).try_map(|name| named(&name).ok_or("no such preset"))
}

/// The preset of a name.
pub(crate) fn named(name: &str) -> Option<Preset> {
    Preset::ALL.into_iter().find(|it| it.name() == name)
}
