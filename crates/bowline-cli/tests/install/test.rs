//! `bowline test` where Bowline is installed.

use std::fs;

use super::installed::installed;

#[test]
fn bowlines_own_entry_is_not_run_and_nothing_is_recorded() {
    let sandbox = installed();
    sandbox.write(
        "home/.claude/settings.json",
        r#"{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"echo $BOWLINE_DISABLE_TRACKING >> $HOME/mine.log"}]}]}}"#,
    );
    sandbox.run(&["init", "--yes"]).expect(0, &[]);
    let input = r#"{"command": "rm -rf ~/"}"#;
    let args = ["test", "PreToolUse", "--tool", "Bash", "--input", input];
    sandbox
        .run(&args)
        .expect(1, &["guard:commands (Bowline): deny", "is not run"])
        .lacks(&["guard:commands (Bowline): skipped"]);
    let (_, report) = sandbox.code_and_json(&args);
    assert_eq!(report["own_entries"], 1);
    let store = sandbox.data().join("bowline.db");
    assert!(!store.exists(), "a test made a store");
    let seen = |name: &str| fs::read_to_string(sandbox.path("home").join(name)).ok();
    assert_eq!(seen("hook.log"), None);
    assert_eq!(seen("mine.log").as_deref(), Some("1\n1\n"));
}
