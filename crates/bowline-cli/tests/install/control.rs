//! `bowline daemon start|stop|status` where a daemon hangs, is newer, begins or ends.

use std::fs::{self, File};
use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::UnixListener;
use std::process::Stdio;
use std::thread;
use std::time::Duration;

use bowline_testkit::{Ran, Sandbox, needs, until};
use serde_json::{Value, json};

use super::daemon::Daemon;
use super::installed::installed;

/// Holds the lock as a daemon does, in the name of this process.
fn hold(sandbox: &Sandbox) -> File {
    let path = sandbox.socket().with_extension("lock");
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, format!("{}\n", std::process::id())).unwrap();
    let lock = File::open(&path).unwrap();
    lock.try_lock().unwrap();
    lock
}

fn status(version: &str) -> Value {
    json!({
        "pid": 4711, "version": version, "started_at": "2026-11-15T12:00:00Z", "uptime_ms": 1000, "socket": "/s", "data": "/d",
        "connections": 1, "events": 0, "in_flight": 0, "projects": [], "paused": null, "memory_bytes": null,
    })
}

#[test]
fn a_daemon_that_hangs_is_named_and_nothing_is_deleted_under_it() {
    let sandbox = installed();
    let kept = sandbox.write("home/.local/share/bowline/bowline.db", "rows");
    let _lock = hold(&sandbox);
    // Connections are taken by the system, and nobody answers.
    let _listener = UnixListener::bind(sandbox.socket()).unwrap();
    let named = format!("process {}, does not answer", std::process::id());
    let hint = format!("`kill {}`", std::process::id());
    for command in [
        &["daemon", "status"][..],
        &["daemon", "stop"],
        &["daemon", "start"],
        &["uninstall", "--purge", "--yes"],
        &["store", "backup", "copy.db"],
        &["store", "forget", "--all", "--yes"],
    ] {
        sandbox.run(command).expect_stderr(2, &[&named, &hint]);
    }
    assert!(kept.exists());
    sandbox
        .run(&["uninstall", "--yes"])
        .expect(0, &["could not be stopped", &named]);
    // Nothing is installed, which is a problem of its own.
    sandbox.run(&["doctor"]).expect(1, &[&named, &hint]);
}

#[needs(root)]
#[test]
fn a_socket_of_somebody_else_is_believed_nothing() {
    for depth in [0, 1] {
        let sandbox = installed();
        let socket = sandbox.socket();
        let theirs = socket.ancestors().nth(depth).unwrap();
        let answers = [("daemon.status", status("0.0.1"))];
        let stranger = Daemon::start(&sandbox.socket(), &answers);
        std::os::unix::fs::chown(theirs, Some(4_000_000), None).unwrap();
        sandbox
            .run(&["daemon", "status"])
            .expect_stderr(2, &["somebody else listens there", "BOWLINE_SOCKET"]);
        sandbox.run(&["store", "forget", "--all", "--yes"]);
        assert_eq!(stranger.asked(), Vec::<String>::new(), "{depth}");
    }
}

#[test]
fn nobody_who_listens_is_no_daemon() {
    let sandbox = installed();
    sandbox.run(&["daemon", "status"]).expect(1, &["No daemon"]);
    fs::create_dir_all(sandbox.socket().parent().unwrap()).unwrap();
    // As one that was killed leaves it.
    drop(UnixListener::bind(sandbox.socket()).unwrap());
    sandbox.run(&["daemon", "status"]).expect(1, &["No daemon"]);
    sandbox
        .run(&["daemon", "stop"])
        .expect(0, &["No daemon was"]);
}

#[test]
fn where_no_socket_can_be_that_is_said() {
    let sandbox = installed();
    let folder = sandbox.socket().parent().unwrap().to_owned();
    fs::create_dir_all(folder.parent().unwrap()).unwrap();
    fs::write(&folder, "no folder").unwrap();
    let place = format!("there is no place for {}", sandbox.socket().display());
    for command in ["status", "restart"] {
        let ran = sandbox.run(&["daemon", command]);
        ran.expect_stderr(2, &["Not a directory", &place]);
        assert!(!ran.stderr.contains("listens"), "{}", ran.stderr);
    }
}

#[test]
fn only_an_older_daemon_makes_room() {
    let sandbox = installed();
    let answers = [
        ("daemon.status", status("999.0.0")),
        ("daemon.stop", json!({})),
    ];
    let newer = Daemon::start(&sandbox.socket(), &answers);
    sandbox
        .run(&["daemon", "start"])
        .expect(0, &["process 4711", "version 999.0.0", "restart"]);
    assert_eq!(newer.asked(), ["daemon.status"]);
    sandbox.run(&["daemon", "stop"]).expect(0, &["has stopped"]);
    let answers = [
        ("daemon.status", status("0.0.1")),
        ("daemon.stop", json!({})),
    ];
    let older = Daemon::start(&sandbox.socket(), &answers);
    let started = sandbox.run(&["daemon", "start"]);
    sandbox.run(&["daemon", "stop"]).expect(0, &["has stopped"]);
    started.expect(0, &["The daemon runs"]);
    started.lacks(&["4711"]);
    assert_eq!(older.asked(), ["daemon.status", "daemon.stop"]);
}

#[test]
fn a_daemon_that_is_busy_is_asked_again() {
    let sandbox = installed();
    let lock = hold(&sandbox);
    let answers = [("daemon.status", status("999.0.0"))];
    let _busy = Daemon::start_busy(&sandbox.socket(), &answers);
    sandbox
        .run(&["daemon", "start"])
        .expect(0, &["process 4711"]);
    fs::remove_file(sandbox.socket()).unwrap();
    let busy = Daemon::start_busy(&sandbox.socket(), &[("daemon.stop", json!({}))]);
    let ends = thread::spawn(move || {
        until("it is asked", || !busy.asked().is_empty());
        drop(lock);
    });
    sandbox.run(&["daemon", "stop"]).expect(0, &["has stopped"]);
    ends.join().unwrap();
}

/// Agents at work start the next daemon as soon as one goes, and that has the lock then.
#[test]
fn stopping_waits_for_the_daemon_that_was_asked_and_for_no_other() {
    let sandbox = installed();
    let _lock = hold(&sandbox);
    let asked = Daemon::start(&sandbox.socket(), &[("daemon.stop", json!({}))]);
    let path = sandbox.socket().with_extension("lock");
    let next = thread::spawn(move || {
        while asked.asked().is_empty() {
            thread::sleep(Duration::from_millis(5));
        }
        // The same number again, as small systems give it out.
        fs::write(path, format!("{}\n", std::process::id())).unwrap();
    });
    sandbox.run(&["daemon", "stop"]).expect(0, &["has stopped"]);
    next.join().unwrap();
}

/// Longer than two seconds, after which starting used to give up.
#[test]
fn a_daemon_that_ends_is_waited_for() {
    let sandbox = installed();
    let lock = hold(&sandbox);
    let ending = thread::spawn(move || {
        thread::sleep(Duration::from_secs(3));
        drop(lock);
    });
    let started = sandbox.run(&["daemon", "start"]);
    ending.join().unwrap();
    sandbox.run(&["daemon", "stop"]).expect(0, &["has stopped"]);
    started.expect(0, &["The daemon runs"]);

    let lock = hold(&sandbox);
    let ending = thread::spawn(move || {
        thread::sleep(Duration::from_millis(300));
        drop(lock);
    });
    sandbox.run(&["daemon", "stop"]).expect(0, &["has stopped"]);
    ending.join().unwrap();
}

#[test]
fn a_folder_that_others_may_write_to_is_refused_and_another_left_as_it_is() {
    let sandbox = installed();
    let folder = sandbox.path("elsewhere");
    fs::create_dir(&folder).unwrap();
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o777)).unwrap();
    let mut run = sandbox.command(&["daemon", "run"]);
    run.env("BOWLINE_SOCKET", folder.join("d.sock"));
    Ran::of(&mut run).expect_stderr(2, &["others may write to", "mode 777", "chmod go-w"]);
    let mode = fs::metadata(&folder).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o777);
}

#[test]
fn one_that_is_kept_waits_for_its_turn() {
    let sandbox = installed();
    sandbox.run(&["daemon", "start"]).expect(0, &[]);
    let (_, first) = sandbox.code_and_json(&["daemon", "status"]);
    let mut kept = sandbox
        .command(&["daemon", "run", "--keep"])
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut log = BufReader::new(kept.stderr.take().unwrap()).lines();
    let waits = log.any(|line| line.unwrap().contains("waits until that has ended"));
    let rest = thread::spawn(move || log.for_each(drop));
    sandbox.run(&["daemon", "stop"]).expect(0, &["has stopped"]);
    // It comes by itself, whenever it has seen that the place is free.
    let mut second = Value::Null;
    for _ in 0..300 {
        second = sandbox.code_and_json(&["daemon", "status"]).1;
        if second["running"] == json!(true) {
            break;
        }
        thread::sleep(Duration::from_millis(50));
    }
    sandbox.run(&["daemon", "stop"]).expect(0, &[]);
    let ended = kept.wait().unwrap();
    rest.join().unwrap();
    assert!(waits);
    assert_eq!(second["daemon"]["pid"], json!(kept.id()), "{second}");
    assert_ne!(first["daemon"]["pid"], second["daemon"]["pid"]);
    assert!(ended.success());
    for unit in [
        &["daemon", "unit", "--systemd"][..],
        &["daemon", "unit", "--launchd"],
    ] {
        sandbox.run(unit).expect(0, &["--keep"]);
    }
}

#[test]
fn the_daemon_learns_whom_to_trust() {
    let sandbox = installed();
    sandbox.write("project/bowline.toml", "[[hooks.Stop]]\ncommand = 'true'\n");
    let daemon = Daemon::start(&sandbox.socket(), &[("daemon.reload", json!({}))]);
    sandbox.run(&["trust", "--yes"]).expect(0, &["Trusted"]);
    assert_eq!(daemon.asked(), ["daemon.reload"]);
    sandbox
        .run(&["trust", "--revoke"])
        .expect(0, &["no longer"]);
    assert_eq!(daemon.asked(), ["daemon.reload", "daemon.reload"]);
}
