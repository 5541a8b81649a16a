//! What is asked and written costs as much in a large store as in a small one. Counted in steps of SQLite: times belong in benches.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use chrono::TimeDelta;

use super::super::apply::Apply;
use super::super::memory::Memory;
use super::*;
use crate::record::{CallKey, Change, Record, TraceEnd, TraceStart};

/// At most this many calls has a session.
const SESSION: i64 = 100;

fn tool(n: i64) -> &'static str {
    match n {
        0..SESSION => "Glob",
        _ if n % 3 == 0 => "Read",
        _ => "Bash",
    }
}

/// The two events of a call. One of five fails.
fn call(n: i64) -> [Record; 2] {
    let began = DateTime::UNIX_EPOCH + TimeDelta::days(20_000) + TimeDelta::seconds(n);
    let (id, tool) = (CallKey::Id(format!("toolu_{n}")), tool(n));
    let status = [TraceStatus::Completed, TraceStatus::Failed][usize::from(n % 5 == 0)];
    let start = Change::TraceStarted(TraceStart::new(id.clone(), tool));
    let end = Change::TraceEnded(TraceEnd::new(id, tool, status));
    let record = |event: &str, ms: i64, change| {
        let time = began + TimeDelta::milliseconds(ms);
        let session = format!("session-{}", n / SESSION);
        let agent = if n < SESSION { "codex" } else { "claude-code" };
        let mut record = Record::new(format!("{event}-{n}"), time, agent, event, session);
        let project = if n < SESSION { "old" } else { "project" };
        record.decided.project = Some(format!("/home/user/{project}"));
        record.decided.tool = Some(tool.to_owned());
        record.changes.push(change);
        record
    };
    [
        record("PreToolUse", 0, start),
        record("PostToolUse", n % 900, end),
    ]
}

fn write(db: &Connection, memory: &mut Memory, calls: impl Iterator<Item = i64>) {
    db.execute_batch("BEGIN").unwrap();
    for record in calls.flat_map(call) {
        Apply::new(db, memory, &record).run().unwrap();
    }
    db.execute_batch("COMMIT").unwrap();
}

/// Counts the steps that SQLite takes.
fn counter(db: &mut Connection) -> Arc<AtomicU64> {
    let counted = Arc::new(AtomicU64::new(0));
    let counter = Arc::clone(&counted);
    let count = move || {
        counter.fetch_add(1, Ordering::Relaxed);
        false
    };
    db.progress_handler(1, Some(count)).unwrap();
    counted
}

fn read(db: &Connection, sql: &str, values: Vec<Sql>) {
    let mut statement = db.prepare(sql).unwrap();
    let mut rows = statement.query(params_from_iter(values)).unwrap();
    while rows.next().unwrap().is_some() {}
}

/// What each question and one more call cost with this many calls in the store.
fn costs(calls: i64) -> Vec<(String, u64)> {
    let (_folder, mut db) = database();
    let counter = counter(&mut db);
    let steps = |work: &mut dyn FnMut()| {
        let before = counter.load(Ordering::Relaxed);
        work();
        counter.load(Ordering::Relaxed) - before
    };
    let mut memory = Memory::default();
    write(&db, &mut memory, 0..calls);
    let mut costs = Vec::new();
    for (name, next) in [("a call", calls), ("a call, by another process", calls + 1)] {
        if next > calls {
            memory = Memory::default();
        }
        let memory = &mut memory;
        let steps = steps(&mut || write(&db, memory, next..=next));
        costs.push((name.to_owned(), steps));
    }
    let id = format!("toolu_{}", calls / 2);
    let found = || assert!(traces::by_id(&db, &id).unwrap().is_some());
    costs.push(("get_trace".to_owned(), steps(&mut || found())));
    let all = TraceFilter::default();
    for (name, filter, scope) in [
        ("newest", all.clone(), None),
        ("of a session", all.clone(), Some(Scope::chain(1))),
        (
            "by tool",
            TraceFilter {
                tool: Some("Bash"),
                ..all.clone()
            },
            None,
        ),
        (
            "errors",
            TraceFilter {
                status: Some(StatusFilter::AnyError),
                ..all.clone()
            },
            None,
        ),
        (
            "errors of a session",
            TraceFilter {
                status: Some(StatusFilter::AnyError),
                ..all
            },
            Some(Scope::chain(1)),
        ),
    ] {
        let query = find_query(
            &filter,
            scope,
            None,
            Within::Everything,
            traces::COLUMNS,
            traces::JOINS,
        );
        let steps = steps(&mut || read(&db, &query.sql, query.values.clone()));
        costs.push((name.to_owned(), steps));
    }
    let of_agent = TraceFilter {
        agent: Some("codex"),
        ..all.clone()
    };
    let found = || assert_eq!(traces::find(&db, &of_agent).unwrap().len(), 100);
    costs.push(("of an agent".to_owned(), steps(&mut || found())));
    let slow = traces::slow_query(500, 100);
    costs.push((
        "slow".to_owned(),
        steps(&mut || read(&db, &slow.sql, slow.values.clone())),
    ));
    let all = EventFilter {
        limit: 100,
        ..EventFilter::default()
    };
    let of_tool = EventFilter {
        tool: Some("glob"),
        ..all.clone()
    };
    let of_session = EventFilter {
        session: Some(SessionRef::Chain("session-0")),
        ..all.clone()
    };
    let of_project = EventFilter {
        project: Some("/home/user/old"),
        ..all.clone()
    };
    let of_agent = EventFilter {
        agent: Some("codex"),
        ..all.clone()
    };
    for (name, filter) in [
        ("of an agent that was last used long ago", of_agent),
        ("last triggers", all),
        ("of a tool that was last used long ago", of_tool),
        ("of an old session", of_session),
        ("of an old project", of_project),
    ] {
        let found = || assert_eq!(events::find(&db, &filter).unwrap().len(), 100, "{name}");
        costs.push((name.to_owned(), steps(&mut || found())));
    }
    costs
}

#[test]
fn f48_a_ten_times_as_many_calls_cost_no_more_steps() {
    // The next call belongs to a session that began before.
    let half = SESSION / 2;
    let (small, large) = (costs(1_000 + half), costs(10_000 + half));
    for ((name, few), (_, many)) in small.iter().zip(&large) {
        assert!(*few > 0, "{name} was not counted");
        assert!(*many <= 2 * few, "{name}: {few} steps, then {many}");
    }
}

#[test]
fn calls_of_an_agent_are_found_by_every_filter() {
    let (_folder, db) = database();
    write(&db, &mut Memory::default(), 0..155);
    let (_, migration) = *connection::MIGRATIONS.last().unwrap();
    db.execute_batch("DROP TABLE event_stretches").unwrap();
    db.execute_batch(migration).unwrap();
    write(&db, &mut Memory::default(), 155..300);
    let all = TraceFilter {
        limit: 1_000,
        ..TraceFilter::default()
    };
    let failed = Some(StatusFilter::AnyError);
    for (agent, tool, session, status, expected) in [
        ("codex", None, None, None, 100),
        ("claude-code", None, None, None, 200),
        ("claude-code", Some("read"), None, None, 66),
        ("claude-code", Some("glob"), None, None, 0),
        ("claude-code", None, Some("session-0"), None, 0),
        ("claude-code", None, Some("session-2"), None, 100),
        ("claude-code", None, None, failed, 40),
        ("gemini", None, None, None, 0),
    ] {
        let filter = TraceFilter {
            agent: Some(agent),
            tool,
            session: session.map(SessionRef::Chain),
            status,
            ..all.clone()
        };
        let found = traces::find(&db, &filter).unwrap();
        assert_eq!(found.len(), expected, "{filter:?}");
        let times: Vec<_> = found.iter().map(|it| it.started_at).collect();
        assert!(times.is_sorted_by(|a, b| a >= b), "{filter:?}");
    }
    let half = DateTime::UNIX_EPOCH + TimeDelta::days(20_000) + TimeDelta::seconds(255);
    let of_half = TraceFilter {
        agent: Some("claude-code"),
        since: Some(half),
        ..all
    };
    assert_eq!(traces::find(&db, &of_half).unwrap().len(), 45);
}

#[test]
fn events_from_before_stretches_were_noted_are_found_by_their_session_too() {
    let (_folder, db) = database();
    write(&db, &mut Memory::default(), 0..155);
    let (_, migration) = *connection::MIGRATIONS.last().unwrap();
    db.execute_batch("DROP TABLE event_stretches").unwrap();
    db.execute_batch(migration).unwrap();
    write(&db, &mut Memory::default(), 155..300);
    for (session, tool, expected) in [
        (Some("session-0"), None, 200),
        (Some("session-1"), None, 200),
        (Some("session-2"), None, 200),
        (None, Some("glob"), 200),
        (Some("session-1"), Some("glob"), 0),
    ] {
        let filter = EventFilter {
            session: session.map(SessionRef::Chain),
            tool,
            limit: 1_000,
            ..EventFilter::default()
        };
        let found = events::find(&db, &filter).unwrap();
        let times: Vec<_> = found.iter().map(|it| it.decided.time).collect();
        assert_eq!(times.len(), expected, "{session:?} {tool:?}");
        assert!(times.is_sorted_by(|a, b| a >= b), "{session:?} {tool:?}");
    }
}
