//! What messages of models used.

use std::collections::{BTreeSet, HashMap};

use bowline_continuity::effort::EffortId;
use bowline_guidance::cost::budget::BudgetOf;
use bowline_guidance::cost::prices::Usd;
use bowline_guidance::cost::report::{By, Spent};
use bowline_guidance::cost::usage::{Band, MAX_TOKENS, Tokens, Usage};
use chrono::{DateTime, Days, NaiveDate, Utc};
use rusqlite::types::Value as Sql;
use rusqlite::{Connection, OptionalExtension, Row, params, params_from_iter};

use super::{SqliteStore, millis, time};
use crate::caps;
use crate::continuity::Continuity;
use crate::costs::{Costs, Mark, SpentFilter, SpentOn};
use crate::error::Result;
use crate::hash::{fnv1a, mix};

/// At most this many messages are written at once, so that records do not wait.
const MESSAGES: usize = 500;
/// A day in milliseconds.
const DAY: i64 = 86_400_000;

/// The kinds of names.
const SESSION: &str = "session";
const PROJECT: &str = "project";
const SUBAGENT: &str = "subagent";
const MODEL: &str = "model";
const TOOLS: &str = "tools";

const ADD: &str = "INSERT INTO usage (id, at, session, project, subagent, model, tools, band, input, output, cache_write, cache_write_1h, cache_read)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13) ON CONFLICT (id) DO NOTHING";
const CHANGE: &str = "UPDATE usage SET at = ?2, session = ?3, project = ?4, subagent = ?5, model = ?6, tools = ?7, band = ?8, input = ?9,
    output = ?10, cache_write = ?11, cache_write_1h = ?12, cache_read = ?13 WHERE id = ?1";
pub(super) const KNOWN: &str = "SELECT u.at, s.name, p.name, a.name, m.name, t.name, u.input, u.output, u.cache_write, u.cache_write_1h, u.cache_read
    FROM usage u JOIN usage_names s ON s.id = u.session JOIN usage_names p ON p.id = u.project JOIN usage_names m ON m.id = u.model
    LEFT JOIN usage_names a ON a.id = u.subagent LEFT JOIN usage_names t ON t.id = u.tools WHERE u.id = ?1";
pub(super) const NAME: &str = "SELECT id FROM usage_names WHERE kind = ?1 AND name = ?2";
pub(super) const NAMED: &str = "SELECT name FROM usage_names WHERE id = ?1";
pub(super) const MARK: &str = "SELECT offset FROM usage_marks WHERE file = ?1";
pub(super) const EFFORT: &str = "SELECT es.effort_id FROM sessions s INDEXED BY sessions_by_name
    JOIN effort_sessions es ON es.session_id = s.id WHERE s.name = ?1 ORDER BY s.id DESC LIMIT 1";
pub(super) const RAISE: &str = "SELECT nanos FROM budget_raises WHERE budget = ?1 AND name = ?2";

/// The number of a text, among all that are kept.
fn number(text: &str) -> i64 {
    mix(fnv1a(text.as_bytes())).cast_signed()
}

impl Costs for SqliteStore {
    fn keep_usage(&self, mut usage: Vec<Usage>, mark: Option<Mark>) -> Result<()> {
        while usage.len() > MESSAGES {
            let last = usage.split_off(usage.len() - MESSAGES);
            self.change_uncopied(move |db| keep(db, &last))?;
        }
        // How far it was read is written last: what is read again counts once.
        self.change_uncopied(move |db| {
            keep(db, &usage)?;
            mark.iter().try_for_each(|mark| keep_mark(db, mark))
        })
    }

    fn marks(&self, files: &[String]) -> Result<Vec<u64>> {
        self.read(|db| {
            let mut find = db.prepare_cached(MARK)?;
            let offset = |file: &String| -> Result<u64> {
                let found = find.query_row([number(file)], |row| row.get(0));
                Ok(unsigned(found.optional()?.unwrap_or(0)))
            };
            files.iter().map(offset).collect()
        })
    }

    fn spent(&self, filter: &SpentFilter) -> Result<Vec<Spent>> {
        let mut spent = self.read(|db| spent(db, filter))?;
        if filter.by == By::Effort {
            self.name_efforts(&mut spent)?;
        }
        Ok(spent)
    }

    fn effort_of_session(&self, session: &str) -> Result<Option<EffortId>> {
        self.read(|db| effort_of(db, session))
    }

    fn raise_budget(&self, of: BudgetOf, name: &str, by: Usd, at: DateTime<Utc>) -> Result<Usd> {
        let name = name.to_owned();
        self.change_uncopied(move |db| {
            db.prepare_cached(
                "INSERT INTO budget_raises (budget, name, nanos, at) VALUES (?1, ?2, ?3, ?4)
                 ON CONFLICT (budget, name) DO UPDATE SET nanos = nanos + excluded.nanos, at = excluded.at",
            )?
            .execute(params![of.name(), name, signed(by.0), millis(at)])?;
            raise(db, of, &name)
        })
    }

    fn budget_raise(&self, of: BudgetOf, name: &str) -> Result<Usd> {
        self.read(|db| raise(db, of, name))
    }
}

impl SqliteStore {
    /// Sums by session become sums by the efforts of these sessions.
    fn name_efforts(&self, spent: &mut [Spent]) -> Result<()> {
        let mut labels: HashMap<String, String> = HashMap::new();
        for it in spent {
            if let Some(label) = labels.get(&it.key) {
                it.key.clone_from(label);
                continue;
            }
            let effort = self.effort_of_session(&it.key)?;
            let effort = effort.map(|id| self.effort(id)).transpose()?.flatten();
            let label = effort.map(|it| it.effort.label()).unwrap_or_default();
            let session = std::mem::replace(&mut it.key, label.clone());
            labels.insert(session, label);
        }
        Ok(())
    }
}

fn keep(db: &Connection, usage: &[Usage]) -> Result<()> {
    let mut names = Names {
        db,
        known: HashMap::new(),
    };
    for it in usage {
        let id = number(&it.message);
        if write(db, ADD, id, it, &mut names)? > 0 {
            continue;
        }
        let known = db.prepare_cached(KNOWN)?.query_row([id], |row| {
            read(row).map(|known| Usage {
                message: it.message.clone(),
                ..known
            })
        })?;
        let mut merged = known.clone();
        merged.merge(it.clone());
        if merged != known {
            write(db, CHANGE, id, &merged, &mut names)?;
        }
    }
    Ok(())
}

fn write(db: &Connection, sql: &str, id: i64, it: &Usage, names: &mut Names<'_>) -> Result<usize> {
    let tools: Vec<&str> = it.tools.iter().map(String::as_str).collect();
    let tools = (!tools.is_empty()).then(|| tools.join(","));
    let tokens = &it.tokens;
    Ok(db.prepare_cached(sql)?.execute(params![
        id,
        millis(it.at),
        names.number(SESSION, &it.session)?,
        names.number(PROJECT, &it.folder)?,
        names.optional(SUBAGENT, it.subagent.as_deref())?,
        names.number(MODEL, &it.model)?,
        names.optional(TOOLS, tools.as_deref())?,
        Band::of(tokens.prompt()) as i64,
        signed(tokens.input),
        signed(tokens.output),
        signed(tokens.cache_write),
        signed(tokens.cache_write_1h),
        signed(tokens.cache_read),
    ])?)
}

/// A message as it is kept; its id is not.
fn read(row: &Row<'_>) -> rusqlite::Result<Usage> {
    let tools: Option<String> = row.get(5)?;
    let tools = tools.unwrap_or_default();
    Ok(Usage {
        message: String::new(),
        at: time(row.get(0)?),
        session: row.get(1)?,
        folder: row.get(2)?,
        subagent: row.get(3)?,
        model: row.get(4)?,
        tools: named_tools(&tools),
        tokens: tokens(row, 6)?,
    })
}

fn named_tools(tools: &str) -> BTreeSet<String> {
    let names = tools.split(',').filter(|it| !it.is_empty());
    names.map(str::to_owned).collect()
}

fn tokens(row: &Row<'_>, first: usize) -> rusqlite::Result<Tokens> {
    let count = |column: usize| row.get(first + column).map(unsigned);
    Ok(Tokens {
        input: count(0)?,
        output: count(1)?,
        cache_write: count(2)?,
        cache_write_1h: count(3)?,
        cache_read: count(4)?,
    })
}

/// The numbers of names.
struct Names<'a> {
    db: &'a Connection,
    known: HashMap<(&'static str, String), i64>,
}

impl Names<'_> {
    fn number(&mut self, kind: &'static str, name: &str) -> Result<i64> {
        let mut name = name.to_owned();
        caps::cut(&mut name, caps::PATH);
        let key = (kind, name);
        if let Some(number) = self.known.get(&key) {
            return Ok(*number);
        }
        let find = |db: &Connection| {
            let mut find = db.prepare_cached(NAME)?;
            find.query_row([kind, &key.1], |row| row.get(0)).optional()
        };
        let number = if let Some(number) = find(self.db)? {
            number
        } else {
            self.db
                .prepare_cached("INSERT INTO usage_names (kind, name) VALUES (?1, ?2)")?
                .execute([kind, &key.1])?;
            self.db.last_insert_rowid()
        };
        self.known.insert(key, number);
        Ok(number)
    }

    fn optional(&mut self, kind: &'static str, name: Option<&str>) -> Result<Option<i64>> {
        name.map(|name| self.number(kind, name)).transpose()
    }
}

fn keep_mark(db: &Connection, mark: &Mark) -> Result<()> {
    db.prepare_cached(
        "INSERT INTO usage_marks (file, offset) VALUES (?1, ?2) ON CONFLICT (file) DO UPDATE SET offset = excluded.offset",
    )?
    .execute(params![number(&mark.file), signed(mark.offset)])?;
    Ok(())
}

fn effort_of(db: &Connection, session: &str) -> Result<Option<EffortId>> {
    let found = db
        .prepare_cached(EFFORT)?
        .query_row([session], |row| row.get(0));
    Ok(found.optional()?.map(EffortId))
}

fn raise(db: &Connection, of: BudgetOf, name: &str) -> Result<Usd> {
    let found = db
        .prepare_cached(RAISE)?
        .query_row([of.name(), name], |row| row.get(0));
    Ok(Usd(unsigned(found.optional()?.unwrap_or(0))))
}

/// The query of a filter, with its values.
pub(super) fn query(filter: &SpentFilter) -> (String, Vec<Sql>) {
    let key = match filter.by {
        By::Day => "date(u.at / 1000, 'unixepoch', 'localtime')",
        By::Model => "u.model",
        By::Session | By::Effort => "u.session",
        By::Tool => "u.tools",
        By::Agent => "u.subagent",
        By::Project => "u.project",
    };
    let named = |kind: &str| format!("u.{kind} = ({})", NAME.replace("?1", &format!("'{kind}'")));
    let (index, condition, value) = match &filter.on {
        None => ("usage_by_time", String::new(), None),
        Some(SpentOn::Session(name)) => ("usage_by_session", named(SESSION), Some(name.clone().into())),
        Some(SpentOn::Project(path)) => (
            "usage_by_project",
            named(PROJECT),
            Some(path.clone().into()),
        ),
        Some(SpentOn::Effort(id)) => (
            "usage_by_session",
            "u.session IN (SELECT n.id FROM effort_sessions es INDEXED BY effort_sessions_by_effort
                JOIN sessions s ON s.id = es.session_id JOIN usage_names n ON n.kind = 'session' AND n.name = s.name
                WHERE es.effort_id = ?2)"
                .to_owned(),
            Some(Sql::Integer(id.0)),
        ),
    };
    let and = if condition.is_empty() { "" } else { " AND " };
    let sql = format!(
        "SELECT {key}, u.model, u.at / {DAY}, u.band, count(*), sum(min(u.input, {MAX_TOKENS})), sum(min(u.output, {MAX_TOKENS})),
            sum(min(u.cache_write, {MAX_TOKENS})), sum(min(u.cache_write_1h, {MAX_TOKENS})), sum(min(u.cache_read, {MAX_TOKENS})) FROM usage u INDEXED BY {index} WHERE u.at >= ?1{and}{condition} GROUP BY 1, 2, 3, 4"
    );
    let since = filter.since.map_or(i64::MIN, millis);
    let values = [Some(Sql::Integer(since)), value];
    (sql, values.into_iter().flatten().collect())
}

fn spent(db: &Connection, filter: &SpentFilter) -> Result<Vec<Spent>> {
    let (sql, values) = query(filter);
    let mut select = db.prepare_cached(&sql)?;
    let mut rows = select.query(params_from_iter(values))?;
    let mut names: HashMap<i64, String> = HashMap::new();
    let mut name = |number: i64| -> Result<String> {
        if let Some(name) = names.get(&number) {
            return Ok(name.clone());
        }
        let found = db
            .prepare_cached(NAMED)?
            .query_row([number], |row| row.get(0));
        let found: String = found.optional()?.unwrap_or_default();
        names.insert(number, found.clone());
        Ok(found)
    };
    let mut spent = Vec::new();
    while let Some(row) = rows.next()? {
        let key = match row.get(0)? {
            Sql::Integer(number) => name(number)?,
            Sql::Text(text) => text,
            _ => String::new(),
        };
        spent.push(Spent {
            key,
            model: name(row.get(1)?)?,
            day: day(row.get(2)?),
            band: match row.get(3)? {
                0 => Band::Short,
                1 => Band::Middle,
                _ => Band::Long,
            },
            messages: unsigned(row.get(4)?),
            tokens: tokens(row, 5)?,
        });
    }
    Ok(spent)
}

/// The day of this number, counted from 1970.
fn day(number: i64) -> NaiveDate {
    let epoch = DateTime::UNIX_EPOCH.date_naive();
    epoch
        .checked_add_days(Days::new(unsigned(number)))
        .unwrap_or(epoch)
}

fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn unsigned(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}

/// Removes some of what is before a time; says how much.
pub(super) fn before(db: &Connection, cutoff: i64, rows: i64) -> Result<usize> {
    let usage = db
        .prepare_cached(
            "DELETE FROM usage WHERE id IN (SELECT id FROM usage INDEXED BY usage_by_time WHERE at < ?1 ORDER BY at LIMIT ?2)",
        )?
        .execute(params![cutoff, rows])?;
    let raises = db
        .prepare_cached(
            "DELETE FROM budget_raises WHERE (budget, name) IN
                (SELECT budget, name FROM budget_raises INDEXED BY budget_raises_by_time WHERE at < ?1 ORDER BY at LIMIT ?2)",
        )?
        .execute(params![cutoff, rows])?;
    Ok(usage + raises)
}

/// Removes some of what sessions used that continue each other; says how much.
pub(super) fn of_chain(db: &Connection, chain: i64, rows: i64) -> Result<usize> {
    let sql = "SELECT DISTINCT name FROM sessions INDEXED BY sessions_by_chain WHERE chain_id = ?1";
    let mut select = db.prepare_cached(sql)?;
    let names = select.query_map([chain], |row| row.get::<_, String>(0))?;
    let mut removed = 0;
    for name in names {
        removed += of_session(db, &name?, rows)?;
    }
    Ok(removed)
}

/// Removes some of what a session used; says how much.
pub(super) fn of_session(db: &Connection, name: &str, rows: i64) -> Result<usize> {
    db.prepare_cached("DELETE FROM budget_raises WHERE budget = 'session' AND name = ?1")?
        .execute([name])?;
    of_name(db, SESSION, name, rows)
}

/// Removes some of what was used in a project; says how much.
pub(super) fn of_project(db: &Connection, path: &str, rows: i64) -> Result<usize> {
    of_name(db, PROJECT, path, rows)
}

fn of_name(db: &Connection, kind: &str, name: &str, rows: i64) -> Result<usize> {
    Ok(db
        .prepare_cached(&format!(
            "DELETE FROM usage WHERE id IN (SELECT id FROM usage INDEXED BY usage_by_{kind} WHERE {kind} = ({NAME}) LIMIT ?3)"
        ))?
        .execute(params![kind, name, rows])?)
}

/// Removes the names that nothing has any more.
pub(super) fn unused_names(db: &Connection) -> Result<()> {
    for kind in [SESSION, PROJECT] {
        db.prepare_cached(&format!(
            "DELETE FROM usage_names WHERE kind = ?1 AND NOT EXISTS
                (SELECT 1 FROM usage INDEXED BY usage_by_{kind} WHERE {kind} = usage_names.id)"
        ))?
        .execute([kind])?;
    }
    Ok(())
}

/// Removes everything that has no age.
pub(super) fn all(db: &Connection) -> Result<()> {
    Ok(db.execute_batch("DELETE FROM usage; DELETE FROM usage_names; DELETE FROM usage_marks; DELETE FROM budget_raises")?)
}

#[cfg(test)]
mod tests;
