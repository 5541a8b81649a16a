//! Who asks: the project, the effort and the session.

use std::path::Path;

use bowline_continuity::action::{Resolved, Who};
use bowline_continuity::effort::{Effort, EffortId};
use bowline_continuity::session::SessionState;
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::rows::{EFFORT, EFFORT_COLUMNS, STATE, effort_at, state_at};
use crate::error::Result;

/// A project by its folder, with its current effort: the active one that was taken up last.
pub(super) fn project_sql() -> String {
    format!(
        "SELECT {EFFORT}, p.id FROM projects p LEFT JOIN efforts e ON e.id =
            (SELECT id FROM efforts INDEXED BY efforts_active WHERE project_id = p.id AND lifecycle = 'active'
             ORDER BY taken_up_at DESC, id DESC LIMIT 1)
         WHERE p.path = ?1"
    )
}

/// The newest session under a name that is bound to an active effort, and whether it is the newest of all under that name.
pub(super) fn session_sql() -> String {
    format!(
        "SELECT {EFFORT}, {STATE}, s.id =
            (SELECT max(id) FROM sessions INDEXED BY sessions_by_name WHERE name = ?1 AND subagent IS ?2)
         FROM sessions s INDEXED BY sessions_by_name CROSS JOIN effort_sessions es ON es.session_id = s.id
            CROSS JOIN efforts e ON e.id = es.effort_id LEFT JOIN projects p ON p.id = e.project_id
         WHERE s.name = ?1 AND s.subagent IS ?2 AND e.lifecycle = 'active' ORDER BY s.id DESC LIMIT 1"
    )
}

/// The active effort that an agent is bound to.
pub(super) fn agent_sql() -> String {
    format!(
        "SELECT {EFFORT} FROM agents a CROSS JOIN efforts e ON e.id = a.effort_id LEFT JOIN projects p ON p.id = e.project_id
         WHERE a.id = ?1 AND e.lifecycle = 'active'"
    )
}

/// The newest open session of an effort that is not a sub-agent's.
pub(super) fn open_sql() -> String {
    format!(
        "SELECT {STATE} FROM effort_sessions es INDEXED BY effort_sessions_by_effort
            CROSS JOIN sessions s ON s.id = es.session_id
         WHERE es.effort_id = ?1 AND s.status <> 'ended' AND s.subagent IS NULL ORDER BY es.session_id DESC LIMIT 1"
    )
}

/// The newest row of a session by its name.
pub(super) const ROW: &str = "SELECT id, chain_id FROM sessions INDEXED BY sessions_by_name
    WHERE name = ?1 AND subagent IS ?2 ORDER BY id DESC LIMIT 1";

/// A registered project.
#[derive(Debug, Clone)]
pub(super) struct Project {
    pub(super) id: i64,
    pub(super) path: String,
}

/// What was found, with the numbers of rows.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) project: Option<Project>,
    pub(super) effort: Option<Effort>,
    pub(super) session: Option<SessionState>,
}

impl From<Found> for Resolved {
    fn from(found: Found) -> Self {
        Self {
            project: found.project.map(|project| project.path),
            effort: found.effort,
            session: found.session,
        }
    }
}

pub(super) fn find(db: &Connection, who: &Who) -> Result<Found> {
    let (project, current) = match project(db, who)? {
        Some((project, current)) => (Some(project), current),
        None => (None, None),
    };
    let bound = bound(db, who)?;
    let of_agent = match &who.agent_id {
        Some(id) => db
            .prepare_cached(&agent_sql())?
            .query_row([id], |row| effort_at(row, 0))
            .optional()?,
        None => None,
    };
    let of_session = bound.as_ref().map(|bound| bound.effort.clone());
    let effort = of_agent.or(of_session).or(current);
    let session = match (&effort, &who.session) {
        (None, _) => None,
        (Some(effort), None) => open_session(db, effort.id)?,
        (Some(effort), Some(_)) => bound
            .and_then(|bound| bound.session)
            .filter(|session| session.effort == effort.id),
    };
    Ok(Found {
        project,
        effort,
        session,
    })
}

/// The registered project of the folder, or of the nearest folder above it, with its current effort.
fn project(db: &Connection, who: &Who) -> Result<Option<(Project, Option<Effort>)>> {
    let above = Path::new(&who.folder).ancestors().filter_map(Path::to_str);
    let mut select = db.prepare_cached(&project_sql())?;
    for folder in who.project.as_deref().into_iter().chain(above) {
        let found = select
            .query_row([folder], |row| {
                let project = Project {
                    id: row.get(EFFORT_COLUMNS)?,
                    path: row.get(2)?,
                };
                let active: Option<i64> = row.get(0)?;
                Ok((project, active.map(|_| effort_at(row, 0)).transpose()?))
            })
            .optional()?;
        if found.is_some() {
            return Ok(found);
        }
    }
    Ok(None)
}

/// The effort of a session. It may come from an earlier context window, or from the session that a sub-agent works for.
struct Bound {
    effort: Effort,
    session: Option<SessionState>,
}

fn bound(db: &Connection, who: &Who) -> Result<Option<Bound>> {
    let Some(name) = &who.session else {
        return Ok(None);
    };
    let mut select = db.prepare_cached(&session_sql())?;
    let mut look = |subagent: Option<&str>| {
        let read = |row: &Row<'_>| {
            let is_newest: bool = row.get(EFFORT_COLUMNS + 8)?;
            let state = is_newest.then(|| state_at(row, EFFORT_COLUMNS));
            Ok(Bound {
                effort: effort_at(row, 0)?,
                session: state.transpose()?,
            })
        };
        select.query_row(params![name, subagent], read).optional()
    };
    let own = look(who.subagent.as_deref())?;
    if own.is_some() || who.subagent.is_none() {
        return Ok(own);
    }
    Ok(look(None)?.map(|parent| Bound {
        session: None,
        ..parent
    }))
}

pub(super) fn open_session(db: &Connection, effort: EffortId) -> Result<Option<SessionState>> {
    Ok(db
        .prepare_cached(&open_sql())?
        .query_row([effort.0], |row| state_at(row, 0))
        .optional()?)
}

/// The row of a session, and its chain.
#[derive(Debug, Clone, Copy)]
pub(super) struct SessionRow {
    pub(super) id: i64,
    pub(super) chain: i64,
}

pub(super) fn session_row(db: &Connection, who: &Who) -> Result<Option<SessionRow>> {
    match &who.session {
        Some(name) => row_named(db, name, who.subagent.as_deref()),
        None => Ok(None),
    }
}

pub(super) fn row_named(
    db: &Connection,
    name: &str,
    subagent: Option<&str>,
) -> Result<Option<SessionRow>> {
    Ok(db
        .prepare_cached(ROW)?
        .query_row(params![name, subagent], |row| {
            Ok(SessionRow {
                id: row.get(0)?,
                chain: row.get(1)?,
            })
        })
        .optional()?)
}
