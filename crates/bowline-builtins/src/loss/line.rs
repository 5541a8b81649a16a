//! What the same line has done before: files that it made, work that it put aside.

use std::path::{Path, PathBuf};

use bowline_guard::loss::{Act, AtLink, GitAct, Switching, Target, TargetKind, Untracked, Writing};
use bowline_guard::paths::is_within;

use super::expand;

/// What the runs before have done to files.
#[derive(Debug, Default)]
pub(super) struct Line {
    /// Paths that were not there before the line.
    made: Vec<String>,
    /// Paths that the line has deleted, moved away or written over: what was there was judged then.
    spent: Vec<String>,
    /// Paths of which the line has put a copy elsewhere, and where.
    copies: Vec<(String, String)>,
    /// Links that the line has made, and where they lead.
    links: Vec<(String, String)>,
    /// Paths that the line has put into git's index, and into a commit.
    staged: Vec<String>,
    committed: Vec<String>,
    /// Whether git was given all that it tracks.
    tracked: Saved,
}

impl Line {
    pub(super) fn of_files(earlier: &[Act]) -> Self {
        let mut line = Self::default();
        for act in earlier {
            line.add(act);
        }
        line
    }

    fn add(&mut self, act: &Act) {
        match act {
            Act::Make(target) | Act::Unpack(target) => self.makes(&target.path),
            Act::Write { to, how } => {
                self.makes(&to.path);
                if *how == Writing::Replace {
                    self.spent.push(to.path.clone());
                }
            }
            Act::Copy { from, to, .. } => {
                let landings = landings(from, to, AtLink::Replace);
                // A copy in a folder for temporary files does not last.
                if let [from] = from.as_slice()
                    && let [landing] = landings.as_slice()
                    && (!is_fleeting(&landing.to) || is_fleeting(Path::new(&from.path)))
                {
                    let place = landing.to.to_string_lossy().into_owned();
                    self.copies.push((from.path.clone(), place));
                }
                for landing in landings {
                    self.makes(&landing.to.to_string_lossy());
                }
            }
            Act::Move { from, to } => {
                for landing in landings(from, to, AtLink::Replace) {
                    self.makes(&landing.to.to_string_lossy());
                }
                self.spent.extend(from.iter().map(|it| it.path.clone()));
            }
            Act::Delete { target, .. } => self.spent.push(target.path.clone()),
            Act::Link { from, to } => {
                let landings = landings(std::slice::from_ref(from), to, AtLink::Replace);
                let places = landings.iter().filter_map(|it| it.to.to_str());
                let links = places.map(|place| (place.to_owned(), from.path.clone()));
                self.links.extend(links);
            }
            Act::Git { directory, act } => self.add_git(directory, act),
            _ => {}
        }
    }

    fn add_git(&mut self, directory: &str, act: &GitAct) {
        match act {
            GitAct::Clone { into } => self.makes(&into.path),
            GitAct::WorktreeAdd { path } => {
                if let Some(path) = absolute(directory, path) {
                    self.makes(&path);
                }
            }
            GitAct::Add { paths } if paths.is_empty() => self.staged.push(directory.to_owned()),
            GitAct::Add { paths } => {
                let paths = paths.iter().filter_map(|path| absolute(directory, path));
                self.staged.extend(paths);
            }
            GitAct::Commit { all: Untracked::No } => self.committed.append(&mut self.staged),
            GitAct::Commit {
                all: Untracked::Yes,
            } => {
                self.committed.append(&mut self.staged);
                self.tracked = Saved::Yes;
            }
            GitAct::StashPush { paths, .. } if paths.is_empty() => self.tracked = Saved::Yes,
            GitAct::StashPush { paths, .. } => {
                let paths = paths.iter().filter_map(|path| absolute(directory, path));
                self.committed.extend(paths);
            }
            GitAct::StashPop { .. } | GitAct::StashApply { .. } => self.tracked = Saved::No,
            GitAct::Untrack => self.staged.clear(),
            _ => {}
        }
    }

    fn makes(&mut self, path: &str) {
        let was_there = std::fs::symlink_metadata(path).is_ok();
        if !was_there || self.is_spent(path) {
            self.made.push(path.to_owned());
        }
    }

    /// Whether the line has made this path, or the folder that it lies in.
    pub(super) fn has_made(&self, path: &Path) -> bool {
        path.to_str()
            .is_some_and(|path| self.made.iter().any(|made| is_within(path, made)))
    }

    /// Whether nothing is at a path any more that the line has not taken care of.
    pub(super) fn is_done_with(&self, path: &Path) -> bool {
        let staged = |path: &str| self.staged.iter().any(|staged| is_within(path, staged));
        self.is_safe(path) || path.to_str().is_some_and(staged)
    }

    /// The same, if what is only staged goes, too.
    pub(super) fn is_safe(&self, path: &Path) -> bool {
        let Some(text) = path.to_str() else {
            return false;
        };
        self.has_made(path)
            || self.is_spent(text)
            || self.committed.iter().any(|it| is_within(text, it))
            || self.copies.iter().any(|(from, _)| is_within(text, from))
    }

    /// Where a path leads through the links that the line has made; a link at its end is followed only by who writes.
    pub(super) fn followed(&self, target: &Target, at_link: AtLink) -> Option<Target> {
        self.links.iter().rev().find_map(|(link, leads_to)| {
            let below = target.path.strip_prefix(link.as_str())?;
            let follows = below.starts_with('/') || (below.is_empty() && at_link == AtLink::Follow);
            follows.then(|| {
                let mut followed = target.clone();
                followed.path = format!("{leads_to}{below}");
                followed.link = None;
                followed
            })
        })
    }

    /// What a path is the last copy of: the line has deleted what it was made from.
    pub(super) fn last_copy_of(&self, path: &Path) -> Option<&Path> {
        let path = path.to_str()?;
        let mut copies = self.copies.iter();
        let (from, _) = copies.find(|(from, to)| is_within(to, path) && self.is_spent(from))?;
        Some(Path::new(from))
    }

    /// Whether git was given all that it tracks.
    pub(super) fn saves_tracked(&self) -> bool {
        self.tracked == Saved::Yes
    }

    fn is_spent(&self, path: &str) -> bool {
        self.spent.iter().any(|spent| is_within(path, spent))
    }
}

fn absolute(directory: &str, path: &str) -> Option<String> {
    let path = super::pathspec::normal(&Path::new(directory).join(path))?;
    path.to_str().map(ToOwned::to_owned)
}

fn is_fleeting(path: &Path) -> bool {
    ["/tmp", "/var/tmp"]
        .iter()
        .any(|folder| path.starts_with(folder))
}

/// Something that is put at a place.
#[derive(Debug)]
pub(super) struct Landing {
    /// What is put there, if that is known.
    pub(super) from: Option<PathBuf>,
    pub(super) to: PathBuf,
}

/// Where things land that are put at a place.
pub(super) fn landings(from: &[Target], to: &Target, at_link: AtLink) -> Vec<Landing> {
    let place = Path::new(to.link.as_deref().unwrap_or(&to.path));
    let contents = from.iter().any(|it| it.kind == TargetKind::Contents);
    let into_folder = place.is_dir() || to.kind == TargetKind::Folder || from.len() > 1 || contents;
    let sources = from.iter().flat_map(|target| {
        let paths = expand::paths(target).unwrap_or_default();
        paths.into_iter().map(|path| (target.kind, path))
    });
    if !into_folder {
        let mut sources: Vec<PathBuf> = sources.map(|(_, path)| path).collect();
        return vec![Landing {
            from: if sources.len() == 1 {
                sources.pop()
            } else {
                None
            },
            to: match at_link {
                AtLink::Follow => place.to_owned(),
                AtLink::Replace => PathBuf::from(&to.path),
            },
        }];
    }
    sources
        .filter_map(|(kind, source)| {
            let to = match kind {
                TargetKind::Contents => place.to_owned(),
                _ => place.join(source.file_name()?),
            };
            Some(Landing {
                from: Some(source),
                to,
            })
        })
        .collect()
}

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
    /// Follows the acts before. `whose` says whose work a stash or commit of everything would take, without or with what is
    /// not tracked; the inner `None` if there is none.
    pub(super) fn follow(
        acts: &[&GitAct],
        whose: impl Fn(Untracked) -> Option<Option<Whose>>,
    ) -> Option<Self> {
        let mut line = Self::default();
        for act in acts {
            match act {
                GitAct::StashPush { paths, untracked } => {
                    if line.tracked == Saved::No {
                        if let Some(holds) = whose(*untracked)? {
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
                GitAct::Commit { all } => line.commit(*all, &whose)?,
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
        whose: &impl Fn(Untracked) -> Option<Option<Whose>>,
    ) -> Option<()> {
        let added_all = self.added.iter().any(|paths| {
            paths.is_empty()
                || paths
                    .iter()
                    .any(|it| matches!(it.as_str(), "." | "*" | ":/"))
        });
        let taken = if added_all {
            Untracked::Yes
        } else {
            Untracked::No
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
