//! Questions about decided events.

use chrono::{DateTime, TimeDelta, Utc};
use rusqlite::types::Value as Sql;
use rusqlite::{Connection, OptionalExtension, Row, params_from_iter};

use super::open_calls::GENERATED;
use super::readers::snapshot;
use super::stretches::{self, Whose, Within};
use super::traces::Query;
use super::{hooks, keys, time, traces};
use crate::error::Result;
use crate::record::{DecidedEvent, Enforcement, Subagent, decision};
use crate::trace::{DecisionFilter, EventFilter, RecordedEvent, SessionRef, Trace};

/// At most this many rows per answer.
const MAX_ROWS: usize = 10_000;

/// At most this many events that do not begin their call get its input from a look-up.
const MAX_LOOKUPS: usize = 1_000;

fn limit(rows: usize) -> i64 {
    i64::try_from(rows.min(MAX_ROWS)).unwrap_or(0)
}

const COLUMNS: &str = "e.event_id, e.at, e.agent, e.event, p.path, s.name, e.subagent, e.tool,
    e.tool_use_id, e.decision, e.reason, e.enforcement, e.duration_us, e.hooks, e.rule";
const JOINS: &str =
    "LEFT JOIN projects p ON p.id = e.project_id LEFT JOIN sessions s ON s.id = e.session_id";

/// What the event is about: the input of the call that it begins, or the prompt that it gives.
const ABOUT: &str = "(SELECT t.tool_input FROM traces t INDEXED BY traces_by_chain
        WHERE t.chain_id = e.chain_id AND t.started_at = e.at AND t.tool = e.tool
        AND (e.tool_use_id IS NULL OR t.tool_use_id = e.tool_use_id) LIMIT 1),
    (SELECT text FROM prompts INDEXED BY prompts_by_trace WHERE trace_id = e.event_id LIMIT 1),
    e.id,
    CASE WHEN e.tool_use_id IS NULL THEN (SELECT t.tool_use_id FROM traces t INDEXED BY traces_by_chain
        WHERE t.chain_id = e.chain_id AND t.started_at = e.at AND t.tool = e.tool LIMIT 1) END";

/// The events of one call among those of a short time.
pub(super) fn of_call_sql(named: CallName) -> String {
    let is_it = match named {
        CallName::ByItsAgent => "e.tool_use_id = ?3",
        // It is known by its time.
        CallName::ByUs => "e.tool_use_id IS NULL AND e.tool = ?6 AND e.at = ?7",
    };
    format!(
        "SELECT {COLUMNS}, NULL, NULL, e.id, ?3 FROM events e {JOINS}
         WHERE e.id BETWEEN ?1 AND ?2 AND {is_it} AND s.name = ?4 ORDER BY e.id LIMIT ?5"
    )
}

/// Who gave a call its id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CallName {
    ByItsAgent,
    ByUs,
}

impl CallName {
    fn of(call: &Trace) -> Self {
        if call.tool_use_id.starts_with(GENERATED) {
            Self::ByUs
        } else {
            Self::ByItsAgent
        }
    }
}

/// The event in a row, with what it is about.
pub(super) fn by_row(db: &Connection, row: i64) -> Result<Option<RecordedEvent>> {
    let mut select = db.prepare_cached(&by_row_sql())?;
    let Some(mut found) = select.query_row([row], event).optional()? else {
        return Ok(None);
    };
    if let (None, Some(id)) = (&found.input, &found.decided.tool_use_id) {
        found.input = traces::input(db, id)?;
    }
    Ok(Some(found))
}

pub(super) fn by_row_sql() -> String {
    format!("SELECT {COLUMNS}, {ABOUT} FROM events e {JOINS} WHERE e.id = ?1")
}

pub(super) fn find(db: &Connection, filter: &EventFilter<'_>) -> Result<Vec<RecordedEvent>> {
    snapshot(db, |db| {
        let most = filter.limit.min(MAX_ROWS);
        let mut found: Vec<RecordedEvent> = Vec::new();
        for query in find_queries(db, filter)? {
            if found.len() >= most {
                break;
            }
            let mut select = db.prepare_cached(&query.sql)?;
            for event in select.query_map(params_from_iter(&query.values), event)? {
                found.push(event?);
            }
        }
        found.truncate(most);
        let unknown = found.iter_mut().filter(|event| event.input.is_none());
        for event in unknown.take(MAX_LOOKUPS) {
            if let Some(id) = &event.decided.tool_use_id {
                event.input = traces::input(db, id)?;
            }
        }
        Ok(found)
    })
}

/// The statements for a filter, for newer events first; none if nothing can be like that.
fn find_queries(db: &Connection, filter: &EventFilter<'_>) -> Result<Vec<Query>> {
    let project = match filter
        .project
        .map(|path| traces::project(db, path))
        .transpose()?
    {
        Some(None) => return Ok(Vec::new()),
        known => known.flatten(),
    };
    let mut chain = None;
    let session = match filter.session {
        None => None,
        Some(SessionRef::Row(row)) => {
            let scopes = traces::scopes(db, SessionRef::Row(row))?;
            chain = scopes.first().map(|scope| scope.chain);
            Some(format!("e.session_id = {row}"))
        }
        Some(session) => {
            let chains = traces::scopes(db, session)?;
            // SQLite uses no index for an empty list.
            if chains.is_empty() {
                return Ok(Vec::new());
            }
            if let [one] = chains.as_slice() {
                chain = Some(one.chain);
            }
            let chains: Vec<String> = chains.iter().map(|it| it.chain.to_string()).collect();
            Some(format!("e.chain_id IN ({})", chains.join(", ")))
        }
    };
    // Whoever has the fewest events comes first, in general.
    let whose: Vec<Whose> = [
        chain.map(Whose::Chain),
        filter.tool.map(Whose::tool),
        project.map(Whose::Project),
        filter.agent.map(Whose::agent),
    ]
    .into_iter()
    .flatten()
    .collect();
    let query = |within: Within<'_>| query(filter, project, session.clone(), within);
    if whose.is_empty() || is_of_decided(filter) {
        return Ok(vec![query(Within::Everything)]);
    }
    let since = stretches::noted_since(db)?;
    let noted = query(Within::Stretches {
        whose: &whose,
        since: since.unwrap_or(0),
    });
    let older = since.map(|stretch| query(Within::Before(stretch)));
    Ok([noted].into_iter().chain(older).collect())
}

/// Whether only events are meant of which something was decided.
fn is_of_decided(filter: &EventFilter<'_>) -> bool {
    let undecided = filter.decisions.contains(&DecisionFilter::Nothing);
    !undecided && (!filter.decisions.is_empty() || filter.rule.is_some())
}

pub(super) fn query(
    filter: &EventFilter<'_>,
    project: Option<i64>,
    session: Option<String>,
    within: Within<'_>,
) -> Query {
    let number = |time: DateTime<Utc>| keys::event_floor(time.timestamp_millis());
    let (first, end) = (
        filter.since.map_or(0, number),
        filter.before.map_or(i64::MAX, number),
    );
    let end = filter.older_than.map_or(end, |older| end.min(older));
    // The index is of what was decided, and is used only for its very words.
    let decided = is_of_decided(filter);
    let (from, order) = match within {
        Within::Stretches { .. } => (
            format!("{}events e", stretches::TABLE),
            "x.stretch DESC, e.id DESC",
        ),
        _ if decided => ("events e INDEXED BY events_decided".to_owned(), "e.id DESC"),
        _ => ("events e".to_owned(), "e.id DESC"),
    };
    let mut conditions = Vec::new();
    let mut values = Vec::new();
    match within {
        Within::Everything | Within::Before(_) => {
            let end = match within {
                Within::Before(stretch) => end.min(stretches::floor(stretch)),
                _ => end,
            };
            conditions.extend(["e.id >= ?", "e.id < ?"].map(str::to_owned));
            values.extend([first, end].map(Sql::Integer));
        }
        Within::Stretches { whose, since } => {
            // What the numbers of a stretch are multiples of.
            let length = stretches::floor(1);
            let (oldest, newest) = (stretches::of(first).max(since), stretches::of(end));
            let (of_stretches, bounds) = stretches::conditions(whose, oldest, newest);
            conditions.extend(of_stretches);
            conditions.push(format!("e.id >= max(x.stretch * {length}, ?)"));
            conditions.push(format!("e.id < min((x.stretch + 1) * {length}, ?)"));
            values.extend(bounds.into_iter().chain([first, end]).map(Sql::Integer));
        }
    }
    for (condition, value) in [
        ("e.event = ? COLLATE NOCASE", filter.event),
        ("e.tool = ? COLLATE NOCASE", filter.tool),
        ("e.rule GLOB ?", filter.rule),
        ("e.agent = ?", filter.agent),
    ] {
        if let Some(value) = value {
            conditions.push(condition.to_owned());
            values.push(Sql::Text(value.to_owned()));
        }
    }
    if let Some(project) = project {
        conditions.push("e.project_id = ?".to_owned());
        values.push(Sql::Integer(project));
    }
    conditions.extend(session);
    if decided {
        conditions.push("e.decision <> 'no_opinion'".to_owned());
    }
    if !filter.decisions.is_empty() {
        let wanted: Vec<&str> = filter.decisions.iter().map(|it| condition(*it)).collect();
        conditions.push(format!("({})", wanted.join(" OR ")));
    }
    values.push(Sql::Integer(limit(filter.limit)));
    let conditions = conditions.join(" AND ");
    Query {
        sql: format!(
            "SELECT {COLUMNS}, {ABOUT} FROM {from} {JOINS} WHERE {conditions} ORDER BY {order} LIMIT ?"
        ),
        values,
    }
}

const fn condition(wanted: DecisionFilter) -> &'static str {
    match wanted {
        DecisionFilter::Nothing => "e.decision = 'no_opinion'",
        DecisionFilter::Grant => "e.decision = 'grant' AND e.enforcement <> 'observed'",
        DecisionFilter::Ask => "e.decision = 'ask' AND e.enforcement <> 'observed'",
        DecisionFilter::Deny => "e.decision = 'deny' AND e.enforcement <> 'observed'",
        DecisionFilter::Observed => "e.enforcement = 'observed'",
    }
}

/// An event may have been sent so long before it was taken down, or after.
const APART: TimeDelta = TimeDelta::seconds(5);
/// No call has more events.
const EVENTS_OF_A_CALL: usize = 16;

/// Events are found by their time: those of a call are around its beginning and its end.
pub(super) fn of_call(db: &Connection, call: &Trace) -> Result<Vec<RecordedEvent>> {
    let named = CallName::of(call);
    let mut select = db.prepare_cached(&of_call_sql(named))?;
    let mut found: Vec<RecordedEvent> = Vec::new();
    for time in std::iter::once(call.started_at).chain(call.ended_at) {
        let floor = |time: DateTime<Utc>| keys::event_floor(time.timestamp_millis());
        let mut values = vec![
            Sql::Integer(floor(time - APART)),
            Sql::Integer(floor(time + APART)),
            Sql::Text(call.tool_use_id.clone()),
            Sql::Text(call.session.clone()),
            Sql::Integer(limit(EVENTS_OF_A_CALL)),
        ];
        if named == CallName::ByUs {
            values.extend([
                Sql::Text(call.tool.clone()),
                Sql::Integer(time.timestamp_millis()),
            ]);
        }
        for event in select.query_map(params_from_iter(values), event)? {
            let event = event?;
            if !found
                .iter()
                .any(|known| known.decided.id == event.decided.id)
            {
                found.push(event);
            }
        }
    }
    Ok(found)
}

fn event(row: &Row<'_>) -> rusqlite::Result<RecordedEvent> {
    let decided: String = row.get(9)?;
    let enforcement: String = row.get(11)?;
    let micros: i64 = row.get(12)?;
    let fired: String = row.get(13)?;
    let subagent: Option<String> = row.get(6)?;
    Ok(RecordedEvent {
        decided: DecidedEvent {
            id: row.get(0)?,
            time: time(row.get(1)?),
            agent: row.get(2)?,
            event: row.get(3)?,
            project: row.get(4)?,
            session: row.get::<_, Option<String>>(5)?.unwrap_or_default(),
            subagent: subagent.map(|id| Subagent {
                id,
                kind: String::new(),
            }),
            tool: row.get(7)?,
            tool_use_id: row.get::<_, Option<String>>(8)?.or(row.get(18)?),
            decision: decision::parse(&decided).unwrap_or_default(),
            reason: row.get(10)?,
            rule: row.get(14)?,
            enforcement: Enforcement::parse(&enforcement).unwrap_or(Enforcement::Enforced),
            duration: std::time::Duration::from_micros(u64::try_from(micros).unwrap_or(0)),
            hooks: hooks::from_text(&fired),
        },
        input: row.get::<_, Option<String>>(15)?.map(traces::json),
        prompt: row.get(16)?,
        number: row.get(17)?,
    })
}
