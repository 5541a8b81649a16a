//! Git's index with all that it says of each file.

use sha1_smol::Sha1;

use super::GitReader;
use super::checkout::Checkout;
use super::object_id::ObjectId;
use crate::machine::cache::{Content, MemoryUse};
use crate::machine::index::{RawEntry, Sink, is_sensible, read_entries};
use crate::machine::look::{Links, Seen, Stamp};
use crate::machine::repository::Repository;

const ASSUME_UNCHANGED: u16 = 0x8000;
const SKIP_WORKTREE: u16 = 0x4000;
const INTENT_TO_ADD: u16 = 0x2000;

const TYPE: u32 = 0o170_000;
const LINK: u32 = 0o120_000;
const FILE: u32 = 0o100_000;
const SUBMODULE: u32 = 0o160_000;

/// What the index says of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct IndexEntry {
    pub(crate) id: ObjectId,
    /// As git writes it: 100644, 100755, 120000 for a link, 160000 for a submodule.
    pub(crate) mode: u32,
    pub(crate) stage: Stage,
    pub(crate) assume_unchanged: bool,
    pub(crate) skip_worktree: bool,
    pub(crate) intent_to_add: bool,
    pub(crate) stat: IndexStat,
}

/// Which side of a merge an entry comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Stage {
    /// None: there is no conflict.
    Merged,
    Base,
    Ours,
    Theirs,
}

/// The state of the file when git compared it last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct IndexStat {
    changed: (u32, u32),
    modified: (u32, u32),
    inode: u32,
    size: u32,
}

impl IndexEntry {
    pub(super) const fn is_link(&self) -> bool {
        self.mode & TYPE == LINK
    }

    pub(super) const fn is_file(&self) -> bool {
        self.mode & TYPE == FILE
    }

    pub(super) const fn is_submodule(&self) -> bool {
        self.mode & TYPE == SUBMODULE
    }

    pub(super) const fn is_executable(&self) -> bool {
        self.mode & 0o111 != 0
    }

    fn read(raw: &RawEntry<'_>) -> Option<Self> {
        let numbers: Vec<u32> = raw
            .stat
            .chunks_exact(4)
            .filter_map(|bytes| Some(u32::from_be_bytes(bytes.try_into().ok()?)))
            .collect();
        let &[
            changed,
            changed_nanos,
            modified,
            modified_nanos,
            _device,
            inode,
            mode,
            _user,
            _group,
            size,
        ] = numbers.as_slice()
        else {
            return None;
        };
        let stage = match raw.flags >> 12 & 3 {
            0 => Stage::Merged,
            1 => Stage::Base,
            2 => Stage::Ours,
            _ => Stage::Theirs,
        };
        let entry = Self {
            id: ObjectId::from_bytes(raw.id)?,
            mode,
            stage,
            assume_unchanged: raw.flags & ASSUME_UNCHANGED != 0,
            skip_worktree: raw.more_flags & SKIP_WORKTREE != 0,
            intent_to_add: raw.more_flags & INTENT_TO_ADD != 0,
            stat: IndexStat {
                changed: (changed, changed_nanos),
                modified: (modified, modified_nanos),
                inode,
                size,
            },
        };
        // Folded folders of a sparse index are not known here.
        (entry.is_file() || entry.is_link() || entry.is_submodule()).then_some(entry)
    }
}

impl IndexStat {
    /// Whether a file is as git last saw it, in an index written at `written`. A file that changed within the same
    /// moment could look alike.
    pub(super) fn is_current(&self, file: &Stamp, written: (i64, i64)) -> bool {
        let size = u32::try_from(file.size & u64::from(u32::MAX));
        let inode = u32::try_from(file.inode & u64::from(u32::MAX));
        size == Ok(self.size)
            && inode == Ok(self.inode)
            && is_same(self.modified, file.modified)
            && is_same(self.changed, file.changed)
            && is_before(self.modified, written)
    }

    /// Whether the file had another length, as far as that is known: git notes none where it is unsure.
    pub(super) fn is_other_size(&self, file: &Stamp) -> bool {
        self.size != 0 && u64::from(self.size) != file.size & u64::from(u32::MAX)
    }
}

/// Some programs write no fractions of seconds into an index.
fn is_same((seconds, nanos): (u32, u32), file: (i64, i64)) -> bool {
    let low = file.0 & i64::from(u32::MAX);
    i64::from(seconds) == low && (nanos == 0 || i64::from(nanos) == file.1)
}

fn is_before((seconds, nanos): (u32, u32), written: (i64, i64)) -> bool {
    let seconds = i64::from(seconds);
    match nanos {
        0 => seconds < written.0,
        nanos => (seconds, i64::from(nanos)) < written,
    }
}

/// What git tracks, sorted by path and then by stage.
#[derive(Debug, Default)]
pub(super) struct Entries {
    names: Vec<u8>,
    listed: Vec<(Span, IndexEntry)>,
    /// Paths that were in conflict until they were added to the index.
    resolved: Vec<Vec<u8>>,
}

#[derive(Clone, Copy, Debug)]
struct Span {
    start: u32,
    end: u32,
}

impl Entries {
    /// Reads an index; `None` if it is damaged or of a kind not known here.
    pub(super) fn parse(bytes: &[u8]) -> Option<Self> {
        let end = bytes.len().checked_sub(ObjectId::BYTES)?;
        let (body, sum) = bytes.split_at_checked(end)?;
        // A setting makes git write none.
        let is_left_out = sum.iter().all(|byte| *byte == 0);
        if !is_left_out && Sha1::from(body).digest().bytes() != sum {
            return None;
        }
        let mut entries = Self::default();
        read_entries(bytes, ObjectId::BYTES, &mut entries)?;
        Some(entries)
    }

    /// The entries of a path: none, one, or those of the sides of a conflict.
    pub(super) fn at(&self, path: &[u8]) -> Vec<IndexEntry> {
        self.from(path)
            .take_while(|(name, _)| *name == path)
            .map(|(_, entry)| *entry)
            .collect()
    }

    /// The entries at a path and below it, which is empty for all.
    pub(super) fn under(&self, path: &[u8]) -> Vec<(&[u8], &IndexEntry)> {
        if path.is_empty() {
            return self.from(b"").collect();
        }
        let below = [path, b"/"].concat();
        let itself = self.from(path).take_while(|(name, _)| *name == path);
        let inside = self
            .from(&below)
            .take_while(|(name, _)| name.starts_with(&below));
        itself.chain(inside).collect()
    }

    pub(super) fn has_below(&self, folder: &[u8]) -> bool {
        let below = [folder, b"/"].concat();
        let mut inside = self.from(&below);
        inside
            .next()
            .is_some_and(|(name, _)| name.starts_with(&below))
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &[u8]> {
        self.listed.iter().map(|(span, _)| self.name(*span))
    }

    fn from(&self, key: &[u8]) -> impl Iterator<Item = (&[u8], &IndexEntry)> {
        let start = self
            .listed
            .partition_point(|(span, _)| self.name(*span) < key);
        let rest = self.listed.get(start..).unwrap_or_default();
        rest.iter().map(|(span, entry)| (self.name(*span), entry))
    }

    fn name(&self, span: Span) -> &[u8] {
        let range = span.start as usize..span.end as usize;
        self.names.get(range).unwrap_or_default()
    }
}

impl Sink for Entries {
    fn expect(&mut self, count: usize) {
        self.listed.reserve(count);
    }

    fn add(&mut self, name: &[u8], raw: &RawEntry<'_>) -> Option<()> {
        let entry = IndexEntry::read(raw)?;
        let last = self.listed.last();
        let in_order =
            last.is_none_or(|(span, last)| (self.name(*span), last.stage) < (name, entry.stage));
        if !in_order || !is_sensible(name) || !stays_below_root(name) {
            return None;
        }
        let start = u32::try_from(self.names.len()).ok()?;
        let end = u32::try_from(self.names.len().checked_add(name.len())?).ok()?;
        self.names.extend_from_slice(name);
        self.listed.push((Span { start, end }, entry));
        Some(())
    }

    fn add_extension(&mut self, name: &[u8], content: &[u8]) {
        if name == b"REUC" {
            self.resolved = resolved(content).unwrap_or_default();
        }
    }
}

/// The paths of what git keeps to undo a resolution: each is followed by the modes of three sides, and the names of those
/// that are there.
fn resolved(mut rest: &[u8]) -> Option<Vec<Vec<u8>>> {
    let mut paths = Vec::new();
    let text = |rest: &mut &[u8]| {
        let end = rest.iter().position(|byte| *byte == 0)?;
        let (text, after) = rest.split_at_checked(end)?;
        *rest = after.get(1..)?;
        Some(text.to_vec())
    };
    while !rest.is_empty() {
        paths.push(text(&mut rest)?);
        let mut sides = 0;
        for _ in 0..3 {
            sides += usize::from(text(&mut rest)? != b"0");
        }
        rest = rest.get(sides * ObjectId::BYTES..)?;
    }
    Some(paths)
}

fn stays_below_root(name: &[u8]) -> bool {
    let mut parts = name.split(|byte| *byte == b'/');
    parts.all(|part| !matches!(part, b"" | b"." | b".." | b".git"))
}

impl MemoryUse for Entries {
    fn memory_use(&self) -> u64 {
        let entries = self.listed.capacity() * size_of::<(Span, IndexEntry)>();
        (self.names.capacity() + entries) as u64
    }
}

/// An index and the time at which it was written.
#[derive(Debug)]
pub(super) struct ReadIndex {
    pub(super) entries: std::sync::Arc<Entries>,
    pub(super) written: (i64, i64),
}

/// The paths of a merge or the like that git could not put together by itself.
#[derive(Debug)]
pub(crate) struct Conflicts {
    /// Those that are still in conflict.
    pub(crate) open: Vec<Vec<u8>>,
    /// Those that were added to the index since.
    pub(crate) resolved: Vec<Vec<u8>>,
}

impl GitReader<'_> {
    /// The conflicts that the index knows of.
    pub(crate) fn conflicts(&self, repo: &Repository) -> Option<Conflicts> {
        let checkout = self.checkout(repo)?;
        let index = self.read_index(&checkout)?;
        let entries = index.entries.from(b"");
        let mut open: Vec<Vec<u8>> = entries
            .filter(|(_, entry)| entry.stage != Stage::Merged)
            .map(|(name, _)| name.to_vec())
            .collect();
        open.dedup();
        Some(Conflicts {
            open,
            resolved: index.entries.resolved.clone(),
        })
    }

    /// What the index says of a path; the inner `None` if it does not list it. Of a conflict, one side.
    pub(crate) fn index_entry(&self, repo: &Repository, path: &[u8]) -> Option<Option<IndexEntry>> {
        let checkout = self.checkout(repo)?;
        let index = self.read_index(&checkout)?;
        Some(index.entries.at(path).first().copied())
    }

    /// The index, which a repository without any commit may lack.
    pub(super) fn read_index(&self, checkout: &Checkout) -> Option<ReadIndex> {
        let path = checkout.repository.git_dir.join("index");
        let entries = match self.files().indexes.get(&path, Links::Follow, self.look()) {
            Content::Missing => std::sync::Arc::default(),
            Content::Unknown => return None,
            Content::Known(entries) => entries,
        };
        let written = match self.look().at(&path, Links::Follow)? {
            Seen::File(stamp) => stamp.modified,
            _ => (0, 0),
        };
        Some(ReadIndex { entries, written })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_changed_in_the_same_moment_is_not_believed() {
        for (recorded, written, before) in [
            ((5, 7), (5, 8), true),
            ((5, 7), (5, 7), false),
            ((5, 7), (6, 0), true),
            ((5, 0), (5, 9), false),
            ((5, 0), (6, 0), true),
        ] {
            assert_eq!(is_before(recorded, written), before, "{recorded:?}");
        }
        assert!(is_same((5, 7), (5, 7)));
        assert!(is_same((5, 0), (5, 7)));
        assert!(!is_same((5, 7), (5, 8)));
        assert!(!is_same((5, 0), (6, 0)));
    }

    #[test]
    fn names_that_lead_out_of_the_checkout_are_refused() {
        for (name, right) in [
            ("a/b", true),
            ("a/...", true),
            (".gitignore", true),
            ("../a", false),
            ("a/./b", false),
            ("a//b", false),
            ("a/", false),
            (".git/config", false),
            ("a/.git/hooks/x", false),
        ] {
            assert_eq!(stays_below_root(name.as_bytes()), right, "{name}");
        }
    }
}
