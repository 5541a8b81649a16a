//! One file of an agent, and what it is to say.

use std::path::PathBuf;

use serde::Serialize;

use super::InitArgs;
use crate::agent_settings::agents::Surroundings;
use crate::agent_settings::backups::{Backups, Original};
use crate::agent_settings::diff::Diff;
use crate::agent_settings::entry_file::EntryFile;
use crate::agent_settings::file::SettingsText;
use crate::agent_settings::preview::{Course, FilePreview, Preview};
use crate::agent_settings::refusals::Refusal;
use crate::agent_settings::{Installable, Plan, Shadowed, Unfit};
use crate::commands::installing::cannot_edit;
use crate::error::Result;
use crate::project;

/// A change of one file that is not written yet.
pub(super) struct Change {
    pub(super) file: EntryFile,
    current: SettingsText,
    wanted: String,
    backups: Backups,
}

#[derive(Debug, Serialize)]
pub(super) struct FileReport {
    #[serde(serialize_with = "project::lossy")]
    pub(super) file: PathBuf,
    diff: Diff,
    /// What keeps the agent from reading the file.
    pub(super) refusals: Vec<Refusal>,
    /// The entries that the agent does not read.
    pub(super) shadowed: Vec<Shadowed>,
    /// The copy of the file as it was.
    #[serde(serialize_with = "project::lossy_option")]
    pub(super) backup: Option<PathBuf>,
    /// It is not as Bowline wrote it, and stays.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) left_alone: bool,
}

impl Change {
    pub(super) fn of(
        file: EntryFile,
        agent: &Installable,
        plan: &Plan,
        surroundings: &Surroundings,
    ) -> Result<(Self, FileReport)> {
        let unfit = |unfit| cannot_edit(agent, &file.path, &unfit);
        let current = SettingsText::read(&file.path)?;
        let backups = Backups::of(current.target(), &surroundings.locations)?;
        let left_alone = agent.is_left_alone(&current.text);
        let wanted = if left_alone {
            current.text.clone()
        } else {
            let wanted = agent.install_at(&current.text, plan, &|event| file.is_for(event));
            wanted.map_err(unfit)?
        };
        let report = FileReport {
            diff: Diff::between(&current.text, &wanted),
            // A person looks for them in the file as it is now.
            refusals: Refusal::moved_back(
                (agent.refusals)(&current.text),
                (agent.refusals)(&wanted),
            ),
            shadowed: agent.shadowed(&wanted).map_err(unfit)?,
            backup: None,
            left_alone,
            file: file.path.clone(),
        };
        let change = Self {
            file,
            current,
            wanted,
            backups,
        };
        Ok((change, report))
    }

    /// What the file says now, and what it is to say.
    pub(super) fn texts(&self) -> (&str, &str) {
        (&self.current.text, &self.wanted)
    }

    pub(super) fn is_wanted(&self) -> bool {
        self.wanted != self.current.text
    }

    /// What becomes of the file, for those who are asked.
    pub(super) fn preview(
        &self,
        agent: &Installable,
        plan: &Plan,
        args: &InitArgs,
    ) -> Result<FilePreview> {
        let (before, wanted) = (&self.current.text, &self.wanted);
        let remark = if self.current.exists() {
            ""
        } else {
            " (new file)"
        };
        let path = self.file.path.clone();
        if args.full {
            return Ok(Preview::full(before, wanted).of_file(path, remark, None));
        }
        let change = |is_shown: &dyn Fn(&str) -> bool| {
            let is_meant = |event: &str| self.file.is_for(event) && is_shown(event);
            agent.install_at(before, plan, &is_meant)
        };
        let preview = Preview::short(agent, before, wanted, change)
            .map_err(|unfit| cannot_edit(agent, &path, &unfit))?;
        Ok(preview.of_file(path, remark, Course::of_file(agent, before, wanted)))
    }

    /// Writes it; says where the copy of the old file is.
    pub(super) fn carry_out(&self, agent: &Installable, plan: &Plan) -> Result<Option<PathBuf>> {
        let original = original(agent, &self.current, &self.backups)
            .map_err(|unfit| cannot_edit(agent, &self.file.path, &unfit))?;
        let mode = agent.form.kind.new_file_mode(plan.scope);
        (self.current).install(&self.wanted, mode, &original, &self.backups)
    }
}

/// The file as it was before Bowline came: as it was noted then, else what is left without Bowline.
fn original(
    agent: &Installable,
    current: &SettingsText,
    backups: &Backups,
) -> std::result::Result<Original, Unfit> {
    if !current.exists() {
        return Ok(Original::NoFile);
    }
    match backups.original(&current.text) {
        Some(original) => Ok(original),
        None => agent
            .uninstall(&current.text, &backups.text_before())
            .map(Original::Text),
    }
}
