//! `bowline demo`.

use std::collections::HashSet;

use serde_json::Value;

use super::client::BOWLINE;
use super::place::Place;
use super::put::put;

fn texts<'a>(rows: &'a Value, name: &str) -> Vec<&'a str> {
    let rows = rows.as_array().unwrap().iter();
    rows.filter_map(|row| row[name].as_str()).collect()
}

#[test]
fn the_demo_shows_what_the_product_does() {
    let place = Place::new();
    let demo = place.json(&["demo"]);

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
    let place = Place::new();
    let scratch = place.path("scratch");
    std::fs::create_dir(&scratch).unwrap();
    let output = place
        .command(&["demo"])
        .env("TMPDIR", &scratch)
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{text}");
    for shown in ["DENY", "bowline trace tree", "Agent", "bowline init"] {
        assert!(text.contains(shown), "{shown}: {text}");
    }
    let left: Vec<_> = std::fs::read_dir(&scratch).unwrap().collect();
    assert!(left.is_empty(), "{left:?}");
    let home: Vec<_> = std::fs::read_dir(place.path("home")).unwrap().collect();
    assert!(home.is_empty(), "{home:?}");
}

#[test]
fn without_the_client_the_demo_says_what_to_do() {
    let place = Place::new();
    let alone = place.path("bowline");
    put(BOWLINE, &alone);
    let output = std::process::Command::new(alone).arg("demo").output();
    let output = output.unwrap();
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{text}");
    for said in ["bowline-hook", "cargo xtask install"] {
        assert!(text.contains(said), "{text}");
    }
}
