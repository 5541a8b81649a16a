//! Linked worktrees: further checkouts of a repository, often made for one task and thrown away.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use super::cache::Content;
use super::look::{Links, Look, Seen};
use super::repository::Repositories;

/// A checkout made by `git worktree add`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkedWorktree {
    /// The root of this checkout.
    pub root: PathBuf,
    /// What git calls it: the name of its folder below `.git/worktrees`.
    pub name: String,
    /// The root of the checkout that it was made from.
    pub main_checkout: PathBuf,
}

impl Repositories {
    /// The linked worktree that `folder` lies in. A `.git` file alone proves little, since anybody can write one: the
    /// main checkout must point back to the worktree, and must not lie within it, where whoever fills the worktree
    /// could forge it.
    pub(super) fn linked_worktree(&self, folder: &Path, look: &Look) -> Option<LinkedWorktree> {
        let folder = fs::canonicalize(folder).ok()?;
        let repository = self.surrounding(&folder, look)?;
        let dot_git = repository.root.join(".git");
        let Seen::File(_) = look.at(&dot_git, Links::Keep)? else {
            return None;
        };
        let own = fs::canonicalize(&repository.git_dir).ok()?;
        let worktrees = own.parent().filter(|it| is_named(it, "worktrees"))?;
        // Of a submodule it is `.git/modules/NAME`, of a bare repository any name: neither has a main checkout.
        let common = worktrees.parent().filter(|it| is_named(it, ".git"))?;
        if fs::canonicalize(&repository.common_dir).ok()? != common {
            return None;
        }
        let Content::Known(back) = self.pointer(&own.join("gitdir"), look) else {
            return None;
        };
        if fs::canonicalize(own.join(back.as_path())).ok()? != dot_git {
            return None;
        }
        let main = self.surrounding(common.parent()?, look)?;
        let is_forgeable = main.root.starts_with(&repository.root);
        (main.git_dir == common && !is_forgeable).then(|| LinkedWorktree {
            name: own
                .file_name()
                .map(|name| name.to_string_lossy().into_owned())
                .unwrap_or_default(),
            root: repository.root,
            main_checkout: main.root,
        })
    }
}

fn is_named(path: &Path, name: &str) -> bool {
    path.file_name() == Some(OsStr::new(name))
}
