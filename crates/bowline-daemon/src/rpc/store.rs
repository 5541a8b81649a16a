//! Questions about the store itself, and what can be done with it.

use std::io;
use std::path::PathBuf;

use bowline_store::{Error, Forgotten, Gap, Result, Store};
use bowline_wire::RequestError;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::arguments::Arguments;
use super::{Access, Question};

/// `store.size`: how much is kept.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Size {}

impl Question for Size {
    const COMMAND: &'static str = "store.size";
    type Answer = bowline_store::Size;

    fn read(_: &mut Arguments) -> Option<Self> {
        Some(Self {})
    }

    fn answer(&self, store: &dyn Store) -> Result<Self::Answer> {
        store.size()
    }
}

/// `store.gaps`: the gaps, newest first.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Gaps {}

impl Question for Gaps {
    const COMMAND: &'static str = "store.gaps";
    type Answer = Vec<Gap>;

    fn read(_: &mut Arguments) -> Option<Self> {
        Some(Self {})
    }

    fn answer(&self, store: &dyn Store) -> Result<Self::Answer> {
        store.gaps()
    }
}

/// `store.integrity`: whether the store is intact. Checks every page.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Integrity {}

/// Whether the store is intact.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Soundness {
    /// What was found; nothing if it is intact.
    pub problems: Vec<String>,
}

impl Question for Integrity {
    const COMMAND: &'static str = "store.integrity";
    type Answer = Soundness;

    fn read(_: &mut Arguments) -> Option<Self> {
        Some(Self {})
    }

    fn answer(&self, store: &dyn Store) -> Result<Self::Answer> {
        let problems = match store.integrity_check()? {
            bowline_store::Integrity::Sound => Vec::new(),
            bowline_store::Integrity::Damaged(problems) => problems,
        };
        Ok(Soundness { problems })
    }
}

/// `store.backup`: writes a copy to a new file.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Backup {
    /// The file; an absolute path, because the daemon has another working folder.
    pub to: PathBuf,
}

impl Question for Backup {
    const COMMAND: &'static str = "store.backup";
    const ACCESS: Access = Access::Changes;
    type Answer = ();

    fn read(arguments: &mut Arguments) -> Option<Self> {
        let to = PathBuf::from(arguments.needed_text("to")?);
        if !to.is_absolute() {
            let shown = to.display();
            arguments.issue(format!("`to` is `{shown}`; expected an absolute path"));
        }
        Some(Self { to })
    }

    fn answer(&self, store: &dyn Store) -> Result<()> {
        store.backup(&self.to)
    }

    fn failure(error: Error) -> RequestError {
        match error {
            Error::File { path, source } if source.kind() == io::ErrorKind::AlreadyExists => {
                RequestError::Handler {
                    code: "EXISTS".to_owned(),
                    message: format!(
                        "{} exists already and was left alone; name a new file",
                        path.display()
                    ),
                    details: Value::Null,
                }
            }
            other => RequestError::handler(other.to_string()),
        }
    }
}

/// `store.compact`: gives unused disk space back to the file system.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Compact {}

impl Question for Compact {
    const COMMAND: &'static str = "store.compact";
    const ACCESS: Access = Access::Changes;
    type Answer = ();

    fn read(_: &mut Arguments) -> Option<Self> {
        Some(Self {})
    }

    fn answer(&self, store: &dyn Store) -> Result<()> {
        store.compact()
    }
}

/// `store.forget`: removes records for good.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Forget {
    /// A session by the agent's name for it, with its whole chain and its sub-agents.
    Session(String),
    /// A project by its folder.
    Project(String),
    /// Everything before this time.
    Before(DateTime<Utc>),
    /// Everything.
    All,
}

impl Question for Forget {
    const COMMAND: &'static str = "store.forget";
    const ACCESS: Access = Access::Changes;
    type Answer = Forgotten;

    fn read(arguments: &mut Arguments) -> Option<Self> {
        let mut wanted: Vec<Self> = Vec::new();
        wanted.extend(arguments.text("session").map(Self::Session));
        wanted.extend(arguments.text("project").map(Self::Project));
        wanted.extend(arguments.time("before").map(Self::Before));
        wanted.extend(arguments.said("all").map(|()| Self::All));
        let one = wanted.pop();
        if one.is_none() || !wanted.is_empty() {
            arguments.issue("expected exactly one of session, project, before and all");
        }
        one
    }

    fn answer(&self, store: &dyn Store) -> Result<Forgotten> {
        let what = match self {
            Self::Session(name) => bowline_store::Forget::Session(name),
            Self::Project(folder) => bowline_store::Forget::Project(folder),
            Self::Before(time) => bowline_store::Forget::Before(*time),
            Self::All => bowline_store::Forget::All,
        };
        store.forget(what)
    }

    fn arguments(&self) -> Map<String, Value> {
        let (name, value) = match self {
            Self::Session(name) => ("session", Value::from(name.as_str())),
            Self::Project(folder) => ("project", folder.as_str().into()),
            Self::Before(time) => ("before", time.to_rfc3339().into()),
            Self::All => ("all", true.into()),
        };
        Map::from_iter([(name.to_owned(), value)])
    }
}
