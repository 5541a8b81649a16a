//! What guides agents, with the real Claude Code: handoffs and tests at the end of a sub-agent, and what a compaction would lose.

use std::fs;

use bowline_testkit::needs;
use serde_json::{Value, json};

use super::{Project, Run, bash, calls, says};

const HANDS_OVER: &str =
    "The cart adds up.\n\nUse the unit\u{2011}testing\u{2013}agent subagent to test it.";
const ROUTE: &str =
    "Execute next: Use the unit-testing-agent subagent to go on where general-purpose stopped.";
const TASK: &str = "Build the part that adds up.";
const HANDOFFS: &str = "[handoff]\ndetect = true\n";

/// A call of the agent that a sub-agent works on, in these turns.
fn delegates(turns: &[Value]) -> Value {
    let input = json!({
        "description": "Work", "prompt": TASK, "subagent_type": "general-purpose",
        "run_in_background": false,
    });
    let mut turn = calls("Agent", &input);
    turn["tools"][0]["turns"] = turns.into();
    turn
}

impl Run {
    /// What the sub-agent was told anew before each of its turns.
    fn told_to_subagent(&self) -> Vec<String> {
        self.texts(|request| request["kind"] == "subagent" && request["agent_prompt"] == TASK)
    }
}

/// How often a text is in others.
fn times(text: &str, told: &[String]) -> usize {
    told.iter().map(|told| told.matches(text).count()).sum()
}

#[needs(client)]
#[test]
fn f44_a_the_model_is_sent_on_where_its_sub_agent_hands_over() {
    let project = Project::new();
    project.settings(HANDOFFS);
    let turns = vec![
        delegates(&[says(HANDS_OVER)]),
        says("The next one is for later."),
    ];
    let run = project.run("handoff", "Build a cart.", turns, &Value::Null);
    // The sub-agent is left alone: what it says last is its report.
    assert_eq!(run.told_to_subagent().len(), 1);
    let told = run.told();
    let [_, after] = told.as_slice() else {
        panic!("{told:?}");
    };
    assert!(after.contains("The cart adds up."), "{after}");
    assert_eq!(times(ROUTE, &told), 1, "{after}");
    assert!(after.contains(ROUTE), "{after}");
}

#[needs(client)]
#[test]
fn f44_a_the_model_is_sent_on_where_a_sub_agent_in_the_background_hands_over() {
    let project = Project::new();
    project.settings(HANDOFFS);
    let mut delegation = delegates(&[says(HANDS_OVER)]);
    delegation["tools"][0]["input"]["run_in_background"] = true.into();
    let turns = vec![delegation, says("It is at work."), says("I have seen it.")];
    let more = json!({
        "prompts": ["Build a cart."],
        "host": {"decision": "allow"},
    });
    let run = project.run("background", "", turns, &more);
    assert_eq!(run.told_to_subagent().len(), 1);
    let told = run.told();
    assert_eq!(times(ROUTE, &told), 1, "{told:?}");
    let notified = told.iter().find(|it| it.contains("<task-notification>"));
    assert!(notified.unwrap().contains(ROUTE), "{notified:?}");
}

#[needs(client)]
#[test]
fn f45_a_a_sub_agent_is_kept_once_while_a_test_fails() {
    let project = Project::new();
    project.settings("[tests]\ngate = 'handoff'\ntest = 'sh ./check.sh'\n");
    let check = "echo tested >> ../runs; echo 'test cart::adds ... FAILED'; exit 1\n";
    project.sandbox.write_in_project("check.sh", check);
    let ready = "It adds up. COLLECTIVE_HANDOFF_READY";
    let turns = vec![
        delegates(&[says(ready), says(&format!("I give up. {ready}"))]),
        says("It does not."),
    ];
    let run = project.run("tests", "Build a cart.", turns, &Value::Null);
    let told = run.told_to_subagent();
    let [_, kept] = told.as_slice() else {
        panic!("{told:?}");
    };
    let failing = "1 test fails in `sh ./check.sh`: cart::adds. Fix this, then report again.";
    assert!(kept.contains(failing), "{kept}");
    let after = &run.told()[1];
    assert!(after.contains("I give up."), "{after}");
    assert_eq!(times(failing, &run.told()), 0, "{after}");
    let runs = fs::read_to_string(project.sandbox.root().join("runs")).unwrap();
    assert_eq!(runs, "tested\n", "the same content is tested once");
}

#[needs(client)]
#[test]
fn f42_b_f42_c_what_was_being_done_outlives_each_compaction_and_is_told_once() {
    let project = Project::new();
    project.settings(&format!("{HANDOFFS}[behaviour]\nrecovery = true\n"));
    let task =
        json!({"subject": "Renew the token", "description": "It ends", "activeForm": "Renewing"});
    let mut last_before = bash("echo full");
    last_before["usage"] = json!({"input_tokens": 195_000});
    let turns = vec![
        calls("TaskCreate", &task),
        calls(
            "TaskUpdate",
            &json!({"taskId": "1", "status": "in_progress"}),
        ),
        delegates(&[says(HANDS_OVER)]),
        last_before,
        bash("echo go on"),
        says("The client compacted by itself."),
        says("The user asked for it."),
        says("Nothing is new."),
    ];
    let more = json!({
        "prompts": ["Build the login.", "/compact", "Go on.", "And on."],
        "host": {"decision": "allow"},
        "compact": {"text": "<analysis>short</analysis>\n<summary>Use the painter subagent to paint.</summary>"},
        "env": {"CLAUDE_CODE_AUTO_COMPACT_WINDOW": "100000", "CLAUDE_CODE_ENABLE_TODO_TOOLS": "1"},
    });
    let run = project.run("compact", "", turns, &more);
    let kinds = run.kinds();
    let before = ["main", "main", "main", "main", "compact"];
    let after = ["main", "main", "compact", "main", "main"];
    assert_eq!(kinds, [before, after].concat());
    let saved = "in progress was \"Renew the token\"; `general-purpose` had handed over to `unit-testing-agent`. Go on there.";
    for (turn, told) in run.told().iter().enumerate() {
        let is_compacted = [4, 6].contains(&turn);
        let expected = usize::from(is_compacted);
        assert_eq!(told.matches(saved).count(), expected, "{turn}: {told}");
    }
    // What the client's own summary says hands over nothing.
    assert_eq!(times("Use the painter subagent to go on", &run.told()), 0);

    let next = project.run("next", "Go on.", vec![says("I go on.")], &Value::Null);
    assert_eq!(times(saved, &next.told()), 0, "{:?}", next.told());
}
