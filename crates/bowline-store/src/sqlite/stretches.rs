//! In which stretches of time a session, a tool, a project or an agent has events. An index of each event would cost the writer more than all others
//! together; a stretch is noted once.

use std::collections::HashSet;

use rusqlite::{Connection, OptionalExtension, params};

use super::keys;
use crate::error::Result;
use crate::hash::{fnv1a, mix};

/// So many milliseconds are a stretch.
pub(super) const LENGTH: i64 = 10_000;

/// Of what events are noted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Whose {
    Chain(i64),
    /// By the hash of its name, in any casing.
    Tool(i64),
    Project(i64),
    /// By the hash of its name.
    Agent(i64),
}

impl Whose {
    pub(super) fn tool(name: &str) -> Self {
        let hash = mix(fnv1a(name.to_ascii_lowercase().as_bytes()));
        Self::Tool(hash.cast_signed())
    }

    pub(super) fn agent(name: &str) -> Self {
        Self::Agent(mix(fnv1a(name.as_bytes())).cast_signed())
    }

    pub(super) const fn kind(self) -> i64 {
        match self {
            Self::Chain(_) => 0,
            Self::Tool(_) => 1,
            Self::Project(_) => 2,
            Self::Agent(_) => 4,
        }
    }

    pub(super) const fn key(self) -> i64 {
        match self {
            Self::Chain(key) | Self::Tool(key) | Self::Project(key) | Self::Agent(key) => key,
        }
    }
}

/// The kind of the row that says from which stretch on events are noted.
const SINCE: i64 = 3;

/// What was noted of the stretch in which events arrive.
#[derive(Debug, Default)]
pub(super) struct Noted {
    stretch: i64,
    whose: HashSet<Whose>,
}

impl Noted {
    /// Notes to whom an event belongs.
    pub(super) fn note(
        &mut self,
        db: &Connection,
        number: i64,
        whose: impl IntoIterator<Item = Whose>,
    ) -> Result<()> {
        let stretch = of(number);
        if stretch != self.stretch {
            self.stretch = stretch;
            self.whose.clear();
        }
        for whose in whose {
            if self.whose.insert(whose) {
                db.prepare_cached(
                    "INSERT INTO event_stretches (kind, key, stretch) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING",
                )?
                .execute([whose.kind(), whose.key(), stretch])?;
            }
        }
        Ok(())
    }
}

/// The stretch of an event.
pub(super) fn of(number: i64) -> i64 {
    keys::event_time(number) / LENGTH
}

/// The events of a stretch have at least this number, and those before it have less.
pub(super) fn floor(stretch: i64) -> i64 {
    keys::event_floor(stretch.saturating_mul(LENGTH))
}

/// Among which events, or which calls that began with them, is looked.
#[derive(Debug, Clone, Copy)]
pub(super) enum Within<'a> {
    Everything,
    /// Those of the stretches in which all of these have some, from this one on.
    Stretches {
        whose: &'a [Whose],
        since: i64,
    },
    /// Those before this stretch.
    Before(i64),
}

impl Within<'_> {
    /// Whether only some stretches are looked at.
    pub(super) const fn is_of_stretches(self) -> bool {
        matches!(self, Self::Stretches { .. })
    }
}

/// The table that a statement begins with where it looks at some stretches only.
pub(super) const TABLE: &str = "event_stretches x CROSS JOIN ";

/// What the stretches between two events have to be like, with the values. The first conditions are those that the table's key is
/// entered by.
pub(super) fn conditions(whose: &[Whose], oldest: i64, newest: i64) -> (Vec<String>, Vec<i64>) {
    let mut conditions = Vec::new();
    let mut values = Vec::new();
    for (index, whose) in whose.iter().enumerate() {
        if index == 0 {
            conditions
                .push("x.kind = ? AND x.key = ? AND x.stretch >= ? AND x.stretch <= ?".to_owned());
            values.extend([whose.kind(), whose.key(), oldest, newest]);
        } else {
            conditions.push(
                "EXISTS (SELECT 1 FROM event_stretches o WHERE o.kind = ? AND o.key = ? AND o.stretch = x.stretch)"
                    .to_owned(),
            );
            values.extend([whose.kind(), whose.key()]);
        }
    }
    (conditions, values)
}

/// The first stretch of which is noted to whom events belong; nothing if that is noted of all.
pub(super) fn noted_since(db: &Connection) -> Result<Option<i64>> {
    let mut select = db.prepare_cached("SELECT stretch FROM event_stretches WHERE kind = ?1")?;
    Ok(select.query_row([SINCE], |row| row.get(0)).optional()?)
}

/// Removes some of what is noted of the time before an event.
pub(super) fn remove_below(db: &Connection, number: i64, rows: i64) -> Result<usize> {
    let mut delete = db.prepare_cached(
        "DELETE FROM event_stretches WHERE (kind, key, stretch) IN
            (SELECT kind, key, stretch FROM event_stretches INDEXED BY event_stretches_by_time
             WHERE stretch < ?1 ORDER BY stretch LIMIT ?2)",
    )?;
    Ok(delete.execute(params![of(number), rows])?)
}

/// Removes what is noted of a chain or a project.
pub(super) fn remove(db: &Connection, whose: Whose) -> Result<usize> {
    let mut delete =
        db.prepare_cached("DELETE FROM event_stretches WHERE kind = ?1 AND key = ?2")?;
    Ok(delete.execute([whose.kind(), whose.key()])?)
}
