//! Tasks.

use bowline_continuity::action::TaskSummary;
use bowline_continuity::effort;
use bowline_continuity::task::{Task, TaskState};
use bowline_continuity::{Code, RuleError};
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::super::queries::limit;
use super::super::{memory, millis, time, traces};
use super::efforts;
use super::rows::{from_json, to_json};
use crate::caps;
use crate::error::Result;

const COLUMNS: &str = "folder, project, title, description, keywords, created_at";

/// Tasks of one project, or of all, newest first.
pub(super) fn list_sql(of_project: Option<i64>) -> String {
    let condition = match of_project {
        Some(_) => "project_id = ?1",
        None => "created_at >= 0 AND ?1 IS NULL",
    };
    format!(
        "SELECT {COLUMNS} FROM task_summary WHERE {condition} ORDER BY created_at DESC LIMIT ?2"
    )
}

pub(super) fn one_sql() -> String {
    format!("SELECT {COLUMNS} FROM task_summary WHERE folder = ?1")
}

fn task_row(row: &Row<'_>) -> rusqlite::Result<TaskSummary> {
    Ok(TaskSummary {
        task: Task {
            folder: row.get(0)?,
            project: row.get::<_, Option<String>>(1)?.unwrap_or_default(),
            title: row.get(2)?,
            description: row.get(3)?,
            keywords: from_json(&row.get::<_, String>(4)?),
            created_at: time(row.get(5)?),
        },
        state: TaskState::Dormant,
        efforts: Vec::new(),
    })
}

pub(super) fn list(
    db: &Connection,
    project: Option<&str>,
    most: usize,
) -> Result<Vec<TaskSummary>> {
    let project = match project.map(|path| traces::project(db, path)).transpose()? {
        Some(None) => return Ok(Vec::new()),
        known => known.flatten(),
    };
    let mut select = db.prepare_cached(&list_sql(project))?;
    let tasks = select.query_map(params![project, limit(most)], task_row)?;
    tasks.map(|task| with_efforts(db, task?)).collect()
}

pub(super) fn one(db: &Connection, folder: &str) -> Result<Option<TaskSummary>> {
    db.prepare_cached(&one_sql())?
        .query_row([folder], task_row)
        .optional()?
        .map(|task| with_efforts(db, task))
        .transpose()
}

fn with_efforts(db: &Connection, mut task: TaskSummary) -> Result<TaskSummary> {
    task.efforts = efforts::of_task(db, &task.task.folder)?;
    task.state = TaskState::of(task.efforts.iter().map(|effort| effort.lifecycle));
    Ok(task)
}

/// Makes a task, unless there is one in this folder.
pub(super) fn new(db: &Connection, task: &Task) -> Result<TaskSummary> {
    caps::check_name("task", &task.folder, caps::PATH)?;
    let at = millis(task.created_at);
    let project = memory::project_row(db, &task.project, at)?;
    db.prepare_cached(
        "INSERT INTO tasks (folder, project_id, title, description, keywords, created_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT DO NOTHING",
    )?
    .execute(params![
        task.folder,
        project,
        caps::text(task.title.as_deref()),
        caps::text(task.description.as_deref()),
        to_json(&caps::list(&task.keywords, caps::NAME))?,
        at
    ])?;
    one(db, &task.folder)?.ok_or_else(|| {
        let message = format!("There is no task {}.", task.folder);
        RuleError::new(Code::TaskNotFound, message).into()
    })
}

/// Makes a task of which only this is known, unless there is one in this folder.
pub(super) fn make(
    db: &Connection,
    folder: &str,
    project: i64,
    title: Option<&str>,
    at: i64,
) -> Result<()> {
    db.prepare_cached(
        "INSERT INTO tasks (folder, project_id, title, keywords, created_at) VALUES (?1, ?2, ?3, '[]', ?4)
         ON CONFLICT DO NOTHING",
    )?
    .execute(params![folder, project, caps::text(title), at])?;
    Ok(())
}

/// The number of the next effort of a task; to be used at once.
pub(super) fn next_ordinal(db: &Connection, folder: &str) -> Result<u32> {
    let last: u32 = db
        .prepare_cached("SELECT last_ordinal FROM tasks WHERE folder = ?1")?
        .query_row([folder], |row| row.get(0))?;
    let next = effort::next_ordinal(std::iter::once(last));
    db.prepare_cached("UPDATE tasks SET last_ordinal = ?2 WHERE folder = ?1")?
        .execute(params![folder, next])?;
    Ok(next)
}
