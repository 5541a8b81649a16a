//! What is drawn, and what keys do. The clock stands still.

mod answering;
mod searching;

use bowline_builtins::inbox::Extent;
use bowline_daemon::board::{Board, Row};
use bowline_daemon::rpc::traces::WholeTree;
use bowline_store::RecordedEvent;
use chrono::{DateTime, Utc};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use serde_json::{Value, json};

use super::keys::Input;
use super::state::{Ask, Effect, Event, May, Rights, Screen, Told, Top};
use super::{rows, view};
use crate::ui::full_screen::Paint;

fn now() -> DateTime<Utc> {
    "2026-11-15T10:00:00Z".parse().unwrap()
}

/// So many seconds ago.
fn ago(seconds: i64) -> Value {
    json!(now() - chrono::TimeDelta::seconds(seconds))
}

fn row(session: &str, change: Value) -> Row {
    let mut row = json!({
        "session": session, "name": null, "agent": "claude-code", "project": "/home/ada/shop", "worktree": null,
        "model": "claude-opus-4-5", "trace_id": "group", "prompt": "fix the rounding of prices",
        "state": {"is": "working", "on": {"tool": "Bash", "what": "cargo test"}}, "since": ago(12),
        "calls": 41, "failed": 2, "denied": 0, "context_usage": 0.62, "cost_usd": 1.23, "questions": [],
    });
    for (key, value) in change.as_object().unwrap() {
        row[key] = value.clone();
    }
    serde_json::from_value(row).unwrap()
}

fn question(id: &str, session: &str, command: &str) -> Value {
    json!({
        "id": id, "asked_at": ago(20), "until": ago(-100), "agent": "claude-code", "session": session,
        "project": "/home/ada/shop", "subagent": null, "tool": "Bash", "input": {"command": command},
        "tool_use_id": "toolu_9", "reason": "`terraform apply` changes what runs", "rule": "cloud.apply",
    })
}

fn sessions() -> Vec<Row> {
    let waits = json!({"is": "waiting_for_you", "for": "terraform apply"});
    let on = |what: &str| json!({"tool": "Bash", "what": what});
    vec![
        row(
            "b17e9a40",
            json!({"state": waits, "questions": [question("abcde", "b17e9a40", "terraform apply")], "since": ago(20),
                "worktree": "/trees/rounding", "prompt": "bring it to production", "context_usage": 0.91}),
        ),
        row(
            "c9",
            json!({"state": {"is": "blocked", "on": on("git push --force"), "why": "it rewrites history"}, "denied": 3}),
        ),
        row(
            "d1",
            json!({"state": {"is": "looping", "on": on("ls target"), "times": 5}, "project": "/home/ada/api"}),
        ),
        row("a1", json!({})),
        row(
            "a2",
            json!({"state": {"is": "working", "on": {"tool": "Edit", "what": "/home/ada/shop/src/price.rs"}},
                "calls": 12_000, "model": null, "cost_usd": null, "context_usage": null}),
        ),
        row(
            "a3",
            json!({"state": {"is": "working", "on": null}, "agent": "codex", "model": "gpt-5"}),
        ),
        row(
            "i1",
            json!({"state": {"is": "idle"}, "since": ago(400), "calls": 0, "failed": 0, "prompt": null}),
        ),
        row("g1", json!({"state": {"is": "gone"}, "since": ago(4_000)})),
    ]
}

fn board(sessions: Vec<Row>) -> Event {
    let board: Board = serde_json::from_value(json!({"at": now(), "sessions": sessions})).unwrap();
    Event::Told(Told::Board(Ok(board)))
}

fn rights() -> Rights {
    Rights {
        answer: May::Yes,
        silence: May::Yes,
    }
}

fn shown(columns: u16, lines: u16, sessions: Vec<Row>) -> Top {
    let mut top = Top::new(rights(), now(), (columns, lines));
    assert_eq!(top.update(board(sessions)), []);
    top
}

/// What is on the screen, without the blanks at the end of lines.
fn drawn(top: &Top) -> String {
    let backend = TestBackend::new(top.columns, top.lines);
    let mut terminal = Terminal::new(backend).unwrap();
    terminal
        .draw(|frame| view::draw(top, frame, Paint::Colours))
        .unwrap();
    let buffer = terminal.backend().buffer();
    let mut text = String::new();
    for y in 0..buffer.area.height {
        let mut line = String::new();
        let mut skipped = 0;
        for x in 0..buffer.area.width {
            let symbol = buffer[(x, y)].symbol();
            // A wide character has two places; the second is blank.
            if skipped > 0 {
                skipped -= 1;
                continue;
            }
            skipped = unicode_width::UnicodeWidthStr::width(symbol).saturating_sub(1);
            line.push_str(symbol);
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

fn press(top: &mut Top, keys: &str) -> Vec<Effect> {
    let mut effects = Vec::new();
    for key in keys.chars() {
        let input = match key {
            '⏎' => Input::Enter,
            '⎋' => Input::Escape,
            '⌫' => Input::Erase,
            '↑' => Input::Up,
            '↓' => Input::Down,
            '⇟' => Input::PageDown,
            '⇞' => Input::PageUp,
            '⇱' => Input::Home,
            '⇲' => Input::End,
            sign => Input::Sign(sign),
        };
        effects.extend(top.update(Event::Input(input)));
    }
    effects
}

fn chosen(top: &Top) -> &str {
    top.selected.as_deref().unwrap_or_default()
}

#[test]
fn the_board_fits_every_width() {
    let mut text = String::new();
    for (columns, lines) in [(60, 12), (80, 24), (120, 18), (200, 12)] {
        let screen = drawn(&shown(columns, lines, sessions()));
        text = format!("{text}=== {columns}×{lines}\n{screen}");
    }
    insta::assert_snapshot!("board", text);
}

#[test]
fn every_screen_can_be_drawn_at_every_size() {
    let tree: WholeTree = serde_json::from_value(tree()).unwrap();
    for columns in [1, 59, 60, 61, 80, 200] {
        for lines in [1, 4, 5, 6, 15, 16, 17, 50] {
            for keys in [
                "", "?", "/x", "/x⏎", "⏎", "d", "a", "an", "anabc", "as", "af",
            ] {
                let mut top = shown(columns, lines, sessions());
                press(&mut top, keys);
                drawn(&top);
                let told = Told::Tree("group".to_owned(), Some(tree.clone()));
                top.update(Event::Told(told));
                let told = Told::Denials(Some("b17e9a40".to_owned()), denials());
                top.update(Event::Told(told));
                press(&mut top, "↑↓⇞⇟⇱⇲");
                if keys == "d" {
                    press(&mut top, "⏎↓⇲");
                }
                let text = drawn(&top);
                assert_eq!(text.lines().count(), usize::from(lines));
                if columns < 60 || lines < 5 {
                    let said = format!("{columns}×{lines} is too small");
                    assert!(said.starts_with(text.lines().next().unwrap().get(..1).unwrap_or("")));
                    assert!(text.lines().skip(1).all(str::is_empty), "{text}");
                }
            }
        }
    }
    let small = drawn(&shown(48, 10, sessions()));
    assert!(
        small.starts_with("48×10 is too small: 60×5 is needed; q leaves\n"),
        "{small}"
    );
}

fn tree() -> Value {
    let call = |depth: usize, id: &str, command: &str, status: &str| {
        let tool = if depth == 0 && id == "t2" {
            "Task"
        } else {
            "Bash"
        };
        json!({"depth": depth, "trace": {
            "tool_use_id": id, "trace_id": "group", "session": "a1", "session_row": 1, "agent": "claude-code",
            "project": "/home/ada/shop", "subagent": null, "tool": tool, "input": {"command": command}, "output": null,
            "started_at": ago(60), "ended_at": null, "duration_ms": 350, "status": status, "error": null, "asked": null,
            "parent": null,
        }})
    };
    json!({
        "trace_id": "group", "truncated": false,
        "prompt": {"trace_id": "group", "session_row": 1, "time": ago(90), "text": "fix the rounding of prices"},
        "calls": [call(0, "t1", "cargo test", "completed"), call(0, "t2", "look for callers", "started"),
            call(1, "t3", "rg round", "completed"), call(1, "t4", "git push --force", "denied")],
    })
}

fn denials() -> Vec<RecordedEvent> {
    let denied = |id: &str, rule: Option<&str>, command: &str, seconds: i64| {
        serde_json::from_value(json!({
            "id": format!("event-{id}"), "time": ago(seconds), "agent": "claude-code", "event": "PreToolUse", "session": "b17e9a40",
            "project": "/home/ada/shop", "tool": "Bash", "tool_use_id": format!("toolu_{id}"), "decision": "deny",
            "reason": "it rewrites what others have", "rule": rule, "enforcement": "enforced", "duration": 1.0, "hooks": [],
            "input": {"command": command}, "prompt": null,
        }))
        .unwrap()
    };
    vec![
        denied("1", Some("git.push-force"), "git push --force", 30),
        denied("2", None, "make deploy", 4_000),
    ]
}

#[test]
fn other_screens_are_drawn() {
    let mut text = String::new();
    let mut add = |name: &str, top: &Top| {
        text = format!("{text}=== {name}\n{}", drawn(top));
    };
    let mut top = shown(80, 14, sessions());
    assert_eq!(
        press(&mut top, "⏎"),
        [Effect::Ask(Ask::Tree("group".to_owned()))]
    );
    let tree = serde_json::from_value(tree()).unwrap();
    top.update(Event::Told(Told::Tree("group".to_owned(), Some(tree))));
    add("tree", &top);
    let mut top = shown(80, 14, sessions());
    press(&mut top, "d");
    top.update(Event::Told(Told::Denials(
        Some("b17e9a40".to_owned()),
        denials(),
    )));
    add("denials", &top);
    press(&mut top, "a");
    add("how to allow", &top);
    press(&mut top, "↓a");
    add("how to allow what a hook denied", &top);
    let mut top = shown(80, 14, sessions());
    press(&mut top, "a");
    add("question", &top);
    press(&mut top, "s");
    top.update(answering::told(Extent::Session));
    add("for the session", &top);
    press(&mut top, "nf");
    top.update(answering::told(Extent::Always));
    add("for good", &top);
    press(&mut top, "n");
    press(&mut top, "nuse the staging account");
    add("message", &top);
    let mut top = shown(80, 18, sessions());
    press(&mut top, "?");
    add("keys", &top);
    let mut top = shown(80, 14, sessions());
    press(&mut top, "/push");
    add("filter", &top);
    press(&mut top, "x");
    add("nothing found", &top);
    let mut top = shown(80, 8, Vec::new());
    add("nobody", &top);
    top.update(Event::Told(Told::Board(Err("no daemon".to_owned()))));
    add("no daemon", &top);
    insta::assert_snapshot!("screens", text);
}

#[test]
fn a_denial_is_read_in_full() {
    let mut event = denials().remove(0);
    let words = "it rewrites what others have ".repeat(30);
    event.decided.reason = Some(format!("{words}lastword"));
    let mut text = String::new();
    for (columns, lines) in [(60, 14), (120, 20)] {
        let mut top = shown(columns, lines, sessions());
        press(&mut top, "d⏎");
        assert!(
            matches!(top.screen, Screen::Denials { .. }),
            "there is none"
        );
        let told = Told::Denials(Some("b17e9a40".to_owned()), vec![event.clone()]);
        top.update(Event::Told(told));
        press(&mut top, "⏎");
        text = format!("{text}=== {columns}×{lines}\n{}", drawn(&top));
        let mut all = drawn(&top);
        while !all.contains("bowline allow") {
            let before = drawn(&top);
            press(&mut top, "↓");
            assert_ne!(drawn(&top), before, "its end is never shown:\n{all}");
            all.push_str(&drawn(&top));
        }
        for part in ["git push --force", "git.push-force", "lastword"] {
            assert!(all.contains(part), "{columns}: {part}\n{all}");
        }
        press(&mut top, "⎋");
        assert!(matches!(top.screen, Screen::Denials { .. }));
    }
    insta::assert_snapshot!("denial", text);
}

#[test]
fn nothing_that_others_write_can_move_the_cursor_or_hide() {
    let short = "\u{1b}[2J\u{1b}]0;title\u{7}\u{202e}evil\u{200b}\u{9b}31m\r\n日本語";
    let nasty = format!("{short} {}", "x".repeat(10_240));
    let state = json!({"is": "working", "on": {"tool": short, "what": short}});
    let rows = vec![
        row(
            "n1",
            json!({"prompt": nasty, "model": short, "agent": short, "project": format!("/{short}"), "name": short, "state": state}),
        ),
        row(
            "n2",
            json!({"state": {"is": "waiting_for_you", "for": short}, "questions": [question("abcde", "n2", &nasty)]}),
        ),
        row(
            "n3",
            json!({"state": {"is": "blocked", "on": null, "why": short}}),
        ),
    ];
    for columns in [60, 80, 200] {
        for keys in ["", "↓a", "↓an", "/日", "d"] {
            let mut top = shown(columns, 24, rows.clone());
            press(&mut top, keys);
            top.update(Event::Input(Input::Pasted(nasty.clone())));
            let text = drawn(&top);
            let hidden =
                |c: char| (c.is_control() && c != '\n') || "\u{202e}\u{200b}\u{9b}".contains(c);
            assert!(!text.contains(hidden), "{columns} {keys}: {text}");
        }
    }
    let top = shown(80, 18, rows);
    insta::assert_snapshot!("hostile", drawn(&top));
}

#[test]
fn a_command_of_several_lines_does_not_look_like_its_first() {
    let asks = question("abcde", "s", "echo \r\noverwritten\rX");
    let state = json!({"is": "waiting_for_you", "for": "echo"});
    let rows = vec![row("s", json!({"state": state, "questions": [asks]}))];
    let text = drawn(&shown(120, 12, rows));
    assert!(text.contains("`echo ␍⏎overwritten␍X`"), "{text}");
}

#[test]
fn only_rows_that_are_seen_are_made() {
    let rows = (0..600).map(|number| row(&format!("s{number}"), json!({})));
    let mut top = shown(80, 24, rows.collect());
    for (keys, chosen_row) in [("", 0), ("⇲", 599), ("⇱⇟", 16)] {
        press(&mut top, keys);
        assert_eq!(top.chosen(), chosen_row, "{keys}");
        assert_eq!(
            view::body_length(&top),
            1 + view::rows_shown(&top),
            "{keys}"
        );
        let marks = drawn(&top)
            .lines()
            .filter(|line| line.starts_with("> "))
            .count();
        assert_eq!(marks, 1, "{keys}");
    }
}

#[test]
fn secrets_are_not_shown() {
    let token = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    let asks = question(
        "abcde",
        "s",
        &format!("curl -H 'Authorization: Bearer {token}'"),
    );
    let rows = vec![row("s", json!({"prompt": token, "questions": [asks]}))];
    for keys in ["", "a"] {
        let mut top = shown(200, 24, rows.clone());
        press(&mut top, keys);
        let text = drawn(&top);
        assert!(!text.contains("a1B2c3"), "{text}");
    }
}

#[test]
fn keys_choose_and_leave() {
    for (keys, expected, leaves) in [
        ("", "b17e9a40", false),
        ("↓↓", "d1", false),
        ("jjk", "c9", false),
        ("⇲", "g1", false),
        ("G↓↓", "g1", false),
        ("⇲⇱↑", "b17e9a40", false),
        ("⇟", "g1", false),
        ("q", "b17e9a40", true),
        ("⎋", "b17e9a40", true),
        ("?⎋", "b17e9a40", false),
        ("?q⎋", "b17e9a40", true),
        ("⏎q", "b17e9a40", false),
        ("/a3⎋", "b17e9a40", false),
        ("/a3⏎⎋⎋", "b17e9a40", false),
        ("/a3⏎⎋⎋⎋", "b17e9a40", true),
        ("/q⏎", "b17e9a40", false),
    ] {
        let mut top = shown(80, 24, sessions());
        let effects = press(&mut top, keys);
        assert_eq!(chosen(&top), expected, "{keys}");
        assert_eq!(effects.contains(&Effect::Leave), leaves, "{keys}");
    }
    for (input, effect) in [
        (Input::Interrupt, Effect::Leave),
        (Input::Suspend, Effect::Suspend),
        (Input::Redraw, Effect::Redraw),
    ] {
        for keys in ["", "/x", "/x⏎", "an", "as", "?", "⏎", "d"] {
            let mut top = shown(80, 24, sessions());
            press(&mut top, keys);
            let effects = top.update(Event::Input(input.clone()));
            assert_eq!(effects, std::slice::from_ref(&effect));
        }
    }
}

#[test]
fn the_chosen_session_stays_chosen_while_rows_move() {
    let mut top = shown(80, 24, sessions());
    press(&mut top, "↓↓↓");
    assert_eq!(chosen(&top), "a1");
    let mut moved = sessions();
    moved.reverse();
    top.update(board(moved.clone()));
    assert_eq!(chosen(&top), "a1");
    moved.retain(|row| row.session != "a1");
    let place = top.chosen();
    top.update(board(moved));
    assert_eq!(top.chosen(), place, "the one in its place");
    top.update(board(Vec::new()));
    assert_eq!(top.selected, None);
    assert_eq!(press(&mut top, "⏎ad↓"), [Effect::Ask(Ask::Denials(None))]);
}

#[test]
fn a_click_chooses_the_row_under_it() {
    for (lines, keys, line, expected) in [
        (24, "", 2, "b17e9a40"),
        (24, "", 4, "d1"),
        (24, "", 1, "b17e9a40"),
        (24, "", 23, "b17e9a40"),
        (24, "↓", 20, "c9"),
        (6, "⇲", 2, "a3"),
        (6, "⇲", 5, "g1"),
    ] {
        let mut top = shown(80, lines, sessions());
        press(&mut top, keys);
        top.update(Event::Input(Input::Click(line)));
        assert_eq!(chosen(&top), expected, "{lines} {keys} {line}");
    }
}

#[test]
fn what_is_shown_beside_the_board_is_asked_for_when_something_happens() {
    let mut top = shown(80, 24, sessions());
    press(&mut top, "⏎");
    assert_eq!(top.update(board(sessions())), [], "nothing happened");
    let mut later = sessions();
    later[0].calls += 1;
    let tree = Effect::Ask(Ask::Tree("group".to_owned()));
    assert_eq!(top.update(board(later.clone())), [tree]);
    assert_eq!(top.update(board(later)), []);
}

#[test]
fn it_is_asked_often_only_while_something_may_happen() {
    let quiet = sessions().split_off(6);
    assert!(!shown(80, 24, quiet).is_lively());
    assert!(!shown(80, 24, Vec::new()).is_lively());
    assert!(shown(80, 24, sessions()).is_lively());
}

#[test]
fn words_find_sessions() {
    let sessions = sessions();
    for (words, expected) in [
        ("", 8),
        ("SHOP opus", 5),
        ("waiting", 1),
        ("cargo test", 1),
        ("gpt", 1),
        ("rounding prices", 6),
        ("nowhere", 0),
    ] {
        let found = sessions.iter().filter(|row| rows::has(row, words));
        assert_eq!(found.count(), expected, "{words}");
    }
}
