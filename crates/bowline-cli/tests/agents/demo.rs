//! `bowline demo`.

use std::collections::HashSet;

use bowline_testkit::{Ran, bowline, put};
use serde_json::Value;

use super::reporting::with_client;

fn texts<'a>(rows: &'a Value, name: &str) -> Vec<&'a str> {
    let rows = rows.as_array().unwrap().iter();
    rows.filter_map(|row| row[name].as_str()).collect()
}

#[test]
fn the_demo_shows_what_the_product_does() {
    let sandbox = with_client();
    let demo = sandbox.json(&["demo"]);

    let events: HashSet<&str> = texts(&demo["events"], "event").into_iter().collect();
    for event in [
        "SessionStart",
        "UserPromptSubmit",
        "PreToolUse",
        "PostToolUse",
        "PostToolUseFailure",
        "SubagentStart",
        "SubagentStop",
        "Stop",
        "SessionEnd",
    ] {
        assert!(events.contains(event), "{event}");
    }
    let decided = |what: &str| {
        let mut rows = demo["events"].as_array().unwrap().iter();
        let row = rows.find(|row| row["what"].as_str().unwrap().contains(what));
        row.unwrap_or_else(|| panic!("{what}"))["decision"].clone()
    };
    for (what, decision) in [
        ("rm -rf ~/", "deny"),
        ("git push --force", "deny"),
        (".env", "deny"),
        ("| sudo sh", "ask"),
        ("cargo test", "no_opinion"),
        ("gh pr list", "no_opinion"),
    ] {
        assert_eq!(decided(what), decision, "{what}");
    }

    let calls = demo.pointer("/tree/tree/calls").unwrap();
    let parts: Vec<&Value> = (calls.as_array().unwrap().iter())
        .filter(|call| call["depth"] == 1)
        .collect();
    assert_eq!(parts.len(), 2, "the sub-agent's calls are its parts");
    for part in parts {
        assert_eq!(part["trace"]["parent"], "toolu_demo_agent");
    }
    assert_eq!(
        texts(&demo["slow"]["traces"], "tool"),
        ["Agent", "Bash"],
        "what took longer than half a second"
    );
    let failed = texts(&demo["errors"]["traces"], "status");
    assert_eq!(
        failed.iter().filter(|status| **status == "error").count(),
        1
    );
    assert!(!failed.contains(&"timeout"), "{failed:?}");
    assert!(!demo.to_string().contains("ghp_"), "a token is shown");
    assert!(demo.to_string().contains("[REDACTED"));
}

#[test]
fn the_demo_leaves_nothing_behind() {
    let sandbox = with_client();
    let scratch = sandbox.folder("scratch");
    Ran::of(sandbox.command(&["demo"]).env("TMPDIR", &scratch))
        .expect(0, &["DENY", "bowline trace tree", "Agent", "bowline init"]);
    let left: Vec<_> = std::fs::read_dir(&scratch).unwrap().collect();
    assert!(left.is_empty(), "{left:?}");
    let home: Vec<_> = std::fs::read_dir(sandbox.path("home")).unwrap().collect();
    assert!(home.is_empty(), "{home:?}");
}

#[test]
fn without_the_client_the_demo_says_what_to_do() {
    let sandbox = with_client();
    let alone = sandbox.path("bowline");
    put(bowline(), &alone);
    Ran::of(sandbox.program(alone).arg("demo"))
        .expect_stderr(2, &["bowline-hook", "cargo xtask install"]);
}
