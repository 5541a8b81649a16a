//! `bowline log`.

use super::machine::Machine;

#[test]
fn f47_a_the_last_triggers_tell_event_hooks_scope_decision_duration_and_reason() {
    let machine = Machine::after_work();
    machine.run(&["log"]).expect(
        0,
        &[
            "PreToolUse",
            "Bash",
            "DENY",
            "800 µs",
            "built-in: guard:commands",
            "project: lint failed (exit code 1)",
            "use",
            "--force-with-lease",
        ],
    );
    let document = machine.json(&["log", "--limit", "3"]);
    let triggers = document["triggers"].as_array().unwrap();
    assert_eq!(triggers.len(), 3);
    assert_eq!(triggers[2]["decision"], "deny");
    assert_eq!(triggers[2]["hooks"][0]["scope"], "built-in");
}
