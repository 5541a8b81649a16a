//! What happens when the database cannot be used, from outside: another process, the file system, damage.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

#[expect(dead_code, reason = "these tests need only a part of it")]
mod support;

use std::fs;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use bowline_store::{
    CallKey, Change, Error, Forget, GapCause, HookFired, Integrity, Options, Outcome, Record,
    Retention, SessionRef, SpoolMedium, SqliteStore, Store, Submission, TraceFilter, TraceStart,
    count_unkept, keep_beside, unkept,
};
use rusqlite::{Connection, OpenFlags};
use support::*;
use tempfile::TempDir;

/// A second process would do the same: locks are between connections.
fn lock(store: &SqliteStore) -> Connection {
    let other = Connection::open(store.path()).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    other
}

fn triggers(store: &dyn Store) -> usize {
    store.last_events(10_000).unwrap().len()
}

#[test]
fn f48_b_a_locked_database_delays_nobody_and_nothing_is_lost_or_doubled() {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(Options::new(folder.path().join("data"))).unwrap();
    submit(&store, start("s", "before", "Bash", 0));
    store.flush().unwrap();
    let other = lock(&store);
    for n in 0..20 {
        let outcome = submit(&store, start("s", &format!("during {n}"), "Bash", n));
        assert_eq!(outcome, Outcome::Spooled(SpoolMedium::Data));
    }
    assert!(
        store.get_trace("before").unwrap().is_some(),
        "reading goes on"
    );
    other.execute_batch("ROLLBACK").unwrap();
    store.flush().unwrap();
    assert_eq!(triggers(&store), 21);
    assert_eq!(
        store.find_traces(&TraceFilter::default()).unwrap().len(),
        21
    );
    assert_eq!(store.size().unwrap().spooled_records, 0);
    assert!(store.gaps().unwrap().is_empty());
    let mut rows = other
        .prepare("SELECT tool_use_id FROM traces ORDER BY id")
        .unwrap();
    let order: Vec<String> = rows
        .query_map([], |row| row.get(0))
        .unwrap()
        .flatten()
        .collect();
    let during = (0..20).map(|n| format!("during {n}"));
    let expected: Vec<String> = std::iter::once("before".into()).chain(during).collect();
    assert_eq!(order, expected, "in the order of arrival");
}

#[test]
fn f30_d_forgetting_that_fails_removes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(Options::new(folder.path().join("data"))).unwrap();
    for n in 0..3 {
        submit(&store, start("s", &n.to_string(), "Bash", n));
    }
    store.flush().unwrap();
    let other = lock(&store);
    assert!(store.forget(Forget::All).is_err());
    other.execute_batch("ROLLBACK").unwrap();
    assert_eq!(triggers(&store), 3);
    let traces = store.find_traces(&TraceFilter::default()).unwrap();
    assert_eq!(traces.len(), 3);
    store.forget(Forget::All).unwrap();
    assert_eq!(triggers(&store), 0);
}

#[test]
fn f48_b_an_event_seen_again_by_another_process_or_after_a_restart_is_known() {
    let folder = tempfile::tempdir().unwrap();
    let one = SqliteStore::open(patient(&folder)).unwrap();
    let mut begin = with(
        start("s", "a", "Bash", 1),
        Change::SessionStarted {
            source: None,
            model: None,
            previous: None,
        },
    );
    begin.decided.id = "01a3185c5000-00000000000000aa".into();
    begin.decided.hooks.push(HookFired {
        name: "guard".into(),
        scope: None,
        decision: bowline::hooks::Decision::Grant,
        duration: Duration::from_micros(5),
        failure: None,
        ..HookFired::default()
    });
    let finish = end("s", "a", "Bash", bowline_store::TraceStatus::Failed, 8);
    for record in [&begin, &finish] {
        committed(&one, record.clone());
    }
    let again = |store: &SqliteStore| {
        let mut later = begin.clone();
        // The id alone says which event it is, whoever has read which clock.
        later.decided.time = at(500);
        for record in [later, finish.clone()] {
            assert_eq!(submit(store, record), Outcome::Known);
        }
        store.flush().unwrap();
        assert_eq!(triggers(store), 2);
        let details = store.session(SessionRef::Chain("s")).unwrap().unwrap();
        assert_eq!(details.sessions.len(), 1);
        assert_eq!(details.sessions[0].events, 2);
        let trace = store.get_trace("a").unwrap().unwrap();
        assert_eq!(trace.duration_ms, Some(7));
    };
    again(&one);
    let other = SqliteStore::open(patient(&folder)).unwrap();
    again(&other);
    drop((one, other));
    let store = SqliteStore::open(patient(&folder)).unwrap();
    again(&store);
    assert_eq!(store.hook_figures().unwrap()[0].fired, 1);
}

#[test]
fn an_end_that_was_spooled_finds_its_start() {
    let (_folder, store) = {
        let folder = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(Options::new(folder.path().join("data"))).unwrap();
        (folder, store)
    };
    let other = lock(&store);
    submit(&store, start("s", "a", "Bash", 0));
    submit(
        &store,
        end("s", "a", "Bash", bowline_store::TraceStatus::Completed, 70),
    );
    drop(other);
    store.flush().unwrap();
    assert_eq!(store.get_trace("a").unwrap().unwrap().duration_ms, Some(70));
}

#[test]
fn what_a_process_left_in_the_spool_is_taken_over_by_the_next_once() {
    let folder = tempfile::tempdir().unwrap();
    let options = Options::new(folder.path().join("data"));
    let store = SqliteStore::open(options.clone()).unwrap();
    let other = lock(&store);
    let records: Vec<Record> = (0..5)
        .map(|n| start("s", &n.to_string(), "Bash", n))
        .collect();
    for record in &records {
        submit(&store, record.clone());
    }
    drop(store);
    let left: Vec<_> = fs::read_dir(options.folder.join("spool"))
        .unwrap()
        .flatten()
        .collect();
    assert!(!left.is_empty());
    let copies: Vec<_> = left
        .iter()
        .map(|file| (file.path(), fs::read(file.path()).unwrap()))
        .collect();
    drop(other);

    let store = SqliteStore::open(options.clone()).unwrap();
    store.flush().unwrap();
    assert_eq!(triggers(&store), 5);
    drop(store);
    // As if it had been killed between commit and clean-up.
    for (path, bytes) in copies {
        fs::write(path, bytes).unwrap();
    }
    let store = SqliteStore::open(options).unwrap();
    store.flush().unwrap();
    assert_eq!(triggers(&store), 5);
    assert_eq!(store.find_traces(&TraceFilter::default()).unwrap().len(), 5);
    assert!(store.gaps().unwrap().is_empty());
}

#[test]
fn what_other_processes_left_is_counted_and_taken_within_seconds() {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(patient(&folder)).unwrap();
    let other = lock(&store);
    for n in 0..3 {
        let direct = SqliteStore::open(Options::new(folder.path().join("data"))).unwrap();
        let outcome = submit(&direct, start("s", &n.to_string(), "Bash", n));
        assert_eq!(outcome, Outcome::Spooled(SpoolMedium::Data));
    }
    assert_eq!(store.waiting().records, 3);
    assert_eq!(store.size().unwrap().spooled_records, 3);
    drop(other);
    // Nobody submits or asks for anything.
    let path = store.path().to_owned();
    let began = Instant::now();
    eventually("the records are taken", || {
        let db = Connection::open(&path).unwrap();
        let count = "SELECT count(*) FROM events";
        let count: i64 = db.query_row(count, [], |row| row.get(0)).unwrap();
        count == 3
    });
    assert!(began.elapsed() < Duration::from_secs(30), "not by chance");
    assert_eq!(store.waiting().records, 0);
}

#[test]
fn a_folder_that_cannot_be_made_is_no_reason_to_fail() {
    let folder = tempfile::tempdir().unwrap();
    let blocked = folder.path().join("file");
    fs::write(&blocked, "").unwrap();
    let mut options = Options::new(blocked.join("data"));
    options.runtime_folder = Some(folder.path().join("runtime"));
    let store = SqliteStore::open(options).unwrap();
    let outcome = submit(&store, start("s", "a", "Bash", 0));
    assert_eq!(outcome, Outcome::Spooled(SpoolMedium::Runtime));
    assert!(matches!(
        store.get_trace("a"),
        Err(Error::Unavailable { .. })
    ));
    assert!(matches!(
        store.forget(Forget::All),
        Err(Error::Unavailable { .. })
    ));
    // The folder appears, and what waited arrives.
    fs::remove_file(&blocked).unwrap();
    store.flush().unwrap();
    assert!(store.get_trace("a").unwrap().is_some());
}

#[test]
fn a_damaged_database_is_moved_aside_and_a_new_one_begun() {
    for damage in [
        |path: &std::path::Path| {
            fs::write(
                path,
                "this is no database, but long enough to be one".repeat(100),
            )
            .unwrap();
        },
        |path: &std::path::Path| {
            let mut bytes = fs::read(path).unwrap();
            bytes[100..4_096].fill(0xff);
            fs::write(path, bytes).unwrap();
        },
    ] {
        let folder = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(patient(&folder)).unwrap();
        committed(&store, start("s", "old", "Bash", 0));
        let path = store.path().to_owned();
        drop(store);
        damage(&path);

        let store = SqliteStore::open(patient(&folder)).unwrap();
        committed(&store, start("s", "new", "Bash", 0));
        assert_eq!(store.integrity_check().unwrap(), Integrity::Sound);
        let gaps = store.gaps().unwrap();
        assert_eq!(gaps[0].cause, GapCause::MovedAside);
        let aside = fs::read_dir(path.parent().unwrap())
            .unwrap()
            .flatten()
            .map(|entry| entry.path())
            .find(|path| path.to_string_lossy().contains("bowline.db.corrupt-"))
            .unwrap();
        assert!(
            gaps[0].message.contains(aside.to_str().unwrap()),
            "{}",
            gaps[0].message
        );
        drop(store);
        let store = SqliteStore::open(patient(&folder)).unwrap();
        assert_eq!(store.gaps().unwrap().len(), 1, "it is written down, once");
        store.forget(Forget::All).unwrap();
        assert!(!aside.exists(), "what is forgotten is forgotten there too");
    }
}

#[test]
fn a_database_damaged_while_it_is_open_is_moved_aside_too() {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(patient(&folder)).unwrap();
    for n in 0..200 {
        committed(&store, start("s", &n.to_string(), "Bash", n));
    }
    store.compact().unwrap();
    let mut bytes = fs::read(store.path()).unwrap();
    let length = bytes.len();
    bytes[4_096..length].fill(0xff);
    fs::write(store.path(), &bytes).unwrap();
    // The writer may not notice, because it remembers pages; whoever reads does.
    submit(&store, start("s", "after", "Bash", 1));
    store.find_traces(&TraceFilter::default()).unwrap();
    committed(&store, start("s", "at last", "Bash", 2));
    assert!(store.get_trace("at last").unwrap().is_some());
    assert_eq!(store.integrity_check().unwrap(), Integrity::Sound);
    let causes: Vec<GapCause> = store.gaps().unwrap().iter().map(|gap| gap.cause).collect();
    assert!(causes.contains(&GapCause::MovedAside), "{causes:?}");
}

/// Puts in so much that not all of it is at hand any more; gives the ids.
fn filled(store: &SqliteStore, count: i64) {
    for n in 0..count {
        store.submit(start("s", &n.to_string(), "Bash", n), Box::new(|_| {}));
    }
    store.flush().unwrap();
}

fn counted(store: &SqliteStore) -> u64 {
    let gaps = store.gaps().unwrap();
    gaps.iter().map(|gap| gap.records).sum()
}

#[test]
fn a_log_that_is_removed_while_it_is_in_use_loses_nothing() {
    let (_folder, store) = open();
    filled(&store, 1_500);
    fs::remove_file(store.path().with_extension("db-wal")).unwrap();
    committed(&store, start("s", "after", "Bash", 2_000));
    assert_eq!((triggers(&store), counted(&store)), (1_501, 0));
    assert_eq!(store.integrity_check().unwrap(), Integrity::Sound);
    // As it is when nothing else is recorded before the end.
    fs::remove_file(store.path().with_extension("db-wal")).unwrap();
    let folder = store.path().parent().unwrap().to_owned();
    drop(store);
    let store = SqliteStore::open(Options::new(folder)).unwrap();
    assert_eq!((triggers(&store), counted(&store)), (1_501, 0));
}

#[test]
fn of_a_log_that_is_cut_while_it_is_in_use_what_is_at_hand_is_kept_and_the_rest_counted() {
    // At the next commit, when somebody reads, and at the end.
    let notice: [Notice; 3] = [
        |store| committed(store, start("s", "after", "Bash", 2_000)),
        |store| drop(store.find_traces(&TraceFilter::default())),
        |_| {},
    ];
    for notice in notice {
        let (folder, store) = open();
        // As long as somebody reads, the log is not written back to the database, whenever that would be due.
        let reader = Connection::open(store.path()).unwrap();
        reader
            .execute_batch("BEGIN; SELECT * FROM sqlite_master")
            .unwrap();
        filled(&store, 1_500);
        let log = store.path().with_extension("db-wal");
        let length = fs::metadata(&log).unwrap().len();
        let file = fs::OpenOptions::new().write(true).open(&log).unwrap();
        file.set_len(length / 2).unwrap();
        drop(reader);
        notice(&store);
        drop(store);
        let store = SqliteStore::open(patient(&folder)).unwrap();
        assert_eq!(store.integrity_check().unwrap(), Integrity::Sound);
        let there = u64::try_from(triggers(&store)).unwrap();
        let gaps = store.gaps().unwrap();
        assert_eq!(gaps.len(), 1, "{gaps:?}");
        assert_eq!(gaps[0].cause, GapCause::LostLog);
        let after = u64::from(store.get_trace("after").unwrap().is_some());
        assert_eq!(there - after + gaps[0].records, 1_500);
        assert!(gaps[0].records > 0, "not everything is at hand");
        for n in 1_400..1_500 {
            let trace = store.get_trace(&n.to_string()).unwrap();
            assert!(trace.is_some(), "{n} was at hand");
        }
    }
}

#[test]
fn nothing_is_written_to_a_log_that_was_cut_not_even_when_there_is_nothing_else_to_do() {
    let (folder, store) = open();
    filled(&store, 100);
    let mut fired = start("s", "fired", "Bash", 1_000);
    fired.decided.hooks.push(HookFired {
        name: "guard".into(),
        ..HookFired::default()
    });
    committed(&store, fired);
    let log = store.path().with_extension("db-wal");
    let length = fs::metadata(&log).unwrap().len();
    let file = fs::OpenOptions::new().write(true).open(&log).unwrap();
    file.set_len(length / 2).unwrap();
    // Figures of hooks are written when nothing else is to do.
    store.flush().unwrap();
    committed(&store, start("s", "after", "Bash", 2_000));
    drop(store);
    let store = SqliteStore::open(patient(&folder)).unwrap();
    assert_eq!(store.integrity_check().unwrap(), Integrity::Sound);
    assert_eq!((triggers(&store), counted(&store)), (102, 0));
}

#[test]
fn of_a_database_that_is_overwritten_what_is_at_hand_is_kept_and_the_rest_counted() {
    let (_folder, store) = open();
    filled(&store, 1_500);
    store.compact().unwrap();
    let length = fs::metadata(store.path()).unwrap().len();
    let rubbish = "rubbish ".repeat(usize::try_from(length).unwrap() / 8 + 1);
    fs::write(store.path(), &rubbish[..usize::try_from(length).unwrap()]).unwrap();
    submit(&store, start("s", "after", "Bash", 2_000));
    let _ = store.find_traces(&TraceFilter::default());
    committed(&store, start("s", "at last", "Bash", 2_001));
    assert!(store.get_trace("after").unwrap().is_some());
    let there = u64::try_from(triggers(&store)).unwrap();
    assert!(there > 100, "what was at hand is there: {there}");
    assert_eq!(there - 1 + counted(&store), 1_501);
}

type Act = fn(&std::path::Path);
type Notice = fn(&SqliteStore);

/// Ways to take a database away while it is in use; each is given the data folder.
const TAKEN_AWAY: [(&str, Act); 5] = [
    ("the folder is removed", |data| {
        fs::remove_dir_all(data).unwrap();
    }),
    ("the folder is moved, an empty one is put there", |data| {
        fs::rename(data, data.with_file_name("moved")).unwrap();
        fs::create_dir(data).unwrap();
    }),
    ("the file alone is removed", |data| {
        fs::remove_file(data.join("bowline.db")).unwrap();
    }),
    ("rubbish is put there", |data| {
        let rubbish = data.join("rubbish");
        fs::write(&rubbish, "this is no database ".repeat(500)).unwrap();
        fs::rename(rubbish, data.join("bowline.db")).unwrap();
    }),
    ("another process has begun a new one", |data| {
        fs::rename(data, data.with_file_name("moved")).unwrap();
        let other = SqliteStore::open(Options::new(data)).unwrap();
        submit(&other, start("other", "other", "Bash", 3_000));
        other.flush().unwrap();
    }),
];

/// Ways in which the store notices it: at the next commit, when somebody reads, at the end, by itself.
const NOTICED: [(&str, Notice); 4] = [
    ("by a commit", |store| {
        committed(store, start("s", "after", "Bash", 4_000));
    }),
    ("by a reader", |store| {
        store.size().unwrap();
    }),
    ("at the end", |_| {}),
    ("by itself", |store| {
        let database = store.path().to_owned();
        eventually("the gap is written down", || {
            let looking = OpenFlags::SQLITE_OPEN_READ_ONLY;
            let count = Connection::open_with_flags(&database, looking).and_then(|db| {
                db.query_row("SELECT count(*) FROM gaps", [], |row| row.get::<_, i64>(0))
            });
            count.is_ok_and(|count| count > 0)
        });
    }),
];

#[test]
fn of_a_database_that_is_taken_away_while_it_is_open_every_record_is_counted() {
    for (how, take_away) in TAKEN_AWAY {
        for (when, notice) in NOTICED {
            let (folder, store) = open();
            // Of an earlier process, too.
            filled(&store, 600);
            drop(store);
            let store = SqliteStore::open(patient(&folder)).unwrap();
            committed(&store, start("s", "late", "Bash", 700));
            take_away(&folder.path().join("data"));
            notice(&store);
            drop(store);
            let store = SqliteStore::open(patient(&folder)).unwrap();
            let gaps = store.gaps().unwrap();
            let removed = gaps.iter().filter(|gap| gap.cause == GapCause::Removed);
            let counted: u64 = removed.map(|gap| gap.records).sum();
            assert_eq!(counted, 601, "{how}, {when}: {gaps:?}");
            assert_eq!(store.integrity_check().unwrap(), Integrity::Sound);
            assert!(store.get_trace("late").unwrap().is_none(), "{how}, {when}");
            let after = store.get_trace("after").unwrap();
            assert_eq!(after.is_some(), when == "by a commit", "{how}, {when}");
            let other = store.get_trace("other").unwrap();
            assert_eq!(other.is_some(), how.starts_with("another"), "{how}, {when}");
        }
    }
}

#[test]
fn of_a_database_that_an_older_copy_takes_the_place_of_only_what_the_copy_lacks_is_counted() {
    let (folder, store) = open();
    filled(&store, 600);
    let copy = folder.path().join("copy.db");
    store.backup(&copy).unwrap();
    for n in 600..640 {
        committed(&store, start("s", &n.to_string(), "Bash", n));
    }
    fs::rename(&copy, store.path()).unwrap();
    committed(&store, start("s", "after", "Bash", 4_000));
    assert_eq!((triggers(&store), counted(&store)), (601, 40));
    assert_eq!(store.integrity_check().unwrap(), Integrity::Sound);
}

#[test]
fn a_folder_that_comes_back_has_lost_nothing() {
    let (folder, store) = open();
    filled(&store, 600);
    let (data, away) = (folder.path().join("data"), folder.path().join("away"));
    fs::rename(&data, &away).unwrap();
    fs::write(&data, "").unwrap();
    assert!(store.size().is_err());
    fs::remove_file(&data).unwrap();
    fs::rename(&away, &data).unwrap();
    committed(&store, start("s", "after", "Bash", 4_000));
    assert_eq!((triggers(&store), counted(&store)), (601, 0));
}

#[test]
fn of_two_processes_that_see_the_damage_one_begins_anew() {
    let folder = tempfile::tempdir().unwrap();
    let stores = [(); 2].map(|()| SqliteStore::open(patient(&folder)).unwrap());
    let path = stores[0].path().to_owned();
    for (n, store) in stores.iter().enumerate() {
        committed(store, start("s", &format!("before {n}"), "Bash", 0));
    }
    stores[0].compact().unwrap();
    let mut bytes = fs::read(&path).unwrap();
    bytes[4_096..].fill(0xff);
    fs::write(&path, &bytes).unwrap();
    for store in &stores {
        let _ = store.find_traces(&TraceFilter::default());
    }
    for (n, store) in stores.iter().enumerate() {
        committed(store, start("s", &format!("after {n}"), "Bash", 0));
    }
    for store in &stores {
        let found = store.find_traces(&TraceFilter::default()).unwrap();
        assert_eq!(
            found.len(),
            4,
            "both use the same new database, and lost nothing"
        );
    }
}

#[test]
#[ignore = "a process of the next test"]
fn one_of_many_openers() {
    let folder = std::env::var_os("BOWLINE_TEST_DATA").unwrap();
    let mut options = Options::new(folder);
    options.deadline = Duration::from_secs(10);
    let store = SqliteStore::open(options).unwrap();
    let id = format!("opener {}", std::process::id());
    let mut record = start("s", &id, "Bash", 0);
    record.decided.id = id;
    submit(&store, record);
}

#[test]
fn of_many_that_open_a_damaged_database_at_once_one_begins_anew_and_nothing_that_follows_is_lost() {
    const OPENERS: usize = 8;
    for _ in 0..5 {
        let folder = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(patient(&folder)).unwrap();
        let path = store.path().to_owned();
        drop(store);
        fs::write(&path, "this is no database ".repeat(500)).unwrap();
        // Processes, not threads: locks of files are a process's own.
        let openers = [(); OPENERS].map(|()| {
            std::process::Command::new(std::env::current_exe().unwrap())
                .args(["--ignored", "--exact", "one_of_many_openers"])
                .env("BOWLINE_TEST_DATA", path.parent().unwrap())
                .stdout(std::process::Stdio::null())
                .spawn()
                .unwrap()
        });
        for mut opener in openers {
            assert!(opener.wait().unwrap().success());
        }
        let store = SqliteStore::open(patient(&folder)).unwrap();
        store.flush().unwrap();
        assert_eq!(triggers(&store), OPENERS);
        let aside = fs::read_dir(path.parent().unwrap()).unwrap().flatten();
        let aside = aside.filter(|file| {
            let name = file.file_name().to_string_lossy().into_owned();
            name.starts_with("bowline.db.corrupt-") && name.ends_with('Z')
        });
        assert_eq!(aside.count(), 1);
    }
}

/// A database that somebody else has written to; gives what it is then.
fn changed_by(folder: &TempDir, sql: &str) -> (std::path::PathBuf, Vec<u8>) {
    let store = SqliteStore::open(patient(folder)).unwrap();
    let path = store.path().to_owned();
    drop(store);
    let other = Connection::open(&path).unwrap();
    other.execute_batch(sql).unwrap();
    other.pragma_update(None, "journal_mode", "DELETE").unwrap();
    drop(other);
    let bytes = fs::read(&path).unwrap();
    (path, bytes)
}

#[test]
fn a_foreign_database_is_refused_and_not_touched() {
    let folder = tempfile::tempdir().unwrap();
    let (path, before) = changed_by(&folder, "PRAGMA application_id = 7");
    let error = SqliteStore::open(patient(&folder)).unwrap_err().to_string();
    assert!(error.contains("another program"), "{error}");
    assert_eq!(fs::read(&path).unwrap(), before);
}

/// The version of the schema in a database that was made just now.
fn known_schema() -> i64 {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(patient(&folder)).unwrap();
    let database = Connection::open(store.path()).unwrap();
    let version = database.pragma_query_value(None, "user_version", |row| row.get(0));
    version.unwrap()
}

#[test]
fn a_newer_database_is_not_touched_and_records_wait_for_a_bowline_that_knows_it() {
    let folder = tempfile::tempdir().unwrap();
    let known = known_schema();
    let (path, before) = changed_by(&folder, "PRAGMA user_version = 99");
    let store = SqliteStore::open(patient(&folder)).unwrap();
    for n in 0..3 {
        let outcome = submit(&store, start("s", &n.to_string(), "Bash", n));
        assert_eq!(outcome, Outcome::Spooled(SpoolMedium::Data));
    }
    assert_eq!(store.waiting().records, 3);
    let error = store.last_events(5).unwrap_err().to_string();
    assert!(error.contains("update Bowline"), "{error}");
    assert!(store.forget(Forget::All).is_err());
    drop(store);
    assert_eq!(fs::read(&path).unwrap(), before);

    let newer = Connection::open(&path).unwrap();
    newer.pragma_update(None, "user_version", known).unwrap();
    drop(newer);
    let store = SqliteStore::open(patient(&folder)).unwrap();
    store.flush().unwrap();
    assert_eq!((triggers(&store), counted(&store)), (3, 0));
}

#[cfg(unix)]
#[test]
fn everything_is_for_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt;
    let (folder, store) = open();
    committed(&store, start("s", "a", "Bash", 0));
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let data = folder.path().join("data");
    assert_eq!(mode(&data), 0o700);
    for entry in fs::read_dir(&data).unwrap().flatten() {
        let expected = if entry.path().is_dir() { 0o700 } else { 0o600 };
        assert_eq!(mode(&entry.path()), expected, "{}", entry.path().display());
    }
    let copy = folder.path().join("copy.db");
    store.backup(&copy).unwrap();
    assert_eq!(mode(&copy), 0o600);
}

#[test]
fn many_threads_submit_and_nothing_is_lost_or_answered_twice() {
    const THREADS: usize = 16;
    const EACH: usize = 100;
    let (_folder, store) = open();
    let answers = Arc::new(AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let (store, answers) = (&store, answers.clone());
            scope.spawn(move || {
                for n in 0..EACH / 2 {
                    let session = format!("session {thread}");
                    let id = format!("{thread}-{n}");
                    let records = [
                        start(&session, &id, "Bash", 0),
                        end(
                            &session,
                            &id,
                            "Bash",
                            bowline_store::TraceStatus::Completed,
                            5,
                        ),
                    ];
                    store.submit_all(
                        records
                            .map(|record| {
                                let answers = answers.clone();
                                Submission::new(
                                    record,
                                    Box::new(move |outcome| {
                                        assert_eq!(outcome, Outcome::Committed(Vec::new()));
                                        answers.fetch_add(1, Ordering::SeqCst);
                                    }),
                                )
                            })
                            .into(),
                    );
                }
            });
        }
    });
    store.flush().unwrap();
    assert_eq!(answers.load(Ordering::SeqCst), THREADS * EACH);
    assert_eq!(triggers(&store), THREADS * EACH);
    let filter = TraceFilter {
        limit: 10_000,
        ..TraceFilter::default()
    };
    let traces = store.find_traces(&filter).unwrap();
    assert_eq!(traces.len(), THREADS * EACH / 2);
    assert!(traces.iter().all(|trace| trace.duration_ms == Some(5)));
}

#[test]
fn two_processes_may_write_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let stores = [(); 2].map(|()| SqliteStore::open(patient(&folder)).unwrap());
    std::thread::scope(|scope| {
        for (which, store) in stores.iter().enumerate() {
            scope.spawn(move || {
                for n in 0..50 {
                    committed(store, start("shared", &format!("{which}-{n}"), "Bash", n));
                }
            });
        }
    });
    assert_eq!(triggers(&stores[0]), 100);
    // What one began the other ends.
    committed(
        &stores[1],
        end(
            "shared",
            "0-7",
            "Bash",
            bowline_store::TraceStatus::Completed,
            100,
        ),
    );
    assert_eq!(
        stores[0].get_trace("0-7").unwrap().unwrap().duration_ms,
        Some(93)
    );
    let sessions = stores[0]
        .sessions(&bowline_store::SessionFilter::default())
        .unwrap();
    assert_eq!(sessions.len(), 1, "{sessions:?}");
}

#[test]
fn a_caller_that_panics_ends_nobody_else() {
    let (_folder, store) = open();
    store.submit(
        start("s", "a", "Bash", 0),
        Box::new(|_| panic!("on purpose")),
    );
    committed(&store, start("s", "b", "Bash", 0));
}

#[test]
fn what_is_submitted_before_the_end_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(patient(&folder)).unwrap();
    let (tell, told) = mpsc::channel();
    for n in 0..500 {
        let tell = tell.clone();
        store.submit(
            start("s", &n.to_string(), "Bash", n),
            Box::new(move |outcome| tell.send(outcome).unwrap()),
        );
    }
    drop(store);
    drop(tell);
    assert_eq!(told.iter().filter(Outcome::is_committed).count(), 500);
    let store = SqliteStore::open(patient(&folder)).unwrap();
    assert_eq!(triggers(&store), 500);
}

/// Waits for what a thread of the store does by itself; a minute is for machines that do something else.
fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < Duration::from_secs(60), "{what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_store_filled_past_its_cap_keeps_the_newest() {
    const CAP: u64 = 3 * 1024 * 1024;
    let folder = tempfile::tempdir().unwrap();
    let mut options = patient(&folder);
    options.retention = Retention {
        days: None,
        bytes: Some(CAP),
    };
    let store = SqliteStore::open(options).unwrap();
    for n in 0..12_000_i64 {
        let mut begin = start(&format!("session {}", n / 100), &n.to_string(), "Bash", n);
        begin.decided.reason = Some("words ".repeat(40));
        store.submit(begin, Box::new(|_| {}));
        if n % 500 == 0 {
            store.flush().unwrap();
        }
    }
    store.flush().unwrap();
    eventually("the store is under its cap", || {
        // The next records make it look again.
        for n in 0..100 {
            store.submit(record("Notification", "late", 20_000 + n), Box::new(|_| {}));
        }
        store.flush().unwrap();
        store.size().unwrap().in_use <= CAP
    });
    assert!(
        store.size().unwrap().in_use > CAP / 2,
        "no more is removed than has to be"
    );
    assert!(
        store.get_trace("0").unwrap().is_none(),
        "the oldest are gone"
    );
    assert!(
        store.get_trace("11999").unwrap().is_some(),
        "the newest are there"
    );
    assert_eq!(store.integrity_check().unwrap(), Integrity::Sound);
}

/// Everything in a folder and below it, in bytes.
fn on_disk(folder: &std::path::Path) -> u64 {
    let files = fs::read_dir(folder).unwrap().flatten();
    // One that is gone by now takes nothing.
    let sizes = files.filter_map(|file| {
        let found = file.metadata().ok()?;
        Some(if found.is_dir() {
            on_disk(&file.path())
        } else {
            found.len()
        })
    });
    sizes.sum()
}

/// Many at once hand in events of about 20 KB, as fast as they are taken; gives the most that was ever on disk.
fn flood(store: &SqliteStore, from: i64, events: i64) -> u64 {
    const CLIENTS: i64 = 8;
    let folder = store.path().parent().unwrap();
    let most = std::sync::atomic::AtomicU64::new(0);
    std::thread::scope(|scope| {
        for client in 0..CLIENTS {
            let most = &most;
            scope.spawn(move || {
                for n in (from..from + events).filter(|n| n % CLIENTS == client) {
                    let parts: Vec<String> =
                        (0..20).map(|it| format!("{it} {n} ").repeat(100)).collect();
                    let id = n.to_string();
                    let mut call = TraceStart::new(CallKey::Id(id.clone()), "Bash");
                    call.input = Some(serde_json::json!({ "parts": parts }));
                    let mut begin = record("PreToolUse", &format!("session {}", n / 50), n);
                    begin.changes.push(Change::TraceStarted(call));
                    committed(store, begin);
                    most.fetch_max(on_disk(folder), Ordering::Relaxed);
                }
            });
        }
    });
    most.into_inner()
}

#[test]
fn a_store_under_a_flood_of_large_events_takes_no_more_than_a_fifth_above_its_cap() {
    const CAP: u64 = 10 * 1024 * 1024;
    let folder = tempfile::tempdir().unwrap();
    let mut options = patient(&folder);
    options.retention.bytes = Some(CAP);
    let store = SqliteStore::open(options.clone()).unwrap();
    let most = flood(&store, 0, 2_000);
    assert!(most <= CAP / 100 * 120, "{most} bytes were on disk");
    let left = triggers(&store);
    assert!(left > 100, "no more is removed than has to be: {left}");
    assert!(store.get_trace("1999").unwrap().is_some());
    assert_eq!(store.integrity_check().unwrap(), Integrity::Sound);
    drop(store);
    // Where less is allowed than before, the file gets smaller.
    options.retention.bytes = Some(CAP / 4);
    let store = SqliteStore::open(options).unwrap();
    filled(&store, 1_200);
    eventually("the file is small", || {
        on_disk(&folder.path().join("data")) <= CAP / 4 / 100 * 120
    });
}

const LONG_AGO: i64 = -40 * 24 * 3_600_000;

/// Puts in things that are older than a store keeps them by default; gives a store's options with that default.
fn with_old_events(folder: &TempDir, events: i64) -> Options {
    let mut options = patient(folder);
    let store = SqliteStore::open(options.clone()).unwrap();
    committed(&store, start("old", "old", "Bash", LONG_AGO));
    committed(&store, start("new", "new", "Bash", 0));
    for n in 2..events {
        let old = record("Notification", "old", LONG_AGO + n);
        store.submit(old, Box::new(|_| {}));
    }
    options.retention = Retention::default();
    options
}

#[test]
fn what_is_older_than_it_may_be_is_removed_by_itself() {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(with_old_events(&folder, 2)).unwrap();
    for n in 0..1_000 {
        store.submit(record("Notification", "new", n), Box::new(|_| {}));
    }
    eventually("what is older than 30 days is gone", || {
        triggers(&store) == 1_001
    });
    assert!(store.get_trace("old").unwrap().is_none());
    assert!(store.get_trace("new").unwrap().is_some());
    assert_eq!(
        store
            .sessions(&bowline_store::SessionFilter::default())
            .unwrap()
            .len(),
        1
    );
}

#[test]
fn a_store_that_is_opened_for_one_record_tidies_up_only_a_little() {
    let folder = tempfile::tempdir().unwrap();
    let options = with_old_events(&folder, 2_000);
    let mut kept = 2_000;
    for n in 0..2 {
        let store = SqliteStore::open(options.clone()).unwrap();
        committed(&store, record("Notification", "new", n));
        store.flush().unwrap();
        kept += 1;
        assert_eq!(
            triggers(&store),
            kept,
            "nothing is removed at the beginning"
        );
        drop(store);
        kept -= 500;
    }
    assert_eq!(
        triggers(&SqliteStore::open(patient(&folder)).unwrap()),
        kept
    );
}

#[test]
#[ignore = "a process of the next test"]
fn one_without_descriptors() {
    use std::os::unix::fs::FileExt as _;

    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(Options::new(folder.path().join("data"))).unwrap();
    committed(&store, start("s", "before", "Bash", 0));
    let other = lock(&store);
    for n in 0..20 {
        let outcome = submit(&store, start("s", &n.to_string(), "Bash", n));
        assert_eq!(outcome, Outcome::Spooled(SpoolMedium::Data));
    }
    // One that has not spooled anything yet.
    let cold = SqliteStore::open(Options::new(folder.path().join("cold"))).unwrap();
    let held = lock(&cold);
    let losses = fs::File::open(folder.path().join("cold/losses")).unwrap();
    let limit = Rlimit {
        current: Some(64),
        ..getrlimit(Resource::Nofile)
    };
    setrlimit(Resource::Nofile, limit).unwrap();
    let mut taken = Vec::new();
    while let Ok(file) = fs::File::open("/dev/null") {
        taken.push(file);
    }
    let outcome = submit(&cold, start("s", "cold", "Bash", 0));
    assert_eq!(outcome, Outcome::Spooled(SpoolMedium::Memory));
    let mut noted = [0; 4096];
    losses.read_at(&mut noted, 0).unwrap();
    let noted = String::from_utf8_lossy(&noted);
    assert!(noted.contains(r#""records":1"#), "it is noted: {noted}");
    drop(held);
    other.execute_batch("ROLLBACK").unwrap();
    store.flush().unwrap();
    // Others that look need descriptors that there are none of.
    let second = SqliteStore::open(Options::new(folder.path().join("data")));
    drop(second);
    drop(taken);
    store.flush().unwrap();
    assert_eq!(triggers(&store), 21);
    assert!(store.gaps().unwrap().is_empty());
}

#[test]
fn without_descriptors_nothing_is_lost_or_taken_for_damaged() {
    let output = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "one_without_descriptors"])
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stdout)
    );
}

#[test]
fn what_a_process_keeps_beside_a_store_that_hangs_is_found_once_and_what_it_cannot_keep_is_counted()
{
    let folder = tempfile::tempdir().unwrap();
    let mut options = patient(&folder);
    let runtime = folder.path().join("run");
    options.runtime_folder = Some(runtime.clone());
    let record = start("s", "late", "Bash", 0);
    keep_beside(&runtime, &record).unwrap();
    count_unkept(&runtime);
    count_unkept(&runtime);
    assert_eq!(
        unkept(&options).iter().map(|gap| gap.records).sum::<u64>(),
        2
    );

    let store = SqliteStore::open(options).unwrap();
    // The store may have come to itself and taken it, too.
    submit(&store, record);
    store.flush().unwrap();
    assert_eq!(triggers(&store), 1);
    let gaps = store.gaps().unwrap();
    let found: Vec<(GapCause, u64)> = gaps.iter().map(|gap| (gap.cause, gap.records)).collect();
    assert_eq!(found, [(GapCause::Unkept, 2)]);
}
