//! Hooks that nobody waits for.

use std::fs;
use std::process::Stdio;

use bowline_testkit::{Sandbox, until};
use serde_json::{Value, json};

use super::reporting::{Reporting as _, with_client};

/// A machine with a daemon, whose user has one background hook that does this.
fn daemon_with(hook: &str) -> Sandbox {
    let sandbox = with_client();
    let settings = format!("[[hooks.PreToolUse]]\nname = 'later'\nasync = true\n{hook}\n");
    sandbox.write("home/.config/bowline/config.toml", settings);
    sandbox.run(&["daemon", "start"]).expect(0, &[]);
    sandbox
}

/// A hook that writes `said` when it begins and, once it is let go, when it ends.
fn that_waits() -> Sandbox {
    daemon_with(
        "timeout = 60\ncommand = 'echo begins >> $HOME/said; while ! [ -e $HOME/go ]; do sleep 0.02; done; echo ends >> $HOME/said'",
    )
}

/// A call of the shell that nobody objects to.
pub(super) fn payload(sandbox: &Sandbox) -> Vec<u8> {
    let payload = json!({
        "session_id": "s1", "transcript_path": "/t", "cwd": sandbox.path("project"),
        "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_use_id": "toolu_1",
        "tool_input": {"command": "ls"},
    });
    payload.to_string().into_bytes()
}

fn report(sandbox: &Sandbox) {
    let ran = sandbox.hook("PreToolUse", &payload(sandbox));
    assert_eq!((ran.code, &*ran.stdout), (Some(0), ""), "{ran}");
}

fn said(sandbox: &Sandbox) -> String {
    fs::read_to_string(sandbox.path("home/said")).unwrap_or_default()
}

#[test]
fn f14_d_a_background_hook_outlives_its_client_under_the_daemon() {
    let sandbox = that_waits();
    report(&sandbox);
    until("the hook begins", || said(&sandbox) == "begins\n");
    // The daemon has noticed that the client is gone.
    until("one connection is left, which asks", || {
        sandbox.json(&["daemon", "status"])["daemon"]["connections"] == 1
    });
    fs::write(sandbox.path("home/go"), "").unwrap();
    until("the hook ends", || said(&sandbox) == "begins\nends\n");
}

#[test]
fn f14_d_a_daemon_that_stops_lets_background_hooks_end() {
    let sandbox = that_waits();
    report(&sandbox);
    until("the hook begins", || said(&sandbox) == "begins\n");
    let mut stop = sandbox.command(&["daemon", "stop"]);
    let mut stop = stop.stdout(Stdio::null()).spawn().unwrap();
    until("the daemon takes nothing new", || {
        !sandbox.socket().exists()
    });
    fs::write(sandbox.path("home/go"), "").unwrap();
    assert!(stop.wait().unwrap().success());
    assert_eq!(said(&sandbox), "begins\nends\n");
}

#[test]
fn f14_d_the_failure_of_a_background_hook_is_shown() {
    let sandbox = daemon_with("timeout_ms = 50\ncommand = 'sleep 60'");
    report(&sandbox);
    let figures = || {
        let live = sandbox.json(&["hooks", "--live"]);
        let mut hooks = live["hooks"].as_array().unwrap().iter();
        let later = hooks.find(|hook| hook["name"] == "later");
        later.unwrap_or_else(|| panic!("{live}"))["figures"].clone()
    };
    until("the failure is told", || figures()["failed"] == 1);
    let failure = figures()["last_failure"][1].clone();
    let is_told = |failure: &Value| failure.as_str().unwrap().contains("50 ms");
    assert!(is_told(&failure), "{failure}");
    // And kept.
    sandbox.run(&["daemon", "stop"]).expect(0, &[]);
    assert_eq!(figures()["last_failure"][1], failure);
}
