//! One name for everything that a checkout holds.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use super::GitReader;
use super::content::Worktree;
use super::entries::{ReadIndex, Stage};
use super::object_id::ObjectId;
use super::untracked::{IgnoredFiles, UntrackedKind};
use crate::machine::git::checkout::Checkout;
use crate::machine::look::{Links, Seen};
use crate::machine::repository::Repository;

/// What a path holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Held {
    id: ObjectId,
    kind: HeldKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum HeldKind {
    File,
    Program,
    Link,
    Submodule,
}

impl HeldKind {
    const fn letter(self) -> u8 {
        match self {
            Self::File => b'f',
            Self::Program => b'x',
            Self::Link => b'l',
            Self::Submodule => b's',
        }
    }
}

impl GitReader<'_> {
    /// A name for all tracked files and for those untracked ones that `counts`. It is the same for the same content, whether that is
    /// committed or not. What git ignores does not count.
    pub(crate) fn snapshot(
        &self,
        repo: &Repository,
        counts: impl Fn(&[u8]) -> bool,
    ) -> Option<ObjectId> {
        let checkout = self.checkout(repo)?;
        let index = self.read_index(&checkout)?;
        let mut all: BTreeMap<Vec<u8>, Held> = BTreeMap::new();
        let listed = index.entries.under(b"");
        for sides in listed.chunk_by(|(a, _), (b, _)| a == b) {
            let Some((name, _)) = sides.first() else {
                continue;
            };
            if let Some(held) = self.held(&checkout, &index, name, sides)? {
                all.insert(name.to_vec(), held);
            }
        }
        for entry in self.untracked(repo, b"", IgnoredFiles::Skip)? {
            if !counts(&entry.path) {
                continue;
            }
            // What a repository within holds is its own business, and unknown here.
            if entry.kind == UntrackedKind::Repository {
                return None;
            }
            let held = self.held_at(&checkout, &entry.path)??;
            all.insert(entry.path, held);
        }
        let mut text = Vec::new();
        for (path, held) in all {
            text.extend_from_slice(&path);
            text.extend_from_slice(&[0, held.kind.letter()]);
            text.extend_from_slice(held.id.bytes());
        }
        Some(ObjectId::of("snapshot", &text))
    }

    /// What a tracked path holds; the inner `None` if it is gone.
    fn held(
        &self,
        checkout: &Checkout,
        index: &ReadIndex,
        name: &[u8],
        sides: &[(&[u8], &super::IndexEntry)],
    ) -> Option<Option<Held>> {
        let [(_, entry)] = sides else {
            return self.held_at(checkout, name);
        };
        if entry.is_submodule() {
            let (id, kind) = (entry.id, HeldKind::Submodule);
            return Some(Some(Held { id, kind }));
        }
        if entry.stage != Stage::Merged {
            return self.held_at(checkout, name);
        }
        let kind = if entry.is_link() {
            HeldKind::Link
        } else if entry.is_executable() {
            HeldKind::Program
        } else {
            HeldKind::File
        };
        let id = entry.id;
        match self.compare_with_index(checkout, index, name, entry)? {
            Worktree::Unchanged => Some(Some(Held { id, kind })),
            Worktree::Deleted if entry.skip_worktree => Some(Some(Held { id, kind })),
            Worktree::Deleted => Some(None),
            Worktree::Modified | Worktree::TypeChanged => self.held_at(checkout, name),
        }
    }

    /// What is at a path of the checkout now.
    fn held_at(&self, checkout: &Checkout, name: &[u8]) -> Option<Option<Held>> {
        let path = checkout.repository.root.join(OsStr::from_bytes(name));
        let seen = self.look().at(&path, Links::Keep)?;
        let kind = match seen {
            Seen::Missing => return Some(None),
            Seen::Link => HeldKind::Link,
            Seen::File(stamp) if stamp.mode & 0o100 != 0 => HeldKind::Program,
            Seen::File(_) => HeldKind::File,
            Seen::Folder | Seen::Other => return None,
        };
        let id = self.raw(&path, seen)?.id;
        Some(Some(Held { id, kind }))
    }
}
