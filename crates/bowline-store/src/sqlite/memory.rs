//! What the writer remembers of rows, so that it need not look for them at every event. Only ever a copy: it is forgotten
//! after a failure and when another process has written.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rusqlite::{Connection, params};

use super::open_calls::OpenCalls;
use super::{search, stretches};
use crate::error::Result;

/// More than this is not remembered.
const MAX_REMEMBERED: usize = 4_096;

/// Names a session among those that are open.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct SessionKey {
    pub(super) agent: String,
    pub(super) name: String,
    pub(super) subagent: Option<String>,
}

/// The fields of a session that every event needs.
#[derive(Debug, Clone)]
pub(super) struct KnownSession {
    pub(super) id: i64,
    pub(super) chain: i64,
    pub(super) project: Option<i64>,
    pub(super) group: Option<String>,
    pub(super) spawned_by: Option<i64>,
}

/// When a session was last heard of is written once in this many milliseconds while events arrive, because it moves the row
/// within two indexes; and exactly when nothing else is to do.
const HEARD_EVERY: i64 = 1_000;

/// What the transaction in progress adds to a session.
#[derive(Debug, Default)]
struct Touch {
    last: i64,
    events: i64,
}

/// When a session was last active, and what the database has.
#[derive(Debug)]
struct Heard {
    last: i64,
    written: i64,
}

#[derive(Debug, Default)]
pub(super) struct Memory {
    /// Counts how often another process was found to have written.
    foreign_writes: Arc<AtomicU64>,
    data_version: i64,
    projects: HashMap<String, i64>,
    sessions: HashMap<SessionKey, KnownSession>,
    /// Written once, at the end of the transaction.
    touched: HashMap<i64, Touch>,
    heard: HashMap<i64, Heard>,
    /// Written once, too.
    pub(super) searchable: Vec<search::Entry>,
    pub(super) open: OpenCalls,
    pub(super) noted: stretches::Noted,
    next_trace: Option<i64>,
}

impl Memory {
    pub(super) fn new(foreign_writes: Arc<AtomicU64>) -> Self {
        Self {
            foreign_writes,
            ..Self::default()
        }
    }

    pub(super) fn forget(&mut self) {
        *self = Self::new(self.foreign_writes.clone());
    }

    /// Forgets everything if another process has written. To be called within a transaction.
    pub(super) fn refresh(&mut self, db: &Connection) -> Result<()> {
        let version = db
            .prepare_cached("PRAGMA data_version")?
            .query_row([], |row| row.get(0))?;
        let is_foreign = version != self.data_version;
        if is_foreign {
            self.foreign_writes.fetch_add(1, Ordering::Release);
        }
        if is_foreign
            || self.sessions.len() > MAX_REMEMBERED
            || self.projects.len() > MAX_REMEMBERED
            || self.open.are_too_many()
        {
            self.write_heard(db)?;
            self.forget();
            self.data_version = version;
        }
        Ok(())
    }

    pub(super) fn session(&self, key: &SessionKey) -> Option<&KnownSession> {
        self.sessions.get(key)
    }

    pub(super) fn remember(&mut self, key: SessionKey, session: KnownSession) {
        self.sessions.insert(key, session);
    }

    pub(super) fn touch(&mut self, session: i64, time: i64) {
        let touch = self.touched.entry(session).or_default();
        touch.last = touch.last.max(time);
        touch.events += 1;
    }

    /// Writes what the records of a transaction left for its end.
    pub(super) fn write_rest(&mut self, db: &Connection) -> Result<()> {
        self.write_touched(db)?;
        search::write(db, std::mem::take(&mut self.searchable))
    }

    fn write_touched(&mut self, db: &Connection) -> Result<()> {
        let mut count = db.prepare_cached(
            "UPDATE sessions SET events = events + ?2,
                status = CASE WHEN status = 'created' AND events + ?2 > 1 THEN 'active' ELSE status END
             WHERE id = ?1",
        )?;
        for (session, touch) in self.touched.drain() {
            count.execute(params![session, touch.events])?;
            let heard = self.heard.entry(session).or_insert(Heard {
                last: touch.last,
                written: i64::MIN,
            });
            heard.last = heard.last.max(touch.last);
            if heard.last.saturating_sub(heard.written) >= HEARD_EVERY {
                write_heard(db, session, heard)?;
            }
        }
        Ok(())
    }

    /// Whether a session was active later than the database has it.
    pub(super) fn has_heard(&self) -> bool {
        self.heard.values().any(|heard| heard.last > heard.written)
    }

    /// Writes exactly when each session was last active.
    pub(super) fn write_heard(&mut self, db: &Connection) -> Result<()> {
        let behind = |(_, heard): &(&i64, &mut Heard)| heard.last > heard.written;
        for (session, heard) in self.heard.iter_mut().filter(behind) {
            write_heard(db, *session, heard)?;
        }
        Ok(())
    }

    /// The row of a project, made if it is missing.
    pub(super) fn project(&mut self, db: &Connection, path: &str, now: i64) -> Result<i64> {
        if let Some(id) = self.projects.get(path) {
            return Ok(*id);
        }
        let id = project_row(db, path, now)?;
        self.projects.insert(path.to_owned(), id);
        Ok(id)
    }

    /// The number of the next trace; to be used at once.
    pub(super) fn next_trace(&mut self, db: &Connection) -> Result<i64> {
        let next = match self.next_trace {
            Some(next) => next,
            None => db
                .prepare_cached("SELECT coalesce(max(id), 0) + 1 FROM traces")?
                .query_row([], |row| row.get(0))?,
        };
        self.next_trace = Some(next + 1);
        Ok(next)
    }
}

/// The number of a project, which is made if it is missing.
pub(super) fn project_row(db: &Connection, path: &str, now: i64) -> Result<i64> {
    let name = path
        .trim_end_matches('/')
        .rsplit('/')
        .next()
        .unwrap_or(path);
    db.prepare_cached(
        "INSERT INTO projects (path, name, created_at) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING",
    )?
    .execute(params![path, name, now])?;
    let id = db
        .prepare_cached("SELECT id FROM projects WHERE path = ?1")?
        .query_row([path], |row| row.get(0))?;
    Ok(id)
}

fn write_heard(db: &Connection, session: i64, heard: &mut Heard) -> Result<()> {
    db.prepare_cached(
        "UPDATE sessions SET last_event_at = ?2 WHERE id = ?1 AND last_event_at < ?2",
    )?
    .execute(params![session, heard.last])?;
    heard.written = heard.last;
    Ok(())
}
