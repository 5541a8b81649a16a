//! `bowline hooks --live`.

use super::machine::Machine;

#[test]
fn every_hook_tells_when_it_fired_and_that_it_never_did() {
    let machine = Machine::after_work();
    machine.run(&["hooks", "--live"]).expect(
        0,
        &[
            "guard:commands",
            "DENY",
            "350 µs",
            "never fired",
            "not of this project",
            "exit code 1",
        ],
    );
    let document = machine.json(&["hooks", "--live"]);
    let hooks = document["hooks"].as_array().unwrap();
    let by_name = |name: &str| hooks.iter().find(|hook| hook["name"] == name).unwrap();
    assert_eq!(by_name("guard:commands")["figures"]["fired"], 1);
    assert_eq!(by_name("lint")["events"], serde_json::json!([]));
    assert_eq!(by_name("lint")["figures"]["failed"], 1);
    assert!(hooks.iter().any(|hook| hook["figures"].is_null()));

    machine
        .run(&["hooks", "--live", "--event", "PreToolUse"])
        .expect(0, &["guard:commands"])
        .lacks(&["not of this project", "lint"]);

    let document = Machine::new().json(&["hooks", "--live"]);
    let hooks = document["hooks"].as_array().unwrap();
    assert!(!hooks.is_empty() && hooks.iter().all(|hook| hook["figures"].is_null()));
}
