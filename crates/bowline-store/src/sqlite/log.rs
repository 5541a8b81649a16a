//! The database's log, on which SQLite relies while it is open: whether it is still the file that was written.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use super::connection::with_suffix;
use crate::queue::lock;

/// The bytes before the first page.
const HEADER: u64 = 32;
/// A page and what stands before it.
const FRAME: u64 = 4_096 + 24;

/// How the log is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LogState {
    Whole,
    /// Its name is gone. A process that has it open can still read it.
    Removed,
    /// It is shorter than what was written, or another file.
    Cut,
}

/// The known state of the log.
#[derive(Debug)]
pub(super) struct Log {
    path: PathBuf,
    /// How many pages it has, as of the last commit.
    pub(super) frames: AtomicU32,
    /// Which file it is, since the first commit.
    identity: Mutex<Option<(u64, u64)>>,
}

impl Log {
    pub(super) fn new(database: &Path) -> Arc<Self> {
        Arc::new(Self {
            path: with_suffix(database, "-wal"),
            frames: AtomicU32::new(0),
            identity: Mutex::default(),
        })
    }

    pub(super) fn frames(&self) -> u32 {
        self.frames.load(Ordering::Relaxed)
    }

    /// Which file it is, if that is known.
    pub(super) fn identity(&self) -> Option<(u64, u64)> {
        *lock(&self.identity)
    }

    /// The database was closed: the next log may be another.
    pub(super) fn begin_anew(&self) {
        self.frames.store(0, Ordering::Relaxed);
        *lock(&self.identity) = None;
    }

    /// Looks at its name and length only: to open and close a file of SQLite would take its locks away.
    pub(super) fn state(&self) -> LogState {
        let frames = self.frames();
        let mut identity = lock(&self.identity);
        let Ok(found) = fs::metadata(&self.path) else {
            return match *identity {
                None if frames == 0 => LogState::Whole,
                _ => LogState::Removed,
            };
        };
        let known = *identity.get_or_insert((found.dev(), found.ino()));
        let pages = u64::from(frames) * FRAME;
        let is_short = frames > 0 && found.len() < HEADER + pages;
        if known != (found.dev(), found.ino()) || is_short {
            LogState::Cut
        } else {
            LogState::Whole
        }
    }
}
