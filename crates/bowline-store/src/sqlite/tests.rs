use rusqlite::types::Value as Sql;
use rusqlite::{Connection, params_from_iter};

use super::events::CallName;
use super::stretches::{Whose, Within};
use super::traces::{Scope, find_query};
use super::*;
use crate::status::TraceStatus;
use crate::trace::{DecisionFilter, EventFilter, StatusFilter};
use crate::work_items::WhichItems;

mod faults;
mod growth;

pub(super) fn database() -> (tempfile::TempDir, Connection) {
    let folder = tempfile::tempdir().unwrap();
    let options = Options::new(folder.path().join("data"));
    let path = options.database();
    let db = connection::open_for_writing(&path, &options).unwrap();
    (folder, db)
}

/// What SQLite would do.
pub(super) fn plan(db: &Connection, sql: &str, values: &[Sql]) -> Vec<String> {
    let mut explain = db.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
    let missing = explain.parameter_count().saturating_sub(values.len());
    let values = values.iter().cloned().chain(vec![Sql::Null; missing]);
    explain
        .query_map(params_from_iter(values), |row| row.get(3))
        .unwrap()
        .collect::<rusqlite::Result<_>>()
        .unwrap()
}

pub(super) fn assert_no_scan(db: &Connection, name: &str, sql: &str, values: &[Sql]) {
    let plan = plan(db, sql, values);
    // The steps of a subquery are in the plan as well. What it yields is then read as a whole.
    let is_harmless =
        |step: &str| step == "SCAN CONSTANT ROW" || step.starts_with("SCAN (subquery-");
    let scans = |step: &String| step.starts_with("SCAN") && !is_harmless(step);
    assert!(
        !plan.is_empty() && !plan.iter().any(scans),
        "{name}: {plan:#?}\n{sql}"
    );
}

#[test]
fn f21_a_every_documented_query_uses_an_index() {
    let (_folder, db) = database();
    for (name, sql) in [
        ("get_trace: bounds", traces::BOUNDS.to_owned()),
        ("get_trace: seek", traces::SEEK.to_owned()),
        ("get_trace: row", traces::by_row()),
        ("tree: prompt", traces::PROMPT.to_owned()),
        ("chains of a session", traces::CHAINS.to_owned()),
        ("chains of a beginning", traces::CHAINS_FROM.to_owned()),
        ("sessions", queries::sessions_sql(None)),
        ("sessions of a project", queries::sessions_sql(Some(1))),
        ("session", queries::chain_sql()),
        ("prompts", queries::PROMPTS.to_owned()),
        ("delegations", queries::DELEGATIONS.to_owned()),
        ("delegation", delegations::DELEGATION.to_owned()),
        (
            "triggers of a call",
            events::of_call_sql(CallName::ByItsAgent),
        ),
        (
            "triggers of a call without an id",
            events::of_call_sql(CallName::ByUs),
        ),
        ("trigger in a row", events::by_row_sql()),
        ("open calls of a chain", open_calls::OPEN.to_owned()),
        ("row of a session", traces::SESSION_ROW.to_owned()),
        ("project", traces::PROJECT.to_owned()),
        ("gaps", queries::GAPS.to_owned()),
        ("calls of a chain", work::CALLS.to_owned()),
        ("work of a chain", work::WORK.to_owned()),
        ("memory of a session", hook_memory::OF_SESSION.to_owned()),
        ("memory of a project", hook_memory::OF_PROJECT.to_owned()),
        ("memory of sessions", hook_memory::OF_SESSIONS.to_owned()),
        ("chain of a session", hook_memory::CHAIN.to_owned()),
        ("work item", work_items::one_sql()),
        ("work items", work_items::list_sql(WhichItems::Open)),
        ("all work items", work_items::list_sql(WhichItems::All)),
        ("active work item", work_items::active_sql()),
        ("failure by its message", failures::KNOWN[0].to_owned()),
        ("failure by its beginning", failures::KNOWN[1].to_owned()),
        ("failure", failures::one_sql()),
        ("failures", failures::list_sql()),
        ("failures of a project", failures::list_of_project_sql()),
        ("times of a failure", failures::times_sql()),
        ("times of failures", failures::all_times_sql()),
        ("failures of a chain", failures::OF_CHAIN.to_owned()),
        ("events of a time", figures::EVENTS.to_owned()),
        ("calls of a time", figures::CALLS.to_owned()),
        ("delegations of a time", figures::DELEGATIONS.to_owned()),
        ("prompts of a time", figures::PROMPTS.to_owned()),
        ("search: what is older", search::OLDER.to_owned()),
        ("search: backlog", search::BACKLOG.to_owned()),
    ] {
        assert_no_scan(&db, name, &sql, &[]);
    }
    for (name, query) in [
        ("slow", traces::slow_query(100, 10)),
        ("tree", traces::tree_query("t")),
    ] {
        assert_no_scan(&db, name, &query.sql, &query.values);
    }
}

#[test]
fn f21_a_every_combination_of_filters_uses_an_index() {
    let (_folder, db) = database();
    let one = super::traces::Scope::one(1, 1, 0, i64::MAX);
    let statuses = [
        None,
        Some(StatusFilter::AnyError),
        Some(StatusFilter::Is(TraceStatus::Started)),
        Some(StatusFilter::Is(TraceStatus::Completed)),
        Some(StatusFilter::Is(TraceStatus::Failed)),
        Some(StatusFilter::Is(TraceStatus::Denied)),
        Some(StatusFilter::AnyOf(
            [TraceStatus::Failed, TraceStatus::Denied]
                .into_iter()
                .collect(),
        )),
        Some(StatusFilter::AnyOf(
            [TraceStatus::Started, TraceStatus::Completed]
                .into_iter()
                .collect(),
        )),
    ];
    let scopes: [Option<Scope>; 3] = [None, Some(Scope::chain(1)), Some(one)];
    for scope in scopes {
        for status in statuses {
            for tool in [None, Some("Bash")] {
                for project in [None, Some(1)] {
                    for since in [None, Some(Utc::now())] {
                        let filter = TraceFilter {
                            tool,
                            status,
                            since,
                            before: since,
                            ..TraceFilter::default()
                        };
                        let query = find_query(
                            &filter,
                            scope,
                            project,
                            Within::Everything,
                            traces::COLUMNS,
                            traces::JOINS,
                        );
                        // What is open is few: its index is walked whole when no session is named.
                        let walks_open = scope.is_none()
                            && status == Some(StatusFilter::Is(TraceStatus::Started));
                        let plan = plan(&db, &query.sql, &query.values);
                        let allowed = |step: &String| {
                            !step.starts_with("SCAN")
                                || (walks_open && step.contains("INDEX traces_open"))
                        };
                        assert!(plan.iter().all(allowed), "{plan:#?}\n{}", query.sql);
                    }
                }
            }
        }
    }
}

#[test]
fn every_filter_of_events_uses_an_index() {
    let (_folder, db) = database();
    let all: [&[DecisionFilter]; 4] = [
        &[],
        &[DecisionFilter::Deny, DecisionFilter::Ask],
        &[DecisionFilter::Observed],
        &[DecisionFilter::Nothing],
    ];
    for decisions in all {
        for rule in [None, Some("git.*")] {
            for (project, session) in [(None, None), (Some(1), Some("e.chain_id IN (1)"))] {
                for within in [
                    Within::Everything,
                    Within::Before(1),
                    Within::Stretches {
                        whose: &[Whose::Chain(1), Whose::tool("bash")],
                        since: 0,
                    },
                ] {
                    let filter = EventFilter {
                        decisions,
                        rule,
                        tool: Some("bash"),
                        event: Some("pretooluse"),
                        before: Some(Utc::now()),
                        ..EventFilter::default()
                    };
                    let session = session.map(str::to_owned);
                    let query = events::query(&filter, project, session, within);
                    assert_no_scan(&db, "events", &query.sql, &query.values);
                    let plan = plan(&db, &query.sql, &query.values);
                    let is_sorted = |step: &String| !step.contains("TEMP B-TREE");
                    assert!(plan.iter().all(is_sorted), "{plan:#?}");
                }
            }
        }
    }
}

#[test]
fn calls_of_an_agent_are_found_by_an_index() {
    let (_folder, db) = database();
    let whose = [Whose::agent("codex"), Whose::Project(1)];
    let stretches = Within::Stretches {
        whose: &whose,
        since: 0,
    };
    for within in [stretches, Within::Before(1)] {
        let filter = TraceFilter {
            agent: Some("codex"),
            ..TraceFilter::default()
        };
        let query = find_query(
            &filter,
            None,
            Some(1),
            within,
            traces::COLUMNS,
            traces::JOINS,
        );
        assert_no_scan(&db, "calls of an agent", &query.sql, &query.values);
        let plan = plan(&db, &query.sql, &query.values);
        let is_sorted = |step: &String| !step.contains("TEMP B-TREE");
        assert!(plan.iter().all(is_sorted), "{plan:#?}");
    }
}

#[test]
fn every_part_of_a_digest_uses_an_index() {
    let (_folder, db) = database();
    for project in [None, Some(1)] {
        let period = digest::Period { since: 1, project };
        for (name, query) in period.queries() {
            assert_no_scan(&db, name, &query.sql, &query.values);
        }
    }
}

#[test]
fn the_database_is_set_up_as_measured() {
    let (_folder, db) = database();
    let text = |pragma: &str| -> String {
        db.pragma_query_value(None, pragma, |row| row.get::<_, rusqlite::types::Value>(0))
            .map(|value| match value {
                Sql::Integer(number) => number.to_string(),
                Sql::Text(text) => text,
                other => format!("{other:?}"),
            })
            .unwrap()
    };
    for (pragma, expected) in [
        ("journal_mode", "wal"),
        ("synchronous", "1"),
        ("page_size", "4096"),
        ("foreign_keys", "1"),
        ("wal_autocheckpoint", "0"),
        ("user_version", &connection::NEWEST.to_string()),
    ] {
        assert_eq!(text(pragma), expected, "{pragma}");
    }
    let loose: i64 = db
        .query_row(
            "SELECT count(*) FROM pragma_table_list WHERE type = 'table' AND schema = 'main' AND NOT strict
                AND name NOT LIKE 'sqlite_%' AND name <> 'refinery_schema_history'",
            [],
            |row| row.get(0),
        )
        .unwrap();
    assert_eq!(loose, 0, "every table is strict");
}

#[test]
fn the_log_is_moved_into_the_database_and_begins_anew() {
    let folder = tempfile::tempdir().unwrap();
    let options = Options::new(folder.path().join("data"));
    let path = options.database();
    let mut db = connection::open_for_writing(&path, &options).unwrap();
    let log = Log::new(&path);
    let counted = log.clone();
    db.wal_hook(Some(move |_: &mut rusqlite::hooks::Wal, pages| {
        counted.frames.store(
            u32::try_from(pages).unwrap_or(0),
            std::sync::atomic::Ordering::Relaxed,
        );
        Ok(())
    }))
    .unwrap();
    let keeper = Keeper::new(&path, log.clone(), Retention::default());
    let write = |n: i64| {
        db.execute(
            "INSERT INTO gaps (at, cause, records, message) VALUES (?1, 'dropped', 0, zeroblob(0) || 'x')",
            [n],
        )
        .unwrap();
        log.frames()
    };
    let before = (0..50).map(write).last().unwrap();
    assert!(before >= 50, "{before}");
    keeper.checkpoint().unwrap();
    let threshold = || keeper.threshold.load(std::sync::atomic::Ordering::Relaxed);
    assert!(
        threshold() > checkpoint::FRAMES,
        "a reader might have kept it from that"
    );
    assert!(write(50) < 10, "the log begins anew");
    keeper.committed(1);
    assert_eq!(threshold(), checkpoint::FRAMES);
}
