//! `bowline pause` and `bowline resume`.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use serde_json::json;

use super::daemon::Daemon;
use super::installed::installed;

#[test]
fn a_pause_is_written_told_to_the_daemon_and_ended() {
    let sandbox = installed();
    sandbox.run(&["resume"]).expect(0, &["was not paused"]);
    let daemon = Daemon::start(&sandbox.socket(), &[("daemon.reload", json!({}))]);
    sandbox.run(&["pause", "--for", "10m"]).expect(
        0,
        &["Paused until 2", "still recorded", "nothing is decided"],
    );
    let file = sandbox.data().join("paused.json");
    let pause: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    assert!(pause["until"].is_string());
    let mode = fs::metadata(sandbox.data()).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
    sandbox
        .run(&["pause"])
        .expect(0, &["until `bowline resume`"]);
    sandbox.run(&["resume"]).expect(0, &["decides again"]);
    assert!(!file.exists());
    assert_eq!(daemon.asked(), ["daemon.reload"; 3]);
}

#[test]
fn a_broken_pause_can_be_ended_and_a_bad_time_is_refused() {
    let sandbox = installed();
    let file = sandbox.write("home/.local/share/bowline/paused.json", "{");
    sandbox.run(&["resume"]).expect(0, &["decides again"]);
    assert!(!file.exists());
    for time in ["10", "10x", "-1m", "0s", "9999d"] {
        sandbox
            .run(&["pause", &format!("--for={time}")])
            .expect_stderr(2, &["such as 30s, 10m"]);
        assert!(!file.exists());
    }
}
