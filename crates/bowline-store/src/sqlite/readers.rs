//! A few connections that read.

use std::path::{Path, PathBuf};
use std::sync::Mutex;

use rusqlite::Connection;

use super::connection;
use crate::error::Result;
use crate::queue::lock;

/// At most this many idle connections stay open.
const MAX_IDLE: usize = 2;

#[derive(Debug, Default)]
struct Idle {
    connections: Vec<Connection>,
    /// Counts how often the database was replaced.
    generation: u64,
    /// Which file the writer has open.
    file: Option<(u64, u64)>,
}

#[derive(Debug)]
pub(super) struct Readers {
    path: PathBuf,
    idle: Mutex<Idle>,
}

impl Readers {
    pub(super) fn new(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            idle: Mutex::default(),
        }
    }

    /// The database was replaced, or is no longer read.
    pub(super) fn close(&self) {
        let mut idle = lock(&self.idle);
        idle.connections.clear();
        idle.generation += 1;
        idle.file = None;
    }

    /// Told when the writer has opened a database.
    pub(super) fn expect(&self, file: Option<(u64, u64)>) {
        lock(&self.idle).file = file;
    }

    /// Whether another file stands where the database was, or none, and the writer does not know it yet.
    pub(super) fn is_replaced(&self) -> bool {
        let file = lock(&self.idle).file;
        file.is_some() && connection::identity(&self.path) != file
    }

    /// Reads the files themselves. The index of the search remembers how it was, and SQLite's check takes that for damage once another
    /// connection has written to it.
    pub(super) fn read_anew<T>(&self, what: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        what(&connection::open_for_reading(&self.path)?)
    }

    /// Lends a connection. One on which something failed is not used again.
    pub(super) fn read<T>(&self, what: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        let (connection, generation) = {
            let mut idle = lock(&self.idle);
            (idle.connections.pop(), idle.generation)
        };
        let db = match connection {
            Some(db) => db,
            None => connection::open_for_reading(&self.path)?,
        };
        let value = what(&db)?;
        let mut idle = lock(&self.idle);
        if idle.generation == generation && idle.connections.len() < MAX_IDLE {
            idle.connections.push(db);
        }
        Ok(value)
    }
}

/// Several statements that see the same moment.
pub(super) fn snapshot<T>(
    db: &Connection,
    what: impl FnOnce(&Connection) -> Result<T>,
) -> Result<T> {
    let transaction = db.unchecked_transaction()?;
    let value = what(&transaction)?;
    transaction.commit()?;
    Ok(value)
}
