//! What happens when the database cannot be used, from inside, where its parts can be broken.

use std::sync::mpsc;

use super::*;
use crate::gap::GapCause;
use crate::record::{CallKey, Change, Record, TraceStart};
use crate::store::Outcome;

fn record(id: &str) -> Record {
    let mut record = Record::new(id, Utc::now(), "agent", "PreToolUse", "session");
    record.changes.push(Change::TraceStarted(TraceStart::new(
        CallKey::Id(id.to_owned()),
        "Bash",
    )));
    record
}

fn submit(store: &SqliteStore, record: Record) -> Outcome {
    let (tell, told) = mpsc::channel();
    store.submit(record, Box::new(move |outcome| tell.send(outcome).unwrap()));
    told.recv_timeout(Duration::from_secs(60)).unwrap()
}

/// Does something with the connection that writes.
fn break_in(store: &SqliteStore, what: impl Fn(&Connection) + Send + 'static) {
    store
        .on_writer(move |writer| {
            what(writer.backend.database()?);
            Ok(Some(()))
        })
        .unwrap();
}

fn patient(folder: &tempfile::TempDir) -> Options {
    Options {
        deadline: Duration::from_secs(30),
        retention: Retention {
            days: None,
            bytes: None,
        },
        ..Options::new(folder.path().join("data"))
    }
}

#[test]
fn a_store_that_may_not_be_written_spools_and_drains_later() {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(patient(&folder)).unwrap();
    submit(&store, record("before"));
    break_in(&store, |db| {
        db.pragma_update(None, "query_only", true).unwrap();
    });
    let outcome = submit(&store, record("during"));
    assert_eq!(outcome, Outcome::Spooled(crate::spool::SpoolMedium::Data));
    assert!(
        store.get_trace("before").unwrap().is_some(),
        "reading goes on"
    );
    // The database is opened anew, and may be written again.
    store.flush().unwrap();
    assert!(store.get_trace("during").unwrap().is_some());
    assert_eq!(store.last_events(50).unwrap().len(), 2);
    assert_eq!(store.size().unwrap().spooled_records, 0);
}

#[test]
fn a_full_store_spools_then_drops_and_counts_what_it_dropped() {
    let folder = tempfile::tempdir().unwrap();
    let options = Options {
        max_spool: 20_000,
        ..patient(&folder)
    };
    let store = SqliteStore::open(options).unwrap();
    break_in(&store, |db| {
        let pages: i64 = db
            .pragma_query_value(None, "page_count", |row| row.get(0))
            .unwrap();
        db.pragma_update(None, "max_page_count", pages + 2).unwrap();
    });
    let outcomes: Vec<Outcome> = (0..300)
        .map(|n| {
            let mut record = record(&n.to_string());
            record.decided.reason = Some("a reason that takes room. ".repeat(20));
            submit(&store, record)
        })
        .collect();
    let count = |wanted: fn(&Outcome) -> bool| outcomes.iter().filter(|it| wanted(it)).count();
    let committed = count(Outcome::is_committed);
    let spooled = count(|outcome| matches!(outcome, Outcome::Spooled(_)));
    let dropped = count(|outcome| *outcome == Outcome::Dropped);
    assert!(
        spooled > 5 && dropped > 50,
        "{committed} {spooled} {dropped}"
    );
    assert_eq!(committed + spooled + dropped, 300);
    let lost: u64 = store.gaps().unwrap().iter().map(|gap| gap.records).sum();
    assert_eq!(
        lost, dropped as u64,
        "the gaps say so although nothing can be written"
    );

    break_in(&store, |db| {
        db.pragma_update(None, "max_page_count", 1_000_000).unwrap();
    });
    store.flush().unwrap();
    submit(&store, record("after"));
    assert_eq!(
        store.last_events(1_000).unwrap().len(),
        committed + spooled + 1
    );
    let gaps = store.gaps().unwrap();
    assert_eq!(
        gaps.iter().map(|gap| gap.records).sum::<u64>(),
        dropped as u64
    );
    drop(store);
    let store = SqliteStore::open(patient(&folder)).unwrap();
    assert_eq!(store.gaps().unwrap(), gaps, "a gap is written down");
}

#[test]
fn a_record_that_the_database_refuses_takes_no_other_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(patient(&folder)).unwrap();
    break_in(&store, |db| {
        db.execute_batch(
            "CREATE TRIGGER poison BEFORE INSERT ON events WHEN new.event_id = 'poison'
             BEGIN SELECT raise(ABORT, 'no'); END",
        )
        .unwrap();
    });
    let (tell, told) = mpsc::channel();
    let ids = ["a", "poison", "b"];
    store.submit_all(
        ids.map(|id| {
            let tell = tell.clone();
            Submission::new(
                record(id),
                Box::new(move |outcome| tell.send((id, outcome)).unwrap()),
            )
        })
        .into(),
    );
    for id in ids {
        let (told_id, outcome) = told.recv_timeout(Duration::from_secs(60)).unwrap();
        assert_eq!(told_id, id);
        match id {
            "poison" => assert!(matches!(outcome, Outcome::Refused(_)), "{outcome:?}"),
            _ => assert_eq!(outcome, Outcome::Committed(Vec::new())),
        }
    }
    assert_eq!(store.last_events(9).unwrap().len(), 2);
    assert_eq!(store.gaps().unwrap()[0].records, 1);
}

fn guarded(id: &str) -> Record {
    let mut event = record(id);
    event.decided.hooks.push(crate::record::HookFired {
        name: "guard".into(),
        scope: None,
        decision: bowline::hooks::Decision::Ask,
        duration: Duration::from_micros(77),
        failure: Some("no".into()),
        ..crate::record::HookFired::default()
    });
    event
}

#[test]
fn figures_of_hooks_are_those_of_all_processes() {
    let folder = tempfile::tempdir().unwrap();
    let fired = |store: &SqliteStore| {
        let figures = store.hook_figures().unwrap();
        (figures[0].fired, figures[0].failed)
    };
    let daemon = SqliteStore::open(patient(&folder)).unwrap();
    submit(&daemon, guarded("a"));
    // As a direct run does while the daemon lives.
    let direct = SqliteStore::open(patient(&folder)).unwrap();
    submit(&direct, guarded("b"));
    drop(direct);
    assert_eq!(fired(&daemon), (2, 2));
    submit(&daemon, guarded("c"));
    assert_eq!(fired(&daemon), (3, 3));
    drop(daemon);
    let later = SqliteStore::open(patient(&folder)).unwrap();
    assert_eq!(fired(&later), (3, 3));
}

#[test]
fn a_store_that_is_closed_leaves_no_log_behind() {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(patient(&folder)).unwrap();
    submit(&store, record("a"));
    assert_eq!(store.last_events(9).unwrap().len(), 1);
    let log = store.path().with_extension("db-wal");
    assert!(log.exists());
    drop(store);
    assert!(!log.exists(), "{}", log.display());
}

#[test]
fn figures_of_hooks_survive_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(patient(&folder)).unwrap();
    submit(&store, guarded("a"));
    let figures = store.hook_figures().unwrap();
    drop(store);
    let store = SqliteStore::open(patient(&folder)).unwrap();
    let again = store.hook_figures().unwrap();
    assert_eq!(again[0].p99, Duration::from_micros(77));
    assert_eq!(
        (again[0].fired, again[0].failed),
        (figures[0].fired, figures[0].failed)
    );
    assert_eq!(again[0].last_decision, bowline::hooks::Decision::Ask);
}

#[test]
fn a_schema_from_before_the_first_release_is_moved_aside_and_counted() {
    let folder = tempfile::tempdir().unwrap();
    let options = patient(&folder);
    let store = SqliteStore::open(options.clone()).unwrap();
    assert!(submit(&store, record("old")).is_committed());
    drop(store);
    let old = Connection::open(options.database()).unwrap();
    old.pragma_update(None, "user_version", 4).unwrap();
    drop(old);
    let store = SqliteStore::open(options).unwrap();
    assert!(submit(&store, record("new")).is_committed());
    let gaps = store.gaps().unwrap();
    let [gap] = gaps.as_slice() else {
        panic!("{gaps:?}");
    };
    assert_eq!((gap.cause, gap.records), (GapCause::MovedAside, 1));
    assert!(
        gap.message
            .contains("version 4, from before the first release"),
        "{}",
        gap.message
    );
}

#[test]
fn a_database_that_lists_migrations_that_are_gone_is_taken_over() {
    let folder = tempfile::tempdir().unwrap();
    let options = patient(&folder);
    let store = SqliteStore::open(options.clone()).unwrap();
    assert!(submit(&store, record("before")).is_committed());
    drop(store);
    let path = options.database();
    let db = Connection::open(&path).unwrap();
    db.execute_batch(
        "UPDATE refinery_schema_history SET name = 'rules_and_statuses', checksum = '1' WHERE version = 5;
         INSERT INTO refinery_schema_history (version, name, applied_on, checksum)
             SELECT 1, 'records', applied_on, '2' FROM refinery_schema_history WHERE version = 5",
    )
    .unwrap();
    connection::apply(&mut Connection::open(&path).unwrap()).unwrap();
    drop(db);
    let store = SqliteStore::open(options).unwrap();
    assert_eq!(store.last_events(5).unwrap().len(), 1);
    assert!(store.gaps().unwrap().is_empty());
}

/// After a log was cut, the version may be older than the tables.
#[test]
fn a_database_whose_tables_are_newer_than_its_version_is_moved_aside() {
    let folder = tempfile::tempdir().unwrap();
    let options = patient(&folder);
    let store = SqliteStore::open(options.clone()).unwrap();
    assert!(submit(&store, record("old")).is_committed());
    drop(store);
    let db = Connection::open(options.database()).unwrap();
    db.execute_batch(
        "DELETE FROM refinery_schema_history WHERE version > 5; PRAGMA user_version = 5;",
    )
    .unwrap();
    drop(db);
    let store = SqliteStore::open(options).unwrap();
    assert!(submit(&store, record("new")).is_committed());
    let gaps = store.gaps().unwrap();
    assert_eq!(gaps.len(), 1, "{gaps:?}");
    assert_eq!((gaps[0].cause, gaps[0].records), (GapCause::MovedAside, 1));
}

#[test]
fn f31_c_a_store_of_the_version_before_is_taken_over_without_loss() {
    let folder = tempfile::tempdir().unwrap();
    let options = patient(&folder);
    std::fs::create_dir_all(&options.folder).unwrap();
    let path = options.database();
    let mut db = Connection::open(&path).unwrap();
    connection::run(&mut db, &connection::MIGRATIONS[..1]).unwrap();
    db.execute_batch(
        "INSERT INTO projects VALUES (1, '/p', 'p', 0);
         INSERT INTO sessions (id, chain_id, agent, name, project_id, status, started_at, last_event_at)
             VALUES (4, 4, 'claude-code', 's', 1, 'active', 1, 2);
         INSERT INTO prompts VALUES (1, 4, 4, 'g', 2, 'please');",
    )
    .unwrap();
    let version = |db: &Connection| -> i64 {
        db.pragma_query_value(None, "user_version", |row| row.get(0))
            .unwrap()
    };
    assert_eq!(version(&db), 5);
    drop(db);

    let store = SqliteStore::open(options).unwrap();
    assert!(submit(&store, record("new")).is_committed());
    let after = version(&Connection::open(&path).unwrap());
    assert_eq!(after, connection::NEWEST);
    assert!(store.gaps().unwrap().is_empty());
    let found = store.session(SessionRef::Chain("s")).unwrap().unwrap();
    let texts = found.prompts.iter().map(|it| it.text.as_deref());
    assert_eq!(texts.collect::<Vec<_>>(), [Some("please")]);
    assert_eq!(found.sessions[0].project.as_deref(), Some("/p"));
    let who = bowline_continuity::action::Who {
        folder: "/p/src".to_owned(),
        ..Default::default()
    };
    let resolved = store.continuity().resolve(&who).unwrap();
    assert_eq!(resolved.project.as_deref(), Some("/p"));
}

#[test]
fn the_newest_effort_of_an_older_store_is_the_current_one() {
    let folder = tempfile::tempdir().unwrap();
    let options = patient(&folder);
    std::fs::create_dir_all(&options.folder).unwrap();
    let mut db = Connection::open(options.database()).unwrap();
    connection::run(&mut db, &connection::MIGRATIONS[..2]).unwrap();
    db.execute_batch(
        "INSERT INTO projects VALUES (1, '/p', 'p', 0);
         INSERT INTO efforts (id, task, project_id, skill, ordinal, lifecycle, phases, created_at)
             VALUES (1, '/p/t', 1, 's', 1, 'active', '[]', 5), (2, '/p/u', 1, 's', 1, 'active', '[]', 7),
                    (3, '/p/v', 1, 's', 1, 'active', '[]', 7), (4, '/p/w', 1, 's', 1, 'finished', '[]', 9);",
    )
    .unwrap();
    drop(db);
    let store = SqliteStore::open(options).unwrap();
    let who = bowline_continuity::action::Who {
        folder: "/p".to_owned(),
        ..Default::default()
    };
    let effort = store.continuity().resolve(&who).unwrap().effort.unwrap();
    assert_eq!(effort.id.0, 3);
}

#[test]
fn a_panic_of_what_is_asked_is_an_error_and_the_store_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(patient(&folder)).unwrap();
    assert!(submit(&store, record("before")).is_committed());
    let asked = store.on_writer::<()>(|writer| {
        let db = writer.backend.database()?;
        db.execute_batch("BEGIN IMMEDIATE; DELETE FROM events")?;
        panic!("a mistake");
    });
    assert!(matches!(asked, Err(Error::Backend(_))), "{asked:?}");
    assert!(submit(&store, record("after")).is_committed());
    store.flush().unwrap();
    assert_eq!(store.last_events(9).unwrap().len(), 2);
}

#[test]
fn a_forgotten_project_is_gone_with_events_that_have_no_session() {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(patient(&folder)).unwrap();
    for (id, session, project) in [
        ("a", "", "/p"),
        ("b", "s", "/p"),
        ("c", "", "/q"),
        ("d", "t", "/q"),
        ("e", "", ""),
        ("f", "", "/only/without/sessions"),
        // A session stays with the project that it began in; what it did in another goes with that one.
        ("g", "t", "/p"),
    ] {
        let mut event = Record::new(id, Utc::now(), "agent", "Stop", session);
        event.decided.project = (!project.is_empty()).then(|| project.to_owned());
        assert!(submit(&store, event).is_committed());
    }
    let left = || {
        let triggers = store.last_events(50).unwrap();
        let mut ids: Vec<String> = triggers.into_iter().map(|it| it.decided.id).collect();
        ids.sort();
        ids.concat()
    };
    let projects = || {
        let read = |db: &Connection| {
            let mut select = db.prepare("SELECT path FROM projects ORDER BY path")?;
            let rows = select.query_map([], |row| row.get(0))?;
            Ok(rows.collect::<rusqlite::Result<Vec<String>>>()?)
        };
        store.read(read).unwrap()
    };
    for (path, events, ids, rows) in [
        ("/unknown", 0, "abcdefg", 3),
        ("/p", 3, "cdef", 2),
        ("/only/without/sessions", 1, "cde", 1),
        ("/q", 2, "e", 0),
    ] {
        let forgotten = store.forget(Forget::Project(path)).unwrap();
        assert_eq!((forgotten.events, left().as_str()), (events, ids), "{path}");
        assert_eq!(projects().len(), rows, "{path}: {:?}", projects());
    }
    let mut again = Record::new("h", Utc::now(), "agent", "Stop", "s");
    again.decided.project = Some("/p".to_owned());
    assert!(submit(&store, again).is_committed(), "it may come anew");
    assert_eq!(projects(), ["/p"]);
}
