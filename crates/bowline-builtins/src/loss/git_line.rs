//! What the same line has done to the repository before: branches, stashes, commits.

use std::path::{Path, PathBuf};

use bowline_guard::loss::{GitAct, Switching, Untracked};

use super::pathspec::Pathspecs;
use super::taken::added_specs;
use crate::machine::git::Repository;

/// What the runs before have done to the repository.
#[derive(Debug, Default)]
pub(super) struct GitLine {
    /// Branches that the line made, with whether somebody else's work was committed there.
    pub(super) branches: Vec<LineBranch>,
    /// The branch of the line's own that is checked out.
    pub(super) current: Option<usize>,
    /// Stashes that the line made, newest last.
    pub(super) stashes: Vec<LineStash>,
    /// How many of the repository's own stashes the line has taken away.
    pub(super) popped: usize,
    /// Stashes of the repository that were applied.
    pub(super) applied: Vec<usize>,
    pub(super) tracked: Saved,
    pub(super) untracked: Saved,
    /// Whether the branch that was checked out at first has moved.
    pub(super) moved: Moved,
    /// What `git add` was given, and nothing has taken since.
    pub(super) added: Vec<Added>,
    /// Files that were added by name only (`git add -N`).
    pub(super) announced: Vec<Added>,
    /// Where the branch was set to, as written.
    pub(super) set_to: Vec<String>,
    /// What is checked out.
    pub(super) head: Head,
    /// Whose work is in commits of the line that no branch holds.
    pub(super) adrift: Whose,
    /// What was merged or given to another machine, as written.
    pub(super) kept: Vec<String>,
    /// Whether the line has taken files out of the index.
    pub(super) untracks: Moved,
    /// Whether the line has removed a work tree, which holds its branch no longer.
    pub(super) worktrees: Moved,
    /// Refs that the line has deleted.
    pub(super) deleted: Vec<String>,
    /// Stashes of the repository that the line has brought back into the tree.
    pub(super) unstashed: Vec<usize>,
}

#[derive(Debug)]
pub(super) struct LineBranch {
    pub(super) name: String,
    pub(super) at: Option<String>,
    pub(super) holds: Whose,
    /// Whether the branch that was checked out had moved by then.
    pub(super) after: Moved,
}

/// What `git add` was given.
#[derive(Debug, Clone)]
pub(super) struct Added {
    /// Where git ran.
    pub(super) directory: PathBuf,
    /// Which paths, as written; none for all.
    pub(super) paths: Vec<String>,
}

impl Added {
    fn is_all(&self) -> bool {
        let mut paths = self.paths.iter();
        self.paths.is_empty() || paths.any(|it| matches!(it.as_str(), "." | "*" | ":/"))
    }
}

/// What is checked out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Head {
    #[default]
    Branch,
    /// A commit, and no branch goes with it.
    Detached,
}

#[derive(Debug)]
pub(super) struct LineStash {
    pub(super) holds: Whose,
    pub(super) applied: bool,
}

/// What a stash or a commit takes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Taken<'a> {
    /// Where git runs.
    pub(super) directory: &'a Path,
    /// Which paths, as written; none for all.
    pub(super) paths: &'a [String],
    /// Whether files that are not tracked are taken, too.
    pub(super) untracked: Untracked,
    /// Those that the line has put into the index.
    pub(super) added: &'a [Added],
    /// Whether the line has put aside before what is tracked.
    pub(super) tracked: Saved,
}

/// Whose work something holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Whose {
    /// The session's, or of no author.
    #[default]
    Own,
    /// Somebody else's.
    Others,
}

/// Whether what is not committed was put somewhere safe.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) enum Saved {
    #[default]
    No,
    Yes,
}

/// Whether the branch is where it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Moved {
    #[default]
    No,
    Yes,
}

impl GitLine {
    /// Follows the acts before, each with the folder where git runs. `whose` says whose work a stash or commit would take, the
    /// inner `None` if there is none; `head_at` what is checked out after going somewhere.
    pub(super) fn follow(
        head: Head,
        acts: &[(&Path, &GitAct)],
        whose: impl Fn(Taken<'_>) -> Option<Option<Whose>>,
        head_at: impl Fn(&str) -> Head,
    ) -> Option<Self> {
        let mut line = Self {
            head,
            ..Self::default()
        };
        for (directory, act) in acts {
            match act {
                GitAct::StashPush { paths, untracked } => {
                    line.stash((paths, *untracked), directory, &whose)?;
                }
                GitAct::StashPop { number } => {
                    let number = (*number)?;
                    let real = line.real(number);
                    if line.take_stash(number) {
                        line.tracked = Saved::No;
                        line.untracked = Saved::No;
                    } else {
                        line.unstashed.extend(real);
                    }
                }
                GitAct::StashApply { number } => {
                    let number = (*number)?;
                    let at = line.stashes.len().checked_sub(number + 1);
                    if let Some(stash) = at.and_then(|at| line.stashes.get_mut(at)) {
                        stash.applied = true;
                        line.tracked = Saved::No;
                    } else {
                        let real = line.real(number);
                        line.applied.extend(real);
                        line.unstashed.extend(real);
                    }
                }
                GitAct::StashDrop { number } => {
                    line.take_stash((*number)?);
                }
                GitAct::StashClear => return None,
                GitAct::CreateBranch { name, at, switch } => {
                    line.branch(name, at.as_deref(), *switch);
                }
                GitAct::Switch { to } | GitAct::ForceSwitch { to } => {
                    line.current = None;
                    if let Some(to) = to {
                        line.head = head_at(to);
                        line.adrift = Whose::Own;
                    }
                }
                GitAct::Untrack => line.untracks = Moved::Yes,
                GitAct::Add { paths } => line.added.push(Added {
                    directory: directory.to_path_buf(),
                    paths: paths.clone(),
                }),
                GitAct::Announce { paths } => line.announced.push(Added {
                    directory: directory.to_path_buf(),
                    paths: paths.clone(),
                }),
                GitAct::Commit { all } => line.commit(*all, directory, &whose)?,
                GitAct::DeleteRefs { names } => line.deleted.extend(names.iter().cloned()),
                GitAct::Merge { names } => line.kept.extend(names.iter().cloned()),
                GitAct::Push { names } => {
                    line.kept.extend(names.iter().cloned());
                    line.adrift = Whose::Own;
                }
                GitAct::WorktreeGone | GitAct::WorktreeRemove { .. } => line.worktrees = Moved::Yes,
                GitAct::Other
                | GitAct::Abort
                | GitAct::AbortRebase
                | GitAct::SkipCommit
                | GitAct::RebaseOnto { .. }
                | GitAct::TakeOver { .. }
                | GitAct::MoveRef { .. }
                | GitAct::OverwriteRef { .. } => line.moved = Moved::Yes,
                GitAct::ResetHard { to: Some(to) } => {
                    line.moved = Moved::Yes;
                    line.set_to.push(to.clone());
                }
                _ => {}
            }
        }
        Some(line)
    }

    fn stash(
        &mut self,
        (paths, untracked): (&[String], Untracked),
        directory: &Path,
        whose: &impl Fn(Taken<'_>) -> Option<Option<Whose>>,
    ) -> Option<()> {
        let again = self.untracked == Saved::Yes && untracked == Untracked::Yes;
        let added = [self.added.as_slice(), &self.announced].concat();
        let taken = Taken {
            directory,
            paths,
            untracked: if again { Untracked::No } else { untracked },
            added: &added,
            tracked: self.tracked,
        };
        if let Some(holds) = whose(taken)? {
            self.stashes.push(LineStash {
                holds,
                applied: false,
            });
        }
        // With a file that was added by name only, git refuses, and everything stays where it is.
        if !self.announced.is_empty() {
            return Some(());
        }
        if paths.is_empty() {
            self.tracked = Saved::Yes;
            self.added.clear();
        }
        if untracked != Untracked::No {
            self.untracked = Saved::Yes;
        }
        Some(())
    }

    fn branch(&mut self, name: &str, at: Option<&str>, switch: Switching) {
        // A name that is given to where we are holds the commits of the line, too.
        let holds = match at {
            None | Some("HEAD" | "@") => std::mem::take(&mut self.adrift),
            Some(_) => Whose::Own,
        };
        self.branches.push(LineBranch {
            name: name.to_owned(),
            at: at.map(ToOwned::to_owned),
            holds,
            after: self.moved,
        });
        if switch == Switching::Yes {
            self.current = Some(self.branches.len() - 1);
            self.head = Head::Branch;
        }
    }

    fn commit(
        &mut self,
        all: Untracked,
        directory: &Path,
        whose: &impl Fn(Taken<'_>) -> Option<Option<Whose>>,
    ) -> Option<()> {
        let added_all = self.added.iter().any(Added::is_all);
        let taken = Taken {
            directory,
            paths: &[],
            untracked: Untracked::No,
            added: &self.added,
            tracked: Saved::No,
        };
        let whose = whose(taken)?.unwrap_or(Whose::Own);
        let branch = self.current.and_then(|at| self.branches.get_mut(at));
        let (holder, made) = match branch {
            Some(branch) => (Some(&mut branch.holds), self.moved),
            None if self.head == Head::Detached => (Some(&mut self.adrift), Moved::Yes),
            None => (None, Moved::Yes),
        };
        self.moved = made;
        if let Some(holder) = holder.filter(|_| whose == Whose::Others) {
            *holder = Whose::Others;
        }
        self.added.clear();
        if all == Untracked::Yes || added_all {
            self.tracked = Saved::Yes;
        }
        if all == Untracked::Yes {
            self.announced.clear();
        }
        if added_all {
            self.untracked = Saved::Yes;
        }
        Some(())
    }

    /// What the line has put into the index, with its contents or without.
    pub(super) fn in_index(&self, repository: &Repository) -> Vec<Pathspecs> {
        let added = [self.added.as_slice(), &self.announced].concat();
        added_specs(repository, &added)
    }

    /// Whether a ref is gone by then.
    pub(super) fn lets_go_of(&self, name: &str) -> bool {
        let of_worktree = name.starts_with("worktrees/") && self.worktrees == Moved::Yes;
        of_worktree || self.deleted.iter().any(|it| it == name)
    }

    /// The number that a stash of the repository had before the line.
    pub(super) fn real(&self, number: usize) -> Option<usize> {
        Some(number.checked_sub(self.stashes.len())? + self.popped)
    }

    /// Takes a stash off the pile; whether it was one of the line's own.
    fn take_stash(&mut self, number: usize) -> bool {
        if let Some(at) = self.stashes.len().checked_sub(number + 1) {
            self.stashes.remove(at);
            true
        } else {
            self.popped += 1;
            false
        }
    }
}
