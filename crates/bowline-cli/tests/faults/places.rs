//! Folders and files that are missing, in the way or closed.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;

use bowline_store::Store;
use bowline_testkit::{needs, until, until_some};

use super::audit::Audit;
use super::stage::{Event, Stage};

fn answers_rightly(stage: &Stage, series: &str) -> Vec<Event> {
    let events: Vec<Event> = (0..6).map(|number| Event::new(series, number)).collect();
    for event in &events {
        stage.must_send(event);
    }
    events
}

#[test]
fn without_a_place_for_the_socket_events_are_decided_and_recorded_directly() {
    let nowhere: fn(&mut Stage) = |stage| {
        stage.set("BOWLINE_SOCKET", "/proc/no/such/daemon.sock");
    };
    let a_file: fn(&mut Stage) = |stage| {
        let file = stage.write("file", "");
        stage.set("BOWLINE_SOCKET", file.join("daemon.sock"));
    };
    let occupied: fn(&mut Stage) = |stage| fs::write(stage.socket(), "not a socket").unwrap();
    for (name, prepare) in [
        ("nowhere", nowhere),
        ("file", a_file),
        ("occupied", occupied),
    ] {
        let mut stage = Stage::new();
        prepare(&mut stage);
        let sent = answers_rightly(&stage, name);
        assert!(stage.ask("daemon.status").is_none(), "{name}");
        Audit::of(&stage, &sent).must_be_clean();
        if name == "occupied" {
            let text = fs::read_to_string(stage.socket()).unwrap();
            assert_eq!(text, "not a socket", "what is not ours is left alone");
        }
    }
}

#[test]
fn a_missing_runtime_folder_is_made() {
    let stage = Stage::new();
    fs::remove_dir(stage.path("run")).unwrap();
    let sent = stage.wake_daemon("wake");
    Audit::of(&stage, &sent).must_be_clean();
    let mode = fs::metadata(stage.path("run"))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o700);
}

#[test]
fn without_a_data_folder_events_are_answered_and_recorded_when_there_is_one() {
    let stage = Stage::new();
    // Root, too, cannot make a folder in a file.
    fs::write(stage.path("share"), "").unwrap();
    let mut sent = answers_rightly(&stage, "before");
    sent.extend(stage.wake_daemon("wake"));
    fs::remove_file(stage.path("share")).unwrap();
    sent.extend(answers_rightly(&stage, "after"));
    // A process that makes the database keeps the daemon out of it for a moment: its records wait until it asks again.
    until("everything is recorded", || {
        Audit::of(&stage, &sent) == Audit::default()
    });
}

#[needs(no_root)]
#[test]
fn while_the_data_folder_is_read_only_events_are_answered_and_recorded_later() {
    let stage = Stage::new();
    let mut sent = stage.wake_daemon("wake");
    stage.stop_daemon();
    let set_mode = |folder: u32, file: u32| {
        fs::set_permissions(stage.database(), Permissions::from_mode(file)).unwrap();
        fs::set_permissions(stage.data(), Permissions::from_mode(folder)).unwrap();
    };
    set_mode(0o500, 0o400);
    sent.extend(answers_rightly(&stage, "during"));
    set_mode(0o700, 0o600);
    sent.extend(answers_rightly(&stage, "after"));
    until_some("a daemon answers", || stage.ask("daemon.status"));
    Audit::of(&stage, &sent).must_be_clean();
}

#[test]
fn records_that_vanish_with_the_data_folder_are_counted_and_shown() {
    let take_away: [fn(&Stage); 3] = [
        |stage| {
            fs::rename(stage.data(), stage.path("moved")).unwrap();
            fs::create_dir(stage.data()).unwrap();
        },
        |stage| fs::remove_dir_all(stage.data()).unwrap(),
        |stage| fs::remove_file(stage.database()).unwrap(),
    ];
    for take_away in take_away {
        let stage = Stage::new();
        let mut before = stage.wake_daemon("wake");
        before.extend(answers_rightly(&stage, "before"));
        Audit::of(&stage, &before).must_be_clean();
        take_away(&stage);
        let missing = format!("{} records", before.len());
        // Nothing is installed, which doctor finds as well.
        stage.run(&["doctor"]).expect(1, &[&missing]);
        stage.run(&["log"]).expect_stderr(0, &[&missing]);
        stage.run(&["store", "size"]).expect(0, &[&missing]);
        let after = answers_rightly(&stage, "after");
        stage.stop_daemon();
        Audit::of(&stage, &after).must_be_clean();
        let gaps = stage.store().gaps().unwrap();
        let counted: u64 = gaps.iter().map(|gap| gap.records).sum();
        assert_eq!(counted, before.len() as u64, "{gaps:?}");
    }
}
