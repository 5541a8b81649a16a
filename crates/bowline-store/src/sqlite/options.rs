//! Where a store is and how it behaves.

use std::path::{Path, PathBuf};
use std::time::Duration;

/// The database's file in the data folder.
const FILE: &str = "bowline.db";

/// Where a store is and how it behaves.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Options {
    /// The folder of the database and its spool; made if it is missing.
    pub folder: PathBuf,
    /// The folder for the spool when the first cannot be written.
    pub runtime_folder: Option<PathBuf>,
    /// What a commit survives.
    pub durability: Durability,
    /// How long things are kept.
    pub retention: Retention,
    /// How long a record may take until it is answered.
    pub deadline: Duration,
    /// How much may wait in the spool, in bytes.
    pub max_spool: u64,
    /// How many pages the database may have, for those who want an end set by SQLite itself.
    pub max_pages: Option<u32>,
}

impl Options {
    /// A store in this folder: kept for 30 days and up to 1 GB, answered within 20 ms.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self {
            folder: folder.into(),
            runtime_folder: None,
            durability: Durability::ProcessEnd,
            retention: Retention::default(),
            deadline: Duration::from_millis(20),
            max_spool: 64 * 1024 * 1024,
            max_pages: None,
        }
    }

    /// The database's file.
    pub fn database(&self) -> PathBuf {
        self.folder.join(FILE)
    }

    /// Where something can be noted, best first.
    pub(super) fn folders(&self) -> impl Iterator<Item = &Path> {
        let folders = std::iter::once(&self.folder).chain(&self.runtime_folder);
        folders.map(PathBuf::as_path)
    }
}

/// What a commit survives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// The sudden end of the process (`synchronous = NORMAL`).
    ProcessEnd,
    /// The sudden end of the machine (`synchronous = FULL`); each commit waits for the disk.
    PowerCut,
}

/// How long things are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retention {
    /// Older things are removed; `None` keeps them.
    pub days: Option<u32>,
    /// When more bytes are in use the oldest things are removed; `None` sets no limit.
    pub bytes: Option<u64>,
}

impl Default for Retention {
    fn default() -> Self {
        Self {
            days: Some(30),
            bytes: Some(1024 * 1024 * 1024),
        }
    }
}
