//! A false alarm: it is stopped, a person looks why and lets it pass, and the agent tries again.

use std::fs;

use bowline_testkit::{Ran, Sandbox, bowline, needs, put, script};
use serde_json::{Value, json};

use super::reporting::{Reporting as _, with_client};

/// Runs `bowline` as a person does, at a terminal of its own, and answers what it asks.
fn at_a_terminal(sandbox: &Sandbox, line: &str, variables: &[(&str, &str)], answer: &str) -> Ran {
    let mut command = sandbox.at_terminal(&format!("{} {line}", bowline().display()));
    Ran::with_stdin(command.envs(variables.iter().copied()), answer.as_bytes())
}

fn person(sandbox: &Sandbox, line: &str, answer: &str) -> String {
    let ran = at_a_terminal(sandbox, line, &[], answer);
    ran.expect(0, &[]);
    ran.stdout
}

fn push(sandbox: &Sandbox, id: &str, command: &str) -> String {
    let payload = json!({
        "session_id": "s1", "cwd": sandbox.path("project"), "hook_event_name": "PreToolUse",
        "tool_name": "Bash", "tool_use_id": id, "tool_input": {"command": command},
    });
    let output = sandbox.hook("PreToolUse", payload.to_string().as_bytes());
    output.stdout
}

/// The id that the person is shown beside a denial.
fn id_in(answer: &str) -> String {
    let answer: Value = serde_json::from_str(answer).unwrap();
    let message = answer["systemMessage"].as_str().unwrap();
    let (_, rest) = message.split_once("bowline allow ").unwrap();
    rest.split_whitespace().next().unwrap().to_owned()
}

#[needs(terminal, no_agent)]
#[test]
fn a_false_alarm_is_explained_and_let_pass_word_for_word() {
    let sandbox = with_client();
    fs::create_dir(sandbox.path("project/.git")).unwrap();
    let id = id_in(&push(&sandbox, "toolu_1", "git push --force"));

    let why = person(&sandbox, &format!("why {id}"), "");
    for part in [
        "git push --force",
        "DENY",
        "git.push-force",
        "mode enforce",
        "deny, by today's settings",
        &format!("bowline allow {id} --once"),
    ] {
        assert!(why.contains(part), "no {part} in {why}");
    }
    for named in ["toolu_1", "toolu_…", "last", &id[..16]] {
        let document = person(&sandbox, &format!("why {named} --json"), "");
        let document: Value = serde_json::from_str(&document).unwrap();
        assert_eq!(document["id"], id, "{named}");
        assert_eq!(document["rule"]["id"], "git.push-force");
    }

    let refused = at_a_terminal(&sandbox, &format!("allow {id}"), &[], "n\n");
    assert_eq!(refused.code, Some(1));
    assert!(push(&sandbox, "toolu_2", "git push --force").contains("deny"));
    let shown = person(&sandbox, &format!("allow {id}"), "y\n");
    for part in [
        "git.push-force",
        "git push --force",
        "project",
        "until it is removed",
    ] {
        assert!(shown.contains(part), "no {part} in {shown}");
    }
    assert_eq!(push(&sandbox, "toolu_3", "git push --force"), "");
    let why = person(&sandbox, "why toolu_3", "");
    assert!(why.contains("entry 1 of `bowline allow --list`"), "{why}");
    assert!(push(&sandbox, "toolu_4", "git push --force origin main").contains("deny"));
    assert!(push(&sandbox, "toolu_5", "git push --force; rm -rf ~").contains("deny"));

    let list = person(&sandbox, "allow --list", "");
    assert!(list.contains("git.push-force"), "{list}");
    person(&sandbox, "allow --remove 1", "");
    assert!(push(&sandbox, "toolu_6", "git push --force").contains("deny"));

    // A beginning that several calls share means none of them.
    for line in ["why toolu_", "allow toolu_ --once --yes"] {
        let refused = at_a_terminal(&sandbox, line, &[], "");
        refused.expect(2, &["6 calls have an id that begins with `toolu_`"]);
    }
    push(&sandbox, "toolu_10", "git push --force");
    person(&sandbox, "why toolu_1", "");
}

/// Another agent's call is stopped, in a project of its own.
fn push_elsewhere(sandbox: &Sandbox) {
    fs::create_dir_all(sandbox.path("elsewhere/.git")).unwrap();
    let payload = json!({
        "session_id": "s2", "cwd": sandbox.path("elsewhere"), "hook_event_name": "PreToolUse",
        "tool_name": "Bash", "tool_use_id": "toolu_other", "tool_input": {"command": "git push --force"},
    });
    let output = sandbox.hook("PreToolUse", payload.to_string().as_bytes());
    assert!(output.stdout.contains("deny"), "{output}");
}

#[needs(terminal, no_agent)]
#[test]
fn what_was_stopped_elsewhere_is_not_let_pass_as_the_last() {
    let sandbox = with_client();
    fs::create_dir(sandbox.path("project/.git")).unwrap();
    push_elsewhere(&sandbox);
    let refused = at_a_terminal(&sandbox, "allow last --once --yes", &[], "");
    refused.expect(2, &["nothing was stopped in this project", "elsewhere"]);
    let last = || {
        let document = person(&sandbox, "why last --json", "");
        let document: Value = serde_json::from_str(&document).unwrap();
        document["tool_use_id"].clone()
    };
    assert_eq!(last(), "toolu_other", "it may be looked at");
    push(&sandbox, "toolu_1", "git push --force");
    push_elsewhere(&sandbox);
    assert_eq!(last(), "toolu_1");
    person(&sandbox, "allow last --once --yes", "");
    assert_eq!(push(&sandbox, "toolu_2", "git push --force"), "");
}

/// A call that its agent gives no id, as Gemini CLI does.
fn push_by_gemini(sandbox: &Sandbox, session: &str) -> Value {
    let payload = json!({
        "session_id": session, "cwd": sandbox.path("project"), "hook_event_name": "BeforeTool",
        "tool_name": "run_shell_command", "tool_input": {"command": "git push --force"},
    });
    let arguments = ["gemini", "BeforeTool"];
    let ran = sandbox.report(payload.to_string().as_bytes(), &arguments, &[]);
    serde_json::from_str(&ran.stdout).unwrap_or_default()
}

#[needs(terminal, no_agent)]
#[test]
fn one_time_is_for_the_session_that_was_stopped_also_where_calls_have_no_id() {
    let sandbox = with_client();
    fs::create_dir(sandbox.path("project/.git")).unwrap();
    let is_denied = |session: &str| push_by_gemini(&sandbox, session)["decision"] == "deny";
    assert!(is_denied("g1"));
    let why = person(&sandbox, "why", "");
    for part in ["git push --force", "deny, by today's settings", "--once"] {
        assert!(why.contains(part), "no {part} in {why}");
    }
    let allowed = person(&sandbox, "allow last --once --yes", "");
    assert!(allowed.contains("in session g1"), "{allowed}");
    // Another agent and another session wait for their own.
    assert!(push(&sandbox, "toolu_1", "git push --force").contains("deny"));
    assert!(is_denied("g2"));
    assert!(!is_denied("g1"));
    assert!(is_denied("g1"));
    // Its id in lists names it, too.
    let list = sandbox.run(&["trace", "list", "--agent", "gemini", "--json"]);
    let list: Value = serde_json::from_str(&list.stdout).unwrap();
    let id = list["traces"][0]["tool_use_id"]
        .as_str()
        .unwrap()
        .to_owned();
    let why: Value =
        serde_json::from_str(&person(&sandbox, &format!("why {id} --json"), "")).unwrap();
    assert_eq!(why["tool_use_id"], id, "{why}");
    assert_eq!(why["input"]["command"], "git push --force", "{why}");
}

#[needs(terminal, no_agent)]
#[test]
fn a_rule_is_let_pass_once_for_a_while_or_in_a_session() {
    let sandbox = with_client();
    fs::create_dir(sandbox.path("project/.git")).unwrap();
    let mut number = 0;
    let mut try_it = || {
        number += 1;
        push(&sandbox, &format!("toolu_{number}"), "git push --force")
    };
    assert!(try_it().contains("deny"));
    person(&sandbox, "allow git.push-force --once --yes", "");
    // Trying it out uses nothing up.
    sandbox.run(&[
        "test",
        "PreToolUse",
        "--tool",
        "Bash",
        "--input",
        r#"{"command": "git push --force"}"#,
    ]);
    assert_eq!(try_it(), "");
    assert!(try_it().contains("deny"));
    // What was used up is not in the way of the next.
    person(&sandbox, "allow git.push-force --once --yes", "");
    assert_eq!(try_it(), "");
    assert!(try_it().contains("deny"));
    for words in [
        "git.push-force --for 1h",
        "git.push-force --session",
        "git.push-force --session s1",
        "--session git.push-force",
        "--session s1 git.push-force",
        "git.push-force --project",
        "--global git.push-force",
    ] {
        let said = person(&sandbox, &format!("allow {words} --yes --json"), "");
        let entry: Value = serde_json::from_str(&said).unwrap();
        let is_of_session = words.contains("--session");
        let reach = &entry["entry"]["reach"];
        assert_eq!(reach["session"] == "s1", is_of_session, "{words}: {said}");
        assert_eq!(try_it(), "", "{words}");
        person(&sandbox, &format!("allow --remove {}", entry["number"]), "");
        assert!(try_it().contains("deny"), "{words}");
    }
    // A session is meant by its name, whichever was active last.
    push_elsewhere(&sandbox);
    let project = sandbox.project().to_str().unwrap();
    let other = json!({"session_id": "s3", "cwd": project, "hook_event_name": "UserPromptSubmit", "prompt": "go"});
    sandbox.hook("UserPromptSubmit", other.to_string().as_bytes());
    let said = person(
        &sandbox,
        "allow git.push-force --session=s1 --yes --json",
        "",
    );
    let said: Value = serde_json::from_str(&said).unwrap();
    assert_eq!(said["entry"]["reach"], json!({"session": "s1"}), "{said}");
    let said = person(&sandbox, "allow git.push-force --session --yes --json", "");
    let said: Value = serde_json::from_str(&said).unwrap();
    assert_eq!(said["entry"]["reach"], json!({"session": "s3"}), "{said}");
    let why = person(&sandbox, "why last --json", "");
    assert!(
        why.contains("bowline allow git.push-force --session=s1"),
        "{why}"
    );
    for (line, why) in [
        (
            "allow git.push-force --session nobody --yes",
            "no recorded session is called `nobody`",
        ),
        ("allow self.command --yes", "cannot be silenced"),
        ("allow nonsense --yes", "no rule of the guard"),
        ("allow --session nonsense --yes", "no rule of the guard"),
        ("allow --session --yes", "nothing to allow is named"),
        (
            "allow git.push-force --once --global --yes",
            "cannot be used with",
        ),
    ] {
        at_a_terminal(&sandbox, line, &[], "").expect(2, &[why]);
    }
}

#[needs(terminal, no_agent)]
#[test]
fn what_guards_bowline_itself_has_no_way_around_it() {
    let sandbox = with_client();
    assert!(push(&sandbox, "toolu_1", "bowline pause").contains("self.command"));
    let why = person(&sandbox, "why last", "");
    assert!(
        why.contains("self.command") && !why.contains("bowline allow"),
        "{why}"
    );
    // The guard knows the program by its name.
    let copy = sandbox.path("home/other");
    put(bowline(), &copy);
    let line = format!("{} allow git.clean --yes", copy.display());
    Ran::of(&mut sandbox.at_terminal(&line)).expect(2, &["run it as `bowline`"]);
}

#[needs(terminal, no_agent)]
#[test]
fn nothing_is_allowed_without_a_person() {
    let sandbox = with_client();
    let allowed = sandbox.path("home/.local/share/bowline/allowed.json");
    let line = "allow git.clean --global --yes";
    let words: Vec<&str> = line.split(' ').collect();
    for words in [&words[..], &["why", "last"], &["allow", "--list"]] {
        // A session of its own has no terminal.
        let mut command = sandbox.program("setsid");
        Ran::of(command.arg("-w").arg(bowline()).args(words))
            .expect_stderr(2, &["a person at a terminal"]);
    }
    for mark in ["CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CURSOR_AGENT"] {
        for line in [line, "why last"] {
            at_a_terminal(&sandbox, line, &[(mark, "1")], "y\n")
                .expect(2, &["an agent must not run this"]);
        }
    }
    // An agent that hides its marks is still above what it starts.
    let agent = sandbox.path("home/claude");
    let text = format!("#!/bin/sh\n{} {line}\nexit $?\n", bowline().display());
    script(&agent, &text);
    Ran::of(&mut sandbox.at_terminal(agent.to_str().unwrap())).expect(2, &["`claude` started it"]);
    assert!(!allowed.exists());
    person(&sandbox, line, "");
    assert!(allowed.exists());
}
