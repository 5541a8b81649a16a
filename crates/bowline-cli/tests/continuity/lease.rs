//! Two sessions that write the same file are told of each other.

use std::os::unix::fs::symlink;
use std::path::Path;

use bowline_testkit::{Sandbox, until};
use serde_json::{Value, json};

use super::agent::{Answered, FakeAgent, with_client};

/// What git does not have may be written over: this is not about the guard.
const GUARD: &str = "[guard.allow]\nrules = ['files.overwrite-work']\n";

/// With these settings of leases, and a daemon.
fn with_leases(settings: &str) -> Sandbox {
    let sandbox = with_client();
    sandbox.write(
        "home/.config/bowline/config.toml",
        format!("{GUARD}[leases]\n{settings}\n"),
    );
    sandbox.write_in_project("a.rs", "fn a() {}\n");
    sandbox.run(&["daemon", "start"]).expect(0, &[]);
    sandbox
}

fn agent<'s>(sandbox: &'s Sandbox, session: &str) -> FakeAgent<'s> {
    let mut agent = FakeAgent::start(sandbox, session);
    agent.begins("startup");
    agent
}

/// Is about to edit a file.
fn edits(agent: &mut FakeAgent<'_>, file: &Path) -> Answered {
    let input = json!({"file_path": file, "old_string": "a", "new_string": "b"});
    agent.call("Edit", input, json!({}))
}

fn leases(sandbox: &Sandbox) -> Vec<Value> {
    let listed = sandbox.json(&["lease", "list"]);
    listed["leases"].as_array().unwrap().clone()
}

/// Whether the hook has run at all.
fn has_run(sandbox: &Sandbox) -> bool {
    let ran = sandbox.run(&["hooks", "--live"]);
    ran.expect(0, &["guard:commands"]);
    ran.stdout.lines().any(|line| line.starts_with("lease "))
}

#[test]
fn the_second_writer_is_denied_and_told_who_is_at_work() {
    let sandbox = with_leases("mode = 'deny'");
    let file = sandbox.project().join("a.rs");
    let mut first = FakeAgent::with(&sandbox, "first", &[("AGENT_ID", "main:builder")]);
    first.begins("startup");
    let mut second = agent(&sandbox, "second");
    edits(&mut first, &file).is_silent();
    edits(&mut first, &file).is_silent();
    first.bash("cargo test").is_silent();

    let denied = edits(&mut second, &file);
    let reason = denied.denial().unwrap();
    for part in [
        "a.rs is being written by another session",
        "main:builder",
        &sandbox.project().display().to_string(),
        "session first",
        "It is doing: Bash: cargo test.",
        "Do not write it now.",
    ] {
        assert!(reason.contains(part), "{part}: {reason}");
    }
    assert!(has_run(&sandbox));
    let log = sandbox.json(&["denied"]);
    assert!(log.to_string().contains("lease.held"), "{log}");

    // Another file, another name of the same file, a shell that writes it.
    edits(&mut second, &sandbox.project().join("b.rs")).is_silent();
    let link = sandbox.project().join("link.rs");
    symlink(&file, &link).unwrap();
    assert!(edits(&mut second, &link).denial().is_some());
    sandbox.folder("project/real");
    symlink(
        sandbox.project().join("real"),
        sandbox.project().join("alias"),
    )
    .unwrap();
    edits(&mut first, &sandbox.project().join("alias/new.rs")).is_silent();
    let new = sandbox.project().join("real/new.rs");
    assert!(edits(&mut second, &new).denial().is_some());
    for command in [
        "echo x > a.rs",
        "sed -i s/a/b/ a.rs",
        "cp b.rs a.rs",
        "mv b.rs a.rs",
        "ls | tee a.rs",
    ] {
        let denied = second.bash(command);
        assert!(
            denied.denial().unwrap().contains("session first"),
            "{command}"
        );
    }
    for command in ["cat a.rs", "echo x > /dev/null", "echo x > c.rs"] {
        second.bash(command).is_silent();
        first.bash(&command.replace("c.rs", "d.rs")).is_silent();
    }

    let notebook = json!({"notebook_path": sandbox.project().join("n.ipynb"), "new_source": "1"});
    let edit = |agent: &mut FakeAgent<'_>| agent.call("NotebookEdit", notebook.clone(), json!({}));
    edit(&mut first).is_silent();
    assert!(edit(&mut second).denial().is_some());
}

#[test]
fn a_person_is_asked_where_that_is_set() {
    let sandbox = with_leases("mode = 'ask'");
    let file = sandbox.project().join("a.rs");
    let (mut first, mut second) = (agent(&sandbox, "first"), agent(&sandbox, "second"));
    edits(&mut first, &file).is_silent();
    let asked = edits(&mut second, &file);
    let said = &asked.json["hookSpecificOutput"];
    assert_eq!(said["permissionDecision"], "ask", "{asked:?}");
    let reason = said["permissionDecisionReason"].as_str().unwrap();
    assert!(
        reason.contains("claude-code in") && reason.contains("session first"),
        "{reason}"
    );
}

#[test]
fn sub_agents_share_the_lease_and_it_ends_with_the_session() {
    let sandbox = with_leases("mode = 'deny'");
    let file = sandbox.project().join("a.rs");
    let (mut first, mut second) = (agent(&sandbox, "first"), agent(&sandbox, "second"));
    let of = json!({"agent_id": "a1", "agent_type": "Explore"});
    first.report("SubagentStart", of.clone());
    let input = json!({"file_path": file, "content": "x"});
    first.call("Write", input.clone(), of.clone()).is_silent();
    edits(&mut first, &file).is_silent();
    first.report("SubagentStop", of);
    assert!(edits(&mut second, &file).denial().is_some());
    first.report("SessionEnd", json!({"reason": "prompt_input_exit"}));
    edits(&mut second, &file).is_silent();
    assert_eq!(leases(&sandbox)[0]["holder"]["session"], "second");
}

#[test]
#[cfg(target_os = "linux")]
fn an_agent_that_is_killed_lets_go_of_its_files() {
    let sandbox = with_leases("mode = 'deny'");
    let file = sandbox.project().join("a.rs");
    let (mut first, mut second) = (agent(&sandbox, "first"), agent(&sandbox, "second"));
    edits(&mut first, &file).is_silent();
    assert!(edits(&mut second, &file).denial().is_some());
    first.kill();
    until("the lease is released", || leases(&sandbox).is_empty());
    edits(&mut second, &file).is_silent();
}

#[test]
fn a_lease_is_taken_over_when_its_holder_does_nothing() {
    let sandbox = with_leases("mode = 'deny'\nexpires_secs = 1");
    let file = sandbox.project().join("a.rs");
    let (mut first, mut second) = (agent(&sandbox, "first"), agent(&sandbox, "second"));
    edits(&mut first, &file).is_silent();
    let mut answer = edits(&mut second, &file);
    until("the file is free", || {
        answer = edits(&mut second, &file);
        answer.denial().is_none()
    });
    assert!(answer.context().contains("session first"), "{answer:?}");
    assert!(
        answer.context().contains("Read the file again"),
        "{answer:?}"
    );
    edits(&mut second, &file).is_silent();
    assert!(
        edits(&mut first, &file)
            .denial()
            .unwrap()
            .contains("session second")
    );
}

#[test]
fn without_a_daemon_every_process_knows_the_leases() {
    let sandbox = with_leases("mode = 'deny'");
    sandbox.run(&["daemon", "stop"]).expect(0, &[]);
    let off = [("BOWLINE_DAEMON", "off")];
    let mut first = FakeAgent::with(&sandbox, "first", &off);
    let mut second = FakeAgent::with(&sandbox, "second", &off);
    let file = sandbox.project().join("a.rs");
    // Nothing else of the sessions is recorded yet.
    edits(&mut first, &file).is_silent();
    edits(&mut first, &file).is_silent();
    let denied = edits(&mut second, &file);
    assert!(
        denied.denial().unwrap().contains("session first"),
        "{denied:?}"
    );
    first.report("SessionEnd", json!({"reason": "other"}));
    edits(&mut second, &file).is_silent();
    assert_eq!(sandbox.ask("daemon.status"), None, "there is no daemon");
}

#[test]
fn leases_are_off_by_default() {
    let sandbox = with_leases("mode = 'off'");
    sandbox.write("home/.config/bowline/config.toml", GUARD);
    sandbox.run(&["daemon", "restart"]).expect(0, &[]);
    let file = sandbox.project().join("a.rs");
    let (mut first, mut second) = (agent(&sandbox, "first"), agent(&sandbox, "second"));
    for _ in 0..2 {
        edits(&mut first, &file).is_silent();
        edits(&mut second, &file).is_silent();
    }
    assert_eq!(leases(&sandbox), Vec::<Value>::new());
    sandbox
        .run(&["lease", "list"])
        .expect(0, &["No session holds a lease"]);
    assert!(!has_run(&sandbox), "it is not even there");
}

#[test]
fn a_call_that_is_denied_takes_no_file() {
    let sandbox = with_leases("mode = 'deny'");
    let mut first = agent(&sandbox, "first");
    let denied = first.bash("echo x > a.rs; rm -rf /");
    assert!(denied.denial().is_some(), "{denied:?}");
    assert_eq!(leases(&sandbox), Vec::<Value>::new());
}

#[test]
fn a_person_lists_and_ends_leases() {
    let sandbox = with_leases("mode = 'deny'");
    let file = sandbox.project().join("a.rs");
    let (mut first, mut second) = (agent(&sandbox, "first"), agent(&sandbox, "second"));
    edits(&mut first, &file).is_silent();
    edits(&mut first, &sandbox.project().join("b.rs")).is_silent();
    sandbox
        .run(&["lease", "list"])
        .expect(0, &["a.rs", "b.rs", "claude-code", "first"]);
    sandbox
        .run(&["lease", "release", "nobody"])
        .expect_stderr(2, &["`nobody`", "bowline lease list"]);
    sandbox
        .run(&["lease", "release", "a.rs"])
        .expect(0, &["Released a.rs", "session first"]);
    edits(&mut second, &file).is_silent();
    let released = sandbox.json(&["lease", "release", "fir"]);
    assert!(
        released["released"][0]["path"]
            .as_str()
            .unwrap()
            .ends_with("b.rs")
    );
    let left = leases(&sandbox);
    assert_eq!(
        (left.len(), &left[0]["holder"]["session"]),
        (1, &json!("second"))
    );

    let mut below_an_agent = sandbox.command(&["lease", "release", "a.rs"]);
    below_an_agent.env("CLAUDECODE", "1");
    bowline_testkit::Ran::of(&mut below_an_agent).expect_stderr(2, &["CLAUDECODE"]);
    assert_eq!(leases(&sandbox), left);
}
