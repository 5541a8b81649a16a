//! What hooks remember of sessions and projects.

use rusqlite::{Connection, OptionalExtension, params};
use serde_json::Value;

use bowline_continuity::{Code, RuleError};

use super::apply::Apply;
use super::memory::{self, KnownSession};
use super::time;
use crate::error::{Error, Result};
use crate::record::{MemoryOf, RememberedSession};

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
    Ok(text.map(|text| state(&text)))
}

/// What is no JSON is given as text, so that a hook can tell it from nothing.
fn state(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| Value::from(text))
}

pub(super) const OF_SESSIONS: &str = "SELECT s.name, m.state, m.at
    FROM session_memory m INDEXED BY session_memory_by_hook CROSS JOIN sessions s ON s.id =
        (SELECT max(id) FROM sessions INDEXED BY sessions_by_chain WHERE chain_id = m.chain_id AND subagent IS NULL)
    WHERE m.hook = ?2 AND s.project_id = (SELECT id FROM projects WHERE path = ?1) ORDER BY m.at DESC LIMIT 1000";

/// What a hook remembers of the sessions of a project, the last changed first.
pub(super) fn of_sessions(
    db: &Connection,
    project: &str,
    hook: &str,
) -> Result<Vec<RememberedSession>> {
    let mut select = db.prepare_cached(OF_SESSIONS)?;
    let found = select.query_map([project, hook], |row| {
        Ok(RememberedSession {
            session: row.get(0)?,
            state: state(&row.get::<_, String>(1)?),
            at: time(row.get(2)?),
        })
    })?;
    Ok(found.collect::<rusqlite::Result<_>>()?)
}

pub(super) const CHAIN: &str = "SELECT chain_id FROM sessions INDEXED BY sessions_by_name
    WHERE name = ?1 AND subagent IS NULL ORDER BY id DESC LIMIT 1";

/// The sessions that continue each other, by the name of one of them.
pub(super) fn chain(db: &Connection, session: &str) -> Result<Option<i64>> {
    let mut select = db.prepare_cached(CHAIN)?;
    Ok(select.query_row([session], |row| row.get(0)).optional()?)
}

/// Keeps what a hook remembers outside of an event.
pub(super) fn set(
    db: &Connection,
    of: MemoryOf,
    name: &str,
    hook: &str,
    state: &Value,
    at: i64,
) -> Result<()> {
    let owner = match of {
        MemoryOf::Project => Some(memory::project_row(db, name, at)?),
        MemoryOf::Session => chain(db, name)?,
    };
    let owner = owner.ok_or_else(|| {
        let message = format!(
            "There is no session {name}. `bowline session list` shows those that there are."
        );
        Error::from(RuleError::new(Code::NotFound, message))
    })?;
    write(db, of, owner, hook, state, at)
}

pub(super) fn keep(
    apply: &Apply<'_>,
    session: &KnownSession,
    of: MemoryOf,
    hook: &str,
    state: &Value,
) -> Result<()> {
    let host = apply.host_of(session)?;
    let owner = match of {
        MemoryOf::Session => Some(host.chain),
        MemoryOf::Project => host.project,
    };
    match owner {
        Some(owner) => write(apply.db, of, owner, hook, state, apply.at),
        None => Ok(()),
    }
}

fn write(
    db: &Connection,
    of: MemoryOf,
    owner: i64,
    hook: &str,
    state: &Value,
    at: i64,
) -> Result<()> {
    let sql = match of {
        MemoryOf::Session => {
            "INSERT INTO session_memory (chain_id, hook, state, at) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT (chain_id, hook) DO UPDATE SET state = excluded.state, at = excluded.at"
        }
        MemoryOf::Project => {
            "INSERT INTO project_memory (project_id, hook, state, at) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT (project_id, hook) DO UPDATE SET state = excluded.state, at = excluded.at"
        }
    };
    let text = serde_json::to_string(state).map_err(|error| Error::Backend(error.to_string()))?;
    db.prepare_cached(sql)?
        .execute(params![owner, hook, text, at])?;
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
    fn a_hook_remembers_something_else_outside_of_an_event() {
        let folder = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(Options::new(folder.path().join("data"))).unwrap();
        let set = |of, name, state: Value| store.remember(of, name, "loops", &state);
        assert!(
            set(MemoryOf::Session, "s1", json!(1)).is_err(),
            "nobody knows it"
        );
        remember(&store, "s1", None, &json!(1));
        remember(&store, "s2", None, &json!(2));
        let before = store.continuity().foreign_writes();
        set(MemoryOf::Session, "s1", json!(7)).unwrap();
        set(MemoryOf::Project, "/p", json!(8)).unwrap();
        assert!(
            store.continuity().foreign_writes() > before,
            "whoever has a copy reads anew"
        );
        let found = store.remembered_of_sessions("/p", "loops").unwrap();
        let mut found: Vec<_> = found.into_iter().map(|it| (it.session, it.state)).collect();
        found.sort_by_key(|it| it.0.clone());
        assert_eq!(
            found,
            [("s1".to_owned(), json!(7)), ("s2".to_owned(), json!(2))]
        );
        let of_project = store.remembered(MemoryOf::Project, "/p", "loops").unwrap();
        assert_eq!(of_project, Some(json!(8)));
        assert_eq!(store.remembered_of_sessions("/other", "loops").unwrap(), []);
        assert_eq!(store.remembered_of_sessions("/p", "other").unwrap(), []);
    }

    #[test]
    fn what_is_no_json_is_not_taken_for_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(Options::new(folder.path().join("data"))).unwrap();
        remember(&store, "s1", None, &json!(1));
        let db = Connection::open(store.path()).unwrap();
        db.execute("UPDATE session_memory SET state = '{broken'", [])
            .unwrap();
        let found = store.remembered(MemoryOf::Session, "s1", "loops").unwrap();
        assert_eq!(found, Some(json!("{broken")));
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
