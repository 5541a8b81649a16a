//! What a rebase or a pull request leaves behind.

use bowline_guard::loss::{IndexToo, Loss};

use super::Losses;
use super::git_line::{GitLine, Moved};
use super::line::Line;
use super::pathspec::Pathspecs;
use super::repository::{Extent, uncommitted};
use crate::machine::git::Repository;

impl Losses<'_> {
    /// A rebase that is aborted, or continues without a commit: everything uncommitted is reset.
    pub(super) fn set_back_in_rebase(&self, repository: &Repository, files: &Line) -> Option<Loss> {
        if self.git.rebase(repository)?.is_none() {
            return Some(Loss::Nothing("there is no rebase".to_owned()));
        }
        let everything = Pathspecs::everything();
        let changed = self.loose(repository, &everything, IndexToo::No, files)?;
        let resolved = self.aborted(repository, files)?;
        Some(resolved.and(uncommitted(&changed, Extent::Whole)))
    }

    /// The commit that a rebase skips, and everything uncommitted.
    pub(super) fn skipped_commit(
        &self,
        repository: &Repository,
        (line, files): (&GitLine, &Line),
    ) -> Option<Loss> {
        let work = self.set_back_in_rebase(repository, files)?;
        let rebase = self.git.rebase(repository)?;
        let Some((branch, stopped)) = rebase.and_then(|it| Some((it.branch, it.stopped?))) else {
            return Some(work);
        };
        // Those before it were taken over.
        let taken = self.git.commit(repository, stopped)?.parents;
        let without = [branch.as_str()];
        let commit = self.unheld(repository, stopped, &without, &taken, line, Extent::Part)?;
        Some(work.and(commit))
    }

    /// The commits of a branch that are not put onto another commit with those that come after one of them.
    pub(super) fn rebased_onto(
        &self,
        repository: &Repository,
        (onto, after, branch): (&str, &str, Option<&str>),
        line: &GitLine,
    ) -> Option<Loss> {
        if line.moved == Moved::Yes {
            return None;
        }
        let branch = match branch {
            Some(name) => Some(format!("refs/heads/{name}")),
            None => self.git.head(repository)?.branch,
        };
        let without = [branch.as_deref().unwrap_or("HEAD"), "HEAD"];
        let last = self.git.resolve(repository, after)?;
        let onto = self.git.resolve(repository, onto)?;
        self.unheld(repository, last, &without, &[onto], line, Extent::Part)
    }

    /// A branch that is checked out and set to what another machine has. One that is not there yet is only made.
    pub(super) fn taken_over(
        &self,
        repository: &Repository,
        branch: Option<&str>,
        (line, files): (&GitLine, &Line),
    ) -> Option<Loss> {
        let refs = self.git.refs(repository)?;
        let is_there = |branch: &str| refs.iter().any(|(name, _)| name == branch);
        if branch.is_some_and(|it| !is_there(it)) {
            return Some(Loss::Nothing("the branch is new".to_owned()));
        }
        let everything = Pathspecs::everything();
        let saved = (line, files);
        let loose = self.loose_unless_saved(repository, &everything, IndexToo::Yes, saved)?;
        let mut loss = uncommitted(&loose, Extent::Whole);
        let short = branch.and_then(|it| it.strip_prefix("refs/heads/"));
        let remote = refs.iter().find(|(name, _)| {
            let there = name.strip_prefix("refs/remotes/");
            short.is_some() && there.and_then(|it| it.split_once('/')).map(|it| it.1) == short
        });
        if let (Some(branch), Some((remote, _))) = (branch, remote) {
            loss = loss.and(self.moved_ref(repository, branch, Some(remote), line)?);
        }
        Some(loss)
    }
}
