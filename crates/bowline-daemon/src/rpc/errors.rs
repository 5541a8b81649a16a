//! Questions about what failed.

use bowline_store::{Failure, FailureFilter, PastFailure, Result, Store};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::arguments::{Arguments, MAX_LIMIT};
use super::{Access, Question};

/// How many failures are listed by default.
pub const DEFAULT_LIMIT: usize = 100;
/// How many times of one failure are shown.
const TIMES: usize = 50;

/// Which failures are wanted. `None` matches all.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Filter {
    /// Of this project's folder.
    pub project: Option<String>,
    /// That came at this time or later.
    pub since: Option<DateTime<Utc>>,
    /// At most this many.
    pub limit: Option<usize>,
}

impl Filter {
    fn read(arguments: &mut Arguments) -> Self {
        Self {
            project: arguments.text("project"),
            since: arguments.time("since"),
            limit: arguments.limit("limit"),
        }
    }

    fn for_store(&self, default_limit: usize) -> FailureFilter<'_> {
        FailureFilter {
            project: self.project.as_deref(),
            since: self.since,
            limit: self.limit.unwrap_or(default_limit),
        }
    }
}

/// `errors.list`: what failed, the last one first; 100 by default.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct List {
    /// Which ones.
    #[serde(flatten)]
    pub filter: Filter,
}

impl Question for List {
    const COMMAND: &'static str = "errors.list";
    type Answer = Vec<Failure>;

    fn read(arguments: &mut Arguments) -> Option<Self> {
        let filter = Filter::read(arguments);
        Some(Self { filter })
    }

    fn answer(&self, store: &dyn Store) -> Result<Self::Answer> {
        store.failures().list(&self.filter.for_store(DEFAULT_LIMIT))
    }
}

/// `errors.times`: each time that something failed, oldest first; the last 10,000 by default.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Times {
    /// Which ones.
    #[serde(flatten)]
    pub filter: Filter,
}

impl Question for Times {
    const COMMAND: &'static str = "errors.times";
    type Answer = Vec<PastFailure>;

    fn read(arguments: &mut Arguments) -> Option<Self> {
        let filter = Filter::read(arguments);
        Some(Self { filter })
    }

    fn answer(&self, store: &dyn Store) -> Result<Self::Answer> {
        store
            .failures()
            .all_times(&self.filter.for_store(MAX_LIMIT))
    }
}

/// A failure with the last times that it came.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailureDetails {
    /// The failure.
    #[serde(flatten)]
    pub failure: Failure,
    /// When it came, the last time first.
    pub times: Vec<PastFailure>,
}

/// `errors.get`: one failure by its number; null if it is unknown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Get {
    /// Its number.
    pub id: i64,
}

impl Question for Get {
    const COMMAND: &'static str = "errors.get";
    type Answer = Option<FailureDetails>;

    fn read(arguments: &mut Arguments) -> Option<Self> {
        let id = arguments.needed_number("id")?;
        Some(Self { id })
    }

    fn answer(&self, store: &dyn Store) -> Result<Self::Answer> {
        let failures = store.failures();
        let Some(failure) = failures.one(self.id)? else {
            return Ok(None);
        };
        let times = failures.times(self.id, TIMES)?;
        Ok(Some(FailureDetails { failure, times }))
    }
}

/// `errors.done`: notes that somebody has dealt with a failure; the answer is the failure as it was, or null.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Done {
    /// Its number.
    pub id: i64,
}

impl Question for Done {
    const COMMAND: &'static str = "errors.done";
    const ACCESS: Access = Access::Changes;
    type Answer = Option<Failure>;

    fn read(arguments: &mut Arguments) -> Option<Self> {
        let id = arguments.needed_number("id")?;
        Some(Self { id })
    }

    fn answer(&self, store: &dyn Store) -> Result<Self::Answer> {
        store.failures().close_follow_up(self.id, Utc::now())
    }
}

/// `errors.forget`: removes a failure and all times that it came; the answer is the failure, or null.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Forget {
    /// Its number.
    pub id: i64,
}

impl Question for Forget {
    const COMMAND: &'static str = "errors.forget";
    const ACCESS: Access = Access::Changes;
    type Answer = Option<Failure>;

    fn read(arguments: &mut Arguments) -> Option<Self> {
        let id = arguments.needed_number("id")?;
        Some(Self { id })
    }

    fn answer(&self, store: &dyn Store) -> Result<Self::Answer> {
        store.failures().forget_failure(self.id)
    }
}
