//! A disk that is full, and one that may only be read: a file system of a few megabytes in a mount namespace of its own.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on must fail")]
#![cfg(target_os = "linux")]

#[expect(dead_code, reason = "these tests need only a part of it")]
mod support;

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use bowline_store::{
    Change, Gap, GapCause, Integrity, Options, Outcome, Record, SpoolMedium, SqliteStore, Store,
    unkept,
};
use bowline_testkit::{Disk, in_own_mounts, needs};
use support::*;

/// A small disk, if this process may mount one. If it may not, the test is run again in a process that may.
fn small_disk(test: &str) -> Option<Disk> {
    in_own_mounts(test).then(|| Disk::in_own_folder("size=16m"))
}

fn options(disk: &Path) -> Options {
    let mut options = Options::new(disk.join("data"));
    options.deadline = Duration::from_secs(30);
    options
}

/// An event that takes about 12 KB.
fn large(n: i64) -> Record {
    let text = Some("words ".repeat(2_000));
    with(
        record("UserPromptSubmit", "s", n),
        Change::PromptGiven { text },
    )
}

#[needs(mounts)]
#[test]
fn on_a_full_disk_every_event_is_answered_and_losses_are_counted_until_there_is_room() {
    let name = "on_a_full_disk_every_event_is_answered_and_losses_are_counted_until_there_is_room";
    let Some(disk) = small_disk(name) else { return };
    let ballast = disk.join("ballast");
    fs::write(&ballast, vec![1; 11 * 1024 * 1024]).unwrap();
    let store = SqliteStore::open(options(&disk)).unwrap();
    let (mut committed, mut spooled, mut dropped) = (0, 0, 0);
    for n in 0..5_000 {
        match submit(&store, large(n)) {
            Outcome::Committed(_) => committed += 1,
            Outcome::Spooled(_) => spooled += 1,
            Outcome::Dropped => dropped += 1,
            other => panic!("{other:?}"),
        }
        if dropped == 20 {
            break;
        }
    }
    assert!(committed > 0 && spooled > 0, "{committed} {spooled}");
    assert_eq!(dropped, 20, "the spool has an end");
    let lost = |store: &SqliteStore| -> u64 {
        let gaps = store.gaps().unwrap();
        assert!(gaps.iter().all(|gap| gap.cause == GapCause::Dropped));
        gaps.iter().map(|gap| gap.records).sum()
    };
    assert_eq!(lost(&store), 20, "told although it cannot be written down");

    fs::remove_file(&ballast).unwrap();
    store.flush().unwrap();
    support::committed(&store, start("s", "after", "Bash", 9_000));
    let kept = store.last_events(10_000).unwrap().len();
    assert_eq!(
        kept,
        committed + spooled + 1,
        "nothing else is lost or doubled"
    );
    assert_eq!(store.size().unwrap().spooled_records, 0);
    drop(store);
    let store = SqliteStore::open(options(&disk)).unwrap();
    assert_eq!(lost(&store), 20, "written down, once");
    assert_eq!(store.integrity_check().unwrap(), Integrity::Sound);
}

#[needs(mounts)]
#[test]
fn what_only_memory_held_is_counted_when_its_process_ends_although_the_disk_is_full() {
    let name = "what_only_memory_held_is_counted_when_its_process_ends_although_the_disk_is_full";
    let Some(disk) = small_disk(name) else { return };
    let mut options = options(&disk);
    options.runtime_folder = Some(disk.join("runtime"));
    let lost = |gaps: &[Gap]| -> u64 { gaps.iter().map(|gap| gap.records).sum() };
    let ballast = disk.join("ballast");
    let store = SqliteStore::open(options.clone()).unwrap();
    support::committed(&store, start("s", "before", "Bash", 0));
    fs::write(&ballast, vec![1; 16 * 1024 * 1024]).unwrap_err();
    let (mut kept, mut in_memory) = (1, 0);
    while in_memory < 20 {
        match submit(&store, large(kept)) {
            Outcome::Spooled(SpoolMedium::Memory) => in_memory += 1,
            _ => kept += 1,
        }
    }
    let waiting = store.waiting();
    assert_eq!((waiting.in_memory, lost(&store.gaps().unwrap())), (20, 0));
    drop(store);
    assert_eq!(lost(&unkept(&options)), 20);
    // One after another, as direct runs do; what is lost adds up.
    for _ in 0..3 {
        let store = SqliteStore::open(options.clone()).unwrap();
        let outcome = submit(&store, large(0));
        assert_eq!(outcome, Outcome::Spooled(SpoolMedium::Memory));
    }
    let store = SqliteStore::open(options.clone()).unwrap();
    assert_eq!(lost(&store.gaps().unwrap()), 23, "told on a full disk");

    fs::remove_file(&ballast).unwrap();
    support::committed(&store, start("s", "after", "Bash", 9_000));
    drop(store);
    assert!(unkept(&options).is_empty());
    let store = SqliteStore::open(options).unwrap();
    assert_eq!(lost(&store.gaps().unwrap()), 23, "written down, once");
    let found = store.last_events(10_000).unwrap().len();
    assert_eq!(i64::try_from(found).unwrap(), kept + 1);
}

#[needs(mounts)]
#[test]
fn what_only_memory_holds_goes_to_a_folder_as_soon_as_one_takes_it() {
    let name = "what_only_memory_holds_goes_to_a_folder_as_soon_as_one_takes_it";
    let Some(disk) = small_disk(name) else { return };
    let mut options = options(&disk);
    options.deadline = Duration::from_millis(200);
    let store = SqliteStore::open(options.clone()).unwrap();
    support::committed(&store, start("s", "before", "Bash", 0));
    let other = rusqlite::Connection::open(store.path()).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let ballast = disk.join("ballast");
    fs::write(&ballast, vec![1; 16 * 1024 * 1024]).unwrap_err();
    while submit(&store, large(1)) != Outcome::Spooled(SpoolMedium::Memory) {}
    fs::remove_file(&ballast).unwrap();
    // The database stays locked.
    drop(store);
    drop(other);
    assert!(unkept(&options).is_empty());
    let store = SqliteStore::open(options).unwrap();
    store.flush().unwrap();
    assert!(store.gaps().unwrap().is_empty());
    assert!(store.last_events(10).unwrap().len() > 1);
}

#[needs(mounts)]
#[test]
fn on_a_disk_that_may_only_be_read_events_wait_elsewhere() {
    let name = "on_a_disk_that_may_only_be_read_events_wait_elsewhere";
    let Some(disk) = small_disk(name) else { return };
    let elsewhere = tempfile::tempdir().unwrap();
    let mut options = options(&disk);
    options.runtime_folder = Some(elsewhere.path().join("runtime"));
    let store = SqliteStore::open(options.clone()).unwrap();
    support::committed(&store, start("s", "before", "Bash", 0));
    drop(store);
    let remount = |how: &str| {
        let status = Command::new("mount")
            .args(["-o", how])
            .arg(&*disk)
            .status()
            .unwrap();
        assert!(status.success(), "{how}");
    };
    remount("remount,ro");
    let store = SqliteStore::open(options).unwrap();
    let outcome = submit(&store, start("s", "during", "Bash", 1));
    assert_eq!(outcome, Outcome::Spooled(SpoolMedium::Runtime));
    remount("remount,rw");
    store.flush().unwrap();
    for id in ["before", "during"] {
        assert!(store.get_trace(id).unwrap().is_some(), "{id}");
    }
    assert_eq!(store.last_events(10).unwrap().len(), 2);
    assert!(store.gaps().unwrap().is_empty());
}
