//! Takes back that an agent trusts Bowline's entries.

use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::agent_settings::Installable;
use crate::agent_settings::agents::Surroundings;
use crate::agent_settings::backups::{Backups, Original};
use crate::agent_settings::diff::Diff;
use crate::agent_settings::file::SettingsText;
use crate::agent_settings::preview::Preview;
use crate::commands::installing::cannot_edit;
use crate::error::Result;
use crate::project::{self, Paths};
use crate::ui::{Text, Ui, style};

/// What is written down of the trust in Bowline's entries.
pub(super) struct Trusted {
    file: PathBuf,
    current: SettingsText,
    without: Original,
    backups: Backups,
}

#[derive(Debug, Serialize)]
pub(super) struct TrustReport {
    #[serde(serialize_with = "project::lossy")]
    file: PathBuf,
    diff: Diff,
    #[serde(serialize_with = "project::lossy_option")]
    backup: Option<PathBuf>,
}

impl Trusted {
    /// Of the entries in this settings file, which has this text; nothing if nothing is written down.
    pub(super) fn of(
        agent: &Installable,
        settings: &Path,
        text: &str,
        surroundings: &Surroundings,
    ) -> Result<Option<Self>> {
        let file = agent.trust_file(&surroundings.locations);
        let (Some(form), Some(file)) = (agent.trust_form(), file) else {
            return Ok(None);
        };
        let current = SettingsText::read(&file)?;
        let without = (form.revoke)(&current.text, settings, text)
            .map_err(|unfit| cannot_edit(agent, &file, &unfit))?;
        if without == current.text {
            return Ok(None);
        }
        let backups = Backups::of(current.target(), &surroundings.locations)?;
        // Entries of another settings file may be trusted in the same one.
        let is_as_before = |before: &Original| match before {
            Original::Text(before) => before.trim_end() == without.trim_end(),
            Original::NoFile => without.trim().is_empty(),
        };
        let before = backups.original(&current.text).filter(is_as_before);
        let without = match before {
            Some(before) => before,
            None if without.trim().is_empty() && backups.is_made_by_bowline() => Original::NoFile,
            None => Original::Text(without),
        };
        Ok(Some(Self {
            file,
            current,
            without,
            backups,
        }))
    }

    pub(super) fn report(&self) -> TrustReport {
        TrustReport {
            file: self.file.clone(),
            diff: Diff::between(&self.current.text, self.text()),
            backup: None,
        }
    }

    fn text(&self) -> &str {
        match &self.without {
            Original::Text(text) => text,
            Original::NoFile => "",
        }
    }

    pub(super) fn show_change(&self, paths: &Paths, ui: &mut Ui) {
        let file = paths.show_absolute(&self.file);
        ui.line(Text::styled(file, style::HEADING));
        Preview::full(&self.current.text, self.text()).show(ui);
        ui.blank();
    }

    pub(super) fn take_back(&self, told: &mut TrustReport) -> Result<()> {
        told.backup = self.current.restore(&self.without, &self.backups)?;
        Ok(())
    }
}

impl TrustReport {
    pub(super) fn show(&self, agent: &Installable, paths: &Paths, ui: &mut Ui) {
        let file = paths.show_absolute(&self.file);
        ui.line(format!(
            "{} no longer trusts its entries ({file}).",
            agent.title()
        ));
        if let Some(backup) = &self.backup {
            ui.line(format!(
                "That file as it was: {}",
                paths.show_absolute(backup)
            ));
        }
    }
}
