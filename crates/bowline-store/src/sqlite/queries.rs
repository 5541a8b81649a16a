//! Every other question.

use std::collections::HashMap;
use std::path::Path;

use rusqlite::types::Value as Sql;
use rusqlite::{Connection, OptionalExtension as _, Row, params_from_iter};

use super::readers::snapshot;
use super::{millis, time, traces};
use crate::error::{Error, Result};
use crate::gap::{Gap, GapCause};
use crate::hook_figures::Kept;
use crate::record::decision;
use crate::running::{MOST_CALLS, MOST_STOPPED};
use crate::session::{Delegation, Prompt, Session, SessionDetails, SessionFilter, SessionSummary};
use crate::status::{DelegationStatus, SessionStatus};
use crate::store::{Integrity, Size};
use crate::trace::SessionRef;

/// At most this many rows of one kind per answer.
const MAX_ROWS: usize = 10_000;

pub(super) fn limit(rows: usize) -> i64 {
    i64::try_from(rows.min(MAX_ROWS)).unwrap_or(0)
}

const SESSION: &str = "s.id, s.name, s.agent, p.path, s.previous_id, s.parent_id, s.subagent, s.subagent_kind, s.status,
    s.source, s.model, s.started_at, s.last_event_at, s.ended_at, s.end_reason, s.events";

fn session_row(row: &Row<'_>) -> rusqlite::Result<Session> {
    let status: String = row.get(8)?;
    Ok(Session {
        row: row.get(0)?,
        session: row.get(1)?,
        agent: row.get(2)?,
        project: row.get(3)?,
        previous: row.get(4)?,
        parent: row.get(5)?,
        subagent: row.get(6)?,
        subagent_kind: row.get(7)?,
        status: status.parse().unwrap_or(SessionStatus::Ended),
        source: row.get(9)?,
        model: row.get(10)?,
        started_at: time(row.get(11)?),
        last_event_at: time(row.get(12)?),
        ended_at: row.get::<_, Option<i64>>(13)?.map(time),
        end_reason: row.get(14)?,
        events: row.get(15)?,
    })
}

/// The totals of a whole chain, beside its newest session. They are bounded: a list of long sessions does not read all of their calls.
fn sums() -> String {
    let errors = traces::errors();
    format!(
        "(SELECT started_at FROM sessions first WHERE first.id = s.chain_id),
    (SELECT text FROM prompts INDEXED BY prompts_by_chain WHERE chain_id = s.chain_id ORDER BY at LIMIT 1),
    (SELECT count(*) FROM (SELECT 1 FROM traces t INDEXED BY traces_by_chain WHERE t.chain_id = s.chain_id
        LIMIT {MOST_CALLS})),
    (SELECT count(*) FROM (SELECT 1 FROM traces t INDEXED BY traces_failed_by_chain WHERE t.chain_id = s.chain_id
        AND t.status <> 'started' AND t.status <> 'completed' AND {errors} LIMIT {MOST_STOPPED})),
    (SELECT count(*) FROM (SELECT 1 FROM traces t INDEXED BY traces_failed_by_chain WHERE t.chain_id = s.chain_id
        AND t.status <> 'started' AND t.status <> 'completed' AND t.status = 'denied' LIMIT {MOST_STOPPED}))"
    )
}

fn summary_row(row: &Row<'_>) -> rusqlite::Result<SessionSummary> {
    let mut newest = session_row(row)?;
    newest.started_at = row
        .get::<_, Option<i64>>(16)?
        .map_or(newest.started_at, time);
    Ok(SessionSummary {
        newest,
        first_prompt: row.get(17)?,
        calls: row.get(18)?,
        errors: row.get(19)?,
        denied: row.get(20)?,
    })
}

/// The statement for sessions, with or without a project: of those that continue each other the newest.
pub(super) fn sessions_sql(by_project: Option<i64>) -> String {
    let (index, condition) = match by_project {
        Some(_) => ("sessions_by_project", "s.project_id = ?3"),
        None => ("sessions_by_time", "?3 IS NULL"),
    };
    let sums = sums();
    format!(
        "SELECT {SESSION}, {sums} FROM sessions s INDEXED BY {index} LEFT JOIN projects p ON p.id = s.project_id
         WHERE s.last_event_at >= ?1 AND s.subagent IS NULL AND {condition}
         AND NOT EXISTS (SELECT 1 FROM sessions later INDEXED BY sessions_by_chain
            WHERE later.chain_id = s.chain_id AND later.id > s.id AND later.subagent IS NULL)
         ORDER BY s.last_event_at DESC LIMIT ?2"
    )
}

pub(super) fn sessions(db: &Connection, filter: &SessionFilter<'_>) -> Result<Vec<SessionSummary>> {
    snapshot(db, |db| {
        let project = match filter
            .project
            .map(|path| traces::project(db, path))
            .transpose()?
        {
            Some(None) => return Ok(Vec::new()),
            known => known.flatten(),
        };
        let values = [
            Sql::Integer(filter.since.map_or(0, millis)),
            Sql::Integer(limit(filter.limit)),
            project.map_or(Sql::Null, Sql::Integer),
        ];
        let mut select = db.prepare_cached(&sessions_sql(project))?;
        let rows = select.query_map(params_from_iter(values), summary_row)?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    })
}

pub(super) fn chain_sql() -> String {
    format!(
        "SELECT {SESSION} FROM sessions s INDEXED BY sessions_by_chain LEFT JOIN projects p ON p.id = s.project_id
         WHERE s.chain_id = ?1 ORDER BY s.id LIMIT 10000"
    )
}

pub(super) const PROMPTS: &str =
    "SELECT trace_id, session_id, at, text FROM prompts INDEXED BY prompts_by_chain
    WHERE chain_id = ?1 ORDER BY at LIMIT 10000";

pub(super) const DELEGATIONS: &str =
    "SELECT d.session_id, t.tool_use_id, d.from_agent, d.to_agent, d.subagent,
        d.description, d.status, d.started_at, d.ended_at, d.last_message
    FROM delegations d INDEXED BY delegations_by_chain LEFT JOIN traces t ON t.id = d.trace_row
    WHERE d.chain_id = ?1 ORDER BY d.id LIMIT 10000";

pub(super) fn session(db: &Connection, session: SessionRef<'_>) -> Result<Option<SessionDetails>> {
    snapshot(db, |db| {
        let mut details = SessionDetails {
            sessions: Vec::new(),
            prompts: Vec::new(),
            delegations: Vec::new(),
        };
        for scope in traces::scopes(db, session)? {
            details
                .sessions
                .extend(list(db, &chain_sql(), scope.chain, session_row)?);
            details
                .prompts
                .extend(list(db, PROMPTS, scope.chain, prompt)?);
            details
                .delegations
                .extend(list(db, DELEGATIONS, scope.chain, delegation)?);
        }
        if let SessionRef::Row(only) = session {
            details
                .sessions
                .retain(|session| session.row == only || session.parent == Some(only));
            details.prompts.retain(|prompt| prompt.session_row == only);
            let rows: Vec<i64> = details.sessions.iter().map(|session| session.row).collect();
            details
                .delegations
                .retain(|delegation| rows.contains(&delegation.session_row));
        }
        Ok((!details.sessions.is_empty()).then_some(details))
    })
}

fn list<T>(
    db: &Connection,
    sql: &str,
    chain: i64,
    read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
) -> Result<Vec<T>> {
    let mut select = db.prepare_cached(sql)?;
    let rows = select.query_map([chain], read)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

fn prompt(row: &Row<'_>) -> rusqlite::Result<Prompt> {
    Ok(Prompt {
        group: row.get(0)?,
        session_row: row.get(1)?,
        time: time(row.get(2)?),
        text: row.get(3)?,
    })
}

fn delegation(row: &Row<'_>) -> rusqlite::Result<Delegation> {
    let status: String = row.get(6)?;
    Ok(Delegation {
        session_row: row.get(0)?,
        call: row.get(1)?,
        from: row.get(2)?,
        to: row.get(3)?,
        subagent: row.get(4)?,
        description: row.get(5)?,
        status: status.parse().unwrap_or(DelegationStatus::Failed),
        started_at: time(row.get(7)?),
        ended_at: row.get::<_, Option<i64>>(8)?.map(time),
        last_message: row.get(9)?,
    })
}

/// The stored figures of hooks.
pub(super) fn figures(db: &Connection) -> Result<HashMap<String, Kept>> {
    let mut select = db.prepare_cached(
        "SELECT name, fired, failed, last_fired_at, last_decision, last_failed_at, last_failure, durations
         FROM hooks",
    )?;
    let rows = select.query_map([], |row| {
        let decided: String = row.get(4)?;
        let failed_at: Option<i64> = row.get(5)?;
        let failure: Option<String> = row.get(6)?;
        let durations: Vec<u8> = row.get(7)?;
        let kept = Kept {
            fired: u64::try_from(row.get::<_, i64>(1)?).unwrap_or(0),
            failed: u64::try_from(row.get::<_, i64>(2)?).unwrap_or(0),
            last_fired: time(row.get(3)?),
            last_decision: decision::parse(&decided).unwrap_or_default(),
            last_failure: failed_at.map(time).zip(failure),
            durations: Kept::durations_from_bytes(&durations),
        };
        Ok((row.get(0)?, kept))
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// The number of the oldest event.
pub(super) fn oldest_event(db: &Connection) -> Result<Option<i64>> {
    Ok(db.query_row("SELECT min(id) FROM events", [], |row| row.get(0))?)
}

/// How many events there are up to this number.
pub(super) fn events_until(db: &Connection, newest: i64) -> Result<u64> {
    let count: i64 = db
        .prepare_cached("SELECT count(*) FROM events WHERE id <= ?1")?
        .query_row([newest], |row| row.get(0))?;
    Ok(u64::try_from(count).unwrap_or(0))
}

pub(super) const GAPS: &str =
    "SELECT at, cause, records, message FROM gaps WHERE id >= 0 ORDER BY id DESC LIMIT 1000";

pub(super) fn gaps(db: &Connection) -> Result<Vec<Gap>> {
    let mut select = db.prepare_cached(GAPS)?;
    let rows = select.query_map([], |row| {
        let cause: String = row.get(1)?;
        Ok(Gap {
            time: time(row.get(0)?),
            cause: GapCause::ALL
                .into_iter()
                .find(|known| known.as_str() == cause)
                .unwrap_or(GapCause::Dropped),
            records: u64::try_from(row.get::<_, i64>(2)?).unwrap_or(0),
            message: row.get(3)?,
        })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

pub(super) fn integrity(db: &Connection) -> Result<Integrity> {
    let check = || -> rusqlite::Result<Vec<String>> {
        let mut pragma = db.prepare("PRAGMA integrity_check(20)")?;
        let rows = pragma.query_map([], |row| row.get(0))?;
        rows.collect()
    };
    match check().map_err(Error::from) {
        Ok(found) if found == ["ok"] => Ok(Integrity::Sound),
        Ok(found) => Ok(Integrity::Damaged(found)),
        Err(Error::Corrupt(message)) => Ok(Integrity::Damaged(vec![message])),
        Err(error) => Err(error),
    }
}

pub(super) fn copy_to(db: &Connection, to: &Path) -> Result<()> {
    let name = to.to_str().ok_or_else(|| {
        Error::Backend(format!("the name of the copy is no text: {}", to.display()))
    })?;
    db.execute("VACUUM INTO ?1", [name])?;
    Ok(())
}

/// Counted in an index, of which many rows are on each page.
const COUNT_SESSIONS: &str =
    "SELECT count(DISTINCT chain_id) FROM sessions INDEXED BY sessions_by_chain";
const COUNT_CALLS: &str = "SELECT count(*) FROM traces INDEXED BY traces_by_time";
const FIRST_EVENT: &str = "SELECT at FROM events ORDER BY id LIMIT 1";

/// What the database takes, in bytes. It counts no rows: the writer asks between commits, and a direct run at its end.
pub(super) fn bytes(db: &Connection) -> Result<Size> {
    let number = |pragma: &str| -> Result<u64> {
        let value: i64 = db.pragma_query_value(None, pragma, |row| row.get(0))?;
        Ok(u64::try_from(value).unwrap_or(0))
    };
    let page = number("page_size")?;
    let pages = number("page_count")?;
    let log = db
        .path()
        .and_then(|path| std::fs::metadata(format!("{path}-wal")).ok())
        .map_or(0, |log| log.len());
    Ok(Size {
        on_disk: pages * page + log,
        in_use: pages.saturating_sub(number("freelist_count")?) * page,
        ..Size::default()
    })
}

/// The same, with what is in it.
pub(super) fn size(db: &Connection) -> Result<Size> {
    let count = |sql: &str| -> Result<u64> {
        let count: i64 = db.query_row(sql, [], |row| row.get(0))?;
        Ok(u64::try_from(count).unwrap_or(0))
    };
    let first = db.query_row(FIRST_EVENT, [], |row| row.get(0)).optional()?;
    Ok(Size {
        sessions: count(COUNT_SESSIONS)?,
        calls: count(COUNT_CALLS)?,
        since: first.map(time),
        ..bytes(db)?
    })
}
