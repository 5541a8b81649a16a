//! Git repositories, read from git's own files: which commits there are, what holds them, and what a checkout has
//! that git has not.
//!
//! Git itself is never started. Every answer is either what git would say or unknown (`None`): what is damaged, kept
//! in a way not known here, or beyond what one judgement may read. Objects are checked against their names.

#![expect(clippy::option_option, reason = "unknown is not the same as none")]

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

mod attributes;
mod budget;
mod checkout;
mod config;
mod content;
mod delta;
mod entries;
mod files;
mod held;
mod loose;
mod object;
mod object_id;
mod pack;
mod rebase;
mod ref_name;
mod refs;
mod revision;
mod snapshot;
mod status;
mod store;
mod tracked;
mod tree;
mod untracked;
mod walk;

#[cfg(test)]
mod tests;

use self::budget::Budget;
pub(super) use self::budget::{open, read_open};
use self::checkout::Checkout;
use self::content::Raw;
pub(crate) use self::content::Worktree;
pub(crate) use self::entries::{IndexEntry, Stage};
pub(super) use self::files::GitFiles;
#[cfg(test)]
pub(crate) use self::object::Commit;
pub(crate) use self::object_id::ObjectId;
#[cfg(test)]
pub(crate) use self::refs::Head;
#[cfg(test)]
pub(crate) use self::status::Changed;
pub(crate) use self::status::{Staged, Standing};
#[cfg(test)]
pub(crate) use self::tree::TreeEntry;
#[cfg(test)]
pub(crate) use self::untracked::UntrackedEntry;
pub(crate) use self::untracked::{Ignored, IgnoredFiles, UntrackedKind};
use super::Machine;
use super::look::Look;
pub(crate) use super::repository::Repository;
use super::repository::is_plain;

/// Looks at files that one judgement may take to learn about repositories.
const LOOK_UPS: usize = 50_000;

/// Reads the repositories of a machine for one judgement.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GitReader<'a> {
    machine: &'a Machine,
    state: &'a GitState,
}

/// What one judgement has read so far, and what it may still read.
#[derive(Debug)]
pub(super) struct GitState {
    look: Look,
    budget: Budget,
    checkouts: Mutex<HashMap<PathBuf, Option<Arc<Checkout>>>>,
    /// What files in checkouts hold.
    contents: Mutex<HashMap<PathBuf, Option<Raw>>>,
}

impl Default for GitState {
    fn default() -> Self {
        Self {
            look: Look::new(LOOK_UPS),
            budget: Budget::default(),
            checkouts: Mutex::default(),
            contents: Mutex::default(),
        }
    }
}

impl GitState {
    fn checkouts(&self) -> MutexGuard<'_, HashMap<PathBuf, Option<Arc<Checkout>>>> {
        self.checkouts
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn contents(&self) -> MutexGuard<'_, HashMap<PathBuf, Option<Raw>>> {
        self.contents.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<'a> GitReader<'a> {
    pub(super) const fn new(machine: &'a Machine, state: &'a GitState) -> Self {
        Self { machine, state }
    }

    /// The checkout that a folder lies in, if it is kept in a way known here.
    pub(crate) fn repository(&self, folder: &Path) -> Option<Repository> {
        let repositories = &self.machine.repositories;
        let repository = is_plain(folder)
            .then(|| repositories.surrounding(folder, self.look()))
            .flatten()?;
        self.checkout(&repository)?;
        Some(repository)
    }

    const fn look(&self) -> &Look {
        &self.state.look
    }

    const fn budget(&self) -> &Budget {
        &self.state.budget
    }

    const fn files(&self) -> &GitFiles {
        &self.machine.git_files
    }
}
