//! What can go wrong with the store.

use std::io;
use std::path::PathBuf;

use bowline_continuity::RuleError;

/// A result of the store.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why the store cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file or folder could not be created, read or moved.
    #[error("{}: {source}", path.display())]
    File {
        /// Which one.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A file or folder belongs to another user.
    #[error(
        "{} belongs to user {owner}, not to user {user}: what is recorded is private; move it away or choose another data folder",
        path.display()
    )]
    ForeignOwner {
        /// Which one.
        path: PathBuf,
        /// Whose it is.
        owner: u32,
        /// Who asked.
        user: u32,
    },
    /// The database was written by a newer Bowline.
    #[error(
        "{} has schema version {found}, this Bowline knows up to {known}: update Bowline; nothing was changed",
        path.display()
    )]
    NewerSchema {
        /// The database.
        path: PathBuf,
        /// Its version.
        found: i64,
        /// The newest known version.
        known: i64,
    },
    /// The database is another program's.
    #[error("{} is a database of another program; nothing was changed", .0.display())]
    NotOurs(PathBuf),
    /// The store cannot be read or written at the moment.
    #[error("the store {why}: {message}")]
    Unavailable {
        /// In which way.
        why: Unavailable,
        /// What the database said.
        message: String,
    },
    /// The database is damaged.
    #[error("the store is damaged: {0}")]
    Corrupt(String),
    /// The database refused something that should have worked.
    #[error("the store failed: {0}")]
    Backend(String),
    /// The store has been closed.
    #[error("the store is closed")]
    Closed,
    /// A rule forbids a change. Nothing of it was written.
    #[error(transparent)]
    Forbidden(#[from] RuleError),
}

/// In which way a store is unavailable for now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unavailable {
    /// Another process holds it.
    Locked,
    /// It may not be written.
    ReadOnly,
    /// The disk is full.
    Full,
    /// It could not be opened, read or written at all.
    Unreachable,
}

impl std::fmt::Display for Unavailable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(match self {
            Self::Locked => "is locked by another process",
            Self::ReadOnly => "is read-only",
            Self::Full => "has no room left",
            Self::Unreachable => "cannot be reached",
        })
    }
}

impl Error {
    pub(crate) fn file(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::File { path, source }
    }

    /// Whether the same request may work later, unchanged.
    pub(crate) fn may_pass(&self) -> bool {
        matches!(
            self,
            Self::Unavailable { .. } | Self::File { .. } | Self::NewerSchema { .. }
        )
    }

    /// The cause, in words that are the same for every request.
    pub(crate) fn cause(&self) -> String {
        match self {
            Self::Unavailable { why, .. } => why.to_string(),
            other => other.to_string(),
        }
    }
}
