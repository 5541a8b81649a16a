//! Skills as they were last read from their files.

use bowline_continuity::skill::Skill;
use rusqlite::{Connection, OptionalExtension, params};

use super::super::{memory, traces};
use super::rows::to_json;
use crate::caps;
use crate::error::Result;

pub(super) const ONE: &str = "SELECT content FROM skills WHERE project_id = ?1 AND name = ?2";

pub(super) fn one(db: &Connection, project: &str, name: &str) -> Result<Option<Skill>> {
    let Some(project) = traces::project(db, project)? else {
        return Ok(None);
    };
    let content: Option<String> = db
        .prepare_cached(ONE)?
        .query_row(params![project, name], |row| row.get(0))
        .optional()?;
    Ok(content.and_then(|content| serde_json::from_str(&content).ok()))
}

pub(super) fn keep(db: &Connection, project: &str, skill: &Skill, at: i64) -> Result<()> {
    let content = to_json(skill)?;
    if content.len() > caps::VALUE {
        tracing::warn!("the skill {} is too large and was not kept", skill.name);
        return Ok(());
    }
    let project = memory::project_row(db, project, at)?;
    db.prepare_cached(
        "INSERT INTO skills (project_id, name, content, updated_at) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT DO UPDATE SET content = excluded.content, updated_at = excluded.updated_at",
    )?
    .execute(params![project, skill.name, content, at])?;
    Ok(())
}

pub(super) fn forget(db: &Connection, project: &str) -> Result<()> {
    if let Some(project) = traces::project(db, project)? {
        db.prepare_cached("DELETE FROM skills WHERE project_id = ?1")?
            .execute([project])?;
    }
    Ok(())
}
