//! `bowline hook --direct`.

use std::fs::{self, File};
use std::thread;
use std::time::Duration;

use serde_json::json;

use super::bench::Bench;

/// The hook ends only when somebody lets it, which happens after the answer.
#[test]
fn a_background_hook_does_not_delay_a_direct_answer() {
    let bench = Bench::new();
    let (go, done) = (bench.path("go"), bench.path("done"));
    let line = format!(
        "while [ ! -e {} ]; do sleep 0.05; done; touch {}",
        go.display(),
        done.display()
    );
    bench.write(
        "home/.config/bowline/config.toml",
        &format!("[[hooks.PreToolUse]]\nasync = true\ntimeout = 60\ncommand = '{line}'\n"),
    );
    let payload = json!({
        "session_id": "s1", "transcript_path": "/dev/null", "cwd": bench.path("project"),
        "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_use_id": "toolu_1",
        "tool_input": {"command": "rm -rf /"},
    });
    let stdin = bench.write("payload.json", &payload.to_string());
    let answer = bench
        .bowline(&["hook", "--direct", "claude-code"])
        .stdin(File::open(stdin).unwrap())
        .output()
        .unwrap();
    assert!(!done.exists());
    let text = String::from_utf8_lossy(&answer.stdout);
    assert!(text.contains("\"deny\""), "{answer:?}");
    fs::write(go, "").unwrap();
    for _ in 0..400 {
        if done.exists() {
            break;
        }
        thread::sleep(Duration::from_millis(50));
    }
    assert!(done.exists(), "the hook did not live on");
    let (_, traces) = bench.json(&["trace", "list"]);
    assert_eq!(
        traces["traces"].as_array().map(Vec::len),
        Some(1),
        "{traces}"
    );
}
