//! A daemon that is done without has been left: should it come to itself later, it sees that nobody waits there any more.
#![expect(
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a test that cannot go on must fail"
)]

#[expect(dead_code, reason = "these tests need only a part of it")]
mod stage;

use std::fs;
use std::io::Read;
use std::os::unix::net::UnixListener;
use std::thread;
use std::time::{Duration, Instant};

use bowline_testkit::{PATIENCE, feed};
use stage::{Conversation, Stage, run, said};

const PRE_TOOL_USE: [&str; 4] = ["claude-code", "PreToolUse", "--on-failure", "ask"];
/// A direct run that goes on until the daemon has been left, and gives up if that does not happen.
const UNTIL_LEFT: &str = "rounds=0\n\
    while ! [ -e left ] && [ $rounds -lt 1000 ]; do sleep 0.01; rounds=$((rounds + 1)); done\n\
    if [ -e left ]; then printf 'was left'; else printf 'was kept'; fi";

/// What the client says when the direct run has seen that the daemon was left.
fn was_left() -> (i32, String, String) {
    (0, "was left".to_owned(), String::new())
}

/// A daemon that does not say what it should, and a word for the message.
type Fault = (&'static str, fn(&mut Conversation));

#[test]
fn while_bowline_decides_directly_nobody_waits_for_the_daemon() {
    let faults: [Fault; 5] = [
        ("does not acknowledge", |_| {}),
        ("acknowledges and falls silent", |it| it.acknowledge()),
        ("acknowledges with nonsense", |it| it.send(b"hello\n")),
        ("speaks another version", |it| {
            it.send(b"{\"bowline\":2,\"daemon\":\"9\",\"pid\":1}\n");
        }),
        ("replies with nonsense", |it| {
            it.acknowledge();
            it.send(b"{\"exit\":\n");
        }),
    ];
    for (fault, script) in faults {
        let stage = Stage::without_bowline();
        stage.bowline(UNTIL_LEFT);
        let left = stage.path("left");
        stage.daemon(move |mut conversation| {
            script(&mut conversation);
            conversation.hang();
            fs::write(&left, "").unwrap();
        });
        let output = run(stage.hook(&PRE_TOOL_USE), b"{}");
        assert_eq!(said(output), was_left(), "{fault}");
    }
}

#[test]
fn a_daemon_that_comes_to_itself_during_a_direct_run_finds_the_call_and_its_end() {
    let stage = Stage::without_bowline();
    stage.bowline(UNTIL_LEFT);
    let listener = UnixListener::bind(stage.socket()).unwrap();
    let hook = stage.hook(&PRE_TOOL_USE).spawn().unwrap();
    let hook = feed(hook, b"{\"a\":1}");
    let began = Instant::now();
    while stage.direct_runs().is_empty() {
        assert!(began.elapsed() < PATIENCE, "no direct run begins");
        thread::sleep(Duration::from_millis(5));
    }
    let (mut stream, _) = listener.accept().unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let mut sent = Vec::new();
    stream.read_to_end(&mut sent).unwrap();
    assert!(sent.ends_with(b"{\"a\":1}"));
    fs::write(stage.path("left"), "").unwrap();
    assert_eq!(said(hook.wait_with_output().unwrap()), was_left());
}
