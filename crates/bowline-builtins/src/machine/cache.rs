//! Small files that are read again only when they have changed.

use std::collections::HashMap;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use rustix::fs::{Mode, OFlags};

use super::look::{Links, Look, Seen, Stamp};

/// What a file turned out to hold.
#[derive(Debug)]
pub(super) enum Content<T> {
    /// There is no such file.
    Missing,
    /// It cannot be read, is too large, or makes no sense.
    Unknown,
    Known(Arc<T>),
}

/// What a parsed file takes in memory, about: a small file may stand for much.
pub(super) trait MemoryUse {
    fn memory_use(&self) -> u64;
}

/// How much a cache may hold.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// A larger file is not read.
    pub(super) file_bytes: u64,
    pub(super) files: usize,
    /// Of all files together, as they are held.
    pub(super) total_bytes: u64,
}

/// Files by path, each in the form that `parse` gave it.
#[derive(Debug)]
pub(super) struct FileCache<T> {
    limits: Limits,
    parse: fn(&[u8]) -> Option<T>,
    held: RwLock<HashMap<PathBuf, Held<T>>>,
    /// Counts uses, to know the file that was not needed for longest.
    uses: AtomicU64,
}

#[derive(Debug)]
struct Held<T> {
    stamp: Stamp,
    weight: u64,
    value: Option<Arc<T>>,
    last_use: AtomicU64,
}

impl<T: MemoryUse> FileCache<T> {
    pub(super) fn new(limits: Limits, parse: fn(&[u8]) -> Option<T>) -> Self {
        Self {
            limits,
            parse,
            held: RwLock::default(),
            uses: AtomicU64::new(0),
        }
    }

    /// The file at `path`, at the price of one look if it has not changed.
    pub(super) fn get(&self, path: &Path, links: Links, look: &Look) -> Content<T> {
        let value = match look.at(path, links) {
            // Git does not follow a link either where links are to be kept.
            Some(Seen::Missing | Seen::Link | Seen::Folder) => return Content::Missing,
            None | Some(Seen::Other) => None,
            Some(Seen::File(stamp)) => match self.recall(path, stamp) {
                Some(value) => value,
                None => look.spend().and_then(|()| self.load(path, links)),
            },
        };
        value.map_or(Content::Unknown, Content::Known)
    }

    #[expect(clippy::option_option, reason = "not held, or held as unreadable")]
    fn recall(&self, path: &Path, stamp: Stamp) -> Option<Option<Arc<T>>> {
        let held = self.held.read().unwrap_or_else(PoisonError::into_inner);
        let entry = held.get(path).filter(|entry| entry.stamp == stamp)?;
        entry.last_use.store(self.tick(), Ordering::Relaxed);
        Some(entry.value.clone())
    }

    /// Reads and keeps a file. No lock is held meanwhile: at worst two threads read the same.
    fn load(&self, path: &Path, links: Links) -> Option<Arc<T>> {
        let (stamp, text) = self.read(path, links)?;
        let value = text.and_then(|text| (self.parse)(&text)).map(Arc::new);
        let entry = Held {
            stamp,
            weight: value.as_ref().map_or(0, |value| value.memory_use()),
            value: value.clone(),
            last_use: self.tick().into(),
        };
        let mut held = self.held.write().unwrap_or_else(PoisonError::into_inner);
        held.insert(path.to_owned(), entry);
        self.evict(&mut held);
        value
    }

    /// The state of the file that was opened, and what it holds unless that is too much.
    fn read(&self, path: &Path, links: Links) -> Option<(Stamp, Option<Vec<u8>>)> {
        // Opening a pipe that has taken the file's place must not wait for its other end.
        let mut flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        if links == Links::Keep {
            flags |= OFlags::NOFOLLOW;
        }
        let file = File::from(rustix::fs::open(path, flags, Mode::empty()).ok()?);
        let metadata = file.metadata().ok().filter(std::fs::Metadata::is_file)?;
        let stamp = Stamp::of(&metadata);
        let mut text = Vec::new();
        // It may grow while it is read, so one byte more than allowed is asked for.
        let read = file
            .take(self.limits.file_bytes.saturating_add(1))
            .read_to_end(&mut text)
            .ok()?;
        let fits = read as u64 <= self.limits.file_bytes;
        Some((stamp, fits.then_some(text)))
    }

    fn evict(&self, held: &mut HashMap<PathBuf, Held<T>>) {
        let mut total: u64 = held.values().map(|entry| entry.weight).sum();
        while held.len() > self.limits.files || total > self.limits.total_bytes {
            let Some(oldest) = held
                .iter()
                .min_by_key(|(_, entry)| entry.last_use.load(Ordering::Relaxed))
                .map(|(path, _)| path.clone())
            else {
                return;
            };
            if let Some(entry) = held.remove(&oldest) {
                total = total.saturating_sub(entry.weight);
            }
        }
    }

    fn tick(&self) -> u64 {
        self.uses.fetch_add(1, Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::sync::atomic::AtomicUsize;

    use super::*;

    const LIMITS: Limits = Limits {
        file_bytes: 8,
        files: 2,
        total_bytes: 12,
    };

    impl MemoryUse for Vec<u8> {
        fn memory_use(&self) -> u64 {
            self.len() as u64
        }
    }

    fn text(content: Content<Vec<u8>>) -> Option<Vec<u8>> {
        match content {
            Content::Known(text) => Some(text.to_vec()),
            Content::Missing | Content::Unknown => None,
        }
    }

    #[test]
    fn a_file_is_read_again_only_when_it_changed() {
        static READ: AtomicUsize = AtomicUsize::new(0);
        let cache = FileCache::new(LIMITS, |text| {
            READ.fetch_add(1, Ordering::Relaxed);
            Some(text.to_vec())
        });
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        fs::write(&path, "one").unwrap();
        for _ in 0..3 {
            let found = cache.get(&path, Links::Keep, &Look::new(9));
            assert_eq!(text(found).unwrap(), b"one");
        }
        assert_eq!(READ.load(Ordering::Relaxed), 1);
        let unchanged = Look::new(1);
        assert!(text(cache.get(&path, Links::Keep, &unchanged)).is_some());
        fs::write(&path, "three").unwrap();
        let found = cache.get(&path, Links::Keep, &Look::new(9));
        assert_eq!(text(found).unwrap(), b"three");
        fs::remove_file(&path).unwrap();
        let found = cache.get(&path, Links::Keep, &Look::new(9));
        assert!(matches!(found, Content::Missing));
    }

    #[test]
    fn what_is_too_large_or_no_file_is_unknown() {
        let cache = FileCache::new(LIMITS, |text| Some(text.to_vec()));
        let folder = tempfile::tempdir().unwrap();
        let large = folder.path().join("large");
        fs::write(&large, "123456789").unwrap();
        let found = cache.get(&large, Links::Keep, &Look::new(9));
        assert!(matches!(found, Content::Unknown));
        let found = cache.get(Path::new("/dev/null"), Links::Keep, &Look::new(9));
        assert!(matches!(found, Content::Unknown));
        let link = folder.path().join("link");
        std::os::unix::fs::symlink(folder.path().join("elsewhere"), &link).unwrap();
        let found = cache.get(&link, Links::Keep, &Look::new(9));
        assert!(matches!(found, Content::Missing));
    }

    #[test]
    fn the_file_that_was_unused_for_longest_makes_room() {
        let cache = FileCache::new(LIMITS, |text| Some(text.to_vec()));
        let folder = tempfile::tempdir().unwrap();
        for (name, content) in [("a", "1"), ("b", "2"), ("c", "3"), ("d", "12345678")] {
            fs::write(folder.path().join(name), content).unwrap();
        }
        let get = |name: &str| cache.get(&folder.path().join(name), Links::Keep, &Look::new(9));
        let holds = |name: &str| {
            cache
                .held
                .read()
                .unwrap()
                .contains_key(&folder.path().join(name))
        };
        let _ = (get("a"), get("b"), get("a"), get("c"));
        assert_eq!(["a", "b", "c"].map(holds), [true, false, true]);
        fs::write(folder.path().join("a"), "12345").unwrap();
        let _ = (get("a"), get("d"));
        assert_eq!(["a", "c", "d"].map(holds), [false, false, true]);
    }

    #[test]
    fn what_grows_when_it_is_read_counts_as_it_is_held() {
        let cache = FileCache::new(LIMITS, |text| Some(text.repeat(10)));
        let folder = tempfile::tempdir().unwrap();
        for name in ["a", "b"] {
            let path = folder.path().join(name);
            fs::write(&path, "1").unwrap();
            assert!(text(cache.get(&path, Links::Keep, &Look::new(9))).is_some());
        }
        assert_eq!(cache.held.read().unwrap().len(), 1);
    }
}
