//! `bowline trace list --follow`.

use std::io::{BufRead as _, BufReader, Lines};
use std::process::{Child, ChildStdout, Stdio};

use serde_json::{Value, json};

use super::history::History;

struct Following {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Following {
    fn start(history: &History, args: &[&str]) -> Self {
        let mut child = history
            .command(&[&["trace", "list", "--follow"], args].concat())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        Self { child, lines }
    }

    fn next(&mut self) -> String {
        self.lines.next().unwrap().unwrap()
    }

    fn document(&mut self) -> (String, String) {
        let line = self.next();
        let document: Value = serde_json::from_str(&line).unwrap();
        let text = |name: &str| document[name].as_str().unwrap().to_owned();
        (text("tool_use_id"), text("status"))
    }
}

impl Drop for Following {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn new_and_changed_calls_come_one_document_to_a_line() {
    let history = History::after_work();
    let mut following = Following::start(&history, &["--json", "--session", "s-1", "--limit", "2"]);
    let first = [following.document(), following.document()].map(|(id, _)| id);
    assert_eq!(first, ["toolu_push", "toolu_open"]);

    history.record(vec![
        history.start("s-9", "elsewhere", "Bash", 20_000, &json!({})),
        history.start("s-1", "new", "Bash", 60_000, &json!({})),
    ]);
    assert_eq!(following.document(), ("new".into(), "started".into()));
    // It began long before the newest one.
    history.record(vec![history.end("s-1", "toolu_open", "Bash", 61_000, None)]);
    assert_eq!(following.document(), ("toolu_open".into(), "ok".into()));
}

#[test]
fn people_get_a_line_for_each_call() {
    let history = History::after_work();
    let mut following = Following::start(&history, &["--tool", "Grep"]);
    let line = following.next();
    assert!(
        line.contains("Grep") && line.contains("350 ms   fn parse"),
        "{line}"
    );
}

#[test]
fn a_narrow_terminal_sees_who_did_what() {
    let history = History::after_work();
    let mut child = history
        .command(&["trace", "list", "--follow", "--tool", "Grep"])
        .env("COLUMNS", "80")
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut line = String::new();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    stdout.read_line(&mut line).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    for part in ["project", "s-1", "Grep", "fn parse", "toolu_grep"] {
        assert!(line.contains(part), "{part} in {line}");
    }
    assert!(
        unicode_width::UnicodeWidthStr::width(line.trim_end()) <= 80,
        "{line}"
    );
}

#[test]
fn a_reader_that_leaves_ends_it_although_nothing_happens() {
    let history = History::after_work();
    let mut child = history
        .command(&["trace", "list", "--follow", "--limit", "1"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut line = String::new();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    stdout.read_line(&mut line).unwrap();
    drop(stdout);
    assert!(child.wait().unwrap().success());
}
