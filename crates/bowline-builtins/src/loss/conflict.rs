//! Conflicts: what somebody has resolved, and what git only put there.

use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use bowline_guard::loss::{IndexToo, Loss};

use super::Losses;
use super::content::join;
use super::line::Line;
use super::pathspec::Pathspecs;
use super::repository::{Extent, uncommitted};
use crate::machine::git::{Repository, Stage, Staged};

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
        // What git has merged by itself is no work; where it merges nothing, whatever is staged is somebody's.
        let merging = repository.git_dir.join("MERGE_HEAD").exists();
        let staged = if merging || !conflicts.resolved.is_empty() {
            conflicts.resolved
        } else {
            let changes = self.git.changes(repository, b"")?.into_iter();
            let staged = changes.filter(|it| it.staged != Staged::Unchanged);
            staged.map(|it| it.path).collect()
        };
        for path in staged {
            if self.is_staged_by_others(repository, &path)? {
                lost.push(path);
            }
        }
        Some(uncommitted(&lost, Extent::Whole))
    }

    /// Taking one side of a conflict: files that are in none are set back as well.
    pub(super) fn took_side(
        &self,
        repository: &Repository,
        specs: &Pathspecs,
        files: &Line,
    ) -> Option<Loss> {
        let lost = self.loose(repository, specs, IndexToo::No, files)?;
        Some(uncommitted(&lost, Extent::Part))
    }

    /// Whether a file still has the marks that git puts around what it could not merge.
    pub(super) fn is_unresolved(&self, path: &Path) -> bool {
        let unresolved = || {
            let repository = self.git.repository(path.parent()?)?;
            let below = path.strip_prefix(&repository.root).ok()?;
            let entry = self
                .git
                .index_entry(&repository, below.as_os_str().as_bytes())??;
            let short = path.metadata().ok()?.len() <= MAX_SEARCHED;
            if !short || entry.stage == Stage::Merged {
                return None;
            }
            let text = std::fs::read(path).ok()?;
            let mut lines = text.split(|byte| *byte == b'\n');
            Some(lines.any(|line| line.starts_with(b"<<<<<<< ")))
        };
        unresolved().unwrap_or(false)
    }
}
