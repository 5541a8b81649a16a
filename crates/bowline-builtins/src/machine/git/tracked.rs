//! What git tracks below a folder, and where submodules lie.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;

use super::checkout::Checkout;
use super::content::Worktree;
use super::entries::{IndexEntry, ReadIndex};
use super::object_id::ObjectId;
use super::refs::distinct;
use super::{GitReader, Repository};
use crate::machine::look::Stamp;

/// The mode of a submodule.
const SUBMODULE: u32 = 0o160_000;

impl GitReader<'_> {
    /// Whether git tracks something at or below a path of a checkout.
    pub(crate) fn tracks_below(&self, repo: &Repository, under: &[u8]) -> Option<bool> {
        let checkout = self.checkout(repo)?;
        let index = self.read_index(&checkout)?;
        Some(!index.entries.under(under).is_empty())
    }

    /// The paths of a checkout's submodules.
    pub(crate) fn submodules(&self, repo: &Repository) -> Option<Vec<Vec<u8>>> {
        let checkout = self.checkout(repo)?;
        let index = self.read_index(&checkout)?;
        let listed = index.entries.under(b"");
        let modules = listed.iter().filter(|(_, entry)| entry.mode == SUBMODULE);
        Some(modules.map(|(name, _)| name.to_vec()).collect())
    }

    /// The tracked paths of a checkout, of those that are wanted, that do not hold what the index says, or of which nobody can
    /// tell; `None` if more than `most` are wanted.
    pub(crate) fn unsettled(
        &self,
        repo: &Repository,
        most: usize,
        wanted: impl Fn(&[u8]) -> bool,
    ) -> Option<Vec<Vec<u8>>> {
        let checkout = self.checkout(repo)?;
        let index = self.read_index(&checkout)?;
        let listed = index.entries.under(b"");
        let all = || listed.iter().filter(|(name, _)| wanted(name));
        if all().take(most + 1).count() > most {
            return None;
        }
        let mut unsettled = Vec::new();
        let mut folders = Folders::default();
        for (name, entry) in all() {
            if folders.are_there(self, &checkout, name)
                && is_as_noted(&checkout, &index, (name, entry))
            {
                continue;
            }
            let compared = self.compare_with_index(&checkout, &index, name, entry);
            if compared != Some(Worktree::Unchanged) {
                unsettled.push(name.to_vec());
            }
        }
        Some(unsettled)
    }

    /// Whether a branch, tag or head has exactly this content at this path; stashes do not count.
    pub(crate) fn held_in_branch(
        &self,
        repo: &Repository,
        path: &[u8],
        blob: ObjectId,
    ) -> Option<bool> {
        let checkout = self.checkout(repo)?;
        let refs = self.refs(repo)?.into_iter();
        let branches = refs
            .filter(|(name, _)| name != "refs/stash")
            .map(|(_, id)| id);
        let mut is_certain = true;
        for commit in distinct(branches) {
            match self.has_at_path(&checkout, commit, path, blob) {
                Some(true) => return Some(true),
                Some(false) => {}
                None => is_certain = false,
            }
        }
        is_certain.then_some(false)
    }
}

/// The folder of the tracked file before: one after another lies in the same.
#[derive(Default)]
struct Folders<'i> {
    last: Option<&'i [u8]>,
}

impl<'i> Folders<'i> {
    /// Whether the folders around a tracked file are folders, and no links.
    fn are_there(&mut self, git: &GitReader<'_>, checkout: &Checkout, name: &'i [u8]) -> bool {
        let end = name.iter().rposition(|it| *it == b'/').unwrap_or(0);
        let folder = name.get(..end).unwrap_or_default();
        if self.last != Some(folder) {
            let there = git.is_cut_off(checkout, name) == Some(false);
            self.last = there.then_some(folder);
        }
        self.last.is_some()
    }
}

/// Whether a file is just as git's index noted it, at one glance. There are many of them, and each is looked at once.
fn is_as_noted(
    checkout: &Checkout,
    index: &ReadIndex,
    (name, entry): (&[u8], &IndexEntry),
) -> bool {
    let path = checkout.repository.root.join(OsStr::from_bytes(name));
    let Ok(metadata) = fs::symlink_metadata(path) else {
        return false;
    };
    let stamp = Stamp::of(&metadata);
    metadata.is_file()
        && entry.is_file()
        && !entry.intent_to_add
        && entry.is_executable() == (stamp.mode & 0o100 != 0)
        && entry.stat.is_current(&stamp, index.written)
}
