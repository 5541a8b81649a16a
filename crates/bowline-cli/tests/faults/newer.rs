//! A database of a Bowline that is newer than this one.

use std::fs;

use bowline_testkit::until;
use rusqlite::Connection;

use super::audit::Audit;
use super::stage::{Event, Stage, Way};

const NEWER: i64 = 99;

fn version(stage: &Stage) -> i64 {
    let db = Connection::open(stage.database()).unwrap();
    db.pragma_query_value(None, "user_version", |row| row.get(0))
        .unwrap()
}

fn set_version(stage: &Stage, version: i64) {
    let db = Connection::open(stage.database()).unwrap();
    db.pragma_update(None, "user_version", version).unwrap();
    db.pragma_update(None, "wal_checkpoint", "TRUNCATE")
        .unwrap();
}

#[test]
fn records_of_a_newer_databases_time_wait_and_that_is_said() {
    let stage = Stage::new();
    let mut sent = stage.wake_daemon("wake");
    stage.stop_daemon();
    let own = version(&stage);
    set_version(&stage, NEWER);
    let before = fs::read(stage.database()).unwrap();
    for number in 0..4 {
        let event = Event::new("direct", number);
        stage.send(&event, Way::Direct).unwrap();
        sent.push(event);
    }
    sent.extend(stage.wake_daemon("daemon"));
    let waiting = stage.ask("daemon.status").unwrap()["waiting"]["records"].clone();
    assert!(waiting.as_u64().unwrap() > 4, "{waiting}");
    stage
        .run(&["daemon", "status"])
        .expect(0, &["not recorded yet"]);
    stage
        .run(&["doctor"])
        .expect(1, &["update Bowline", "wait in files"]);
    assert!(stage.log().contains("update Bowline"), "{}", stage.log());
    stage.stop_daemon();
    // Without a daemon, too.
    stage
        .run(&["doctor", "--json"])
        .expect(1, &["wait in files"]);
    stage.stop_daemon();
    assert_eq!(fs::read(stage.database()).unwrap(), before);

    set_version(&stage, own);
    sent.extend(stage.wake_daemon("later"));
    until("what waited is recorded", || {
        stage
            .ask("store.size")
            .is_some_and(|size| size["spooled_records"] == 0)
    });
    Audit::of(&stage, &sent).must_be_clean();
}
