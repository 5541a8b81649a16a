//! `bowline log`.

use bowline::hooks::{DateTime, Decision};
use serde_json::Value;

use super::history::{History, fired};

#[test]
fn f47_a_the_last_triggers_tell_event_hooks_scope_decision_duration_and_reason() {
    let history = History::after_work();
    history.run(&["log"]).expect(
        0,
        &[
            "PreToolUse",
            "DENY",
            "git push --force",
            "toolu_push",
            "find the bug in the parser",
        ],
    );
    history.run(&["log", "--long"]).expect(
        0,
        &[
            "PreToolUse  Bash  DENY",
            "git push --force",
            "800 µs",
            "built-in: guard:commands",
            "project: lint failed (exit code 1)",
            "use",
            "--force-with-lease",
        ],
    );
    history
        .run(&["denied"])
        .expect(0, &["git push --force", "toolu_push"])
        .lacks(&["cargo test"]);
    for (filter, count) in [
        ("--decision deny,ask", 1),
        ("--decision nothing --tool grep", 2),
        ("--event sessionstart", 1),
        ("--session s-2", 1),
        ("--session last --project .", 1),
        ("--since 1s", 0),
        ("--rule git.*", 0),
    ] {
        let args = ["log"].into_iter().chain(filter.split(' '));
        let document = history.json(&args.collect::<Vec<_>>());
        assert_eq!(
            document["triggers"].as_array().unwrap().len(),
            count,
            "{filter}"
        );
    }
    let document = history.json(&["log", "--limit", "3"]);
    let triggers = document["triggers"].as_array().unwrap();
    assert_eq!(triggers.len(), 3);
    assert_eq!(triggers[2]["decision"], "deny");
    assert_eq!(triggers[2]["hooks"][0]["scope"], "built-in");
}

#[test]
fn f47_a_the_last_fifty_are_shown_newest_first() {
    let history = History::new();
    let events = (0..60).map(|ms| history.event("Stop", "s", ms));
    history.record(events.collect());
    let document = history.json(&["log"]);
    let triggers = document["triggers"].as_array().unwrap();
    let time = |it: &Value| DateTime::parse_from_rfc3339(it["time"].as_str().unwrap()).unwrap();
    let times: Vec<_> = triggers.iter().map(time).collect();
    assert_eq!(times.len(), 50);
    assert!(times.is_sorted_by(|a, b| a >= b), "{times:?}");
    let all = history.json(&["log", "--limit", "60"]);
    assert_eq!(all["triggers"][0], triggers[0]);
}

#[test]
fn what_hooks_warn_of_and_print_is_shown() {
    let history = History::new();
    let mut event = history.start("s", "toolu_1", "Bash", 0, &serde_json::json!({}));
    let mut hook = fired("lint", Decision::NoOpinion, None);
    hook.warnings = vec!["`modifiedInput` was ignored".into()];
    hook.message = Some("checked 3 files".into());
    event.decided.hooks = vec![hook];
    history.record(vec![event]);
    let said = [
        "lint warns: `modifiedInput` was ignored",
        "lint printed: checked 3 files",
    ];
    // Each on a line of its own.
    let shown = history.run_at(200, &["log", "--long"]);
    shown.expect(0, &said);
    for said in said {
        let lines = shown.stdout.lines().map(str::trim_end);
        assert_eq!(
            lines.filter(|line| line.ends_with(said)).count(),
            1,
            "{}",
            shown.stdout
        );
    }
    let shown = history.run(&["trace", "show", "toolu_1"]);
    shown.expect(0, &said);
    // What does not fit into the line goes on below its beginning.
    let narrow = history.run_at(45, &["trace", "show", "toolu_1"]);
    narrow.expect(
        0,
        &["  PreToolUse  lint warns: `modifiedInput` was\n              ignored\n"],
    );
    history
        .run_at(200, &["hooks", "--live"])
        .expect(0, &["`modifiedInput` was ignored"]);
    let document = history.json(&["log"]);
    let hook = &document["triggers"][0]["hooks"][0];
    assert_eq!(hook["warnings"][0], "`modifiedInput` was ignored");
    assert_eq!(hook["message"], "checked 3 files");
    let document = history.json(&["trace", "show", "toolu_1"]);
    assert_eq!(&document["triggers"][0]["hooks"][0], hook);
    let document = history.json(&["hooks", "--live"]);
    let hooks = document["hooks"].as_array().unwrap();
    let lint = hooks.iter().find(|hook| hook["name"] == "lint").unwrap();
    assert_eq!(lint["last_warning"]["text"], "`modifiedInput` was ignored");
}
