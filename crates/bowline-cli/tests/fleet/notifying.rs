//! Desktop notifications.

use bowline_testkit::{Sandbox, script, until};
use serde_json::json;

use super::stage::{Stage, bash};

/// A sandbox with a `notify-send` that keeps what it is told.
fn with_notify_send(settings: &str) -> Stage {
    let mut sandbox = Sandbox::with_repository();
    sandbox.folder("desktop");
    let log = sandbox.path("told").display().to_string();
    // One write for a line, so that no half of it is seen.
    for name in ["notify-send", "osascript"] {
        let program = format!(
            "#!/bin/sh\nfor word; do title=$text text=$word; done\necho \"$title: $text\" >> '{log}'\n"
        );
        script(sandbox.path(format!("desktop/{name}")), &program);
    }
    let path = format!("{}:/usr/bin:/bin", sandbox.path("desktop").display());
    sandbox.set("PATH", path);
    sandbox.write("home/.config/bowline/config.toml", settings);
    Stage::of(sandbox)
}

#[test]
fn an_agent_that_waits_is_shown_once() {
    let stage = with_notify_send("[fleet]\nnotify = true\n");
    let mut agent = stage.agent("s-1");
    agent.reports("PermissionRequest", &bash("make all"));
    let again = json!({"notification_type": "permission_prompt", "message": "needs you"});
    agent.reports("Notification", &again);
    until("it is told", || stage.lines("told") == 1);
    agent.reports("PostToolUse", &bash("make all"));
    agent.reports("PermissionRequest", &bash("make more"));
    until("it is told again", || stage.lines("told") == 2);
    assert_eq!(
        stage.read("told"),
        "claude-code waits for you in project: permission for Bash: make all\n\
         claude-code waits for you in project: permission for Bash: make more\n"
    );
}

#[test]
fn what_bowline_itself_asks_is_shown_too() {
    let stage = with_notify_send("[fleet]\nnotify = true\n");
    let mut agent = stage.agent("s-1");
    agent.reports("PreToolUse", &bash("eval \"$UNKNOWN\""));
    until("it is told", || stage.lines("told") == 1);
    stage.until_state("s-1", "attention");
    let told = stage.read("told");
    assert!(
        told.starts_with("claude-code waits for you in project: "),
        "{told}"
    );
}

#[test]
fn nothing_is_shown_unless_it_is_wanted() {
    let stage = with_notify_send("");
    let mut agent = stage.agent("s-1");
    agent.reports("PermissionRequest", &bash("make all"));
    stage.until_state("s-1", "attention");
    agent.reports("Stop", &json!({}));
    stage.until_state("s-1", "done");
    assert_eq!(stage.lines("told"), 0);
}
