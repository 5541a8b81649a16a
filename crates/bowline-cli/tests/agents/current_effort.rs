//! Which effort a command means, where several are active.

use std::path::Path;

use bowline_testkit::{Ran, Sandbox};
use serde_json::{Value, json};

use super::efforts::{as_agent, refusal, report, with_and_without_daemon};

/// Begins `one` and then `two`, each in an effort of the same number.
fn begin_two(sandbox: &Sandbox) {
    for task in ["one", "two"] {
        sandbox
            .run(&["effort", "start", task, "implement"])
            .expect(0, &["Started"]);
    }
}

#[test]
fn the_effort_that_was_started_or_resumed_last_is_meant() {
    with_and_without_daemon(|sandbox| {
        begin_two(sandbox);
        let log = |text: &str| sandbox.run(&["effort", "log", text]);
        log("a").expect(0, &["Logged: two #1 (implement) in .tasks/two/"]);
        sandbox
            .run(&["effort", "resume", "one"])
            .expect(0, &["Resumed: one #1"]);
        log("b").expect(0, &["Logged: one #1 (implement) in .tasks/one/"]);
        sandbox
            .run(&["effort", "phase", "1"])
            .expect(0, &["Phase: one #1"]);
        let listed = sandbox.json(&["effort", "list"]);
        assert_eq!(listed["current"], 1, "{listed}");
        let shown = sandbox.run(&["effort", "list"]);
        let states: Vec<_> = (shown.stdout.lines().skip(1))
            .map(|line| line.split_whitespace().nth(1))
            .collect();
        assert_eq!(states, [Some("active"), Some("current")]);

        sandbox
            .run(&["effort", "finish"])
            .expect(0, &["Finished: one #1"]);
        log("c").expect(0, &["Logged: two #1"]);
        sandbox
            .run(&["effort", "finish"])
            .expect(0, &["Finished: two #1"]);
        assert_eq!(sandbox.json(&["effort", "list"])["current"], Value::Null);
    });
}

#[test]
fn a_number_names_the_effort() {
    with_and_without_daemon(|sandbox| {
        begin_two(sandbox);
        report(sandbox, "SessionStart", json!({"source": "startup"}));
        as_agent(sandbox, &["effort", "resume", "two"]).expect(0, &["two #1"]);
        let of_one = |args: &[&str]| {
            let mut words = vec!["effort"];
            words.extend(args);
            words.extend(["--effort", "1"]);
            as_agent(sandbox, &words)
        };
        of_one(&["log", "a"]).expect(0, &["Logged: one #1"]);
        of_one(&["phase", "1"]).expect(0, &["Phase: one #1"]);
        of_one(&["note", "In cents"]).expect(0, &["Pinned to effort 1 as note 1"]);
        // Nobody works on the first one, and the session stays in its own.
        let nobody = of_one(&["dehydrate", "half done", "--json"]);
        assert_eq!(refusal(&nobody), (Some(1), "NOT_FOUND".to_owned()));
        as_agent(sandbox, &["effort", "log", "b"]).expect(0, &["Logged: two #1"]);
        of_one(&["finish"]).expect(0, &["Finished: one #1"]);

        for (args, code) in [
            (&["log", "a"][..], "EFFORT_FINISHED"),
            (&["phase", "2"], "EFFORT_FINISHED"),
            (&["note", "x"], "EFFORT_FINISHED"),
            (&["dehydrate", "x"], "EFFORT_FINISHED"),
            (&["finish"], "ALREADY_FINISHED"),
        ] {
            let ran = of_one(&[args, &["--json"]].concat());
            assert_eq!(refusal(&ran), (Some(1), code.to_owned()), "{args:?}");
        }
        let unknown = sandbox.run(&["effort", "log", "x", "--effort", "9", "--json"]);
        assert_eq!(refusal(&unknown), (Some(1), "NOT_FOUND".to_owned()));
        let other = sandbox.folder("other/.git");
        let mut elsewhere = sandbox.command(&["effort", "log", "x", "--effort", "2"]);
        elsewhere.current_dir(other.parent().unwrap());
        let project = sandbox.project().to_str().unwrap().to_owned();
        Ran::of(&mut elsewhere).expect_stderr(1, &["error[NOT_FOUND]", &project]);
    });
}

#[test]
fn a_session_that_nobody_knows_changes_nothing() {
    with_and_without_daemon(|sandbox| {
        begin_two(sandbox);
        let unknown = &|args: &[&str]| {
            let mut command = sandbox.command(args);
            Ran::of(command.env("BOWLINE_SESSION", "nobody"))
        };
        let changes = [
            &["effort", "log", "x"][..],
            &["effort", "finish"],
            &["effort", "start", "three", "implement"],
            &["note", "add", "x"],
            &["task", "new", "three"],
            &["work", "add", "x"],
            &["work", "done", "1"],
            &["orchestrator", "reset"],
        ];
        // Each waits for the session to be recorded, so they do it together.
        std::thread::scope(|scope| {
            for args in changes {
                let refused = "error[NOT_FOUND]: BOWLINE_SESSION is \"nobody\"";
                let way = "`unset BOWLINE_SESSION`";
                scope.spawn(move || {
                    unknown(args).expect_stderr(1, &[refused, way]);
                });
            }
        });
        // Looking is free.
        unknown(&["effort", "show"]).expect(0, &["two #1"]);
        let listed = sandbox.json(&["effort", "list"]);
        assert_eq!(listed["efforts"].as_array().unwrap().len(), 2);
        assert_eq!(listed["current"], 2);
        assert_eq!(sandbox.json(&["work", "list"])["items"], json!([]));
        assert!(!sandbox.project().join(".tasks/three").exists());
        assert!(
            !sandbox
                .project()
                .join(".tasks/two/1_IMPLEMENT_LOG.md")
                .exists()
        );
    });
}

#[test]
fn the_first_command_of_a_session_is_never_too_early() {
    with_and_without_daemon(|sandbox| {
        report(sandbox, "SessionStart", json!({"source": "startup"}));
        as_agent(sandbox, &["effort", "start", "one", "implement"]).expect(0, &["Started"]);
        let shown = sandbox.json(&["effort", "show"]);
        assert_eq!(shown["sessions"].as_array().unwrap().len(), 1, "{shown}");
        // Where nothing is recorded, no session is known. Others have their own variable of that kind.
        for (variables, session) in [
            (&[("BOWLINE_DISABLE_TRACKING", "1")][..], "BOWLINE_SESSION"),
            (&[], "HTMLGRAPH_SESSION_ID"),
        ] {
            let mut command = sandbox.command(&["effort", "log", "x"]);
            command
                .envs(variables.iter().copied())
                .env(session, "other");
            Ran::of(&mut command).expect(0, &["Logged: one #1"]);
        }
    });
}

#[test]
fn tasks_are_of_projects() {
    with_and_without_daemon(|sandbox| {
        let home = sandbox.home();
        let at = |folder: &Path, args: &[&str]| Ran::of(sandbox.command(args).current_dir(folder));
        let start = ["effort", "start", "one", "implement"];
        for (folder, what) in [
            (Path::new("/"), "the root of the file system"),
            (&home, "your home folder"),
        ] {
            for args in [
                &start[..],
                &["task", "new", "one"],
                &["note", "add", "x"],
                &["work", "add", "x"],
            ] {
                let way = "Change to the folder of a project first: `cd PROJECT`.";
                at(folder, args).expect_stderr(2, &["error[COMMAND_ERROR]", what, way]);
            }
            assert!(!folder.join(".tasks/one").exists());
            at(folder, &["note", "list"]).expect(0, &["Nothing is pinned here."]);
            at(folder, &["work", "list"]).expect(0, &["Nothing is to be done here."]);
        }
        assert_eq!(sandbox.json(&["task", "list", "--all"])["tasks"], json!([]));
        // People keep their home in a repository, too.
        sandbox.folder(home.join(".git"));
        at(&home, &start).expect(0, &["Started"]);
        assert!(home.join(".tasks/one").is_dir());
    });
}
