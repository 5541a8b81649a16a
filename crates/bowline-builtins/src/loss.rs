//! What an act would take away for good, here and now.
//!
//! Lost is what exists, cannot be had again (git does not hold it, no build makes it), and was not made by the session.
//! Everything is looked up within the budget of the judgement; what cannot be found out is unknown, and then the text alone decides.

mod archive;
mod clean;
mod conflict;
mod content;
mod expand;
mod files;
mod found;
mod git_line;
mod history;
mod ignoring;
mod landing;
mod line;
mod outlook;
mod pathspec;
mod rebase;
mod repository;
mod stash;
mod submodules;
mod taken;
mod temporary;
mod touches;
mod worktrees;

use std::cell::{Cell, RefCell};
use std::path::Path;

use bowline_guard::loss::{Act, GitAct, Loss, Writing};
use bowline_guard::paths::is_within;

use crate::machine::git::{GitReader, ObjectId, Repository};
use crate::work::SessionView;
use content::Content;
pub(crate) use content::times;
pub(crate) use outlook::Outlook;
pub(crate) use touches::Extent;

/// Weighs acts for one judgement.
pub(crate) struct Losses<'w> {
    pub(crate) git: GitReader<'w>,
    pub(crate) work: Option<SessionView<'w>>,
    pub(crate) project: &'w str,
    pub(crate) temp: &'w [String],
    /// What the line has let go of before the act that is weighed.
    pub(crate) released: Cell<Released>,
    /// What is left after that act.
    pub(crate) outlook: RefCell<Outlook>,
}

/// Whether a line has let go of something that held work: a stash, a branch, what was staged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Released {
    Nothing,
    Something,
}

fn releases(act: &Act) -> bool {
    if let Act::Perhaps(act) = act {
        return releases(act);
    }
    matches!(
        act,
        Act::Git {
            act: GitAct::Untrack
                | GitAct::StashDrop { .. }
                | GitAct::StashPop { .. }
                | GitAct::StashClear
                | GitAct::DeleteRefs { .. }
                | GitAct::OverwriteRef { .. },
            ..
        }
    )
}

impl Losses<'_> {
    /// What an act would take away, after what the same line has done before.
    pub(crate) fn of(&self, act: &Act, earlier: &[Act]) -> Loss {
        let released = earlier.iter().any(releases);
        self.released.set(if released {
            Released::Something
        } else {
            Released::Nothing
        });
        let line = self.line(act, earlier);
        let known = match act {
            Act::Write {
                to,
                how: Writing::ByTool,
            } => {
                let path = to.link.as_deref().unwrap_or(&to.path);
                self.is_in_project(Path::new(path))
                    .then(|| self.of_tool(path))
            }
            Act::Git { directory, act } => {
                self.of_git_in(Path::new(directory), act, (earlier, &line))
            }
            act => self.of_files(act, &line),
        };
        let mut loss = known.unwrap_or(Loss::Unknown);
        for path in line.orphans() {
            loss = match self.weigh(path, self.content(path)) {
                lost @ (Loss::Part(_) | Loss::Whole(_)) => loss.and(lost),
                _ => loss,
            };
        }
        loss
    }

    /// What a tool that writes to a file would take away.
    fn of_tool(&self, path: &str) -> Loss {
        let path = Path::new(path);
        match self.content(path) {
            Content::Other if self.knows(path) => {
                Loss::Nothing("read by this session, and not changed since".to_owned())
            }
            content => self.weigh(path, content),
        }
    }

    /// The work of others that a stash or commit would take, as paths within the repository; `None` if that is unknown.
    pub(crate) fn others_in(&self, repository: &Repository) -> Option<Vec<Vec<u8>>> {
        self.loose_paths(repository)
    }

    /// Whether a commit holds nothing but the session's own work, as the files on disk still show.
    pub(crate) fn is_own_commit(&self, repository: &Repository, id: ObjectId) -> Option<bool> {
        let commit = self.git.commit(repository, id)?;
        if commit.parents.len() > 1 {
            return Some(false);
        }
        for path in self.paths_of_commit(repository, id)? {
            let Some(entry) = self.git.tree_entry(repository, commit.tree, &path)? else {
                continue;
            };
            let file = content::join(&repository.root, &path);
            let same = self.git.blob_id(&file) == Some(entry.id);
            if !same || self.since(&file).is_none() {
                return Some(false);
            }
        }
        Some(true)
    }

    /// The paths that a commit changes.
    pub(crate) fn paths_of_commit(
        &self,
        repository: &Repository,
        id: ObjectId,
    ) -> Option<Vec<Vec<u8>>> {
        let commit = self.git.commit(repository, id)?;
        let parent = match commit.parents.first() {
            Some(parent) => Some(self.git.commit(repository, *parent)?.tree),
            None => None,
        };
        self.git
            .changed_paths(repository, parent, Some(commit.tree))
    }

    fn is_in_project(&self, path: &Path) -> bool {
        path.to_str()
            .is_some_and(|path| is_within(path, self.project))
    }
}
