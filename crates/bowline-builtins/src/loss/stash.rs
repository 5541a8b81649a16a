//! Stashes that would be gone, or whose work is in the way.

use bowline_guard::loss::Loss;

use super::Losses;
use super::content::join;
use super::git_line::{GitLine, Whose};
use super::line::Line;
use crate::machine::git::{ObjectId, Repository};

impl Losses<'_> {
    /// What the line has brought back from a stash is in the tree, and nowhere else.
    #[expect(clippy::option_option, reason = "unknown, or nothing")]
    pub(super) fn unstashed_by(
        &self,
        repository: &Repository,
        line: &GitLine,
    ) -> Option<Option<Loss>> {
        if line.unstashed.is_empty() {
            return Some(None);
        }
        let stashes = self.git.stashes(repository)?;
        let theirs = line
            .unstashed
            .iter()
            .filter_map(|number| stashes.get(*number))
            .any(|stash| {
                !self
                    .work
                    .is_some_and(|work| work.owns_commit(&stash.to_string()))
            });
        let kept = line.popped == 0;
        Some((theirs && !kept).then(|| {
            Loss::Whole("what the line takes from a stash is not this session's".to_owned())
        }))
    }

    pub(super) fn dropped_stash(
        &self,
        repository: &Repository,
        number: usize,
        (line, files): (&GitLine, &Line),
    ) -> Option<Loss> {
        if let Some(stash) = line
            .stashes
            .len()
            .checked_sub(number + 1)
            .and_then(|at| line.stashes.get(at))
        {
            let own = match (stash.holds, stash.applied) {
                (Whose::Others, true) if self.takes_work(files)? => {
                    Loss::Whole("the line takes away what the stash still has".to_owned())
                }
                (_, true) => {
                    Loss::Nothing("the stash was applied: the work is in the tree".to_owned())
                }
                (Whose::Own, false) => {
                    Loss::Nothing("the stash holds only this session's work".to_owned())
                }
                (Whose::Others, false) => {
                    Loss::Whole("the stash takes work that this session did not make".to_owned())
                }
            };
            // With a file that was added by name only, git makes no stash. Then an older stash is dropped.
            if line.announced.is_empty() {
                return Some(own);
            }
            let before = number + line.popped;
            return Some(own.and(self.dropped_before(repository, before, line)?));
        }
        self.dropped_before(repository, line.real(number)?, line)
    }

    /// A stash that was there before the line.
    fn dropped_before(
        &self,
        repository: &Repository,
        number: usize,
        line: &GitLine,
    ) -> Option<Loss> {
        match self.git.stashes(repository)?.get(number) {
            None => Some(Loss::Nothing("there is no such stash".to_owned())),
            Some(stash)
                if line.applied.contains(&number) && !self.takes_from(repository, *stash)? =>
            {
                Some(Loss::Nothing(
                    "the stash was applied: the work is in the tree".to_owned(),
                ))
            }
            Some(stash) => self.lost_stash(repository, *stash),
        }
    }

    /// Whether the line has taken away work of others from the tree.
    fn takes_work(&self, files: &Line) -> Option<bool> {
        for path in files.taken() {
            if self.is_lost(path)? {
                return Some(true);
            }
        }
        Some(false)
    }

    /// Whether the line takes away from the tree some of what a stash holds.
    fn takes_from(&self, repository: &Repository, stash: ObjectId) -> Option<bool> {
        let paths = self.paths_of_stash(repository, stash)?;
        let mut files = paths.iter().map(|it| join(&repository.root, it));
        Some(files.any(|it| self.is_gone(&it)))
    }

    pub(super) fn cleared(
        &self,
        repository: &Repository,
        (line, files): (&GitLine, &Line),
    ) -> Option<Loss> {
        let mut loss = Loss::Nothing("there is no stash that somebody would miss".to_owned());
        for number in 0..line.stashes.len() {
            loss = loss.and(self.dropped_stash(repository, number, (line, files))?);
        }
        for stash in self.git.stashes(repository)?.iter().skip(line.popped) {
            loss = loss.and(self.lost_stash(repository, *stash)?);
        }
        Some(loss)
    }

    pub(super) fn lost_stash(&self, repository: &Repository, stash: ObjectId) -> Option<Loss> {
        if self
            .work
            .is_some_and(|work| work.owns_commit(&stash.to_string()))
        {
            return Some(Loss::Nothing(
                "the stash holds only this session's work".to_owned(),
            ));
        }
        let holders: Vec<ObjectId> = self
            .git
            .refs(repository)?
            .into_iter()
            .filter(|(name, _)| name != "refs/stash")
            .map(|(_, id)| id)
            .collect();
        if self.git.unheld(repository, stash, &holders)?.is_empty() {
            return Some(Loss::Nothing("another ref holds the stash".to_owned()));
        }
        if self.is_applied(repository, stash)? {
            return Some(Loss::Nothing(
                "the stash was applied: the work is in the tree".to_owned(),
            ));
        }
        Some(Loss::Whole(
            "the stash is the only copy of work that this session did not make".to_owned(),
        ))
    }

    /// Whether all that a stash holds is on disk, too.
    pub(super) fn is_applied(&self, repository: &Repository, stash: ObjectId) -> Option<bool> {
        let commit = self.git.commit(repository, stash)?;
        let untracked = commit.parents.get(2).copied();
        for path in self.paths_of_stash(repository, stash)? {
            let mut entry = self.git.tree_entry(repository, commit.tree, &path)?;
            if let (None, Some(untracked)) = (&entry, untracked) {
                let tree = self.git.commit(repository, untracked)?.tree;
                entry = self.git.tree_entry(repository, tree, &path)?;
            }
            let file = join(&repository.root, &path);
            let on_disk = self.git.blob_id(&file).filter(|_| !self.is_gone(&file));
            let same = match entry {
                Some(entry) => {
                    on_disk == Some(entry.id)
                        || self.git.held_in_branch(repository, &path, entry.id)?
                }
                None => true,
            };
            if !same {
                return Some(false);
            }
        }
        Some(true)
    }

    /// The paths that a stash changes or adds.
    pub(crate) fn paths_of_stash(
        &self,
        repository: &Repository,
        stash: ObjectId,
    ) -> Option<Vec<Vec<u8>>> {
        let commit = self.git.commit(repository, stash)?;
        let base = self.git.commit(repository, *commit.parents.first()?)?.tree;
        let mut paths = self
            .git
            .changed_paths(repository, Some(base), Some(commit.tree))?;
        if let Some(untracked) = commit.parents.get(2) {
            let tree = self.git.commit(repository, *untracked)?.tree;
            paths.extend(self.git.changed_paths(repository, None, Some(tree))?);
        }
        Some(paths)
    }
}
