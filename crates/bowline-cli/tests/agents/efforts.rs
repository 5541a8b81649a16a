//! `bowline task`, `bowline effort` and `bowline note`, as an agent and a person use them, with a daemon and without.

use std::fs;
use std::path::PathBuf;

use bowline_testkit::{Ran, Sandbox};
use serde_json::{Value, json};

use super::reporting::{Reporting as _, with_client};

const SKILL: &str = "---\nname: implement\ndescription: Implements\n---\n```json\n{\"phases\": [\"1: Plan\", \"2: Build\", \"3: Check\"]}\n```\n";

/// Every test of a command runs in both.
pub(super) fn with_and_without_daemon(test: impl Fn(&Sandbox)) {
    for daemon in ["off", "on"] {
        let mut sandbox = with_client();
        sandbox.folder("project/.git");
        sandbox.write_in_project(".claude/skills/implement/SKILL.md", SKILL);
        if daemon == "off" {
            sandbox.set("BOWLINE_DAEMON", "off");
        } else {
            sandbox.run(&["daemon", "start"]).expect(0, &[]);
        }
        test(&sandbox);
        let is_running = sandbox.ask("daemon.status").is_some();
        assert_eq!(is_running, daemon == "on", "who answered");
    }
}

fn begin(sandbox: &Sandbox) -> Value {
    sandbox.json(&["effort", "start", "fix-login", "implement"])
}

fn log_file(sandbox: &Sandbox) -> PathBuf {
    (sandbox.project()).join(".tasks/fix-login/1_IMPLEMENT_LOG.md")
}

/// The word of the rule that forbids it, and what the program exits with.
pub(super) fn refusal(ran: &Ran) -> (Option<i32>, String) {
    let error = &ran.json()["error"];
    assert_eq!(error["kind"], "refused", "{error}");
    let code = error["code"].as_str().unwrap();
    assert!(
        ran.stderr.contains(&format!("error[{code}]: ")),
        "{}",
        ran.stderr
    );
    (ran.code, code.to_owned())
}

/// Reports an event of the session `s1`.
pub(super) fn report(sandbox: &Sandbox, event: &str, more: Value) -> Ran {
    let mut payload = json!({
        "session_id": "s1", "cwd": sandbox.project(), "hook_event_name": event,
    });
    let Value::Object(more) = more else {
        panic!("no object")
    };
    payload.as_object_mut().unwrap().extend(more);
    let project = sandbox.project().to_str().unwrap();
    let variables = [("CLAUDE_PROJECT_DIR", project)];
    sandbox.hook_with(event, payload.to_string().as_bytes(), &[], &variables)
}

pub(super) fn as_agent(sandbox: &Sandbox, args: &[&str]) -> Ran {
    Ran::of(sandbox.command(args).env("BOWLINE_SESSION", "s1"))
}

#[test]
fn looking_leaves_no_traces_and_says_what_to_do() {
    let sandbox = with_client();
    for (args, text) in [
        (["task", "list"], "`bowline task new NAME` makes one"),
        (
            ["effort", "list"],
            "`bowline effort start TASK SKILL` begins one",
        ),
        (["note", "list"], "`bowline note add \"…\"` pins a line"),
    ] {
        sandbox.run(&args).expect(0, &[text]);
    }
    sandbox.run(&["effort", "show"]).expect_stderr(
        1,
        &[
            "error[NO_ACTIVE_EFFORT]",
            "`bowline effort start TASK SKILL`",
        ],
    );
    assert!(!sandbox.data().exists());
}

#[test]
fn f37_a_an_effort_goes_through_its_phases() {
    with_and_without_daemon(|sandbox| {
        let begun = begin(sandbox);
        assert_eq!(
            (&begun["done"], &begun["how"]),
            (&json!("begun"), &json!("started"))
        );
        assert_eq!(
            begun["effort"]["phases"],
            json!(["1: Plan", "2: Build", "3: Check"])
        );
        assert_eq!(begin(sandbox)["how"], "resumed");

        let skipped = sandbox.run(&["effort", "phase", "2", "--json"]);
        assert_eq!(
            refusal(&skipped),
            (Some(1), "PHASE_NOT_SEQUENTIAL".to_owned())
        );
        let details = &skipped.json()["error"]["details"];
        assert_eq!(
            *details,
            json!({"expected": "1: Plan", "actual": "2: Build"})
        );

        sandbox.run(&["effort", "phase", "plan"]).expect(
            0,
            &[
                "fix-login #1 (implement)",
                "▶ 1: Plan  · 2: Build  · 3: Check",
            ],
        );
        let nowhere = sandbox.run(&["effort", "phase", "4: Ship", "--json"]);
        assert_eq!(refusal(&nowhere), (Some(1), "UNKNOWN_PHASE".to_owned()));
        let proven = [
            "effort",
            "phase",
            "2: Build",
            "--proof",
            "the plan is in 1_PLAN.md",
        ];
        sandbox.run(&proven).expect(0, &["✓ 1: Plan  ▶ 2: Build"]);
        let back = ["effort", "phase", "1", "--reason", "the plan was wrong"];
        sandbox.run(&back).expect(0, &["▶ 1: Plan"]);

        let shown = sandbox.json(&["effort", "show"]);
        assert_eq!(shown["history"][1]["proof"], "the plan is in 1_PLAN.md");
        assert_eq!(shown["history"][2]["reason"], "the plan was wrong");
        sandbox.run(&["effort", "show", "1"]).expect(
            0,
            &[
                "active",
                "proof: the plan is in 1_PLAN.md",
                "reason: the plan was wrong",
            ],
        );

        let skip = ["effort", "phase", "3", "--reason", "it was built before"];
        sandbox.run(&skip).expect(0, &["✓ 1: Plan  ✓ 2: Build"]);

        sandbox.run(&["effort", "finish"]).expect(0, &["Finished"]);
        let again = sandbox.run(&["effort", "finish", "--json"]);
        assert_eq!(refusal(&again), (Some(1), "NO_ACTIVE_EFFORT".to_owned()));
        let next = begin(sandbox);
        assert_eq!(next["effort"]["ordinal"], 2);
        sandbox.run(&["effort", "phase", "1"]).expect(0, &[]);
        let progress = "✓ 1: Plan  ↷ 2: Build (skipped)  ▶ 3: Check";
        sandbox.run(&skip).expect(0, &[progress]);
        let shown = sandbox.run(&["effort", "show"]);
        shown.expect(0, &[progress, "Id      2"]);
        sandbox.run(&["effort", "list"]).lacks(&["#"]);
        let listed = sandbox.json(&["effort", "list"]);
        let states: Vec<&Value> = [0, 1].map(|n| &listed["efforts"][n]["lifecycle"]).into();
        assert_eq!(states, ["active", "finished"]);
    });
}

#[test]
fn f37_c_a_log_is_a_file_of_its_effort() {
    with_and_without_daemon(|sandbox| {
        begin(sandbox);
        sandbox
            .run(&["effort", "log", "Found", "it"])
            .expect(0, &["Logged", ".tasks/fix-login/1_IMPLEMENT_LOG.md"]);
        sandbox
            .run_with(&["effort", "log"], b"## From a pipe\n\nwith a body\n")
            .expect(0, &[]);
        sandbox
            .run_with(&["effort", "log", "-"], b"from standard input")
            .expect(0, &[]);
        let log = fs::read_to_string(log_file(sandbox)).unwrap();
        for text in [
            "# fix-login #1 (implement)",
            "\nFound it\n",
            "] From a pipe\n",
            "\nfrom standard input\n",
        ] {
            assert!(log.contains(text), "{text} in {log}");
        }
        let shown = sandbox.json(&["effort", "show"]);
        assert_eq!(shown["artifacts"], json!([log_file(sandbox)]));
    });
}

#[test]
fn tasks_are_made_once_and_listed_with_their_efforts() {
    with_and_without_daemon(|sandbox| {
        let new = [
            "task",
            "new",
            "Fix Login",
            "--title",
            "Fix the login",
            "--description",
            "It fails",
        ];
        sandbox.run(&new).expect(
            0,
            &[
                "fix-login",
                "dormant",
                "Fix the login",
                "It fails",
                ".tasks/fix-login",
            ],
        );
        assert!(sandbox.project().join(".tasks/fix-login").is_dir());
        let again = sandbox.json(&["task", "new", "fix-login", "--title", "another"]);
        assert_eq!(again["task"]["title"], "Fix the login");
        begin(sandbox);
        let listed = sandbox.json(&["task", "list"]);
        assert_eq!(listed["tasks"].as_array().unwrap().len(), 1);
        assert_eq!(listed["tasks"][0]["state"], "active");
        for name in ["fix-login", ".tasks/fix-login"] {
            sandbox
                .run(&["task", "show", name])
                .expect(0, &["fix-login", "active", "implement"]);
        }
        let unknown = sandbox.run(&["task", "show", "nothing", "--json"]);
        assert_eq!(refusal(&unknown), (Some(1), "TASK_NOT_FOUND".to_owned()));
        let unknown = sandbox.run(&["effort", "resume", "nothing", "--json"]);
        assert_eq!(refusal(&unknown), (Some(1), "TASK_NOT_FOUND".to_owned()));
        sandbox.run(&["effort", "resume"]).expect(0, &["Resumed"]);
    });
}

#[test]
fn notes_are_pinned_to_the_project_or_to_the_effort() {
    with_and_without_daemon(|sandbox| {
        let nowhere = sandbox.run(&["note", "add", "--effort", "x", "--json"]);
        assert_eq!(refusal(&nowhere), (Some(1), "NO_ACTIVE_EFFORT".to_owned()));
        sandbox
            .run(&["note", "add", "No", "new", "dependency"])
            .expect(0, &["Pinned note 1: No new dependency"]);
        begin(sandbox);
        sandbox
            .run_with(&["note", "add", "--effort"], b"The API stays")
            .expect(0, &["The API stays"]);
        sandbox
            .run(&["effort", "note", "In cents"])
            .expect(0, &["Pinned to effort 1 as note 3: In cents"]);
        let listed = sandbox.json(&["note", "list"]);
        let of = |n: usize| &listed["notes"][n]["effort"];
        assert_eq!([of(0), of(1), of(2)], [&Value::Null, &json!(1), &json!(1)]);

        sandbox
            .run(&["note", "remove", "1"])
            .expect(0, &["Removed note 1"]);
        let again = sandbox.run(&["note", "remove", "1", "--json"]);
        assert_eq!(refusal(&again), (Some(1), "NOT_FOUND".to_owned()));
        sandbox.run(&["note", "list"]).lacks(&["No new dependency"]);
    });
}

#[test]
fn the_session_of_the_shell_is_the_one_that_begins_and_leaves_something() {
    with_and_without_daemon(|sandbox| {
        // Nobody is there who could leave something.
        begin(sandbox);
        let nobody = sandbox.run(&["effort", "dehydrate", "half done", "--json"]);
        assert_eq!(refusal(&nobody), (Some(1), "NOT_FOUND".to_owned()));

        report(sandbox, "SessionStart", json!({"source": "startup"}));
        as_agent(sandbox, &["effort", "resume"]).expect(0, &["Resumed"]);
        let shown = sandbox.json(&["effort", "show"]);
        assert_eq!(shown["sessions"].as_array().unwrap().len(), 1, "{shown}");

        let payload =
            r#"{"summary": "half done", "nextSteps": ["the rest"], "requiredFiles": ["a.rs"]}"#;
        let file = sandbox.write("summary.json", payload);
        let args = ["effort", "dehydrate", "--file", file.to_str().unwrap()];
        as_agent(sandbox, &args).expect(0, &["Kept for the next session", "End your turn now"]);
        let shown = sandbox.json(&["effort", "show"]);
        let left = &shown["sessions"][0]["dehydrated"];
        assert_eq!(left["summary"], "half done");
        assert_eq!(left["nextSteps"], json!(["the rest"]));
        sandbox
            .run(&["effort", "show"])
            .expect(0, &["left a summary"]);
    });
}

#[test]
fn an_agents_name_leads_to_its_own_effort() {
    with_and_without_daemon(|sandbox| {
        let named = |id: &str, args: &[&str]| Ran::of(sandbox.command(args).env("AGENT_ID", id));
        named("ann", &["effort", "start", "one", "implement"]).expect(0, &["one #1"]);
        named("bob", &["effort", "start", "two", "implement"]).expect(0, &["two #1"]);
        named("ann", &["effort", "show"]).expect(0, &["one #1"]);
        // Without a name, the one that was started last is meant.
        for nobody in ["", "default"] {
            named(nobody, &["effort", "show"]).expect(0, &["two #1"]);
        }
    });
}

#[test]
fn a_folder_below_and_a_worktree_belong_to_the_project() {
    with_and_without_daemon(|sandbox| {
        begin(sandbox);
        let below = sandbox.folder("project/src/deep");
        let worktree = sandbox.folder("elsewhere");
        sandbox.folder("project/.git/worktrees/elsewhere");
        let git = sandbox.project().join(".git/worktrees/elsewhere");
        sandbox.write("elsewhere/.git", format!("gitdir: {}\n", git.display()));
        for folder in [below, worktree] {
            let here = |args: &[&str]| Ran::of(sandbox.command(args).current_dir(&folder));
            here(&["effort", "log", "from elsewhere"]).expect(0, &["Logged"]);
            here(&["effort", "start", "fix-login", "implement"]).expect(0, &["Resumed"]);
            here(&["note", "add", "from elsewhere"]).expect(0, &[]);
        }
        let notes = sandbox.json(&["note", "list"]);
        assert_eq!(notes["notes"].as_array().unwrap().len(), 2);
        let other = sandbox.folder("other");
        let there = |args: &[&str]| Ran::of(sandbox.command(args).current_dir(&other));
        there(&["effort", "log", "x"]).expect_stderr(1, &["NO_ACTIVE_EFFORT"]);
        there(&["effort", "list"]).expect(0, &["No effort was begun in this project"]);
        there(&["effort", "list", "--all"]).expect(0, &["fix-login"]);
        there(&["task", "list", "--all"]).expect(0, &["fix-login"]);
    });
}

#[test]
fn an_agent_that_begins_in_a_folder_of_the_repository_is_told_what_is_pinned_to_it() {
    with_and_without_daemon(|sandbox| {
        sandbox
            .run(&["note", "add", "No new dependency"])
            .expect(0, &[]);
        let below = sandbox.folder("project/packages/web");
        let payload = json!({
            "session_id": "s9", "cwd": below, "hook_event_name": "SessionStart", "source": "startup",
        });
        let variables = [("CLAUDE_PROJECT_DIR", below.to_str().unwrap())];
        let payload = payload.to_string();
        sandbox
            .hook_with("SessionStart", payload.as_bytes(), &[], &variables)
            .expect(0, &["No new dependency"]);
    });
}

#[test]
fn bad_input_is_refused_with_a_reason_and_changes_nothing() {
    with_and_without_daemon(|sandbox| {
        begin(sandbox);
        report(sandbox, "SessionStart", json!({"source": "startup"}));
        let nine = json!({"summary": "s", "requiredFiles": vec!["f"; 9]}).to_string();
        let long = "x".repeat(81);
        let huge = vec![b'x'; 70 * 1024];
        for (args, stdin, code) in [
            (&["effort", "log", ""][..], &b""[..], "COMMAND_ERROR"),
            (&["effort", "log"], b" \n", "COMMAND_ERROR"),
            (&["effort", "phase", " "], b"", "COMMAND_ERROR"),
            (&["effort", "note", " "], b"", "COMMAND_ERROR"),
            (&["note", "add", ""], b"", "COMMAND_ERROR"),
            (&["effort", "dehydrate"], nine.as_bytes(), "COMMAND_ERROR"),
            (&["effort", "dehydrate"], b"{\"summary\": ", "PARSE_ERROR"),
            (
                &["effort", "dehydrate"],
                b"{\"summary\": \"\"}",
                "COMMAND_ERROR",
            ),
            (&["effort", "dehydrate"], &huge, "COMMAND_ERROR"),
            (
                &["effort", "start", "../../etc", "implement"],
                b"",
                "COMMAND_ERROR",
            ),
            (
                &["effort", "start", "/etc", "implement"],
                b"",
                "COMMAND_ERROR",
            ),
            (&["effort", "start", "", "implement"], b"", "COMMAND_ERROR"),
            (&["effort", "start", "x", ""], b"", "COMMAND_ERROR"),
            (&["effort", "dehydrate"], b"[1]", "COMMAND_ERROR"),
            (
                &["effort", "start", &long, "implement"],
                b"",
                "COMMAND_ERROR",
            ),
            (&["task", "new", ".."], b"", "COMMAND_ERROR"),
            (&["task", "show", "../x"], b"", "COMMAND_ERROR"),
            (&["effort", "resume", "a/b"], b"", "COMMAND_ERROR"),
        ] {
            let ran = sandbox.run_with(&[args, &["--json"]].concat(), stdin);
            assert_eq!(refusal(&ran), (Some(2), code.to_owned()), "{args:?}");
        }
        for (args, stdin, text) in [
            (
                &["effort", "log"][..],
                &b"\xff\xfe"[..],
                "standard input is not UTF-8",
            ),
            (
                &["note", "add", "-"],
                b"\xff",
                "standard input is not UTF-8",
            ),
            (
                &["effort", "dehydrate", "--file", "nowhere"],
                b"",
                "cannot read nowhere",
            ),
            (&["effort", "show", "one"], b"", "invalid value"),
            (&["note", "remove", "one"], b"", "invalid value"),
            (&["effort", "start", "fix-login"], b"", "required arguments"),
            (&["effort"], b"", "Usage: bowline effort"),
        ] {
            sandbox.run_with(args, stdin).expect_stderr(2, &[text]);
        }
        let shown = sandbox.json(&["effort", "show"]);
        assert_eq!(shown["effort"]["phase"], Value::Null);
        assert_eq!(shown["notes"], json!([]));
        let folders = fs::read_dir(sandbox.project().join(".tasks")).unwrap();
        assert_eq!(folders.count(), 1);
        assert!(!log_file(sandbox).exists());
        assert_eq!(
            sandbox.json(&["task", "list"])["tasks"]
                .as_array()
                .unwrap()
                .len(),
            1
        );
    });
}

#[test]
fn very_long_texts_are_cut_and_nothing_secret_is_kept() {
    with_and_without_daemon(|sandbox| {
        begin(sandbox);
        let long = vec![b'x'; 200 * 1024];
        sandbox
            .run_with(&["effort", "log"], &long)
            .expect(0, &["Logged"]);
        let log = fs::read_to_string(log_file(sandbox)).unwrap();
        assert!(log.len() < 40 * 1024 && log.contains("(Cut: this entry had 204800 bytes"));

        let most = vec![b'x'; 1024 * 1024 + 1];
        sandbox
            .run_with(&["effort", "log"], &most)
            .expect_stderr(2, &["longer than 1 MB"]);

        let token = format!("ghp_{}", "a1B2c3D4e5F6".repeat(3));
        let said = format!("the token is {token}");
        sandbox.run(&["effort", "log", &said]).expect(0, &[]);
        sandbox
            .run(&["note", "add", &said])
            .expect(0, &[])
            .lacks(&[&token]);
        let log = fs::read_to_string(log_file(sandbox)).unwrap();
        assert!(!log.contains(&token) && log.contains("the token is"));
        sandbox.run(&["note", "list", "--json"]).lacks(&[&token]);
    });
}

#[test]
fn f37_b_the_skill_is_read_without_words_and_performs_with_them() {
    with_and_without_daemon(|sandbox| {
        let call = |args: &str| {
            let input = json!({"skill": "effort", "args": args});
            let call = json!({"tool_name": "Skill", "tool_use_id": "t1", "tool_input": input});
            report(sandbox, "PreToolUse", call)
        };
        call("").expect(0, &[]).lacks(&["deny", "block"]);
        call("start fix-login implement").expect(0, &["Started", "fix-login #1"]);
        call("fly").expect(0, &["deny", "is no command of an effort"]);
        sandbox.run(&["effort", "list"]).expect(0, &["fix-login"]);
    });
}
