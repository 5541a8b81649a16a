//! Agents read what a hook says until its pipes are closed, and some take whoever keeps them open for a part of the hook: nothing that
//! outlives `bowline-hook` may.

use std::fs;
use std::io::Read;
use std::process::{ChildStderr, ChildStdout, Command, Stdio};
use std::sync::mpsc;
use std::thread;

use bowline_testkit::{PATIENCE, Sandbox, client, until};

use super::background::payload;
use super::reporting::with_client;

/// Goes on until it is let go.
const WAITING: &str = "[[hooks.PreToolUse]]\nasync = true\ntimeout = 60\n\
    command = 'echo begins >> $HOME/said; while ! [ -e $HOME/go ]; do sleep 0.02; done; echo ends >> $HOME/said'\n";

fn with_settings(settings: &str) -> Sandbox {
    let sandbox = with_client();
    sandbox.write("home/.config/bowline/config.toml", settings);
    sandbox
}

/// How an agent starts the client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Start {
    Plainly,
    /// By a script that has copies of the pipes, which the client inherits.
    WithCopies,
}

/// Runs the client to its exit, and gives back the pipes that an agent reads from.
fn exited(
    sandbox: &Sandbox,
    start: Start,
    surround: impl Fn(&mut Command),
) -> (ChildStdout, ChildStderr) {
    let client = client();
    let mut command = match start {
        Start::Plainly => Command::new(client),
        Start::WithCopies => {
            let mut shell = Command::new("/bin/sh");
            let copies = "exec \"$0\" \"$@\" 3>&1 4>&2 5<&0";
            shell.args(["-c", copies]).arg(client);
            shell
        }
    };
    command.args(["claude-code", "PreToolUse", "--on-failure", "closed"]);
    surround(sandbox.surround(&mut command));
    let event = sandbox.path("event.json");
    fs::write(&event, payload(sandbox)).unwrap();
    let mut child = command
        .stdin(fs::File::open(event).unwrap())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let pipes = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
    let status = child.wait().unwrap();
    assert!(status.success(), "{status}");
    pipes
}

/// Both pipes end, with nothing in them.
#[track_caller]
fn must_end((mut stdout, mut stderr): (ChildStdout, ChildStderr), case: &str) {
    let (done, ended) = mpsc::channel();
    thread::spawn(move || {
        let mut said = String::new();
        stdout.read_to_string(&mut said).unwrap();
        stderr.read_to_string(&mut said).unwrap();
        done.send(said)
    });
    let said = ended.recv_timeout(PATIENCE);
    assert_eq!(said.as_deref(), Ok(""), "{case}: the pipes stay open");
}

fn is_running(sandbox: &Sandbox) -> bool {
    sandbox.json(&["daemon", "status"])["running"] == true
}

#[test]
fn a_daemon_that_a_hook_started_does_not_keep_its_pipes() {
    for start in [Start::Plainly, Start::WithCopies] {
        let sandbox = with_settings("");
        let pipes = exited(&sandbox, start, |_| {});
        until("the daemon answers", || is_running(&sandbox));
        must_end(pipes, &format!("{start:?}"));
        assert!(is_running(&sandbox), "the daemon is there still");
    }
}

#[test]
fn a_background_hook_does_not_keep_the_pipes_with_or_without_a_daemon() {
    for start in [Start::Plainly, Start::WithCopies] {
        for way in ["daemon", "off"] {
            let sandbox = with_settings(WAITING);
            if way == "daemon" {
                sandbox.run(&["daemon", "start"]).expect(0, &[]);
            }
            let pipes = exited(&sandbox, start, |it| {
                it.env("BOWLINE_DAEMON", way);
            });
            let said = || fs::read_to_string(sandbox.path("home/said")).unwrap_or_default();
            until("the hook begins", || said() == "begins\n");
            must_end(pipes, &format!("{start:?}, {way}"));
            fs::write(sandbox.path("home/go"), "").unwrap();
            until("the hook ends", || said() == "begins\nends\n");
        }
    }
}
