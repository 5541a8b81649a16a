//! Efforts: listed, begun, changed, finished.

use bowline_continuity::action::{
    Begun, EffortDetails, EffortStart, How, MetadataPatch, PhaseRequest, Who,
};
use bowline_continuity::effort::{Effort, EffortId, Injection, Metadata, PhaseChange};
use bowline_continuity::phase::{self, Entered};
use bowline_continuity::{Code, RuleError};
use chrono::{DateTime, Utc};
use rusqlite::{Connection, OptionalExtension, Row, params};
use serde_json::{Map, Value};

use super::super::queries::limit;
use super::super::{memory, millis, time, traces};
use super::rows::{self, EFFORT, STATE, effort_at, from_json, state_at, to_json};
use super::{hand_over, notes, resolve, sessions, tasks};
use crate::caps;
use crate::error::{Error, Result};

/// Efforts of one project, or of all, newest first.
pub(super) fn list_sql(of_project: Option<i64>) -> String {
    let (index, condition) = match of_project {
        Some(_) => (" INDEXED BY efforts_by_project", "e.project_id = ?1"),
        None => ("", "e.id >= 0 AND ?1 IS NULL"),
    };
    format!(
        "SELECT {EFFORT} FROM efforts e{index} LEFT JOIN projects p ON p.id = e.project_id
         WHERE {condition} ORDER BY e.id DESC LIMIT ?2"
    )
}

/// The efforts of a task, oldest first.
pub(super) fn of_task_sql() -> String {
    format!(
        "SELECT {EFFORT} FROM efforts e LEFT JOIN projects p ON p.id = e.project_id
         WHERE e.task = ?1 ORDER BY e.ordinal LIMIT 1000"
    )
}

/// The newest active effort of a task, with this skill if one is named.
pub(super) const ACTIVE_OF_TASK: &str = "SELECT id FROM efforts
    WHERE task = ?1 AND skill = coalesce(?2, skill) AND lifecycle = 'active' ORDER BY ordinal DESC LIMIT 1";

/// Makes an effort the current one of its project.
pub(super) const TAKE_UP: &str = "UPDATE efforts SET taken_up_at = max(?2, 1 + coalesce(
        (SELECT max(o.taken_up_at) FROM efforts o INDEXED BY efforts_active
         WHERE o.project_id = efforts.project_id AND o.lifecycle = 'active'), 0))
    WHERE id = ?1";

/// The sessions of an effort, oldest first.
pub(super) fn sessions_sql() -> String {
    format!(
        "SELECT {STATE} FROM effort_sessions es INDEXED BY effort_sessions_by_effort
         WHERE es.effort_id = ?1 ORDER BY es.session_id LIMIT 10000"
    )
}

pub(super) const HISTORY: &str = "SELECT phase, proof, reason, at FROM phase_history
    INDEXED BY phase_history_by_effort WHERE effort_id = ?1 ORDER BY id LIMIT 10000";

pub(super) fn details(db: &Connection, id: EffortId) -> Result<Option<EffortDetails>> {
    let Some(effort) = rows::effort(db, id)? else {
        return Ok(None);
    };
    let mut select = db.prepare_cached(&sessions_sql())?;
    let sessions = select.query_map([id.0], |row| state_at(row, 0))?;
    let mut select = db.prepare_cached(HISTORY)?;
    let history = select.query_map([id.0], phase_change)?;
    Ok(Some(EffortDetails {
        effort,
        sessions: sessions.collect::<rusqlite::Result<_>>()?,
        history: history.collect::<rusqlite::Result<_>>()?,
        notes: notes::of_effort(db, id)?,
    }))
}

fn phase_change(row: &Row<'_>) -> rusqlite::Result<PhaseChange> {
    Ok(PhaseChange {
        phase: row.get(0)?,
        proof: row.get(1)?,
        reason: row.get(2)?,
        at: time(row.get(3)?),
    })
}

pub(super) fn list(db: &Connection, project: Option<&str>, most: usize) -> Result<Vec<Effort>> {
    let project = match project.map(|path| traces::project(db, path)).transpose()? {
        Some(None) => return Ok(Vec::new()),
        known => known.flatten(),
    };
    let mut select = db.prepare_cached(&list_sql(project))?;
    let efforts = select.query_map(params![project, limit(most)], |row| effort_at(row, 0))?;
    Ok(efforts.collect::<rusqlite::Result<_>>()?)
}

pub(super) fn of_task(db: &Connection, folder: &str) -> Result<Vec<Effort>> {
    let mut select = db.prepare_cached(&of_task_sql())?;
    let efforts = select.query_map([folder], |row| effort_at(row, 0))?;
    Ok(efforts.collect::<rusqlite::Result<_>>()?)
}

/// An effort that may change.
pub(super) fn active(db: &Connection, id: EffortId) -> Result<Effort> {
    let effort = existing(db, id)?;
    effort.may_change()?;
    Ok(effort)
}

fn existing(db: &Connection, id: EffortId) -> Result<Effort> {
    rows::effort(db, id)?.ok_or_else(|| id.unknown().into())
}

pub(super) fn start(db: &Connection, start: &EffortStart, at: i64) -> Result<Begun> {
    if start.task.is_empty() || start.skill.is_empty() {
        let message = "An effort needs a task and a skill.";
        return Err(RuleError::new(Code::CommandError, message).into());
    }
    caps::check_name("task", &start.task, caps::PATH)?;
    caps::check_name("skill", &start.skill, caps::NAME)?;
    caps::check_name("mode", start.mode.as_deref().unwrap_or(""), caps::NAME)?;
    let project = memory::project_row(db, &start.project, at)?;
    tasks::make(db, &start.task, project, start.title.as_deref(), at)?;
    let (id, how) = match active_of_task(db, &start.task, Some(&start.skill))? {
        Some(id) => (id, How::Resumed),
        None => (insert(db, start, project, at)?, How::Started),
    };
    take_up(db, &start.who, id, at)?;
    Ok(Begun {
        effort: existing(db, id)?,
        how,
        left: hand_over::claim_by(db, id, &start.who)?,
    })
}

fn insert(db: &Connection, start: &EffortStart, project: i64, at: i64) -> Result<EffortId> {
    let ordinal = tasks::next_ordinal(db, &start.task)?;
    let phases = caps::list(&start.phases, caps::NAME);
    db.prepare_cached(
        "INSERT INTO efforts (task, project_id, skill, mode, ordinal, lifecycle, phases, created_at)
         VALUES (?1, ?2, ?3, ?4, ?5, 'active', ?6, ?7)",
    )?
    .execute(params![
        start.task,
        project,
        start.skill,
        start.mode,
        ordinal,
        to_json(&phases)?,
        at
    ])?;
    Ok(EffortId(db.last_insert_rowid()))
}

/// Somebody works on an effort from now on. It becomes the one that is meant in its project where nobody says which.
fn take_up(db: &Connection, who: &Who, id: EffortId, at: i64) -> Result<()> {
    db.prepare_cached(TAKE_UP)?.execute(params![id.0, at])?;
    sessions::bind(db, who, id, at)
}

fn active_of_task(db: &Connection, task: &str, skill: Option<&str>) -> Result<Option<EffortId>> {
    Ok(db
        .prepare_cached(ACTIVE_OF_TASK)?
        .query_row(params![task, skill], |row| row.get(0).map(EffortId))
        .optional()?)
}

pub(super) fn resume(
    db: &Connection,
    who: &Who,
    effort: Option<EffortId>,
    task: Option<&str>,
    at: i64,
) -> Result<Begun> {
    let none = |message: String| Error::from(RuleError::new(Code::NoActiveEffort, message));
    let id = match (effort, task) {
        (Some(id), _) => active(db, id)?.id,
        (None, Some(task)) => {
            if tasks::one(db, task)?.is_none() {
                let message = format!(
                    "There is no task {task}. `bowline task list` shows those that there are."
                );
                return Err(RuleError::new(Code::TaskNotFound, message).into());
            }
            active_of_task(db, task, None)?
                .ok_or_else(|| none(format!("No effort of the task {task} is active. Begin one: `bowline effort start TASK SKILL`.")))?
        }
        (None, None) => {
            resolve::find(db, who)?
                .effort
                .ok_or_else(|| {
                    none(
                        "No effort is active here. Begin one: `bowline effort start TASK SKILL`."
                            .to_owned(),
                    )
                })?
                .id
        }
    };
    take_up(db, who, id, at)?;
    Ok(Begun {
        effort: active(db, id)?,
        how: How::Resumed,
        left: hand_over::claim_by(db, id, who)?,
    })
}

pub(super) fn change_phase(
    db: &Connection,
    id: EffortId,
    who: &Who,
    request: &PhaseRequest,
    at: i64,
) -> Result<Effort> {
    caps::check_name("phase", &request.to, caps::NAME)?;
    let effort = active(db, id)?;
    let Entered::Moved { phase, phases } =
        phase::enter(&effort.phases, effort.phase.as_deref(), request)?
    else {
        return Ok(effort);
    };
    db.prepare_cached("UPDATE efforts SET phase = ?2, phases = ?3 WHERE id = ?1")?
        .execute(params![id.0, phase, to_json(&phases)?])?;
    db.prepare_cached(
        "INSERT INTO phase_history (effort_id, phase, proof, reason, at) VALUES (?1, ?2, ?3, ?4, ?5)",
    )?
    .execute(params![
        id.0,
        phase,
        caps::text(request.proof.as_deref()),
        caps::text(request.reason.as_deref()),
        at
    ])?;
    sessions::reset_open(db, id, who, at)?;
    existing(db, id)
}

pub(super) fn logged(db: &Connection, id: EffortId, who: &Who, at: i64) -> Result<()> {
    active(db, id)?;
    sessions::reset_own(db, id, who, at)
}

pub(super) fn patch_metadata(db: &Connection, patch: &MetadataPatch) -> Result<Effort> {
    let id = patch.effort.ok_or_else(|| {
        RuleError::new(Code::NoActiveEffort, "No effort is active here.".to_owned())
    })?;
    active(db, id)?;
    let mut keys = metadata(db, id)?;
    for (key, value) in &patch.keys {
        match value {
            Value::Null => keys.remove(key),
            value => keys.insert(key.clone(), value.clone()),
        };
    }
    let keys = Value::Object(keys);
    let refuse = |why: String| RuleError::new(Code::CommandError, why);
    // Steering that cannot be read would not steer.
    if let Err(error) = serde_json::from_value::<Metadata>(keys.clone()) {
        return Err(refuse(format!("The metadata would not be understood: {error}.")).into());
    }
    let text = to_json(&keys)?;
    if text.len() > caps::VALUE {
        let most = caps::VALUE / 1024;
        return Err(refuse(format!("The metadata would be larger than {most} KB.")).into());
    }
    write_metadata(db, id, &text)?;
    existing(db, id)
}

/// The metadata as it is written, with keys that are not known.
fn metadata(db: &Connection, id: EffortId) -> Result<Map<String, Value>> {
    let text: Option<String> = db
        .prepare_cached("SELECT metadata FROM efforts WHERE id = ?1")?
        .query_row([id.0], |row| row.get(0))
        .optional()?;
    Ok(from_json(&text.unwrap_or_default()))
}

fn write_metadata(db: &Connection, id: EffortId, text: &str) -> Result<()> {
    db.prepare_cached("UPDATE efforts SET metadata = ?2 WHERE id = ?1")?
        .execute(params![id.0, text])?;
    Ok(())
}

/// Removes a key of the metadata, and gives it back.
pub(super) fn take_key(db: &Connection, id: EffortId, key: &str) -> Result<Option<Value>> {
    let mut keys = metadata(db, id)?;
    let taken = keys.remove(key);
    if taken.is_some() {
        write_metadata(db, id, &to_json(&keys)?)?;
    }
    Ok(taken)
}

pub(super) fn take_injections(db: &Connection, id: EffortId) -> Result<Vec<Injection>> {
    let taken = take_key(db, id, "pendingInjections")?.unwrap_or_default();
    Ok(serde_json::from_value(taken).unwrap_or_default())
}

pub(super) fn finish(db: &Connection, id: EffortId, at: DateTime<Utc>) -> Result<Effort> {
    let mut effort = existing(db, id)?;
    effort.finish(at)?;
    db.prepare_cached("UPDATE efforts SET lifecycle = 'finished', finished_at = ?2 WHERE id = ?1")?
        .execute(params![id.0, millis(at)])?;
    Ok(effort)
}
