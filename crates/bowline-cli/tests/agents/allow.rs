//! A false alarm: it is stopped, a person looks why and lets it pass, and the agent tries again.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

use super::person::can_play_a_person;
use super::place::{Place, programs};
use super::put::put;

/// Runs `bowline` as a person does, at a terminal of its own, and answers what it asks.
fn at_a_terminal(place: &Place, line: &str, variables: &[(&str, &str)], answer: &str) -> Output {
    let bowline = programs().join("bowline");
    let mut command = Command::new("script");
    command.args([
        "-qec",
        &format!("{} {line}", bowline.display()),
        "/dev/null",
    ]);
    let mut child = place
        .surround(&mut command)
        .envs(variables.iter().copied())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let _ = child.stdin.take().unwrap().write_all(answer.as_bytes());
    child.wait_with_output().unwrap()
}

fn person(place: &Place, line: &str, answer: &str) -> String {
    let output = at_a_terminal(place, line, &[], answer);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{line}: {text}");
    text
}

fn push(place: &Place, id: &str, command: &str) -> String {
    let payload = json!({
        "session_id": "s1", "cwd": place.path("project"), "hook_event_name": "PreToolUse",
        "tool_name": "Bash", "tool_use_id": id, "tool_input": {"command": command},
    });
    let output = place.hook("PreToolUse", payload.to_string().as_bytes());
    String::from_utf8(output.stdout).unwrap()
}

/// The id that the person is shown beside a denial.
fn id_in(answer: &str) -> String {
    let answer: Value = serde_json::from_str(answer).unwrap();
    let message = answer["systemMessage"].as_str().unwrap();
    let (_, rest) = message.split_once("bowline allow ").unwrap();
    rest.split_whitespace().next().unwrap().to_owned()
}

#[test]
fn a_false_alarm_is_explained_and_let_pass_word_for_word() {
    if !can_play_a_person() {
        return;
    }
    let place = Place::new();
    fs::create_dir(place.path("project/.git")).unwrap();
    let id = id_in(&push(&place, "toolu_1", "git push --force"));

    let why = person(&place, &format!("why {id}"), "");
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
        let document = person(&place, &format!("why {named} --json"), "");
        let document: Value = serde_json::from_str(&document).unwrap();
        assert_eq!(document["id"], id, "{named}");
        assert_eq!(document["rule"]["id"], "git.push-force");
    }

    let refused = at_a_terminal(&place, &format!("allow {id}"), &[], "n\n");
    assert_eq!(refused.status.code(), Some(1));
    assert!(push(&place, "toolu_2", "git push --force").contains("deny"));
    let shown = person(&place, &format!("allow {id}"), "y\n");
    for part in [
        "git.push-force",
        "git push --force",
        "project",
        "until it is removed",
    ] {
        assert!(shown.contains(part), "no {part} in {shown}");
    }
    assert_eq!(push(&place, "toolu_3", "git push --force"), "");
    let why = person(&place, "why toolu_3", "");
    assert!(why.contains("entry 1 of `bowline allow --list`"), "{why}");
    assert!(push(&place, "toolu_4", "git push --force origin main").contains("deny"));
    assert!(push(&place, "toolu_5", "git push --force; rm -rf ~").contains("deny"));

    let list = person(&place, "allow --list", "");
    assert!(list.contains("git.push-force"), "{list}");
    person(&place, "allow --remove 1", "");
    assert!(push(&place, "toolu_6", "git push --force").contains("deny"));

    // A beginning that several calls share means none of them.
    for line in ["why toolu_", "allow toolu_ --once --yes"] {
        let refused = at_a_terminal(&place, line, &[], "");
        let text = String::from_utf8_lossy(&refused.stdout);
        assert_eq!(refused.status.code(), Some(2), "{line}: {text}");
        assert!(
            text.contains("6 calls have an id that begins with `toolu_`"),
            "{text}"
        );
    }
    push(&place, "toolu_10", "git push --force");
    person(&place, "why toolu_1", "");
}

#[test]
fn a_rule_is_let_pass_once_for_a_while_or_in_a_session() {
    if !can_play_a_person() {
        return;
    }
    let place = Place::new();
    fs::create_dir(place.path("project/.git")).unwrap();
    let mut number = 0;
    let mut try_it = || {
        number += 1;
        push(&place, &format!("toolu_{number}"), "git push --force")
    };
    assert!(try_it().contains("deny"));
    person(&place, "allow git.push-force --once --yes", "");
    // Trying it out uses nothing up.
    place.bowline(&[
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
    person(&place, "allow git.push-force --once --yes", "");
    assert_eq!(try_it(), "");
    assert!(try_it().contains("deny"));
    for option in ["--for 1h", "--session", "--project", "--global"] {
        let said = person(
            &place,
            &format!("allow git.push-force {option} --yes --json"),
            "",
        );
        let entry: Value = serde_json::from_str(&said).unwrap();
        assert_eq!(try_it(), "", "{option}");
        person(&place, &format!("allow --remove {}", entry["number"]), "");
        assert!(try_it().contains("deny"), "{option}");
    }
    for (line, why) in [
        ("allow self.command --yes", "cannot be silenced"),
        ("allow nonsense --yes", "no rule of the guard"),
        (
            "allow git.push-force --once --global --yes",
            "cannot be used with",
        ),
    ] {
        let output = at_a_terminal(&place, line, &[], "");
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(
            output.status.code() == Some(2) && text.contains(why),
            "{text}"
        );
    }
}

#[test]
fn what_guards_bowline_itself_has_no_way_around_it() {
    if !can_play_a_person() {
        return;
    }
    let place = Place::new();
    assert!(push(&place, "toolu_1", "bowline pause").contains("self.command"));
    let why = person(&place, "why last", "");
    assert!(
        why.contains("self.command") && !why.contains("bowline allow"),
        "{why}"
    );
    // The guard knows the program by its name.
    let copy = place.path("home/other");
    put(programs().join("bowline"), &copy);
    let line = format!("{} allow git.clean --yes", copy.display());
    let mut command = Command::new("script");
    command.args(["-qec", &line, "/dev/null"]);
    let output = place
        .surround(&mut command)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(2), "{told}");
    assert!(told.contains("run it as `bowline`"), "{told}");
}

#[test]
fn nothing_is_allowed_without_a_person() {
    if !can_play_a_person() {
        return;
    }
    let place = Place::new();
    let allowed = place.path("home/.local/share/bowline/allowed.json");
    let line = "allow git.clean --global --yes";
    let words: Vec<&str> = line.split(' ').collect();
    for words in [&words[..], &["why", "last"], &["allow", "--list"]] {
        // A session of its own has no terminal.
        let mut command = Command::new("setsid");
        command
            .args(["-w"])
            .arg(programs().join("bowline"))
            .args(words);
        let output = place
            .surround(&mut command)
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{told}");
        assert!(told.contains("a person at a terminal"), "{told}");
    }
    for mark in ["CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CURSOR_AGENT"] {
        for line in [line, "why last"] {
            let output = at_a_terminal(&place, line, &[(mark, "1")], "y\n");
            let told = String::from_utf8_lossy(&output.stdout);
            assert_eq!(output.status.code(), Some(2), "{told}");
            assert!(told.contains("an agent must not run this"), "{told}");
        }
    }
    // An agent that hides its marks is still above what it starts.
    let agent = place.path("home/claude");
    let script = format!(
        "#!/bin/sh\n{} {line}\nexit $?\n",
        programs().join("bowline").display()
    );
    fs::write(&agent, script).unwrap();
    fs::set_permissions(&agent, fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = Command::new("script");
    command.args(["-qec", agent.to_str().unwrap(), "/dev/null"]);
    let output = place
        .surround(&mut command)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(2), "{told}");
    assert!(told.contains("`claude` started it"), "{told}");
    assert!(!allowed.exists());
    person(&place, line, "");
    assert!(allowed.exists());
}
