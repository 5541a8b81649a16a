//! Removes records that are too old, too many, or to be forgotten. Always a few at a time.

use std::collections::HashSet;

use rusqlite::{Connection, OptionalExtension, ToSql, params};

use super::backend::SqliteBackend;
use super::checkpoint::Emptied;
use super::stretches::{self, Whose};
use super::{
    connection, continuity, costs, failures, hook_memory, keys, millis, search, work_items,
};
use crate::error::{Error, Result};
use crate::queue::lock;
use crate::store::{Forget, Forgotten};

/// At most this many rows of each kind are removed at once.
const ROWS: i64 = 500;
/// At most this many events are looked at at once when they are found by nothing but looking.
const LOOKED_AT: i64 = 5_000;

/// Removes some of what is before a time; says how much, in all and by kind.
pub(super) fn before(db: &Connection, cutoff: i64) -> Result<(usize, Forgotten)> {
    let remove = |sql: &str, bound: i64| -> Result<usize> {
        Ok(db.prepare_cached(sql)?.execute(params![bound, ROWS])?)
    };
    search::remove_below(db, keys::event_floor(cutoff), ROWS)?;
    let stretches = stretches::remove_below(db, keys::event_floor(cutoff), ROWS)?;
    let events = remove(
        "DELETE FROM events WHERE id IN (SELECT id FROM events WHERE id < ?1 ORDER BY id LIMIT ?2)",
        keys::event_floor(cutoff),
    )?;
    let traces = remove(
        "DELETE FROM traces WHERE id IN (SELECT id FROM traces WHERE started_at < ?1 ORDER BY started_at LIMIT ?2)",
        cutoff,
    )?;
    let prompts = remove(
        "DELETE FROM prompts WHERE id IN (SELECT id FROM prompts WHERE at < ?1 ORDER BY at LIMIT ?2)",
        cutoff,
    )?;
    let work = remove(
        "DELETE FROM work WHERE id IN (SELECT id FROM work WHERE at < ?1 ORDER BY at LIMIT ?2)",
        cutoff,
    )?;
    let delegations = remove(
        "DELETE FROM delegations WHERE id IN
            (SELECT id FROM delegations WHERE started_at < ?1 ORDER BY started_at LIMIT ?2)",
        cutoff,
    )?;
    let continued = continuity::before(db, cutoff, ROWS)?;
    let remembered = hook_memory::before(db, cutoff, ROWS)?;
    let items = work_items::before(db, cutoff, ROWS)?;
    let failed = failures::before(db, cutoff, ROWS)?;
    let used = costs::before(db, cutoff, ROWS)?;
    // A session is older than everything in it is new: it goes last.
    let sessions = if traces == 0 {
        continuity::with_old_sessions(db, cutoff, ROWS)?;
        let old = continuity::OLD_SESSIONS;
        remove(&format!("DELETE FROM sessions WHERE id IN ({old})"), cutoff)?
    } else {
        0
    };
    let forgotten = Forgotten {
        events: events as u64,
        traces: traces as u64,
        sessions: sessions as u64,
        remains: Vec::new(),
    };
    Ok((
        events
            + stretches
            + traces
            + prompts
            + work
            + delegations
            + continued
            + remembered
            + items
            + failed
            + used
            + sessions,
        forgotten,
    ))
}

/// Removes some of the oldest things, whatever their age; says how much.
pub(super) fn oldest(db: &Connection, rows: i64) -> Result<usize> {
    let nth = |sql: &str| -> Result<Option<i64>> {
        Ok(db
            .prepare_cached(sql)?
            .query_row([rows], |row| row.get(0))
            .optional()?)
    };
    let event = nth("SELECT at FROM events ORDER BY id LIMIT 1 OFFSET ?1")?;
    let trace = nth("SELECT started_at FROM traces ORDER BY started_at LIMIT 1 OFFSET ?1")?;
    // With fewer than that of both kinds left, everything is the oldest.
    let cutoff = match (event, trace) {
        (Some(event), Some(trace)) => event.min(trace),
        (Some(one), None) | (None, Some(one)) => one,
        (None, None) => i64::MAX,
    };
    let (removed, _) = before(db, cutoff)?;
    if removed > 0 {
        return Ok(removed);
    }
    // More than that are of one and the same moment.
    Ok(before(db, cutoff.saturating_add(1))?.0)
}

/// A request to forget, and its progress.
#[derive(Debug)]
pub(super) struct Forgetting {
    what: What,
    /// What is removed, once it is known.
    found: Option<Found>,
    /// Whether others were told.
    begun: bool,
    /// The events that have been looked at.
    seen: i64,
    forgotten: Forgotten,
}

#[derive(Debug)]
enum What {
    Session(String),
    Project(String),
    Before(i64),
    All,
}

/// What belongs to a session's name or to a project.
#[derive(Debug, Default)]
struct Found {
    chains: HashSet<i64>,
    project: Option<i64>,
}

impl Found {
    fn has(&self, chain: Option<i64>, project: Option<i64>) -> bool {
        chain.is_some_and(|chain| self.chains.contains(&chain))
            || (project.is_some() && project == self.project)
    }
}

impl Forgetting {
    pub(super) fn new(what: Forget<'_>) -> Self {
        Self {
            what: match what {
                Forget::Session(name) => What::Session(name.to_owned()),
                Forget::Project(path) => What::Project(path.to_owned()),
                Forget::Before(time) => What::Before(millis(time)),
                Forget::All => What::All,
            },
            found: None,
            begun: false,
            seen: -1,
            forgotten: Forgotten::default(),
        }
    }

    /// Forgets a little; what was forgotten in all when nothing is left.
    pub(super) fn step(&mut self, backend: &mut SqliteBackend) -> Result<Option<Forgotten>> {
        if !self.begun {
            connection::note_forgetting(&backend.path)?;
            backend.recent.forget();
            backend.forgotten = connection::times_forgotten(&backend.path);
            self.begun = true;
        }
        // Should the file not be written anew at the end, nothing stays readable in unused pages.
        backend
            .database()?
            .pragma_update(None, "secure_delete", true)?;
        let removed = match &self.what {
            What::Before(cutoff) => {
                let cutoff = *cutoff;
                self.some_before(backend, cutoff)?
            }
            What::All => {
                backend.remove(continuity::all)?;
                backend.remove(hook_memory::all)?;
                backend.remove(work_items::all)?;
                backend.remove(failures::all)?;
                backend.remove(costs::all)?;
                backend.remove(search::all)?;
                self.some_before(backend, i64::MAX)?
            }
            What::Session(_) | What::Project(_) => self.some_of_found(backend)?,
        };
        if removed > 0 {
            return Ok(None);
        }
        self.forget_what_belongs_to_nobody(backend)?;
        backend
            .database()?
            .pragma_update(None, "secure_delete", "FAST")?;
        self.forgotten.remains = remains(backend);
        Ok(Some(std::mem::take(&mut self.forgotten)))
    }

    /// Messages of failures may quote what was forgotten.
    fn forget_what_belongs_to_nobody(&self, backend: &mut SqliteBackend) -> Result<()> {
        let all = matches!(self.what, What::All);
        let sql = if all {
            "DELETE FROM projects; DELETE FROM hooks; DELETE FROM gaps"
        } else {
            "UPDATE hooks SET last_failed_at = NULL, last_failure = NULL"
        };
        backend.remove(|db| Ok(db.execute_batch(sql)?))?;
        backend.remove(costs::unused_names)?;
        let mut figures = lock(&backend.figures);
        if all {
            figures.clear();
        } else {
            figures.forget_failures();
        }
        drop(figures);
        if all {
            for file in connection::moved_aside(&backend.path)? {
                std::fs::remove_file(&file).map_err(Error::file(&file))?;
            }
        }
        Ok(())
    }

    fn some_before(&mut self, backend: &mut SqliteBackend, cutoff: i64) -> Result<usize> {
        let (removed, forgotten) = backend.remove(|db| before(db, cutoff))?;
        self.forgotten.events += forgotten.events;
        self.forgotten.traces += forgotten.traces;
        self.forgotten.sessions += forgotten.sessions;
        Ok(removed)
    }

    fn some_of_found(&mut self, backend: &mut SqliteBackend) -> Result<usize> {
        let mut found = match self.found.take() {
            Some(found) => found,
            None => backend.remove(|db| self.find(db))?,
        };
        let removed = backend.remove(|db| self.some_of(db, &mut found));
        self.found = Some(found);
        removed
    }

    fn some_of(&mut self, db: &Connection, found: &mut Found) -> Result<usize> {
        // What was used is also known of sessions that nothing else is known of.
        let used = match &self.what {
            What::Session(name) => costs::of_session(db, name, ROWS)?,
            What::Project(path) => costs::of_project(db, path, ROWS)?,
            What::Before(_) | What::All => 0,
        };
        if used > 0 {
            return Ok(used);
        }
        if found.chains.is_empty() && found.project.is_none() {
            return Ok(0);
        }
        let events = self.some_events(db, found)?;
        if events > 0 {
            return Ok(events);
        }
        if let Some(chain) = found.chains.iter().next().copied() {
            if self.some_of_chain(db, chain)? == 0 {
                found.chains.remove(&chain);
            }
            // There may be another chain.
            return Ok(1);
        }
        if let Some(project) = found.project.take() {
            continuity::of_project(db, project)?;
            hook_memory::of_project(db, project)?;
            work_items::of_project(db, project)?;
            failures::of_project(db, project)?;
            stretches::remove(db, Whose::Project(project))?;
            // A session that began meanwhile keeps it.
            db.prepare_cached(
                "DELETE FROM projects WHERE id = ?1 AND NOT EXISTS
                    (SELECT 1 FROM sessions INDEXED BY sessions_by_project WHERE project_id = ?1)",
            )?
            .execute([project])?;
        }
        Ok(0)
    }

    fn find(&self, db: &Connection) -> Result<Found> {
        let chains = |sql: &str, value: &dyn ToSql| -> Result<HashSet<i64>> {
            let mut select = db.prepare_cached(sql)?;
            let rows = select.query_map([value], |row| row.get(0))?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        };
        Ok(match &self.what {
            What::Session(name) => Found {
                chains: chains(
                    "SELECT DISTINCT chain_id FROM sessions INDEXED BY sessions_by_name WHERE name = ?1",
                    name,
                )?,
                project: None,
            },
            What::Project(path) => {
                let project: Option<i64> = db
                    .prepare_cached("SELECT id FROM projects WHERE path = ?1")?
                    .query_row([path], |row| row.get(0))
                    .optional()?;
                Found {
                    chains: chains(
                        "SELECT DISTINCT chain_id FROM sessions INDEXED BY sessions_by_project WHERE project_id = ?1",
                        &project,
                    )?,
                    project,
                }
            }
            What::Before(_) | What::All => Found::default(),
        })
    }

    /// Goes through the events once; says how many were looked at.
    fn some_events(&mut self, db: &Connection, found: &Found) -> Result<usize> {
        let mut select = db.prepare_cached(
            "SELECT id, chain_id, project_id FROM events WHERE id > ?1 ORDER BY id LIMIT ?2",
        )?;
        let rows: Vec<(i64, Option<i64>, Option<i64>)> = select
            .query_map(params![self.seen, LOOKED_AT], |row| {
                Ok((row.get(0)?, row.get(1)?, row.get(2)?))
            })?
            .collect::<rusqlite::Result<_>>()?;
        let mut delete = db.prepare_cached("DELETE FROM events WHERE id = ?1")?;
        for (id, chain, project) in &rows {
            if found.has(*chain, *project) {
                search::remove(db, *id)?;
                delete.execute([id])?;
                self.forgotten.events += 1;
            }
            self.seen = *id;
        }
        Ok(rows.len())
    }

    fn some_of_chain(&mut self, db: &Connection, chain: i64) -> Result<usize> {
        let remove = |table: &str, index: &str| -> Result<usize> {
            let sql = format!(
                "DELETE FROM {table} WHERE id IN
                    (SELECT id FROM {table} INDEXED BY {index} WHERE chain_id = ?1 LIMIT ?2)"
            );
            Ok(db.prepare_cached(&sql)?.execute(params![chain, ROWS])?)
        };
        let traces = remove("traces", "traces_by_chain")?;
        let prompts = remove("prompts", "prompts_by_chain")?;
        let work = remove("work", "work_by_chain")?;
        let delegations = remove("delegations", "delegations_by_chain")?;
        let continued = continuity::of_chain(db, chain, ROWS)?;
        let remembered = hook_memory::of_chain(db, chain)?;
        let used = costs::of_chain(db, chain, ROWS)?;
        let failed = failures::of_chain(db, chain, ROWS)?;
        let items = work_items::of_chain(db, chain)?;
        let sessions = remove("sessions", "sessions_by_chain")?;
        stretches::remove(db, Whose::Chain(chain))?;
        self.forgotten.traces += traces as u64;
        self.forgotten.sessions += sessions as u64;
        Ok(traces
            + prompts
            + work
            + delegations
            + continued
            + remembered
            + items
            + failed
            + used
            + sessions)
    }
}

/// What was deleted is still in unused parts of the database and in its log: both are written anew. Says where something
/// remains.
fn remains(backend: &mut SqliteBackend) -> Vec<String> {
    let mut remains = Vec::new();
    let database = backend.path.display().to_string();
    let again = "`bowline store compact` removes it";
    match backend.compact() {
        Ok(Emptied::Yes) => {}
        Ok(Emptied::No) => remains.push(format!(
            "another program is reading the database, and what was forgotten can be read in {database} and {database}-wal until it lets go; {again} then"
        )),
        Err(error) => remains.push(format!(
            "{database} could not be written anew, and some of what was forgotten may be readable in it: {error}; {again} later"
        )),
    }
    for file in connection::moved_aside(&backend.path).unwrap_or_default() {
        remains.push(format!(
            "{} was damaged and moved aside, and may have it still; remove it when you do not need it",
            file.display()
        ));
    }
    remains
}
