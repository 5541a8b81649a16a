//! Who writes which file.
//!
//! A chain of sessions is known here by the name of its first session: a session may write before anything else of it is recorded. That
//! the holder is active is seen by its sessions, so that nothing has to be written for it.

use bowline_continuity::lease::{Holder, Lease, LeaseAnswer, LeaseRequest, ask};
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::super::{millis, time};
use super::{agents, resolve};
use crate::error::Result;

/// More leases are not kept; the oldest go.
const MAX_LEASES: i64 = 10_000;
/// At most this many old leases are looked at when one is taken.
const TIDIED: i64 = 20;

const COLUMNS: &str = "path, chain, session, label, folder, doing, taken_at, renewed_at";

pub(super) fn one_sql() -> String {
    format!("SELECT {COLUMNS} FROM leases WHERE path = ?1")
}

pub(super) fn list_sql() -> String {
    format!(
        "SELECT {COLUMNS} FROM leases INDEXED BY leases_by_time WHERE renewed_at >= 0 ORDER BY renewed_at DESC LIMIT ?1"
    )
}

pub(super) fn old_sql() -> String {
    format!(
        "SELECT {COLUMNS} FROM leases INDEXED BY leases_by_time WHERE renewed_at <= ?1 ORDER BY renewed_at LIMIT {TIDIED}"
    )
}

/// The first session of a session's chain, and the program.
pub(super) const CHAIN: &str = "SELECT f.name, s.agent FROM sessions s INDEXED BY sessions_by_name
    LEFT JOIN sessions f ON f.id = s.chain_id WHERE s.name = ?1 AND s.subagent IS NULL ORDER BY s.id DESC LIMIT 1";

/// When the sessions of a chain were last heard of, sub-agents included.
pub(super) const HEARD_OF: &str =
    "SELECT max(last_event_at) FROM sessions INDEXED BY sessions_by_chain WHERE chain_id = ?1";

pub(super) const OF_CHAIN: &str = "DELETE FROM leases WHERE chain IN
    (SELECT name FROM sessions INDEXED BY sessions_by_chain WHERE chain_id = ?1)";

pub(super) const TOO_MANY: &str =
    "DELETE FROM leases WHERE path IN (SELECT path FROM leases INDEXED BY leases_by_time
    WHERE renewed_at >= 0 ORDER BY renewed_at DESC LIMIT -1 OFFSET ?1)";

fn lease(row: &Row<'_>) -> rusqlite::Result<Lease> {
    Ok(Lease {
        path: row.get(0)?,
        holder: Holder {
            chain: row.get(1)?,
            session: row.get(2)?,
            label: row.get(3)?,
            folder: row.get(4)?,
        },
        doing: row.get(5)?,
        taken_at: time(row.get(6)?),
        renewed_at: time(row.get(7)?),
    })
}

fn one(db: &Connection, path: &str) -> Result<Option<Lease>> {
    Ok(db
        .prepare_cached(&one_sql())?
        .query_row([path], lease)
        .optional()?)
}

/// Takes all files for a session, or none if another one has one of them. One answer for each.
pub(super) fn take(db: &Connection, request: &LeaseRequest) -> Result<Vec<LeaseAnswer>> {
    let by = holder(db, request)?;
    let mut answers = Vec::new();
    let mut leases = Vec::new();
    for path in &request.paths {
        let before = one(db, path)?;
        let before = match before {
            Some(lease) if lease.holder.chain != by.chain => Some(as_it_is_now(db, lease)?),
            other => other,
        };
        let answer = ask(before.as_ref(), &by, request.at, request.expiry);
        leases.extend(answer.lease(before.as_ref(), path, &by, request.at, &request.doing));
        answers.push(answer);
    }
    if leases.len() == request.paths.len() {
        leases.iter().try_for_each(|lease| keep(db, lease))?;
        if !answers.iter().all(|it| *it == LeaseAnswer::Renewed) {
            tidy(db, request)?;
        }
    }
    Ok(answers)
}

fn holder(db: &Connection, request: &LeaseRequest) -> Result<Holder> {
    let known: Option<(Option<String>, String)> = db
        .prepare_cached(CHAIN)?
        .query_row([&request.session], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    let (chain, agent) = known.unwrap_or_default();
    let label = request.agent_id.clone().unwrap_or(agent);
    Ok(Holder {
        chain: chain.unwrap_or_else(|| request.session.clone()),
        session: request.session.clone(),
        label: if label.is_empty() {
            "an agent".to_owned()
        } else {
            label
        },
        folder: request.folder.clone(),
    })
}

/// With what is known of its holder: when it was last active, and what it does.
fn as_it_is_now(db: &Connection, mut lease: Lease) -> Result<Lease> {
    let Some(session) = resolve::row_named(db, &lease.holder.session, None)? else {
        return Ok(lease);
    };
    let heard: Option<i64> = db
        .prepare_cached(HEARD_OF)?
        .query_row([session.chain], |row| row.get(0))?;
    if let Some(heard) = heard {
        lease.renewed_at = lease.renewed_at.max(time(heard));
    }
    Ok(match agents::of_session(db, session.id)? {
        Some(agent) => lease.with_agent(&agent),
        None => lease,
    })
}

fn keep(db: &Connection, lease: &Lease) -> Result<()> {
    db.prepare_cached(&format!(
        "INSERT OR REPLACE INTO leases ({COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)"
    ))?
    .execute(params![
        lease.path,
        lease.holder.chain,
        lease.holder.session,
        lease.holder.label,
        lease.holder.folder,
        lease.doing,
        millis(lease.taken_at),
        millis(lease.renewed_at),
    ])?;
    Ok(())
}

/// Removes some leases whose holders have not been active for too long, and what is too much.
fn tidy(db: &Connection, request: &LeaseRequest) -> Result<()> {
    let Some(cutoff) = request.at.checked_sub_signed(request.expiry) else {
        return Ok(());
    };
    let old: Vec<Lease> = db
        .prepare_cached(&old_sql())?
        .query_map([millis(cutoff)], lease)?
        .collect::<rusqlite::Result<_>>()?;
    for lease in old {
        let lease = as_it_is_now(db, lease)?;
        if lease.renewed_at <= cutoff {
            remove(db, &lease.path)?;
        } else {
            keep(db, &lease)?;
        }
    }
    db.prepare_cached(TOO_MANY)?.execute([MAX_LEASES])?;
    Ok(())
}

pub(super) fn list(db: &Connection, limit: usize) -> Result<Vec<Lease>> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let leases: Vec<Lease> = db
        .prepare_cached(&list_sql())?
        .query_map([limit], lease)?
        .collect::<rusqlite::Result<_>>()?;
    let mut leases: Vec<Lease> = leases
        .into_iter()
        .map(|lease| as_it_is_now(db, lease))
        .collect::<Result<_>>()?;
    leases.sort_by_key(|lease| std::cmp::Reverse(lease.renewed_at));
    Ok(leases)
}

/// Ends leases; gives back those that there were.
pub(super) fn release(db: &Connection, paths: &[String]) -> Result<Vec<Lease>> {
    let mut released = Vec::new();
    for path in paths {
        if let Some(lease) = one(db, path)? {
            remove(db, path)?;
            released.push(lease);
        }
    }
    Ok(released)
}

fn remove(db: &Connection, path: &str) -> Result<()> {
    db.prepare_cached("DELETE FROM leases WHERE path = ?1")?
        .execute([path])?;
    Ok(())
}

/// A chain of sessions is over.
pub(in crate::sqlite) fn end_leases(db: &Connection, chain: i64) -> Result<usize> {
    Ok(db.prepare_cached(OF_CHAIN)?.execute([chain])?)
}
