//! Daemons that are of no use, and one that is.

use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::net::UnixListener;
use std::thread;
use std::time::Duration;

use super::machine::Machine;

/// Answers every connection's first line with this, and closes it.
fn daemon(machine: &Machine, answer: &'static str) {
    let listener = UnixListener::bind(machine.path("no-daemon.sock")).unwrap();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut line = String::new();
            let _ = BufReader::new(&stream).read_line(&mut line);
            let _ = stream.write_all(answer.as_bytes());
        }
    });
}

#[test]
fn what_a_daemon_cannot_answer_is_read_from_the_store() {
    for answer in [
        "",
        "nonsense\n",
        "{\"ok\":false,\"error\":\"UNKNOWN_COMMAND\",\"message\":\"?\",\"details\":{\"cmd\":\"traces.list\"}}\n",
    ] {
        let machine = Machine::after_work();
        daemon(&machine, answer);
        let ran = machine.run(&["trace", "list"]);
        ran.expect(0, &["toolu_test", "read from the store"]);
        assert_eq!(ran.stderr.matches("note:").count(), 1, "{}", ran.stderr);
    }
}

#[test]
fn a_daemon_that_hangs_is_done_without_and_one_that_ended_is_no_news() {
    let machine = Machine::after_work();
    // It takes connections, and never answers.
    let hung = UnixListener::bind(machine.path("no-daemon.sock")).unwrap();
    machine.run(&["trace", "list"]).expect(
        0,
        &["toolu_test", "does not answer", "bowline daemon status"],
    );
    drop(hung);
    // Its socket is still there.
    let ended = machine.run(&["trace", "list"]);
    ended.expect(0, &["toolu_test"]);
    assert_eq!(ended.stderr, "");
}

#[test]
fn a_daemon_that_answers_late_is_not_waited_for() {
    for args in [&["trace", "list"][..], &["log"], &["session", "list"]] {
        let machine = Machine::after_work();
        let listener = UnixListener::bind(machine.path("no-daemon.sock")).unwrap();
        // Whoever is patient is told that there is nothing.
        thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            thread::sleep(Duration::from_secs(15));
            let _ = stream.write_all(b"{\"ok\":true,\"data\":[]}\n");
        });
        machine
            .run(args)
            .expect(0, &["5 min ago", "does not answer"]);
    }
}

#[test]
fn what_a_daemon_may_have_changed_is_not_done_again() {
    let machine = Machine::after_work();
    // It says that it is well, and is gone before it has answered.
    let status = concat!(
        r#"{"ok":true,"data":{"pid":4711,"version":"0.1.0","started_at":"2026-11-15T12:00:00Z","uptime_ms":1000,"socket":"/s","#,
        r#""data":"/d","connections":1,"events":0,"in_flight":0,"projects":[],"paused":null,"memory_bytes":null}}"#,
        "\n"
    );
    daemon(&machine, status);
    machine
        .run(&["store", "forget", "--all", "--yes"])
        .expect(2, &["cannot ask", "bowline daemon status"]);
    assert_eq!(machine.calls_in_store(), 7);
}

#[test]
fn what_a_daemon_answers_is_shown_and_its_refusals_are_told() {
    let machine = Machine::new();
    daemon(&machine, "{\"ok\":true,\"data\":[]}\n");
    let ran = machine.run(&["trace", "list"]);
    ran.expect(0, &["No tool call is like that"]);
    assert_eq!(ran.stderr, "");

    let machine = Machine::new();
    daemon(
        &machine,
        "{\"ok\":false,\"error\":\"HANDLER_ERROR\",\"message\":\"the store is damaged\",\"details\":null}\n",
    );
    machine
        .run(&["trace", "list"])
        .expect(2, &["the store is damaged", "bowline doctor"]);

    let machine = Machine::new();
    daemon(&machine, "{\"ok\":true,\"data\":{\"other\":1}}\n");
    machine
        .run(&["trace", "list"])
        .expect(2, &["cannot be understood", "bowline daemon restart"]);
}
