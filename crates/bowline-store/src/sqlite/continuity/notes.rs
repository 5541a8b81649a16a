//! Pinned notes.

use bowline_continuity::action::Who;
use bowline_continuity::effort::EffortId;
use bowline_continuity::note::Note;
use bowline_continuity::{Code, RuleError};
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::super::{memory, time, traces};
use super::{efforts, resolve};
use crate::caps;
use crate::error::Result;

pub(super) const OF_PROJECT: &str = "SELECT n.id, p.path, n.effort_id, n.text, n.at
    FROM notes n INDEXED BY notes_by_project LEFT JOIN projects p ON p.id = n.project_id
    WHERE n.project_id = ?1 AND n.effort_id IS NULL ORDER BY n.id LIMIT 1000";

pub(super) const OF_EFFORT: &str = "SELECT n.id, p.path, n.effort_id, n.text, n.at
    FROM notes n INDEXED BY notes_by_effort LEFT JOIN projects p ON p.id = n.project_id
    WHERE n.effort_id = ?1 ORDER BY n.id LIMIT 1000";

pub(super) const ONE: &str = "SELECT n.id, p.path, n.effort_id, n.text, n.at
    FROM notes n JOIN projects p ON p.id = n.project_id WHERE n.id = ?1 AND p.path = ?2";

fn note(row: &Row<'_>) -> rusqlite::Result<Note> {
    Ok(Note {
        id: row.get(0)?,
        project: row.get::<_, Option<String>>(1)?.unwrap_or_default(),
        effort: row.get::<_, Option<i64>>(2)?.map(EffortId),
        text: row.get(3)?,
        at: time(row.get(4)?),
    })
}

pub(super) fn list(
    db: &Connection,
    project: Option<i64>,
    effort: Option<EffortId>,
) -> Result<Vec<Note>> {
    let mut notes = match project {
        Some(project) => select(db, OF_PROJECT, project)?,
        None => Vec::new(),
    };
    if let Some(effort) = effort {
        notes.extend(of_effort(db, effort)?);
    }
    Ok(notes)
}

pub(super) fn of_effort(db: &Connection, effort: EffortId) -> Result<Vec<Note>> {
    select(db, OF_EFFORT, effort.0)
}

fn select(db: &Connection, sql: &str, id: i64) -> Result<Vec<Note>> {
    let mut select = db.prepare_cached(sql)?;
    let notes = select.query_map([id], note)?;
    Ok(notes.collect::<rusqlite::Result<_>>()?)
}

pub(super) fn of_folder(
    db: &Connection,
    project: &str,
    effort: Option<EffortId>,
) -> Result<Vec<Note>> {
    list(db, traces::project(db, project)?, effort)
}

pub(super) fn add(
    db: &Connection,
    who: &Who,
    project: &str,
    effort: Option<EffortId>,
    text: &str,
    at: i64,
) -> Result<Note> {
    if text.trim().is_empty() {
        let message = "A note needs a text.";
        return Err(RuleError::new(Code::CommandError, message).into());
    }
    if let Some(effort) = effort {
        efforts::active(db, effort)?;
    }
    let row = memory::project_row(db, project, at)?;
    let chain = resolve::session_row(db, who)?.map(|session| session.chain);
    db.prepare_cached(
        "INSERT INTO notes (project_id, effort_id, chain_id, text, at) VALUES (?1, ?2, ?3, ?4, ?5)",
    )?
    .execute(params![
        row,
        effort.map(|effort| effort.0),
        chain,
        caps::text(Some(text)),
        at
    ])?;
    existing(db, project, db.last_insert_rowid())
}

fn existing(db: &Connection, project: &str, id: i64) -> Result<Note> {
    let found = db
        .prepare_cached(ONE)?
        .query_row(params![id, project], note)
        .optional()?;
    found.ok_or_else(|| {
        RuleError::new(
            Code::NotFound,
            format!("There is no note {id} in {project}. `bowline note list` shows those that there are."),
        )
        .into()
    })
}

pub(super) fn remove(db: &Connection, project: &str, id: i64) -> Result<Note> {
    let note = existing(db, project, id)?;
    db.prepare_cached("DELETE FROM notes WHERE id = ?1")?
        .execute([id])?;
    Ok(note)
}
