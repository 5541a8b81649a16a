//! Deleting, writing over and moving files.

use std::fmt::Write as _;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use bowline_guard::loss::{Act, AtLink, Depth, Found, Loss, Target, TargetKind, Writing};
use bowline_guard::paths::is_within;
use chrono::{DateTime, Utc};

use super::Losses;
use super::content::{Content, Ignored, join, show};
use super::found::{GitsOwn, walk_links};
use super::landing::{Landing, landings, renamed};
use super::line::{Carried, Line};
use crate::machine::git::IgnoredFiles;
use crate::machine::git::{Repository, Standing, UntrackedKind, Worktree};

/// A folder without git is walked through to this many entries.
pub(super) const MAX_WALKED: usize = 20_000;
/// Folders below folders.
const MAX_DEPTH: usize = 64;

impl Losses<'_> {
    pub(super) fn of_files(&self, act: &Act, line: &Line) -> Option<Loss> {
        match act {
            Act::Delete { target, depth } => {
                let followed = line.followed(target, AtLink::Replace);
                self.all(followed.as_ref().unwrap_or(target), line, |path| {
                    self.deleted(path, *depth, line)
                })
            }
            Act::Write {
                to,
                how: Writing::Replace | Writing::Edit,
            } => {
                let to = line
                    .followed(to, AtLink::Follow)
                    .unwrap_or_else(|| to.followed());
                self.all(&to, line, |path| self.written_over(path, line))
            }
            Act::Copy { from, to, at_link } => {
                let followed = line.followed(to, *at_link);
                let to = followed.as_ref().unwrap_or(to);
                self.put(landings(from, to, *at_link, line), line)
            }
            Act::Rename {
                from,
                rule,
                depth,
                over,
            } => self.moved(renamed(from, rule, (*depth, *over), line)?, line),
            Act::Move { from, to } => {
                let followed = line.followed(to, AtLink::Replace);
                let place = followed.as_ref().unwrap_or(to);
                let mut loss = self.moved(landings(from, place, AtLink::Replace, line), line)?;
                if self.is_temporary(Path::new(&to.path)) {
                    for target in from {
                        loss = loss.and(
                            self.all(target, line, |path| self.deleted(path, Depth::Tree, line))?,
                        );
                    }
                }
                Some(loss)
            }
            Act::Unpack(unpacking) => self.unpacked(unpacking, line),
            Act::DeleteFound(found) => self.found(found, GitsOwn::Counts, line),
            Act::WriteFound(found) => self.found(found, GitsOwn::IsSpared, line),
            Act::MoveFound { found, to } => self.moved_found(found, to, line),
            _ => None,
        }
    }

    /// The loss of all paths that a target names.
    fn all(
        &self,
        target: &Target,
        line: &Line,
        one: impl Fn(&Path) -> Option<Loss>,
    ) -> Option<Loss> {
        let paths = line.paths(target)?;
        let mut loss: Option<Loss> = None;
        for path in paths {
            let brought = || path.to_str().is_some_and(|it| self.holds_brought_work(it));
            let counts = self.is_in_project(&path) || self.is_own_worktree(&path) || brought();
            if !counts || is_in_git(&path) {
                return None;
            }
            let this = one(&path)?;
            loss = Some(match loss {
                Some(before) => before.and(this),
                None => this,
            });
        }
        let whole = self.names_everything(target);
        Some(match loss {
            None => Loss::Nothing("there is nothing that matches".to_owned()),
            Some(Loss::Part(what)) if whole => Loss::Whole(what),
            Some(loss) => loss,
        })
    }

    /// `*` in the project's own folder.
    fn names_everything(&self, target: &Target) -> bool {
        Path::new(&target.path).parent() == Some(Path::new(self.project))
            && target
                .path
                .rsplit('/')
                .next()
                .is_some_and(|name| name.chars().all(|it| it == '*'))
    }

    pub(super) fn deleted(&self, path: &Path, depth: Depth, line: &Line) -> Option<Loss> {
        if path == Path::new(self.project) {
            return None;
        }
        if !self.is_in_project(path) {
            let outside = self.is_own_worktree(path) && depth == Depth::Tree;
            return if outside {
                self.removed_worktree(path, line)
            } else {
                self.deleted_outside(path, line)
            };
        }
        if let Some(loss) = self.carried(path, line)? {
            return Some(loss);
        }
        if line.is_done_with(path) {
            return Some(Loss::Nothing(format!(
                "{}: the same line has made or kept it",
                self.shown(path)
            )));
        }
        match (self.content(path), depth) {
            (Content::Folder, Depth::One) => Some(Loss::Nothing(format!(
                "{} is a folder, which stays",
                self.shown(path)
            ))),
            (Content::Folder, Depth::Tree) => self.deleted_folder(path, line),
            (content, _) => known(self.unless_saved(path, self.weigh(path, content), line)),
        }
    }

    /// Of what is outside of the project only that counts which the session has taken there.
    fn deleted_outside(&self, path: &Path, line: &Line) -> Option<Loss> {
        let name = path.to_str()?;
        let brought: Vec<PathBuf> = self.brought(|it| is_within(it, name)).collect();
        let mut loss: Option<Loss> = None;
        for path in brought {
            if line.is_done_with(&path) {
                continue;
            }
            let this = match self.content(&path) {
                Content::Folder => self.deleted_folder(&path, line)?,
                content => known(self.weigh(&path, content))?,
            };
            loss = Some(match loss {
                Some(before) => before.and(this),
                None => this,
            });
        }
        // Where nothing of that is lost, the place decides.
        loss.filter(|it| !matches!(it, Loss::Nothing(_)))
    }

    fn deleted_folder(&self, folder: &Path, line: &Line) -> Option<Loss> {
        let brought: Vec<PathBuf> = match folder.to_str() {
            Some(folder) => self.brought(|it| is_within(it, folder)).collect(),
            None => Vec::new(),
        };
        let came_whole = brought.iter().any(|it| it == folder);
        if let Some(why) = self.rebuildable_folder(folder).filter(|_| !came_whole) {
            let mut loss = Loss::Nothing(format!("{}: {why}", self.shown(folder)));
            // A build makes all of it again but what was brought there.
            for path in brought {
                loss = loss.and(self.deleted(&path, Depth::Tree, line)?);
            }
            return Some(loss);
        }
        let is_repository = fs::symlink_metadata(folder.join(".git")).is_ok();
        let repository = (!is_repository)
            .then(|| self.git.repository(folder))
            .flatten();
        // Where git's own data lies elsewhere, only the work goes with the folder.
        let has_history = folder.join(".git").is_dir();
        let lost = match &repository {
            Some(repository) => self.lost_below(repository, folder, line)?,
            None if is_repository && !has_history => {
                let inner = self.git.repository(folder)?;
                self.lost_below(&inner, folder, line)?
            }
            None if is_repository => self.lost_repository(folder)?,
            None => self.lost_without_git(folder, |_| true)?,
        };
        Some(match lost {
            None => Loss::Nothing(format!(
                "{}: git has everything in it that this session did not make",
                self.shown(folder)
            )),
            Some(path) => Loss::Part(unsaved(&self.shown(&path))),
        })
    }

    /// Why a whole folder is made again.
    pub(super) fn rebuildable_folder(&self, folder: &Path) -> Option<&'static str> {
        let repository = self.git.repository(folder.parent()?)?;
        let below = folder
            .strip_prefix(&repository.root)
            .ok()?
            .as_os_str()
            .as_bytes();
        let tracked = self.git.tracks_below(&repository, below)?;
        if tracked {
            return None;
        }
        let why = self.rebuildable(folder, Ignored::No)?;
        // A folder for scratch may hold anything.
        (why == "a build makes it again").then_some(why)
    }

    /// The first path below a folder of a repository that would be lost.
    #[expect(clippy::option_option, reason = "unknown, or nothing")]
    pub(super) fn lost_below(
        &self,
        repository: &Repository,
        folder: &Path,
        line: &Line,
    ) -> Option<Option<PathBuf>> {
        let under = folder
            .strip_prefix(&repository.root)
            .ok()?
            .as_os_str()
            .as_bytes();
        for change in self.git.changes(repository, under)? {
            let on_disk = matches!(change.worktree, Worktree::Modified | Worktree::TypeChanged);
            let path = join(&repository.root, &change.path);
            if on_disk
                && !line.is_done_with(&path)
                && !line.saves(Standing::Modified)
                && self.is_lost(&path)?
            {
                return Some(Some(path));
            }
        }
        for entry in self
            .git
            .untracked(repository, under, IgnoredFiles::Include)?
        {
            let path = join(&repository.root, &entry.path);
            if line.is_done_with(&path) {
                continue;
            }
            let lost = match entry.kind {
                UntrackedKind::Repository => self.lost_repository(&path)?.is_some(),
                UntrackedKind::File | UntrackedKind::Link => {
                    self.is_lost(&path)? && !self.is_saved(&path, line)
                }
            };
            if lost {
                return Some(Some(path));
            }
        }
        // Submodules have their own work.
        for submodule in self.git.submodules(repository)? {
            let inside = under.is_empty() || submodule.starts_with(under);
            let path = join(&repository.root, &submodule);
            if inside && fs::symlink_metadata(path.join(".git")).is_ok() {
                let inner = self.git.repository(&path)?;
                if let Some(lost) = self.lost_below(&inner, &inner.root.clone(), line)? {
                    return Some(Some(lost));
                }
            }
        }
        Some(None)
    }

    /// The first file of a nested repository that is not the session's own: its history counts, too.
    #[expect(clippy::option_option, reason = "unknown, or nothing")]
    fn lost_repository(&self, folder: &Path) -> Option<Option<PathBuf>> {
        let objects = folder.join(".git/objects");
        let made = self.since(&folder.join(".git/config"));
        // A clone takes objects as they are, and leaves them where they were, too.
        let came_with_it = |path: &Path| {
            let born = fs::symlink_metadata(path).ok()?.created().ok()?;
            Some(path.starts_with(&objects) && made? > DateTime::<Utc>::from(born))
        };
        walk(folder, |path| {
            self.since(path).is_none() && !came_with_it(path).unwrap_or(false)
        })
    }

    /// The first file of a folder without git that would be lost.
    #[expect(clippy::option_option, reason = "unknown, or nothing")]
    fn lost_without_git(
        &self,
        folder: &Path,
        counts: impl Fn(&Path) -> bool,
    ) -> Option<Option<PathBuf>> {
        walk(folder, |path| {
            counts(path)
                && !matches!(
                    self.content(path),
                    Content::Own(_) | Content::Rebuildable(_) | Content::Held(_)
                )
        })
    }

    /// Whether the content of one file would be gone.
    pub(super) fn is_lost(&self, path: &Path) -> Option<bool> {
        match self.weigh(path, self.content(path)) {
            Loss::Nothing(_) => Some(false),
            Loss::Part(_) | Loss::Whole(_) => Some(true),
            Loss::Unknown => None,
        }
    }

    pub(super) fn written_over(&self, path: &Path, line: &Line) -> Option<Loss> {
        if let Some(loss) = self.carried(path, line)? {
            return Some(loss);
        }
        if line.is_done_with(path) {
            return Some(Loss::Nothing(format!(
                "{}: made by the same line",
                self.shown(path)
            )));
        }
        match self.content(path) {
            Content::Folder => None,
            // What is staged stays in the index.
            content => known(self.unless_saved(path, self.weigh(path, content), line)),
        }
    }

    /// How grave the loss of a file is if the line has added it to git before.
    fn unless_saved(&self, path: &Path, loss: Loss, line: &Line) -> Loss {
        if matches!(loss, Loss::Part(_)) && self.is_saved(path, line) {
            return Loss::Nothing("the same line gave it to git".to_owned());
        }
        loss
    }

    fn is_saved(&self, path: &Path, line: &Line) -> bool {
        self.git.standing(path).is_some_and(|it| line.saves(it))
    }

    /// What goes with a path because the line has moved it there.
    #[expect(clippy::option_option, reason = "unknown, or nothing")]
    pub(super) fn carried(&self, path: &Path, line: &Line) -> Option<Option<Loss>> {
        for carried in line.carried_to(path) {
            if self.is_lost_from(carried)? {
                return Some(Some(self.lost_with(carried)));
            }
        }
        Some(None)
    }

    pub(super) fn lost_with(&self, carried: &Carried) -> Loss {
        let (from, to) = (self.shown(&carried.from), self.shown(&carried.to));
        Loss::Part(unsaved(&format!("{from}, which is moved to {to} before,")))
    }

    /// Whether something that the line has moved is gone if it is gone from its new place.
    pub(super) fn is_lost_from(&self, carried: &Carried) -> Option<bool> {
        // Of other places nothing is known.
        if !self.is_in_project(&carried.from) {
            return Some(false);
        }
        let loss = self.deleted(&carried.from, Depth::Tree, &Line::default())?;
        Some(matches!(loss, Loss::Part(_) | Loss::Whole(_)))
    }

    /// The same as [`Self::put`], where what lands on a place is itself lost to the next that does.
    fn moved(&self, landings: Vec<Landing>, line: &Line) -> Option<Loss> {
        if landings.len() < 2 {
            return self.put(landings, line);
        }
        let mut line = line.clone();
        let mut loss = Loss::Nothing("nothing is there".to_owned());
        for landing in landings {
            let next = line.clone();
            line.carry(&landing);
            loss = loss.and(self.put(vec![landing], &next)?);
        }
        Some(loss)
    }

    fn put(&self, landings: Vec<Landing>, line: &Line) -> Option<Loss> {
        let mut loss = Loss::Nothing("nothing is there".to_owned());
        for landing in landings {
            if !self.is_in_project(&landing.to) {
                // Somewhere else nothing is known of what is there.
                return if self.is_temporary(&landing.to) {
                    Some(loss)
                } else {
                    None
                };
            }
            loss = match self.content(&landing.to) {
                Content::Folder => loss.and(self.merged(&landing, line)?),
                _ => loss.and(self.written_over(&landing.to, line)?),
            };
        }
        Some(loss)
    }

    /// A folder that is put over another replaces the files that both have.
    fn merged(&self, landing: &Landing, line: &Line) -> Option<Loss> {
        let nothing = Loss::Nothing("nothing is there".to_owned());
        let Some(source) = landing.from.as_deref().filter(|it| it.is_dir()) else {
            return Some(nothing);
        };
        let there = |path: &Path| Some(landing.to.join(path.strip_prefix(source).ok()?));
        let lost = walk(source, |path| {
            let loss = there(path).and_then(|it| self.written_over(&it, line));
            !matches!(loss, Some(Loss::Nothing(_)))
        })?;
        match lost {
            Some(path) => self.written_over(&there(&path)?, line),
            None => Some(nothing),
        }
    }

    /// What is found goes to one place after another: only the last of it stays, unless the place is a folder.
    fn moved_found(&self, found: &Found, to: &Target, line: &Line) -> Option<Loss> {
        let place = Path::new(to.link.as_deref().unwrap_or(&to.path));
        if self.is_temporary(place) {
            return self.found(found, GitsOwn::IsSpared, line);
        }
        let nothing = Loss::Nothing("nothing is found that somebody would miss".to_owned());
        if place.is_dir() || to.kind != TargetKind::Exact || line.has_made_folder(place) {
            return Some(nothing);
        }
        let mut moved = 0;
        for target in found.roots() {
            for root in line.paths(target)? {
                let taken = |path: &Path| {
                    let below = path.strip_prefix(&root).ok().and_then(Path::to_str);
                    below.is_none_or(|below| found.may_take(target, below))
                };
                moved += walk_links(&root, taken)?.len();
            }
        }
        if moved < 2 {
            return Some(nothing);
        }
        self.found(found, GitsOwn::IsSpared, line)
    }

    pub(crate) fn is_temporary(&self, path: &Path) -> bool {
        self.temporary().holds(path)
    }
}

/// The first file below a folder of which that holds; unknown if there is too much to look at.
#[expect(clippy::option_option, reason = "unknown, or nothing")]
pub(super) fn walk(folder: &Path, is_lost: impl Fn(&Path) -> bool) -> Option<Option<PathBuf>> {
    let mut folders = vec![(folder.to_owned(), 0)];
    let mut seen = 0;
    while let Some((folder, depth)) = folders.pop() {
        for entry in fs::read_dir(&folder).ok()? {
            let entry = entry.ok()?;
            seen += 1;
            if seen > MAX_WALKED || depth > MAX_DEPTH {
                return None;
            }
            let path = entry.path();
            if entry.file_type().ok()?.is_dir() {
                folders.push((path, depth + 1));
            } else if is_lost(&path) {
                return Some(Some(path));
            }
        }
    }
    Some(None)
}

/// Whether a file has a text in it; one that cannot be read may.
pub(super) fn holds(path: &Path, text: &str) -> bool {
    const MOST: u64 = 4 * 1024 * 1024;
    let short = fs::symlink_metadata(path).is_ok_and(|it| it.len() <= MOST);
    let content = short.then(|| fs::read(path).ok()).flatten();
    content.is_none_or(|content| {
        let mut places = content.windows(text.len().max(1));
        places.any(|it| it == text.as_bytes())
    })
}

pub(super) fn is_in_git(path: &Path) -> bool {
    path.components().any(|it| it.as_os_str() == ".git")
}

fn known(loss: Loss) -> Option<Loss> {
    (loss != Loss::Unknown).then_some(loss)
}

/// Why the loss of a file counts.
pub(super) fn unsaved(shown: &str) -> String {
    format!("{shown} holds work that git does not have and that this session did not make")
}

/// A list of paths for people.
pub(super) fn named(paths: &[Vec<u8>]) -> String {
    let mut text = paths
        .iter()
        .take(3)
        .map(|it| show(it))
        .collect::<Vec<_>>()
        .join(", ");
    if paths.len() > 3 {
        let _ = write!(text, " and {} more", paths.len() - 3);
    }
    text
}
