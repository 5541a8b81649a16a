//! Conflicts: what somebody has resolved, and what git only put there.

use std::path::Path;

use bowline_guard::loss::{IndexToo, Loss};

use super::Losses;
use super::content::join;
use super::line::Line;
use super::pathspec::Pathspecs;
use super::repository::{Extent, uncommitted};
use crate::machine::git::Repository;

/// Longer files are not searched for marks.
const MAX_SEARCHED: u64 = 4 * 1024 * 1024;

impl Losses<'_> {
    /// Giving up a merge or a rebase: what somebody has resolved in it goes.
    pub(super) fn aborted(&self, repository: &Repository, files: &Line) -> Option<Loss> {
        let conflicts = self.git.conflicts(repository)?;
        let mut lost = Vec::new();
        for path in conflicts.open {
            let file = join(&repository.root, &path);
            if !files.is_safe(&file) && self.is_lost(&file)? {
                lost.push(path);
            }
        }
        for path in conflicts.resolved {
            if self.is_staged_by_others(repository, &path)? {
                lost.push(path);
            }
        }
        Some(uncommitted(&lost, Extent::Whole))
    }

    /// Taking one side of a conflict: only files in conflict are written over.
    pub(super) fn took_side(
        &self,
        repository: &Repository,
        specs: &Pathspecs,
        files: &Line,
    ) -> Option<Loss> {
        let mut lost = self.loose(repository, specs, IndexToo::No, files)?;
        let conflicts = self.git.conflicts(repository)?;
        lost.retain(|path| conflicts.open.contains(path));
        Some(uncommitted(&lost, Extent::Part))
    }

    /// Whether a file still has the marks that git puts around what it could not merge.
    pub(super) fn is_unresolved(&self, path: &Path) -> bool {
        let unresolved = || {
            let repository = self.git.repository(path.parent()?)?;
            let conflicts = self.git.conflicts(&repository)?;
            let is_open = |it: &Vec<u8>| join(&repository.root, it) == path;
            let short = path.metadata().ok()?.len() <= MAX_SEARCHED;
            if !short || !conflicts.open.iter().any(is_open) {
                return None;
            }
            let text = std::fs::read(path).ok()?;
            let mut lines = text.split(|byte| *byte == b'\n');
            Some(lines.any(|line| line.starts_with(b"<<<<<<< ")))
        };
        unresolved().unwrap_or(false)
    }
}
