//! Failures of tools.

use bowline_guidance::work::{NewItem, Priority, WorkKind, WorkStatus};
use chrono::{DateTime, Utc};
use rusqlite::{Connection, OptionalExtension, Row, ToSql, params};

use super::apply::Apply;
use super::memory::KnownSession;
use super::{SqliteStore, millis, time, traces, work_items};
use crate::error::Result;
use crate::failures::{
    FailedCall, Failure, FailureFilter, FailureRef, Failures, FollowUp, FollowUpStatus, PastFailure,
};

const COLUMNS: &str = "f.id, p.path, f.tool,
    (SELECT message FROM failed_calls INDEXED BY failed_calls_by_failure WHERE failure_id = f.id ORDER BY id DESC LIMIT 1),
    f.first_at, f.last_at, f.count,
    (SELECT count(DISTINCT chain_id) FROM failed_calls INDEXED BY failed_calls_by_failure WHERE failure_id = f.id),
    CASE WHEN f.follow_up = 'open' AND f.work_item IS NOT NULL AND NOT EXISTS
        (SELECT 1 FROM work_items w WHERE w.id = f.work_item AND w.status IN ('todo', 'in_progress', 'blocked'))
        THEN 'done' ELSE f.follow_up END,
    f.follow_up_at, f.fixed_by, f.fixed_at, f.work_item";

const TIMES: &str = "c.at, f.tool, c.message, c.session, c.failure_id";

/// By both keys: the first one is better.
pub(super) const KNOWN: [&str; 2] = [
    "SELECT id FROM failures WHERE project_id = ?1 AND tool = ?2 AND signature = ?3",
    "SELECT id FROM failures INDEXED BY failures_by_beginning WHERE project_id = ?1 AND tool = ?2 AND beginning = ?3
        ORDER BY id LIMIT 1",
];

pub(super) fn one_sql() -> String {
    format!(
        "SELECT {COLUMNS} FROM failures f LEFT JOIN projects p ON p.id = f.project_id WHERE f.id = ?1"
    )
}

pub(super) fn list_sql() -> String {
    format!(
        "SELECT {COLUMNS} FROM failures f INDEXED BY failures_by_time LEFT JOIN projects p ON p.id = f.project_id
            WHERE f.last_at >= ?1 ORDER BY f.last_at DESC LIMIT ?2"
    )
}

pub(super) fn list_of_project_sql() -> String {
    format!(
        "SELECT {COLUMNS} FROM failures f INDEXED BY failures_by_project LEFT JOIN projects p ON p.id = f.project_id
            WHERE f.last_at >= ?1 AND f.project_id = ?3 ORDER BY f.last_at DESC LIMIT ?2"
    )
}

pub(super) fn times_sql() -> String {
    format!(
        "SELECT {TIMES} FROM failed_calls c INDEXED BY failed_calls_by_failure JOIN failures f ON f.id = c.failure_id
            WHERE c.failure_id = ?1 ORDER BY c.id DESC LIMIT ?2"
    )
}

/// The newest ones, oldest first; of a project if there is one.
pub(super) fn all_times_sql() -> String {
    format!(
        "SELECT {TIMES} FROM failed_calls c INDEXED BY failed_calls_by_time JOIN failures f ON f.id = c.failure_id
            WHERE c.at >= ?1 AND (?3 IS NULL OR f.project_id = ?3) ORDER BY c.at DESC LIMIT ?2"
    )
}

pub(super) const OF_CHAIN: &str = "SELECT id, failure_id FROM failed_calls INDEXED BY failed_calls_by_chain WHERE chain_id = ?1 LIMIT ?2";

fn failure(row: &Row<'_>) -> rusqlite::Result<Failure> {
    let follow_up: Option<String> = row.get(8)?;
    let since: Option<i64> = row.get(9)?;
    let work_item = row.get(12)?;
    let status = follow_up.map(|word| match word.as_str() {
        "done" => FollowUpStatus::Done,
        _ => FollowUpStatus::Open,
    });
    Ok(Failure {
        id: row.get(0)?,
        project: row.get::<_, Option<String>>(1)?.unwrap_or_default(),
        tool: row.get(2)?,
        message: row.get(3)?,
        first_seen: time(row.get(4)?),
        last_seen: time(row.get(5)?),
        count: row.get::<_, i64>(6)?.cast_unsigned(),
        sessions: row.get::<_, i64>(7)?.cast_unsigned(),
        follow_up: status.map(|status| FollowUp {
            status,
            since: time(since.unwrap_or_default()),
            work_item,
        }),
        fixed_by: row.get(10)?,
        fixed_at: row.get::<_, Option<i64>>(11)?.map(time),
    })
}

fn past(row: &Row<'_>) -> rusqlite::Result<PastFailure> {
    Ok(PastFailure {
        time: time(row.get(0)?),
        tool: row.get(1)?,
        message: row.get(2)?,
        session: row.get(3)?,
        failure: row.get(4)?,
    })
}

/// Something failed. Whoever counts up to the limit opens the follow-up: writers take turns, so that there is one.
pub(super) fn failed(
    apply: &mut Apply<'_>,
    session: &KnownSession,
    call: &FailedCall,
) -> Result<()> {
    let (db, at) = (apply.db, apply.at);
    let project = apply.memory.project(db, &call.failure.project, at)?;
    let id = if let Some(id) = find(db, project, &call.failure)? {
        db.prepare_cached(
            "UPDATE failures SET count = count + 1, last_at = max(last_at, ?2) WHERE id = ?1",
        )?
        .execute([id, at])?;
        id
    } else {
        db.prepare_cached(
            "INSERT INTO failures (project_id, tool, signature, beginning, count, first_at, last_at)
             VALUES (?1, ?2, ?3, ?4, 1, ?5, ?5)",
        )?
        .execute(params![
            project,
            call.failure.tool,
            call.failure.signature.cast_signed(),
            call.failure.beginning.cast_signed(),
            at
        ])?;
        db.last_insert_rowid()
    };
    db.prepare_cached(
        "INSERT INTO failed_calls (failure_id, chain_id, session, message, at) VALUES (?1, ?2, ?3, ?4, ?5)",
    )?
    .execute(params![
        id,
        session.chain,
        apply.record.decided.session,
        call.message,
        at
    ])?;
    open_follow_up(db, id, call, at)
}

/// Opens the follow-up of a failure that came often enough and has none.
fn open_follow_up(db: &Connection, id: i64, call: &FailedCall, at: i64) -> Result<()> {
    let due = db
        .prepare_cached(
            "SELECT count FROM failures WHERE id = ?1 AND count >= ?2 AND follow_up IS NULL AND ?2 > 0",
        )?
        .query_row(params![id, call.follow_up_after], |row| row.get(0))
        .optional()?;
    let Some(count) = due else {
        return Ok(());
    };
    let item = work_items::add(
        db,
        &call.failure.project,
        None,
        &follow_up(id, call, count),
        at,
    )?;
    db.prepare_cached(
        "UPDATE failures SET follow_up = 'open', follow_up_at = ?2, work_item = ?3 WHERE id = ?1",
    )?
    .execute(params![id, at, item.id])?;
    Ok(())
}

/// The message is not in it: that goes with the session in which it came.
fn follow_up(id: i64, call: &FailedCall, count: i64) -> NewItem {
    let tool = &call.failure.tool;
    NewItem {
        title: format!("{tool} failed {count} times in the same way: `bowline errors show {id}`"),
        kind: WorkKind::Bug,
        priority: Priority::Medium,
        status: WorkStatus::Todo,
    }
}

/// What failed before works again.
pub(super) fn fixed(
    apply: &mut Apply<'_>,
    session: &KnownSession,
    failure: &FailureRef,
    by: Option<&str>,
) -> Result<()> {
    let Some(by) = by else {
        return Ok(());
    };
    let Some(id) = find_ref(apply.db, failure)? else {
        return Ok(());
    };
    apply
        .db
        .prepare_cached(
            "UPDATE failures SET fixed_by = ?2, fixed_at = ?3, fixed_in = ?4 WHERE id = ?1",
        )?
        .execute(params![id, by, apply.at, session.chain])?;
    Ok(())
}

fn find(db: &Connection, project: i64, failure: &FailureRef) -> Result<Option<i64>> {
    for (sql, key) in KNOWN.iter().zip([failure.signature, failure.beginning]) {
        let found = db
            .prepare_cached(sql)?
            .query_row(params![project, failure.tool, key.cast_signed()], |row| {
                row.get(0)
            })
            .optional()?;
        if found.is_some() {
            return Ok(found);
        }
    }
    Ok(None)
}

fn find_ref(db: &Connection, failure: &FailureRef) -> Result<Option<i64>> {
    match traces::project(db, &failure.project)? {
        Some(project) => find(db, project, failure),
        None => Ok(None),
    }
}

fn one(db: &Connection, id: i64) -> Result<Option<Failure>> {
    Ok(db
        .prepare_cached(&one_sql())?
        .query_row([id], failure)
        .optional()?)
}

fn rows<T>(
    db: &Connection,
    sql: &str,
    values: &[&dyn ToSql],
    read: fn(&Row<'_>) -> rusqlite::Result<T>,
) -> Result<Vec<T>> {
    let mut select = db.prepare_cached(sql)?;
    let rows = select.query_map(values, read)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// The filter's time, limit and project; `None` if there is no such project.
fn bounds(db: &Connection, filter: &FailureFilter<'_>) -> Result<Option<(i64, i64, Option<i64>)>> {
    let since = filter.since.map_or(i64::MIN, millis);
    let limit = i64::try_from(filter.limit).unwrap_or(i64::MAX);
    let project = match filter.project {
        None => None,
        Some(path) => match traces::project(db, path)? {
            None => return Ok(None),
            known => known,
        },
    };
    Ok(Some((since, limit, project)))
}

impl Failures for SqliteStore {
    fn known(&self, failure: &FailureRef) -> Result<Option<Failure>> {
        self.look(|db| match find_ref(db, failure)? {
            Some(id) => one(db, id),
            None => Ok(None),
        })
    }

    fn list(&self, filter: &FailureFilter<'_>) -> Result<Vec<Failure>> {
        self.look(|db| match bounds(db, filter)? {
            None => Ok(Vec::new()),
            Some((since, limit, None)) => rows(db, &list_sql(), &[&since, &limit], failure),
            Some((since, limit, Some(project))) => {
                let values: &[&dyn ToSql] = &[&since, &limit, &project];
                rows(db, &list_of_project_sql(), values, failure)
            }
        })
    }

    fn one(&self, id: i64) -> Result<Option<Failure>> {
        self.look(|db| one(db, id))
    }

    fn times(&self, id: i64, limit: usize) -> Result<Vec<PastFailure>> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        self.look(|db| rows(db, &times_sql(), &[&id, &limit], past))
    }

    fn all_times(&self, filter: &FailureFilter<'_>) -> Result<Vec<PastFailure>> {
        self.look(|db| {
            let Some((since, limit, project)) = bounds(db, filter)? else {
                return Ok(Vec::new());
            };
            let values: &[&dyn ToSql] = &[&since, &limit, &project];
            let mut times = rows(db, &all_times_sql(), values, past)?;
            times.reverse();
            Ok(times)
        })
    }

    fn close_follow_up(&self, id: i64, at: DateTime<Utc>) -> Result<Option<Failure>> {
        self.change(move |db| {
            let before = one(db, id)?;
            db.prepare_cached(
                "UPDATE failures SET follow_up = 'done', follow_up_at = ?2
                 WHERE id = ?1 AND (follow_up IS NULL OR follow_up <> 'done')",
            )?
            .execute([id, millis(at)])?;
            let follow_up = before.as_ref().and_then(|it| Some((it, it.follow_up?)));
            if let Some((failure, follow_up)) = follow_up
                && follow_up.status == FollowUpStatus::Open
                && let Some(item) = follow_up.work_item
            {
                work_items::change(
                    db,
                    &failure.project,
                    None,
                    item,
                    WorkStatus::Done,
                    millis(at),
                )?;
            }
            Ok(before)
        })
    }

    fn forget_failure(&self, id: i64) -> Result<Option<Failure>> {
        self.change_uncopied(move |db| {
            let before = one(db, id)?;
            remove(db, id)?;
            Ok(before)
        })
    }
}

fn remove(db: &Connection, id: i64) -> Result<()> {
    db.prepare_cached("DELETE FROM failed_calls WHERE failure_id = ?1")?
        .execute([id])?;
    db.prepare_cached("DELETE FROM failures WHERE id = ?1")?
        .execute([id])?;
    Ok(())
}

/// Removes some of what is before a time; says how much.
pub(super) fn before(db: &Connection, cutoff: i64, limit: i64) -> Result<usize> {
    let times = db
        .prepare_cached(
            "DELETE FROM failed_calls WHERE id IN
                (SELECT id FROM failed_calls INDEXED BY failed_calls_by_time WHERE at < ?1 ORDER BY at LIMIT ?2)",
        )?
        .execute(params![cutoff, limit])?;
    let failures = db
        .prepare_cached(
            "DELETE FROM failures WHERE id IN
                (SELECT id FROM failures INDEXED BY failures_by_time WHERE last_at < ?1 ORDER BY last_at LIMIT ?2)",
        )?
        .execute(params![cutoff, limit])?;
    Ok(times + failures)
}

/// Removes some of what failed in sessions that continue each other, and what put an end to failures there. A failure that came nowhere
/// else is removed as a whole.
pub(super) fn of_chain(db: &Connection, chain: i64, limit: i64) -> Result<usize> {
    let of_chain: Vec<(i64, i64)> = db
        .prepare_cached(OF_CHAIN)?
        .query_map([chain, limit], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<rusqlite::Result<_>>()?;
    let mut delete = db.prepare_cached("DELETE FROM failed_calls WHERE id = ?1")?;
    let mut if_alone = db.prepare_cached(
        "DELETE FROM failures WHERE id = ?1 AND NOT EXISTS
            (SELECT 1 FROM failed_calls INDEXED BY failed_calls_by_failure WHERE failure_id = ?1)",
    )?;
    for (call, failure) in &of_chain {
        delete.execute([call])?;
        if_alone.execute([failure])?;
    }
    let fixes = db
        .prepare_cached(
            "UPDATE failures INDEXED BY failures_by_fix SET fixed_by = NULL, fixed_at = NULL, fixed_in = NULL WHERE fixed_in = ?1",
        )?
        .execute([chain])?;
    Ok(of_chain.len() + fixes)
}

/// Removes the failures of a project.
pub(super) fn of_project(db: &Connection, project: i64) -> Result<()> {
    let failures: Vec<i64> = db
        .prepare_cached(
            "SELECT id FROM failures INDEXED BY failures_by_project WHERE project_id = ?1",
        )?
        .query_map([project], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    failures.into_iter().try_for_each(|id| remove(db, id))
}

/// Removes all of them.
pub(super) fn all(db: &Connection) -> Result<()> {
    Ok(db.execute_batch("DELETE FROM failed_calls; DELETE FROM failures")?)
}

#[cfg(test)]
mod tests;
