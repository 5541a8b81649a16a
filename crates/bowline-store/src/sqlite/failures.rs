//! Failures of tools.

use chrono::{DateTime, Utc};
use rusqlite::{Connection, OptionalExtension, Row, ToSql, params};

use super::apply::Apply;
use super::memory::KnownSession;
use super::{SqliteStore, millis, time, traces};
use crate::error::Result;
use crate::failures::{
    FailedCall, Failure, FailureFilter, FailureRef, Failures, FollowUp, FollowUpStatus, PastFailure,
};

const COLUMNS: &str = "f.id, p.path, f.tool,
    (SELECT message FROM failed_calls INDEXED BY failed_calls_by_failure WHERE failure_id = f.id ORDER BY id DESC LIMIT 1),
    f.first_at, f.last_at, f.count,
    (SELECT count(DISTINCT chain_id) FROM failed_calls INDEXED BY failed_calls_by_failure WHERE failure_id = f.id),
    f.follow_up, f.follow_up_at, f.fixed_by, f.fixed_at";

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
    let Some(project) = project_of(apply)? else {
        return Ok(());
    };
    let (db, at) = (apply.db, apply.at);
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
    open_follow_up(db, id, call.follow_up_after, at)
}

/// The project of the event, which may be another one than that of its session.
fn project_of(apply: &mut Apply<'_>) -> Result<Option<i64>> {
    let path = apply.record.decided.project.as_deref();
    path.map(|path| apply.memory.project(apply.db, path, apply.at))
        .transpose()
}

/// Opens the follow-up of a failure that came often enough and has none: here a work item could be made as well.
fn open_follow_up(db: &Connection, id: i64, after: u32, at: i64) -> Result<()> {
    db.prepare_cached(
        "UPDATE failures SET follow_up = 'open', follow_up_at = ?3
         WHERE id = ?1 AND count >= ?2 AND follow_up IS NULL AND ?2 > 0",
    )?
    .execute(params![id, after, at])?;
    Ok(())
}

/// What failed before works again.
pub(super) fn fixed(
    apply: &mut Apply<'_>,
    session: &KnownSession,
    failure: &FailureRef,
    by: Option<&str>,
) -> Result<()> {
    let (Some(project), Some(by)) = (project_of(apply)?, by) else {
        return Ok(());
    };
    let Some(id) = find(apply.db, project, failure)? else {
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
    fn known(&self, project: &str, failure: &FailureRef) -> Result<Option<Failure>> {
        self.look(|db| {
            let Some(project) = traces::project(db, project)? else {
                return Ok(None);
            };
            match find(db, project, failure)? {
                Some(id) => one(db, id),
                None => Ok(None),
            }
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
        self.change_uncopied(move |db| {
            let before = one(db, id)?;
            db.prepare_cached(
                "UPDATE failures SET follow_up = 'done', follow_up_at = ?2
                 WHERE id = ?1 AND (follow_up IS NULL OR follow_up <> 'done')",
            )?
            .execute([id, millis(at)])?;
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
mod tests {
    use std::sync::Arc;

    use super::super::Options;
    use super::*;
    use crate::record::{Change, Record};
    use crate::store::{Forget, Store};

    fn open() -> (tempfile::TempDir, SqliteStore) {
        let folder = tempfile::tempdir().unwrap();
        let mut options = Options::new(folder.path().join("data"));
        options.deadline = std::time::Duration::from_secs(30);
        let store = SqliteStore::open(options).unwrap();
        (folder, store)
    }

    fn a_failure(signature: u64, beginning: u64) -> FailureRef {
        FailureRef {
            tool: "Bash".to_owned(),
            signature,
            beginning,
        }
    }

    fn submit(store: &dyn Store, id: &str, session: &str, change: Change) {
        let mut record = Record::new(id, Utc::now(), "claude-code", "PostToolUse", session);
        record.decided.project = Some("/p".to_owned());
        record.changes.push(change);
        store.submit(record, Box::new(|_| {}));
        store.flush().unwrap();
    }

    fn fail(store: &dyn Store, id: &str, session: &str, failure: &FailureRef) {
        let call = FailedCall {
            failure: failure.clone(),
            message: Some(format!("boom in {session}")),
            follow_up_after: 3,
        };
        submit(store, id, session, Change::Failed(call));
    }

    fn all(store: &SqliteStore) -> Vec<Failure> {
        let filter = FailureFilter {
            limit: 100,
            ..FailureFilter::default()
        };
        Failures::list(store, &filter).unwrap()
    }

    /// An id that has a time, and is known again whenever it is handed over.
    fn timed(n: usize) -> String {
        format!("01a3185c5000-{n}")
    }

    #[test]
    fn f27_b_the_third_time_opens_one_follow_up_and_the_fourth_none() {
        let (_folder, store) = open();
        let boom = a_failure(1, 10);
        let follow_up = |store: &SqliteStore| all(store)[0].follow_up;
        for (n, session) in ["s1", "s1", "s2", "s2", "s3"].iter().enumerate() {
            fail(&store, &timed(n), session, &boom);
            assert_eq!(follow_up(&store).is_some(), n >= 2, "{n}");
        }
        // A record that is handed over twice counts once.
        fail(&store, &timed(4), "s3", &boom);
        let found = all(&store);
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].count, found[0].sessions), (5, 3));
        assert_eq!(found[0].message.as_deref(), Some("boom in s3"));
        let since = follow_up(&store).unwrap().since;
        assert_eq!(store.times(found[0].id, 100).unwrap().len(), 5);
        store.close_follow_up(found[0].id, Utc::now()).unwrap();
        fail(&store, "e6", "s4", &boom);
        let closed = follow_up(&store).unwrap();
        assert_eq!(closed.status, FollowUpStatus::Done);
        assert!(closed.since >= since);
    }

    #[test]
    fn f27_b_two_writers_at_once_open_one_follow_up() {
        let (folder, store) = open();
        let other = SqliteStore::open(Options::new(folder.path().join("data"))).unwrap();
        let stores: [Arc<SqliteStore>; 2] = [Arc::new(store), Arc::new(other)];
        std::thread::scope(|scope| {
            for (who, store) in stores.iter().enumerate() {
                scope.spawn(move || {
                    for n in 0..10 {
                        fail(
                            &**store,
                            &format!("{who}-{n}"),
                            &format!("s{who}"),
                            &a_failure(7, 70),
                        );
                    }
                });
            }
        });
        for store in &stores {
            store.flush().unwrap();
        }
        let found = all(&stores[0]);
        assert_eq!((found.len(), found[0].count, found[0].sessions), (1, 20, 2));
        assert_eq!(found[0].follow_up.unwrap().status, FollowUpStatus::Open);
    }

    #[test]
    fn a_message_that_begins_alike_is_the_same_and_another_tool_is_not() {
        let (_folder, store) = open();
        fail(&store, "a", "s", &a_failure(1, 10));
        fail(&store, "b", "s", &a_failure(2, 10));
        fail(&store, "c", "s", &a_failure(1, 11));
        let other = FailureRef {
            tool: "Edit".to_owned(),
            ..a_failure(1, 10)
        };
        fail(&store, "d", "s", &other);
        let counts: Vec<u64> = all(&store).iter().map(|failure| failure.count).collect();
        assert_eq!(counts, [1, 3]);
        assert_eq!(
            store.known("/p", &a_failure(2, 10)).unwrap().unwrap().count,
            3
        );
        assert_eq!(store.known("/q", &a_failure(1, 10)).unwrap(), None);
    }

    #[test]
    fn what_is_forgotten_of_failures_is_gone() {
        let (_folder, store) = open();
        let fixed = |failure: &FailureRef, by: &str| Change::FailureFixed {
            failure: failure.clone(),
            by: Some(by.to_owned()),
        };
        let (both, alone) = (a_failure(1, 1), a_failure(2, 2));
        fail(&store, "a", "s1", &both);
        fail(&store, "b", "s2", &both);
        fail(&store, "c", "s1", &alone);
        submit(&store, "d", "s1", fixed(&both, "in s1"));
        submit(&store, "e", "s2", fixed(&a_failure(9, 9), "nothing"));
        assert_eq!(all(&store)[1].fixed_by.as_deref(), Some("in s1"));
        store.forget(Forget::Session("s1")).unwrap();
        let left = all(&store);
        assert_eq!(left.len(), 1);
        assert_eq!(left[0].message.as_deref(), Some("boom in s2"));
        assert_eq!((left[0].fixed_by.as_deref(), left[0].sessions), (None, 1));
        assert_eq!(
            store.forget_failure(left[0].id).unwrap(),
            Some(left[0].clone())
        );
        assert_eq!(store.forget_failure(left[0].id).unwrap(), None);
        for what in [
            Forget::Project("/p"),
            Forget::Before(Utc::now() + chrono::TimeDelta::days(1)),
            Forget::All,
        ] {
            fail(&store, &format!("{what:?}"), "s1", &both);
            assert_eq!(all(&store).len(), 1);
            store.forget(what).unwrap();
            assert_eq!(all(&store), []);
        }
    }
}
