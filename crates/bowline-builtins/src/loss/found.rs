//! What a search or a listing finds.

use std::collections::HashSet;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use bowline_guard::loss::{Depth, Found, Links, Lister, Loss, Untracked};

use super::Losses;
use super::content::join;
use super::files::{MAX_WALKED, holds, is_in_git, unsaved, walk};
use super::line::Line;
use crate::machine::git::IgnoredFiles;

/// Whether a search that finds git's own data takes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GitsOwn {
    Counts,
    IsSpared,
}

impl Losses<'_> {
    pub(super) fn found(&self, found: &Found, gits_own: GitsOwn, line: &Line) -> Option<Loss> {
        let mut loss = Loss::Nothing("nothing is found that somebody would miss".to_owned());
        for target in found.roots() {
            for root in line.paths(target)? {
                if !self.is_in_project(&root) {
                    return None;
                }
                let taken = |path: &Path| {
                    let below = path.strip_prefix(&root).ok().and_then(Path::to_str);
                    below.is_none_or(|below| found.may_take(target, below))
                };
                for carried in line.carried_to(&root) {
                    if taken(&carried.to) && self.is_lost_from(carried)? {
                        loss = loss.and(self.lost_with(carried));
                    }
                }
                let Ok(metadata) = fs::symlink_metadata(&root) else {
                    continue;
                };
                if !metadata.is_dir() {
                    loss = loss.and(self.deleted(&root, Depth::One, line)?);
                    continue;
                }
                // A listing of folders names what is in them.
                if found.levels() == Some(0) {
                    return None;
                }
                let is_lost = |path: &Path| {
                    !is_in_git(path)
                        && found.holding().is_none_or(|text| holds(path, text))
                        && !line.is_done_with(path)
                        && self.is_lost(path) != Some(false)
                };
                let lost = match found.links() {
                    Links::Stay => match self.listed_by_git(found.lister(), &root) {
                        Some(listed) => {
                            let mut listed = listed?.into_iter();
                            listed.find(|path| taken(path) && is_lost(path))
                        }
                        None => walk(&root, |path| taken(path) && is_lost(path))?,
                    },
                    Links::Follow => {
                        let real = walk_links(&root, taken)?;
                        let mut real = real.into_iter();
                        real.find(|path| !self.is_in_project(path) || is_lost(path))
                    }
                };
                // Git's own files are not looked at, but they are lost like others.
                let own = match gits_own {
                    _ if found.lister() != Lister::Search => None,
                    GitsOwn::Counts => walk(&root, |path| is_in_git(path) && taken(path))?,
                    GitsOwn::IsSpared => None,
                };
                let whole = root == Path::new(self.project)
                    && found.is_everything()
                    && gits_own == GitsOwn::Counts;
                let what = match (lost, own) {
                    (_, Some(path)) => format!("{} is a part of git's own data", self.shown(&path)),
                    (Some(path), None) => unsaved(&self.shown(&path)),
                    (None, None) => continue,
                };
                loss = loss.and(if whole {
                    Loss::Whole(what)
                } else {
                    Loss::Part(what)
                });
            }
        }
        Some(loss)
    }

    /// The files below a folder that git lists, as far as they may hold what is not committed; `None` within if they are unknown.
    #[expect(clippy::option_option, reason = "others list them, or unknown")]
    fn listed_by_git(&self, lister: Lister, root: &Path) -> Option<Option<Vec<PathBuf>>> {
        let untracked = match lister {
            Lister::Search | Lister::WithoutGits => return None,
            Lister::Tracked => Untracked::No,
            Lister::Visible => Untracked::Yes,
        };
        let repository = self.git.repository(root)?;
        let listed = || {
            let under = root.strip_prefix(&repository.root).ok()?;
            let under = under.as_os_str().as_bytes();
            let changes = self.git.changes(&repository, under)?.into_iter();
            let mut paths: Vec<Vec<u8>> = changes.map(|it| it.path).collect();
            if untracked == Untracked::Yes {
                let others = self.git.untracked(&repository, under, IgnoredFiles::Skip)?;
                paths.extend(others.into_iter().map(|it| it.path));
            }
            Some(paths.iter().map(|it| join(&repository.root, it)).collect())
        };
        Some(listed())
    }
}

/// All files below a folder of which that holds, also behind links to folders: where they really are.
pub(super) fn walk_links(folder: &Path, is_taken: impl Fn(&Path) -> bool) -> Option<Vec<PathBuf>> {
    let mut folders = vec![folder.to_owned()];
    let (mut found, mut seen) = (Vec::new(), 0);
    let mut been = HashSet::new();
    while let Some(folder) = folders.pop() {
        // A link that leads back to where the search has been leads nowhere new.
        let real = fs::canonicalize(&folder).ok()?;
        if !been.insert(real.clone()) {
            continue;
        }
        for entry in fs::read_dir(&folder).ok()? {
            let entry = entry.ok()?;
            seen += 1;
            if seen > MAX_WALKED {
                return None;
            }
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if is_taken(&path) {
                found.push(real.join(entry.file_name()));
            }
        }
    }
    Some(found)
}
