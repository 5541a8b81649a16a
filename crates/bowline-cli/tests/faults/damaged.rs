//! A database that something has damaged.

use std::fs;
use std::path::{Path, PathBuf};

use bowline_testkit::until_some;

use super::audit::Audit;
use super::stage::{Event, Stage, Way};

type Damage = fn(&Path);

/// Nothing of it is a database any more.
fn overwrite(database: &Path) {
    let length = usize::try_from(fs::metadata(database).unwrap().len()).unwrap();
    let mut bytes = b"this is no database ".repeat(length / 20 + 1);
    bytes.truncate(length);
    fs::write(database, bytes).unwrap();
}

/// It begins like a database.
fn spoil_pages(database: &Path) {
    let mut bytes = fs::read(database).unwrap();
    bytes[4_096..].fill(0xff);
    fs::write(database, bytes).unwrap();
}

/// The file that was moved aside.
fn moved_aside(stage: &Stage) -> Option<PathBuf> {
    let files = fs::read_dir(stage.data()).unwrap().flatten();
    files.map(|file| file.path()).find(|path| {
        let name = path.file_name().unwrap().to_string_lossy();
        name.starts_with("bowline.db.corrupt-")
            && !name.ends_with("-wal")
            && !name.ends_with("-shm")
    })
}

/// Answers are right, the damaged file is kept and told of, and what follows is recorded.
fn goes_on(stage: &Stage) {
    let series = |name, count| (0..count).map(move |number| Event::new(name, number));
    for event in series("first", 4) {
        stage.must_send(&event);
    }
    until_some("a daemon answers", || stage.ask("daemon.status"));
    // Whoever reads notices what one who only adds may not.
    until_some("the damage is noticed", || {
        stage.ask("traces.list");
        moved_aside(stage)
    });
    let later: Vec<Event> = series("later", 6).collect();
    for event in &later {
        stage.must_send(event);
    }
    stage.send(&Event::new("direct", 0), Way::Direct).unwrap();

    let aside = moved_aside(stage).unwrap();
    let gaps = until_some("the damage is written down", || {
        let gaps = stage.gaps();
        (!gaps.is_empty()).then_some(gaps)
    });
    let told = |(cause, _, message): &(String, u64, String)| {
        cause == "moved_aside" && message.contains(aside.to_str().unwrap())
    };
    assert!(gaps.iter().any(told), "{gaps:?}");
    Audit::of(stage, &later).must_be_clean();
    let sound = stage.ask("store.integrity").unwrap();
    assert_eq!(
        sound["problems"].as_array().map(Vec::len),
        Some(0),
        "{sound}"
    );
}

fn recorded(stage: &Stage) {
    let mut sent = stage.wake_daemon("wake");
    for number in 0..10 {
        let event = Event::new("before", number);
        stage.must_send(&event);
        sent.push(event);
    }
    Audit::of(stage, &sent).must_be_clean();
    // Into the file itself, not its log.
    stage.ask("store.compact").unwrap();
}

#[test]
fn a_database_damaged_while_no_daemon_runs_is_moved_aside_and_a_new_one_begun() {
    for damage in [overwrite, spoil_pages] as [Damage; 2] {
        let stage = Stage::new();
        recorded(&stage);
        stage.stop_daemon();
        damage(&stage.database());
        goes_on(&stage);
    }
}

#[test]
fn a_database_damaged_while_the_daemon_runs_is_moved_aside_and_a_new_one_begun() {
    for damage in [overwrite, spoil_pages] as [Damage; 2] {
        let stage = Stage::new();
        recorded(&stage);
        damage(&stage.database());
        goes_on(&stage);
        let aside = moved_aside(&stage).unwrap();
        let log = stage.log();
        assert!(
            log.contains(aside.to_str().unwrap()),
            "the cause is logged: {log}"
        );
    }
}
