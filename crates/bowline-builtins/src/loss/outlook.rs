//! What is left after a line, up to the act that is weighed. A copy that the line removes does not count.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use bowline_guard::loss::{Act, Found, GitAct};

use super::Losses;
use super::line::Line;
use super::pathspec::{Pathspecs, normal};
use super::worktrees::worktrees_named;

/// The line with the act that is weighed.
#[derive(Debug, Default)]
pub(crate) struct Outlook {
    line: Line,
    /// Acts that take away whatever they find.
    sweeps: Vec<Act>,
}

impl Losses<'_> {
    /// What the line has done before an act. From now on, what the line and the act take away holds nothing.
    pub(super) fn line(&self, act: &Act, earlier: &[Act]) -> Line {
        let mut line = Line::with(self.temporary());
        for done in earlier {
            self.follow(&mut line, done);
        }
        let mut after = line.clone();
        self.follow(&mut after, act);
        let line = line.facing(&after);
        let acts = earlier.iter().chain([act]);
        self.outlook.replace(Outlook {
            line: after,
            sweeps: acts.filter(|it| is_sweep(it)).cloned().collect(),
        });
        line
    }

    fn follow(&self, line: &mut Line, act: &Act) {
        line.add(act);
        if is_sweep(act) {
            line.sweep(|path| self.sweeps_away(act, path));
        }
    }

    /// Whether the line takes away what is at a path.
    pub(super) fn is_gone(&self, path: &Path) -> bool {
        let outlook = self.outlook.borrow();
        let mut sweeps = outlook.sweeps.iter();
        outlook.line.takes(path)
            // What is written to one name of a file is written to all of them.
            || outlook.line.changed().any(|it| is_same_file(it, path))
            || sweeps.any(|act| self.sweeps_away(act, path))
    }

    /// Whether an act removes what is at a path; if that is unknown, yes.
    fn sweeps_away(&self, act: &Act, path: &Path) -> bool {
        match act {
            Act::Perhaps(act) => self.sweeps_away(act, path),
            Act::DeleteFound(found) | Act::WriteFound(found) => finds(found, path),
            Act::Git { directory, act } => {
                let taken = self.git_takes(Path::new(directory), act, path);
                taken.unwrap_or(true)
            }
            _ => false,
        }
    }

    fn git_takes(&self, directory: &Path, act: &GitAct, path: &Path) -> Option<bool> {
        let repository = self.git.repository(directory)?;
        let Ok(below) = path.strip_prefix(&repository.root) else {
            return Some(false);
        };
        let below = below.as_os_str().as_bytes();
        let tracked = self.git.index_entry(&repository, below)?.is_some();
        let named = |paths: &[String]| {
            let specs = Pathspecs::new(paths, directory, &repository)?;
            Some(specs.matches(below))
        };
        Some(match act {
            GitAct::Clean(clean) => {
                !tracked && self.cleans(&repository, directory, clean, below)?
            }
            GitAct::ResetHard { .. } | GitAct::ForceSwitch { .. } | GitAct::Export { .. } => {
                tracked
            }
            GitAct::Restore { paths, .. } | GitAct::TakeSide { paths } => tracked && named(paths)?,
            GitAct::Switch { to: Some(to) } => {
                tracked
                    && self.git.resolve(&repository, to).is_none()
                    && named(std::slice::from_ref(to))?
            }
            GitAct::RemoveForced { paths } => named(paths)?,
            GitAct::WorktreeRemove { path: folder } => {
                let folders = worktrees_named(&repository, &normal(&directory.join(folder))?)?;
                folders.iter().any(|it| path.starts_with(it))
            }
            _ => false,
        })
    }
}

/// Whether an act takes away what it finds, without naming it.
fn is_sweep(act: &Act) -> bool {
    if let Act::Perhaps(act) = act {
        return is_sweep(act);
    }
    match act {
        Act::DeleteFound(_) | Act::WriteFound(_) => true,
        Act::Git { act, .. } => matches!(
            act,
            GitAct::Clean(_)
                | GitAct::ResetHard { .. }
                | GitAct::ForceSwitch { .. }
                | GitAct::Export { .. }
                | GitAct::Restore { .. }
                | GitAct::TakeSide { .. }
                | GitAct::Switch { to: Some(_) }
                | GitAct::RemoveForced { .. }
                | GitAct::WorktreeRemove { .. }
        ),
        _ => false,
    }
}

pub(super) fn finds(found: &Found, path: &Path) -> bool {
    found.roots().any(|root| {
        let below = path.strip_prefix(&root.path).ok().and_then(Path::to_str);
        below.is_some_and(|below| found.may_take(root, below))
    })
}

/// Whether two names are names of one file.
fn is_same_file(one: &Path, other: &Path) -> bool {
    let same = || {
        let (one, other) = (
            fs::symlink_metadata(one).ok()?,
            fs::symlink_metadata(other).ok()?,
        );
        Some(one.ino() == other.ino() && one.dev() == other.dev())
    };
    same().unwrap_or(false)
}
