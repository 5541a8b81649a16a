use bowline_guidance::cost::report::By;
use bowline_guidance::cost::usage::TranscriptReader;

use super::super::tests::{assert_no_scan, database};
use super::super::{Options, SqliteStore};
use super::*;
use crate::record::Record;
use crate::store::{Forget, Store};

fn open() -> (tempfile::TempDir, SqliteStore) {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(Options::new(folder.path().join("data"))).unwrap();
    (folder, store)
}

fn usage(message: &str, session: &str, output: u64) -> Usage {
    Usage {
        message: message.to_owned(),
        at: "2026-11-15T06:29:50Z".parse().unwrap(),
        session: session.to_owned(),
        folder: "/p".to_owned(),
        subagent: None,
        model: "claude-opus-4-8".to_owned(),
        tools: BTreeSet::new(),
        tokens: Tokens {
            input: 100,
            output,
            ..Tokens::default()
        },
    }
}

fn by(store: &SqliteStore, by: By, on: Option<SpentOn>) -> Vec<(String, u64, u64)> {
    let filter = SpentFilter {
        by,
        on,
        since: None,
    };
    let spent = store.spent(&filter).unwrap();
    let mut rows: Vec<_> = spent
        .into_iter()
        .map(|it| (it.key, it.messages, it.tokens.total()))
        .collect();
    rows.sort();
    rows
}

#[test]
fn f28_b_what_recorded_transcripts_used_is_added_up_to_the_token() {
    const RECORDED: [&str; 4] = [
        include_str!("../../../../bowline-guidance/tests/data/transcripts/02_bash_denied.jsonl"),
        include_str!(
            "../../../../bowline-guidance/tests/data/transcripts/03_write_edit_read.jsonl"
        ),
        include_str!("../../../../bowline-guidance/tests/data/transcripts/04_subagent.jsonl"),
        include_str!(
            "../../../../bowline-guidance/tests/data/transcripts/04_subagent-agent-a7b6dad79aa3b0284.jsonl"
        ),
    ];
    let (_folder, store) = open();
    // Line by line, and twice: what is known of a message grows, and nothing counts twice.
    for _ in 0..2 {
        for line in RECORDED.iter().flat_map(|it| it.lines()) {
            let usage = TranscriptReader::default()
                .line(line.as_bytes())
                .into_iter()
                .collect();
            store.keep_usage(usage, None).unwrap();
        }
    }
    let row = |key: &str, messages, total| (key.to_owned(), messages, total);
    for (what, expected) in [
        (By::Model, vec![row("claude-opus-4-8", 10, 1200)]),
        (
            By::Session,
            vec![
                row("0458ac7d-5eb5-4740-b89f-a9875e8143b7", 4, 480),
                row("245124a4-a117-43d5-9236-05b1c629dfd2", 2, 240),
                row("446523aa-4061-493a-bba0-40803a484e46", 4, 480),
            ],
        ),
        (
            By::Agent,
            vec![row("", 8, 960), row("general-purpose", 2, 240)],
        ),
        (By::Project, vec![row("/home/user/project", 10, 1200)]),
        (
            By::Tool,
            vec![
                row("", 4, 480),
                row("Agent", 1, 120),
                row("Bash", 2, 240),
                row("Edit", 1, 120),
                row("Read", 1, 120),
                row("Write", 1, 120),
            ],
        ),
    ] {
        assert_eq!(by(&store, what, None), expected, "{what:?}");
    }
    let session = SpentOn::Session("245124a4-a117-43d5-9236-05b1c629dfd2".to_owned());
    assert_eq!(
        by(&store, By::Model, Some(session)),
        [row("claude-opus-4-8", 2, 240)]
    );
    let project = SpentOn::Project("/elsewhere".to_owned());
    assert_eq!(by(&store, By::Model, Some(project)), []);
}

/// A transcript is written by others. What it says must not keep everybody from knowing what was spent.
#[test]
fn absurd_numbers_do_not_make_sums_overflow() {
    let (_folder, store) = open();
    let absurd = ["a", "b", "c"].map(|message| usage(message, "s", u64::MAX));
    store.keep_usage(absurd.to_vec(), None).unwrap();
    let expected = 3 * (100 + MAX_TOKENS);
    let all = [("claude-opus-4-8".to_owned(), 3, expected)];
    assert_eq!(by(&store, By::Model, None), all);
}

#[test]
fn days_and_lengths_of_prompts_are_told_apart() {
    let (_folder, store) = open();
    let mut next_day = usage("b", "s", 5);
    next_day.at = "2026-11-16T06:00:00Z".parse().unwrap();
    next_day.tokens.cache_read = 150_000;
    store
        .keep_usage(vec![usage("a", "s", 1), next_day], None)
        .unwrap();
    let filter = SpentFilter {
        by: By::Session,
        since: Some("2026-11-16T00:00:00Z".parse().unwrap()),
        on: None,
    };
    let spent = store.spent(&filter).unwrap();
    let [one] = spent.as_slice() else {
        panic!("{spent:?}");
    };
    assert_eq!(
        (one.day.to_string(), one.band),
        ("2026-11-16".to_owned(), Band::Middle)
    );
}

#[test]
fn a_mark_is_kept_with_what_was_read() {
    let (_folder, store) = open();
    let files = ["/t/a#1".to_owned(), "/t/b#2".to_owned()];
    let many = (0..1200).map(|n| usage(&format!("m{n}"), "s", 1)).collect();
    let mark = Mark {
        file: files[0].clone(),
        offset: 77,
    };
    store.keep_usage(many, Some(mark.clone())).unwrap();
    assert_eq!(store.marks(&files).unwrap(), [77, 0]);
    assert_eq!(by(&store, By::Session, None)[0].1, 1200);
    // A file that was cut begins anew.
    store
        .keep_usage(Vec::new(), Some(Mark { offset: 3, ..mark }))
        .unwrap();
    assert_eq!(store.marks(&files).unwrap(), [3, 0]);
}

#[test]
fn budgets_are_raised_and_the_raises_add_up() {
    let (_folder, store) = open();
    let now = Utc::now();
    let raise = |name, by| {
        store
            .raise_budget(BudgetOf::Session, name, Usd(by), now)
            .unwrap()
    };
    assert_eq!(raise("s1", 5), Usd(5));
    assert_eq!(raise("s1", 7), Usd(12));
    let of = |of, name| store.budget_raise(of, name).unwrap();
    assert_eq!(of(BudgetOf::Session, "s1"), Usd(12));
    assert_eq!(of(BudgetOf::Session, "s2"), Usd(0));
    assert_eq!(of(BudgetOf::Day, "s1"), Usd(0));
}

#[test]
fn what_was_used_is_forgotten_with_its_session_and_its_project() {
    let (_folder, store) = open();
    // Two sessions that are known otherwise, and two that are not.
    for name in ["s1", "s2"] {
        let mut record = Record::new(name, Utc::now(), "claude-code", "SessionStart", name);
        record.decided.project = Some("/p".to_owned());
        store.submit(record, Box::new(|_| {}));
    }
    store.flush().unwrap();
    let mut elsewhere = usage("d", "s4", 1);
    elsewhere.folder = "/q".to_owned();
    let all = vec![
        usage("a", "s1", 1),
        usage("b", "s2", 1),
        usage("c", "s3", 1),
        elsewhere,
    ];
    store.keep_usage(all.clone(), None).unwrap();
    let left = || -> Vec<String> {
        let rows = by(&store, By::Session, None);
        rows.into_iter().map(|(key, ..)| key).collect()
    };
    let names = |kind: &str| -> i64 {
        let sql = "SELECT count(*) FROM usage_names WHERE kind = ?1";
        let db = rusqlite::Connection::open(store.path()).unwrap();
        db.query_row(sql, [kind], |row| row.get(0)).unwrap()
    };
    store.forget(Forget::Session("s3")).unwrap();
    assert_eq!(left(), ["s1", "s2", "s4"]);
    store.forget(Forget::Session("s1")).unwrap();
    assert_eq!(left(), ["s2", "s4"]);
    assert_eq!(names("session"), 2);
    store.forget(Forget::Project("/p")).unwrap();
    assert_eq!(left(), ["s4"]);
    assert_eq!((names("session"), names("project")), (1, 1));
    store.forget(Forget::Before(Utc::now())).unwrap();
    assert_eq!(left(), Vec::<String>::new());
    store.keep_usage(all, None).unwrap();
    store.forget(Forget::All).unwrap();
    assert_eq!((left(), names("model")), (Vec::new(), 0));
}

#[test]
fn f21_a_every_question_about_costs_uses_an_index() {
    let (_folder, db) = database();
    for sql in [KNOWN, NAME, NAMED, MARK, EFFORT, RAISE] {
        assert_no_scan(&db, "costs", sql, &[]);
    }
    let on = [
        None,
        Some(SpentOn::Session("s".to_owned())),
        Some(SpentOn::Effort(EffortId(1))),
        Some(SpentOn::Project("/p".to_owned())),
    ];
    for on in on {
        for by in [
            By::Day,
            By::Model,
            By::Session,
            By::Effort,
            By::Tool,
            By::Agent,
            By::Project,
        ] {
            let filter = SpentFilter {
                by,
                on: on.clone(),
                since: None,
            };
            let (sql, values) = query(&filter);
            assert_no_scan(&db, "spent", &sql, &values);
        }
    }
}
