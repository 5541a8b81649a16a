//! What happened in some time, for figures.

use bowline_guidance::metrics::{CallFact, CallResult, DelegationFact, EventFact, Facts};
use chrono::{DateTime, Utc};
use rusqlite::{Connection, params};

use super::{keys, time};
use crate::error::Result;

/// At most this many rows of each kind.
const MAX_ROWS: i64 = 50_000;

/// Whether tests were asked for is seen by the hook's name.
pub(super) const EVENTS: &str =
    "SELECT at, event, CASE WHEN decision = 'deny' THEN coalesce(rule, '') END, duration_us,
    hooks LIKE '%[\"tests\",%' FROM events WHERE id >= ?1 AND id < ?2 ORDER BY id LIMIT ?3";
pub(super) const CALLS: &str =
    "SELECT started_at, tool, status, duration_ms FROM traces INDEXED BY traces_by_time
    WHERE started_at >= ?1 AND started_at < ?2 ORDER BY started_at LIMIT ?3";
pub(super) const DELEGATIONS: &str = "SELECT started_at, to_agent, status, ended_at - started_at
    FROM delegations INDEXED BY delegations_by_time WHERE started_at >= ?1 AND started_at < ?2 ORDER BY started_at LIMIT ?3";
pub(super) const PROMPTS: &str = "SELECT text FROM prompts INDEXED BY prompts_by_time
    WHERE at >= ?1 AND at < ?2 AND text IS NOT NULL ORDER BY at LIMIT ?3";

/// What happened from one time until before another.
pub(super) fn facts(db: &Connection, from: DateTime<Utc>, to: DateTime<Utc>) -> Result<Facts> {
    let (from, to) = (from.timestamp_millis(), to.timestamp_millis());
    let keys = [from, to].map(keys::event_floor);
    let mut facts = Facts::default();
    let mut select = db.prepare_cached(EVENTS)?;
    let [first, after] = keys;
    let rows = select.query_map(params![first, after, MAX_ROWS], |row| {
        let micros: i64 = row.get(3)?;
        Ok(EventFact {
            at: time(row.get(0)?),
            event: row.get(1)?,
            denied_by: row.get(2)?,
            took_ms: std::time::Duration::from_micros(micros.unsigned_abs()).as_secs_f64() * 1e3,
            tested: row.get(4)?,
        })
    })?;
    for row in rows {
        facts.events.push(row?);
    }
    let mut select = db.prepare_cached(CALLS)?;
    let rows = select.query_map(params![from, to, MAX_ROWS], |row| {
        let status: String = row.get(2)?;
        Ok(CallFact {
            at: time(row.get(0)?),
            tool: row.get(1)?,
            result: result(&status),
            took_ms: row.get(3)?,
        })
    })?;
    for row in rows {
        facts.calls.push(row?);
    }
    let mut select = db.prepare_cached(DELEGATIONS)?;
    let rows = select.query_map(params![from, to, MAX_ROWS], |row| {
        let status: String = row.get(2)?;
        Ok(DelegationFact {
            at: time(row.get(0)?),
            agent: row.get(1)?,
            result: result(&status),
            took_ms: row.get(3)?,
        })
    })?;
    for row in rows {
        facts.delegations.push(row?);
    }
    let mut select = db.prepare_cached(PROMPTS)?;
    let rows = select.query_map(params![from, to, MAX_ROWS], |row| row.get(0))?;
    for row in rows {
        facts.prompts.push(row?);
    }
    Ok(facts)
}

fn result(status: &str) -> CallResult {
    match status {
        "failed" | "timeout" => CallResult::Failed,
        "denied" | "refused" => CallResult::NotRun,
        _ => CallResult::Fine,
    }
}
