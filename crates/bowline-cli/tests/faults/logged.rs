//! What is worth a line in the daemon's log, and only one.

use bowline_testkit::until_some;
use serde_json::json;

use super::stage::{Files, Stage, Way};

#[test]
fn f20_d_the_end_of_a_call_that_never_began_is_logged_once() {
    let stage = Stage::new();
    stage.wake_daemon("wake");
    for number in 0..5 {
        let ended = json!({
            "session_id": "s1",
            "cwd": stage.path("project"),
            "hook_event_name": "PostToolUse",
            "tool_name": "Bash",
            "tool_use_id": format!("never-began-{number}"),
            "tool_input": {"command": "ls"},
            "tool_response": {"stdout": ""},
        });
        let output = stage.report(&ended, Way::Usual, Files::Any);
        output.expect(0, &[]);
    }
    let log = until_some("it is logged", || {
        let log = stage.log();
        log.contains("never began").then_some(log)
    });
    // Whoever is answered sees everything that was recorded before.
    stage.ask("store.size").unwrap();
    assert_eq!(stage.log().matches("never began").count(), 1, "{log}");
    assert!(!log.contains("never-began"), "no names of calls: {log}");
}
