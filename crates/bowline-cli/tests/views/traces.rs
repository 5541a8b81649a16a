//! `bowline trace`.

use serde_json::Value;

use super::machine::Machine;

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
    let machine = Machine::after_work();
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
        assert_eq!(ids(&machine.json(&args)), expected, "{filter}");
    }
    machine.run(&["trace", "list"]).expect(
        0,
        &[
            "the daemon does not answer; read from the store",
            "When",
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
fn f21_b_slow_calls_come_slowest_first_and_errors_alone() {
    let machine = Machine::after_work();
    assert_eq!(ids(&machine.json(&["trace", "slow"])), ["toolu_task"]);
    let slow = machine.json(&["trace", "slow", "--threshold", "100ms"]);
    assert_eq!(ids(&slow)[0], "toolu_task");
    assert_eq!(slow["traces"][0]["duration_ms"], 3_500);
    assert_eq!(ids(&slow).len(), 3);
    machine
        .run(&["trace", "slow"])
        .expect(0, &["3.5 s"])
        .lacks(&["toolu_test"]);
    assert_eq!(
        ids(&machine.json(&["trace", "errors", "--session", "s-1"])),
        ["toolu_test"]
    );
    machine
        .run(&["trace", "errors", "--session", "s-2"])
        .expect(0, &["No tool call is like that"]);
}

#[test]
fn one_call_is_shown_whole_by_its_id_or_the_beginning_of_it() {
    let machine = Machine::after_work();
    for id in ["toolu_read", "toolu_re"] {
        machine.run(&["trace", "show", id]).expect(
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
    let document = machine.json(&["trace", "show", "toolu_test"]);
    assert_eq!(document["trace"]["error"], "exit code 101");
    assert_eq!(document["trace"]["status"], "error");
    machine
        .run(&["trace", "show", "toolu_t"])
        .expect(2, &["2 calls have an id that begins with `toolu_t`"]);
    machine.run(&["trace", "show", "nope"]).expect(
        2,
        &[
            "no recorded tool call has the id `nope`",
            "bowline trace list",
        ],
    );
    assert_eq!(
        machine.json(&["trace", "tree", "nope"])["error"]["kind"],
        "input"
    );
}

#[test]
fn f22_a_a_tree_goes_from_the_prompt_over_the_delegation_to_its_calls() {
    let machine = Machine::after_work();
    let expected = "find the bug in the parser\n\
                    ├─ Task  ok  3.5 s  look around\n\
                    │  ├─ Read  ok  50 ms  /srv/app/parser.rs\n\
                    │  └─ Grep  ok  350 ms  fn parse\n\
                    ├─ Bash  error  350 ms  cargo test\n\
                    │  exit code 101\n\
                    ├─ Bash  denied";
    for id in ["toolu_grep", "toolu_gr", "toolu_task"] {
        machine.run(&["trace", "tree", id]).expect(0, &[expected]);
    }
    let document = machine.json(&["trace", "tree", "toolu_grep"]);
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
    let machine = Machine::after_work();
    machine
        .run(&["trace", "stats"])
        .expect(0, &["Tool", "p99", "██████████", "7 calls"]);
    let document = machine.json(&["trace", "stats", "--tool", "Bash"]);
    assert_eq!(document["tools"][0]["count"], 3);
    assert_eq!(document["tools"][0]["errors"], 1);
    assert_eq!(document["looked_at"], 3);
}

#[test]
fn tables_and_trees_fit_the_terminal() {
    let machine = Machine::after_work();
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
            machine.run_at(width, args).expect(0, &[]).fits(width);
        }
    }
}

#[test]
fn wrong_arguments_are_explained() {
    let machine = Machine::after_work();
    for (args, expected) in [
        (&["trace", "list", "--since", "yesterday"][..], "10m"),
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
        machine.run(args).expect(2, &[expected]);
    }
    let endless = "x".repeat(5_000);
    for command in ["trace", "session"] {
        let ran = machine.run(&[command, "show", &endless]);
        ran.expect(2, &["xxx"]);
        assert!(ran.stderr.len() < 2_000, "{}", ran.stderr);
    }
}

#[test]
fn help_gives_examples_on_every_level() {
    let machine = Machine::new();
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
        "store",
        "store path",
        "store size",
        "store backup",
        "store compact",
        "store forget",
    ] {
        let mut args: Vec<&str> = command.split(' ').collect();
        args.push("--help");
        machine
            .run(&args)
            .expect(0, &["Example", &format!("\n  bowline {command}")]);
    }
}

#[test]
fn where_nothing_is_recorded_nothing_is_made() {
    let machine = Machine::new();
    for args in [
        &["trace", "list"][..],
        &["trace", "slow"],
        &["trace", "errors"],
        &["trace", "stats"],
        &["session", "list"],
        &["log"],
        &["store", "size"],
    ] {
        machine.run(args).expect(0, &["bowline init"]);
    }
    for args in [
        &["trace", "show", "x"][..],
        &["trace", "tree", "x"],
        &["store", "compact"],
        &["store", "forget", "--all", "--yes"],
        &["store", "backup", "copy.db"],
    ] {
        machine
            .run(args)
            .expect(2, &["nothing is recorded yet", "bowline init"]);
    }
    assert_eq!(
        machine.json(&["trace", "list"])["traces"],
        serde_json::json!([])
    );
    assert!(!machine.data().exists());
    assert!(!machine.path("project/copy.db").exists());
}
