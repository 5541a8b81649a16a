//! Hooks that nobody waits for.

use std::fs;
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::place::Place;

/// Nothing here takes so long, however busy the machine is.
pub(super) const PATIENCE: Duration = Duration::from_secs(60);

#[track_caller]
pub(super) fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < PATIENCE, "it never happens that {what}");
        thread::sleep(Duration::from_millis(10));
    }
}

/// A machine with a daemon, whose user has one background hook that does this.
fn place_with(hook: &str) -> Place {
    let place = Place::new();
    let folder = place.path("home/.config/bowline");
    fs::create_dir_all(&folder).unwrap();
    let settings = format!("[[hooks.PreToolUse]]\nname = 'later'\nasync = true\n{hook}\n");
    fs::write(folder.join("config.toml"), settings).unwrap();
    assert!(place.bowline(&["daemon", "start"]).status.success());
    place
}

/// A hook that writes `said` when it begins and, once it is let go, when it ends.
fn that_waits() -> Place {
    place_with(
        "timeout = 60\ncommand = 'echo begins >> $HOME/said; while ! [ -e $HOME/go ]; do sleep 0.02; done; echo ends >> $HOME/said'",
    )
}

/// A call of the shell that nobody objects to.
pub(super) fn payload(place: &Place) -> Vec<u8> {
    let payload = json!({
        "session_id": "s1", "transcript_path": "/t", "cwd": place.path("project"),
        "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_use_id": "toolu_1",
        "tool_input": {"command": "ls"},
    });
    payload.to_string().into_bytes()
}

fn report(place: &Place) {
    let output = place.hook("PreToolUse", &payload(place));
    assert!(
        output.status.success() && output.stdout.is_empty(),
        "{output:?}"
    );
}

fn said(place: &Place) -> String {
    fs::read_to_string(place.path("home/said")).unwrap_or_default()
}

#[test]
fn f14_d_a_background_hook_outlives_its_client_under_the_daemon() {
    let place = that_waits();
    report(&place);
    until("the hook begins", || said(&place) == "begins\n");
    // The daemon has noticed that the client is gone.
    until("one connection is left, which asks", || {
        place.json(&["daemon", "status"])["daemon"]["connections"] == 1
    });
    fs::write(place.path("home/go"), "").unwrap();
    until("the hook ends", || said(&place) == "begins\nends\n");
}

#[test]
fn f14_d_a_daemon_that_stops_lets_background_hooks_end() {
    let place = that_waits();
    report(&place);
    until("the hook begins", || said(&place) == "begins\n");
    let mut stop = place.command(&["daemon", "stop"]);
    let mut stop = stop.stdout(Stdio::null()).spawn().unwrap();
    until("the daemon takes nothing new", || !place.socket().exists());
    fs::write(place.path("home/go"), "").unwrap();
    assert!(stop.wait().unwrap().success());
    assert_eq!(said(&place), "begins\nends\n");
}

#[test]
fn f14_d_the_failure_of_a_background_hook_is_shown() {
    let place = place_with("timeout_ms = 50\ncommand = 'sleep 60'");
    report(&place);
    let figures = || {
        let live = place.json(&["hooks", "--live"]);
        let mut hooks = live["hooks"].as_array().unwrap().iter();
        let later = hooks.find(|hook| hook["name"] == "later");
        later.unwrap_or_else(|| panic!("{live}"))["figures"].clone()
    };
    until("the failure is told", || figures()["failed"] == 1);
    let failure = figures()["last_failure"][1].clone();
    let is_told = |failure: &Value| failure.as_str().unwrap().contains("50 ms");
    assert!(is_told(&failure), "{failure}");
    // And kept.
    assert!(place.bowline(&["daemon", "stop"]).status.success());
    assert_eq!(figures()["last_failure"][1], failure);
}
