//! `bowline test` where Bowline is installed.

use std::fs;

use super::bench::Bench;

#[test]
fn bowlines_own_entry_is_not_run_and_nothing_is_recorded() {
    let bench = Bench::new();
    bench.write(
        "home/.claude/settings.json",
        r#"{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"echo $BOWLINE_DISABLE_TRACKING >> $HOME/mine.log"}]}]}}"#,
    );
    bench.run(&["init", "--yes"]).expect(0, &[]);
    let input = r#"{"command": "rm -rf ~/"}"#;
    let args = ["test", "PreToolUse", "--tool", "Bash", "--input", input];
    bench
        .run(&args)
        .expect(1, &["guard:commands (Bowline): deny", "is not run"])
        .lacks(&["guard:commands (Bowline): skipped"]);
    let (_, report) = bench.json(&args);
    assert_eq!(report["own_entries"], 1);
    let store = bench.data().join("bowline.db");
    assert!(!store.exists(), "a test made a store");
    let seen = |name: &str| fs::read_to_string(bench.path("home").join(name)).ok();
    assert_eq!(seen("hook.log"), None);
    assert_eq!(seen("mine.log").as_deref(), Some("1\n1\n"));
}
