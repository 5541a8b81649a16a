//! What is kept beside a store by processes that could not open it, and what they could not keep.

use std::path::{Path, PathBuf};

use super::Options;
use crate::error::Result;
use crate::gap::Gap;
use crate::record::Record;
use crate::reserve::{Locked, Reserve};
use crate::spool;

/// What exited processes could not keep, unless it is already among the gaps of the database. Opens no database.
pub fn unkept(options: &Options) -> Vec<Gap> {
    let noted = Reserve::at(options.folders()).look();
    noted.iter().flat_map(Locked::lost).collect()
}

/// Keeps a record without the data folder, for a process that could not open the store in time: it waits in the runtime folder, where
/// whoever opens the store finds it.
///
/// # Errors
///
/// When the runtime folder cannot be written.
pub fn keep_beside(runtime_folder: &Path, record: &Record) -> Result<()> {
    spool::leave(runtime_folder, record)
}

/// The files that are kept in a folder beside a store: records that wait there, and what is known to be missing.
pub fn kept_beside(runtime_folder: &Path) -> Vec<PathBuf> {
    let mut files = spool::waiting(runtime_folder);
    files.extend(Reserve::at([runtime_folder]).files().iter().cloned());
    files
}

/// Counts a record that a process could keep nowhere, so that it is known to be missing.
pub fn count_unkept(runtime_folder: &Path) {
    Reserve::open([runtime_folder]).end(1, &[]);
}
