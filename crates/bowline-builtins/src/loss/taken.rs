//! Whose work a stash or a commit of the line takes, and where the line has moved work to.

use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use bowline_guard::loss::{GitAct, IndexToo, Untracked};

use super::Losses;
use super::content::join;
use super::git_line::{Added, GitLine, Head, Moved, Saved, Taken, Whose};
use super::line::Line;
use super::pathspec::Pathspecs;
use crate::machine::git::{IgnoredFiles, Repository, Staged};

/// Whether git's index has a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing {
    Tracked,
    Untracked,
}

impl Losses<'_> {
    /// What the line has done to a repository before.
    pub(super) fn git_line(
        &self,
        repository: &Repository,
        before: &[(&Path, &GitAct)],
        files: &Line,
    ) -> Option<GitLine> {
        if before.is_empty() {
            return Some(GitLine::default());
        }
        let refs = self.git.refs(repository)?;
        let head = match self.git.head(repository)?.branch {
            Some(_) => Head::Branch,
            None => Head::Detached,
        };
        let head_at = |to: &str| {
            let commit = refs.iter().all(|(name, _)| {
                let branch = name.strip_prefix("refs/heads/");
                let remote = name.strip_prefix("refs/remotes/");
                // Git makes a branch for one of another machine.
                let remote = remote.and_then(|it| it.split_once('/')).map(|(_, it)| it);
                branch != Some(to) && remote != Some(to)
            });
            if commit && to != "-" {
                Head::Detached
            } else {
                Head::Branch
            }
        };
        let whose = |taken: Taken<'_>| self.whose(repository, taken, files);
        GitLine::follow(head, before, whose, head_at)
    }

    /// What the line has taken out of the index, and no longer has a second copy there when files are set back.
    pub(super) fn untracked_first(
        &self,
        repository: &Repository,
        specs: &Pathspecs,
        index: IndexToo,
        line: &GitLine,
    ) -> Option<Vec<Vec<u8>>> {
        let goes = line.untracks == Moved::Yes && line.tracked == Saved::No;
        if !goes || index == IndexToo::Yes {
            return Some(Vec::new());
        }
        let mut found = Vec::new();
        for change in self.git.changes(repository, b"")? {
            // A new file stays where it is: git does not know it any more.
            let staged = !matches!(change.staged, Staged::Unchanged | Staged::Added);
            if staged
                && specs.matches(&change.path)
                && self.is_staged_by_others(repository, &change.path)?
            {
                found.push(change.path);
            }
        }
        Some(found)
    }

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
        let added = added_specs(repository, taken.added);
        let which = match taken.untracked {
            Untracked::IgnoredToo => IgnoredFiles::Include,
            Untracked::No | Untracked::Yes => IgnoredFiles::Skip,
        };
        let mut found = false;
        if taken.untracked != Untracked::No || !added.is_empty() {
            for entry in self.git.untracked(repository, b"", which)? {
                let meant = taken.untracked != Untracked::No
                    || added.iter().any(|it| it.matches(&entry.path));
                if !meant || !specs.matches(&entry.path) {
                    continue;
                }
                found = true;
                if self.is_lost(&join(&repository.root, &entry.path))? {
                    return Some(Some(Whose::Others));
                }
            }
        }
        let mut loose = Vec::new();
        if taken.tracked == Saved::No {
            let changes = self.git.changes(repository, b"")?;
            found |= changes.iter().any(|it| specs.matches(&it.path));
            let nothing = Line::default();
            loose = self.loose(repository, &specs, IndexToo::Yes, &nothing)?;
            loose.extend(self.carried_into(repository, &specs, files, Standing::Tracked)?);
        }
        if !found && loose.is_empty() {
            return Some(None);
        }
        Some(Some(if loose.is_empty() {
            Whose::Own
        } else {
            Whose::Others
        }))
    }

    /// Files of others that only the line has put into the index, and that go with it.
    pub(super) fn only_added(
        &self,
        repository: &Repository,
        specs: &Pathspecs,
        (line, files): (&GitLine, &Line),
    ) -> Option<Vec<Vec<u8>>> {
        self.untracked_among(repository, (specs, &line.in_index(repository)), files)
    }

    /// Files of others that the line has added by name only. They are lost when git resets them.
    pub(super) fn only_announced(
        &self,
        repository: &Repository,
        specs: &Pathspecs,
        (line, files): (&GitLine, &Line),
    ) -> Option<Vec<Vec<u8>>> {
        let announced = added_specs(repository, &line.announced);
        self.untracked_among(repository, (specs, &announced), files)
    }

    /// Files of others that git did not track before the line, and that were given to it.
    fn untracked_among(
        &self,
        repository: &Repository,
        (specs, given): (&Pathspecs, &[Pathspecs]),
        files: &Line,
    ) -> Option<Vec<Vec<u8>>> {
        if given.is_empty() {
            return Some(Vec::new());
        }
        let mut found = Vec::new();
        for entry in self.git.untracked(repository, b"", IgnoredFiles::Skip)? {
            let path = join(&repository.root, &entry.path);
            let meant =
                specs.matches(&entry.path) && given.iter().any(|it| it.matches(&entry.path));
            if meant && !files.is_safe(&path) && self.is_lost(&path)? {
                found.push(entry.path);
            }
        }
        Some(found)
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

/// What `git add` was given; all of it where that is unknown.
pub(super) fn added_specs(repository: &Repository, added: &[Added]) -> Vec<Pathspecs> {
    let specs = added.iter().map(|it| match it.paths.as_slice() {
        [] => Pathspecs::everything(),
        paths => {
            Pathspecs::new(paths, &it.directory, repository).unwrap_or_else(Pathspecs::everything)
        }
    });
    specs.collect()
}
