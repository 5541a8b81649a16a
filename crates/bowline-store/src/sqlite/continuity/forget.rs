//! Removes what belongs to old, forgotten or removed things. Tasks and active efforts never go because of their age.

use rusqlite::{Connection, params};

use super::leases::OF_CHAIN;
use crate::error::Result;

/// A session of an active effort stays: the next one continues it.
pub(in crate::sqlite) const OLD_SESSIONS: &str = "SELECT s.id FROM sessions s INDEXED BY sessions_by_time
    WHERE s.last_event_at < ?1 AND NOT EXISTS (SELECT 1 FROM effort_sessions es JOIN efforts e ON e.id = es.effort_id
        WHERE es.session_id = s.id AND e.lifecycle = 'active')
    ORDER BY s.last_event_at LIMIT ?2";

/// Removes some of what is before a time; says how much.
pub(in crate::sqlite) fn before(db: &Connection, cutoff: i64, rows: i64) -> Result<usize> {
    let mut removed = 0;
    for sql in [
        "DELETE FROM messages WHERE id IN (SELECT id FROM messages WHERE at < ?1 ORDER BY at LIMIT ?2)",
        "DELETE FROM transcripts WHERE path IN (SELECT path FROM transcripts WHERE at < ?1 ORDER BY at LIMIT ?2)",
        "DELETE FROM todos WHERE chain_id IN (SELECT chain_id FROM todos WHERE at < ?1 ORDER BY at LIMIT ?2)",
        "DELETE FROM edited_files WHERE id IN (SELECT id FROM edited_files WHERE at < ?1 ORDER BY at LIMIT ?2)",
        "DELETE FROM agents WHERE id IN (SELECT id FROM agents WHERE ended_at < ?1 ORDER BY ended_at LIMIT ?2)",
        "DELETE FROM leases WHERE path IN (SELECT path FROM leases WHERE renewed_at < ?1 ORDER BY renewed_at LIMIT ?2)",
    ] {
        removed += db.prepare_cached(sql)?.execute(params![cutoff, rows])?;
    }
    let mut select = db.prepare_cached(
        "SELECT id FROM efforts INDEXED BY efforts_finished WHERE finished_at < ?1 ORDER BY finished_at LIMIT ?2",
    )?;
    let finished = select.query_map(params![cutoff, rows], |row| row.get(0))?;
    let finished: Vec<i64> = finished.collect::<rusqlite::Result<_>>()?;
    for effort in finished {
        removed += remove_effort(db, effort)?;
    }
    Ok(removed)
}

/// Removes what sessions have that are about to be removed because of their age.
pub(in crate::sqlite) fn with_old_sessions(db: &Connection, cutoff: i64, rows: i64) -> Result<()> {
    for table in ["effort_sessions", "agents"] {
        let sql = format!("DELETE FROM {table} WHERE session_id IN ({OLD_SESSIONS})");
        db.prepare_cached(&sql)?.execute(params![cutoff, rows])?;
    }
    Ok(())
}

fn remove_effort(db: &Connection, effort: i64) -> Result<usize> {
    let mut removed = 0;
    for sql in [
        "DELETE FROM phase_history WHERE effort_id = ?1",
        "DELETE FROM notes WHERE effort_id = ?1",
        "DELETE FROM effort_sessions WHERE effort_id = ?1",
        "DELETE FROM efforts WHERE id = ?1",
    ] {
        removed += db.prepare_cached(sql)?.execute([effort])?;
    }
    Ok(removed)
}

/// Removes what belongs to the sessions of a chain; says how much.
pub(in crate::sqlite) fn of_chain(db: &Connection, chain: i64, rows: i64) -> Result<usize> {
    let mut removed = db
        .prepare_cached(
            "DELETE FROM messages WHERE id IN
                (SELECT id FROM messages INDEXED BY messages_by_chain WHERE chain_id = ?1 LIMIT ?2)",
        )?
        .execute(params![chain, rows])?;
    for sql in [
        "DELETE FROM transcripts WHERE chain_id = ?1",
        "DELETE FROM todos WHERE chain_id = ?1",
        "DELETE FROM edited_files WHERE chain_id = ?1",
        "DELETE FROM notes WHERE chain_id = ?1",
        "DELETE FROM agents WHERE session_id IN (SELECT id FROM sessions INDEXED BY sessions_by_chain WHERE chain_id = ?1)",
        "DELETE FROM effort_sessions WHERE session_id IN
            (SELECT id FROM sessions INDEXED BY sessions_by_chain WHERE chain_id = ?1)",
        OF_CHAIN,
    ] {
        removed += db.prepare_cached(sql)?.execute([chain])?;
    }
    Ok(removed)
}

/// Removes what belongs to a project beside its sessions.
pub(in crate::sqlite) fn of_project(db: &Connection, project: i64) -> Result<()> {
    let mut select = db.prepare_cached(
        "SELECT id FROM efforts INDEXED BY efforts_by_project WHERE project_id = ?1",
    )?;
    let efforts = select.query_map([project], |row| row.get(0))?;
    let efforts: Vec<i64> = efforts.collect::<rusqlite::Result<_>>()?;
    for effort in efforts {
        remove_effort(db, effort)?;
    }
    for sql in [
        "DELETE FROM tasks WHERE project_id = ?1",
        "DELETE FROM notes WHERE project_id = ?1",
        "DELETE FROM skills WHERE project_id = ?1",
        "DELETE FROM agents WHERE project_id = ?1",
    ] {
        db.prepare_cached(sql)?.execute([project])?;
    }
    Ok(())
}

/// Removes everything that has no age.
pub(in crate::sqlite) fn all(db: &Connection) -> Result<()> {
    Ok(db.execute_batch(
        "DELETE FROM tasks; DELETE FROM efforts; DELETE FROM phase_history; DELETE FROM effort_sessions; DELETE FROM notes;
         DELETE FROM skills; DELETE FROM agents; DELETE FROM leases",
    )?)
}
