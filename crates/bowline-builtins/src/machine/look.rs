//! Looking at the file system within a budget: every question is one `stat`, asked once.

use std::collections::HashMap;
use std::fs::{self, Metadata};
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// What is at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Seen {
    Missing,
    Link,
    Folder,
    File(Stamp),
    /// A pipe, a socket, a device.
    Other,
}

/// Tells one state of a file from another without reading it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stamp {
    device: u64,
    pub(super) inode: u64,
    pub(super) size: u64,
    pub(super) mode: u32,
    pub(super) modified: (i64, i64),
    /// Cannot be set by a program, unlike the time of modification.
    pub(super) changed: (i64, i64),
}

impl Stamp {
    pub(super) fn of(metadata: &Metadata) -> Self {
        Self {
            device: metadata.dev(),
            inode: metadata.ino(),
            size: metadata.size(),
            mode: metadata.mode(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
        }
    }
}

/// What to do about a link at the end of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Links {
    Follow,
    Keep,
}

/// The look-ups of one judgement: counted, and remembered, so that it sees one state of the machine.
#[derive(Debug)]
pub(super) struct Look {
    left: AtomicUsize,
    exhausted: AtomicBool,
    seen: Mutex<HashMap<(PathBuf, Links), Option<Seen>>>,
}

impl Look {
    pub(super) fn new(budget: usize) -> Self {
        Self {
            left: AtomicUsize::new(budget),
            exhausted: false.into(),
            seen: Mutex::default(),
        }
    }

    /// What is at `path`; `None` if that is unknown.
    pub(super) fn at(&self, path: &Path, links: Links) -> Option<Seen> {
        let key = (path.to_owned(), links);
        if let Some(known) = self.remembered(&key) {
            return known;
        }
        self.spend()?;
        let metadata = match links {
            Links::Follow => fs::metadata(path),
            Links::Keep => fs::symlink_metadata(path),
        };
        let seen = match metadata {
            Ok(metadata) if metadata.is_symlink() => Some(Seen::Link),
            Ok(metadata) if metadata.is_dir() => Some(Seen::Folder),
            Ok(metadata) if metadata.is_file() => Some(Seen::File(Stamp::of(&metadata))),
            Ok(_) => Some(Seen::Other),
            Err(error) => match error.kind() {
                ErrorKind::NotFound | ErrorKind::NotADirectory => Some(Seen::Missing),
                _ => None,
            },
        };
        self.seen
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(key, seen);
        seen
    }

    /// What the link at `path` holds.
    pub(super) fn link_target(&self, path: &Path) -> Option<PathBuf> {
        if self.at(path, Links::Keep)? != Seen::Link {
            return None;
        }
        self.spend()?;
        fs::read_link(path).ok()
    }

    /// Takes one look-up from the budget; `None` if there is none left.
    pub(super) fn spend(&self) -> Option<()> {
        let taken = self
            .left
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| {
                left.checked_sub(1)
            });
        if taken.is_err() {
            self.exhausted.store(true, Ordering::Relaxed);
        }
        taken.ok().map(drop)
    }

    /// Whether a question stayed without an answer because the budget was used up.
    pub(super) fn is_exhausted(&self) -> bool {
        self.exhausted.load(Ordering::Relaxed)
    }

    // The outer `None` is "not asked yet", the inner "asked, and unknown".
    #[expect(clippy::option_option, reason = "both mean something else")]
    fn remembered(&self, key: &(PathBuf, Links)) -> Option<Option<Seen>> {
        self.seen
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get(key)
            .copied()
    }
}
