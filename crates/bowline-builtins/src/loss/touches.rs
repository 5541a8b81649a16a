//! What calls are about to write, and whose what is there was.

use std::collections::HashMap;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use bowline_guard::loss::{Act, AtLink, GitAct, Writing};

use super::content::{Content, join};
use super::files::is_in_git;
use super::line::{Landing, landings};
use super::{Losses, expand};
use crate::work::{Before, Touch};

impl Losses<'_> {
    /// What is at the paths that the acts of a call are about to write, one act after another.
    pub(crate) fn touches(&self, acts: &[Act]) -> Vec<Touch> {
        let mut done: HashMap<PathBuf, Before> = HashMap::new();
        let mut touches = Vec::new();
        for act in acts {
            let touched = self.touched_by(act, &done);
            let gone = match act {
                Act::Move { from, .. } => from.as_slice(),
                Act::Delete { target, .. } => std::slice::from_ref(target),
                _ => &[],
            };
            for path in gone.iter().filter_map(expand::paths).flatten() {
                done.insert(path, Before::Missing);
            }
            for touch in &touched {
                done.insert(PathBuf::from(&touch.path), touch.before);
            }
            touches.extend(touched);
        }
        touches
    }

    /// What an act writes, with what is there before it; `done` is what the acts before it have put somewhere.
    fn touched_by(&self, act: &Act, done: &HashMap<PathBuf, Before>) -> Vec<Touch> {
        let before = |path: &Path| done.get(path).copied().unwrap_or_else(|| self.before(path));
        match act {
            Act::Make(target) => {
                let paths = expand::paths(target).unwrap_or_default();
                let touches = paths.iter().map(|path| self.touch(path, before(path)));
                touches.flatten().collect()
            }
            Act::Write { to, how } => {
                let path = Path::new(to.link.as_deref().unwrap_or(&to.path));
                let shown = *how == Writing::ByTool;
                let touch = self.touch(path, before(path));
                touch.map(|it| Touch { shown, ..it }).into_iter().collect()
            }
            Act::Copy { from, to, at_link } => {
                let copies = landings(from, to, *at_link).into_iter();
                copies
                    .filter_map(|copy| {
                        let touch = self.touch(&copy.to, before(&copy.to))?;
                        let copy_of = copy.from.as_deref().and_then(|from| {
                            let theirs = before(from) == Before::Other;
                            if theirs {
                                text(from)
                            } else {
                                self.original(from)
                            }
                        });
                        Some(Touch { copy_of, ..touch })
                    })
                    .collect()
            }
            // What is moved keeps its owner.
            Act::Move { from, to } => {
                let moves = landings(from, to, AtLink::Replace).into_iter();
                moves
                    .filter_map(|Landing { from, to }| {
                        let whose = from.as_deref().map_or(Before::Other, before);
                        let theirs = whose == Before::Other;
                        let made_again = from.as_deref().is_some_and(|it| self.is_made_again(it));
                        Some(Touch {
                            copy_of: from.as_deref().and_then(|it| self.original(it)),
                            moved: theirs && !made_again,
                            before: if theirs { Before::Other } else { Before::Own },
                            ..self.touch(&to, whose)?
                        })
                    })
                    .collect()
            }
            Act::Git {
                directory,
                act: GitAct::StashPop { number } | GitAct::StashApply { number },
            } => self
                .unstashed(Path::new(directory), *number)
                .unwrap_or_default(),
            _ => Vec::new(),
        }
    }

    fn is_made_again(&self, folder: &Path) -> bool {
        folder.is_dir() && self.rebuildable_folder(folder).is_some()
    }

    fn touch(&self, path: &Path, before: Before) -> Option<Touch> {
        let counts = !is_in_git(path) && !path.is_dir();
        Some(Touch {
            path: text(path).filter(|_| counts)?,
            before,
            shown: false,
            copy_of: None,
            moved: false,
            staged: self.staged(path),
        })
    }

    /// What a file of the session's own was copied from.
    fn original(&self, path: &Path) -> Option<String> {
        self.work?.original(path.to_str()?)
    }

    /// What was at a path before somebody writes there.
    fn before(&self, path: &Path) -> Before {
        match self.content(path) {
            Content::Missing => Before::Missing,
            Content::Held(_) | Content::Staged | Content::Rebuildable(_) => Before::Held,
            Content::Own(_) => Before::Own,
            Content::Other | Content::Folder | Content::Unknown => Before::Other,
        }
    }

    fn staged(&self, path: &Path) -> Option<String> {
        let repository = self.git.repository(path.parent()?)?;
        let below = path
            .strip_prefix(&repository.root)
            .ok()?
            .as_os_str()
            .as_bytes();
        let entry = self.git.index_entry(&repository, below)??;
        Some(entry.id.to_string())
    }

    /// What comes back from a stash keeps its owner.
    fn unstashed(&self, directory: &Path, number: Option<usize>) -> Option<Vec<Touch>> {
        let repository = self.git.repository(directory)?;
        let stash = *self.git.stashes(&repository)?.get(number?)?;
        let own = self
            .work
            .is_some_and(|work| work.owns_commit(&stash.to_string()));
        let paths = self.paths_of_stash(&repository, stash)?;
        Some(
            paths
                .iter()
                .map(|path| Touch {
                    path: join(&repository.root, path).to_string_lossy().into_owned(),
                    before: if own { Before::Own } else { Before::Other },
                    shown: false,
                    copy_of: None,
                    moved: false,
                    staged: None,
                })
                .collect(),
        )
    }
}

fn text(path: &Path) -> Option<String> {
    path.to_str().map(ToOwned::to_owned)
}
