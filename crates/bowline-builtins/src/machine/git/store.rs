//! All objects of a repository: in files of their own, in packs, and in the repositories that it borrows from.

use std::collections::{BTreeSet, HashMap};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use super::budget::{Budget, Text, read_file};
use super::loose;
use super::object::{Commit, Kind, Object, tag_target};
use super::object_id::{ObjectId, Prefix};
use super::pack::Pack;
use super::tree::Folder;

/// A repository with more packs is out of order.
const MAX_PACKS: usize = 64;
/// Folders of objects, of which all but one are borrowed.
const MAX_FOLDERS: usize = 16;
const MAX_ALTERNATES: usize = 64 << 10;
/// Tags of tags of tags.
const MAX_TAGS: usize = 8;
/// Objects whose names start alike, beyond which nobody can tell them apart.
const MAX_ALIKE: usize = 64;
const MAX_SHALLOW: usize = 1 << 20;

#[derive(Debug)]
pub(super) struct Store {
    folders: Vec<PathBuf>,
    /// Commits whose parents were not fetched.
    shallow: BTreeSet<ObjectId>,
    packs: OnceLock<Packs>,
    /// The pack that had the last object: its neighbours tend to be asked for next.
    last: AtomicUsize,
    known: Mutex<HashMap<ObjectId, Option<Arc<Object>>>>,
    folders_read: Mutex<HashMap<ObjectId, Arc<Folder>>>,
}

#[derive(Debug, Default)]
struct Packs {
    packs: Vec<Pack>,
    state: State,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Complete,
    /// Some pack or folder could not be read.
    Incomplete,
}

impl Store {
    /// The objects of the repository with this common folder; `None` if what it borrows from cannot be told, or it
    /// shows its objects other than they are.
    pub(super) fn open(common_dir: &Path, budget: &Budget) -> Option<Self> {
        let file = |name: &str, limit| read_file(&common_dir.join(name), limit);
        if file("info/grafts", 1) != Text::Missing {
            return None;
        }
        let shallow = file("shallow", MAX_SHALLOW).or_empty()?;
        let shallow = shallow
            .split(|byte| *byte == b'\n')
            .filter(|line| !line.is_empty());
        Some(Self {
            folders: folders(common_dir.join("objects"), budget)?,
            shallow: shallow.map(ObjectId::from_hex).collect::<Option<_>>()?,
            packs: OnceLock::new(),
            last: AtomicUsize::new(0),
            known: Mutex::default(),
            folders_read: Mutex::default(),
        })
    }

    /// An object, checked to be what its name says; `None` if it is missing, damaged or too large.
    pub(super) fn read(&self, id: ObjectId, budget: &Budget) -> Option<Arc<Object>> {
        if let Some(known) = self.lock().get(&id) {
            return known.clone();
        }
        budget.object()?;
        let object = self.find(id, budget);
        self.lock().insert(id, object.clone());
        object
    }

    /// A commit. One whose parents were not fetched has none.
    pub(super) fn commit(&self, id: ObjectId, budget: &Budget) -> Option<Commit> {
        let object = self.read(id, budget)?;
        (object.kind == Kind::Commit).then_some(())?;
        let mut commit = Commit::parse(&object.data)?;
        if self.shallow.contains(&id) {
            commit.parents.clear();
        }
        Some(commit)
    }

    /// What is left of an object when all tags around it are taken off.
    pub(super) fn peel(&self, id: ObjectId, budget: &Budget) -> Option<(ObjectId, Kind)> {
        let mut id = id;
        for _ in 0..MAX_TAGS {
            let object = self.read(id, budget)?;
            if object.kind != Kind::Tag {
                return Some((id, object.kind));
            }
            id = tag_target(&object.data)?;
        }
        None
    }

    /// The objects whose names start with `prefix`; `None` if there are too many, or some could be overlooked.
    pub(super) fn starting_with(
        &self,
        prefix: &Prefix,
        budget: &Budget,
    ) -> Option<BTreeSet<ObjectId>> {
        let packs = self.packs(budget);
        if packs.state == State::Incomplete {
            return None;
        }
        let mut found = BTreeSet::new();
        for pack in &packs.packs {
            found.extend(pack.names(prefix, MAX_ALIKE + 1, budget)?);
        }
        for folder in &self.folders {
            found.extend(loose_names(folder, prefix, budget)?);
        }
        (found.len() <= MAX_ALIKE).then_some(found)
    }

    fn find(&self, id: ObjectId, budget: &Budget) -> Option<Arc<Object>> {
        // Git knows the empty tree without having it.
        if id == ObjectId::of(Kind::Tree.name(), b"") {
            let data = Vec::new();
            let kind = Kind::Tree;
            return Some(Arc::new(Object { kind, data }));
        }
        let right = |object: &Object| ObjectId::of(object.kind.name(), &object.data) == id;
        let packs = &self.packs(budget).packs;
        let last = self.last.load(Ordering::Relaxed);
        let others = (0..packs.len()).filter(|at| *at != last);
        for at in Some(last).into_iter().chain(others) {
            let found = packs.get(at).and_then(|pack| pack.read(id, budget));
            if let Some(object) = found.filter(|object| right(object)) {
                self.last.store(at, Ordering::Relaxed);
                return Some(object);
            }
        }
        let mut folders = self.folders.iter();
        folders.find_map(|folder| {
            let object = loose::read(folder, id, budget)?;
            right(&object).then(|| Arc::new(object))
        })
    }

    fn packs(&self, budget: &Budget) -> &Packs {
        self.packs.get_or_init(|| {
            let mut found = Packs::default();
            for folder in &self.folders {
                let Some(indexes) = pack_indexes(folder, budget) else {
                    found.state = State::Incomplete;
                    continue;
                };
                for index in indexes {
                    let room = found.packs.len() < MAX_PACKS;
                    match room.then(|| Pack::open(&index, budget)).flatten() {
                        Some(pack) => found.packs.push(pack),
                        None => found.state = State::Incomplete,
                    }
                }
            }
            found
        })
    }

    /// The trees that were read.
    pub(super) fn folders(&self) -> MutexGuard<'_, HashMap<ObjectId, Arc<Folder>>> {
        self.folders_read
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<ObjectId, Option<Arc<Object>>>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A repository's folder of objects and those that it borrows from, which may borrow in turn.
fn folders(own: PathBuf, budget: &Budget) -> Option<Vec<PathBuf>> {
    let mut found = vec![own];
    let mut at = 0;
    while let Some(folder) = found.get(at).cloned() {
        at += 1;
        budget.file()?;
        let text = read_file(&folder.join("info/alternates"), MAX_ALTERNATES).or_empty()?;
        for line in text.split(|byte| *byte == b'\n') {
            if line.is_empty() || line.starts_with(b"#") {
                continue;
            }
            // Git writes a strange name in quotes.
            if line.starts_with(b"\"") {
                return None;
            }
            let other = folder.join(OsStr::from_bytes(line));
            let other = fs::canonicalize(&other).unwrap_or(other);
            if !found.contains(&other) {
                found.push(other);
            }
            if found.len() > MAX_FOLDERS {
                return None;
            }
        }
    }
    Some(found)
}

fn pack_indexes(folder: &Path, budget: &Budget) -> Option<Vec<PathBuf>> {
    let names = entries(&folder.join("pack"), budget)?;
    let indexes = names
        .into_iter()
        .map(|name| folder.join("pack").join(OsStr::from_bytes(&name)))
        .filter(|path| path.extension() == Some(OsStr::new("idx")));
    Some(indexes.collect())
}

fn loose_names(folder: &Path, prefix: &Prefix, budget: &Budget) -> Option<Vec<ObjectId>> {
    let start = format!("{:02x}", prefix.least().first()?);
    let names = entries(&folder.join(&start), budget)?;
    let found = names
        .into_iter()
        .filter_map(|name| ObjectId::from_hex(&[start.as_bytes(), &name].concat()))
        .filter(|id| prefix.begins(id.bytes()));
    Some(found.collect())
}

/// The names in a folder, sorted; none if there is no such folder.
pub(super) fn entries(folder: &Path, budget: &Budget) -> Option<Vec<Vec<u8>>> {
    let list = match fs::read_dir(folder) {
        Ok(list) => list,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Some(Vec::new()),
        Err(_) => return None,
    };
    let mut names = Vec::new();
    for entry in list {
        budget.file()?;
        names.push(entry.ok()?.file_name().as_bytes().to_vec());
    }
    names.sort();
    Some(names)
}
