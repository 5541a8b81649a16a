//! Files of a checkout that git does not track.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::sync::Arc;

use super::GitReader;
use super::checkout::{Checkout, Default as Setting};
use super::entries::Entries;
use crate::machine::ignore::{IgnoreMatch, Kind, Rules};
use crate::machine::look::{Links, Seen};
use crate::machine::repository::{Checkout as Found, Repository, verdict};

/// Folders within folders.
const MAX_DEPTH: usize = 256;

/// Whether files that git ignores are wanted too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IgnoredFiles {
    Skip,
    Include,
}

/// A file that git does not track.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct UntrackedEntry {
    pub(crate) path: Vec<u8>,
    pub(crate) ignored: Ignored,
    pub(crate) kind: UntrackedKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Ignored {
    Yes,
    No,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum UntrackedKind {
    File,
    Link,
    /// A folder that is, or claims to be, a repository of its own.
    Repository,
}

struct Walk<'a> {
    reader: &'a GitReader<'a>,
    checkout: &'a Checkout,
    entries: &'a Entries,
    /// What git tracks in lower case, where it takes no account of case.
    folded: Option<HashSet<Vec<u8>>>,
    general: Vec<Arc<Rules>>,
    /// The rules of the folders above, from the root on.
    by_folder: Vec<Arc<Rules>>,
    wanted: IgnoredFiles,
    found: Vec<UntrackedEntry>,
}

/// What a folder lists.
struct Listed {
    name: Vec<u8>,
    kind: Option<ListedKind>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ListedKind {
    Folder,
    File,
    Link,
}

impl GitReader<'_> {
    /// The files at or below `under` (empty for all) that git does not track, by path. A repository within is one
    /// entry. Folders that git ignores are looked into only if ignored files are wanted.
    pub(crate) fn untracked(
        &self,
        repo: &Repository,
        under: &[u8],
        ignored: IgnoredFiles,
    ) -> Option<Vec<UntrackedEntry>> {
        let checkout = self.checkout(repo)?;
        let index = self.read_index(&checkout)?;
        let ignores_case = checkout.settings.core("ignorecase", Setting::Off)?;
        let folded = ignores_case.then(|| {
            let names = index.entries.names();
            names.map(<[u8]>::to_ascii_lowercase).collect()
        });
        let mut walk = Walk {
            reader: self,
            checkout: &checkout,
            entries: &index.entries,
            folded,
            general: self.general_rules(&checkout)?,
            by_folder: Vec::new(),
            wanted: ignored,
            found: Vec::new(),
        };
        walk.start(under)?;
        walk.found.sort();
        Some(walk.found)
    }

    /// The rules that hold in a whole repository.
    pub(super) fn general_rules(&self, checkout: &Checkout) -> Option<Vec<Arc<Rules>>> {
        let of_user = self.user_file(checkout, "excludesfile", ".config/git/ignore")?;
        let repositories = &self.machine.repositories;
        repositories.general_rules(&checkout.repository, of_user.as_deref(), self.look())
    }
}

impl Walk<'_> {
    /// Goes from the root down to where the question begins.
    fn start(&mut self, under: &[u8]) -> Option<()> {
        if under.is_empty() {
            return self.folder(b"", Ignored::No);
        }
        let names: Vec<&[u8]> = under.split(|byte| *byte == b'/').collect();
        let strange = |name: &&[u8]| matches!(*name, b"" | b"." | b".." | b".git");
        if names.iter().any(strange) {
            return None;
        }
        let mut ignored = Ignored::No;
        for depth in 1..=names.len() {
            let above = names.get(..depth - 1)?.join(&b'/');
            self.read_rules(&above)?;
            let path = names.get(..depth)?.join(&b'/');
            let kind = match self.reader.look().at(&self.full(&path), Links::Keep)? {
                Seen::Folder => ListedKind::Folder,
                Seen::File(_) => ListedKind::File,
                Seen::Link => ListedKind::Link,
                Seen::Missing | Seen::Other => return Some(()),
            };
            if depth == names.len() {
                return self.entry(&path, kind, ignored);
            }
            // Beyond a link or in a repository within, other rules hold.
            let is_own = kind == ListedKind::Folder && !self.is_repository(&path)?;
            is_own.then_some(())?;
            ignored = self.judge(&path, Kind::Folder, ignored);
        }
        Some(())
    }

    /// Looks at all that a folder lists.
    fn folder(&mut self, path: &[u8], ignored: Ignored) -> Option<()> {
        if path.split(|byte| *byte == b'/').count() > MAX_DEPTH {
            return None;
        }
        let listed = self.list(path)?;
        self.read_rules(path)?;
        for Listed { name, kind } in listed {
            // Git passes over pipes, sockets and devices.
            let (Some(kind), false) = (kind, name == b".git") else {
                continue;
            };
            let path = match path {
                b"" => name,
                path => [path, b"/", name.as_slice()].concat(),
            };
            self.entry(&path, kind, ignored)?;
        }
        self.by_folder.pop();
        Some(())
    }

    fn entry(&mut self, path: &[u8], kind: ListedKind, above: Ignored) -> Option<()> {
        let (kind, told) = match kind {
            ListedKind::Folder => (Kind::Folder, UntrackedKind::Repository),
            ListedKind::File => (Kind::NoFolder, UntrackedKind::File),
            ListedKind::Link => (Kind::NoFolder, UntrackedKind::Link),
        };
        let listed = self.entries.at(path);
        if kind == Kind::NoFolder && !listed.is_empty() {
            return Some(());
        }
        let ignored = self.judge(path, kind, above);
        let is_wanted = ignored == Ignored::No || self.wanted == IgnoredFiles::Include;
        if !is_wanted {
            return Some(());
        }
        if kind == Kind::Folder {
            let is_repository = self.is_repository(path)?;
            if is_repository && listed.iter().any(super::IndexEntry::is_submodule) {
                return Some(());
            }
            if !is_repository || self.entries.has_below(path) {
                return self.folder(path, ignored);
            }
        } else if let Some(folded) = &self.folded
            && folded.contains(&path.to_ascii_lowercase())
        {
            return None;
        }
        self.found.push(UntrackedEntry {
            path: path.to_vec(),
            ignored,
            kind: told,
        });
        Some(())
    }

    /// What lies in an ignored folder cannot be taken in again.
    fn judge(&self, path: &[u8], kind: Kind, above: Ignored) -> Ignored {
        let names: Vec<&[u8]> = path.split(|byte| *byte == b'/').collect();
        let by_rules = || verdict(&self.by_folder, &self.general, &names, kind);
        if above == Ignored::Yes || by_rules() == Some(IgnoreMatch::Ignored) {
            Ignored::Yes
        } else {
            Ignored::No
        }
    }

    fn read_rules(&mut self, folder: &[u8]) -> Option<()> {
        let path = self.full(folder).join(".gitignore");
        let repositories = &self.reader.machine.repositories;
        let rules = repositories.rules_at(&path, Links::Keep, self.reader.look())?;
        self.by_folder.push(rules);
        Some(())
    }

    fn is_repository(&self, folder: &[u8]) -> Option<bool> {
        let repositories = &self.reader.machine.repositories;
        match repositories.checkout_at(&self.full(folder), self.reader.look()) {
            Found::None => Some(false),
            Found::Of(_) => Some(true),
            // It claims to be one, such as a worktree that was forgotten.
            Found::Unknown => (!self.reader.look().is_exhausted()).then_some(true),
        }
    }

    fn list(&self, folder: &[u8]) -> Option<Vec<Listed>> {
        let mut listed = Vec::new();
        for entry in fs::read_dir(self.full(folder)).ok()? {
            self.reader.look().spend()?;
            let entry = entry.ok()?;
            let kind = entry.file_type().ok()?;
            let kind = if kind.is_dir() {
                Some(ListedKind::Folder)
            } else if kind.is_file() {
                Some(ListedKind::File)
            } else if kind.is_symlink() {
                Some(ListedKind::Link)
            } else {
                None
            };
            listed.push(Listed {
                name: entry.file_name().as_bytes().to_vec(),
                kind,
            });
        }
        Some(listed)
    }

    fn full(&self, path: &[u8]) -> PathBuf {
        self.checkout.repository.root.join(OsStr::from_bytes(path))
    }
}
