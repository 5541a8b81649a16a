//! Questions about what a session's calls did to files.

use std::collections::HashMap;

use rusqlite::{Connection, Row};
use serde_json::Value;

use super::readers::snapshot;
use super::{time, traces};
use crate::error::Result;
use crate::status::TraceStatus;
use crate::trace::SessionRef;
use crate::work::PastCall;

/// The newest calls of a chain; inputs only of calls that read a file.
pub(super) const CALLS: &str = "SELECT tool_use_id, tool, started_at, ended_at, status,
        CASE WHEN tool = 'Read' THEN tool_input END
    FROM traces INDEXED BY traces_by_chain WHERE chain_id = ?1 ORDER BY started_at DESC LIMIT 4000";

pub(super) const WORK: &str = "SELECT tool_use_id, content FROM work INDEXED BY work_by_chain WHERE chain_id = ?1 ORDER BY id DESC LIMIT 4000";

/// The calls of a session, oldest first.
pub(super) fn past_calls(db: &Connection, session: &str) -> Result<Vec<PastCall>> {
    snapshot(db, |db| {
        let mut calls = Vec::new();
        for scope in traces::scopes(db, SessionRef::Chain(session))? {
            let mut work: HashMap<String, Vec<Value>> = HashMap::new();
            let mut select = db.prepare_cached(WORK)?;
            let rows = select.query_map([scope.chain], |row| Ok((row.get(0)?, row.get(1)?)))?;
            for row in rows {
                let (call, content): (String, String) = row?;
                if let Ok(content) = serde_json::from_str(&content) {
                    work.entry(call).or_default().insert(0, content);
                }
            }
            let mut select = db.prepare_cached(CALLS)?;
            for call in select.query_map([scope.chain], past_call)? {
                let mut call = call?;
                call.work = work.remove(&call.tool_use_id).unwrap_or_default();
                calls.push(call);
            }
        }
        calls.sort_by_key(|call| call.started_at);
        Ok(calls)
    })
}

/// The recorded work of a session, oldest first.
pub(super) fn past_work(db: &Connection, session: &str) -> Result<Vec<Value>> {
    snapshot(db, |db| {
        let mut found = Vec::new();
        for scope in traces::scopes(db, SessionRef::Chain(session))? {
            let mut select = db.prepare_cached(WORK)?;
            let rows = select.query_map([scope.chain], |row| row.get(1))?;
            for content in rows {
                let content: String = content?;
                found.extend(serde_json::from_str(&content).ok());
            }
        }
        found.reverse();
        Ok(found)
    })
}

fn past_call(row: &Row<'_>) -> rusqlite::Result<PastCall> {
    let status: String = row.get(4)?;
    let input: Option<String> = row.get(5)?;
    Ok(PastCall {
        tool_use_id: row.get(0)?,
        tool: row.get(1)?,
        started_at: time(row.get(2)?),
        ended_at: row.get::<_, Option<i64>>(3)?.map(time),
        status: status.parse().unwrap_or(TraceStatus::Failed),
        input: input.and_then(|input| serde_json::from_str(&input).ok()),
        work: Vec::new(),
    })
}
