//! What agents do is on the page at once.

use bowline_testkit::needs;
use serde_json::json;

use super::stage::{DOUBTFUL, SESSION, Stage};
use super::window::Window;

/// A page that is loaded again loses it.
const MARK: &str = "window.isTheSame = true";
const MARKED: &str = "window.isTheSame === true";

#[needs(chromium)]
#[test]
fn a_session_appears_while_it_happens() {
    let stage = Stage::new();
    let window = Window::new(&stage);
    let now = window.open(&stage.link());
    now.until_shown("No agent is at work");
    now.evaluate(MARK);
    now.until(
        "it is live",
        "document.getElementById('connection').dataset.state === 'live'",
    );

    stage.starts_work("Fix the rounding of totals");
    now.until_shown("working");
    now.until_shown("project");
    let waiting = stage.about_to_run("toolu_1", DOUBTFUL);
    now.until_shown("waiting for you");
    now.until_shown(DOUBTFUL);
    now.until(
        "the menu counts it",
        "document.getElementById('waiting').dataset.count === '1'",
    );
    now.until(
        "a screen reader is told",
        "document.getElementById('announcement').textContent.includes('question waits')",
    );
    assert_eq!(now.evaluate(MARKED), true, "the page was loaded again");

    now.click("main a[href^='./inbox#']");
    now.until_shown("Allow once");
    now.click("button[value=once]");
    now.until_shown("Allowed");
    drop(waiting.wait_with_output());
    now.until(
        "nothing waits",
        "document.getElementById('waiting').dataset.count === '0'",
    );
    drop(now);
    window.close();
}

#[needs(chromium)]
#[test]
fn filters_by_a_beginning_and_by_a_name_are_live_too() {
    let stage = Stage::new();
    stage.starts_work("Fix the rounding of totals");
    let window = Window::new(&stage);
    let tab = window.open(&stage.link());
    let home = tab.address();
    tab.stop_its_clock();
    let (beginning, _) = SESSION.split_at(6);
    let name = stage.project().file_name().unwrap().to_str().unwrap();
    for (number, filter) in [format!("session={beginning}"), format!("project={name}")]
        .into_iter()
        .enumerate()
    {
        tab.goto(&format!("{home}timeline?{filter}"));
        tab.until_shown("Fix the rounding of totals");
        tab.until(
            "it is live",
            "document.getElementById('connection').dataset.state === 'live'",
        );
        let command = format!("cargo test part-{number}");
        stage.runs(&format!("toolu_{number}"), &command, "ok");
        tab.until_shown(&command);
    }
    tab.goto(&format!("{home}timeline?project=projct"));
    tab.until_shown("No project projct is known. Did you mean");
    tab.click("main p.notice a");
    tab.until_shown("cargo test part-1");
    drop(tab);
    window.close();
}

#[needs(chromium)]
#[test]
fn the_timeline_goes_on_while_one_looks_at_it() {
    let stage = Stage::new();
    let window = Window::new(&stage);
    let tab = window.open(&stage.link());
    let home = tab.address();
    tab.goto(&format!("{home}timeline?session={SESSION}"));
    tab.evaluate(MARK);
    tab.until(
        "it is live",
        "document.getElementById('connection').dataset.state === 'live'",
    );
    stage.starts_work("Fix the rounding of totals");
    for number in 0..3 {
        let command = format!("cargo test part-{number}");
        stage.runs(&format!("toolu_{number}"), &command, "ok");
        tab.until_shown(&command);
    }
    // What another session does is not shown here.
    stage.reports(
        "PreToolUse",
        json!({"session_id": "another", "tool_name": "Bash", "tool_use_id": "toolu_other",
            "tool_input": {"command": "echo from-another-session"}}),
    );
    stage.runs("toolu_last", "cargo test the-last", "ok");
    tab.until_shown("cargo test the-last");
    assert!(!tab.text().contains("from-another-session"));
    assert_eq!(tab.evaluate(MARKED), true, "the page was loaded again");
    drop(tab);
    window.close();
}
