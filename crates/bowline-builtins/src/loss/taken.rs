//! Whose work a stash or a commit of the line takes, and where the line has moved work to.

use std::os::unix::ffi::OsStrExt;

use bowline_guard::loss::{IndexToo, Untracked};

use super::Losses;
use super::content::join;
use super::git_line::{Taken, Whose};
use super::line::Line;
use super::pathspec::Pathspecs;
use crate::machine::git::{IgnoredFiles, Repository};

/// Whether git's index has a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing {
    Tracked,
    Untracked,
}

impl Losses<'_> {
    /// Whose work a stash or commit would take; the inner `None` if there is nothing to take.
    #[expect(clippy::option_option, reason = "unknown, or nothing")]
    pub(super) fn whose(
        &self,
        repository: &Repository,
        taken: Taken<'_>,
        files: &Line,
    ) -> Option<Option<Whose>> {
        let specs = match taken.paths {
            [] => Pathspecs::everything(),
            paths => Pathspecs::new(paths, taken.directory, repository)?,
        };
        let changes = self.git.changes(repository, b"")?;
        let mut found = changes.iter().any(|it| specs.matches(&it.path));
        if taken.untracked == Untracked::Yes {
            for entry in self.git.untracked(repository, b"", IgnoredFiles::Skip)? {
                if !specs.matches(&entry.path) {
                    continue;
                }
                found = true;
                if self.is_lost(&join(&repository.root, &entry.path))? {
                    return Some(Some(Whose::Others));
                }
            }
        }
        let nothing = Line::default();
        let mut loose = self.loose(repository, &specs, IndexToo::Yes, &nothing)?;
        loose.extend(self.carried_into(repository, &specs, files, Standing::Tracked)?);
        if !found && loose.is_empty() {
            return Some(None);
        }
        Some(Some(if loose.is_empty() {
            Whose::Own
        } else {
            Whose::Others
        }))
    }

    /// The paths to which the line has moved work of others.
    pub(super) fn carried_into(
        &self,
        repository: &Repository,
        specs: &Pathspecs,
        line: &Line,
        standing: Standing,
    ) -> Option<Vec<Vec<u8>>> {
        let mut found = Vec::new();
        for carried in line.carried_to(&repository.root) {
            let below = carried.to.strip_prefix(&repository.root).ok()?;
            let path = below.as_os_str().as_bytes();
            let tracked = self.git.index_entry(repository, path)?.is_some();
            let concerned = specs.matches(path) && tracked == (standing == Standing::Tracked);
            if concerned && self.is_lost_from(carried)? {
                found.push(path.to_owned());
            }
        }
        Some(found)
    }
}
