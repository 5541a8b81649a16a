//! What happened in a period, counted.

use bowline_store::{Digest, DigestFilter, Result, Store};
use chrono::{DateTime, Utc};
use serde::Serialize;

use super::Question;
use super::arguments::Arguments;

/// `digest.of`: what happened in a period: counts, and what stands out.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Of {
    /// From this time on.
    pub since: Option<DateTime<Utc>>,
    /// Of this project's folder.
    pub project: Option<String>,
}

impl Question for Of {
    const COMMAND: &'static str = "digest.of";
    type Answer = Digest;

    fn read(arguments: &mut Arguments) -> Option<Self> {
        Some(Self {
            since: arguments.time("since"),
            project: arguments.text("project"),
        })
    }

    fn answer(&self, store: &dyn Store) -> Result<Self::Answer> {
        store.digest(&DigestFilter {
            since: self.since,
            project: self.project.as_deref(),
        })
    }
}
