//! Moves the log into the database without delaying anybody.

use rusqlite::Connection;

use crate::error::Result;

/// The log is moved into the database when it has this many pages: about 80 MB.
pub(super) const FRAMES: u32 = 20_000;
/// A small store has a small log: this part of what the store may take.
const SHARE: u64 = 12;
const PAGE: u64 = 4_096;

/// How many pages the log may have until it is moved.
pub(super) fn most_frames(cap: Option<u64>) -> u32 {
    let share = cap.map_or(u64::MAX, |cap| cap / SHARE / PAGE);
    u32::try_from(share).map_or(FRAMES, |share| share.clamp(32, FRAMES))
}

/// The same in bytes.
pub(super) fn most_bytes(cap: Option<u64>) -> i64 {
    i64::from(most_frames(cap)) * (4_096 + 24)
}

/// Moves what is in the log while others write.
pub(super) fn passive(db: &Connection) -> Result<()> {
    // It need not be complete: the next one continues.
    db.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()))?;
    Ok(())
}

/// Whether everything was moved and the log is empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Emptied {
    Yes,
    /// A reader uses the log.
    No,
}

/// Moves everything and cuts the log. Others wait meanwhile: only for what a person asked for.
pub(super) fn truncate(db: &Connection) -> Result<Emptied> {
    let busy: i64 = db.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
    Ok(if busy == 0 { Emptied::Yes } else { Emptied::No })
}
