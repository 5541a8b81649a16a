//! The fleet: one row for each agent.

use bowline_continuity::effort::EffortId;
use bowline_continuity::fleet::{AgentStatus, FleetAgent, Process};
use chrono::{DateTime, Utc};
use rusqlite::{Connection, OptionalExtension, Row, params};
use serde_json::{Map, Value};

use super::super::{millis, time, traces};
use super::rows::from_json;
use crate::error::Result;
use crate::running::Doing;

/// The last action of an agent is shown with at most this many characters.
const ACTION: usize = 80;
const COLUMNS: &str = "id, label, agent, session, project, folder, task, effort, ordinal, skill, phase, heartbeat, status,
    since, last_event_at, context_usage, last_tool, last_input, waiting_for, pid, pid_started, ended_at, end_reason, session_id";
/// The place of the last of them.
pub(super) const SESSION_ROW: usize = 23;

/// Which agents of the fleet.
#[derive(Debug, Clone, Copy)]
pub(super) enum Which {
    Open,
    Ended,
}

/// Agents of one project, or of all. The second value is the time since which they ended.
pub(super) fn fleet_sql(of_project: Option<i64>, which: Which) -> String {
    let project = match of_project {
        Some(_) => "project_id = ?1",
        None => "?1 IS NULL",
    };
    let end = match which {
        Which::Open => "ended_at IS NULL AND ?2 IS NULL",
        Which::Ended => "ended_at >= ?2",
    };
    format!("SELECT {COLUMNS} FROM fleet_status WHERE {project} AND {end}")
}

pub(super) fn fleet(
    db: &Connection,
    project: Option<&str>,
    ended_since: Option<DateTime<Utc>>,
) -> Result<Vec<FleetAgent>> {
    let project = match project.map(|path| traces::project(db, path)).transpose()? {
        Some(None) => return Ok(Vec::new()),
        known => known.flatten(),
    };
    let mut agents = Vec::new();
    let mut add = |which, since: Option<i64>| -> Result<()> {
        let mut select = db.prepare_cached(&fleet_sql(project, which))?;
        for agent in select.query_map(params![project, since], agent)? {
            agents.push(agent?);
        }
        Ok(())
    };
    add(Which::Open, None)?;
    if let Some(since) = ended_since {
        add(Which::Ended, Some(millis(since)))?;
    }
    Ok(agents)
}

pub(super) fn of_session_sql() -> String {
    format!("SELECT {COLUMNS} FROM fleet_status WHERE session_id = ?1 LIMIT 1")
}

/// The agent of a session.
pub(super) fn of_session(db: &Connection, session: i64) -> Result<Option<FleetAgent>> {
    Ok(db
        .prepare_cached(&of_session_sql())?
        .query_row([session], agent)
        .optional()?)
}

pub(super) fn agent(row: &Row<'_>) -> rusqlite::Result<FleetAgent> {
    let project: Option<String> = row.get(4)?;
    let folder: Option<String> = row.get(5)?;
    let status: String = row.get(12)?;
    let last_tool: Option<String> = row.get(16)?;
    let last_input: Option<String> = row.get(17)?;
    let process: (Option<u32>, Option<i64>) = (row.get(19)?, row.get(20)?);
    Ok(FleetAgent {
        id: row.get(0)?,
        label: row.get(1)?,
        agent: row.get(2)?,
        session: row.get(3)?,
        worktree: folder.filter(|folder| project.as_ref() != Some(folder)),
        project,
        task: row.get(6)?,
        effort: row.get::<_, Option<i64>>(7)?.map(EffortId),
        ordinal: row.get(8)?,
        skill: row.get(9)?,
        phase: row.get(10)?,
        heartbeat: row.get(11)?,
        status: status_of(&status),
        since: time(row.get(13)?),
        last_event_at: time(row.get(14)?),
        context_usage: row.get(15)?,
        last_action: last_tool.map(|tool| action(&tool, last_input.as_deref())),
        waiting_for: row.get(18)?,
        process: process.0.zip(process.1).map(|(id, started)| Process {
            id,
            started: started.cast_unsigned(),
        }),
        ended_at: row.get::<_, Option<i64>>(21)?.map(time),
        end_reason: row.get(22)?,
    })
}

/// A tool call in a few words, on one line: `Bash: cargo test`.
fn action(tool: &str, input: Option<&str>) -> String {
    let input: Map<String, Value> = from_json(input.unwrap_or_default());
    let mut action = match Doing::of(tool, Some(&Value::Object(input))).what {
        Some(what) => match what.split_once(['\n', '\r']) {
            Some((line, _)) => format!("{tool}: {line} …"),
            None => format!("{tool}: {what}"),
        },
        None => tool.to_owned(),
    };
    if action.chars().count() > ACTION {
        action = action.chars().take(ACTION - 1).chain(['…']).collect();
    }
    action
}

pub(super) const fn status_word(status: AgentStatus) -> &'static str {
    match status {
        AgentStatus::Done => "done",
        AgentStatus::Checked => "checked",
        AgentStatus::Working => "working",
        AgentStatus::Attention => "attention",
        AgentStatus::Error => "error",
    }
}

/// The column has no other words.
fn status_of(word: &str) -> AgentStatus {
    [
        AgentStatus::Checked,
        AgentStatus::Working,
        AgentStatus::Attention,
        AgentStatus::Error,
    ]
    .into_iter()
    .find(|status| status_word(*status) == word)
    .unwrap_or(AgentStatus::Done)
}

/// Binds an agent to an effort. It may not have reported anything yet.
pub(super) fn bind(db: &Connection, id: &str, effort: EffortId, at: i64) -> Result<()> {
    db.prepare_cached(
        "INSERT INTO agents (id, agent, project_id, effort_id, status, since)
         SELECT ?1, '', project_id, id, 'done', ?3 FROM efforts WHERE id = ?2
         ON CONFLICT (id) DO UPDATE SET effort_id = excluded.effort_id",
    )?
    .execute(params![id, effort.0, at])?;
    Ok(())
}

/// Binds the agent of a session to an effort.
pub(super) fn bind_session(db: &Connection, session: i64, effort: EffortId) -> Result<()> {
    db.prepare_cached("UPDATE agents SET effort_id = ?2 WHERE session_id = ?1")?
        .execute(params![session, effort.0])?;
    Ok(())
}

/// A session goes on in the next context window, and is open again if it had ended.
pub(in crate::sqlite) fn go_on(db: &Connection, before: i64, session: i64) -> Result<()> {
    db.prepare_cached(
        "UPDATE agents SET session_id = ?2, ended_at = NULL, end_reason = NULL WHERE session_id = ?1",
    )?
    .execute(params![before, session])?;
    Ok(())
}

/// What the agent of a session is doing.
pub(super) fn set_status(
    db: &Connection,
    session: i64,
    status: AgentStatus,
    waiting_for: Option<&str>,
    at: i64,
) -> Result<()> {
    db.prepare_cached(
        "UPDATE agents SET since = CASE WHEN status = ?2 THEN since ELSE ?4 END, status = ?2, waiting_for = ?3
         WHERE session_id = ?1 AND ended_at IS NULL",
    )?
    .execute(params![session, status_word(status), waiting_for, at])?;
    Ok(())
}

/// A session has ended, and its agent has nothing more to do.
pub(in crate::sqlite) fn end(
    db: &Connection,
    session: i64,
    reason: Option<&str>,
    at: i64,
) -> Result<()> {
    db.prepare_cached(
        "UPDATE agents SET since = CASE WHEN status = 'done' THEN since ELSE ?2 END, status = 'done', waiting_for = NULL,
            ended_at = ?2, end_reason = ?3
         WHERE session_id = ?1 AND ended_at IS NULL",
    )?
    .execute(params![session, at, reason])?;
    Ok(())
}

/// How much of a session's context window is used.
pub(super) fn use_context(db: &Connection, session: i64, host: i64, used: f64) -> Result<()> {
    let used = used.clamp(0.0, 1.0);
    db.prepare_cached(
        "UPDATE effort_sessions SET context_usage = ?2 WHERE session_id = ?1 AND context_usage IS NOT ?2",
    )?
    .execute(params![session, used])?;
    // A sub-agent has a context window of its own, and no row in the fleet.
    if session == host {
        db.prepare_cached(
            "UPDATE agents SET context_usage = ?2 WHERE session_id = ?1 AND context_usage IS NOT ?2",
        )?
        .execute(params![session, used])?;
    }
    Ok(())
}

pub(super) const SEEN: &str = "UPDATE agents SET status = 'checked', since = ?3 WHERE status = 'attention' AND id >= ?1 AND id < ?2";

pub(super) fn seen(db: &Connection, agents: &[String], at: i64) -> Result<usize> {
    let mut mark = db.prepare_cached(SEEN)?;
    if agents.is_empty() {
        return Ok(mark.execute(params!["", LAST, at])?);
    }
    let mut count = 0;
    for id in agents.iter().filter(|id| !id.is_empty()) {
        // Whoever names one agent does not mean those whose names begin alike.
        let is_one: Option<i64> = db
            .prepare_cached("SELECT 1 FROM agents WHERE id = ?1")?
            .query_row([id], |row| row.get(0))
            .optional()?;
        let end = if is_one.is_some() { "\0" } else { LAST };
        count += mark.execute(params![id, format!("{id}{end}"), at])?;
    }
    Ok(count)
}

/// Greater than any character of a name.
const LAST: &str = "\u{10ffff}";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_told_in_a_few_words() {
        for (tool, input, expected) in [
            (
                "Bash",
                Some(r#"{"description":"d","command":"\n cargo test\nmore"}"#),
                "Bash: cargo test …",
            ),
            (
                "Edit",
                Some(r#"{"file_path":"/p/src/a.rs","old_string":"x"}"#),
                "Edit: /p/src/a.rs",
            ),
            (
                "Task",
                Some(r#"{"description":"look for bugs"}"#),
                "Task: look for bugs",
            ),
            ("Odd", Some(r#"{"command":["a"]}"#), "Odd"),
            ("Odd", Some("[1]"), "Odd"),
            ("Odd", None, "Odd"),
        ] {
            assert_eq!(action(tool, input), expected);
        }
        let long = format!(r#"{{"command":"{}"}}"#, "ä".repeat(200));
        let told = action("Bash", Some(&long));
        assert_eq!(told.chars().count(), ACTION);
        assert!(told.ends_with('…'), "{told}");
    }

    #[test]
    fn every_status_has_its_word() {
        for status in [
            AgentStatus::Done,
            AgentStatus::Checked,
            AgentStatus::Working,
            AgentStatus::Attention,
            AgentStatus::Error,
        ] {
            assert_eq!(status_of(status_word(status)), status);
        }
    }
}
