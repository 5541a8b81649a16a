//! Work items, as the rest of Bowline asks for them.

use bowline_guidance::work::{NewItem, WorkItem, WorkStatus};
use chrono::{DateTime, Utc};

use crate::error::Result;

/// Which work items are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WhichItems {
    /// Those that are still to be done.
    Open,
    /// All.
    All,
}

/// Keeps the work items of projects. `session` is an agent's name for a session; without one a person is at work.
pub trait Work: Send + Sync {
    /// Adds an item.
    fn add_item(
        &self,
        project: &str,
        session: Option<&str>,
        item: &NewItem,
        at: DateTime<Utc>,
    ) -> Result<WorkItem>;

    /// Changes how far an item is.
    fn change_item(
        &self,
        project: &str,
        session: Option<&str>,
        id: i64,
        status: WorkStatus,
        at: DateTime<Utc>,
    ) -> Result<WorkItem>;

    /// An item of a project.
    fn item(&self, project: &str, id: i64) -> Result<Option<WorkItem>>;

    /// The items of a project: those in progress first, then what is open by priority, then what ended, the newest first.
    fn items(&self, project: &str, which: WhichItems, limit: usize) -> Result<Vec<WorkItem>>;

    /// What is being worked on: the item in progress that the session itself started, else the last one that was started in the
    /// project.
    fn active_item(&self, project: &str, session: Option<&str>) -> Result<Option<WorkItem>>;
}
