//! The index of the search: what is written to it, what is asked of it, and what has to be added to it still.

use rusqlite::types::Value as Sql;
use rusqlite::{Connection, OptionalExtension, Row, params, params_from_iter};

use super::apply::Apply;
use super::memory::KnownSession;
use super::readers::snapshot;
use super::traces::Query;
use super::{keys, time, traces};
use crate::error::Result;
use crate::hash::fnv1a;
use crate::record::Change;
use crate::search::texts::Texts;
use crate::search::words::{Longer, Words, indexed};
use crate::search::{Findings, Found, SearchFilter, TextKind, excerpt};
use crate::trace::SessionRef;

/// At most this many rows per answer.
const MAX_ROWS: usize = 10_000;
/// At most this many events that are older than the index are looked at at once.
const EVENTS: i64 = 500;

/// At most this many words that begin alike are looked for, in all of a search.
const LONGER_WORDS: usize = 128;

/// What the index gets of one event.
#[derive(Debug)]
pub(super) struct Entry {
    /// The number of the event.
    event: i64,
    /// The row of the tool call.
    call: Option<i64>,
    scope: String,
    texts: Texts,
}

/// By what a search can be narrowed down, each as a word of the index.
#[derive(Debug)]
enum Scope<'a> {
    Project(i64),
    Chain(i64),
    Session(i64),
    Tool(&'a str),
}

impl Scope<'_> {
    fn word(&self) -> String {
        match self {
            Self::Project(project) => format!("p{project}"),
            Self::Chain(chain) => format!("c{chain}"),
            Self::Session(session) => format!("s{session}"),
            // A name has any characters; agents and people write it in any casing.
            Self::Tool(name) => format!("t{:016x}", fnv1a(name.to_lowercase().as_bytes())),
        }
    }
}

fn scope(session: i64, chain: i64, project: Option<i64>, tool: Option<&str>) -> String {
    let words = [Scope::Session(session), Scope::Chain(chain)]
        .into_iter()
        .chain(project.map(Scope::Project))
        .chain(tool.map(Scope::Tool));
    words.map(|it| it.word()).collect::<Vec<_>>().join(" ")
}

impl Apply<'_> {
    /// Notes what the search is to find of this record. The index gets it at the end of the transaction.
    pub(super) fn note_for_search(
        &mut self,
        event: i64,
        project: Option<i64>,
        session: &KnownSession,
    ) {
        let mut texts = Texts::default();
        for change in &self.record.changes {
            match change {
                Change::TraceStarted(start) => {
                    if let Some(input) = &start.input {
                        texts.add_input(input);
                    }
                }
                Change::PromptGiven { text: Some(text) } => texts.add(TextKind::Prompt, text),
                _ => {}
            }
        }
        if let Some(error) = self.call.as_ref().and_then(|call| call.error.as_deref()) {
            texts.add(TextKind::Error, error);
        }
        if texts.is_empty() {
            return;
        }
        let tool = self.record.decided.tool.as_deref();
        self.memory.searchable.push(Entry {
            event,
            call: self.call.as_ref().map(|call| call.row),
            scope: scope(session.id, session.chain, project, tool),
            texts,
        });
    }
}

/// Writes to the index. It takes rows fast only in their order.
pub(super) fn write(db: &Connection, mut entries: Vec<Entry>) -> Result<()> {
    entries.sort_unstable_by_key(|entry| entry.event);
    let mut insert = db.prepare_cached(
        "INSERT OR REPLACE INTO search_words (rowid, scope, command, path, prompt, error, call)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
    )?;
    for entry in entries {
        let [command, path, prompt, error] = TextKind::ALL.map(|it| indexed(entry.texts.of(it)));
        insert.execute(params![
            entry.event,
            entry.scope,
            command,
            path,
            prompt,
            error,
            entry.call
        ])?;
    }
    Ok(())
}

/// Removes what belongs to the first events below a number, at most this many.
pub(super) fn remove_below(db: &Connection, event: i64, rows: i64) -> Result<()> {
    db.prepare_cached(
        "DELETE FROM search_words WHERE rowid IN (SELECT id FROM events WHERE id < ?1 ORDER BY id LIMIT ?2)",
    )?
    .execute([event, rows])?;
    Ok(())
}

/// Removes what belongs to an event.
pub(super) fn remove(db: &Connection, event: i64) -> Result<()> {
    db.prepare_cached("DELETE FROM search_words WHERE rowid = ?1")?
        .execute([event])?;
    Ok(())
}

/// Removes everything.
pub(super) fn all(db: &Connection) -> Result<()> {
    db.execute_batch(
        "INSERT INTO search_words (search_words) VALUES ('delete-all'); DELETE FROM search_backlog",
    )?;
    Ok(())
}

/// Writes the index anew, without the words of what was removed: until then they are only marked. A merge that had begun before something
/// was removed may have carried it along; the second time finds that, and does nothing otherwise.
pub(super) fn purge(db: &Connection) -> Result<()> {
    let optimize = "INSERT INTO search_words (search_words) VALUES ('optimize')";
    db.execute_batch(&format!("BEGIN IMMEDIATE; {optimize}; {optimize}; COMMIT"))
        .inspect_err(|_| {
            // The first error is the one to report.
            let _ = db.execute_batch("ROLLBACK");
        })?;
    Ok(())
}

pub(super) const BACKLOG: &str = "SELECT below_event FROM search_backlog WHERE id = 1";

fn backlog(db: &Connection) -> Result<Option<i64>> {
    let mut select = db.prepare_cached(BACKLOG)?;
    Ok(select.query_row([], |row| row.get(0)).optional()?)
}

/// Events that are older than the index, with what they began. A call that went wrong tells it here, and not where it ended.
pub(super) const OLDER: &str =
    "SELECT e.id, e.session_id, e.chain_id, e.project_id, e.tool, t.id, t.tool_input,
        CASE WHEN t.status <> 'started' AND t.status <> 'completed' THEN t.error_message END,
        (SELECT text FROM prompts INDEXED BY prompts_by_trace WHERE trace_id = e.event_id LIMIT 1)
    FROM events e LEFT JOIN traces t ON t.id = (SELECT b.id FROM traces b INDEXED BY traces_by_chain
        WHERE b.chain_id = e.chain_id AND b.started_at = e.at AND b.tool = e.tool
        AND (e.tool_use_id IS NULL OR b.tool_use_id = e.tool_use_id) LIMIT 1)
    WHERE e.id < ?1 ORDER BY e.id DESC LIMIT ?2";

/// Whether everything is in the index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Indexed {
    Some,
    Everything,
}

/// Adds some of what is older than the index.
pub(super) fn index_older(db: &Connection) -> Result<Indexed> {
    let Some(below) = backlog(db)? else {
        return Ok(Indexed::Everything);
    };
    let mut select = db.prepare_cached(OLDER)?;
    let rows = select.query_map([below, EVENTS], older)?;
    let events: Vec<(i64, Option<Entry>)> = rows.collect::<rusqlite::Result<_>>()?;
    let Some((oldest, _)) = events.last() else {
        db.execute("DELETE FROM search_backlog", [])?;
        return Ok(Indexed::Everything);
    };
    db.prepare_cached("UPDATE search_backlog SET below_event = ?1")?
        .execute([oldest])?;
    write(
        db,
        events.into_iter().filter_map(|(_, entry)| entry).collect(),
    )?;
    Ok(Indexed::Some)
}

/// The number of an event, and what the index gets of it.
fn older(row: &Row<'_>) -> rusqlite::Result<(i64, Option<Entry>)> {
    let event = row.get(0)?;
    let (session, chain): (Option<i64>, Option<i64>) = (row.get(1)?, row.get(2)?);
    let tool: Option<String> = row.get(4)?;
    let mut texts = Texts::default();
    if let Some(input) = row.get::<_, Option<String>>(6)? {
        texts.add_input(&traces::json(input));
    }
    for (place, kind) in [(7, TextKind::Error), (8, TextKind::Prompt)] {
        if let Some(text) = row.get::<_, Option<String>>(place)? {
            texts.add(kind, &text);
        }
    }
    let (Some(session), Some(chain), false) = (session, chain, texts.is_empty()) else {
        return Ok((event, None));
    };
    let entry = Entry {
        event,
        call: row.get(5)?,
        scope: scope(session, chain, row.get(3)?, tool.as_deref()),
        texts,
    };
    Ok((event, Some(entry)))
}

/// Where words are searched, newest first. SQLite must not begin with another table: only the index knows where they are.
pub(super) const FIND: &str =
    "SELECT e.event_id, e.at, e.agent, s.name, p.path, coalesce(t.tool, e.tool), coalesce(t.tool_use_id, e.tool_use_id),
        t.started_at, t.tool_input, CASE WHEN t.status <> 'started' AND t.status <> 'completed' THEN t.error_message END,
        (SELECT text FROM prompts INDEXED BY prompts_by_trace WHERE trace_id = e.event_id LIMIT 1)
    FROM search_words CROSS JOIN events e ON e.id = search_words.rowid
        LEFT JOIN traces t ON t.id = search_words.call
        LEFT JOIN sessions s ON s.id = e.session_id LEFT JOIN projects p ON p.id = e.project_id
    WHERE search_words MATCH ? AND search_words.rowid >= ? ORDER BY search_words.rowid DESC";

pub(super) fn find(db: &Connection, filter: &SearchFilter<'_>) -> Result<Findings> {
    snapshot(db, |db| {
        let indexed_since = backlog(db)?.map(|event| time(keys::event_time(event)));
        let mut findings = Findings {
            found: Vec::new(),
            indexed_since,
        };
        let Some(words) = Words::wanted(filter.text) else {
            return Ok(findings);
        };
        let Some(query) = find_query(db, filter, &words)? else {
            return Ok(findings);
        };
        let limit = filter.limit.min(MAX_ROWS);
        let mut select = db.prepare_cached(&query.sql)?;
        let mut rows = select.query(params_from_iter(&query.values))?;
        // Rows are made one by one: those after the last that is wanted cost nothing.
        while findings.found.len() < limit
            && let Some(row) = rows.next()?
        {
            findings
                .found
                .extend(found(row, &words, filter.meant_kinds())?);
        }
        Ok(findings)
    })
}

/// The statement for a filter; `None` if nothing can be like that.
fn find_query(db: &Connection, filter: &SearchFilter<'_>, words: &Words) -> Result<Option<Query>> {
    let mut scopes = Vec::new();
    if let Some(path) = filter.project {
        let Some(project) = traces::project(db, path)? else {
            return Ok(None);
        };
        scopes.push(vec![Scope::Project(project)]);
    }
    if let Some(session) = filter.session {
        let sessions: Vec<Scope<'_>> = match session {
            SessionRef::Row(row) => vec![Scope::Session(row)],
            named => {
                let chains = traces::scopes(db, named)?.into_iter();
                chains.map(|it| Scope::Chain(it.chain)).collect()
            }
        };
        if sessions.is_empty() {
            return Ok(None);
        }
        scopes.push(sessions);
    }
    if let Some(tool) = filter.tool {
        scopes.push(vec![Scope::Tool(tool)]);
    }
    let mut left = LONGER_WORDS;
    let words = words.query(|beginning| longer(db, beginning, &mut left))?;
    Ok(Some(query(filter, &words, &scopes)))
}

/// The first word of the index from a text on.
pub(super) const NEXT_WORD: &str = "SELECT term FROM search_vocabulary WHERE term >= ?1 LIMIT 1";

/// The words of the index that begin with a word, from one to the next.
fn longer(db: &Connection, beginning: &str, left: &mut usize) -> Result<Longer> {
    let mut seek = db.prepare_cached(NEXT_WORD)?;
    let mut words = Vec::new();
    let mut from = beginning.to_owned();
    loop {
        let next: Option<String> = seek.query_row([&from], |row| row.get(0)).optional()?;
        let Some(word) = next.filter(|word| word.starts_with(beginning)) else {
            return Ok(Longer::These(words));
        };
        if *left == 0 {
            return Ok(Longer::TooMany);
        }
        *left -= 1;
        // No word has a character before this one.
        from = format!("{word}\u{1}");
        words.push(word);
    }
}

/// Of each list of scopes one has to hold.
fn query(filter: &SearchFilter<'_>, words: &str, scopes: &[Vec<Scope<'_>>]) -> Query {
    let kinds = filter.meant_kinds().iter();
    let columns: Vec<&str> = kinds.map(|kind| kind.word()).collect();
    let mut parts = vec![format!("{{{}}} : ({})", columns.join(" "), words)];
    for any_of in scopes {
        let any_of: Vec<String> = any_of
            .iter()
            .map(|scope| format!("\"{}\"", scope.word()))
            .collect();
        parts.push(format!("scope : ({})", any_of.join(" OR ")));
    }
    let since = filter.since.map_or(0, |it| it.timestamp_millis());
    Query {
        sql: FIND.to_owned(),
        values: vec![
            Sql::Text(parts.join(" AND ")),
            Sql::Integer(keys::event_floor(since)),
        ],
    }
}

/// What a row shows; `None` if its texts were removed meanwhile.
fn found(row: &Row<'_>, words: &Words, kinds: &[TextKind]) -> Result<Option<Found>> {
    let at: i64 = row.get(1)?;
    let began: Option<i64> = row.get(7)?;
    let mut texts = Texts::default();
    // An event after the beginning of its call is in the index with the call's error alone.
    if let Some(input) = row.get::<_, Option<String>>(8)?
        && began.is_some_and(|began| at <= began)
    {
        texts.add_input(&traces::json(input));
    }
    for (place, kind) in [(9, TextKind::Error), (10, TextKind::Prompt)] {
        if let Some(text) = row.get::<_, Option<String>>(place)? {
            texts.add(kind, &text);
        }
    }
    let whole = kinds.iter().find(|kind| words.are_all_in(texts.of(**kind)));
    let some = || {
        let mut kinds = kinds.iter();
        kinds.find(|kind| !words.matches(texts.of(**kind)).is_empty())
    };
    let Some(kind) = whole.or_else(some).copied() else {
        return Ok(None);
    };
    let (excerpt, matches) = excerpt(texts.of(kind), &words.matches(texts.of(kind)));
    Ok(Some(Found {
        kind,
        time: time(at),
        agent: row.get(2)?,
        session: row.get::<_, Option<String>>(3)?.unwrap_or_default(),
        project: row.get(4)?,
        tool: row.get(5)?,
        tool_use_id: row.get(6)?,
        event_id: row.get(0)?,
        excerpt,
        matches,
    }))
}

#[cfg(test)]
mod tests;
