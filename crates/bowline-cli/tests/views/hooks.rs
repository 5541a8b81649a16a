//! `bowline hooks --live`.

use super::history::History;

#[test]
fn every_hook_tells_when_it_fired_and_that_it_never_did() {
    let history = History::after_work();
    history.run(&["hooks", "--live"]).expect(
        0,
        &[
            "guard:commands",
            "DENY",
            "350 µs",
            "never fired",
            "not of this project",
            "exit code 1",
        ],
    );
    let document = history.json(&["hooks", "--live"]);
    let hooks = document["hooks"].as_array().unwrap();
    let by_name = |name: &str| hooks.iter().find(|hook| hook["name"] == name).unwrap();
    assert_eq!(by_name("guard:commands")["figures"]["fired"], 1);
    assert_eq!(by_name("lint")["events"], serde_json::json!([]));
    assert_eq!(by_name("lint")["figures"]["failed"], 1);
    assert!(hooks.iter().any(|hook| hook["figures"].is_null()));

    history
        .run(&["hooks", "--live", "--event", "PreToolUse"])
        .expect(0, &["guard:commands"])
        .lacks(&["not of this project", "lint"]);

    let document = History::new().json(&["hooks", "--live"]);
    let hooks = document["hooks"].as_array().unwrap();
    assert!(!hooks.is_empty() && hooks.iter().all(|hook| hook["figures"].is_null()));
}

#[test]
fn hooks_that_the_client_runs_are_not_seen_from_here() {
    let history = History::new();
    let hook = |command: &str| {
        format!(
            r#"{{"hooks":{{"Stop":[{{"hooks":[{{"type":"command","command":"{command}"}}]}}]}}}}"#
        )
    };
    history.write("home/.claude/settings.json", hook("date"));
    history.write(
        "home/.config/bowline/config.toml",
        "[[hooks.Stop]]\nhooks = [{ type = 'command', command = 'uptime' }]\n",
    );
    let ran = history.run(&["hooks", "--live", "--event", "Stop"]);
    ran.expect(
        0,
        &["run by Claude Code, not seen from here", "never fired"],
    );
    let document = history.json(&["hooks", "--live", "--event", "Stop"]);
    let hooks = document["hooks"].as_array().unwrap();
    let run_by: Vec<_> = hooks.iter().map(|hook| hook["run_by"].clone()).collect();
    for (who, count) in [("claude-code", 1), ("bowline", hooks.len() - 1)] {
        assert_eq!(
            run_by.iter().filter(|it| *it == who).count(),
            count,
            "{who}"
        );
    }
    assert!(hooks.len() > 1);
}
