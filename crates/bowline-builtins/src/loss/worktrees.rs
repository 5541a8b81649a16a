//! Further work trees of a repository.

use std::fs;
use std::path::{Path, PathBuf};

use bowline_guard::loss::{IndexToo, Loss};
use bowline_guard::paths::{glob, rebuildable_by_name};

use super::Losses;
use super::content::{is_product, join};
use super::expand;
use super::git_line::GitLine;
use super::line::Line;
use super::pathspec::{Pathspecs, normal};
use super::repository::{Extent, uncommitted};
use crate::machine::git::{self, IgnoredFiles, Repository};

/// More work trees than this are not looked at.
const MAX_WORKTREES: usize = 1_000;

impl Losses<'_> {
    /// Whether the session has made a further work tree of the project's repository, and here it is.
    pub(super) fn is_own_worktree(&self, folder: &Path) -> bool {
        let own = || {
            self.since(&folder.join(".git"))?;
            let repository = self.git.repository(folder)?;
            let main = self.git.repository(Path::new(self.project))?;
            let further = repository.root == folder && repository.root != main.root;
            let shared = |it: &Repository| fs::canonicalize(&it.common_dir).ok();
            Some(further && shared(&repository)? == shared(&main)?)
        };
        own().unwrap_or(false)
    }

    /// Whether the session has made a repository of its own where nothing lasts.
    pub(super) fn is_own_scratch(&self, repository: &Repository) -> bool {
        self.is_temporary(&repository.root)
            && self.since(&repository.git_dir.join("config")).is_some()
    }

    /// What goes with a work tree, or with all that a pattern names.
    pub(super) fn removed_worktrees(
        &self,
        repository: &Repository,
        named: &Path,
        files: &Line,
    ) -> Option<Loss> {
        let named = normal(named)?;
        if files.has_made(&named) {
            return self.removed_worktree(&named, files);
        }
        let mut loss = Loss::Nothing("there is no such work tree".to_owned());
        for folder in worktrees_named(repository, &named)? {
            loss = loss.and(self.removed_worktree(&folder, files)?);
        }
        Some(loss)
    }

    pub(super) fn removed_worktree(&self, folder: &Path, files: &Line) -> Option<Loss> {
        if let Some(loss) = self.carried(folder, files)? {
            return Some(loss);
        }
        if files.has_made(folder) {
            return Some(Loss::Nothing("the same line made the work tree".to_owned()));
        }
        if fs::symlink_metadata(folder).is_err() {
            return Some(Loss::Nothing("there is no such work tree".to_owned()));
        }
        let repository = self.git.repository(folder)?;
        if repository.root != folder {
            return None;
        }
        let mut lost = self.loose(&repository, &Pathspecs::everything(), IndexToo::Yes, files)?;
        for entry in self
            .git
            .untracked(&repository, b"", IgnoredFiles::Include)?
        {
            let file = join(&repository.root, &entry.path);
            let below = String::from_utf8_lossy(&entry.path);
            let ignored = entry.ignored == git::Ignored::Yes;
            let rebuilt = rebuildable_by_name(&below) || (ignored && is_product(&file, &below));
            if !rebuilt && self.is_lost(&file)? {
                lost.push(entry.path);
            }
        }
        let mut loss = uncommitted(&lost, Extent::Whole);
        let head = self.git.head(&repository)?;
        if let (None, Some(commit)) = (&head.branch, head.commit) {
            let line = GitLine::default();
            let own = repository.git_dir.file_name()?.to_str()?;
            let name = format!("worktrees/{own}/HEAD");
            loss = loss.and(self.unheld(
                &repository,
                commit,
                &["HEAD", &name],
                &[],
                &line,
                Extent::Whole,
            )?);
        }
        Some(loss)
    }
}

/// The work trees that git takes a path for; `None` if that is unknown.
pub(super) fn worktrees_named(repository: &Repository, named: &Path) -> Option<Vec<PathBuf>> {
    let text = named.to_str()?;
    if text.contains(['…', '$', '~', '`']) {
        return None;
    }
    if fs::symlink_metadata(named).is_ok() {
        return Some(vec![named.to_owned()]);
    }
    if glob::has_wildcard(text) {
        let mut matching = expand::matching(text)?;
        // Git refuses what is no work tree.
        matching.retain(|it| it.join(".git").is_file());
        return Some(matching);
    }
    // The end of its path is name enough.
    let name = named.file_name()?;
    let mut known = known_worktrees(repository)?;
    known.retain(|it| it.file_name() == Some(name));
    Some(known)
}

/// Where the further work trees of a repository are, as git has noted it.
fn known_worktrees(repository: &Repository) -> Option<Vec<PathBuf>> {
    let Ok(noted) = fs::read_dir(repository.common_dir.join("worktrees")) else {
        return Some(Vec::new());
    };
    let mut known = Vec::new();
    for entry in noted.take(MAX_WORKTREES) {
        let link = fs::read_to_string(entry.ok()?.path().join("gitdir")).ok()?;
        known.extend(Path::new(link.trim_end()).parent().map(Path::to_owned));
    }
    Some(known)
}
