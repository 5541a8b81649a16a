//! Daemons that are of no use, and one that is.

use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::net::UnixListener;
use std::thread;
use std::time::Duration;

use super::history::History;

/// Answers every connection's first line with this, and closes it.
fn daemon(history: &History, answer: &'static str) {
    let listener = UnixListener::bind(history.socket()).unwrap();
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
        let history = History::after_work();
        daemon(&history, answer);
        let ran = history.run(&["trace", "list"]);
        ran.expect(0, &["toolu_test"]);
        ran.expect_stderr(0, &["read from the store"]);
        assert_eq!(ran.stderr.matches("note:").count(), 1, "{}", ran.stderr);
    }
}

#[test]
fn a_daemon_that_hangs_is_done_without_and_one_that_ended_is_no_news() {
    let history = History::after_work();
    // It takes connections, and never answers.
    let hung = UnixListener::bind(history.socket()).unwrap();
    history
        .run(&["trace", "list"])
        .expect(0, &["toolu_test"])
        .expect_stderr(0, &["does not answer", "bowline daemon status"]);
    drop(hung);
    // Its socket is still there.
    let ended = history.run(&["trace", "list"]);
    ended.expect(0, &["toolu_test"]);
    assert_eq!(ended.stderr, "");
}

#[test]
fn a_daemon_that_answers_late_is_not_waited_for() {
    for args in [&["trace", "list"][..], &["log"], &["session", "list"]] {
        let history = History::after_work();
        let listener = UnixListener::bind(history.socket()).unwrap();
        // Whoever is patient is told that there is nothing.
        thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            thread::sleep(Duration::from_secs(15));
            let _ = stream.write_all(b"{\"ok\":true,\"data\":[]}\n");
        });
        history
            .run(args)
            .expect(0, &["5 min ago"])
            .expect_stderr(0, &["does not answer"]);
    }
}

#[test]
fn what_a_daemon_may_have_changed_is_not_done_again() {
    let history = History::after_work();
    // It says that it is well, and is gone before it has answered.
    let status = concat!(
        r#"{"ok":true,"data":{"pid":4711,"version":"0.1.0","started_at":"2026-11-15T12:00:00Z","uptime_ms":1000,"socket":"/s","#,
        r#""data":"/d","connections":1,"events":0,"in_flight":0,"projects":[],"paused":null,"memory_bytes":null}}"#,
        "\n"
    );
    daemon(&history, status);
    history
        .run(&["store", "forget", "--all", "--yes"])
        .expect_stderr(
            2,
            &[
                "it may have been, and was not tried again",
                "bowline store size",
            ],
        );
    assert_eq!(history.calls_in_store(), 7);
}

#[test]
fn what_a_daemon_answers_is_shown_and_its_refusals_are_told() {
    let history = History::new();
    daemon(&history, "{\"ok\":true,\"data\":[]}\n");
    let ran = history.run(&["trace", "list"]);
    ran.expect(0, &["No tool call is like that"]);
    assert_eq!(ran.stderr, "");

    let history = History::new();
    daemon(
        &history,
        "{\"ok\":false,\"error\":\"HANDLER_ERROR\",\"message\":\"the store is damaged\",\"details\":null}\n",
    );
    history
        .run(&["trace", "list"])
        .expect_stderr(2, &["the store is damaged", "bowline doctor"]);

    let history = History::new();
    daemon(&history, "{\"ok\":true,\"data\":{\"other\":1}}\n");
    history
        .run(&["trace", "list"])
        .expect_stderr(2, &["cannot be understood", "bowline daemon restart"]);
}
