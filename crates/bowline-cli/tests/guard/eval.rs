//! `bowline eval`.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::Stdio;

use serde_json::{Value, json};

use bowline_testkit::Sandbox;

fn payload(tool: &str, input: Value, cwd: &str) -> Value {
    json!({
        "session_id": "s", "cwd": cwd, "hook_event_name": "PreToolUse",
        "tool_name": tool, "tool_input": input, "tool_use_id": "toolu_1",
    })
}

fn answers(lines: &[String]) -> Vec<Value> {
    let input = lines.concat();
    let ran =
        Sandbox::with_repository().run_with(&["eval", "--agent", "claude-code"], input.as_bytes());
    ran.expect(0, &[]);
    ran.stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn decision(tool: &str, input: Value, cwd: &str) -> String {
    let line = format!("{}\n", payload(tool, input, cwd));
    let [answer] = answers(&[line]).try_into().unwrap();
    answer["decision"].as_str().unwrap().to_owned()
}

#[test]
fn each_call_is_judged_by_what_it_would_do() {
    let project = "/home/dev/project";
    for (tool, input, expected) in [
        ("Bash", json!({"command": "ls -la"}), "allow"),
        ("Bash", json!({"command": "rm -rf node_modules"}), "allow"),
        ("Bash", json!({"command": "echo 'rm -rf /'"}), "allow"),
        ("Bash", json!({"command": "bash -c 'rm -rf ~'"}), "deny"),
        ("Bash", json!({"command": "git reset --hard"}), "deny"),
        ("Bash", json!({"command": "rm -rf src"}), "ask"),
        ("Bash", json!({"command": "cat .env"}), "deny"),
        ("Bash", json!({"command": "c\u{430}t notes.txt"}), "ask"),
        ("Bash", json!({}), "ask"),
        ("Bash", json!({"command": 5}), "ask"),
        (
            "Read",
            json!({"file_path": "/home/dev/.ssh/id_rsa"}),
            "deny",
        ),
        ("Read", json!({"file_path": "README.md"}), "allow"),
        ("Read", json!({"file_path": "README\u{200b}.md"}), "ask"),
        (
            "Write",
            json!({"file_path": ".claude/settings.json", "content": "{}"}),
            "ask",
        ),
        (
            "Edit",
            json!({"file_path": "src/main.rs", "old_string": "a", "new_string": "b"}),
            "allow",
        ),
        ("WebSearch", json!({"query": "rm -rf /"}), "allow"),
    ] {
        assert_eq!(
            decision(tool, input.clone(), project),
            expected,
            "{tool} {input}"
        );
    }
}

#[test]
fn the_home_is_found_from_the_folder() {
    for (cwd, path, expected) in [
        ("/home/ann/app", "/home/ann/Documents", "deny"),
        ("/Users/ann/app", "~/Documents", "deny"),
        ("/root/app", "~/Documents", "deny"),
        ("/home/ann/app", "/home/ann/app/target", "allow"),
    ] {
        let command = json!({"command": format!("rm -rf {path}")});
        assert_eq!(decision("Bash", command, cwd), expected, "{cwd} {path}");
    }
}

#[test]
fn an_answer_tells_id_reason_rule_and_the_safer_way() {
    let call = payload(
        "Bash",
        json!({"command": "git push --force"}),
        "/home/dev/project",
    );
    let [answer] = answers(&[format!("{call}\n")]).try_into().unwrap();
    let keys: Vec<&String> = answer.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["id", "decision", "reason", "rule"]);
    assert_eq!(answer["id"], "toolu_1");
    assert_eq!(answer["rule"], "git.push-force");
    let reason = answer["reason"].as_str().unwrap();
    assert!(reason.contains("`git push --force`"), "{reason}");
    assert!(
        reason.contains("Instead: ") && reason.contains("--force-with-lease"),
        "{reason}"
    );

    let call = payload("Bash", json!({"command": "ls"}), "/home/dev/project");
    let [answer] = answers(&[format!("{call}\n")]).try_into().unwrap();
    assert_eq!(
        answer,
        json!({"id": "toolu_1", "decision": "allow", "reason": null, "rule": null})
    );
}

#[test]
fn every_line_is_answered_and_garbage_is_asked_about() {
    let good = payload("Bash", json!({"command": "ls"}), "/p").to_string();
    let mut no_cwd = payload("Bash", json!({"command": "ls"}), "/p");
    no_cwd.as_object_mut().unwrap().remove("cwd");
    let relative = payload("Bash", json!({"command": "ls"}), "p");
    let no_input = payload("Bash", json!("ls"), "/p");
    let lines = [
        good.clone(),
        String::new(),
        "{".to_owned(),
        "[]".to_owned(),
        "{}".to_owned(),
        no_cwd.to_string(),
        relative.to_string(),
        no_input.to_string(),
        "[".repeat(100_000),
        good,
    ];
    let lines: Vec<String> = lines.iter().map(|line| format!("{line}\n")).collect();
    let answers = answers(&lines);
    let decisions: Vec<&str> = answers
        .iter()
        .map(|it| it["decision"].as_str().unwrap())
        .collect();
    let asked = ["ask"; 8];
    assert_eq!(decisions, [&["allow"][..], &asked, &["allow"]].concat());
    for bad in &answers[1..9] {
        let reason = bad["reason"].as_str().unwrap();
        assert!(reason.starts_with("not a payload: "), "{reason}");
    }
    assert_eq!(answers[2]["id"], Value::Null);
    assert_eq!(answers[5]["id"], "toolu_1");
}

#[test]
fn events_that_are_not_before_a_call_get_no_opinion() {
    let mut after = payload("Bash", json!({"command": "rm -rf ~"}), "/home/dev/project");
    after["hook_event_name"] = json!("PostToolUse");
    let prompt = json!({"hook_event_name": "UserPromptSubmit", "prompt": "rm -rf ~", "cwd": "/p"});
    let answers = answers(&[format!("{after}\n"), format!("{prompt}\n")]);
    assert!(
        answers.iter().all(|it| it["decision"] == "allow"),
        "{answers:?}"
    );
}

#[test]
fn an_answer_comes_before_the_next_question() {
    let sandbox = Sandbox::with_repository();
    let mut child = sandbox
        .command(&["eval"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    for command in ["ls", "rm -rf ~"] {
        let call = payload("Bash", json!({"command": command}), "/home/dev/project");
        writeln!(input, "{call}").unwrap();
        let mut answer = String::new();
        output.read_line(&mut answer).unwrap();
        assert!(answer.ends_with("}\n"), "{command}: {answer}");
    }
    // A reader that goes away ends it without a word.
    drop(output);
    let call = payload("Bash", json!({"command": "ls"}), "/p");
    let _ = writeln!(input, "{call}");
    drop(input);
    assert_eq!(child.wait().unwrap().code(), Some(0));
}
