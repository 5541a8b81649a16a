//! The search: what is found, by which words, in what order, and what is no longer found.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

#[expect(dead_code, reason = "these tests need only a part of it")]
mod support;

use bowline_store::{
    CallKey, Change, Findings, Forget, Integrity, Match, Part, Record, SearchFilter, SessionRef,
    SqliteStore, Store, TextKind, TraceEnd, TraceStart, TraceStatus, Unfinished,
};
use rusqlite::Connection;
use serde_json::{Value, json};
use support::*;

fn began(session: &str, id: &str, tool: &str, input: &Value, ms: i64) -> Record {
    let mut record = start(session, id, tool, ms);
    let mut start = TraceStart::new(CallKey::Id(id.into()), tool);
    start.input = Some(input.clone());
    record.changes = vec![Change::TraceStarted(start)];
    record
}

fn failed(session: &str, id: &str, tool: &str, error: &str, ms: i64) -> Record {
    let mut record = end(session, id, tool, TraceStatus::Failed, ms);
    let mut end = TraceEnd::new(CallKey::Id(id.into()), tool, TraceStatus::Failed);
    end.error = Some(error.into());
    record.changes = vec![Change::TraceEnded(end)];
    record
}

fn prompt(session: &str, text: &str, ms: i64) -> Record {
    let text = Some(text.to_owned());
    with(
        record("UserPromptSubmit", session, ms),
        Change::PromptGiven { text },
    )
}

fn of_project(mut record: Record, folder: &str) -> Record {
    record.decided.project = Some(folder.into());
    record
}

/// A prompt, calls of three tools, one of them denied and one failed, in two sessions.
fn fill(store: &dyn Store) {
    for record in [
        prompt("s1", "Please deploy the Basket service", 0),
        began(
            "s1",
            "a",
            "Bash",
            &json!({"command": "cargo test --workspace"}),
            10,
        ),
        failed(
            "s1",
            "a",
            "Bash",
            "error[E0308]: mismatched types in basket.rs",
            20,
        ),
        began(
            "s1",
            "b",
            "Edit",
            &json!({"file_path": "/home/user/shop/src/main.rs", "new_string": "hidden"}),
            30,
        ),
        of_project(
            began(
                "s2",
                "c",
                "Bash",
                &json!({"command": "git push --force origin main"}),
                40,
            ),
            "/home/user/other",
        ),
    ] {
        committed(store, record);
    }
    let mut denied = began(
        "s2",
        "d",
        "mcp__db__Query",
        &json!({"query": "DROP TABLE baskets"}),
        50,
    );
    denied.changes.push(Change::TraceClosed {
        call: CallKey::Id("d".into()),
        how: Unfinished::Denied,
        message: Some("destructive statement".into()),
    });
    committed(store, of_project(denied, "/home/user/other"));
}

/// What was found: the call, else the session, with the kind.
fn shown(findings: &Findings) -> Vec<String> {
    let found = findings.found.iter();
    found
        .map(|it| {
            format!(
                "{} {}",
                it.tool_use_id.as_deref().unwrap_or("-"),
                it.kind.word()
            )
        })
        .collect()
}

fn search(store: &dyn Store, text: &str) -> Vec<String> {
    shown(&store.search(&SearchFilter::new(text)).unwrap())
}

#[test]
fn parts_of_commands_paths_prompts_and_errors_are_found_newest_first() {
    let (_folder, store) = open();
    fill(&store);
    for (text, expected) in [
        ("cargo test", vec!["a command"]),
        ("test cargo", vec!["a command"]),
        ("--force", vec!["c command"]),
        ("src/main.rs", vec!["b path"]),
        ("main", vec!["c command", "b path"]),
        ("MAIN.RS", vec!["b path"]),
        ("E0308", vec!["a error"]),
        ("basket", vec!["d command", "a error", "- prompt"]),
        ("bask", vec!["d command", "a error", "- prompt"]),
        ("baskets", vec!["d command"]),
        ("destructive", vec!["d error"]),
        ("deploy service", vec!["- prompt"]),
        ("asket", vec![]),
        ("hidden", vec![]),
        ("cargo deploy", vec![]),
        ("main/src", vec![]),
    ] {
        assert_eq!(search(&store, text), expected, "{text}");
    }
    let found = store.search(&SearchFilter::new("basket")).unwrap();
    assert_eq!(found.indexed_since, None);
    let error = &found.found[1];
    assert_eq!(error.excerpt, "error[E0308]: mismatched types in basket.rs");
    assert_eq!(error.matches, [Match { start: 34, end: 40 }]);
    assert_eq!(error.parts()[1], Part::Match("basket".into()));
    assert_eq!(
        (error.session.as_str(), error.tool.as_deref()),
        ("s1", Some("Bash"))
    );
    assert_eq!(error.project.as_deref(), Some("/home/user/project"));
    assert_eq!(error.time, at(20));
}

#[test]
fn a_search_is_narrowed_down() {
    let (_folder, store) = open();
    fill(&store);
    let row = store
        .session(SessionRef::Chain("s2"))
        .unwrap()
        .unwrap()
        .sessions[0]
        .row;
    let all = SearchFilter::new("basket");
    let main = SearchFilter::new("main");
    for (name, filter, expected) in [
        (
            "kind",
            SearchFilter {
                kinds: &[TextKind::Error, TextKind::Prompt],
                ..all.clone()
            },
            vec!["a error", "- prompt"],
        ),
        (
            "session",
            SearchFilter {
                session: Some(SessionRef::Chain("s1")),
                ..all.clone()
            },
            vec!["a error", "- prompt"],
        ),
        (
            "beginning",
            SearchFilter {
                session: Some(SessionRef::Beginning("s")),
                ..all.clone()
            },
            vec!["d command", "a error", "- prompt"],
        ),
        (
            "row",
            SearchFilter {
                session: Some(SessionRef::Row(row)),
                ..all.clone()
            },
            vec!["d command"],
        ),
        (
            "no session",
            SearchFilter {
                session: Some(SessionRef::Chain("x")),
                ..all.clone()
            },
            vec![],
        ),
        (
            "tool",
            SearchFilter {
                tool: Some("bash"),
                ..all.clone()
            },
            vec!["a error"],
        ),
        (
            "tool of a server",
            SearchFilter {
                tool: Some("mcp__db__query"),
                ..all.clone()
            },
            vec!["d command"],
        ),
        (
            "no tool",
            SearchFilter {
                tool: Some("mcp"),
                ..all.clone()
            },
            vec![],
        ),
        (
            "project",
            SearchFilter {
                project: Some("/home/user/other"),
                ..main.clone()
            },
            vec!["c command"],
        ),
        (
            "no project",
            SearchFilter {
                project: Some("/home"),
                ..main.clone()
            },
            vec![],
        ),
        (
            "since",
            SearchFilter {
                since: Some(at(20)),
                ..all.clone()
            },
            vec!["d command", "a error"],
        ),
        (
            "limit",
            SearchFilter {
                limit: 2,
                ..all.clone()
            },
            vec!["d command", "a error"],
        ),
        (
            "limit 0",
            SearchFilter {
                limit: 0,
                ..all.clone()
            },
            vec![],
        ),
        (
            "all of it",
            SearchFilter {
                kinds: &[TextKind::Path],
                tool: Some("Edit"),
                session: Some(SessionRef::Chain("s1")),
                project: Some("/home/user/project"),
                since: Some(at(0)),
                ..main.clone()
            },
            vec!["b path"],
        ),
    ] {
        assert_eq!(shown(&store.search(&filter).unwrap()), expected, "{name}");
    }
}

#[test]
fn no_text_is_an_error_or_finds_what_it_does_not_say() {
    let (_folder, store) = open();
    fill(&store);
    let long = "basket ".repeat(1_500);
    let longer = "x".repeat(10_000);
    for (text, expected) in [
        ("\"", 0),
        ("", 0),
        ("*", 0),
        ("-", 0),
        ("\0", 0),
        ("(", 0),
        ("'; DROP TABLE events; --", 0),
        ("basket\0", 3),
        ("\"basket", 3),
        ("basket\"\"", 3),
        ("basket*", 3),
        ("(basket", 3),
        ("{basket}", 3),
        ("^basket", 3),
        ("-basket", 3),
        ("+basket", 3),
        ("basket :", 3),
        ("basket AND", 0),
        ("NOT basket", 0),
        ("basket OR cargo", 0),
        ("NEAR(basket cargo)", 0),
        ("error : basket", 1),
        ("command:basket", 0),
        ("scope:s1", 0),
        ("s1", 0),
        ("p1", 0),
        ("basket\u{202e}\u{200b}", 3),
        (&long, 3),
        (&longer, 0),
    ] {
        let found = store.search(&SearchFilter::new(text));
        let found = found.unwrap_or_else(|error| panic!("{text:.50}: {error}"));
        assert_eq!(found.found.len(), expected, "{text:.50}");
    }
    assert!(bowline_store::is_searchable("-x"));
    assert!(!bowline_store::is_searchable(" -- \0"));
}

#[test]
fn calls_without_an_id_are_found_too() {
    let (_folder, store) = open();
    let unnamed = || CallKey::Unnamed { digest: Some(7) };
    let mut begin = record("PreToolUse", "s", 0);
    begin.decided.tool = Some("shell".into());
    let mut start = TraceStart::new(unnamed(), "shell");
    start.input = Some(json!({"command": ["bash", "-lc", "make all"]}));
    committed(&store, with(begin, Change::TraceStarted(start)));
    let mut finish = record("PostToolUse", "s", 5);
    finish.decided.tool = Some("shell".into());
    let mut end = TraceEnd::new(unnamed(), "shell", TraceStatus::Failed);
    end.error = Some("no rule to make target".into());
    committed(&store, with(finish, Change::TraceEnded(end)));
    let found = store.search(&SearchFilter::new("make")).unwrap().found;
    let kinds: Vec<TextKind> = found.iter().map(|it| it.kind).collect();
    assert_eq!(kinds, [TextKind::Error, TextKind::Command]);
    assert_eq!(found[1].excerpt, "bash -lc make all");
    assert!(found[0].tool_use_id.is_some());
}

/// The words of the index, whatever they belong to.
fn vocabulary(store: &SqliteStore) -> Vec<String> {
    let db = Connection::open(store.path()).unwrap();
    db.execute_batch("CREATE VIRTUAL TABLE temp.words USING fts5vocab (main, search_words, row)")
        .unwrap();
    let mut select = db.prepare("SELECT term FROM words").unwrap();
    let words = select.query_map([], |row| row.get(0)).unwrap();
    words.collect::<rusqlite::Result<_>>().unwrap()
}

#[test]
fn what_is_forgotten_is_not_found_and_its_words_are_gone() {
    let (_folder, store) = open();
    // Many commits, so that the index has several parts, some of which were merged.
    for n in 0..200 {
        let command = json!({"command": format!("echo word{n}")});
        committed(
            &store,
            began("s1", &format!("w{n}"), "Bash", &command, 1_000 + n),
        );
    }
    fill(&store);
    // More words begin so than are looked for one by one.
    assert_eq!(search(&store, "word").len(), 50);
    assert_eq!(search(&store, "echo/word19").len(), 11);
    store.forget(Forget::Before(at(1_050))).unwrap();
    assert_eq!(search(&store, "basket"), Vec::<String>::new());
    assert_eq!(
        (
            search(&store, "word49").len(),
            search(&store, "word50").len()
        ),
        (0, 1)
    );
    let words = vocabulary(&store);
    for gone in ["basket", "cargo", "word0", "word49"] {
        assert!(!words.contains(&gone.to_owned()), "{gone} is in {words:?}");
    }
    assert!(words.contains(&"word50".to_owned()), "{words:?}");

    fill(&store);
    store.forget(Forget::Session("s2")).unwrap();
    assert_eq!(search(&store, "basket"), ["a error", "- prompt"]);
    assert!(!vocabulary(&store).contains(&"destructive".to_owned()));
    store.forget(Forget::Project("/home/user/project")).unwrap();
    assert_eq!(vocabulary(&store), Vec::<String>::new());

    fill(&store);
    store.forget(Forget::All).unwrap();
    assert_eq!(search(&store, "basket"), Vec::<String>::new());
    assert_eq!(vocabulary(&store), Vec::<String>::new());
    fill(&store);
    assert_eq!(search(&store, "basket").len(), 3, "the index goes on");
}

#[test]
fn what_is_too_old_is_not_found() {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(patient(&folder)).unwrap();
    fill(&store);
    let ago = |days: i64| -24 * 60 * 60 * 1_000 * days;
    committed(&store, prompt("old", "an ancient basket", ago(40)));
    assert_eq!(search(&store, "ancient").len(), 1);
    drop(store);
    let mut options = patient(&folder);
    options.retention.days = Some(30);
    // Closing removes what is too old.
    drop(SqliteStore::open(options.clone()).unwrap());
    let store = SqliteStore::open(options).unwrap();
    assert_eq!(search(&store, "ancient"), Vec::<String>::new());
    assert_eq!(search(&store, "basket").len(), 3);
    let db = Connection::open(store.path()).unwrap();
    let rows: i64 = db
        .query_row("SELECT count(*) FROM search_words_docsize", [], |row| {
            row.get(0)
        })
        .unwrap();
    assert_eq!(rows, 6, "the index has no row for it");
}

/// Makes the database one of the version before the search.
fn age(path: &std::path::Path) {
    let db = Connection::open(path).unwrap();
    db.execute_batch(
        "DROP TABLE search_vocabulary; DROP TABLE search_words; DROP TABLE IF EXISTS search_words_content; DROP TABLE search_backlog;
         ALTER TABLE traces DROP COLUMN native;
         DROP TABLE event_stretches; PRAGMA user_version = 9;
         DELETE FROM refinery_schema_history WHERE version >= 10",
    )
    .unwrap();
}

#[test]
fn an_older_store_is_indexed_little_by_little() {
    let (folder, store) = open();
    fill(&store);
    for n in 0..1_200 {
        let command = json!({"command": format!("echo word{n}")});
        let record = began("s3", &format!("w{n}"), "Bash", &command, 1_000 + n);
        store.submit(record, Box::new(|outcome| assert!(outcome.is_committed())));
    }
    store.flush().unwrap();
    let path = store.path().to_owned();
    drop(store);
    age(&path);

    let store = SqliteStore::open(patient(&folder)).unwrap();
    let findings = store.search(&SearchFilter::new("word")).unwrap();
    assert_eq!(
        (findings.found.len(), findings.indexed_since),
        (0, Some(at(2_199)))
    );
    committed(&store, prompt("s4", "a new basket", 5_000));
    assert_eq!(
        search(&store, "basket"),
        ["- prompt"],
        "what is new is found at once"
    );
    // Each process that has the store for a moment indexes some, and goes on where the last one stopped.
    drop(store);
    let store = SqliteStore::open(patient(&folder)).unwrap();
    let since = store.search(&SearchFilter::new("word1199")).unwrap();
    assert_eq!(since.found.len(), 1);
    let indexed_since = since.indexed_since.unwrap();
    assert!(
        indexed_since < at(2_199) && indexed_since > at(1_000),
        "{indexed_since}"
    );
    drop(store);
    for _ in 0..3 {
        drop(SqliteStore::open(patient(&folder)).unwrap());
    }
    let store = SqliteStore::open(patient(&folder)).unwrap();
    let findings = store.search(&SearchFilter::new("basket")).unwrap();
    assert_eq!(findings.indexed_since, None);
    // An error is told where its call began.
    assert_eq!(
        shown(&findings),
        ["- prompt", "d command", "a error", "- prompt"]
    );
    assert_eq!(findings.found[2].time, at(10));
    assert_eq!(search(&store, "word777").len(), 1);
    assert_eq!(search(&store, "main.rs"), ["b path"]);
}

#[test]
fn a_store_that_stays_open_indexes_what_is_older_by_itself() {
    let (folder, store) = open();
    fill(&store);
    let path = store.path().to_owned();
    drop(store);
    age(&path);
    let store = SqliteStore::open(patient(&folder)).unwrap();
    bowline_testkit::until("everything is indexed", || {
        let findings = store.search(&SearchFilter::new("basket")).unwrap();
        findings.indexed_since.is_none() && findings.found.len() == 3
    });
}

/// What a connection remembers of the index is older than what another process wrote since.
#[test]
fn a_sound_index_is_sound_also_for_those_who_searched_before() {
    let (folder, here) = open();
    let there = SqliteStore::open(patient(&folder)).unwrap();
    for round in 0..40 {
        here.search(&SearchFilter::new("cargo")).unwrap();
        for (store, who) in [(&here, "here"), (&there, "there")] {
            let input = json!({"command": format!("cargo test word{round}")});
            let id = format!("{who}-{round}");
            committed(store, began("s1", &id, "Bash", &input, round * 10));
        }
        assert_eq!(here.integrity_check().unwrap(), Integrity::Sound, "{round}");
    }
}
