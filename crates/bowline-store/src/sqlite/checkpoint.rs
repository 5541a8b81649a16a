//! Moving the log into the database without holding anybody up.

use rusqlite::Connection;

use crate::error::Result;

/// The log is moved into the database when it has so many pages: about 80 MB.
pub(super) const FRAMES: u32 = 20_000;

/// Moves what is in the log while others write.
pub(super) fn passive(db: &Connection) -> Result<()> {
    run(db, "PRAGMA wal_checkpoint(PASSIVE)")
}

/// Moves everything and cuts the log. Others wait meanwhile: only for what a person asked for.
pub(super) fn truncate(db: &Connection) -> Result<()> {
    run(db, "PRAGMA wal_checkpoint(TRUNCATE)")
}

fn run(db: &Connection, pragma: &str) -> Result<()> {
    // Whether it was complete does not matter: the next one goes on.
    db.query_row(pragma, [], |_| Ok(()))?;
    Ok(())
}
