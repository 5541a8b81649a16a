//! `bowline explain`, about hooks that know the session.

use bowline_testkit::{Ran, until};
use serde_json::{Value, json};

use super::agent::{FakeAgent, with_client};

#[test]
fn explaining_a_call_tells_whether_the_hooks_of_its_effort_would_run() {
    let sandbox = with_client();
    let mut agent = FakeAgent::start(&sandbox, "s1");
    agent.report("SessionStart", json!({"source": "startup"}));
    let why_not = || -> Value {
        // A session that is not recorded yet is an error.
        let ran = sandbox.run(&["explain", "--json", "--session", "s1", "ls"]);
        let document = ran.json();
        let hooks = document["hooks"].as_array().cloned().unwrap_or_default();
        let mut hooks = hooks.into_iter();
        let effort = hooks.find(|hook| hook["name"] == "effort");
        effort.map_or(Value::Null, |hook| hook["why_not"].clone())
    };
    until("the session is recorded", || {
        why_not() == "the session is in no effort"
    });
    let start = ["effort", "start", "login", "implement"];
    let mut start = sandbox.command(&start);
    Ran::of(start.env("BOWLINE_SESSION", "s1")).expect(0, &[]);
    assert_eq!(why_not(), Value::Null);
    sandbox
        .run(&["explain", "--session", "s1", "ls"])
        .expect(0, &["Also runs: effort, "]);
}
