//! `bowline fleet` and `bowline fleet seen`.

use std::io::{BufRead as _, BufReader};
use std::process::Stdio;

use bowline_testkit::{Ran, Sandbox, bowline, needs, until};
use serde_json::{Value, json};

use super::stage::{Stage, bash};

#[test]
fn f38_a_the_fleet_shows_what_agents_report() {
    let stage = Stage::new();
    let mut first = stage.agent("first-session");
    let mut second = stage.agent("second-session");
    let begun = stage.until_state("first-session", "done");
    assert_eq!(begun["agent"], "claude-code");
    first.reports("UserPromptSubmit", &json!({"prompt": "go"}));
    stage.until_state("first-session", "working");
    second.reports("UserPromptSubmit", &json!({"prompt": "go"}));
    second.reports("PreToolUse", &bash("make all"));
    second.reports("PermissionRequest", &bash("make all"));
    let waiting = stage.until_state("second-session", "attention");
    assert_eq!(waiting["waiting_for"], "permission for Bash: make all");
    assert_eq!(waiting["last_action"], "Bash: make all");
    assert!(waiting["process"]["id"].is_u64(), "{waiting}");

    let shown = stage.run(&["fleet"]);
    shown.expect(0, &["working", "permission for Bash: make all", "project"]);
    let lines: Vec<&str> = shown.stdout.lines().collect();
    assert!(
        lines[1].starts_with("waiting"),
        "the most urgent first: {shown}"
    );

    stage
        .run(&["fleet", "seen", "nobody"])
        .expect_stderr(2, &["no agent is called `nobody`", "bowline fleet"]);
    stage
        .run(&["fleet", "seen", "first"])
        .expect(0, &["No agent waits"]);
    stage.run(&["fleet", "seen", "sec"]).expect(0, &["1 agent"]);
    stage.until_state("second-session", "checked");
    second.reports("PostToolUse", &bash("make all"));
    stage.until_state("second-session", "working");
    second.reports(
        "PostToolUseFailure",
        &json!({"tool_name": "Bash", "tool_use_id": "toolu_1", "tool_input": {}, "error": "1"}),
    );
    stage.until_state("second-session", "error");
    second.reports("UserPromptSubmit", &json!({"prompt": "again"}));
    second.reports("Stop", &json!({}));
    stage.until_state("second-session", "done");
    second.reports("SessionEnd", &json!({"reason": "exit"}));
    stage.until_state("second-session", "ended");
    let listed = stage.json(&["fleet"]);
    let ids: Vec<&Value> = listed["agents"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| &it["id"])
        .collect();
    assert_eq!(
        ids,
        ["first-session"],
        "one that ended is listed with --all only"
    );
}

#[test]
#[cfg(target_os = "linux")]
fn an_agent_that_is_killed_is_dead_at_once_and_stays_so() {
    let stage = Stage::new();
    let mut agent = stage.agent("s-1");
    agent.reports("UserPromptSubmit", &json!({"prompt": "go"}));
    stage.until_state("s-1", "working");
    agent.kill();
    let dead = stage.agent_in_fleet("s-1").unwrap();
    assert_eq!(dead["state"], "dead", "before the daemon has noticed");
    stage.run(&["fleet"]).expect(0, &["dead"]);
    until("the daemon notices", || {
        let agent = stage.agent_in_fleet("s-1").unwrap();
        agent["end_reason"] == "gone"
    });
    assert_eq!(stage.agent_in_fleet("s-1").unwrap()["state"], "dead");
    stage.run(&["fleet"]).expect(0, &["dead"]);
}

#[test]
fn an_empty_fleet_says_what_to_do() {
    let sandbox = Sandbox::with_repository();
    sandbox
        .run(&["fleet"])
        .expect(0, &["No agent is at work", "bowline init", "--all"]);
    sandbox
        .run(&["fleet", "--all"])
        .expect(0, &["within the last day"]);
    assert_eq!(sandbox.json(&["fleet"]), json!({"agents": []}));
    sandbox
        .run(&["fleet", "seen"])
        .expect(0, &["No agent waits"]);
    assert!(!sandbox.data().exists(), "looking leaves no traces");
}

#[test]
fn watching_prints_each_change_where_nobody_draws() {
    let stage = Stage::new();
    let mut agent = stage.agent("s-1");
    stage.until_state("s-1", "done");
    let mut watching = stage
        .command(&["fleet", "--watch", "--json"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(watching.stdout.take().unwrap()).lines();
    let mut next = || -> Value { serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap() };
    assert_eq!(next()["agents"][0]["state"], "done");
    agent.reports("UserPromptSubmit", &json!({"prompt": "go"}));
    assert_eq!(next()["agents"][0]["state"], "working");
    watching.kill().unwrap();
    watching.wait().unwrap();
}

#[needs(terminal)]
#[test]
fn watching_draws_over_what_was_there_and_ends_when_it_is_interrupted() {
    let stage = Stage::new();
    let _agent = stage.agent("s-1");
    stage.until_state("s-1", "done");
    let line = format!(
        "stty rows 10 cols 40; timeout --foreground -s INT 3 '{}' fleet --watch; echo ended",
        bowline().display()
    );
    let mut command = stage.at_terminal(&line);
    let shown = Ran::of(command.env("TERM", "xterm").env_remove("COLUMNS")).stdout;
    let frames: Vec<&str> = shown.split("\u{1b}[H").skip(1).collect();
    assert!(frames.len() >= 2, "{shown:?}");
    for frame in frames {
        assert!(
            frame.contains("s-1") && frame.contains("\u{1b}[K"),
            "{shown:?}"
        );
        let frame = frame.split("\u{1b}[J").next().unwrap();
        for line in frame.lines() {
            let plain = anstream::adapter::strip_str(line).to_string();
            assert!(plain.trim_end().chars().count() <= 40, "{plain:?}");
        }
    }
    assert!(shown.contains("ended"), "{shown:?}");
}

#[test]
fn names_are_cut_and_have_no_control_characters_also_in_a_pipe() {
    let mut sandbox = Sandbox::with_repository();
    let id = format!("\u{1b}[31mred\n\t{}", "a".repeat(500));
    sandbox.set("AGENT_ID", &id).unset("COLUMNS");
    let stage = Stage::of(sandbox);
    let mut agent = stage.agent("s-1");
    stage.until_state(&id, "done");
    agent.reports("UserPromptSubmit", &json!({"prompt": "go"}));
    agent.reports("PreToolUse", &bash(&"x ".repeat(500)));
    stage.until_state(&id, "working");
    let shown = stage.run(&["fleet"]);
    shown
        .expect(0, &["␛[31mred⏎⇥aaa"])
        .lacks(&["\u{1b}", "\t"])
        .fits(320);
    assert_eq!(shown.stdout.lines().count(), 2, "{shown}");
    // Its beginning is enough for a command, and programs get all of it.
    let document = stage.json(&["fleet"]);
    assert_eq!(document["agents"][0]["id"], *id);
}
