//! Which git repository a folder is in, whatever its path is: what a move keeps and a copy or a clone does not have.

use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use serde::{Deserialize, Serialize};

use crate::settings::files::read_text;

/// A folder of a repository: the same in all of its worktrees, and after a move.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::settings) struct RepositoryFolder {
    device: u64,
    inode: u64,
    /// When git's folder was made, in nanoseconds since 1970: numbers of files are given anew. Not every file system knows it.
    born: Option<u64>,
    /// The folder's path within the checkout.
    within: PathBuf,
}

impl RepositoryFolder {
    /// Finds it; `None` if the folder is in no repository, or in an unclear one.
    pub(in crate::settings) fn of(folder: &Path) -> Option<Self> {
        let folder = folder.canonicalize().ok()?;
        let mut above = folder.ancestors();
        let checkout = above.find(|it| it.join(".git").symlink_metadata().is_ok())?;
        let common = common_folder(checkout)?.symlink_metadata().ok()?;
        Some(Self {
            device: common.dev(),
            inode: common.ino(),
            born: born(&common),
            within: folder.strip_prefix(checkout).ok()?.to_owned(),
        })
    }

    /// Something in it.
    pub(in crate::settings) fn join(mut self, name: &str) -> Self {
        self.within.push(name);
        self
    }
}

fn born(found: &Metadata) -> Option<u64> {
    let since = found.created().ok()?.duration_since(UNIX_EPOCH).ok()?;
    u64::try_from(since.as_nanos()).ok()
}

/// Git's folder that all worktrees of a checkout share. A link to another repository's is nobody's own.
fn common_folder(checkout: &Path) -> Option<PathBuf> {
    let git = checkout.join(".git");
    let found = git.symlink_metadata().ok()?;
    if found.is_dir() {
        return Some(git);
    }
    if !found.is_file() {
        return None;
    }
    // This file is the project's own and may claim anything: only what the repository says in return counts.
    let own = checkout.join(first_line(&git)?.strip_prefix("gitdir:")?.trim());
    let own = own.canonicalize().ok()?;
    let common = own.join(first_line(&own.join("commondir"))?.trim());
    let common = common.canonicalize().ok()?;
    let is_listed = own.parent() == Some(&common.join("worktrees"));
    let back = fs::symlink_metadata(own.join(first_line(&own.join("gitdir"))?.trim())).ok()?;
    let is_linked_back = (back.dev(), back.ino()) == (found.dev(), found.ino());
    (is_listed && is_linked_back).then_some(common)
}

fn first_line(path: &Path) -> Option<String> {
    let text = read_text(path).ok()??;
    text.lines().next().map(ToOwned::to_owned)
}
