//! `bowline trace`.

use bowline::hooks::Decision;
use bowline_store::{CallKey, Change, Enforcement, Unfinished};
use bowline_testkit::Ran;
use serde_json::{Value, json};

use super::history::History;

fn ids(document: &Value) -> Vec<&str> {
    document["traces"]
        .as_array()
        .unwrap()
        .iter()
        .map(|trace| trace["tool_use_id"].as_str().unwrap())
        .collect()
}

#[test]
fn f21_b_calls_are_listed_newest_first_and_filtered() {
    let history = History::after_work();
    for (filter, expected) in [
        (
            "",
            vec![
                "other",
                "toolu_open",
                "toolu_push",
                "toolu_test",
                "toolu_grep",
                "toolu_read",
                "toolu_task",
            ],
        ),
        ("--session s-2", vec!["other"]),
        ("--session nobody", vec![]),
        ("--tool Read", vec!["other", "toolu_read"]),
        ("--status error", vec!["toolu_test"]),
        ("--status any-error", vec!["toolu_test"]),
        ("--status denied", vec!["toolu_push"]),
        ("--status Completed --tool Read", vec!["toolu_read"]),
        ("--status refused", vec![]),
        ("--status ok --limit 1", vec!["toolu_grep"]),
        ("--limit 2", vec!["other", "toolu_open"]),
        ("--since 1s", vec![]),
        ("--project . --tool Grep", vec!["toolu_grep"]),
        ("--project ../home", vec![]),
        (
            "--tool Bash --status started --since 1h --session s-1",
            vec!["toolu_open"],
        ),
    ] {
        let args: Vec<&str> = ["trace", "list"]
            .into_iter()
            .chain(filter.split_whitespace())
            .collect();
        assert_eq!(ids(&history.json(&args)), expected, "{filter}");
    }
    history.run(&["trace", "list"]).expect(
        0,
        &[
            "When",
            "project",
            "5 min ago",
            "error",
            "350 ms",
            "cargo test",
            "exit code 101",
            "toolu_test",
        ],
    );
}

#[test]
fn a_list_has_one_line_for_each_call_and_pipes_get_all_of_it() {
    let history = History::new();
    let command = format!(
        "cat {}/src/a.rs {}\nsecond line",
        history.project().display(),
        "x".repeat(200)
    );
    history.record(vec![
        history.start(
            "0f3a5b7c-session",
            "toolu_01AbCdEfGhIjKlMn",
            "Bash",
            0,
            &json!({"command": command}),
        ),
        history.end(
            "0f3a5b7c-session",
            "toolu_01AbCdEfGhIjKlMn",
            "Bash",
            9,
            Some("exit code 7"),
        ),
    ]);
    let whole = format!("cat src/a.rs {}⏎second line  exit code 7", "x".repeat(200));
    let list = ["trace", "list"];
    for args in [
        &list[..],
        &["trace", "errors"],
        &["trace", "slow", "--threshold", "1ms"],
        &["log"],
    ] {
        for width in [60, 80, 120, 200] {
            let ran = history.run_at(width, args);
            ran.expect(0, &["cat src/a.rs", "project", "toolu_01AbCd"]);
            ran.fits(width);
            if width >= 80 {
                ran.expect(0, &[" 0f3a5b "]);
            }
            if width >= 100 {
                ran.expect(0, &["claude"]);
            }
            let lines = if args == ["log"] { 3 } else { 2 };
            assert_eq!(ran.stdout.lines().count(), lines, "{}", ran.stdout);
        }
        let piped = Ran::of(history.command(args).env_remove("COLUMNS"));
        piped.expect(
            0,
            &[
                "toolu_01AbCdEfGhIjKlMn",
                "0f3a5b7c-session",
                "claude-code",
                "project",
            ],
        );
        if args != ["log"] {
            piped.expect(0, &[&whole]);
        }
    }
    history.run_at(140, &list).expect(
        0,
        &[
            "Project",
            "Agent",
            "Session",
            "project  claude-code  0f3a5b ",
        ],
    );
    // A cut id is an id.
    history
        .run(&["trace", "show", "toolu_01AbCdEfG…"])
        .expect(0, &["toolu_01AbCdEfGhIjKlMn"]);
}

#[test]
fn filters_forgive_and_last_is_an_id() {
    let history = History::after_work();
    for (filter, expected) in [
        ("--tool bash --status denied", vec!["toolu_push"]),
        ("--session last", vec!["other"]),
        (
            "--session s-",
            vec![
                "other",
                "toolu_open",
                "toolu_push",
                "toolu_test",
                "toolu_grep",
                "toolu_read",
                "toolu_task",
            ],
        ),
        ("--session s-2 --since yesterday", vec!["other"]),
        ("--session s-2 --since 1w", vec!["other"]),
    ] {
        let args = ["trace", "list"].into_iter().chain(filter.split(' '));
        assert_eq!(
            ids(&history.json(&args.collect::<Vec<_>>())),
            expected,
            "{filter}"
        );
    }
    for args in [&["trace", "show", "last"][..], &["trace", "show"]] {
        assert_eq!(history.json(args)["trace"]["tool_use_id"], "other");
    }
    assert_eq!(
        history.json(&["trace", "tree", "last"])["tree"]["calls"][0]["trace"]["tool"],
        "Read"
    );
    for args in [&["session", "show", "last"][..], &["session", "show"]] {
        assert_eq!(history.json(args)["sessions"][0]["session"], "s-2");
    }
}

#[test]
fn a_call_tells_what_was_decided_about_it_also_where_the_guard_observes() {
    let history = History::new();
    let mut event = history.start(
        "s",
        "toolu_1",
        "Bash",
        0,
        &json!({"command": "git push --force"}),
    );
    event.decided.decision = Decision::Deny;
    event.decided.enforcement = Enforcement::Observed;
    event.decided.rule = Some("git.push-force".into());
    event.decided.reason = Some("overwrites what others have pushed".into());
    history.record(vec![event]);
    let told = ["would DENY", "git.push-force", "overwrites what others"];
    for args in [
        &["trace", "show", "last"][..],
        &["log"],
        &["log", "--decision", "observed", "--long"],
    ] {
        history
            .run(args)
            .expect(0, &told)
            .expect(0, &["git push --force"]);
    }
    history
        .run(&["log", "--decision", "deny"])
        .expect(0, &["No event is like that"]);
    let document = history.json(&["log", "--rule", "git.*"]);
    let event = &document["triggers"][0];
    assert_eq!(
        (&event["decision"], &event["enforcement"]),
        (&json!("deny"), &json!("observed"))
    );
    assert_eq!(event["rule"], "git.push-force");
}

/// Events of two projects of one name, by two agents.
fn of_two_shops() -> History {
    let history = History::new();
    let mut records = Vec::new();
    for (place, agent) in [("a", "claude-code"), ("b", "codex")] {
        let session = format!("{place}1b2c3d4-session");
        let input = json!({"command": "cargo test --workspace --all-features"});
        let mut start = history.start(&session, &format!("toolu_{place}"), "Bash", 0, &input);
        let mut end = history.end(
            &session,
            &format!("toolu_{place}"),
            "Bash",
            2_000,
            Some("exit code 1"),
        );
        for record in [&mut start, &mut end] {
            record.decided.project = Some(format!("/srv/{place}/my shop"));
            record.decided.agent = agent.into();
            record.decided.id = format!("{}-{place}", record.decided.id);
        }
        records.extend([start, end]);
    }
    history.record(records);
    history
}

#[test]
fn who_did_what_is_seen_in_narrow_terminals() {
    let history = of_two_shops();
    for args in [
        &["trace", "list"][..],
        &["trace", "slow"],
        &["trace", "errors"],
        &["log"],
    ] {
        for width in [60, 80, 100, 120] {
            let ran = history.run_at(width, args);
            ran.expect(0, &["a/my sh", "b/my sh", "cargo test --w", "toolu_a"]);
            ran.fits(width);
            if width >= 80 {
                ran.expect(0, &[" a1b2c3 ", " b1b2c3 ", "claude", "codex"]);
            }
        }
    }
    // What is seen can be asked for.
    for (filter, value) in [
        ("--session", "a1b2c3"),
        ("--project", "a/my shop"),
        ("--agent", "claude-code"),
    ] {
        let document = history.json(&["trace", "list", filter, value]);
        assert_eq!(ids(&document), ["toolu_a"], "{filter} {value}");
    }
    for command in ["log", "trace errors", "trace list --status error"] {
        let args: Vec<&str> = command.split(' ').chain(["--agent", "codex"]).collect();
        let ran = history.run(&args);
        ran.expect(0, &["toolu_b"]).lacks(&["toolu_a"]);
    }
    let document = history.json(&["trace", "stats", "--agent", "codex"]);
    assert_eq!(document["looked_at"], 1, "{document}");
    history
        .run(&["trace", "list", "--agent", "gemini"])
        .expect(0, &["No tool call is like that."]);
    history
        .run(&["log", "--project", "my shop"])
        .expect_stderr(2, &["2 projects are called `my shop`", "/srv/a/my shop"]);
}

#[test]
fn filters_tell_what_was_probably_meant() {
    let history = History::after_work();
    for (args, told) in [
        ("trace list --tool Bsh", "did you mean `Bash`?"),
        ("trace list --tool WebSearch", "there are `Bash`, `Grep`"),
        ("trace stats --tool Raed", "did you mean `Read`?"),
        ("trace errors --session zzz", "there are `s-1`, `s-2`"),
        ("session list --project prject", "/project`?"),
        ("log --project nowhere", "No project `"),
        ("log --event PreTolUse", "did you mean `PreToolUse`?"),
        ("log --rule git.push-forc", "did you mean `git.push-force`?"),
        (
            "trace slow --threshold 1h",
            "No tool call took 60 min or longer",
        ),
    ] {
        let args: Vec<&str> = args.split(' ').collect();
        history.run(&args).expect(0, &[told]);
    }
    for command in [
        "errors",
        "report",
        "fleet",
        "cost --no-scan",
        "log",
        "trace list",
        "trace stats",
        "session list",
    ] {
        for form in ["", " --json"] {
            let args = format!("{command} --project prject{form}");
            let args: Vec<&str> = args.split(' ').collect();
            let ran = history.run(&args);
            let told = format!("{}{}", ran.stdout, ran.stderr);
            for part in ["No project `", "did you mean `", "/project`?"] {
                assert!(told.contains(part), "{args:?}: {ran}");
            }
        }
        let args = format!("{command} --project project --json");
        let known: Vec<&str> = args.split(' ').collect();
        history.run(&known).lacks(&["note:"]);
    }
    for (args, count) in [
        ("trace list --status error,denied", 2),
        ("trace list --status ok,started --tool Bash", 1),
        ("trace list --project project", 7),
    ] {
        let args: Vec<&str> = args.split(' ').collect();
        assert_eq!(ids(&history.json(&args)).len(), count, "{args:?}");
    }
    for args in [
        "log --decision denied",
        "log --decision DENY,asked",
        "denied --session s-1 --tool bash --limit 1",
    ] {
        let args: Vec<&str> = args.split(' ').collect();
        let document = history.json(&args);
        assert_eq!(document["triggers"][0]["decision"], "deny", "{args:?}");
    }
    let document = history.json(&["log", "--decision", "no_opinion", "--limit", "1"]);
    assert_eq!(document["triggers"][0]["decision"], "no_opinion");
}

#[test]
fn a_refused_call_tells_once_why_it_never_ran() {
    let history = History::new();
    let input = json!({"command": "git push --force"});
    let mut event = history.start("s", "toolu_1", "Bash", 0, &input);
    let why = "overwrites what others have pushed";
    event.decided.decision = Decision::Deny;
    event.decided.reason = Some(why.into());
    event.changes.push(Change::TraceClosed {
        call: CallKey::Id("toolu_1".into()),
        how: Unfinished::Denied,
        message: Some(why.into()),
    });
    history.record(vec![event]);
    let shown = history.run(&["trace", "show"]);
    shown
        .expect(0, &["DENY", "it never ran"])
        .lacks(&["not recorded"]);
    assert_eq!(shown.stdout.matches(why).count(), 1, "{}", shown.stdout);
}

#[test]
fn f21_b_slow_calls_come_slowest_first_and_errors_alone() {
    let history = History::after_work();
    assert_eq!(ids(&history.json(&["trace", "slow"])), ["toolu_task"]);
    let slow = history.json(&["trace", "slow", "--threshold", "100ms"]);
    assert_eq!(ids(&slow)[0], "toolu_task");
    assert_eq!(slow["traces"][0]["duration_ms"], 3_500);
    assert_eq!(ids(&slow).len(), 3);
    history
        .run(&["trace", "slow"])
        .expect(0, &["3.5 s"])
        .lacks(&["toolu_test"]);
    assert_eq!(
        ids(&history.json(&["trace", "errors", "--session", "s-1"])),
        ["toolu_test"]
    );
    history
        .run(&["trace", "errors", "--session", "s-2"])
        .expect(0, &["No tool call is like that"]);
}

#[test]
fn one_call_is_shown_whole_by_its_id_or_the_beginning_of_it() {
    let history = History::after_work();
    for id in ["toolu_read", "toolu_re"] {
        history.run(&["trace", "show", id]).expect(
            0,
            &[
                "Read  ok  50 ms",
                "Part of   toolu_task",
                "Sub-agent agent-1",
                "Session   s-1 (claude-code)",
                "file_path  /srv/app/parser.rs",
                "    first line\n    second line",
            ],
        );
    }
    let document = history.json(&["trace", "show", "toolu_test"]);
    assert_eq!(document["trace"]["error"], "exit code 101");
    assert_eq!(document["trace"]["status"], "error");
    history
        .run(&["trace", "show", "toolu_t"])
        .expect_stderr(2, &["2 calls have an id that begins with `toolu_t`"]);
    history.run(&["trace", "show", "nope"]).expect_stderr(
        2,
        &[
            "no recorded tool call has the id `nope`",
            "bowline trace list",
        ],
    );
    assert_eq!(
        history.json(&["trace", "tree", "nope"])["error"]["kind"],
        "input"
    );
}

#[test]
fn f22_a_a_tree_goes_from_the_prompt_over_the_delegation_to_its_calls() {
    let history = History::after_work();
    let expected = "find the bug in the parser\n\
                    ├─ Task  ok  3.5 s  look around\n\
                    │  ├─ Read  ok  50 ms  /srv/app/parser.rs\n\
                    │  └─ Grep  ok  350 ms  fn parse\n\
                    ├─ Bash  error  350 ms  cargo test\n\
                    │  exit code 101\n\
                    ├─ Bash  denied";
    for id in ["toolu_grep", "toolu_gr", "toolu_task"] {
        history.run(&["trace", "tree", id]).expect(0, &[expected]);
    }
    let document = history.json(&["trace", "tree", "toolu_grep"]);
    let depths: Vec<(u64, &str)> = document["tree"]["calls"]
        .as_array()
        .unwrap()
        .iter()
        .map(|call| {
            (
                call["depth"].as_u64().unwrap(),
                call["trace"]["tool"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        depths,
        [
            (0, "Task"),
            (1, "Read"),
            (1, "Grep"),
            (0, "Bash"),
            (0, "Bash"),
            (0, "Bash")
        ]
    );
}

#[test]
fn statistics_count_by_tool() {
    let history = History::after_work();
    history
        .run(&["trace", "stats"])
        .expect(0, &["Tool", "p99", "██████████", "7 calls"]);
    let document = history.json(&["trace", "stats", "--tool", "Bash"]);
    assert_eq!(document["tools"][0]["count"], 3);
    assert_eq!(document["tools"][0]["errors"], 1);
    assert_eq!(document["looked_at"], 3);
}

#[test]
fn tables_and_trees_fit_the_terminal() {
    let history = History::after_work();
    for width in [60, 200] {
        for args in [
            &["trace", "list"][..],
            &["trace", "slow", "--threshold", "1ms"],
            &["trace", "errors"],
            &["trace", "show", "toolu_read"],
            &["trace", "tree", "toolu_read"],
            &["trace", "stats"],
            &["session", "list"],
            &["session", "show", "s-1"],
            &["log"],
            &["hooks", "--live"],
            &["store", "size"],
        ] {
            history.run_at(width, args).expect(0, &[]).fits(width);
        }
    }
}

#[test]
fn wrong_arguments_are_explained() {
    let history = History::after_work();
    for (args, expected) in [
        (&["trace", "list", "--since", "tomorrow"][..], "10m"),
        (&["trace", "list", "--status", "fine"], "any-error"),
        (
            &["trace", "list", "--limit", "0"],
            "expected a number from 1 to 10000",
        ),
        (
            &["trace", "list", "--limit", "10001"],
            "expected a number from 1 to 10000",
        ),
        (
            &["log", "--limit", "abc"],
            "expected a number from 1 to 10000",
        ),
        (&["trace", "slow", "--threshold", "5"], "500ms"),
        (
            &["trace", "list", "--agent", "codx"],
            "did you mean `codex`?",
        ),
        (
            &["log", "--agent", "nobody"],
            "expected one of claude-code, ",
        ),
        (
            &["session", "list", "--agent", "clade-code"],
            "did you mean `claude-code`?",
        ),
        (
            &["session", "list", "--since", "99999999999999999999d"],
            "10m",
        ),
        (&["store", "forget"], "--session"),
        (
            &["store", "forget", "--all", "--before", "1d"],
            "cannot be used with",
        ),
        (
            &["store", "forget", "--before", "2999-01-01", "--yes"],
            "in the future",
        ),
    ] {
        history.run(args).expect_stderr(2, &[expected]);
    }
    let endless = "x".repeat(5_000);
    for command in ["trace", "session"] {
        let ran = history.run(&[command, "show", &endless]);
        ran.expect_stderr(2, &["xxx"]);
        assert!(ran.stderr.len() < 2_000, "{}", ran.stderr);
    }
}

#[test]
fn help_gives_examples_on_every_level() {
    let history = History::new();
    for command in [
        "trace",
        "trace list",
        "trace show",
        "trace slow",
        "trace errors",
        "trace tree",
        "trace stats",
        "session",
        "session list",
        "session show",
        "log",
        "denied",
        "store",
        "store path",
        "store size",
        "store backup",
        "store compact",
        "store forget",
    ] {
        let mut args: Vec<&str> = command.split(' ').collect();
        args.push("--help");
        history
            .run(&args)
            .expect(0, &["Example", &format!("\n  bowline {command}")]);
    }
}

#[test]
fn where_nothing_is_recorded_nothing_is_made() {
    let history = History::new();
    for args in [
        &["trace", "list"][..],
        &["trace", "slow"],
        &["trace", "errors"],
        &["trace", "stats"],
        &["session", "list"],
        &["log"],
        &["store", "size"],
    ] {
        history.run(args).expect(0, &["bowline init"]);
    }
    for args in [
        &["trace", "show", "x"][..],
        &["trace", "tree", "x"],
        &["store", "compact"],
        &["store", "forget", "--all", "--yes"],
        &["store", "backup", "copy.db"],
    ] {
        history
            .run(args)
            .expect_stderr(2, &["nothing is recorded yet", "bowline init"]);
    }
    assert_eq!(
        history.json(&["trace", "list"])["traces"],
        serde_json::json!([])
    );
    assert!(!history.data().exists());
    assert!(!history.path("project/copy.db").exists());
}
