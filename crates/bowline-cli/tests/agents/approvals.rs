//! The inbox: a question of the guard waits for a person, who answers it from another terminal.

use std::io::{BufRead as _, BufReader};
use std::process::Stdio;
use std::thread;

use bowline_testkit::{Ran, Sandbox, bowline, feed, needs, script, until, until_some};
use serde_json::{Value, json};

use super::continued::{Project, bash, says};
use super::reporting::{Reporting as _, with_client};

const WAITS: &str = "[approvals]\nwait = \"2m\"\n";

/// With a daemon in which questions wait.
fn with_inbox(more: &str) -> Sandbox {
    let sandbox = with_client();
    sandbox.folder("project/.git");
    sandbox.write("home/.config/bowline/config.toml", format!("{WAITS}{more}"));
    sandbox.run(&["daemon", "start"]).expect(0, &[]);
    sandbox
}

fn event(sandbox: &Sandbox, name: &str, more: &Value) -> Vec<u8> {
    let mut payload = json!({
        "session_id": "s1", "cwd": sandbox.path("project"), "hook_event_name": name,
    });
    let fields = payload.as_object_mut().unwrap();
    fields.extend(more.as_object().cloned().unwrap_or_default());
    payload.to_string().into_bytes()
}

fn call(sandbox: &Sandbox, id: &str, command: &str) -> Vec<u8> {
    let more = json!({"tool_name": "Bash", "tool_use_id": id, "tool_input": {"command": command}});
    event(sandbox, "PreToolUse", &more)
}

/// What the agent is told about a call, as soon as somebody answers.
fn report(sandbox: &Sandbox, id: &str, command: &str) -> Value {
    let payload = call(sandbox, id, command);
    let answer = sandbox.hook_with("PreToolUse", &payload, &["--timeout=600"], &[]);
    if answer.stdout.is_empty() {
        return Value::Null;
    }
    answer.json()["hookSpecificOutput"].clone()
}

/// The questions that wait, once there are so many.
fn waiting(sandbox: &Sandbox, count: usize) -> Vec<Value> {
    until_some("so many questions wait", || {
        let listed = sandbox.json(&["approvals", "list"]);
        let questions = listed["questions"].as_array().unwrap().clone();
        (questions.len() == count).then_some(questions)
    })
}

fn id(question: &Value) -> &str {
    question["id"].as_str().unwrap()
}

/// Runs `bowline` as a person does, at a terminal of its own, and answers what it asks.
fn person(sandbox: &Sandbox, line: &str, answer: &str) -> Ran {
    let line = format!("{} {line}", bowline().display());
    Ran::with_stdin(&mut sandbox.at_terminal(&line), answer.as_bytes())
}

#[needs(terminal, no_agent)]
#[test]
fn a_person_allows_and_denies_calls_that_wait() {
    let sandbox = with_inbox("");
    let start = event(&sandbox, "SessionStart", &json!({"source": "startup"}));
    sandbox.hook("SessionStart", &start);
    sandbox
        .run(&["approvals"])
        .expect(0, &["No question waits."]);
    person(&sandbox, "approvals allow", "").expect(1, &["No question waits."]);
    thread::scope(|scope| {
        let first = scope.spawn(|| report(&sandbox, "toolu_1", "terraform apply"));
        let asked = waiting(&sandbox, 1);
        assert_eq!(asked[0]["rule"], "infrastructure.apply");
        assert_eq!(asked[0]["tool_use_id"], "toolu_1");
        let list = sandbox.run(&["approvals"]);
        list.expect(
            0,
            &[
                id(&asked[0]),
                "left",
                "terraform apply",
                "infrastructure.apply",
            ],
        );
        // The fleet knows that the agent waits for a person.
        until("the agent waits", || {
            let fleet = sandbox.json(&["fleet"]);
            fleet["agents"][0]["status"] == "attention"
        });
        // The only question is meant.
        person(&sandbox, "approvals allow", "").expect(0, &["Allowed."]);
        assert_eq!(first.join().unwrap()["permissionDecision"], "allow");
        waiting(&sandbox, 0);
        until("the agent works", || {
            let fleet = sandbox.json(&["fleet"]);
            fleet["agents"][0]["status"] == "working"
        });

        let calls = ["toolu_2", "toolu_3"].map(|call| {
            let sandbox = &sandbox;
            scope.spawn(move || report(sandbox, call, &format!("terraform apply {call}")))
        });
        let asked = waiting(&sandbox, 2);
        // Several wait, and nobody says which one is meant.
        let several = person(&sandbox, "approvals allow", "");
        several.expect(1, &[id(&asked[0]), id(&asked[1]), "2 questions wait"]);
        several.expect(1, &["`bowline approvals allow ID`"]);
        // Nobody who wants to deny is led to allow.
        let several = person(&sandbox, "approvals deny --message ''", "");
        several.expect(1, &["`bowline approvals deny ID`"]);
        several.lacks(&["approvals allow"]);
        person(&sandbox, "approvals allow nothing", "").expect(2, &["no question `nothing`"]);
        // A message has a limit, and one that is too long answers nothing.
        let line = format!("approvals deny {} -m {}", id(&asked[0]), "x".repeat(9_000));
        let long = person(&sandbox, &line, "");
        long.expect(2, &["has 9000 characters", "at most 8000"]);
        waiting(&sandbox, 2);
        for question in &asked {
            let line = format!(
                "approvals deny {} -m 'Use the staging account'",
                id(question)
            );
            person(&sandbox, &line, "").expect(0, &["Denied."]);
            let again = format!("approvals allow {}", id(question));
            person(&sandbox, &again, "").expect(2, &["no question"]);
        }
        for call in calls {
            let told = call.join().unwrap();
            assert_eq!(told["permissionDecision"], "deny");
            let reason = told["permissionDecisionReason"].as_str().unwrap();
            assert!(reason.contains("Use the staging account"), "{reason}");
        }
    });

    // A grant for one call is none for the next.
    thread::scope(|scope| {
        let again = scope.spawn(|| report(&sandbox, "toolu_4", "terraform apply"));
        waiting(&sandbox, 1);
        // A daemon that stops sends its questions back: the agent's own prompt asks.
        sandbox.run(&["daemon", "stop"]).expect(0, &[]);
        assert_eq!(again.join().unwrap()["permissionDecision"], "ask");
    });
    sandbox
        .run(&["approvals"])
        .expect(0, &["No question waits.", "No daemon runs"]);
    assert_eq!(sandbox.json(&["approvals"])["inbox"], "no_daemon");

    // What was answered, and by whom, is told by everything that tells of calls.
    let answers = |id: &str| {
        let why: Value = person(&sandbox, &format!("why {id} --json"), "").json();
        (
            why["decision"].clone(),
            why["answer"].as_str().unwrap_or_default().to_owned(),
        )
    };
    let (decision, answer) = answers("toolu_1");
    assert_eq!(decision, "grant");
    assert!(answer.starts_with("allowed by "), "{answer}");
    let (decision, answer) = answers("toolu_2");
    assert_eq!(decision, "deny");
    assert!(
        answer.starts_with("denied by ") && answer.contains("on "),
        "{answer}"
    );
    assert_eq!(answers("toolu_4"), (json!("ask"), String::new()));
    let log = sandbox.run(&["log", "--long"]);
    log.expect(
        0,
        &["inbox answered: allowed by", "inbox answered: denied by"],
    );
    let shown = sandbox.run(&["trace", "show", "toolu_1"]);
    shown.expect(0, &["inbox answered: allowed by"]);
    let report = sandbox.json(&["report"]);
    let asked = report.to_string();
    assert!(
        asked.contains(r#""ran":1"#) && asked.contains(r#""refused":2"#),
        "{report:#}"
    );
}

#[test]
fn an_inbox_that_is_off_says_so() {
    let sandbox = with_client();
    sandbox.folder("project/.git");
    for daemon in [None, Some("start")] {
        if let Some(action) = daemon {
            sandbox.run(&["daemon", action]).expect(0, &[]);
        }
        let listed = sandbox.run(&["approvals"]);
        listed.expect(0, &["No question waits.", "off", "[approvals]"]);
        listed.expect(0, &["wait = \"2m\""]);
        let listed = sandbox.json(&["approvals", "list"]);
        assert_eq!(listed, json!({"questions": [], "inbox": "off"}));
    }
    sandbox.write("home/.config/bowline/config.toml", WAITS);
    assert_eq!(sandbox.json(&["approvals"])["inbox"], "on");
    sandbox.run(&["approvals"]).lacks(&["off"]);
}

#[needs(terminal, no_agent)]
#[test]
fn a_permission_that_lasts_is_shown_and_silences_only_the_guard() {
    let sandbox = with_inbox(
        "[[rule]]\nid = \"ask-touch\"\ncommand = \"touch *\"\nverdict = \"ask\"\nmessage = \"really?\"\n",
    );
    let local = sandbox.path("project/bowline.local.toml");
    thread::scope(|scope| {
        let call = scope.spawn(|| report(&sandbox, "toolu_1", "terraform apply -var a=1"));
        waiting(&sandbox, 1);
        let refused = person(&sandbox, "approvals allow --for-good", "n\n");
        refused.expect(
            1,
            &[
                "bowline.local.toml:1",
                "terraform apply -var a=1",
                "still waits",
            ],
        );
        assert!(!local.exists());
        let allowed = person(&sandbox, "approvals allow --for-good", "y\n");
        allowed.expect(0, &["nothing is granted", "Allowed."]);
        assert_eq!(call.join().unwrap()["permissionDecision"], "allow");
    });
    assert_eq!(
        sandbox.read("project/bowline.local.toml"),
        "[guard.allow]\ncommands = [\"terraform apply -var a=1\"]\n"
    );
    // The guard says nothing from now on; it grants nothing, so that the agent asks what it would ask.
    assert_eq!(
        report(&sandbox, "toolu_2", "terraform apply -var a=1"),
        Value::Null
    );
    sandbox.run(&["trust", "--list"]).expect(0, &["project"]);

    thread::scope(|scope| {
        let call = scope.spawn(|| report(&sandbox, "toolu_3", "terraform apply -var a=2"));
        waiting(&sandbox, 1);
        let allowed = person(&sandbox, "approvals allow --session --yes", "");
        allowed.expect(
            0,
            &["`infrastructure.apply` says nothing to exactly this call"],
        );
        assert_eq!(call.join().unwrap()["permissionDecision"], "allow");
    });
    assert_eq!(
        report(&sandbox, "toolu_4", "terraform apply -var a=2"),
        Value::Null
    );
    let mut elsewhere = call(&sandbox, "toolu_5", "terraform apply -var a=2");
    let text = String::from_utf8(elsewhere)
        .unwrap()
        .replace("\"s1\"", "\"s2\"");
    elsewhere = text.into_bytes();
    thread::scope(|scope| {
        let call = scope.spawn(|| sandbox.hook("PreToolUse", &elsewhere));
        waiting(&sandbox, 1);
        person(&sandbox, "approvals deny", "").expect(0, &["Denied."]);
        assert!(call.join().unwrap().stdout.contains("A person denied this"));
    });

    // What a rule of one's own asks has no entry that silences it.
    thread::scope(|scope| {
        let call = scope.spawn(|| report(&sandbox, "toolu_6", "touch made.txt"));
        waiting(&sandbox, 1);
        for extent in ["--session", "--for-good"] {
            let refused = person(&sandbox, &format!("approvals allow {extent} -y"), "");
            refused.expect(2, &["no rule of the guard asks this"]);
        }
        person(&sandbox, "approvals allow", "").expect(0, &["Allowed."]);
        assert_eq!(call.join().unwrap()["permissionDecision"], "allow");
    });

    // An untrusted change of the project is not trusted along with an entry.
    sandbox.write_in_project("bowline.toml", "[guard.allow]\nrules = [\"*\"]\n");
    thread::scope(|scope| {
        let call = scope.spawn(|| report(&sandbox, "toolu_7", "terraform apply -var a=3"));
        waiting(&sandbox, 1);
        let refused = person(&sandbox, "approvals allow --for-good -y", "");
        refused.expect(2, &["`bowline trust` first"]);
        person(&sandbox, "approvals deny", "").expect(0, &["Denied."]);
        assert_eq!(call.join().unwrap()["permissionDecision"], "deny");
    });
}

#[needs(terminal, no_agent)]
#[test]
fn an_agent_cannot_answer() {
    let sandbox = with_inbox("");
    // It is asked about itself, and no entry silences that.
    thread::scope(|scope| {
        let own = scope.spawn(|| report(&sandbox, "toolu_0", "bowline approvals allow"));
        assert_eq!(waiting(&sandbox, 1)[0]["rule"], "self.command");
        let refused = person(&sandbox, "approvals allow --session -y", "");
        refused.expect(2, &["guards Bowline itself"]);
        person(&sandbox, "approvals deny", "").expect(0, &["Denied."]);
        assert_eq!(own.join().unwrap()["permissionDecision"], "deny");
    });
    thread::scope(|scope| {
        let call = scope.spawn(|| report(&sandbox, "toolu_1", "terraform apply"));
        let asked = waiting(&sandbox, 1);
        let line = format!("approvals allow {}", id(&asked[0]));
        // A session of its own has no terminal.
        let mut command = sandbox.program("setsid");
        let words = line.split(' ');
        Ran::of(command.arg("-w").arg(bowline()).args(words))
            .expect_stderr(2, &["a person at a terminal"]);
        let marked = format!("{} {line}", bowline().display());
        let mut marked = sandbox.at_terminal(&marked);
        Ran::of(marked.env("CLAUDECODE", "1")).expect(2, &["an agent must not run this"]);
        let agent = sandbox.path("home/claude");
        let text = format!("#!/bin/sh\n{} {line}\nexit $?\n", bowline().display());
        script(&agent, &text);
        let mut below = sandbox.at_terminal(agent.to_str().unwrap());
        Ran::of(&mut below).expect(2, &["`claude` started it"]);
        waiting(&sandbox, 1);
        person(&sandbox, "approvals deny", "").expect(0, &["Denied."]);
        assert_eq!(call.join().unwrap()["permissionDecision"], "deny");
    });
}

/// Speaks to the daemon itself, without `bowline`.
const ANSWERS: &str = r#"
import json, os, socket, sys
daemon = socket.socket(socket.AF_UNIX)
daemon.connect(os.environ["BOWLINE_SOCKET"])
said = {"allow": "once"}
by = {"name": "somebody else", "place": "the moon"}
args = {"id": sys.argv[1], "reply": {"said": said, "by": by}}
for command, args in [("page.open", {}), ("approvals.answer", args)]:
    daemon.sendall((json.dumps({"cmd": command, "args": args}) + "\n").encode())
    print(daemon.makefile().readline())
"#;

#[needs(terminal, no_agent, python)]
#[test]
fn the_daemon_looks_itself_who_answers() {
    let sandbox = with_inbox("");
    let program = sandbox.write("answers.py", ANSWERS);
    let socket = sandbox.socket();
    thread::scope(|scope| {
        let call = scope.spawn(|| report(&sandbox, "toolu_1", "terraform apply"));
        let asked = waiting(&sandbox, 1);
        let line = format!("python3 {} {}", program.display(), id(&asked[0]));
        let answer = |command: &mut std::process::Command| {
            Ran::of(command.env("BOWLINE_SOCKET", &socket)).stdout
        };
        let marked = answer(sandbox.at_terminal(&line).env("CLAUDECODE", "1"));
        assert_eq!(marked.matches("CLAUDECODE is set").count(), 2, "{marked}");
        let agent = sandbox.path("home/claude");
        script(&agent, &format!("#!/bin/sh\n{line}\nexit $?\n"));
        let below = answer(&mut sandbox.at_terminal(agent.to_str().unwrap()));
        assert_eq!(below.matches("`claude` started it").count(), 2, "{below}");
        let mut alone = sandbox.program("setsid");
        let alone = answer(alone.args(["-w", "sh", "-c", &line]));
        assert!(alone.contains("a person at a terminal"), "{alone}");
        waiting(&sandbox, 1);
        // Who it was is what the system says, not what the program says.
        let by_person = answer(&mut sandbox.at_terminal(&line));
        assert!(by_person.contains("toolu_1"), "{by_person}");
        assert_eq!(call.join().unwrap()["permissionDecision"], "allow");
    });
    until("it is recorded", || {
        let log = sandbox.run(&["log", "--long"]).stdout;
        assert!(!log.contains("somebody else") && !log.contains("the moon"));
        log.contains("inbox answered: allowed by")
    });
}

#[needs(terminal, no_agent, client)]
#[test]
fn the_real_client_goes_on_when_a_person_has_answered() {
    let project = Project::new();
    let sandbox = &project.sandbox;
    let rule = "[[rule]]\nid = \"ask-touch\"\ncommand = \"touch *\"\nverdict = \"ask\"\nmessage = \"really?\"\n";
    sandbox.write("home/.config/bowline/config.toml", format!("{WAITS}{rule}"));
    sandbox.run(&["daemon", "start"]).expect(0, &[]);
    let turns = vec![
        bash("touch allowed.txt"),
        bash("touch denied.txt"),
        says("Done."),
    ];
    // No rule of the client lets it run a shell: only the person does.
    let none_allowed = json!({ "args": [] });
    let run = thread::scope(|scope| {
        let run =
            scope.spawn(|| project.run("asked", "Make two files.", turns.clone(), &none_allowed));
        let first = waiting(sandbox, 1);
        assert_eq!(first[0]["input"]["command"], "touch allowed.txt");
        person(sandbox, "approvals allow", "").expect(0, &["Allowed."]);
        let next = until_some("the next question waits", || {
            let asked = sandbox.json(&["approvals", "list"])["questions"].clone();
            let next = asked.get(0).cloned()?;
            (next["id"] != first[0]["id"]).then_some(next)
        });
        assert_eq!(next["input"]["command"], "touch denied.txt");
        let line = format!("approvals deny {} -m 'One file is enough'", id(&next));
        person(sandbox, &line, "").expect(0, &["Denied."]);
        run.join().unwrap()
    });
    let calls = run.calls();
    assert_eq!(
        calls.iter().map(|call| call.0).collect::<Vec<_>>(),
        [false, true]
    );
    let told = run.told().join("\n");
    assert!(
        told.contains("A person denied this: One file is enough"),
        "{told}"
    );
    let made = |name: &str| sandbox.path("project").join(name).exists();
    assert!(made("allowed.txt") && !made("denied.txt"));
}

#[test]
fn a_question_leaves_with_its_agent_and_followers_see_it() {
    let sandbox = with_inbox("");
    let mut follow = sandbox.command(&["approvals", "list", "--follow", "--json"]);
    let mut follow = follow.stdout(Stdio::piped()).spawn().unwrap();
    let lines = BufReader::new(follow.stdout.take().unwrap()).lines();
    let mut seen = lines.map(|line| {
        let listed: Value = serde_json::from_str(&line.unwrap()).unwrap();
        listed["questions"].as_array().unwrap().len()
    });
    assert_eq!(seen.next(), Some(0));
    let agent = ["claude-code", "PreToolUse", "--timeout=600"];
    let mut hook = sandbox.hook_command(&agent);
    let hook = hook.stdin(Stdio::piped()).stdout(Stdio::null());
    let mut hook = feed(
        hook.spawn().unwrap(),
        &call(&sandbox, "toolu_1", "terraform apply"),
    );
    assert_eq!(seen.next(), Some(1));
    hook.kill().unwrap();
    hook.wait().unwrap();
    assert_eq!(seen.next(), Some(0));
    follow.kill().unwrap();
    follow.wait().unwrap();
}
