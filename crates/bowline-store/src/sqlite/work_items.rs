//! Work items.

use bowline_continuity::{Code, RuleError};
use bowline_guidance::work::{NewItem, Priority, WorkItem, WorkKind, WorkStatus};
use chrono::{DateTime, Utc};
use rusqlite::types::Type;
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::queries::limit;
use super::{SqliteStore, hook_memory, memory, millis, time};
use crate::error::Result;
use crate::work_items::{WhichItems, Work};

const COLUMNS: &str = "w.id, p.path, w.kind, w.title, w.status, w.priority, w.created_at, w.started_at, w.ended_at, w.session";

pub(super) fn one_sql() -> String {
    format!(
        "SELECT {COLUMNS} FROM work_items w JOIN projects p ON p.id = w.project_id WHERE w.id = ?1 AND p.path = ?2"
    )
}

pub(super) fn list_sql(which: WhichItems) -> String {
    let open = match which {
        WhichItems::Open => "AND w.status IN ('todo', 'in_progress', 'blocked')",
        WhichItems::All => "",
    };
    format!(
        "SELECT {COLUMNS} FROM projects p CROSS JOIN work_items w INDEXED BY work_items_by_project ON w.project_id = p.id
         WHERE p.path = ?1 {open}
         ORDER BY CASE w.status WHEN 'in_progress' THEN 0 WHEN 'blocked' THEN 1 WHEN 'todo' THEN 1 ELSE 2 END, w.ended_at DESC,
             CASE w.priority WHEN 'critical' THEN 0 WHEN 'high' THEN 1 WHEN 'medium' THEN 2 ELSE 3 END, w.id LIMIT ?2"
    )
}

pub(super) fn active_sql() -> String {
    format!(
        "SELECT {COLUMNS} FROM projects p CROSS JOIN work_items w INDEXED BY work_items_by_project ON w.project_id = p.id
         WHERE p.path = ?1 AND w.status = 'in_progress' ORDER BY w.chain_id IS ?2 DESC, w.started_at DESC, w.id DESC LIMIT 1"
    )
}

fn item(row: &Row<'_>) -> rusqlite::Result<WorkItem> {
    let unknown = |column: usize| {
        let message = "no such word".into();
        rusqlite::Error::FromSqlConversionFailure(column, Type::Text, message)
    };
    let word = |column: usize| row.get::<_, String>(column);
    let moment = |column: usize| row.get::<_, Option<i64>>(column);
    Ok(WorkItem {
        id: row.get(0)?,
        project: row.get(1)?,
        kind: WorkKind::of_word(&word(2)?).ok_or_else(|| unknown(2))?,
        title: row.get(3)?,
        status: WorkStatus::of_word(&word(4)?).ok_or_else(|| unknown(4))?,
        priority: Priority::of_word(&word(5)?).ok_or_else(|| unknown(5))?,
        created_at: time(row.get(6)?),
        started_at: moment(7)?.map(time),
        ended_at: moment(8)?.map(time),
        session: row.get(9)?,
    })
}

fn chain(db: &Connection, session: Option<&str>) -> Result<Option<i64>> {
    match session {
        Some(session) => hook_memory::chain(db, session),
        None => Ok(None),
    }
}

fn find(db: &Connection, project: &str, id: i64) -> Result<Option<WorkItem>> {
    let mut select = db.prepare_cached(&one_sql())?;
    Ok(select.query_row(params![id, project], item).optional()?)
}

fn existing(db: &Connection, project: &str, id: i64) -> Result<WorkItem> {
    find(db, project, id)?.ok_or_else(|| {
        let message = format!(
            "There is no work item {id} in {project}. `bowline work list --all` shows those that there are."
        );
        RuleError::new(Code::NotFound, message).into()
    })
}

pub(super) fn add(
    db: &Connection,
    project: &str,
    session: Option<&str>,
    new: &NewItem,
    at: i64,
) -> Result<WorkItem> {
    let Some(title) = new.title() else {
        let message = "A work item needs a title: `bowline work add \"What is to be done\"`.";
        return Err(RuleError::new(Code::CommandError, message).into());
    };
    let row = memory::project_row(db, project, at)?;
    db.prepare_cached(
        "INSERT INTO work_items (project_id, kind, title, status, priority, created_at, chain_id, session)
         VALUES (?1, ?2, ?3, 'todo', ?4, ?5, ?6, ?7)",
    )?
    .execute(params![
        row,
        new.kind.as_str(),
        title,
        new.priority.as_str(),
        at,
        chain(db, session)?,
        session,
    ])?;
    change(db, project, session, db.last_insert_rowid(), new.status, at)
}

pub(super) fn change(
    db: &Connection,
    project: &str,
    session: Option<&str>,
    id: i64,
    status: WorkStatus,
    at: i64,
) -> Result<WorkItem> {
    let before = existing(db, project, id)?;
    let started = match status {
        WorkStatus::InProgress => Some(at),
        _ => before.started_at.map(millis),
    };
    let ended = (!status.is_open()).then_some(at);
    db.prepare_cached(
        "UPDATE work_items SET status = ?2, started_at = ?3, ended_at = ?4, chain_id = ?5, session = ?6 WHERE id = ?1",
    )?
    .execute(params![
        id,
        status.as_str(),
        started,
        ended,
        chain(db, session)?,
        session,
    ])?;
    existing(db, project, id)
}

fn list(db: &Connection, project: &str, which: WhichItems, most: usize) -> Result<Vec<WorkItem>> {
    let mut select = db.prepare_cached(&list_sql(which))?;
    let items = select.query_map(params![project, limit(most)], item)?;
    Ok(items.collect::<rusqlite::Result<_>>()?)
}

fn active(db: &Connection, project: &str, session: Option<&str>) -> Result<Option<WorkItem>> {
    let mut select = db.prepare_cached(&active_sql())?;
    let found = select.query_row(params![project, chain(db, session)?], item);
    Ok(found.optional()?)
}

impl Work for SqliteStore {
    fn add_item(
        &self,
        project: &str,
        session: Option<&str>,
        item: &NewItem,
        at: DateTime<Utc>,
    ) -> Result<WorkItem> {
        let (project, session, item) =
            (project.to_owned(), session.map(str::to_owned), item.clone());
        self.change(move |db| add(db, &project, session.as_deref(), &item, millis(at)))
    }

    fn change_item(
        &self,
        project: &str,
        session: Option<&str>,
        id: i64,
        status: WorkStatus,
        at: DateTime<Utc>,
    ) -> Result<WorkItem> {
        let (project, session) = (project.to_owned(), session.map(str::to_owned));
        self.change(move |db| change(db, &project, session.as_deref(), id, status, millis(at)))
    }

    fn item(&self, project: &str, id: i64) -> Result<Option<WorkItem>> {
        self.read(|db| find(db, project, id))
    }

    fn items(&self, project: &str, which: WhichItems, limit: usize) -> Result<Vec<WorkItem>> {
        self.read(|db| list(db, project, which, limit))
    }

    fn active_item(&self, project: &str, session: Option<&str>) -> Result<Option<WorkItem>> {
        self.look(|db| active(db, project, session))
    }
}

/// Removes some items that ended before a time; says how many. What is open never goes because of its age.
pub(super) fn before(db: &Connection, cutoff: i64, rows: i64) -> Result<usize> {
    Ok(db
        .prepare_cached(
            "DELETE FROM work_items WHERE id IN
                (SELECT id FROM work_items INDEXED BY work_items_by_end WHERE ended_at < ?1 ORDER BY ended_at LIMIT ?2)",
        )?
        .execute(params![cutoff, rows])?)
}

/// Removes the items of sessions that continue each other.
pub(super) fn of_chain(db: &Connection, chain: i64) -> Result<usize> {
    Ok(db
        .prepare_cached("DELETE FROM work_items WHERE chain_id = ?1")?
        .execute([chain])?)
}

/// Removes the items of a project.
pub(super) fn of_project(db: &Connection, project: i64) -> Result<()> {
    db.prepare_cached("DELETE FROM work_items WHERE project_id = ?1")?
        .execute([project])?;
    Ok(())
}

/// Removes everything that has no age.
pub(super) fn all(db: &Connection) -> Result<()> {
    Ok(db.execute_batch("DELETE FROM work_items")?)
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;

    use super::super::Options;
    use super::*;
    use crate::error::Error;
    use crate::record::Record;
    use crate::store::{Forget, Store};

    const PROJECT: &str = "/shop";

    fn opened() -> (tempfile::TempDir, SqliteStore) {
        let folder = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(Options::new(folder.path().join("data"))).unwrap();
        (folder, store)
    }

    fn new(title: &str, status: WorkStatus) -> NewItem {
        NewItem {
            title: title.to_owned(),
            kind: WorkKind::Feature,
            priority: Priority::Medium,
            status,
        }
    }

    fn begins(store: &SqliteStore, session: &str) {
        let mut record = Record::new(session, Utc::now(), "claude-code", "SessionStart", session);
        record.decided.project = Some(PROJECT.to_owned());
        store.submit(record, Box::new(|_| {}));
        store.flush().unwrap();
    }

    #[test]
    fn an_item_goes_from_todo_to_done_and_back() {
        let (_folder, store) = opened();
        let now = Utc::now();
        let added = store.add_item(
            PROJECT,
            None,
            &new("Fix\n the login", WorkStatus::Todo),
            now,
        );
        let added = added.unwrap();
        assert_eq!(
            (added.title.as_str(), added.status),
            ("Fix the login", WorkStatus::Todo)
        );
        assert_eq!(store.active_item(PROJECT, None).unwrap(), None);
        let to = |status, seconds| {
            let at = now + TimeDelta::seconds(seconds);
            store
                .change_item(PROJECT, None, added.id, status, at)
                .unwrap()
        };
        let started = to(WorkStatus::InProgress, 1);
        assert!(started.started_at.is_some() && started.ended_at.is_none());
        assert_eq!(store.active_item(PROJECT, None).unwrap(), Some(started));
        let done = to(WorkStatus::Done, 2);
        assert!(done.ended_at.is_some());
        assert_eq!(store.active_item(PROJECT, None).unwrap(), None);
        assert_eq!(store.items(PROJECT, WhichItems::Open, 10).unwrap(), []);
        assert_eq!(store.items(PROJECT, WhichItems::All, 10).unwrap(), [done]);
        assert_eq!(to(WorkStatus::InProgress, 3).ended_at, None);
    }

    #[test]
    fn what_is_not_there_cannot_change_and_nothing_has_no_title() {
        let (_folder, store) = opened();
        let now = Utc::now();
        let item = store
            .add_item(PROJECT, None, &new("x", WorkStatus::Todo), now)
            .unwrap();
        for (project, id) in [(PROJECT, item.id + 1), ("/other", item.id)] {
            let refused = store.change_item(project, None, id, WorkStatus::Done, now);
            let Err(Error::Forbidden(rule)) = refused else {
                panic!("{refused:?}");
            };
            assert_eq!(rule.code, Code::NotFound);
        }
        let refused = store.add_item(PROJECT, None, &new(" ", WorkStatus::Todo), now);
        assert!(matches!(refused, Err(Error::Forbidden(_))));
        assert_eq!(store.items(PROJECT, WhichItems::All, 10).unwrap().len(), 1);
    }

    #[test]
    fn a_session_has_its_own_item_first() {
        let (_folder, store) = opened();
        let now = Utc::now();
        for session in ["s1", "s2"] {
            begins(&store, session);
        }
        let start = |session, title, seconds| {
            let at = now + TimeDelta::seconds(seconds);
            store
                .add_item(PROJECT, session, &new(title, WorkStatus::InProgress), at)
                .unwrap()
        };
        let of_s1 = start(Some("s1"), "one", 0);
        let of_nobody = start(None, "two", 1);
        let of_s2 = start(Some("s2"), "three", 2);
        for (session, expected) in [
            (Some("s1"), &of_s1),
            (Some("s2"), &of_s2),
            (None, &of_nobody),
            (Some("unknown"), &of_nobody),
        ] {
            let found = store.active_item(PROJECT, session).unwrap();
            assert_eq!(found.as_ref(), Some(expected), "{session:?}");
        }
        assert_eq!(store.active_item("/other", Some("s1")).unwrap(), None);
        store.forget(Forget::Session("s1")).unwrap();
        assert_eq!(store.item(PROJECT, of_s1.id).unwrap(), None);
        store.forget(Forget::Project(PROJECT)).unwrap();
        assert_eq!(store.items(PROJECT, WhichItems::All, 10).unwrap(), []);
    }

    #[test]
    fn only_what_ended_goes_with_time() {
        let (_folder, store) = opened();
        let long_ago = Utc::now() - TimeDelta::days(400);
        for status in [WorkStatus::Todo, WorkStatus::InProgress, WorkStatus::Done] {
            store
                .add_item(PROJECT, None, &new("x", status), long_ago)
                .unwrap();
        }
        store.forget(Forget::Before(Utc::now())).unwrap();
        let left = store.items(PROJECT, WhichItems::All, 10).unwrap();
        assert!(
            left.iter().all(|item| item.status.is_open()) && left.len() == 2,
            "{left:?}"
        );
    }

    #[test]
    fn what_matters_comes_first() {
        let (_folder, store) = opened();
        let mut item = new("low", WorkStatus::Todo);
        item.priority = Priority::Low;
        let now = Utc::now();
        store.add_item(PROJECT, None, &item, now).unwrap();
        for (title, status) in [
            ("done", WorkStatus::Done),
            ("medium", WorkStatus::Todo),
            ("now", WorkStatus::InProgress),
        ] {
            store
                .add_item(PROJECT, None, &new(title, status), now)
                .unwrap();
        }
        let items = store.items(PROJECT, WhichItems::All, 10).unwrap();
        let titles: Vec<&str> = items.iter().map(|item| item.title.as_str()).collect();
        assert_eq!(titles, ["now", "medium", "low", "done"]);
    }
}
