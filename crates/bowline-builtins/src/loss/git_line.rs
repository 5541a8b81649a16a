//! What the same line has done to the repository before: branches, stashes, commits.

use std::path::Path;

use bowline_guard::loss::{GitAct, Switching, Untracked};

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
    /// What `git add` was given.
    pub(super) added: Vec<Vec<String>>,
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
}

/// Whose work something holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Whose {
    /// The session's, or nobody's.
    Own,
    /// Somebody else's.
    Others,
}

/// Whether what is not committed was put somewhere safe.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
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
    /// inner `None` if there is none.
    pub(super) fn follow(
        acts: &[(&Path, &GitAct)],
        whose: impl Fn(Taken<'_>) -> Option<Option<Whose>>,
    ) -> Option<Self> {
        let mut line = Self::default();
        for (directory, act) in acts {
            match act {
                GitAct::StashPush { paths, untracked } => {
                    let taken = Taken {
                        directory,
                        paths,
                        untracked: *untracked,
                    };
                    if line.tracked == Saved::No {
                        if let Some(holds) = whose(taken)? {
                            line.stashes.push(LineStash {
                                holds,
                                applied: false,
                            });
                        }
                        if paths.is_empty() {
                            line.tracked = Saved::Yes;
                        }
                    }
                    if *untracked == Untracked::Yes {
                        line.untracked = Saved::Yes;
                    }
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
                    line.branches.push(LineBranch {
                        name: name.clone(),
                        at: at.clone(),
                        holds: Whose::Own,
                    });
                    if *switch == Switching::Yes {
                        line.current = Some(line.branches.len() - 1);
                    }
                }
                GitAct::Switch { .. } | GitAct::ForceSwitch { .. } => line.current = None,
                GitAct::Untrack => line.untracks = Moved::Yes,
                GitAct::Add { paths } => line.added.push(paths.clone()),
                GitAct::Commit { all } => line.commit(*all, directory, &whose)?,
                GitAct::DeleteRefs { names } => line.deleted.extend(names.iter().cloned()),
                GitAct::Merge { names } | GitAct::Push { names } => {
                    line.kept.extend(names.iter().cloned());
                }
                GitAct::WorktreeGone | GitAct::WorktreeRemove { .. } => line.worktrees = Moved::Yes,
                GitAct::Other | GitAct::Abort => line.moved = Moved::Yes,
                GitAct::ResetHard { to: Some(_) }
                | GitAct::MoveRef { .. }
                | GitAct::OverwriteRef { .. } => {
                    line.moved = Moved::Yes;
                }
                _ => {}
            }
        }
        Some(line)
    }

    fn commit(
        &mut self,
        all: Untracked,
        directory: &Path,
        whose: &impl Fn(Taken<'_>) -> Option<Option<Whose>>,
    ) -> Option<()> {
        let added_all = self.added.iter().any(|paths| {
            paths.is_empty()
                || paths
                    .iter()
                    .any(|it| matches!(it.as_str(), "." | "*" | ":/"))
        });
        let taken = Taken {
            directory,
            paths: &[],
            untracked: if added_all {
                Untracked::Yes
            } else {
                Untracked::No
            },
        };
        let whose = whose(taken)?.unwrap_or(Whose::Own);
        match self.current.and_then(|at| self.branches.get_mut(at)) {
            Some(branch) => {
                if whose == Whose::Others {
                    branch.holds = Whose::Others;
                }
            }
            None => self.moved = Moved::Yes,
        }
        if all == Untracked::Yes || added_all {
            self.tracked = Saved::Yes;
        }
        if added_all {
            self.untracked = Saved::Yes;
        }
        Some(())
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
