//! `bowline events`, and what holds for all output.

use std::process::Stdio;

use bowline::hooks::HookEvent;
use serde_json::{Value, json};

use bowline_testkit::Sandbox;

#[test]
fn f07_c_the_table_of_events_is_the_codes_table() {
    let sandbox = Sandbox::with_repository();
    let (code, document) = sandbox.code_and_json(&["events"]);
    assert_eq!(code, Some(0));
    let expected: Vec<Value> = HookEvent::ALL
        .iter()
        .map(|event| {
            json!({
                "name": event.name(),
                "snake_name": event.snake_name(),
                "class": event.class(),
                "matcher": event.subject_field(),
                "fields": event.payload_fields(),
            })
        })
        .collect();
    assert_eq!(document["events"], Value::Array(expected));

    let ran = sandbox.run(&["events"]);
    let table = &ran.stdout;
    for event in HookEvent::ALL {
        let row = table
            .lines()
            .find(|line| line.split_whitespace().next() == Some(event.name()))
            .unwrap_or_else(|| panic!("no row for {}", event.name()));
        assert!(row.contains(&event.class().to_string()), "{row}");
        for field in event.payload_fields() {
            assert!(table.contains(field), "{field}");
        }
    }
    ran.fits(140);
}

#[test]
fn a_narrow_terminal_loses_nothing() {
    let sandbox = Sandbox::with_repository();
    let output = sandbox
        .command(&["events"])
        .env("COLUMNS", "40")
        .output()
        .unwrap();
    let table = String::from_utf8(output.stdout).unwrap();
    assert!(
        table.lines().all(|line| line.chars().count() <= 40),
        "{table}"
    );
    assert!(table.contains("PostModelSwitch"));
}

#[test]
fn colours_are_for_those_who_want_them() {
    let sandbox = Sandbox::with_repository();
    let forced = sandbox
        .command(&["events"])
        .env("CLICOLOR_FORCE", "1")
        .output()
        .unwrap();
    assert!(forced.stdout.contains(&0x1b));
    let refused = sandbox
        .command(&["events"])
        .env("CLICOLOR_FORCE", "0")
        .env("NO_COLOR", "1")
        .output()
        .unwrap();
    assert!(!refused.stdout.contains(&0x1b));
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let sandbox = Sandbox::with_repository();
    let mut child = sandbox
        .command(&["events"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert!(output.status.success());
}
