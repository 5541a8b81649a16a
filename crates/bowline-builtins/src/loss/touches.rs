//! What calls are about to write, and whose what is there was.

use std::collections::HashMap;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use bowline_guard::loss::{Act, AtLink, GitAct, LinkKind, Untracked, Writing};

use super::Losses;
use super::archive;
use super::content::{Content, join};
use super::expand::files_below;
use super::files::is_in_git;
use super::landing::{Landing, landings, renamed};
use super::line::Line;
use super::pathspec::Pathspecs;
use crate::machine::git::{IgnoredFiles, Repository};
use crate::work::{Before, Touch};

/// Files that are followed with the folder in which they are moved, or with the archive in which they come.
const MAX_MOVED: usize = 500;

impl Losses<'_> {
    /// What is at the paths that the acts of a call are about to write, one act after another.
    pub(crate) fn touches(&self, acts: &[Act]) -> Vec<Touch> {
        let mut so_far = SoFar::default();
        let mut touches = Vec::new();
        for act in acts {
            let touched = self.touched_by(act, &mut so_far);
            let gone = match act {
                Act::Move { from, .. } | Act::Rename { from, .. } => from.as_slice(),
                Act::Delete { target, .. } => std::slice::from_ref(target),
                _ => &[],
            };
            for path in gone.iter().filter_map(|it| so_far.line.paths(it)).flatten() {
                so_far.done.insert(path, Before::Missing);
            }
            for touch in &touched {
                so_far.done.insert(PathBuf::from(&touch.path), touch.before);
            }
            so_far.line.add(act);
            touches.extend(touched);
        }
        touches
    }

    /// What an act writes, with what is there before it.
    fn touched_by(&self, act: &Act, so_far: &mut SoFar) -> Vec<Touch> {
        let before = |path: &Path| self.before_now(path, so_far);
        match act {
            Act::Make(target) => {
                let paths = so_far.line.paths(target).unwrap_or_default();
                let touches = paths.iter().map(|path| self.touch(path, before(path)));
                touches.flatten().collect()
            }
            Act::Write { to, how } => {
                let path = Path::new(to.link.as_deref().unwrap_or(&to.path));
                let shown = *how == Writing::ByTool;
                let touch = self.touch(path, before(path));
                touch.map(|it| Touch { shown, ..it }).into_iter().collect()
            }
            Act::Unpack(unpacking) => {
                let files = archive::written(unpacking, &so_far.line).unwrap_or_default();
                let files = files.iter().take(MAX_MOVED);
                let touches = files.map(|path| self.touch(path, before(path)));
                touches.flatten().collect()
            }
            Act::Copy { from, to, at_link } => {
                self.copied_to(landings(from, to, *at_link, &so_far.line), before)
            }
            // Another name holds what the first one does.
            Act::Link {
                from,
                to,
                kind: LinkKind::Hard,
            } => {
                let from = std::slice::from_ref(from);
                let landings = landings(from, to, AtLink::Replace, &so_far.line);
                self.copied_to(landings, before)
            }
            Act::Move { from, to } => {
                let landings = landings(from, to, AtLink::Replace, &so_far.line);
                self.moved_to(landings, before)
            }
            Act::Rename {
                from,
                rule,
                depth,
                over,
            } => {
                let landings = renamed(from, rule, (*depth, *over), &so_far.line);
                self.moved_to(landings.unwrap_or_default(), before)
            }
            Act::Git { directory, act } => {
                let unstashed = self.unstashed(Path::new(directory), act, so_far);
                unstashed.unwrap_or_default()
            }
            _ => Vec::new(),
        }
    }

    /// What is copied is known by what it was copied from.
    fn copied_to(&self, landings: Vec<Landing>, before: impl Fn(&Path) -> Before) -> Vec<Touch> {
        let copies = landings.into_iter();
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

    /// What is moved keeps its owner.
    fn moved_to(&self, landings: Vec<Landing>, before: impl Fn(&Path) -> Before) -> Vec<Touch> {
        let mut touches = Vec::new();
        for landing in landings {
            let inside = self.moved_with(&landing, &before);
            let all_own = !inside.is_empty() && inside.iter().all(|it| it.before == Before::Own);
            if !all_own {
                touches.extend(self.moved_one(&landing, &before));
            }
            touches.extend(inside);
        }
        touches
    }

    fn moved_one(&self, landing: &Landing, before: impl Fn(&Path) -> Before) -> Option<Touch> {
        let from = landing.from.as_deref();
        let whose = from.map_or(Before::Other, before);
        let theirs = whose == Before::Other;
        let made_again = from.is_some_and(|it| self.is_made_again(it));
        Some(Touch {
            copy_of: from.and_then(|it| self.original(it)),
            moved: theirs && !made_again,
            before: if theirs { Before::Other } else { Before::Own },
            ..self.touch(&landing.to, whose)?
        })
    }

    /// The files that are moved with a folder, each with its own owner; none if there are too many.
    fn moved_with(&self, landing: &Landing, before: &impl Fn(&Path) -> Before) -> Vec<Touch> {
        let folder = landing.from.as_deref();
        let folder = folder.filter(|it| it.is_dir() && !self.is_made_again(it));
        let files = folder.and_then(files_below).unwrap_or_default();
        if files.len() > MAX_MOVED {
            return Vec::new();
        }
        let landings = files.into_iter().filter_map(|file| {
            let to = landing.to.join(file.strip_prefix(folder?).ok()?);
            let from = Some(file);
            Some(Landing { from, to })
        });
        landings
            .filter_map(|it| self.moved_one(&it, before))
            .collect()
    }

    /// Whose content is at a path after the acts so far.
    fn before_now(&self, path: &Path, so_far: &SoFar) -> Before {
        let done = so_far.done.get(path).copied();
        done.unwrap_or_else(|| self.before(path))
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

    /// What comes back from a stash keeps its owner, also if the same call has put it there.
    fn unstashed(&self, directory: &Path, act: &GitAct, so_far: &mut SoFar) -> Option<Vec<Touch>> {
        let repository = self.git.repository(directory)?;
        let (number, goes) = match act {
            GitAct::StashPush { paths, untracked } => {
                let stash = self.stashed(&repository, (directory, paths), *untracked, so_far)?;
                // What is put aside is no longer in the tree.
                let held = stash.iter().map(|(path, _)| (path.clone(), Before::Held));
                so_far.done.extend(held);
                if !stash.is_empty() {
                    so_far.stashes.push(stash);
                }
                return None;
            }
            GitAct::StashPop { number } => ((*number)?, true),
            GitAct::StashApply { number } => ((*number)?, false),
            _ => return None,
        };
        let made = so_far.stashes.len();
        let owners = match made.checked_sub(number + 1) {
            Some(at) if goes => so_far.stashes.remove(at),
            Some(at) => so_far.stashes.get(at)?.clone(),
            None => {
                let kept = number - made + so_far.popped;
                so_far.popped += usize::from(goes);
                self.owners_in_stash(&repository, kept)?
            }
        };
        let touches = owners.into_iter().filter_map(|(path, before)| {
            Some(Touch {
                path: text(&path)?,
                before,
                shown: false,
                copy_of: None,
                moved: false,
                staged: None,
            })
        });
        Some(touches.collect())
    }

    /// What a stash would take, and whose it is.
    fn stashed(
        &self,
        repository: &Repository,
        (directory, paths): (&Path, &[String]),
        untracked: Untracked,
        so_far: &SoFar,
    ) -> Option<Vec<(PathBuf, Before)>> {
        let specs = match paths {
            [] => Pathspecs::everything(),
            paths => Pathspecs::new(paths, directory, repository)?,
        };
        let changes = self.git.changes(repository, b"")?.into_iter();
        let mut names: Vec<Vec<u8>> = changes.map(|it| it.path).collect();
        if untracked == Untracked::Yes {
            let files = self.git.untracked(repository, b"", IgnoredFiles::Skip)?;
            names.extend(files.into_iter().map(|it| it.path));
        }
        let taken = names.into_iter().filter(|it| specs.matches(it));
        let owners = taken.map(|name| {
            let path = join(&repository.root, &name);
            let theirs = self.before_now(&path, so_far) == Before::Other;
            let owner = if theirs { Before::Other } else { Before::Own };
            (path, owner)
        });
        Some(owners.collect())
    }

    /// What a stash of the repository holds, and whose it is.
    fn owners_in_stash(
        &self,
        repository: &Repository,
        number: usize,
    ) -> Option<Vec<(PathBuf, Before)>> {
        let stash = *self.git.stashes(repository)?.get(number)?;
        let name = stash.to_string();
        let own = self.work.is_some_and(|work| work.owns_commit(&name));
        let others = self.work.and_then(|work| work.others_in(&name));
        let owner = |path: &[u8]| match &others {
            _ if own => Before::Own,
            Some(others) if !others.iter().any(|it| it.as_bytes() == path) => Before::Own,
            _ => Before::Other,
        };
        let paths = self.paths_of_stash(repository, stash)?.into_iter();
        let owners = paths.map(|path| (join(&repository.root, &path), owner(&path)));
        Some(owners.collect())
    }
}

/// What the acts of a call so far have done.
#[derive(Default)]
struct SoFar {
    line: Line,
    /// What they have put where, or taken away.
    done: HashMap<PathBuf, Before>,
    /// The stashes that they have made, newest last: the paths in each, and whose they are.
    stashes: Vec<Vec<(PathBuf, Before)>>,
    /// How many of the repository's own stashes they have taken.
    popped: usize,
}

fn text(path: &Path) -> Option<String> {
    path.to_str().map(ToOwned::to_owned)
}
