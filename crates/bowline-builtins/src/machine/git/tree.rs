//! Trees: the folders that a commit records.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::GitReader;
use super::checkout::Checkout;
use super::object::Kind;
use super::object_id::ObjectId;
use crate::machine::repository::Repository;

/// Folders within folders.
const MAX_DEPTH: usize = 512;
/// At most this many names per question.
const MAX_PATHS: usize = 200_000;

const FOLDER: u32 = 0o040_000;
const FILE: u32 = 0o100_000;
const SUBMODULE: u32 = 0o160_000;
const TYPE: u32 = 0o170_000;

/// What a tree has under a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TreeEntry {
    /// As git writes it: 100644, 100755, 120000 for a link, 040000 for a folder, 160000 for a submodule.
    pub(crate) mode: u32,
    pub(crate) id: ObjectId,
}

impl TreeEntry {
    pub(super) const fn is_folder(&self) -> bool {
        self.mode & TYPE == FOLDER
    }

    pub(super) const fn is_submodule(&self) -> bool {
        self.mode & TYPE == SUBMODULE
    }

    /// The mode as git writes it today: it used to keep more of a file's permissions.
    pub(super) const fn canonical_mode(&self) -> u32 {
        match self.mode & TYPE {
            FILE if self.mode & 0o100 != 0 => 0o100_755,
            FILE => 0o100_644,
            kind => kind,
        }
    }
}

pub(super) type Folder = BTreeMap<Vec<u8>, TreeEntry>;

impl GitReader<'_> {
    /// What a tree has at a path; the inner `None` if it has nothing there.
    pub(crate) fn tree_entry(
        &self,
        repo: &Repository,
        tree: ObjectId,
        path: &[u8],
    ) -> Option<Option<TreeEntry>> {
        let checkout = self.checkout(repo)?;
        self.entry_in(&checkout, tree, path)
    }

    pub(super) fn entry_in(
        &self,
        checkout: &Checkout,
        tree: ObjectId,
        path: &[u8],
    ) -> Option<Option<TreeEntry>> {
        let mut entry = TreeEntry {
            mode: FOLDER,
            id: tree,
        };
        for name in path.split(|byte| *byte == b'/') {
            if !entry.is_folder() {
                return Some(None);
            }
            let folder = self.folder(checkout, entry.id)?;
            match folder.get(name) {
                Some(found) => entry = *found,
                None => return Some(None),
            }
        }
        Some(Some(entry))
    }

    /// The paths whose files, links or submodules differ between two trees, of which `None` is empty.
    pub(crate) fn changed_paths(
        &self,
        repo: &Repository,
        a: Option<ObjectId>,
        b: Option<ObjectId>,
    ) -> Option<Vec<Vec<u8>>> {
        let checkout = self.checkout(repo)?;
        let mut paths = Vec::new();
        if a != b {
            self.compare(&checkout, (a, b), b"", &mut paths)?;
        }
        paths.sort_unstable();
        paths.dedup();
        Some(paths)
    }

    fn compare(
        &self,
        checkout: &Checkout,
        (a, b): (Option<ObjectId>, Option<ObjectId>),
        path: &[u8],
        paths: &mut Vec<Vec<u8>>,
    ) -> Option<()> {
        is_sensible_depth(path).then_some(())?;
        let read = |tree: Option<ObjectId>| match tree {
            Some(tree) => self.folder(checkout, tree),
            None => Some(Arc::default()),
        };
        let (a, b) = (read(a)?, read(b)?);
        let only_b = b.keys().filter(|name| !a.contains_key(*name));
        for name in a.keys().chain(only_b) {
            let (in_a, in_b) = (a.get(name), b.get(name));
            if in_a == in_b {
                continue;
            }
            let path = below(path, name);
            let folder = |entry: Option<&TreeEntry>| {
                entry
                    .filter(|entry| entry.is_folder())
                    .map(|entry| entry.id)
            };
            let folders = (folder(in_a), folder(in_b));
            if folders != (None, None) {
                self.compare(checkout, folders, &path, paths)?;
            }
            if [in_a, in_b].into_iter().flatten().any(|it| !it.is_folder()) {
                paths.push(path);
            }
            (paths.len() <= MAX_PATHS).then_some(())?;
        }
        Some(())
    }

    /// All files, links and submodules of a tree at or below `under` (empty for all), by path.
    pub(super) fn files_in(
        &self,
        checkout: &Checkout,
        tree: ObjectId,
        under: &[u8],
    ) -> Option<Folder> {
        let mut files = Folder::new();
        let start = match under {
            b"" => Some(TreeEntry {
                mode: FOLDER,
                id: tree,
            }),
            under => self.entry_in(checkout, tree, under)?,
        };
        match start {
            Some(entry) if entry.is_folder() => {
                self.collect(checkout, entry.id, under, &mut files)?;
            }
            Some(entry) => {
                files.insert(under.to_vec(), entry);
            }
            None => {}
        }
        Some(files)
    }

    fn collect(
        &self,
        checkout: &Checkout,
        tree: ObjectId,
        path: &[u8],
        files: &mut Folder,
    ) -> Option<()> {
        is_sensible_depth(path).then_some(())?;
        for (name, entry) in self.folder(checkout, tree)?.iter() {
            let path = below(path, name);
            if entry.is_folder() {
                self.collect(checkout, entry.id, &path, files)?;
            } else {
                files.insert(path, *entry);
                (files.len() <= MAX_PATHS).then_some(())?;
            }
        }
        Some(())
    }

    fn folder(&self, checkout: &Checkout, tree: ObjectId) -> Option<Arc<Folder>> {
        if let Some(known) = checkout.store.folders().get(&tree) {
            return Some(Arc::clone(known));
        }
        let object = checkout.store.read(tree, self.budget())?;
        (object.kind == Kind::Tree).then_some(())?;
        let folder = Arc::new(parse(&object.data)?);
        checkout.store.folders().insert(tree, Arc::clone(&folder));
        Some(folder)
    }
}

fn below(folder: &[u8], name: &[u8]) -> Vec<u8> {
    match folder {
        b"" => name.to_vec(),
        folder => [folder, b"/", name].concat(),
    }
}

fn is_sensible_depth(path: &[u8]) -> bool {
    path.split(|byte| *byte == b'/').count() <= MAX_DEPTH
}

fn parse(data: &[u8]) -> Option<Folder> {
    let mut folder = Folder::new();
    let mut rest = data;
    while !rest.is_empty() {
        let space = rest.iter().position(|byte| *byte == b' ')?;
        let (mode, after) = rest.split_at_checked(space)?;
        let mode = u32::from_str_radix(std::str::from_utf8(mode).ok()?, 8).ok()?;
        let after = after.get(1..)?;
        let end = after.iter().position(|byte| *byte == 0)?;
        let (name, after) = after.split_at_checked(end)?;
        let (id, after) = after.get(1..)?.split_at_checked(ObjectId::BYTES)?;
        let entry = TreeEntry {
            mode,
            id: ObjectId::from_bytes(id)?,
        };
        let strange = name.is_empty() || name.contains(&b'/') || name == b"." || name == b"..";
        // A name that stands twice means something else to every reader.
        if strange || folder.insert(name.to_vec(), entry).is_some() {
            return None;
        }
        rest = after;
    }
    Some(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_damaged_tree_is_unknown() {
        let id = [7; 20];
        let entry = |text: &str| [text.as_bytes(), &id].concat();
        let whole = [entry("100644 a\0"), entry("40000 b\0")].concat();
        let folder = parse(&whole).unwrap();
        assert_eq!(folder.len(), 2);
        assert!(folder.get(b"b".as_slice()).unwrap().is_folder());
        for at in 1..whole.len() {
            let cut = parse(&whole[..at]);
            assert!(cut.is_none() || at == 29, "{at}");
        }
        for wrong in [
            "100644 ..\0",
            "100644 a/b\0",
            "100644 \0",
            "9 a\0",
            " a\0",
            "100644\0",
        ] {
            assert_eq!(parse(&entry(wrong)), None, "{wrong:?}");
        }
        assert_eq!(parse(&[entry("1 a\0"), entry("1 a\0")].concat()), None);
        assert_eq!(parse(b""), Some(Folder::new()));
    }
}
