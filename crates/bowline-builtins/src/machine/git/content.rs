//! What files in a checkout hold, compared with what git has.

use std::ffi::OsStr;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;

use super::GitReader;
use super::attributes::Conversion;
use super::budget::{open, read_open};
use super::checkout::{Checkout, Default as Setting};
use super::entries::{IndexEntry, ReadIndex};
use super::object_id::ObjectId;
use crate::machine::look::{Links, Seen, Stamp};

/// A larger file is not read.
const MAX_FILE: usize = 8 << 20;

/// A file's content as git would name it if nothing were converted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Raw {
    pub(super) id: ObjectId,
    /// Whether there is anything to convert.
    has_crlf: bool,
}

/// How a file in the checkout stands to the index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Worktree {
    Unchanged,
    Modified,
    Deleted,
    /// A link where a file was, or the like.
    TypeChanged,
}

impl GitReader<'_> {
    /// What git would name the content of a file, or the target of a link. Unknown if git might convert it first,
    /// unless the index has it as it is.
    pub(crate) fn blob_id(&self, path: &Path) -> Option<ObjectId> {
        let place = self.machine.repositories.place(path, self.look())?;
        let seen = self.look().at(path, Links::Keep)?;
        let raw = self.raw(path, seen)?;
        let Some(place) = place else {
            return Some(raw.id);
        };
        let checkout = self.checkout(&place.repository)?;
        let name = place.names.join(&b'/');
        let listed = self.read_index(&checkout)?.entries.at(&name);
        if seen == Seen::Link || listed.iter().any(|entry| entry.id == raw.id) {
            return Some(raw.id);
        }
        let conversion = self.conversion(&checkout, &name)?;
        (!raw.may_change(conversion)).then_some(raw.id)
    }

    /// How the file at a path of the checkout stands to what the index says of it.
    pub(super) fn compare_with_index(
        &self,
        checkout: &Checkout,
        index: &ReadIndex,
        name: &[u8],
        entry: &IndexEntry,
    ) -> Option<Worktree> {
        if self.is_cut_off(checkout, name)? {
            return Some(Worktree::Deleted);
        }
        let path = checkout.repository.root.join(OsStr::from_bytes(name));
        match self.look().at(&path, Links::Keep)? {
            Seen::Missing | Seen::Folder => Some(Worktree::Deleted),
            // Git has nothing of it yet.
            _ if entry.intent_to_add => Some(Worktree::Modified),
            Seen::Other => Some(Worktree::TypeChanged),
            Seen::Link if !entry.is_link() => Some(Worktree::TypeChanged),
            Seen::Link => {
                let raw = self.raw(&path, Seen::Link)?;
                Some(unless(raw.id == entry.id))
            }
            Seen::File(_) if !entry.is_file() => {
                // Where links are switched off, git writes them as files.
                let links = checkout.settings.core("symlinks", Setting::On)?;
                links.then_some(Worktree::TypeChanged)
            }
            Seen::File(stamp) => {
                let is_executable = stamp.mode & 0o100 != 0;
                if is_executable != entry.is_executable()
                    && checkout.settings.core("filemode", Setting::On)?
                {
                    return Some(Worktree::Modified);
                }
                if entry.stat.is_current(&stamp, index.written) {
                    return Some(Worktree::Unchanged);
                }
                self.compare_content(checkout, &path, name, entry, stamp)
            }
        }
    }

    fn compare_content(
        &self,
        checkout: &Checkout,
        path: &Path,
        name: &[u8],
        entry: &IndexEntry,
        stamp: Stamp,
    ) -> Option<Worktree> {
        if is_too_large(stamp) {
            let conversion = self.conversion(checkout, name)?;
            let known = conversion == Conversion::default() && entry.stat.is_other_size(&stamp);
            return known.then_some(Worktree::Modified);
        }
        let raw = self.raw(path, Seen::File(stamp))?;
        if raw.id == entry.id {
            return Some(Worktree::Unchanged);
        }
        let conversion = self.conversion(checkout, name)?;
        (!raw.may_change(conversion)).then_some(Worktree::Modified)
    }

    /// Whether a folder above the path has given way to a link or a file, so that what git tracks is not there.
    pub(super) fn is_cut_off(&self, checkout: &Checkout, name: &[u8]) -> Option<bool> {
        let slashes = name.iter().enumerate().filter(|(_, byte)| **byte == b'/');
        for (at, _) in slashes {
            let folder = OsStr::from_bytes(name.get(..at)?);
            let folder = checkout.repository.root.join(folder);
            if self.look().at(&folder, Links::Keep)? != Seen::Folder {
                return Some(true);
            }
        }
        Some(false)
    }

    /// Reads what a path holds, once.
    pub(super) fn raw(&self, path: &Path, seen: Seen) -> Option<Raw> {
        if let Some(known) = self.state.contents().get(path) {
            return *known;
        }
        let raw = match seen {
            Seen::Link => self.link_text(path),
            Seen::File(stamp) if !is_too_large(stamp) => self.file_text(path, stamp),
            _ => None,
        };
        let raw = raw.map(|text| Raw {
            id: ObjectId::of("blob", &text),
            has_crlf: text.windows(2).any(|pair| pair == b"\r\n"),
        });
        self.state.contents().insert(path.to_owned(), raw);
        raw
    }

    fn link_text(&self, path: &Path) -> Option<Vec<u8>> {
        let target = self.look().link_target(path)?;
        Some(target.into_os_string().into_vec())
    }

    fn file_text(&self, path: &Path, stamp: Stamp) -> Option<Vec<u8>> {
        self.budget().hashed(usize::try_from(stamp.size).ok()?)?;
        let file = open(path, Links::Keep).ok()?;
        let text = read_open(&file, MAX_FILE)?;
        // If it is being written, there is no telling what it holds.
        let now = Stamp::of(&file.metadata().ok()?);
        (now == stamp).then_some(text)
    }
}

impl Raw {
    /// Whether git might make something else of the content.
    const fn may_change(self, conversion: Conversion) -> bool {
        conversion.other || (conversion.lines && self.has_crlf)
    }
}

fn is_too_large(stamp: Stamp) -> bool {
    usize::try_from(stamp.size).is_ok_and(|size| size > MAX_FILE)
}

const fn unless(same: bool) -> Worktree {
    if same {
        Worktree::Unchanged
    } else {
        Worktree::Modified
    }
}
