//! What the sessions of the fleet do now: a few look-ups for each agent, however much is recorded.

use chrono::{DateTime, Utc};
use rusqlite::{Connection, OptionalExtension as _, Row, params};
use serde_json::Value;

use super::super::{millis, time, traces};
use super::agents::{self, Which};
use crate::error::Result;
use crate::running::{
    Doing, LastCall, LastPrompt, MOST_CALLS, MOST_STOPPED, Running, RunningCall, beginning,
};
use crate::status::TraceStatus;

pub(super) const SESSION: &str = "SELECT chain_id, model FROM sessions WHERE id = ?1";
pub(super) const PROMPT: &str =
    "SELECT trace_id, substr(text, 1, 1000) FROM prompts INDEXED BY prompts_by_chain
    WHERE chain_id = ?1 ORDER BY at DESC LIMIT 1";
/// A call that a person is asked about does not run yet.
pub(super) const OPEN: &str = "SELECT tool, tool_input, started_at FROM traces INDEXED BY traces_open
    WHERE chain_id = ?1 AND status = 'started' AND error_message IS NULL ORDER BY started_at DESC, id DESC LIMIT 1";
pub(super) const LAST: &str = "SELECT tool, tool_input, started_at, tool_use_id, status, ended_at, error_message
    FROM traces INDEXED BY traces_by_chain WHERE chain_id = ?1 ORDER BY started_at DESC, id DESC LIMIT 1";
/// How many calls there are, at most so many.
pub(super) const CALLS: &str = "SELECT count(*) FROM
    (SELECT 1 FROM traces INDEXED BY traces_by_chain WHERE chain_id = ?1 LIMIT ?2)";

/// How many of the newest calls that did not go well failed, and how many were denied.
pub(super) fn stopped_sql() -> String {
    let errors = traces::errors();
    format!(
        "SELECT coalesce(sum({errors}), 0), coalesce(sum(t.status = 'denied'), 0)
         FROM traces t INDEXED BY traces_failed_by_chain
         WHERE t.chain_id = ?1 AND t.status <> 'started' AND t.status <> 'completed'
         AND t.started_at >= coalesce((SELECT o.started_at FROM traces o INDEXED BY traces_failed_by_chain
            WHERE o.chain_id = ?1 AND o.status <> 'started' AND o.status <> 'completed'
            ORDER BY o.started_at DESC LIMIT 1 OFFSET ?2), 0)"
    )
}

/// The agents whose sessions are open, and those that ended since a time.
pub(super) fn running(db: &Connection, ended_since: DateTime<Utc>) -> Result<Vec<Running>> {
    let mut running = Vec::new();
    for (which, since) in [
        (Which::Open, None),
        (Which::Ended, Some(millis(ended_since))),
    ] {
        let mut select = db.prepare_cached(&agents::fleet_sql(None, which))?;
        let mut rows = select.query(params![None::<i64>, since])?;
        while let Some(row) = rows.next()? {
            running.push(of_agent(db, row)?);
        }
    }
    Ok(running)
}

fn of_agent(db: &Connection, row: &Row<'_>) -> Result<Running> {
    let session: i64 = row.get(agents::SESSION_ROW)?;
    let (chain, model): (i64, Option<String>) = db
        .prepare_cached(SESSION)?
        .query_row([session], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let prompt = db.prepare_cached(PROMPT)?.query_row([chain], |row| {
        let text: Option<String> = row.get(1)?;
        Ok(LastPrompt {
            group: row.get(0)?,
            text: text.map(|text| beginning(&text)),
        })
    });
    let open = db.prepare_cached(OPEN)?.query_row([chain], |row| {
        Ok(RunningCall {
            doing: doing(row)?,
            since: time(row.get(2)?),
        })
    });
    let last = db.prepare_cached(LAST)?.query_row([chain], last_call);
    let calls: i64 = db
        .prepare_cached(CALLS)?
        .query_row(params![chain, signed(MOST_CALLS)], |row| row.get(0))?;
    let (failed, denied): (i64, i64) = db
        .prepare_cached(&stopped_sql())?
        .query_row(params![chain, signed(MOST_STOPPED)], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })?;
    Ok(Running {
        agent: agents::agent(row)?,
        model,
        prompt: prompt.optional()?,
        calls: unsigned(calls).min(MOST_CALLS),
        failed: unsigned(failed),
        denied: unsigned(denied),
        open: open.optional()?,
        last: last.optional()?,
    })
}

fn last_call(row: &Row<'_>) -> rusqlite::Result<LastCall> {
    let status: String = row.get(4)?;
    let error: Option<String> = row.get(6)?;
    Ok(LastCall {
        tool_use_id: row.get(3)?,
        doing: doing(row)?,
        status: status.parse().unwrap_or(TraceStatus::Failed),
        started_at: time(row.get(2)?),
        ended_at: row.get::<_, Option<i64>>(5)?.map(time),
        error: error.map(|error| beginning(&error)),
    })
}

fn doing(row: &Row<'_>) -> rusqlite::Result<Doing> {
    let (tool, input): (String, Option<String>) = (row.get(0)?, row.get(1)?);
    let input: Option<Value> = input.and_then(|input| serde_json::from_str(&input).ok());
    Ok(Doing::of(&tool, input.as_ref()))
}

fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn unsigned(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}
