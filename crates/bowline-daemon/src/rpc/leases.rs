//! Questions about who writes which file.

use bowline_continuity::lease::Lease;
use bowline_store::{Result, Store};
use serde::Serialize;

use super::arguments::Arguments;
use super::{Access, Question};

/// How many leases are listed by default.
const DEFAULT_LIMIT: usize = 1_000;

/// `leases.list`: which session writes which file, the last active first; 1000 by default.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct List {
    /// At most this many.
    pub limit: Option<usize>,
}

impl Question for List {
    const COMMAND: &'static str = "leases.list";
    type Answer = Vec<Lease>;

    fn read(arguments: &mut Arguments) -> Option<Self> {
        Some(Self {
            limit: arguments.limit("limit"),
        })
    }

    fn answer(&self, store: &dyn Store) -> Result<Self::Answer> {
        store
            .continuity()
            .leases(self.limit.unwrap_or(DEFAULT_LIMIT))
    }
}

/// `leases.release`: ends the leases of files; the answer has those that there were.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Release {
    /// The files, with all links resolved.
    pub paths: Vec<String>,
}

impl Question for Release {
    const COMMAND: &'static str = "leases.release";
    const ACCESS: Access = Access::Changes;
    type Answer = Vec<Lease>;

    fn read(arguments: &mut Arguments) -> Option<Self> {
        let paths = arguments.needed_value("paths", "a list of files")?;
        Some(Self { paths })
    }

    fn answer(&self, store: &dyn Store) -> Result<Self::Answer> {
        store.continuity().release_leases(&self.paths)
    }
}
