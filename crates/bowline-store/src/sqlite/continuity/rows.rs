//! Efforts and sessions of efforts as rows, and lists as JSON.

use bowline_continuity::effort::{Effort, EffortId, Lifecycle};
use bowline_continuity::session::SessionState;
use rusqlite::{Connection, OptionalExtension, Row};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::super::time;
use crate::error::{Error, Result};

/// The columns of an effort `e` in the project `p`.
pub(super) const EFFORT: &str =
    "e.id, e.task, p.path, e.skill, e.mode, e.ordinal, e.lifecycle, e.phase, e.phases,
    e.directives, e.directories, e.metadata, e.created_at, e.finished_at";
/// How many these are.
pub(super) const EFFORT_COLUMNS: usize = 14;

/// The columns of a session `es` of an effort.
pub(super) const STATE: &str =
    "es.session_id, es.previous_id, es.effort_id, es.heartbeat, es.context_usage,
    es.loaded_files, es.preloaded_files, es.dehydrated";

/// An effort by its number.
pub(super) fn effort_sql() -> String {
    format!(
        "SELECT {EFFORT} FROM efforts e LEFT JOIN projects p ON p.id = e.project_id WHERE e.id = ?1"
    )
}

/// A session of an effort by the number of its row.
pub(super) fn state_sql() -> String {
    format!("SELECT {STATE} FROM effort_sessions es WHERE es.session_id = ?1")
}

pub(super) fn effort(db: &Connection, id: EffortId) -> Result<Option<Effort>> {
    Ok(db
        .prepare_cached(&effort_sql())?
        .query_row([id.0], |row| effort_at(row, 0))
        .optional()?)
}

pub(super) fn state(db: &Connection, session: i64) -> Result<Option<SessionState>> {
    Ok(db
        .prepare_cached(&state_sql())?
        .query_row([session], |row| state_at(row, 0))
        .optional()?)
}

/// The effort whose columns begin here.
pub(super) fn effort_at(row: &Row<'_>, first: usize) -> rusqlite::Result<Effort> {
    let lifecycle: String = row.get(first + 6)?;
    Ok(Effort {
        id: EffortId(row.get(first)?),
        task: row.get(first + 1)?,
        project: row.get::<_, Option<String>>(first + 2)?.unwrap_or_default(),
        skill: row.get(first + 3)?,
        mode: row.get(first + 4)?,
        ordinal: row.get(first + 5)?,
        lifecycle: if lifecycle == "active" {
            Lifecycle::Active
        } else {
            Lifecycle::Finished
        },
        phase: row.get(first + 7)?,
        phases: from_json(&row.get::<_, String>(first + 8)?),
        directives: from_json(&row.get::<_, String>(first + 9)?),
        directories: from_json(&row.get::<_, String>(first + 10)?),
        metadata: from_json(&row.get::<_, String>(first + 11)?),
        created_at: time(row.get(first + 12)?),
        finished_at: row.get::<_, Option<i64>>(first + 13)?.map(time),
    })
}

/// The session of an effort whose columns begin here.
pub(super) fn state_at(row: &Row<'_>, first: usize) -> rusqlite::Result<SessionState> {
    let dehydrated: Option<String> = row.get(first + 7)?;
    Ok(SessionState {
        session: row.get(first)?,
        previous: row.get(first + 1)?,
        effort: EffortId(row.get(first + 2)?),
        heartbeat: row.get(first + 3)?,
        context_usage: row.get(first + 4)?,
        loaded_files: from_json(&row.get::<_, String>(first + 5)?),
        preloaded_files: from_json(&row.get::<_, String>(first + 6)?),
        dehydrated: dehydrated.and_then(|text| serde_json::from_str(&text).ok()),
    })
}

/// What cannot be read is empty: a hook must not fail because of it.
pub(super) fn from_json<T: DeserializeOwned + Default>(text: &str) -> T {
    serde_json::from_str(text).unwrap_or_default()
}

pub(super) fn to_json(value: &impl Serialize) -> Result<String> {
    serde_json::to_string(value)
        .map_err(|error| Error::Backend(format!("a value cannot be written as JSON: {error}")))
}

/// Adds to a list what it does not have, and drops the oldest of what is too much. `None` if nothing is new.
pub(super) fn merged(list: &str, new: &[String], most: usize) -> Result<Option<String>> {
    let mut list: Vec<String> = from_json(list);
    let known = list.len();
    for item in new {
        if !list.contains(item) {
            list.push(item.clone());
        }
    }
    if list.len() == known {
        return Ok(None);
    }
    let excess = list.len().saturating_sub(most);
    to_json(&list.split_off(excess)).map(Some)
}
