//! Words that sessions and records have.

use bowline_store::Findings;

use super::*;
use crate::commands::top::state::{Call, Screen};

fn findings() -> Findings {
    let found = |kind: &str, tool: Option<&str>, id: Option<&str>, excerpt: &str, seconds: i64| {
        let start = excerpt.find("push").unwrap();
        json!({
            "kind": kind, "time": ago(seconds), "agent": "claude-code", "session": "c9", "project": "/home/ada/shop",
            "tool": tool, "tool_use_id": id, "event_id": format!("event-{seconds}"), "excerpt": excerpt,
            "matches": [{"start": start, "end": start + 4}],
        })
    };
    serde_json::from_value(json!({"found": [
        found("error", Some("Bash"), Some("toolu_1"), "push was rejected", 30),
        found("command", Some("Bash"), Some("toolu_1"), "push --force", 31),
        found("path", Some("Read"), Some("toolu_2"), "/home/ada/shop/push.rs", 40),
        found("prompt", None, None, "push it when the tests pass", 90),
    ]}))
    .unwrap()
}

/// With the records in which `push` is.
fn searched(columns: u16, lines: u16) -> Top {
    let mut top = shown(columns, lines, sessions());
    let asked = press(&mut top, "/push⏎");
    assert_eq!(asked, [Effect::Ask(Ask::Search("push".to_owned()))]);
    top.update(Event::Told(Told::Found("push".to_owned(), findings())));
    top
}

fn call() -> Call {
    let tree: WholeTree = serde_json::from_value(tree()).unwrap();
    Call {
        trace: tree.calls.into_iter().last().unwrap().trace,
        events: denials(),
    }
}

#[test]
fn words_find_records_and_these_open() {
    let mut top = searched(80, 12);
    let mut text = format!("=== found\n{}", drawn(&top));
    assert_eq!(
        press(&mut top, "↓⏎"),
        [Effect::Ask(Ask::Call("toolu_1".to_owned()))]
    );
    let told = Told::Call("toolu_1".to_owned(), Some(Box::new(call())));
    top.update(Event::Told(told));
    text = format!("{text}=== call\n{}", drawn(&top));
    assert_eq!(
        press(&mut top, "t"),
        [Effect::Ask(Ask::Tree("group".to_owned()))]
    );
    let tree = serde_json::from_value(tree()).unwrap();
    top.update(Event::Told(Told::Tree("group".to_owned(), Some(tree))));
    text = format!("{text}=== all of its prompt\n{}", drawn(&top));
    press(&mut top, "⎋⎋");
    text = format!("{text}=== back\n{}", drawn(&top));
    // A prompt is the beginning of a tree.
    assert_eq!(
        press(&mut top, "⇲⏎"),
        [Effect::Ask(Ask::Tree("event-90".to_owned()))]
    );
    press(&mut top, "⎋⎋");
    assert!(matches!(top.screen, Screen::Board));
    text = format!("{text}=== the sessions with the words\n{}", drawn(&top));
    let mut top = shown(80, 6, sessions());
    press(&mut top, "/nowhere⏎");
    let none = Told::Found("nowhere".to_owned(), Findings::default());
    top.update(Event::Told(none));
    text = format!("{text}=== nothing found\n{}", drawn(&top));
    insta::assert_snapshot!("found", text);
}

#[test]
fn what_was_not_searched_is_told() {
    let mut top = shown(120, 12, sessions());
    press(&mut top, "/push⏎");
    let findings = Findings {
        indexed_since: Some(now()),
        ..findings()
    };
    top.update(Event::Told(Told::Found("push".to_owned(), findings)));
    assert!(
        drawn(&top).contains("4 records; those from before 20"),
        "{}",
        drawn(&top)
    );
}

#[test]
fn words_are_typed_changed_and_given_up() {
    for (keys, asks, filter, is_board) in [
        ("/⏎", None, "", true),
        ("/  ⏎", None, "", true),
        ("/--⏎", None, "--", true),
        ("/ push ⏎", Some("push"), " push ", false),
        ("/push⏎⎋", Some("push"), "push", true),
        ("/push⏎⎋⎋", Some("push"), "", true),
        ("/push⏎q", Some("push"), "push", true),
        ("/push⎋", None, "", true),
    ] {
        let mut top = shown(80, 24, sessions());
        let effects = press(&mut top, keys);
        let expected: Vec<Effect> = (asks.iter())
            .map(|words| Effect::Ask(Ask::Search((*words).to_owned())))
            .collect();
        assert_eq!(effects, expected, "{keys}");
        assert_eq!(top.filter, filter, "{keys}");
        assert_eq!(matches!(top.screen, Screen::Board), is_board, "{keys}");
    }
    // Other words: what was typed is there to be changed.
    let mut top = searched(80, 12);
    assert_eq!(
        press(&mut top, "/ed⏎"),
        [Effect::Ask(Ask::Search("pushed".to_owned()))]
    );
    // What comes late was found for other words.
    top.update(Event::Told(Told::Found("push".to_owned(), findings())));
    assert!(drawn(&top).contains("asking the daemon"));
    assert_eq!(press(&mut top, "⏎"), []);
}

#[test]
fn a_record_that_is_gone_is_told() {
    for (keys, told) in [
        ("⏎", Told::Call("toolu_1".to_owned(), None)),
        ("⇲⏎", Told::Tree("event-90".to_owned(), None)),
    ] {
        let mut top = searched(80, 12);
        press(&mut top, keys);
        top.update(Event::Told(told));
        assert!(matches!(top.screen, Screen::Found { .. }));
        assert!(drawn(&top).contains("recorded"), "{}", drawn(&top));
    }
    let mut top = searched(80, 12);
    top.update(Event::Told(Told::Failed("no daemon".to_owned())));
    assert!(drawn(&top).contains("no daemon"));
}
