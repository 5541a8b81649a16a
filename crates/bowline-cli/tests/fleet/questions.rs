//! Questions that wait for a person, as lists of sessions show them.

use bowline_testkit::until;
use serde_json::json;

use super::stage::{Stage, answer_of};

#[test]
fn a_session_whose_first_event_waits_is_in_the_fleet() {
    let stage = Stage::with_inbox();
    let mut hook = stage.asks("s-1", "eval \"$WHAT\"");
    let waiting = stage.until_state("s-1", "attention");
    assert_eq!(waiting["agent"], "claude-code");
    assert_eq!(waiting["project"], stage.project().to_str().unwrap());
    let why = waiting["waiting_for"].as_str().unwrap();
    assert!(why.starts_with("Bowline: "), "{why}");
    let shown = stage.run(&["fleet", "--project", "."]);
    shown.expect(0, &["waiting", "s-1", "Bowline: "]);
    let elsewhere = stage.folder("elsewhere");
    let elsewhere = elsewhere.to_str().unwrap();
    stage
        .run(&["fleet", "--project", elsewhere])
        .expect(0, &["No agent works in this project"]);
    hook.kill().unwrap();
    hook.wait().unwrap();
}

#[test]
fn a_question_leaves_with_the_hook_that_asks_it() {
    let stage = Stage::with_inbox();
    let mut agent = stage.agent("s-1");
    agent.reports("UserPromptSubmit", &json!({"prompt": "go"}));
    stage.until_state("s-1", "working");
    // The second session has reported nothing else.
    for session in ["s-1", "s-2"] {
        let mut hook = stage.asks(session, "eval \"$WHAT\"");
        stage.until_on_board(session, "waiting_for_you");
        stage.until_state(session, "attention");
        hook.kill().unwrap();
        hook.wait().unwrap();
        stage.until_on_board(session, "working");
        let agent = stage.until_state(session, "working");
        assert_eq!(agent["waiting_for"], json!(null));
        assert_eq!(stage.questions(), [json!(null); 0]);
    }
}

#[test]
fn a_question_of_another_hook_still_waits() {
    let stage = Stage::with_inbox();
    let mut killed = stage.asks("s-1", "eval \"$ONE\"");
    stage.until_on_board("s-1", "waiting_for_you");
    let other = stage.asks("s-1", "eval \"$OTHER\"");
    until("both wait", || stage.questions().len() == 2);
    killed.kill().unwrap();
    killed.wait().unwrap();
    until("one waits", || stage.questions().len() == 1);
    let row = stage.until_on_board("s-1", "waiting_for_you");
    assert_eq!(row["questions"][0]["input"]["command"], "eval \"$OTHER\"");
    stage.until_state("s-1", "attention");
    // Nobody can answer any more, so that the agent asks by itself.
    stage.run(&["daemon", "stop"]).expect(0, &[]);
    let answer = answer_of(other);
    assert_eq!(answer["hookSpecificOutput"]["permissionDecision"], "ask");
    stage.until_state("s-1", "attention");
}

#[test]
fn a_question_says_why_it_waits_for_less_time_than_it_should() {
    let stage = Stage::with_inbox();
    let mut long = stage.asks("s-1", "eval \"$LONG\"");
    until("it waits", || stage.questions().len() == 1);
    assert_eq!(stage.questions()[0]["cut_short"], json!(null));
    stage.run(&["approvals"]).lacks(&["instead of"]);
    let mut short = stage.asks_within(&[], "s-2", "eval \"$SHORT\"");
    until("both wait", || stage.questions().len() == 2);
    let why = &stage.questions()[1]["cut_short"];
    let why = why.as_str().unwrap();
    assert!(why.contains("instead of 5 min"), "{why}");
    stage.run(&["approvals"]).expect(
        0,
        &["Waits", "instead of 5 min", "`bowline init` once more"],
    );
    for hook in [&mut long, &mut short] {
        hook.kill().unwrap();
        hook.wait().unwrap();
    }
}
