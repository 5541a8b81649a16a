//! The skill that tells an agent how to use efforts: one file in the agent's folder of skills.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::agents::Surroundings;
use super::backups::{Backups, Original};
use super::file::SettingsText;
use super::{InstallScope, Installable};
use crate::error::Result;

/// What the file says.
pub(crate) const TEXT: &str = include_str!("effort_skill.md");

/// The file, below the folder of skills.
const FILE: &str = "effort/SKILL.md";

/// The skill as an agent has it in one place.
#[derive(Debug)]
pub(crate) struct EffortSkill {
    pub(crate) file: PathBuf,
    pub(crate) state: SkillState,
    scope: InstallScope,
    current: SettingsText,
    backups: Backups,
}

/// How the file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum SkillState {
    /// There is none.
    Missing,
    /// It is what this version writes.
    UpToDate,
    /// It is what another version has written.
    Outdated,
    /// Somebody else has written it or changed it. It is never touched.
    Changed,
}

impl EffortSkill {
    /// The skill beside the agent's settings of a scope; `None` where the agent has no skills, or no such settings.
    pub(crate) fn find(
        agent: &Installable,
        scope: InstallScope,
        surroundings: &Surroundings,
    ) -> Result<Option<Self>> {
        let settings = surroundings.file(agent, scope);
        let folder = settings.as_deref().and_then(Path::parent);
        let Some((folder, skills)) = folder.zip(agent.skills) else {
            return Ok(None);
        };
        let (folder, skills) = match (skills.strip_prefix("../"), folder.parent()) {
            (Some(skills), Some(above)) => (above, skills),
            _ => (folder, skills),
        };
        let file = folder.join(skills).join(FILE);
        let current = SettingsText::read(&file)?;
        let backups = Backups::of(current.target(), &surroundings.locations)?;
        let state = if !current.exists() {
            SkillState::Missing
        } else if current.text == TEXT {
            SkillState::UpToDate
        } else if backups.original(&current.text).is_some() {
            SkillState::Outdated
        } else {
            SkillState::Changed
        };
        Ok(Some(Self {
            file,
            state,
            scope,
            current,
            backups,
        }))
    }

    /// What the file says now.
    pub(crate) fn text(&self) -> &str {
        &self.current.text
    }

    /// Whether installing it would write something.
    pub(crate) fn is_due(&self) -> bool {
        matches!(self.state, SkillState::Missing | SkillState::Outdated)
    }

    /// Whether the file is Bowline's own.
    pub(crate) fn is_ours(&self) -> bool {
        matches!(self.state, SkillState::UpToDate | SkillState::Outdated)
    }

    pub(crate) fn install(&self) -> Result<()> {
        let original = Original::NoFile;
        self.current
            .install(TEXT, self.scope.new_file_mode(), &original, &self.backups)?;
        Ok(())
    }

    /// Removes the file, and the folders that are empty without it.
    pub(crate) fn remove(&self) -> Result<()> {
        self.current.restore(&Original::NoFile, &self.backups)?;
        for folder in self.file.ancestors().skip(1).take(2) {
            // One that is not empty stays.
            let _ = fs::remove_dir(folder);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use bowline_continuity::effort_command::is_effort_skill;
    use bowline_continuity::skill::Skill;

    use super::*;

    #[test]
    fn the_skill_is_short_and_has_the_name_that_hooks_know() {
        let skill = Skill::parse(TEXT, "").unwrap();
        assert!(is_effort_skill(&skill.name), "{}", skill.name);
        assert!(skill.description.is_some());
        assert_eq!(skill.phases, Vec::<String>::new());
        assert!(TEXT.lines().count() <= 26, "{}", TEXT.lines().count());
        for command in [
            "start",
            "resume",
            "log",
            "phase",
            "note",
            "dehydrate",
            "show",
            "finish",
        ] {
            let command = format!("bowline effort {command}");
            assert!(TEXT.contains(&command), "{command}");
        }
    }
}
