//! What a session that begins is told.

use bowline_continuity::action::{HandOver, Origin, Who};
use bowline_continuity::effort::EffortId;
use bowline_continuity::note::Todo;
use bowline_continuity::session::Dehydrated;
use rusqlite::{Connection, OptionalExtension, params};

use super::rows::from_json;
use super::{notes, resolve};
use crate::error::Result;

/// What was left for this call, or for anybody. What the call has got already comes first.
pub(super) const LEFT: &str =
    "SELECT session_id, dehydrated, claimed_by FROM effort_sessions INDEXED BY effort_sessions_left
    WHERE effort_id = ?1 AND dehydrated IS NOT NULL AND (claimed_by IS NULL OR claimed_by = ?2)
    ORDER BY claimed_by IS NULL, session_id DESC LIMIT 1";

/// No call has this name.
const NOBODY: &str = "";

/// The last sessions of a project in this folder, and then in any, but for those under this name.
pub(super) const IN_FOLDER: &str =
    "SELECT a.chain_id FROM agents a INDEXED BY agents_by_folder JOIN sessions s ON s.id = a.session_id
    WHERE a.project_id = ?1 AND a.folder = ?2 AND s.name IS NOT ?3 ORDER BY a.session_id DESC LIMIT 10";
pub(super) const IN_PROJECT: &str =
    "SELECT chain_id FROM sessions INDEXED BY sessions_by_project
    WHERE project_id = ?1 AND subagent IS NULL AND name IS NOT ?2 ORDER BY last_event_at DESC LIMIT 10";

pub(super) const LAST_PROMPT: &str = "SELECT text FROM prompts INDEXED BY prompts_by_chain
    WHERE chain_id = ?1 AND text IS NOT NULL ORDER BY at DESC LIMIT 1";
pub(super) const TODOS: &str = "SELECT content FROM todos WHERE chain_id = ?1";
pub(super) const EDITED: &str = "SELECT path FROM edited_files INDEXED BY edited_files_by_chain
    WHERE chain_id = ?1 ORDER BY id DESC LIMIT 50";

/// What is handed over, and the payload that must be claimed first.
pub(super) struct Prepared {
    pub(super) told: HandOver,
    pub(super) unclaimed: Option<EffortId>,
}

pub(super) fn prepare(db: &Connection, who: &Who, call: &str) -> Result<Prepared> {
    let found = resolve::find(db, who)?;
    let effort = found.effort.as_ref().map(|effort| effort.id);
    let project = found.project.map(|project| project.id);
    let mut told = HandOver {
        notes: notes::list(db, project, effort)?,
        effort: found.effort,
        ..HandOver::default()
    };
    let mut unclaimed = None;
    // A sub-agent is told by the one that it works for.
    if who.subagent.is_some() {
        return Ok(Prepared { told, unclaimed });
    }
    if let Some(effort) = effort
        && let Some(left) = left(db, effort, call)?
    {
        match left.claimed_by {
            Some(_) => told.dehydrated = left.payload(),
            None => unclaimed = Some(effort),
        }
    }
    for (chain, from) in before(db, who, project)? {
        let last_prompt = one(db, LAST_PROMPT, chain)?;
        let todos: Vec<Todo> = from_json(&one(db, TODOS, chain)?.unwrap_or_default());
        let mut select = db.prepare_cached(EDITED)?;
        let edited = select.query_map([chain], |row| row.get(0))?;
        let edited: Vec<String> = edited.collect::<rusqlite::Result<_>>()?;
        if last_prompt.is_some() || !todos.is_empty() || !edited.is_empty() {
            told.from = from;
            told.last_prompt = last_prompt;
            told.todos = todos;
            told.edited_files = edited;
            break;
        }
    }
    Ok(Prepared { told, unclaimed })
}

/// The to-do list of a session.
pub(super) fn todos_of(db: &Connection, session: &str) -> Result<Vec<Todo>> {
    let who = Who {
        session: Some(session.to_owned()),
        ..Who::default()
    };
    let Some(row) = resolve::session_row(db, &who)? else {
        return Ok(Vec::new());
    };
    let content = one(db, TODOS, row.chain)?.unwrap_or_default();
    Ok(from_json(&content))
}

/// Claims what an earlier session left, unless another call was faster.
pub(super) fn claim(db: &Connection, effort: EffortId, call: &str) -> Result<Option<Dehydrated>> {
    let Some(left) = left(db, effort, call)? else {
        return Ok(None);
    };
    left.claim(db, call)
}

/// Claims what another session left, for the session or the agent that takes up an effort. Whoever is neither leaves it to the next session.
pub(super) fn claim_by(db: &Connection, effort: EffortId, who: &Who) -> Result<Option<Dehydrated>> {
    let claimer = who.session.as_ref().or(who.agent_id.as_ref());
    let Some(claimer) = claimer.filter(|_| who.subagent.is_none()) else {
        return Ok(None);
    };
    let own = resolve::session_row(db, who)?.map(|session| session.id);
    let left = left(db, effort, NOBODY)?;
    let Some(left) = left.filter(|left| Some(left.session) != own) else {
        return Ok(None);
    };
    left.claim(db, &format!("session {claimer}"))
}

struct Left {
    session: i64,
    dehydrated: String,
    claimed_by: Option<String>,
}

impl Left {
    fn claim(&self, db: &Connection, by: &str) -> Result<Option<Dehydrated>> {
        db.prepare_cached("UPDATE effort_sessions SET claimed_by = ?2 WHERE session_id = ?1")?
            .execute(params![self.session, by])?;
        Ok(self.payload())
    }

    fn payload(&self) -> Option<Dehydrated> {
        serde_json::from_str(&self.dehydrated).ok()
    }
}

fn left(db: &Connection, effort: EffortId, call: &str) -> Result<Option<Left>> {
    Ok(db
        .prepare_cached(LEFT)?
        .query_row(params![effort.0, call], |row| {
            Ok(Left {
                session: row.get(0)?,
                dehydrated: row.get(1)?,
                claimed_by: row.get(2)?,
            })
        })
        .optional()?)
}

/// The chains that may be continued, the best first. Whoever has worked before continues its own.
fn before(db: &Connection, who: &Who, project: Option<i64>) -> Result<Vec<(i64, Origin)>> {
    let own = resolve::session_row(db, who)?;
    let own = own.map(|session| (session.chain, Origin::Same));
    let mut chains: Vec<(i64, Origin)> = own.into_iter().collect();
    let mut select = db.prepare_cached(IN_FOLDER)?;
    for chain in select.query_map(params![project, who.folder, who.session], |row| row.get(0))? {
        chains.push((chain?, Origin::Earlier));
    }
    let mut select = db.prepare_cached(IN_PROJECT)?;
    for chain in select.query_map(params![project, who.session], |row| row.get(0))? {
        chains.push((chain?, Origin::Earlier));
    }
    Ok(chains)
}

fn one(db: &Connection, sql: &str, chain: i64) -> Result<Option<String>> {
    Ok(db
        .prepare_cached(sql)?
        .query_row([chain], |row| row.get(0))
        .optional()?)
}
