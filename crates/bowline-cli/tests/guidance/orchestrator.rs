//! An agent that coordinates, and work items, from the first denial to the last.

use bowline_testkit::Sandbox;
use serde_json::{Value, json};

use super::agent::{Answered, FakeAgent, with_client};

/// With these settings, and a daemon. What git does not have may be written over: this is not about the guard.
fn with_settings(settings: &str) -> Sandbox {
    let sandbox = with_client();
    let guard = "[guard.allow]\nrules = ['files.overwrite-work']\n";
    sandbox.write(
        "home/.config/bowline/config.toml",
        format!("{guard}{settings}"),
    );
    sandbox.write_in_project("a.rs", "fn a() {}\n");
    sandbox.run(&["daemon", "start"]).expect(0, &[]);
    sandbox
}

fn restart(sandbox: &Sandbox) {
    sandbox.run(&["daemon", "restart"]).expect(0, &[]);
}

fn agent<'s>(sandbox: &'s Sandbox, session: &str) -> FakeAgent<'s> {
    let mut agent = FakeAgent::start(sandbox, session);
    agent.begins("startup");
    agent
}

/// Is about to edit a file.
fn edits(agent: &mut FakeAgent<'_>, sandbox: &Sandbox) -> Answered {
    let file = sandbox.project().join("a.rs");
    let input = json!({"file_path": file, "old_string": "a", "new_string": "b"});
    agent.call("Edit", input, json!({}))
}

#[track_caller]
fn denies(answered: &Answered, parts: &[&str]) {
    let reason = answered.denial().unwrap_or_else(|| panic!("{answered:?}"));
    for part in parts {
        assert!(reason.contains(part), "{part}: {reason}");
    }
}

fn state(sandbox: &Sandbox) -> Value {
    let status = sandbox.json(&["orchestrator", "status"]);
    status["sessions"][0]["state"].clone()
}

const STRICT: &str = "[orchestrator]\nmode = 'strict'\n";

#[test]
fn f23_a_session_is_stopped_at_the_third_violation_and_goes_on_after_a_reset() {
    let sandbox = with_settings(STRICT);
    let mut one = agent(&sandbox, "one");
    denies(&edits(&mut one, &sandbox), &["1 of 3", "sub-agent"]);
    restart(&sandbox);
    denies(&one.bash("cd src && git push"), &["2 of 3"]);
    denies(
        &one.bash("cargo test"),
        &["3 of 3", "bowline orchestrator reset"],
    );
    assert_eq!(state(&sandbox), "stopped");
    restart(&sandbox);
    for command in ["git status", "ls", "sleep 1"] {
        denies(&one.bash(command), &["bowline orchestrator reset"]);
    }
    let delegation = json!({"description": "d", "prompt": "p", "subagent_type": "Explore"});
    one.call("Task", delegation, json!({})).is_silent();
    let of_subagent = json!({"agent_id": "a1", "agent_type": "Explore"});
    let test = json!({"command": "cargo test"});
    one.call("Bash", test, of_subagent).is_silent();
    let denied = sandbox.json(&["denied"]).to_string();
    assert!(denied.contains("orchestrator.breaker"), "{denied}");

    // The agent may run it, and it is what helps.
    one.bash("bowline orchestrator reset").is_silent();
    denies(&edits(&mut one, &sandbox), &["bowline orchestrator reset"]);
    one.bowline(&["orchestrator", "reset"])
        .expect(0, &["Reset.", "0 of 3"]);
    assert_eq!(state(&sandbox), "fine");
    one.bash("git status").is_silent();
    denies(&edits(&mut one, &sandbox), &["1 of 3"]);

    // A shell that has the name of a session without violations resets all of the project.
    agent(&sandbox, "an-old-name");
    let mut elsewhere = sandbox.command(&["orchestrator", "reset"]);
    elsewhere.env("BOWLINE_SESSION", "an-old-name");
    bowline_testkit::Ran::of(&mut elsewhere).expect(0, &["Reset.", "0 of 3"]);
}

#[test]
fn f23_f_a_state_that_cannot_be_read_is_off_and_a_reset_still_works() {
    let sandbox = with_settings(STRICT);
    let mut one = agent(&sandbox, "one");
    for _ in 0..3 {
        assert!(edits(&mut one, &sandbox).denial().is_some());
    }
    sandbox.run(&["daemon", "stop"]).expect(0, &[]);
    let db = rusqlite::Connection::open(sandbox.data().join("bowline.db")).unwrap();
    let broken = db.execute(
        "UPDATE session_memory SET state = '{broken' WHERE hook = 'orchestrator'",
        [],
    );
    assert_eq!(broken.unwrap(), 1);
    drop(db);
    sandbox.run(&["daemon", "start"]).expect(0, &[]);
    edits(&mut one, &sandbox).is_silent();
    assert_eq!(state(&sandbox), "unreadable");
    // A person resets all sessions of the project.
    sandbox
        .run(&["orchestrator", "reset"])
        .expect(0, &["Reset.", "one", "fine"]);
    denies(&edits(&mut one, &sandbox), &["1 of 3"]);
}

#[test]
fn a_session_that_nobody_knows_is_told() {
    let sandbox = with_settings(STRICT);
    let mut one = agent(&sandbox, "first-session");
    denies(&edits(&mut one, &sandbox), &["1 of 3"]);
    for action in ["status", "reset", "off", "on"] {
        let ran = sandbox.run(&["orchestrator", action, "--session", "first-sesion"]);
        let told = "No session `first-sesion` is recorded; did you mean `first-session`?";
        ran.expect_stderr(1, &["error[NOT_FOUND]", told]);
    }
    let status = sandbox.json(&["orchestrator", "status"]);
    assert_eq!(status["sessions"][0]["violations"], 1, "{status}");
}

#[test]
fn only_a_person_switches_it_off() {
    let sandbox = with_settings(STRICT);
    let mut one = agent(&sandbox, "one");
    denies(&edits(&mut one, &sandbox), &["1 of 3"]);
    let asked = one.bash("bowline orchestrator off");
    let decision = &asked.json["hookSpecificOutput"]["permissionDecision"];
    assert_eq!(decision, "ask", "{asked:?}");
    for (variable, value) in [("CLAUDECODE", "1"), ("BOWLINE_SESSION", "one")] {
        let mut below_an_agent = sandbox.command(&["orchestrator", "off"]);
        below_an_agent.env(variable, value);
        let sign = format!("{variable} is set");
        bowline_testkit::Ran::of(&mut below_an_agent).expect_stderr(2, &[&sign]);
    }
    denies(&edits(&mut one, &sandbox), &["2 of 3"]);

    sandbox
        .run(&["orchestrator", "off"])
        .expect(
            0,
            &[
                "Switched off.",
                "Orchestrator mode is switched off for this project. `bowline orchestrator on` makes it strict again",
            ],
        );
    edits(&mut one, &sandbox).is_silent();
    sandbox
        .run(&["orchestrator", "on"])
        .expect(0, &["The settings decide.", "strict"]);
    denies(&edits(&mut one, &sandbox), &["3 of 3"]);
    sandbox
        .run(&["orchestrator", "off", "--session", "one"])
        .expect(0, &["off"]);
    edits(&mut one, &sandbox).is_silent();
    sandbox
        .run(&["orchestrator", "off", "--session", "nobody"])
        .expect_stderr(1, &["nobody"]);
}

#[test]
fn f23_f_without_a_daemon_every_process_counts() {
    let sandbox = with_settings(STRICT);
    sandbox.run(&["daemon", "stop"]).expect(0, &[]);
    let mut one = FakeAgent::with(&sandbox, "one", &[("BOWLINE_DAEMON", "off")]);
    for count in ["1 of 3", "2 of 3", "3 of 3"] {
        denies(&edits(&mut one, &sandbox), &[count]);
    }
    denies(&one.bash("ls"), &["bowline orchestrator reset"]);
    one.bowline(&["orchestrator", "reset"])
        .expect(0, &["Reset."]);
    one.bash("ls").is_silent();
    assert_eq!(sandbox.ask("daemon.status"), None, "there is no daemon");
}

#[test]
fn f24_b_an_edit_is_denied_until_a_work_item_is_started() {
    let sandbox = with_settings("[work]\nitems = 'require'\n");
    let mut one = agent(&sandbox, "one");
    denies(
        &edits(&mut one, &sandbox),
        &["CREATE_WORK_ITEM", "bowline work add"],
    );
    one.bash("bowline work add 'Fix the login' --kind bug")
        .is_silent();
    one.bowline(&["work", "add", "Fix the login", "--kind", "bug"])
        .expect(0, &["Added work item 1: Fix the login"]);
    denies(&edits(&mut one, &sandbox), &["CREATE_WORK_ITEM"]);
    one.bowline(&["work", "start", "1"])
        .expect(0, &["Started work item 1"]);
    edits(&mut one, &sandbox).is_silent();
    restart(&sandbox);
    edits(&mut one, &sandbox).is_silent();
    one.bash("echo x > b.rs").is_silent();

    let listed = sandbox.json(&["work", "list"]);
    let item = &listed["items"][0];
    assert_eq!(
        (&item["kind"], &item["status"], &item["session"]),
        (&json!("bug"), &json!("in_progress"), &json!("one"))
    );
    sandbox
        .run(&["work", "show", "1"])
        .expect(0, &["Fix the login", "in progress", "one"]);
    sandbox
        .run(&["work", "done", "7"])
        .expect_stderr(1, &["no work item 7", "bowline work list"]);
    one.bowline(&["work", "done", "1"]).expect(0, &["Done:"]);
    denies(&edits(&mut one, &sandbox), &["CREATE_WORK_ITEM"]);
    sandbox
        .run(&["work", "list"])
        .expect(0, &["Nothing is to be done here"]);
    sandbox.run(&["work", "list", "--all"]).expect(0, &["done"]);

    // A person's item counts for every session.
    sandbox
        .run(&["work", "add", "Another one", "--start"])
        .expect(0, &["Started work item 2"]);
    edits(&mut one, &sandbox).is_silent();
}

#[test]
fn f24_b_the_command_of_another_tracker_runs_in_the_project_with_the_agents_environment() {
    let settings = "[work]\nitems = 'require'\nactive_command = 'cat $ITEM || true'\n";
    let sandbox = with_settings(settings);
    let mut one = FakeAgent::with(&sandbox, "one", &[("ITEM", "active.json")]);
    one.begins("startup");
    denies(
        &edits(&mut one, &sandbox),
        &["CREATE_WORK_ITEM", "cat $ITEM"],
    );
    sandbox.write_in_project("active.json", r#"{"id": "ENG-123", "title": "Fix"}"#);
    edits(&mut one, &sandbox).is_silent();
}

#[test]
fn f25_a_the_prompt_of_a_sub_agent_reaches_it_with_the_instruction() {
    let sandbox = with_settings("[work]\nsave_results = true\n");
    let mut one = agent(&sandbox, "one");
    let input =
        json!({"description": "d", "prompt": "Look at the login", "subagent_type": "Explore"});
    let answered = one.call("Agent", input.clone(), json!({}));
    let said = &answered.json["hookSpecificOutput"];
    let mut updated = said["updatedInput"].clone();
    let prompt = updated["prompt"].as_str().unwrap();
    assert!(prompt.contains("bowline note add"), "{prompt}");
    updated["prompt"] = input["prompt"].clone();
    assert_eq!(updated, input);
    assert_ne!(said["permissionDecision"], "deny");
    let result = json!({"content": [{"type": "text", "text": "It sets a cookie."}]});
    let answered = one.used("Agent", input, result);
    let message = answered.json["systemMessage"].as_str().unwrap();
    assert!(message.contains("Explore"), "{message}");
}
