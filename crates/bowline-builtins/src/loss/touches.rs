//! What calls are about to write, and whose what is there was.

use std::collections::HashMap;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use bowline_guard::loss::{
    Act, AtLink, Found, GitAct, LinkKind, Links, Over, Target, TargetKind, Untracked, Writing,
};

use super::Losses;
use super::archive;
use super::content::{Content, join};
use super::expand::files_below;
use super::files::{holds, is_in_git};
use super::landing::{Landing, landings, renamed};
use super::line::Line;
use super::pathspec::Pathspecs;
use crate::machine::git::{IgnoredFiles, Repository};
use crate::work::{Before, Touch};

/// Files that are followed with the folder in which they are moved, or with the archive in which they come.
const MAX_MOVED: usize = 500;

/// What a call is about to write.
pub(crate) struct Touches {
    pub(crate) list: Vec<Touch>,
    pub(crate) extent: Extent,
}

/// Whether that is all of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) enum Extent {
    #[default]
    Whole,
    /// There is more, which is not known before.
    Part,
}

impl Losses<'_> {
    /// What is at the paths that the acts of a call are about to write, one act after another.
    pub(crate) fn touches(&self, acts: &[Act]) -> Touches {
        let mut so_far = SoFar::default();
        let mut list = Vec::new();
        for act in acts {
            let touched = self.touched_by(act, &mut so_far).unwrap_or_else(|| {
                so_far.extent = Extent::Part;
                Vec::new()
            });
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
            list.extend(touched);
        }
        let extent = so_far.extent;
        Touches { list, extent }
    }

    /// What an act writes, with what is there before it; `None` if it may write what cannot be told now.
    fn touched_by(&self, act: &Act, so_far: &mut SoFar) -> Option<Vec<Touch>> {
        let before = |path: &Path| self.before_now(path, so_far);
        let each = |paths: Vec<PathBuf>| -> Vec<Touch> {
            let touches = paths.iter().map(|path| self.touch(path, before(path)));
            touches.flatten().collect()
        };
        Some(match act {
            // The existing content keeps its owner, whether or not it is written.
            Act::Perhaps(act) if is_plain_writing(act) => return self.touched_by(act, so_far),
            Act::Make(target) => each(so_far.line.paths(target).unwrap_or_default()),
            Act::Write { to, how } => {
                let is_shown = |touch: &Touch| match how {
                    Writing::ByTool => true,
                    // The rest of somebody's work was shown to nobody.
                    Writing::TextByTool => {
                        touch.before != Before::Other || self.knows(Path::new(&touch.path))
                    }
                    _ => false,
                };
                let touches = each(written(to, *how, &so_far.line)?).into_iter();
                let touches = touches.map(|it| Touch {
                    shown: is_shown(&it),
                    ..it
                });
                touches.collect()
            }
            Act::WriteFound(found) => each(found_files(found, &so_far.line)?),
            Act::Unpack(unpacking) => match archive::written(unpacking, &so_far.line) {
                Some(files) if files.len() <= MAX_MOVED => each(files),
                _ if unpacking.over == Over::Replace && self.has_tracked(&unpacking.into) => {
                    return None;
                }
                _ => Vec::new(),
            },
            Act::Copy { from, to, at_link } => {
                let landings = landings(from, to, *at_link, &so_far.line);
                let (covered, extent) = match covered(&landings) {
                    Some(covered) => (covered, Extent::Whole),
                    None if self.has_tracked(to) => (Vec::new(), Extent::Part),
                    None => (Vec::new(), Extent::Whole),
                };
                let all = landings.into_iter().chain(covered).collect();
                let copies = self.copied_to(all, before);
                so_far.extent = so_far.extent.max(extent);
                copies
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
        })
    }

    /// Whether something may be put over what git tracks in the project.
    fn has_tracked(&self, place: &Target) -> bool {
        let path = Path::new(place.link.as_deref().unwrap_or(&place.path));
        let tracked = || {
            let folder = if path.is_dir() { path } else { path.parent()? };
            let repository = self.git.repository(folder)?;
            let below = path.strip_prefix(&repository.root).ok()?;
            self.git
                .tracks_below(&repository, below.as_os_str().as_bytes())
        };
        place.kind == TargetKind::Unknown
            || (path.starts_with(self.project) && tracked().unwrap_or(false))
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
    /// Whether everything that they write is known.
    extent: Extent,
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

/// Whether an act only puts new content where something was.
fn is_plain_writing(act: &Act) -> bool {
    matches!(
        act,
        Act::Write { .. } | Act::WriteFound(_) | Act::Unpack(_) | Act::Copy { .. }
    )
}

/// The files that a word names which is written to; `None` if an edit may be of any.
fn written(to: &Target, how: Writing, line: &Line) -> Option<Vec<PathBuf>> {
    let literal = || vec![PathBuf::from(to.link.as_deref().unwrap_or(&to.path))];
    match (to.kind, how) {
        (TargetKind::Unknown, Writing::Edit | Writing::Tidy) => None,
        // A pattern that nothing matches is a name like others.
        (TargetKind::Pattern, _) => {
            let paths = line.paths(to).filter(|it| it.len() <= MAX_MOVED)?;
            Some(if paths.is_empty() { literal() } else { paths })
        }
        _ => Some(literal()),
    }
}

/// The files that a search finds; `None` if there are too many.
fn found_files(found: &Found, line: &Line) -> Option<Vec<PathBuf>> {
    if found.links() == Links::Follow {
        return None;
    }
    let mut files = Vec::new();
    for target in found.roots() {
        for root in line.paths(target)? {
            let below = if root.is_dir() {
                files_below(&root)?
            } else {
                vec![root.clone()]
            };
            files.extend(below.into_iter().filter(|path| {
                let below = path.strip_prefix(&root).ok().and_then(Path::to_str);
                below.is_none_or(|below| found.may_take(target, below))
                    && !is_in_git(path)
                    && found.holding().is_none_or(|text| holds(path, text))
            }));
        }
    }
    (files.len() <= MAX_MOVED).then_some(files)
}

/// The files that go with the folders that are copied over others; `None` if they are unknown.
fn covered(landings: &[Landing]) -> Option<Vec<Landing>> {
    // Nothing is there yet that could be copied.
    landings.first()?;
    let mut covered = Vec::new();
    for landing in landings.iter().filter(|it| it.to.is_dir()) {
        let folder = landing.from.as_deref().filter(|it| it.is_dir())?;
        for file in files_below(folder)? {
            let to = landing.to.join(file.strip_prefix(folder).ok()?);
            if fs::symlink_metadata(&to).is_ok() {
                let from = Some(file);
                covered.push(Landing { from, to });
            }
        }
    }
    (covered.len() <= MAX_MOVED).then_some(covered)
}
