//! Somebody else's hook for Claude Code, as it is published, under another agent.
//!
//! `CC_SAFETY_NET` names the program of npm's `cc-safety-net` (`npm install cc-safety-net@2.4.5`, then `node_modules/.bin/cc-safety-net`).

use std::env;
use std::path::PathBuf;

use bowline_agents::named;
use bowline_testkit::{Sandbox, needs};
use serde_json::json;

use super::clients::{played, put_in};

/// The guards only watch: what is stopped, the hook of the project stops.
const SETTINGS: &str = "[bridge]\nclaude_hooks = true\n\n[guard]\nmode = 'observe'\n";

const DONE: &str = "All that could be done is done.";

#[needs(codex, cc_safety_net, git)]
#[test]
fn a_published_hook_for_claude_code_decides_under_codex() {
    let work = tempfile::Builder::new().prefix("bl").tempdir().unwrap();
    let sandbox = Sandbox::within(work.path());
    sandbox.write("home/.config/bowline/config.toml", SETTINGS);
    let net = PathBuf::from(env::var_os("CC_SAFETY_NET").unwrap());
    let command = format!("'{}' hook --claude-code", net.display());
    let hooks = json!({"hooks": {"PreToolUse": [
        {"matcher": "Bash", "hooks": [{"type": "command", "command": command}]},
    ]}});
    sandbox.write_in_project(".claude/settings.json", hooks.to_string());
    sandbox.write_in_project("notes.txt", "committed\n");
    sandbox.git(&["init", "-q"]);
    sandbox.git(&["add", "."]);
    sandbox.git(&["commit", "-qm", "first"]);
    sandbox.write_in_project("notes.txt", "changed\n");
    sandbox
        .run(&["trust", "--yes"])
        .expect(0, &["cc-safety-net", "Trusted"]);
    let codex = PathBuf::from(env::var_os("CODEX_BIN").unwrap());
    put_in(&sandbox, "codex", &codex);

    let shell = |command: &str| json!([{"action": "shell", "command": command}]);
    let scenario = json!({
        "prompt": "Tidy up, please.",
        "turns": [
            {"text": "Looking.", "tools": shell("git status --short > seen.txt")},
            {"text": "Tidying.", "tools": shell("git checkout -- .")},
            {"text": DONE},
        ],
        "expect": {
            "exit_code": 0,
            "result": DONE,
            "tools": ["shell", "shell"],
            "model_sees": ["BLOCKED by CC Safety Net", "git checkout -- discards uncommitted changes"],
            "files": {"notes.txt": "changed\n", "seen.txt": " M notes.txt\n?? seen.txt\n"},
        },
    });
    let file = sandbox.write("scenario.json", scenario.to_string());
    let summary = played(&sandbox, named("codex").unwrap(), &file, work.path());
    let wrong = summary["failures"].as_array().unwrap();
    assert!(wrong.is_empty(), "{wrong:#?}\n{summary:#}");

    let traces = sandbox.json(&["trace", "list"]);
    let traces = traces["traces"].as_array().unwrap();
    let calls: Vec<_> = (traces.iter().rev())
        .map(|it| [&it["agent"], &it["input"]["command"], &it["status"]])
        .collect();
    assert_eq!(
        calls,
        [
            ["codex", "git status --short > seen.txt", "ok"],
            ["codex", "git checkout -- .", "denied"],
        ]
    );
    let call = traces[0]["tool_use_id"].as_str().unwrap();
    let trace = sandbox.json(&["trace", "show", call]);
    let hooks = trace["triggers"][0]["hooks"].as_array().unwrap();
    let denied: Vec<_> = (hooks.iter())
        .filter(|it| it["decision"] == "deny")
        .map(|it| [&it["name"], &it["scope"]])
        .collect();
    assert_eq!(denied, [["project:PreToolUse-1", "project"]]);
    assert!(
        trace["trace"]["error"]
            .to_string()
            .contains("CC Safety Net")
    );
}
