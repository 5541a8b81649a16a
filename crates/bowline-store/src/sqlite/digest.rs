//! What happened in a period. Everything is found by its time, so that a digest costs as much as the period is long.

use std::collections::{BTreeMap, HashMap};

use rusqlite::types::Value as Sql;
use rusqlite::{Connection, Row, params_from_iter};

use super::readers::snapshot;
use super::traces::{ENDED_BADLY, Query};
use super::{events, hooks, keys, time, traces};
use crate::digest::{
    AnswerCount, Digest, DigestFilter, FailedHook, RuleDigest, StatusCount, ToolFailures,
};
use crate::error::Result;
use crate::record::{Enforcement, decision};
use crate::status::TraceStatus;
use crate::trace::Trace;

/// How many of the slowest calls are told.
const SLOWEST: i64 = 5;
/// At most this many tools and hooks are told of each.
const MOST: usize = 100;

pub(super) fn digest(db: &Connection, filter: &DigestFilter<'_>) -> Result<Digest> {
    snapshot(db, |db| {
        let Some(period) = Period::of(db, filter)? else {
            return Ok(Digest::default());
        };
        let (events, sessions) = period.events().one(db)?;
        Ok(Digest {
            events,
            sessions,
            calls: calls(db, &period)?,
            decided: decided(db, &period)?,
            failures: failures(db, &period)?,
            slowest: without_outputs(period.slowest().traces(db)?),
            failed_hooks: failed_hooks(db, &period)?,
        })
    })
}

/// What was decided, by rule, the most frequent first.
pub(super) fn by_rule(db: &Connection, filter: &DigestFilter<'_>) -> Result<Vec<RuleDigest>> {
    snapshot(db, |db| match Period::of(db, filter)? {
        Some(period) => decided(db, &period),
        None => Ok(Vec::new()),
    })
}

/// A period as the tables know it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Period {
    pub(super) since: i64,
    pub(super) project: Option<i64>,
}

impl Period {
    /// The period of a filter; `None` if its project is not known.
    fn of(db: &Connection, filter: &DigestFilter<'_>) -> Result<Option<Self>> {
        let project = match filter.project {
            Some(path) => match traces::project(db, path)? {
                None => return Ok(None),
                known => known,
            },
            None => None,
        };
        let since = filter.since.map_or(0, |since| since.timestamp_millis());
        Ok(Some(Self { since, project }))
    }

    #[cfg(test)]
    pub(super) fn queries(self) -> [(&'static str, Query); 7] {
        [
            ("events", self.events()),
            ("calls", self.calls()),
            ("decided", self.decided()),
            ("asked", self.asked()),
            ("failures", self.failures()),
            ("slowest", self.slowest()),
            ("hooks", self.hooks()),
        ]
    }

    fn events(self) -> Query {
        self.of_events("count(*), count(DISTINCT e.chain_id)", "", "")
    }

    fn hooks(self) -> Query {
        self.of_events("e.at, e.hooks", "", "ORDER BY e.id")
    }

    fn decided(self) -> Query {
        let columns = "e.decision, e.enforcement, e.rule, count(*), max(e.id)";
        self.of_events(columns, "e.decision <> 'no_opinion'", "GROUP BY 1, 2, 3")
    }

    fn asked(self) -> Query {
        let asked = "e.decision <> 'no_opinion' AND e.decision = 'ask'";
        self.of_events("e.enforcement, e.rule, e.tool_use_id", asked, "")
    }

    fn of_events(self, columns: &str, condition: &str, rest: &str) -> Query {
        // The index is of what was decided.
        let (index, and) = match condition {
            "" => ("", ""),
            _ => ("INDEXED BY events_decided", "AND"),
        };
        let mut values = vec![Sql::Integer(keys::event_floor(self.since))];
        let of_project = self.of_project("e", &mut values);
        Query {
            sql: format!(
                "SELECT {columns} FROM events e {index} WHERE {condition} {and} e.id >= ? {of_project} {rest}"
            ),
            values,
        }
    }

    fn calls(self) -> Query {
        let mut values = vec![Sql::Integer(self.since)];
        let of_project = self.of_project("t", &mut values);
        let index = self.index();
        Query {
            sql: format!(
                "SELECT t.status, count(*) FROM traces t INDEXED BY {index} WHERE t.started_at >= ? {of_project} GROUP BY 1"
            ),
            values,
        }
    }

    fn failures(self) -> Query {
        let mut values = vec![Sql::Integer(self.since)];
        let of_project = self.of_project("t", &mut values);
        let errors = traces::errors();
        Query {
            sql: format!(
                "SELECT t.tool, count(*), max(t.id) FROM traces t INDEXED BY traces_failed
                 WHERE {ENDED_BADLY} AND {errors} AND t.started_at >= ? {of_project} GROUP BY 1"
            ),
            values,
        }
    }

    fn slowest(self) -> Query {
        let mut values = vec![Sql::Integer(self.since)];
        let of_project = self.of_project("t", &mut values);
        values.push(Sql::Integer(SLOWEST));
        let (columns, joins, index) = (traces::COLUMNS, traces::JOINS, self.index());
        Query {
            sql: format!(
                "SELECT {columns} FROM traces t INDEXED BY {index} {joins}
                 WHERE t.started_at >= ? {of_project} AND t.duration_ms IS NOT NULL
                 ORDER BY t.duration_ms DESC, t.id DESC LIMIT ?"
            ),
            values,
        }
    }

    /// The index of calls that leaves least.
    fn index(self) -> &'static str {
        match self.project {
            Some(_) => "traces_by_project",
            None => "traces_by_time",
        }
    }

    fn of_project(self, table: &str, values: &mut Vec<Sql>) -> String {
        let Some(project) = self.project else {
            return String::new();
        };
        values.push(Sql::Integer(project));
        format!("AND {table}.project_id = ?")
    }
}

impl Query {
    fn one(&self, db: &Connection) -> Result<(u64, u64)> {
        let mut select = db.prepare_cached(&self.sql)?;
        let found = select.query_row(params_from_iter(&self.values), |row| {
            Ok((counted(row, 0)?, counted(row, 1)?))
        });
        Ok(found?)
    }
}

fn counted(row: &Row<'_>, column: usize) -> rusqlite::Result<u64> {
    let count: i64 = row.get(column)?;
    Ok(u64::try_from(count).unwrap_or(0))
}

fn calls(db: &Connection, period: &Period) -> Result<Vec<StatusCount>> {
    let query = period.calls();
    let mut select = db.prepare_cached(&query.sql)?;
    let rows = select.query_map(params_from_iter(&query.values), |row| {
        let status: String = row.get(0)?;
        Ok(StatusCount {
            status: status.parse().unwrap_or(TraceStatus::Failed),
            count: counted(row, 1)?,
        })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// By what was decided, whether it counts, and by which rule.
type Group = (String, String, Option<String>);

fn decided(db: &Connection, period: &Period) -> Result<Vec<RuleDigest>> {
    let answers = answers(db, period)?;
    let query = period.decided();
    let mut select = db.prepare_cached(&query.sql)?;
    let rows = select.query_map(params_from_iter(&query.values), |row| {
        let group: Group = (row.get(0)?, row.get(1)?, row.get(2)?);
        Ok((group, counted(row, 3)?, row.get(4)?))
    })?;
    let mut groups: Vec<(Group, u64, i64)> = rows.collect::<rusqlite::Result<_>>()?;
    groups.sort_by_key(|(_, count, newest)| std::cmp::Reverse((*count, *newest)));
    let mut rules = Vec::new();
    for ((decided, enforcement, rule), count, newest) in groups {
        let Some(last) = events::by_row(db, newest)? else {
            continue;
        };
        let asked = answers.get(&(enforcement.clone(), rule.clone()));
        rules.push(RuleDigest {
            answers: asked
                .filter(|_| decided == "ask")
                .copied()
                .unwrap_or_default(),
            decision: decision::parse(&decided).unwrap_or_default(),
            enforcement: Enforcement::parse(&enforcement).unwrap_or(Enforcement::Enforced),
            rule,
            count,
            last,
        });
    }
    Ok(rules)
}

/// What became of the calls that people were asked about.
fn answers(
    db: &Connection,
    period: &Period,
) -> Result<HashMap<(String, Option<String>), AnswerCount>> {
    let query = period.asked();
    let mut select = db.prepare_cached(&query.sql)?;
    let mut rows = select.query(params_from_iter(&query.values))?;
    let mut answers: HashMap<_, AnswerCount> = HashMap::new();
    while let Some(row) = rows.next()? {
        let call: Option<String> = row.get(2)?;
        let status = match call {
            Some(id) => traces::status(db, &id)?,
            None => None,
        };
        let count = answers.entry((row.get(0)?, row.get(1)?)).or_default();
        match status {
            Some(TraceStatus::Completed | TraceStatus::Failed) => count.ran += 1,
            Some(TraceStatus::Refused) => count.refused += 1,
            _ => count.unknown += 1,
        }
    }
    Ok(answers)
}

fn failures(db: &Connection, period: &Period) -> Result<Vec<ToolFailures>> {
    let query = period.failures();
    let mut select = db.prepare_cached(&query.sql)?;
    let rows = select.query_map(params_from_iter(&query.values), |row| {
        Ok((row.get(0)?, counted(row, 1)?, row.get(2)?))
    })?;
    let mut tools: Vec<(String, u64, i64)> = rows.collect::<rusqlite::Result<_>>()?;
    tools.sort_by_key(|(_, count, newest)| std::cmp::Reverse((*count, *newest)));
    let mut failures = Vec::new();
    for (tool, count, newest) in tools.into_iter().take(MOST) {
        let last = traces::in_row(db, newest)?;
        for last in without_outputs(last.into_iter().collect()) {
            failures.push(ToolFailures {
                tool: tool.clone(),
                count,
                last,
            });
        }
    }
    Ok(failures)
}

/// What calls gave is long, and no part of a digest.
fn without_outputs(mut calls: Vec<Trace>) -> Vec<Trace> {
    for call in &mut calls {
        call.output = None;
    }
    calls
}

fn failed_hooks(db: &Connection, period: &Period) -> Result<Vec<FailedHook>> {
    let query = period.hooks();
    let mut select = db.prepare_cached(&query.sql)?;
    let mut rows = select.query(params_from_iter(&query.values))?;
    let mut failed: BTreeMap<String, FailedHook> = BTreeMap::new();
    while let Some(row) = rows.next()? {
        let at = time(row.get(0)?);
        let fired: String = row.get(1)?;
        for hook in hooks::from_text(&fired) {
            let Some(failure) = hook.failure else {
                continue;
            };
            let count = failed.get(&hook.name).map_or(0, |known| known.count);
            let newest = FailedHook {
                hook: hook.name.clone(),
                count: count + 1,
                last_failed: at,
                failure,
            };
            failed.insert(hook.name, newest);
        }
    }
    let mut failed: Vec<FailedHook> = failed.into_values().collect();
    failed.sort_by_key(|hook| std::cmp::Reverse(hook.count));
    failed.truncate(MOST);
    Ok(failed)
}
