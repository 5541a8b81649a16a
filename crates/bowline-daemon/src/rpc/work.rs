//! Questions about work items.

use std::path::Path;

use bowline_builtins::continuity::check_project;
use bowline_continuity::log_entry::printable;
use bowline_guard::secrets::redact;
use bowline_guidance::work::{NewItem, WorkItem, WorkStatus};
use bowline_store::{Result, Store, WhichItems};
use chrono::Utc;
use serde::Serialize;

use super::arguments::Arguments;
use super::{Access, Question};

/// How many items are listed by default.
const DEFAULT_LIMIT: usize = 200;

/// `work.list`: the items of a project, those in progress first; 200 by default.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct List {
    /// The project's folder.
    pub project: String,
    /// Those that are done or cancelled, too.
    pub all: bool,
    /// At most this many.
    pub limit: Option<usize>,
}

impl Question for List {
    const COMMAND: &'static str = "work.list";
    type Answer = Vec<WorkItem>;

    fn read(arguments: &mut Arguments) -> Option<Self> {
        let project = arguments.needed_text("project");
        let (all, limit) = (
            arguments.value("all", "true or false"),
            arguments.limit("limit"),
        );
        Some(Self {
            project: project?,
            all: all.unwrap_or_default(),
            limit,
        })
    }

    fn answer(&self, store: &dyn Store) -> Result<Self::Answer> {
        let which = if self.all {
            WhichItems::All
        } else {
            WhichItems::Open
        };
        let limit = self.limit.unwrap_or(DEFAULT_LIMIT);
        store.work().items(&self.project, which, limit)
    }
}

/// `work.get`: an item of a project.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Get {
    /// The project's folder.
    pub project: String,
    /// The item's number.
    pub id: i64,
}

impl Question for Get {
    const COMMAND: &'static str = "work.get";
    type Answer = Option<WorkItem>;

    fn read(arguments: &mut Arguments) -> Option<Self> {
        let (project, id) = (
            arguments.needed_text("project"),
            arguments.needed_number("id"),
        );
        Some(Self {
            project: project?,
            id: id?,
        })
    }

    fn answer(&self, store: &dyn Store) -> Result<Self::Answer> {
        store.work().item(&self.project, self.id)
    }
}

/// `work.active`: what a session, or a person, is working on.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Active {
    /// The project's folder.
    pub project: String,
    /// The agent's name for the session.
    pub session: Option<String>,
}

impl Question for Active {
    const COMMAND: &'static str = "work.active";
    type Answer = Option<WorkItem>;

    fn read(arguments: &mut Arguments) -> Option<Self> {
        let (project, session) = (arguments.needed_text("project"), arguments.text("session"));
        Some(Self {
            project: project?,
            session,
        })
    }

    fn answer(&self, store: &dyn Store) -> Result<Self::Answer> {
        let session = self.session.as_deref();
        store.work().active_item(&self.project, session)
    }
}

/// `work.add`: adds an item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Add {
    /// The project's folder.
    pub project: String,
    /// The agent's name for the session.
    pub session: Option<String>,
    /// The item.
    pub item: NewItem,
}

impl Question for Add {
    const COMMAND: &'static str = "work.add";
    const ACCESS: Access = Access::Changes;
    type Answer = Option<WorkItem>;

    fn read(arguments: &mut Arguments) -> Option<Self> {
        let (project, session) = (arguments.needed_text("project"), arguments.text("session"));
        let item = arguments.needed_value("item", "a title, a kind, a priority and a status");
        Some(Self {
            project: project?,
            session,
            item: item?,
        })
    }

    fn answer(&self, store: &dyn Store) -> Result<Self::Answer> {
        check_project(Path::new(&self.project), std::env::home_dir().as_deref())?;
        let item = NewItem {
            title: printable(&redact(&self.item.title)),
            ..self.item.clone()
        };
        let session = self.session.as_deref();
        let added = store
            .work()
            .add_item(&self.project, session, &item, Utc::now())?;
        Ok(Some(added))
    }
}

/// `work.change`: says how far an item is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Change {
    /// The project's folder.
    pub project: String,
    /// The agent's name for the session.
    pub session: Option<String>,
    /// The item's number.
    pub id: i64,
    /// How far it is now.
    pub status: WorkStatus,
}

impl Question for Change {
    const COMMAND: &'static str = "work.change";
    const ACCESS: Access = Access::Changes;
    type Answer = Option<WorkItem>;

    fn read(arguments: &mut Arguments) -> Option<Self> {
        let (project, session) = (arguments.needed_text("project"), arguments.text("session"));
        let (id, status) = (
            arguments.needed_number("id"),
            arguments.needed_value("status", "the status of a work item"),
        );
        Some(Self {
            project: project?,
            session,
            id: id?,
            status: status?,
        })
    }

    fn answer(&self, store: &dyn Store) -> Result<Self::Answer> {
        let session = self.session.as_deref();
        let changed =
            store
                .work()
                .change_item(&self.project, session, self.id, self.status, Utc::now())?;
        Ok(Some(changed))
    }
}
