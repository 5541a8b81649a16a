//! What is thrown away in submodules.

use std::fs;

use bowline_guard::loss::{GitAct, Loss};

use super::Losses;
use super::content::join;
use super::files::unsaved;
use super::line::Line;
use super::pathspec::Pathspecs;
use crate::machine::git::Repository;

impl Losses<'_> {
    pub(super) fn deinitialised(
        &self,
        repository: &Repository,
        specs: &Pathspecs,
        files: &Line,
    ) -> Option<Loss> {
        let mut loss =
            Loss::Nothing("the submodules hold nothing that somebody would miss".to_owned());
        for submodule in self.git.submodules(repository)? {
            let folder = join(&repository.root, &submodule);
            if !specs.matches(&submodule) || fs::symlink_metadata(folder.join(".git")).is_err() {
                continue;
            }
            let inner = self.git.repository(&folder)?;
            if let Some(lost) = self.lost_below(&inner, &folder, files)? {
                let what = unsaved(&self.shown(&lost));
                loss = loss.and(if specs.is_everything() {
                    Loss::Whole(what)
                } else {
                    Loss::Part(what)
                });
            }
        }
        Some(loss)
    }

    pub(super) fn in_submodules(&self, repository: &Repository, acts: &[GitAct]) -> Option<Loss> {
        let mut loss =
            Loss::Nothing("there is no submodule with work that somebody would miss".to_owned());
        for submodule in self.git.submodules(repository)? {
            let folder = join(&repository.root, &submodule);
            if fs::symlink_metadata(folder.join(".git")).is_err() {
                continue;
            }
            for act in acts {
                loss = loss.and(self.of_git_in(&folder, act, (&[], &Line::default()))?);
            }
        }
        Some(loss)
    }
}
