//! What is forgotten is in no file any more: every byte of every file is looked at.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

#[expect(dead_code, reason = "these tests need only a part of it")]
mod support;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use bowline_guidance::cost::budget::BudgetOf;
use bowline_guidance::cost::prices::Usd;
use bowline_guidance::work::{NewItem, Priority, WorkKind, WorkStatus};
use bowline_store::{
    CallKey, Change, DelegationStart, FailedCall, FailureRef, Forget, HookFired, MemoryOf,
    SqliteStore, Store, TraceEnd, TraceStart, TraceStatus,
};
use chrono::Utc;
use serde_json::json;
use support::*;

/// Files in which a text is, wherever.
fn found(folder: &Path, needle: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for path in fs::read_dir(folder).unwrap().map(|it| it.unwrap().path()) {
        if path.is_dir() {
            found.extend(self::found(&path, needle));
        } else {
            let bytes = fs::read(&path).unwrap();
            let there = bytes
                .windows(needle.len())
                .any(|it| it == needle.as_bytes());
            found.extend(there.then_some(path));
        }
    }
    found
}

/// A session of tool calls and prompts, whose every text has the needle.
fn fill(store: &dyn Store, session: &str, needle: &str, calls: i64) {
    for n in 0..calls {
        let id = format!("{needle}-{n}");
        let length = usize::try_from(n).unwrap() % 90;
        let mut begin = record("PreToolUse", session, 10 * n);
        begin.decided.reason = Some(format!("{needle} reason"));
        begin.decided.project = Some(format!("/home/{needle}"));
        begin.decided.hooks.push(HookFired {
            name: "guard".into(),
            scope: None,
            decision: bowline::hooks::Decision::Ask,
            duration: Duration::from_micros(5),
            failure: Some(format!("{needle} failed")),
            ..HookFired::default()
        });
        let mut start = TraceStart::new(CallKey::Id(id.clone()), "Bash");
        start.input = Some(json!({"command": format!("{needle} {}", "x ".repeat(10 * length))}));
        begin.changes.push(Change::TraceStarted(start));
        committed(store, begin);
        let mut finish = record("PostToolUse", session, 10 * n + 5);
        let mut end = TraceEnd::new(CallKey::Id(id), "Bash", TraceStatus::Completed);
        end.output = Some(json!({"stdout": format!("{needle} {}", "text ".repeat(length))}));
        finish.changes.push(Change::TraceEnded(end));
        committed(store, finish);
        let text = Some(format!("{needle} please {}", "and ".repeat(length)));
        let prompt = record("UserPromptSubmit", session, 10 * n + 7);
        committed(store, with(prompt, Change::PromptGiven { text }));
    }
}

#[test]
fn nothing_of_what_is_forgotten_is_in_any_file() {
    let (folder, store) = open();
    fill(&store, "forget-me", "NEEDLE", 150);
    fill(&store, "keep-me", "KEPT", 20);
    assert!(!found(folder.path(), "NEEDLE").is_empty());
    // As the index of the search has it.
    assert!(!found(folder.path(), "needle").is_empty());
    let forgotten = store.forget(Forget::Session("forget-me")).unwrap();
    assert_eq!((forgotten.traces, forgotten.remains), (150, Vec::new()));
    for text in [
        "NEEDLE-",
        "NEEDLE please",
        "NEEDLE x",
        "NEEDLE text",
        "NEEDLE reason",
        "NEEDLE failed",
        "forget-me",
        "needle",
    ] {
        assert_eq!(found(folder.path(), text), Vec::<PathBuf>::new(), "{text}");
    }
    // A project is forgotten by itself.
    let project = Forget::Project("/home/NEEDLE");
    assert_eq!(store.forget(project).unwrap().remains, Vec::<String>::new());
    assert_eq!(found(folder.path(), "NEEDLE"), Vec::<PathBuf>::new());
    assert_eq!(store.last_events(1_000).unwrap().len(), 60, "others stay");

    committed(&store, start("keep-me", "KEPT after", "Bash", 0));
    store.forget(Forget::All).unwrap();
    for text in ["KEPT", "kept"] {
        assert_eq!(found(folder.path(), text), Vec::<PathBuf>::new(), "{text}");
    }
    drop(store);
    assert_eq!(found(folder.path(), "KEPT"), Vec::<PathBuf>::new());
}

/// FTS5 only marks what is removed, and writes its parts anew when much of them is marked. Here that is little.
#[test]
fn a_word_of_one_forgotten_record_among_many_is_in_no_file() {
    for what in [
        Forget::Session("forget-me"),
        Forget::Project("/home/forget-me"),
        Forget::Before(at(1)),
    ] {
        let (folder, store) = open();
        for n in 0..400 {
            let session = if n == 0 { "forget-me" } else { "keep-me" };
            let word = if n == 0 { "quixotic" } else { "ordinary" };
            let mut begin = record("PreToolUse", session, n);
            begin.decided.project = Some(format!("/home/{session}"));
            let mut start = TraceStart::new(CallKey::Id(format!("id-{n}")), "Bash");
            start.input = Some(json!({"command": format!("echo {word}")}));
            begin.changes.push(Change::TraceStarted(start));
            store.submit(begin, Box::new(|outcome| assert!(outcome.is_committed())));
        }
        store.flush().unwrap();
        // One part that has everything.
        store.compact().unwrap();
        assert!(!found(folder.path(), "quixotic").is_empty());
        let forgotten = store.forget(what).unwrap();
        assert_eq!((forgotten.events, forgotten.remains), (1, Vec::new()));
        assert_eq!(
            found(folder.path(), "quixotic"),
            Vec::<PathBuf>::new(),
            "{what:?}"
        );
        assert!(!found(folder.path(), "ordinary").is_empty());
    }
}

/// The tables, each with the number of its rows and whether they belong to sessions.
fn tables(store: &SqliteStore) -> Vec<(String, i64, bool)> {
    let db = rusqlite::Connection::open(store.path()).unwrap();
    let mut names = db
        .prepare(
            "SELECT name, EXISTS (SELECT 1 FROM pragma_table_info(sqlite_schema.name) WHERE name = 'chain_id')
                FROM sqlite_schema
                WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name <> 'refinery_schema_history'
                -- The index of the search counts as one table.
                AND name NOT LIKE 'search_words_%'",
        )
        .unwrap();
    let names = names.query_map([], |row| Ok((row.get(0)?, row.get(1)?)));
    let count = |name: &str| {
        db.query_row(&format!("SELECT count(*) FROM {name}"), [], |row| {
            row.get(0)
        })
    };
    names
        .unwrap()
        .map(|found| {
            let (name, is_of_session): (String, bool) = found.unwrap();
            let rows = count(&name).unwrap();
            (name, rows, is_of_session)
        })
        .collect()
}

/// What messages used, how far a transcript was read, and a budget that was raised.
fn fill_costs(store: &dyn Store) {
    let usage = serde_json::from_value(json!({
        "message": "m", "at": "2026-11-15T06:29:50Z", "session": "s", "folder": "/p", "model": "claude-opus-4-8",
        "tokens": {"input": 1, "output": 1, "cache_write": 0, "cache_read": 0},
    }));
    let mark = bowline_store::Mark {
        file: "/t/a#1".to_owned(),
        offset: 1,
    };
    let costs = store.costs();
    costs.keep_usage(vec![usage.unwrap()], Some(mark)).unwrap();
    let (of, by) = (BudgetOf::Session, Usd(1));
    costs.raise_budget(of, "s", by, chrono::Utc::now()).unwrap();
}

#[test]
fn every_table_is_emptied() {
    /// They are filled by other things than records of a session. The tables of continuity are filled and emptied in
    /// `continuity/forgetting.rs`.
    const APART: [&str; 15] = [
        "gaps",
        "hooks",
        "tasks",
        "efforts",
        "phase_history",
        "effort_sessions",
        "transcripts",
        "messages",
        "agents",
        "notes",
        "todos",
        "edited_files",
        "skills",
        "leases",
        "search_backlog",
    ];
    let (_folder, store) = open();
    let fill = || {
        fill(&store, "s", "NEEDLE", 1);
        let mut record = start("s", "t", "Agent", 100);
        record.changes.push(Change::Worked {
            call: "t".to_owned(),
            work: json!({"wrote": ["a"]}),
        });
        record
            .changes
            .push(Change::DelegationStarted(DelegationStart {
                call: Some("t".to_owned()),
                to: "Explore".to_owned(),
                description: None,
            }));
        for of in [MemoryOf::Session, MemoryOf::Project] {
            let (hook, state) = ("loops".to_owned(), json!(1));
            record.changes.push(Change::Remembered { of, hook, state });
        }
        record.changes.push(Change::Failed(FailedCall {
            failure: FailureRef {
                project: "/p".to_owned(),
                tool: "Bash".to_owned(),
                signature: 1,
                beginning: 2,
            },
            message: Some("NEEDLE failed".to_owned()),
            follow_up_after: 3,
        }));
        committed(&store, record);
        let item = NewItem {
            title: "NEEDLE".to_owned(),
            kind: WorkKind::Bug,
            priority: Priority::High,
            status: WorkStatus::InProgress,
        };
        let work = store.work();
        work.add_item("/home/NEEDLE", Some("s"), &item, Utc::now())
            .unwrap();
        fill_costs(&store);
        for (name, rows, _) in tables(&store) {
            let is_apart = APART.contains(&name.as_str());
            assert!(rows > 0 || is_apart, "let this test fill {name}");
        }
    };
    fill();
    store.forget(Forget::Session("s")).unwrap();
    for (name, rows, is_of_session) in tables(&store) {
        assert!(rows == 0 || !is_of_session, "{name} keeps the session");
    }
    fill();
    store.forget(Forget::All).unwrap();
    for (name, rows, _) in tables(&store) {
        assert_eq!(rows, 0, "{name} keeps rows");
    }
}

#[test]
fn what_a_reader_keeps_in_the_log_is_said_to_remain() {
    let (folder, store) = open();
    fill(&store, "forget-me", "NEEDLE", 5);
    let reader = rusqlite::Connection::open(store.path()).unwrap();
    reader.execute_batch("BEGIN").unwrap();
    let count = |db: &rusqlite::Connection| -> i64 {
        db.query_row("SELECT count(*) FROM events", [], |row| row.get(0))
            .unwrap()
    };
    assert_eq!(count(&reader), 15);
    let forgotten = store.forget(Forget::Session("forget-me")).unwrap();
    assert_eq!(forgotten.events, 15);
    assert!(
        forgotten.remains[0].contains("bowline.db-wal"),
        "{forgotten:?}"
    );
    assert!(
        forgotten.remains[0].contains("store compact"),
        "{forgotten:?}"
    );
    reader.execute_batch("COMMIT").unwrap();
    store.compact().unwrap();
    store.forget(Forget::Project("/home/NEEDLE")).unwrap();
    assert_eq!(found(folder.path(), "NEEDLE"), Vec::<PathBuf>::new());
}

#[test]
fn what_another_process_forgot_is_not_brought_back() {
    let folder = tempfile::tempdir().unwrap();
    let [store, other] = [(); 2].map(|()| SqliteStore::open(patient(&folder)).unwrap());
    fill(&store, "forget-me", "NEEDLE", 5);
    let forgotten = other.forget(Forget::Session("forget-me")).unwrap();
    assert_eq!(forgotten.events, 15);
    drop(other);
    committed(&store, start("s", "after", "Bash", 0));
    // What follows would be brought back.
    let log = store.path().with_extension("db-wal");
    fs::OpenOptions::new()
        .write(true)
        .open(log)
        .unwrap()
        .set_len(0)
        .unwrap();
    committed(&store, start("s", "last", "Bash", 0));
    assert_eq!(found(folder.path(), "NEEDLE-"), Vec::<PathBuf>::new());
    let triggers = store.last_events(50).unwrap();
    assert!(
        triggers
            .iter()
            .all(|trigger| trigger.decided.session != "forget-me"),
        "{triggers:?}"
    );
}
