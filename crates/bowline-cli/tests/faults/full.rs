//! A disk of a test's own, which can be full or read-only. It is mounted where only the test's processes see it.

use std::env;
use std::fs;
use std::path::Path;
use std::process::Command;

use bowline_store::{GapCause, Store};

use super::audit::Audit;
use super::stage::{Disk, Event, Stage, Way, until};

/// Set for the inner tests: there, mounting changes nothing for others.
pub(super) const INSIDE: &str = "BOWLINE_FAULTS_MOUNTS";

/// Runs an inner test in a mount namespace; says so where that is not permitted.
pub(super) fn in_own_mounts(test: &str) {
    let flags = if rustix::process::geteuid().is_root() {
        "-m"
    } else {
        "-Urm"
    };
    let place = tempfile::tempdir().unwrap();
    let probe = Command::new("unshare")
        .args([flags, "mount", "-t", "tmpfs", "tmpfs"])
        .arg(place.path())
        .output();
    if !probe.is_ok_and(|probe| probe.status.success()) {
        println!("skipped: this user may not mount anything, even for its own processes");
        return;
    }
    let output = Command::new("unshare")
        .arg(flags)
        .arg(env::current_exe().unwrap())
        .args(["--ignored", "--exact", "--nocapture"])
        .arg(test)
        .env(INSIDE, "1")
        .output()
        .unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{stdout}{stderr}");
    assert!(stdout.contains("1 passed"), "{stdout}{stderr}");
}

/// Mounts, or changes a mount as soon as nobody is in the way: files are closed a moment after their process has ended.
fn mount(arguments: &[&str], place: &Path) {
    until("the disk can be mounted", || {
        let mut mount = Command::new("mount");
        let mounted = mount.args(arguments).arg(place).output().unwrap();
        mounted.status.success().then_some(())
    });
}

/// A stage whose data and runtime folders are on a disk of 2 MB.
fn on_small_disk() -> Stage {
    let mut stage = Stage::new();
    let disk = stage.path("disk");
    fs::create_dir(&disk).unwrap();
    mount(&["-t", "tmpfs", "-o", "size=2m,mode=700", "tmpfs"], &disk);
    stage.disk = Some(Disk(disk.clone()));
    stage.data = disk.join("share/bowline");
    stage.socket = disk.join("run/daemon.sock");
    fs::create_dir(disk.join("run")).unwrap();
    stage
}

#[test]
fn with_a_full_disk_answers_are_right_and_losses_are_counted_and_shown() {
    in_own_mounts("faults::full::inside_a_full_disk");
}

#[test]
#[ignore = "needs a mount namespace; another test makes one"]
fn inside_a_full_disk() {
    if env::var_os(INSIDE).is_none() {
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
    // A record that a direct run could not keep is noted at once.
    let direct_run = Event::new("direct", 0);
    stage.send(&direct_run, Way::Direct).unwrap();
    let unkept = |stage: &Stage| -> u64 {
        let gaps = stage.gaps();
        let of_cause = gaps.iter().filter(|(cause, ..)| cause == "unkept");
        of_cause.map(|(_, records, _)| records).sum()
    };
    let in_memory = stage.ask("daemon.status").unwrap()["waiting"]["in_memory"].clone();
    assert!(in_memory.as_u64().unwrap() > 0, "{in_memory}");
    assert!(unkept(&stage) > 0);
    // The writer may still try what was given up; this comes after it, and finds no room either.
    assert_eq!(stage.ask("store.compact"), None);
    let lost = dropped(&stage);
    assert!(lost > 0);

    fs::remove_file(&ballast).unwrap();
    // What waited is more than the disk takes; so much room is made that new records are taken.
    mount(&["-o", "remount,size=64m"], &stage.path("disk"));
    until("what waited is recorded", || {
        (stage.ask("store.size")?["spooled_records"] == 0).then_some(())
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

#[test]
fn a_daemon_that_stops_on_a_full_disk_says_and_counts_what_it_could_not_keep() {
    in_own_mounts("faults::full::inside_a_full_disk_that_stays_full");
}

#[test]
#[ignore = "needs a mount namespace; another test makes one"]
fn inside_a_full_disk_that_stays_full() {
    if env::var_os(INSIDE).is_none() {
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
    let doctor = stage.bowline(&["doctor"]);
    assert!(doctor.contains("in the daemon's memory"), "{doctor}");
    assert!(!doctor.contains("daemon restart"), "{doctor}");
    let stopped = stage.bowline(&["daemon", "stop"]);
    assert!(stopped.contains("could not be kept"), "{stopped}");

    fs::remove_file(&ballast).unwrap();
    sent.extend(stage.wake_daemon("after"));
    let missing = Audit::of(&stage, &sent).missing.len() as u64;
    let gaps = stage.gaps();
    let counted: u64 = gaps.iter().map(|(_, records, _)| records).sum();
    assert!(missing >= in_memory, "{missing} {in_memory}");
    assert_eq!(missing, counted, "{gaps:?}");
    let doctor = stage.bowline(&["doctor"]);
    assert!(doctor.contains("something is missing"), "{doctor}");
}

#[test]
fn while_the_disk_is_read_only_answers_are_right_and_records_wait() {
    in_own_mounts("faults::full::inside_a_read_only_disk");
}

#[test]
#[ignore = "needs a mount namespace; another test makes one"]
fn inside_a_read_only_disk() {
    if env::var_os(INSIDE).is_none() {
        return;
    }
    let mut stage = on_small_disk();
    // The socket stays where it can be made.
    stage.socket = stage.path("run/daemon.sock");
    let disk = stage.path("disk");
    let mut sent = stage.wake_daemon("wake");
    stage.stop_daemon();
    mount(&["-o", "remount,ro"], &disk);
    // With and without a daemon.
    for number in 0..4 {
        let event = Event::new("during", number);
        stage.must_send(&event);
        sent.push(event);
    }
    sent.extend(stage.wake_daemon("daemon"));
    mount(&["-o", "remount,rw"], &disk);
    until("what waited is recorded", || {
        (stage.ask("store.size")?["spooled_records"] == 0).then_some(())
    });
    Audit::of(&stage, &sent).must_be_clean();
}
