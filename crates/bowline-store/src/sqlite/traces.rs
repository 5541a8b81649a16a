//! Questions about tool calls. Every one names the index that it uses, so that none can ever read the whole table.

mod filter;

use std::collections::HashMap;

use rusqlite::types::Value as Sql;
use rusqlite::{Connection, OptionalExtension, Row, params, params_from_iter};

use super::readers::snapshot;
use super::{keys, time};
use crate::error::Result;
use crate::record::AGENT_ENDED;
use crate::session::Prompt;
use crate::status::TraceStatus;
use crate::trace::{SessionRef, ToolStatistics, Trace, TraceFilter, TraceStatistics, percentile};
use crate::tree::{TraceTree, arrange};

use filter::find_queries;
#[cfg(test)]
pub(super) use filter::find_query;

/// At most this many rows per answer.
const MAX_ROWS: usize = 100_000;
/// A tree has at most this many calls.
const MAX_TREE: usize = 10_000;

/// The stored time of a session's last activity may be this much behind, and more.
const LATE: i64 = 60_000;

pub(super) const COLUMNS: &str = "t.id, t.tool_use_id, t.trace_id, s.name, t.session_id, s.agent, p.path, t.subagent, t.tool,
    t.tool_input, t.tool_output, t.started_at, t.ended_at, t.duration_ms, t.status, t.error_message, t.parent_id,
    parent.tool_use_id, t.native";
pub(super) const JOINS: &str =
    "LEFT JOIN sessions s ON s.id = t.session_id LEFT JOIN projects p ON p.id = t.project_id
    LEFT JOIN traces parent ON parent.id = t.parent_id";
/// Calls that neither run nor succeeded, as in the indexes. SQLite uses those only for exactly these words.
pub(super) const ENDED_BADLY: &str = "t.status <> 'started' AND t.status <> 'completed'";
/// Those of them that count as errors. The result of a call whose agent was killed is unknown.
pub(super) fn errors() -> String {
    let ended = AGENT_ENDED.replace('\'', "''");
    format!("t.status <> 'denied' AND t.status <> 'refused' AND t.error_message IS NOT '{ended}'")
}

/// A stored value. Text that is no longer JSON is shown as it is.
pub(super) fn json(text: String) -> serde_json::Value {
    serde_json::from_str(&text).unwrap_or(serde_json::Value::String(text))
}

fn trace(row: &Row<'_>) -> rusqlite::Result<Trace> {
    let status: String = row.get(14)?;
    let status = status.parse().unwrap_or(TraceStatus::Failed);
    let message: Option<String> = row.get(15)?;
    let (asked, error) = match status {
        TraceStatus::Started => (message, None),
        _ => (None, message),
    };
    Ok(Trace {
        row: row.get(0)?,
        tool_use_id: row.get(1)?,
        group: row.get(2)?,
        session: row.get::<_, Option<String>>(3)?.unwrap_or_default(),
        session_row: row.get(4)?,
        agent: row.get::<_, Option<String>>(5)?.unwrap_or_default(),
        project: row.get(6)?,
        subagent: row.get(7)?,
        tool: row.get(8)?,
        input: row.get::<_, Option<String>>(9)?.map(json),
        native: row.get::<_, Option<String>>(18)?.map(json),
        output: row.get::<_, Option<String>>(10)?.map(json),
        started_at: time(row.get(11)?),
        ended_at: row.get::<_, Option<i64>>(12)?.map(time),
        duration_ms: row.get(13)?,
        status,
        error,
        asked,
        parent_row: row.get(16)?,
        parent: row.get(17)?,
    })
}

/// A statement and its values.
#[derive(Debug)]
pub(super) struct Query {
    pub(super) sql: String,
    pub(super) values: Vec<Sql>,
}

impl Query {
    pub(super) fn traces(&self, db: &Connection) -> Result<Vec<Trace>> {
        let mut select = db.prepare_cached(&self.sql)?;
        let rows = select.query_map(params_from_iter(&self.values), trace)?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }
}

fn limit(rows: usize) -> Sql {
    Sql::Integer(i64::try_from(rows.min(MAX_ROWS)).unwrap_or(0))
}

pub(super) fn by_id(db: &Connection, tool_use_id: &str) -> Result<Option<Trace>> {
    snapshot(db, |db| {
        let Some(row) = row_of(db, tool_use_id)? else {
            return Ok(None);
        };
        in_row(db, row)
    })
}

/// The input of the newest call with this id.
pub(super) fn input(db: &Connection, tool_use_id: &str) -> Result<Option<serde_json::Value>> {
    let Some(row) = row_of(db, tool_use_id)? else {
        return Ok(None);
    };
    let mut select = db.prepare_cached("SELECT tool_input FROM traces WHERE id = ?1")?;
    let input: Option<Option<String>> = select.query_row([row], |row| row.get(0)).optional()?;
    Ok(input.flatten().map(json))
}

/// How the newest call with this id went.
pub(super) fn status(db: &Connection, tool_use_id: &str) -> Result<Option<TraceStatus>> {
    let Some(row) = row_of(db, tool_use_id)? else {
        return Ok(None);
    };
    let mut select = db.prepare_cached("SELECT status FROM traces WHERE id = ?1")?;
    let status: Option<String> = select.query_row([row], |row| row.get(0)).optional()?;
    Ok(status.and_then(|word| word.parse().ok()))
}

/// The call in a row.
pub(super) fn in_row(db: &Connection, row: i64) -> Result<Option<Trace>> {
    let mut select = db.prepare_cached(&by_row())?;
    Ok(select.query_row([row], trace).optional()?)
}

/// The row of the newest call of this id.
pub(super) fn row_of(db: &Connection, tool_use_id: &str) -> Result<Option<i64>> {
    let (first, last): (Option<i64>, Option<i64>) = db
        .prepare_cached(BOUNDS)?
        .query_row([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let (Some(first), Some(last)) = (first, last) else {
        return Ok(None);
    };
    let mut seek = db.prepare_cached(SEEK)?;
    for lookup in keys::lookups(first..=last, tool_use_id) {
        let row = seek
            .query_row(params![lookup, tool_use_id], |row| row.get(0))
            .optional()?;
        if row.is_some() {
            return Ok(row);
        }
    }
    Ok(None)
}

pub(super) const BOUNDS: &str = "SELECT (SELECT min(id) FROM traces), (SELECT max(id) FROM traces)";
pub(super) const SEEK: &str = "SELECT id FROM traces INDEXED BY traces_by_lookup
    WHERE lookup = ?1 AND tool_use_id = ?2 ORDER BY id DESC LIMIT 1";

pub(super) fn by_row() -> String {
    format!("SELECT {COLUMNS} FROM traces t {JOINS} WHERE t.id = ?1")
}

pub(super) fn slow(db: &Connection, threshold_ms: i64, rows: usize) -> Result<Vec<Trace>> {
    slow_query(threshold_ms, rows).traces(db)
}

pub(super) fn slow_query(threshold_ms: i64, rows: usize) -> Query {
    Query {
        sql: format!(
            "SELECT {COLUMNS} FROM traces t INDEXED BY traces_by_duration {JOINS}
             WHERE t.duration_ms IS NOT NULL AND t.duration_ms >= ?
             ORDER BY t.duration_ms DESC, t.id DESC LIMIT ?"
        ),
        values: vec![Sql::Integer(threshold_ms), limit(rows)],
    }
}

pub(super) fn tree(db: &Connection, group: &str) -> Result<Option<TraceTree>> {
    snapshot(db, |db| {
        let mut traces = tree_query(group).traces(db)?;
        let prompt = db
            .prepare_cached(PROMPT)?
            .query_row([group], |row| {
                Ok(Prompt {
                    group: group.to_owned(),
                    session_row: row.get(0)?,
                    time: time(row.get(1)?),
                    text: row.get(2)?,
                })
            })
            .optional()?;
        if traces.is_empty() && prompt.is_none() {
            return Ok(None);
        }
        let truncated = traces.len() > MAX_TREE;
        traces.truncate(MAX_TREE);
        Ok(Some(TraceTree {
            group: group.to_owned(),
            prompt,
            roots: arrange(traces),
            truncated,
        }))
    })
}

pub(super) const PROMPT: &str = "SELECT session_id, at, text FROM prompts INDEXED BY prompts_by_trace WHERE trace_id = ?1 LIMIT 1";

pub(super) fn tree_query(group: &str) -> Query {
    Query {
        sql: format!(
            "SELECT {COLUMNS} FROM traces t INDEXED BY traces_by_trace {JOINS}
             WHERE t.trace_id = ? ORDER BY t.started_at LIMIT ?"
        ),
        values: vec![Sql::Text(group.to_owned()), limit(MAX_TREE + 1)],
    }
}

/// A session as an index knows it: its chain, and one row of the chain if only that is meant.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scope {
    pub(super) chain: i64,
    only: Option<OneSession>,
}

#[derive(Debug, Clone, Copy)]
struct OneSession {
    row: i64,
    from: i64,
    to: i64,
}

#[cfg(test)]
impl Scope {
    pub(super) fn chain(chain: i64) -> Self {
        Self { chain, only: None }
    }

    pub(super) fn one(chain: i64, row: i64, from: i64, to: i64) -> Self {
        let only = Some(OneSession { row, from, to });
        Self { chain, only }
    }
}

/// The chains that are meant; usually one.
pub(super) fn scopes(db: &Connection, session: SessionRef<'_>) -> Result<Vec<Scope>> {
    match session {
        SessionRef::Chain(name) => chains(db, CHAINS, &[name]),
        SessionRef::Beginning(name) => {
            let named = chains(db, CHAINS, &[name])?;
            if !named.is_empty() {
                return Ok(named);
            }
            chains(db, CHAINS_FROM, &[name, &format!("{name}\u{10ffff}")])
        }
        SessionRef::Row(row) => {
            let scope = db
                .prepare_cached(SESSION_ROW)?
                .query_row([row], |found| {
                    Ok(Scope {
                        chain: found.get(0)?,
                        only: Some(OneSession {
                            row,
                            from: found.get(1)?,
                            to: found.get::<_, i64>(2)?.saturating_add(LATE),
                        }),
                    })
                })
                .optional()?;
            Ok(scope.into_iter().collect())
        }
    }
}

fn chains(db: &Connection, sql: &str, names: &[&str]) -> Result<Vec<Scope>> {
    let mut select = db.prepare_cached(sql)?;
    let rows = select.query_map(params_from_iter(names), |row| {
        Ok(Scope {
            chain: row.get(0)?,
            only: None,
        })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

pub(super) const SESSION_ROW: &str =
    "SELECT chain_id, started_at, last_event_at FROM sessions WHERE id = ?1";

pub(super) const CHAINS: &str =
    "SELECT DISTINCT chain_id FROM sessions INDEXED BY sessions_by_name WHERE name = ?1 LIMIT 100";

/// The chains of names that begin alike.
pub(super) const CHAINS_FROM: &str =
    "SELECT DISTINCT chain_id FROM sessions INDEXED BY sessions_by_name
    WHERE name >= ?1 AND name < ?2 LIMIT 100";

/// The name of a tool as agents write it, whatever its case; from one entry of the index to the next.
const TOOL: &str = "WITH RECURSIVE known (tool) AS (
        SELECT min(tool) FROM traces
        UNION ALL SELECT (SELECT min(t.tool) FROM traces t WHERE t.tool > known.tool) FROM known
            WHERE known.tool IS NOT NULL)
    SELECT tool FROM known WHERE tool = ?1 COLLATE NOCASE ORDER BY tool = ?1 DESC LIMIT 1";

fn tool(db: &Connection, name: &str) -> Result<Option<String>> {
    Ok(db
        .prepare_cached(TOOL)?
        .query_row([name], |row| row.get(0))
        .optional()?)
}

pub(super) fn find(db: &Connection, filter: &TraceFilter<'_>) -> Result<Vec<Trace>> {
    snapshot(db, |db| {
        let mut traces = Vec::new();
        for query in find_queries(db, filter, COLUMNS, JOINS)? {
            traces.extend(query.traces(db)?);
        }
        // One chain is in order already.
        traces.sort_by_key(|trace| std::cmp::Reverse((trace.started_at, trace.row)));
        traces.truncate(filter.limit);
        Ok(traces)
    })
}

pub(super) const PROJECT: &str = "SELECT id FROM projects WHERE path = ?1";

/// The row of a project, if it is known.
pub(super) fn project(db: &Connection, path: &str) -> Result<Option<i64>> {
    Ok(db
        .prepare_cached(PROJECT)?
        .query_row([path], |row| row.get(0))
        .optional()?)
}

pub(super) fn statistics(db: &Connection, filter: &TraceFilter<'_>) -> Result<TraceStatistics> {
    snapshot(db, |db| {
        let one_more = TraceFilter {
            limit: filter.limit.saturating_add(1),
            ..filter.clone()
        };
        let mut looked_at = 0;
        let mut more = false;
        let mut tools: HashMap<String, (usize, usize, Vec<i64>)> = HashMap::new();
        for query in find_queries(
            db,
            &one_more,
            "t.tool, t.status, t.duration_ms, t.error_message",
            "",
        )? {
            let mut select = db.prepare_cached(&query.sql)?;
            let mut rows = select.query(params_from_iter(&query.values))?;
            while let Some(row) = rows.next()? {
                if looked_at == filter.limit {
                    more = true;
                    break;
                }
                looked_at += 1;
                let status: String = row.get(1)?;
                let message: Option<String> = row.get(3)?;
                let failed = status.parse().is_ok_and(TraceStatus::is_error)
                    && message.as_deref() != Some(AGENT_ENDED);
                let (count, errors, durations) = tools.entry(row.get(0)?).or_default();
                *count += 1;
                *errors += usize::from(failed);
                durations.extend(row.get::<_, Option<i64>>(2)?);
            }
        }
        let mut tools: Vec<ToolStatistics> = tools
            .into_iter()
            .map(|(tool, (count, errors, mut durations))| {
                durations.sort_unstable();
                ToolStatistics {
                    tool,
                    count,
                    errors,
                    p50_ms: percentile(&durations, 50),
                    p99_ms: percentile(&durations, 99),
                }
            })
            .collect();
        tools.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.tool.cmp(&b.tool)));
        Ok(TraceStatistics {
            tools,
            looked_at,
            more,
        })
    })
}
