//! A daemon that ends while it is asked for a change.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::net::UnixListener;
use std::thread::{self, JoinHandle};

use bowline_testkit::{Sandbox, until};
use serde_json::{Value, json};

/// A daemon with an effort that has said how it is, and has stopped.
fn stopped() -> (Sandbox, Value) {
    let sandbox = Sandbox::with_repository();
    sandbox.run(&["daemon", "start"]).expect(0, &[]);
    sandbox
        .run(&["effort", "start", "login", "implement"])
        .expect(0, &[]);
    let status = sandbox.ask("daemon.status").unwrap();
    sandbox.run(&["daemon", "stop"]).expect(0, &[]);
    until("the socket is gone", || !sandbox.socket().exists());
    (sandbox, status)
}

/// Takes the daemon's place for one connection: answers so many requests, reads one more, and ends. Gives back the commands that it got.
fn ends_after(sandbox: &Sandbox, answers: usize, status: Value) -> JoinHandle<Vec<String>> {
    let listener = UnixListener::bind(sandbox.socket()).unwrap();
    let socket = sandbox.socket();
    thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        drop(listener);
        fs::remove_file(socket).unwrap();
        let mut asked = Vec::new();
        let lines = BufReader::new(stream.try_clone().unwrap()).lines();
        for line in lines.take(answers + 1) {
            let request: Value = serde_json::from_str(&line.unwrap()).unwrap();
            asked.push(request["cmd"].as_str().unwrap().to_owned());
            if asked.len() <= answers {
                let answer = json!({"ok": true, "data": status});
                writeln!(stream, "{answer}").unwrap();
            }
        }
        asked
    })
}

fn log_of(sandbox: &Sandbox) -> String {
    let file = sandbox.project().join(".tasks/login/1_IMPLEMENT_LOG.md");
    fs::read_to_string(file).unwrap_or_default()
}

#[test]
fn a_change_that_was_cut_off_is_not_repeated_and_one_can_look() {
    for (change, command, look) in [
        (
            &["effort", "log", "found it"][..],
            "efforts.perform",
            "`bowline effort show`",
        ),
        (
            &["task", "new", "other"],
            "tasks.new",
            "`bowline task list`",
        ),
        (
            &["note", "add", "mind this"],
            "notes.add",
            "`bowline note list`",
        ),
    ] {
        let (sandbox, status) = stopped();
        let daemon = ends_after(&sandbox, 1, status);
        let ran = sandbox.run(change);
        ran.expect_stderr(2, &["it may have been, and was not tried again", look])
            .lacks(&["BOWLINE_SOCKET"]);
        assert_eq!(daemon.join().unwrap(), ["daemon.status", command]);
        assert_eq!(log_of(&sandbox), "");
        let tasks = sandbox.json(&["task", "list"]);
        assert!(!tasks.to_string().contains("other"), "{tasks}");
    }
}

#[test]
fn a_daemon_that_ends_before_a_change_is_done_without() {
    let (sandbox, status) = stopped();
    let daemon = ends_after(&sandbox, 0, status);
    sandbox.run(&["effort", "log", "found it"]).expect(0, &[]);
    assert_eq!(daemon.join().unwrap(), ["daemon.status"]);
    assert_eq!(log_of(&sandbox).matches("found it").count(), 1);
}
