//! What the same line has done before: files that it made, work that it put aside.

use std::path::{Path, PathBuf};

use bowline_guard::loss::{Act, AtLink, GitAct, LinkKind, Target, TargetKind, Untracked, Writing};
use bowline_guard::paths::is_within;

use super::archive;
use super::expand;
use super::git_line::Saved;
use super::landing::{Landing, landings, renamed};
use super::temporary::Temporary;
use crate::machine::git::Standing;

/// What the runs before have done to files.
#[derive(Debug, Clone, Default)]
pub(super) struct Line {
    /// Paths that were not there before the line.
    made: Vec<String>,
    /// Folders among them.
    folders: Vec<String>,
    /// What the line has moved.
    carried: Vec<Carried>,
    /// Paths that the line has deleted, moved away or written over: what was there was judged then.
    spent: Vec<String>,
    /// Paths whose content the line has changed.
    changed: Vec<String>,
    /// Paths of which the line has put a copy elsewhere, and where.
    copies: Vec<(String, String)>,
    /// Those of which a copy outlives the act that is weighed.
    lasting: Vec<String>,
    /// Paths that the line has given another name: what is written to one is written to both.
    named: Vec<String>,
    /// Links that the line has made, and where they lead.
    links: Vec<(String, String)>,
    /// Paths that the line has put into git's index, and into a commit.
    staged: Vec<String>,
    committed: Vec<String>,
    /// Whether git was given all that it tracks, all that it does not, and all that it ignores.
    tracked: Saved,
    /// Whether files were added by name only, so that git makes no stash.
    announces: bool,
    untracked: Saved,
    ignored: Saved,
    /// Where nothing lasts.
    temporary: Temporary,
}

/// Something that a line has moved.
#[derive(Debug, Clone)]
pub(super) struct Carried {
    /// Where it was before the line, and still is on disk.
    pub(super) from: PathBuf,
    /// Where it is by then.
    pub(super) to: PathBuf,
}

impl Line {
    /// A line that has not begun.
    pub(super) fn with(temporary: Temporary) -> Self {
        Self {
            temporary,
            ..Self::default()
        }
    }

    /// The same, where only those copies count that are still there after the act that is weighed.
    pub(super) fn facing(self, after: &Self) -> Self {
        let lasting = after.copies.iter().map(|(from, _)| from.clone());
        Self {
            lasting: lasting.collect(),
            ..self
        }
    }

    pub(super) fn add(&mut self, act: &Act) {
        match act {
            Act::Perhaps(act) => self.may_happen(act),
            Act::Copy { from, to, .. } | Act::Move { from, to } if !self.can_land(from, to) => {
                self.may_happen(act);
            }
            act => self.happens(act),
        }
    }

    /// Whether the folder is there that things are put into.
    fn can_land(&self, from: &[Target], to: &Target) -> bool {
        let landings = landings(from, to, AtLink::Replace, self);
        landings.iter().all(|it| match it.to.parent() {
            Some(folder) => {
                folder.is_dir() || self.has_made(folder) || self.links_to_folder(folder)
            }
            None => true,
        })
    }

    fn links_to_folder(&self, path: &Path) -> bool {
        let mut links = self.links.iter();
        links.any(|(link, _)| path.starts_with(link))
    }

    /// What may have been made or moved counts; nothing is taken to be safe by it.
    fn may_happen(&mut self, act: &Act) {
        let mut after = self.clone();
        after.happens(act);
        self.made = after.made;
        self.folders = after.folders;
        self.links = after.links;
        self.changed = after.changed;
        self.copies.retain(|it| after.copies.contains(it));
        for carried in after.carried {
            let is_new = |it: &Carried| it.from != carried.from || it.to != carried.to;
            if self.carried.iter().all(is_new) {
                self.carried.push(carried);
            }
        }
        self.tracked = self.tracked.min(after.tracked);
        self.untracked = self.untracked.min(after.untracked);
        self.ignored = self.ignored.min(after.ignored);
        if matches!(
            act,
            Act::Git {
                act: GitAct::Untrack,
                ..
            }
        ) {
            self.staged = after.staged;
        }
    }

    fn happens(&mut self, act: &Act) {
        match act {
            Act::Make(target) => {
                if target.kind == TargetKind::Folder {
                    self.folders.push(target.path.clone());
                }
                self.makes(&target.path);
            }
            Act::Unpack(unpacking) => {
                let written = archive::written(unpacking, self);
                for path in written.unwrap_or_default() {
                    if path.exists() {
                        self.overwrites(&path);
                    }
                }
                self.makes(&unpacking.into.path);
            }
            Act::Write { to, how } => {
                self.makes(&to.path);
                if !matches!(how, Writing::Add | Writing::Tidy) {
                    self.overwrites(Path::new(to.link.as_deref().unwrap_or(&to.path)));
                }
                if *how == Writing::Replace && !Path::new(&to.path).is_dir() {
                    self.ends(Path::new(&to.path));
                }
            }
            Act::Copy { from, to, .. } => {
                let landings = landings(from, to, AtLink::Replace, self);
                for landing in &landings {
                    self.covers(landing);
                }
                // A copy of what was changed before holds something else.
                if let [from] = from.as_slice()
                    && let [landing] = landings.as_slice()
                    && self.lasts(Path::new(&from.path), &landing.to)
                    && !self.has_changed(&from.path)
                {
                    let place = landing.to.to_string_lossy().into_owned();
                    self.copies.push((from.path.clone(), place));
                }
                for landing in landings {
                    self.makes(&landing.to.to_string_lossy());
                }
            }
            Act::Move { from, to } => {
                for landing in landings(from, to, AtLink::Replace, self) {
                    self.carry(&landing);
                }
                self.spent.extend(from.iter().map(|it| it.path.clone()));
            }
            Act::Rename {
                from,
                rule,
                depth,
                over,
            } => {
                let landings = renamed(from, rule, (*depth, *over), self);
                for landing in landings.unwrap_or_default() {
                    self.carry(&landing);
                }
            }
            Act::Delete { target, .. } => {
                for path in self.paths(target).unwrap_or_default() {
                    self.ends(&path);
                }
            }
            Act::Link { from, to, kind } => {
                let landings = landings(std::slice::from_ref(from), to, AtLink::Replace, self);
                // A link is no copy, also if it was put over something.
                for landing in &landings {
                    self.copies.retain(|(_, to)| Path::new(to) != landing.to);
                    if *kind == LinkKind::Hard {
                        self.names(from, &landing.to);
                    }
                }
                let places = landings.iter().filter_map(|it| it.to.to_str());
                let links = places.map(|place| (place.to_owned(), from.path.clone()));
                self.links.extend(links);
            }
            Act::Git { directory, act } => self.add_git(directory, act),
            _ => {}
        }
    }

    /// What is at a path or below it is gone by then.
    fn ends(&mut self, path: &Path) {
        self.carried.retain(|it| !it.to.starts_with(path));
        self.copies
            .retain(|(_, to)| !Path::new(to).starts_with(path));
        self.spent.extend(path.to_str().map(ToOwned::to_owned));
    }

    /// A file with a new name is still there when the old one is gone.
    fn names(&mut self, file: &Target, name: &Path) {
        let free = self.has_made(name) || std::fs::symlink_metadata(name).is_err();
        let folder = name.parent().filter(|_| free);
        let lasts = self.lasts(Path::new(&file.path), name);
        let made = file.kind == TargetKind::Exact
            && folder.is_some_and(|it| it.is_dir() || self.has_made(it));
        if let Some(name) = name.to_str().filter(|_| made && lasts) {
            self.copies.push((file.path.clone(), name.to_owned()));
            self.named.push(file.path.clone());
        }
    }

    /// What is at a path has other contents by then, under each of its names.
    fn overwrites(&mut self, path: &Path) {
        let named = &self.named;
        self.copies.retain(|(from, to)| {
            Path::new(to) != path && (Path::new(from) != path || !named.contains(from))
        });
        self.changed.extend(path.to_str().map(ToOwned::to_owned));
    }

    /// What is put at a place is put over what is there: a file, or the files of a folder that have the same names.
    fn covers(&mut self, landing: &Landing) {
        let source = landing.from.as_deref().filter(|it| it.is_dir());
        let Some(source) = source else {
            self.overwrites(&landing.to);
            return;
        };
        for file in expand::files_below(source).unwrap_or_default() {
            if let Ok(below) = file.strip_prefix(source) {
                self.overwrites(&landing.to.join(below));
            }
        }
    }

    /// Some act takes away whatever it finds: copies are gone, and so is what others were made from.
    pub(super) fn sweep(&mut self, takes: impl Fn(&Path) -> bool) {
        let taken = |path: &String| takes(Path::new(path));
        let copied = self.copies.iter().map(|(from, _)| from);
        let changed: Vec<String> = copied.filter(|it| taken(it)).cloned().collect();
        self.changed.extend(changed);
        self.copies.retain(|(_, to)| !taken(to));
    }

    /// Whether what was at a path before the line is no longer there, nor anywhere else.
    pub(super) fn takes(&self, path: &Path) -> bool {
        let mut carried = self.carried.iter();
        let carried = carried.any(|it| path.starts_with(&it.from) && self.lasts(&it.from, &it.to));
        !carried && path.to_str().is_some_and(|it| self.has_changed(it))
    }

    /// The paths whose content the line has changed.
    pub(super) fn changed(&self) -> impl Iterator<Item = &Path> {
        self.changed.iter().map(Path::new)
    }

    /// The paths of which the line has taken away or changed what was there.
    pub(super) fn taken(&self) -> impl Iterator<Item = &Path> {
        self.spent.iter().chain(&self.changed).map(Path::new)
    }

    /// What the line has copied and then taken away, and of which the act takes the last copy.
    pub(super) fn orphans(&self) -> impl Iterator<Item = &Path> {
        let copied = self.copies.iter().map(|(from, _)| from);
        let last = copied.filter(|it| self.has_changed(it) && !self.lasting.contains(it));
        last.map(Path::new)
    }

    /// Whether a copy lasts as long as its original: not in a temporary folder.
    fn lasts(&self, from: &Path, to: &Path) -> bool {
        !self.temporary.holds(to) || self.temporary.holds(from)
    }

    fn has_changed(&self, path: &str) -> bool {
        self.is_spent(path) || self.changed.iter().any(|it| it == path)
    }

    /// Copies go with what is moved, and are gone where something else is put.
    fn moves_copies(&mut self, from: &Path, to: &Path) {
        self.copies.retain(|(_, copy)| Path::new(copy) != to);
        for (_, copy) in &mut self.copies {
            if let Ok(below) = Path::new(copy).strip_prefix(from) {
                *copy = moved_below(to, below).to_string_lossy().into_owned();
            }
        }
        let mut copies = std::mem::take(&mut self.copies);
        copies.retain(|(from, copy)| self.lasts(Path::new(from), Path::new(copy)));
        self.copies = copies;
    }

    /// Takes something to another place, over what is there.
    pub(super) fn carry(&mut self, landing: &Landing) {
        let to = &landing.to;
        let Some(from) = &landing.from else {
            self.makes(&to.to_string_lossy());
            return;
        };
        let is_there = std::fs::symlink_metadata(from).is_ok()
            && from.to_str().is_some_and(|it| !self.is_spent(it));
        self.carried.retain(|it| it.to != *to);
        self.moves_copies(from, to);
        for carried in &mut self.carried {
            if let Ok(below) = carried.to.strip_prefix(from) {
                carried.to = moved_below(to, below);
            }
        }
        self.spent.extend(from.to_str().map(ToOwned::to_owned));
        if !to.is_dir() {
            self.spent.extend(to.to_str().map(ToOwned::to_owned));
        }
        self.makes(&to.to_string_lossy());
        if is_there {
            self.carried.push(Carried {
                from: from.clone(),
                to: to.clone(),
            });
        }
    }

    /// What the line has moved to a path or below it, unless it is kept elsewhere, too.
    pub(super) fn carried_to<'l>(&'l self, path: &'l Path) -> impl Iterator<Item = &'l Carried> {
        let carried = self.carried.iter();
        carried.filter(move |it| {
            it.to.starts_with(path) && !self.keeps(&it.to) && !self.keeps(&it.from)
        })
    }

    fn keeps(&self, path: &Path) -> bool {
        let Some(path) = path.to_str() else {
            return false;
        };
        let kept = self.committed.iter();
        kept.chain(&self.lasting).any(|it| is_within(path, it))
    }

    /// The paths that a target names, also those that the line has moved things to; `None` if that is unknown.
    pub(super) fn paths(&self, target: &Target) -> Option<Vec<PathBuf>> {
        let mut paths = expand::paths(target)?;
        if target.kind == TargetKind::Pattern {
            let carried = self.carried.iter().map(|it| it.to.as_path());
            let copied = self.copies.iter().map(|(_, to)| Path::new(to));
            let matching = carried.chain(copied);
            let matching = matching.filter_map(|it| expand::matched(&target.path, it));
            for path in matching {
                if !paths.contains(&path) {
                    paths.push(path);
                }
            }
        }
        Some(paths)
    }

    fn add_git(&mut self, directory: &str, act: &GitAct) {
        match act {
            GitAct::Clone { into } => self.makes(&into.path),
            GitAct::WorktreeAdd { path } => {
                if let Some(path) = absolute(directory, path) {
                    self.makes(&path);
                    self.folders.push(path);
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
            GitAct::Announce { .. } => self.announces = true,
            GitAct::StashPush { .. } if self.announces => {}
            GitAct::StashPush { paths, untracked } if paths.is_empty() => {
                self.tracked = Saved::Yes;
                if *untracked != Untracked::No {
                    self.untracked = Saved::Yes;
                }
                if *untracked == Untracked::IgnoredToo {
                    self.ignored = Saved::Yes;
                }
            }
            GitAct::StashPush { paths, .. } => {
                let paths = paths.iter().filter_map(|path| absolute(directory, path));
                self.committed.extend(paths);
            }
            GitAct::StashPop { .. }
            | GitAct::StashApply { .. }
            | GitAct::StashDrop { .. }
            | GitAct::StashClear
            | GitAct::Other => self.takes_back(),
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

    /// Whether the line has made this folder.
    pub(super) fn has_made_folder(&self, path: &Path) -> bool {
        path.to_str()
            .is_some_and(|path| self.folders.iter().any(|it| it == path))
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
        self.has_made(path) || self.is_spent(text) || self.keeps(path)
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

    /// Git may have nothing any more of what it was given.
    fn takes_back(&mut self) {
        self.tracked = Saved::No;
        self.untracked = Saved::No;
        self.ignored = Saved::No;
    }

    /// Whether git was given everything that stands to it as a file does.
    pub(super) fn saves(&self, standing: Standing) -> bool {
        let saved = match standing {
            Standing::Modified => self.tracked,
            Standing::Untracked => self.untracked,
            Standing::Ignored => self.ignored,
            _ => Saved::No,
        };
        saved == Saved::Yes
    }

    fn is_spent(&self, path: &str) -> bool {
        self.spent.iter().any(|spent| is_within(path, spent))
    }
}

fn absolute(directory: &str, path: &str) -> Option<String> {
    let path = super::pathspec::normal(&Path::new(directory).join(path))?;
    path.to_str().map(ToOwned::to_owned)
}

/// Where something is that lay below what was moved.
fn moved_below(to: &Path, below: &Path) -> PathBuf {
    if below.as_os_str().is_empty() {
        to.to_owned()
    } else {
        to.join(below)
    }
}
