//! Sessions of efforts: bound, counted, dehydrated.

use bowline_continuity::action::Who;
use bowline_continuity::effort::EffortId;
use bowline_continuity::session::{Dehydrated, SessionState};
use bowline_continuity::{Code, RuleError};
use rusqlite::{Connection, OptionalExtension, params};

use super::rows::to_json;
use super::{agents, efforts, resolve, rows};
use crate::caps;
use crate::error::Result;

/// Which effort a session belongs to.
pub(super) const EFFORT_OF: &str = "SELECT effort_id FROM effort_sessions WHERE session_id = ?1";

/// The newest session of an effort.
pub(super) const NEWEST: &str =
    "SELECT session_id FROM effort_sessions INDEXED BY effort_sessions_by_effort
    WHERE effort_id = ?1 ORDER BY session_id DESC LIMIT 1";

/// A new session of an active effort. It continues the newest one before it; sub-agents neither continue nor are continued.
pub(super) const JOIN: &str =
    "INSERT INTO effort_sessions (session_id, effort_id, previous_id, last_heartbeat_at, transcript_path, created_at)
    SELECT s.id, e.id, CASE WHEN s.subagent IS NULL THEN
            (SELECT o.session_id FROM effort_sessions o INDEXED BY effort_sessions_by_effort
                CROSS JOIN sessions os ON os.id = o.session_id
             WHERE o.effort_id = ?2 AND o.session_id < ?1 AND os.subagent IS NULL ORDER BY o.session_id DESC LIMIT 1) END,
        ?4, ?3, ?4
    FROM efforts e JOIN sessions s WHERE e.id = ?2 AND e.lifecycle = 'active' AND s.id = ?1";

/// Binds a session to an effort. One that is unknown or finished is not joined.
pub(super) fn join(
    db: &Connection,
    session: i64,
    effort: EffortId,
    transcript: Option<&str>,
    at: i64,
) -> Result<()> {
    let joined: Option<i64> = db
        .prepare_cached(EFFORT_OF)?
        .query_row([session], |row| row.get(0))
        .optional()?;
    match joined {
        Some(joined) if joined == effort.0 => {
            if transcript.is_some() {
                db.prepare_cached(
                    "UPDATE effort_sessions SET transcript_path = ?2 WHERE session_id = ?1",
                )?
                .execute(params![session, transcript])?;
            }
            return Ok(());
        }
        Some(_) => {
            db.prepare_cached("DELETE FROM effort_sessions WHERE session_id = ?1")?
                .execute([session])?;
        }
        None => {}
    }
    db.prepare_cached(JOIN)?
        .execute(params![session, effort.0, transcript, at])?;
    Ok(())
}

/// Binds the session and the agent of somebody to an effort, as far as they are known.
pub(super) fn bind(db: &Connection, who: &Who, effort: EffortId, at: i64) -> Result<()> {
    let session = resolve::session_row(db, who)?;
    if let Some(session) = session {
        join(db, session.id, effort, None, at)?;
    }
    match (&who.agent_id, session) {
        (Some(id), _) => agents::bind(db, id, effort, at),
        (None, Some(session)) => agents::bind_session(db, session.id, effort),
        (None, None) => Ok(()),
    }
}

/// The heartbeats of the open sessions of an effort begin anew, and that of the one that asks.
pub(super) fn reset_open(db: &Connection, effort: EffortId, who: &Who, at: i64) -> Result<()> {
    let own = resolve::session_row(db, who)?.map(|session| session.id);
    db.prepare_cached(
        "UPDATE effort_sessions SET heartbeat = 0, last_heartbeat_at = ?2
         WHERE effort_id = ?1 AND (session_id = ?3 OR EXISTS
            (SELECT 1 FROM sessions s WHERE s.id = effort_sessions.session_id AND s.status <> 'ended'))",
    )?
    .execute(params![effort.0, at, own])?;
    Ok(())
}

/// The heartbeat of the session that asks begins anew, with those of its sub-agents: the environment of a command does not say which of
/// them ran it. If it is no session of the effort's, those of all open ones do.
pub(super) fn reset_own(db: &Connection, effort: EffortId, who: &Who, at: i64) -> Result<()> {
    if let Some(own) = resolve::session_row(db, who)? {
        let reset = db
            .prepare_cached(
                "UPDATE effort_sessions SET heartbeat = 0, last_heartbeat_at = ?3
                 WHERE effort_id = ?1 AND (session_id = ?2 OR ?5 IS NULL AND session_id IN
                    (SELECT id FROM sessions INDEXED BY sessions_by_name WHERE name = ?4 AND status <> 'ended'))",
            )?
            .execute(params![effort.0, own.id, at, who.session, who.subagent])?;
        if reset > 0 {
            return Ok(());
        }
    }
    reset_open(db, effort, who, at)
}

pub(super) fn dehydrate(
    db: &Connection,
    who: &Who,
    effort: EffortId,
    payload: &Dehydrated,
    at: i64,
) -> Result<SessionState> {
    efforts::active(db, effort)?;
    let text = to_json(payload)?;
    if text.len() > caps::VALUE {
        let most = caps::VALUE / 1024;
        let message = format!(
            "What is left for the next session is {} KB, and at most {most} KB are kept. Shorten it.",
            text.len() / 1024
        );
        return Err(RuleError::new(Code::CommandError, message).into());
    }
    let session = leaving(db, who, effort, at)?.ok_or_else(|| {
        RuleError::new(
            Code::NotFound,
            format!(
                "No session of an agent works on effort {}, so that there is nobody who leaves something. Log it instead: `bowline effort log \"…\"`.",
                effort.0
            ),
        )
    })?;
    db.prepare_cached(
        "UPDATE effort_sessions SET dehydrated = ?2, claimed_by = NULL WHERE session_id = ?1",
    )?
    .execute(params![session, text])?;
    efforts::take_key(db, effort, "dehydrating")?;
    rows::state(db, session)?.ok_or_else(|| {
        RuleError::new(Code::NotFound, format!("There is no session {session}.")).into()
    })
}

/// The session that leaves something: the one that asks, else the newest open one of the effort, else its newest. One that asks for an
/// effort that is not its own stays in its own.
fn leaving(db: &Connection, who: &Who, effort: EffortId, at: i64) -> Result<Option<i64>> {
    let meant = resolve::find(db, who)?.effort.map(|effort| effort.id);
    if meant == Some(effort)
        && let Some(own) = resolve::session_row(db, who)?
    {
        join(db, own.id, effort, None, at)?;
        return Ok(Some(own.id));
    }
    if let Some(open) = resolve::open_session(db, effort)? {
        return Ok(Some(open.session));
    }
    Ok(db
        .prepare_cached(NEWEST)?
        .query_row([effort.0], |row| row.get(0))
        .optional()?)
}
