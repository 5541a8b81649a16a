//! What a person sees while the gate of tests keeps an agent.

use std::thread;

use bowline_testkit::{Sandbox, until, until_some};
use serde_json::{Value, json};

use super::reporter::{Reporter, WAYS, Way, project};

/// The tests print a line, and then wait until they are let go.
const SETTINGS: &str = "
[tests]
gate = 'stop'
test = 'sh ./check.sh'
build = 'true'
test_timeout_secs = 600
";
const CHECK: &str = "echo 'test cart::adds ... ok'\nuntil test -e ../go; do sleep 0.05; done\n";

fn row(sandbox: &Sandbox) -> Option<Value> {
    let fleet = sandbox.json(&["fleet"]);
    let agents = fleet["agents"].as_array()?;
    agents.iter().find(|it| it["session"] == "s1").cloned()
}

#[test]
fn f45_c_a_person_sees_which_tests_an_agent_waits_for() {
    for way in WAYS {
        let sandbox = project(way, SETTINGS);
        sandbox.write_in_project("check.sh", CHECK);
        let mut agent = Reporter::new(way, &sandbox, "s1");
        agent.report("SessionStart", &json!({"source": "startup"}));
        agent.report("UserPromptSubmit", &json!({"prompt": "Build a cart."}));
        thread::scope(|scope| {
            let stop = scope.spawn(|| agent.report("Stop", &json!({"stop_hook_active": false})));
            let line = json!("test cart::adds ... ok");
            let row = until_some("the tests run", || {
                row(&sandbox).filter(|row| row["testing"]["last_line"] == line)
            });
            let testing = &row["testing"];
            assert_eq!(testing["command"], "sh ./check.sh", "{way:?}");
            let steps = (&testing["step"], &testing["steps"]);
            assert_eq!(steps, (&json!(1), &json!(2)), "{way:?}");
            sandbox
                .run(&["fleet"])
                .expect(0, &["testing: sh ./check.sh, ", "(1 of 2)"]);
            if way == Way::Daemon {
                let folder = sandbox.project();
                let status = json!({"session_id": "s1", "cwd": folder}).to_string();
                until("the status line tells it", || {
                    let shown = sandbox.run_with(&["statusline"], status.as_bytes()).stdout;
                    shown.starts_with("testing: sh ./check.sh, ")
                });
            }
            sandbox.write("go", "");
            assert_eq!(stop.join().unwrap().denial(), None, "{way:?}");
        });
        assert_eq!(row(&sandbox).unwrap()["testing"], Value::Null, "{way:?}");
    }
}
