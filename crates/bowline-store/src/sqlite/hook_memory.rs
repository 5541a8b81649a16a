//! What hooks remember of sessions and projects.

use rusqlite::{Connection, OptionalExtension, params};
use serde_json::Value;

use super::apply::Apply;
use super::memory::KnownSession;
use crate::error::{Error, Result};
use crate::record::MemoryOf;

pub(super) const OF_SESSION: &str = "SELECT state FROM session_memory WHERE hook = ?2 AND chain_id =
    (SELECT chain_id FROM sessions INDEXED BY sessions_by_name WHERE name = ?1 AND subagent IS NULL ORDER BY id DESC LIMIT 1)";
pub(super) const OF_PROJECT: &str = "SELECT state FROM project_memory
    WHERE hook = ?2 AND project_id = (SELECT id FROM projects WHERE path = ?1)";

/// What a hook remembers of a session by its name, or of a project by its folder.
pub(super) fn find(db: &Connection, of: MemoryOf, name: &str, hook: &str) -> Result<Option<Value>> {
    let sql = match of {
        MemoryOf::Session => OF_SESSION,
        MemoryOf::Project => OF_PROJECT,
    };
    let text: Option<String> = db
        .prepare_cached(sql)?
        .query_row([name, hook], |row| row.get(0))
        .optional()?;
    // A hook that cannot read what it wrote begins anew.
    Ok(text.and_then(|text| serde_json::from_str(&text).ok()))
}

pub(super) fn keep(
    apply: &Apply<'_>,
    session: &KnownSession,
    of: MemoryOf,
    hook: &str,
    state: &Value,
) -> Result<()> {
    let host = apply.host_of(session)?;
    let (sql, owner) = match of {
        MemoryOf::Session => (
            "INSERT INTO session_memory (chain_id, hook, state, at) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT (chain_id, hook) DO UPDATE SET state = excluded.state, at = excluded.at",
            Some(host.chain),
        ),
        MemoryOf::Project => (
            "INSERT INTO project_memory (project_id, hook, state, at) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT (project_id, hook) DO UPDATE SET state = excluded.state, at = excluded.at",
            host.project,
        ),
    };
    let Some(owner) = owner else {
        return Ok(());
    };
    let text = serde_json::to_string(state).map_err(|error| Error::Backend(error.to_string()))?;
    apply
        .db
        .prepare_cached(sql)?
        .execute(params![owner, hook, text, apply.at])?;
    Ok(())
}

/// Removes some of what is before a time; says how much.
pub(super) fn before(db: &Connection, cutoff: i64, rows: i64) -> Result<usize> {
    Ok(db
        .prepare_cached(
            "DELETE FROM session_memory WHERE (chain_id, hook) IN
                (SELECT chain_id, hook FROM session_memory INDEXED BY session_memory_by_time WHERE at < ?1 ORDER BY at LIMIT ?2)",
        )?
        .execute(params![cutoff, rows])?)
}

/// Removes what is remembered of sessions that continue each other.
pub(super) fn of_chain(db: &Connection, chain: i64) -> Result<usize> {
    Ok(db
        .prepare_cached("DELETE FROM session_memory WHERE chain_id = ?1")?
        .execute([chain])?)
}

/// Removes what is remembered of a project.
pub(super) fn of_project(db: &Connection, project: i64) -> Result<()> {
    db.prepare_cached("DELETE FROM project_memory WHERE project_id = ?1")?
        .execute([project])?;
    Ok(())
}

/// Removes everything that has no age.
pub(super) fn all(db: &Connection) -> Result<()> {
    Ok(db.execute_batch("DELETE FROM session_memory; DELETE FROM project_memory")?)
}

#[cfg(test)]
mod tests {
    use chrono::Utc;
    use serde_json::json;

    use super::super::{Options, SqliteStore};
    use super::*;
    use crate::record::{Change, Record, Subagent};
    use crate::store::{Forget, Store};

    fn remember(store: &SqliteStore, session: &str, subagent: Option<&str>, state: &Value) {
        let id = format!("{session}-{state}");
        let mut record = Record::new(id, Utc::now(), "claude-code", "PreToolUse", session);
        record.decided.project = Some("/p".to_owned());
        record.decided.subagent = subagent.map(|id| Subagent {
            id: id.to_owned(),
            kind: String::new(),
        });
        for of in [MemoryOf::Session, MemoryOf::Project] {
            let (hook, state) = ("loops".to_owned(), state.clone());
            record.changes.push(Change::Remembered { of, hook, state });
        }
        store.submit(record, Box::new(|_| {}));
        store.flush().unwrap();
    }

    #[test]
    fn what_was_remembered_last_is_found_until_it_is_forgotten() {
        let folder = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(Options::new(folder.path().join("data"))).unwrap();
        let of = |of, name| store.remembered(of, name, "loops").unwrap();
        assert_eq!(of(MemoryOf::Session, "s1"), None);
        remember(&store, "s1", None, &json!(1));
        remember(&store, "s1", Some("helper"), &json!(2));
        remember(&store, "s2", None, &json!(3));
        assert_eq!(of(MemoryOf::Session, "s1"), Some(json!(2)));
        assert_eq!(of(MemoryOf::Session, "s2"), Some(json!(3)));
        assert_eq!(of(MemoryOf::Project, "/p"), Some(json!(3)));
        assert_eq!(
            store.remembered(MemoryOf::Session, "s1", "x").unwrap(),
            None
        );
        store.forget(Forget::Session("s1")).unwrap();
        assert_eq!(of(MemoryOf::Session, "s1"), None);
        assert_eq!(of(MemoryOf::Project, "/p"), Some(json!(3)));
        store.forget(Forget::Project("/p")).unwrap();
        assert_eq!(of(MemoryOf::Session, "s2"), None);
        assert_eq!(of(MemoryOf::Project, "/p"), None);
    }
}
