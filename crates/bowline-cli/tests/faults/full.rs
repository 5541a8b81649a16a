//! A disk of a test's own, which can be full or read-only. It is mounted where only the test's processes see it.

use std::fs;
use std::path::Path;
use std::process::Command;

use bowline_store::{GapCause, Store};
use bowline_testkit::{Disk, Ran, in_own_mounts, needs, until};

use super::audit::Audit;
use super::stage::{Event, Stage, Way};

/// Changes a mount as soon as nobody is in the way: files are closed a moment after their process has ended.
fn remount(options: &str, place: &Path) {
    until("the disk can be mounted", || {
        let mut mount = Command::new("mount");
        mount.args(["-o", &format!("remount,{options}")]).arg(place);
        Ran::of(&mut mount).code == Some(0)
    });
}

/// A stage whose data and runtime folders are on a disk of 2 MB.
fn on_small_disk() -> Stage {
    let mut stage = Stage::new();
    let disk = stage.folder("disk");
    stage.disk = Some(Disk::mount(disk.clone(), "size=2m,mode=700"));
    stage.set("XDG_DATA_HOME", disk.join("share"));
    stage.set("BOWLINE_SOCKET", disk.join("run/daemon.sock"));
    fs::create_dir(disk.join("run")).unwrap();
    stage
}

#[needs(mounts)]
#[test]
fn with_a_full_disk_answers_are_right_and_losses_are_counted_and_shown() {
    if !in_own_mounts(
        "faults::full::with_a_full_disk_answers_are_right_and_losses_are_counted_and_shown",
    ) {
        return;
    }
    let stage = on_small_disk();
    let mut sent = stage.wake_daemon("wake");
    let ballast = stage.path("disk/ballast");
    // There is room for less than this: what fits is written.
    assert!(fs::write(&ballast, vec![0; 4 * 1024 * 1024]).is_err());
    let dropped = |stage: &Stage| -> u64 {
        let gaps = stage.gaps();
        let of_cause = gaps.iter().filter(|(cause, ..)| cause == "dropped");
        of_cause.map(|(_, records, _)| records).sum()
    };
    let mut full = Vec::new();
    // The memory takes 4 MB, the rest is lost: 20 more after the first loss.
    let mut after_loss = 0;
    while after_loss < 20 {
        assert!(full.len() < 2_000, "nothing is ever lost");
        let mut event = Event::new("full", full.len());
        event.padding = (0..30)
            .map(|part| format!("{part} {}", "x".repeat(1_500)))
            .collect();
        stage.must_send(&event);
        full.push(event);
        if after_loss > 0 || dropped(&stage) > 0 {
            after_loss += 1;
        }
    }
    // A record that a direct run could not keep is noted, too.
    let direct_run = Event::new("direct", 0);
    stage.send(&direct_run, Way::Direct).unwrap();
    let unkept = |stage: &Stage| -> u64 {
        let gaps = stage.gaps();
        let of_cause = gaps.iter().filter(|(cause, ..)| cause == "unkept");
        of_cause.map(|(_, records, _)| records).sum()
    };
    let in_memory = stage.ask("daemon.status").unwrap()["waiting"]["in_memory"].clone();
    assert!(in_memory.as_u64().unwrap() > 0, "{in_memory}");
    until("it is noted", || unkept(&stage) > 0);
    // The writer may still try what was given up; this comes after it, and finds no room either.
    assert_eq!(stage.ask("store.compact"), None);
    let lost = dropped(&stage);
    assert!(lost > 0);

    fs::remove_file(&ballast).unwrap();
    // What waited is more than the disk takes; so much room is made that new records are taken.
    remount("size=64m", &stage.path("disk"));
    until("what waited is recorded", || {
        stage
            .ask("store.size")
            .is_some_and(|size| size["spooled_records"] == 0)
    });
    for number in 0..6 {
        let event = Event::new("after", number);
        stage.must_send(&event);
        sent.push(event);
    }
    Audit::of(&stage, &sent).must_be_clean();
    full.push(direct_run);
    let audit = Audit::of(&stage, &full);
    // What a machine that is too busy decided without the daemon is counted, too.
    assert_eq!(audit.missing.len() as u64, lost + unkept(&stage));
    assert_eq!((audit.doubled.len(), audit.differing.len()), (0, 0));
    stage.stop_daemon();
    let gaps = stage.store().gaps().unwrap();
    let written = gaps.iter().filter(|gap| gap.cause == GapCause::Dropped);
    assert_eq!(written.map(|gap| gap.records).sum::<u64>(), lost);
}

#[needs(mounts)]
#[test]
fn a_daemon_that_stops_on_a_full_disk_says_and_counts_what_it_could_not_keep() {
    if !in_own_mounts(
        "faults::full::a_daemon_that_stops_on_a_full_disk_says_and_counts_what_it_could_not_keep",
    ) {
        return;
    }
    let stage = on_small_disk();
    let mut sent = stage.wake_daemon("wake");
    let ballast = stage.path("disk/ballast");
    assert!(fs::write(&ballast, vec![0; 4 * 1024 * 1024]).is_err());
    let number = |name: &str| {
        let status = stage.ask("daemon.status").unwrap();
        status["waiting"][name].as_u64().unwrap()
    };
    while number("in_memory") < 10 {
        let mut event = Event::new("full", sent.len());
        event.padding = vec!["x".repeat(4_000)];
        stage.must_send(&event);
        sent.push(event);
    }
    let in_memory = number("in_memory");
    stage
        .run(&["doctor"])
        .expect(1, &["in the daemon's memory"])
        .lacks(&["daemon restart"]);
    stage
        .run(&["daemon", "stop"])
        .expect_stderr(0, &["could not be kept"]);

    fs::remove_file(&ballast).unwrap();
    sent.extend(stage.wake_daemon("after"));
    let missing = Audit::of(&stage, &sent).missing.len() as u64;
    let gaps = stage.gaps();
    let counted: u64 = gaps.iter().map(|(_, records, _)| records).sum();
    assert!(missing >= in_memory, "{missing} {in_memory}");
    assert_eq!(missing, counted, "{gaps:?}");
    stage.run(&["doctor"]).expect(1, &["something is missing"]);
}

#[needs(mounts)]
#[test]
fn while_the_disk_is_read_only_answers_are_right_and_records_wait() {
    if !in_own_mounts(
        "faults::full::while_the_disk_is_read_only_answers_are_right_and_records_wait",
    ) {
        return;
    }
    let mut stage = on_small_disk();
    // The socket stays where it can be made.
    let socket = stage.path("run/daemon.sock");
    stage.set("BOWLINE_SOCKET", socket);
    let disk = stage.path("disk");
    let mut sent = stage.wake_daemon("wake");
    stage.stop_daemon();
    remount("ro", &disk);
    // With and without a daemon.
    for number in 0..4 {
        let event = Event::new("during", number);
        stage.must_send(&event);
        sent.push(event);
    }
    sent.extend(stage.wake_daemon("daemon"));
    remount("rw", &disk);
    until("what waited is recorded", || {
        stage
            .ask("store.size")
            .is_some_and(|size| size["spooled_records"] == 0)
    });
    Audit::of(&stage, &sent).must_be_clean();
}
