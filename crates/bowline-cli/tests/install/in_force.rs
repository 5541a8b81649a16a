//! Whether the agent runs what stands in its settings: `init`, `uninstall` and `doctor` never say that it does where it does not.

use serde_json::json;

use super::installed::installed;

/// As the clients themselves said that they had thrown the whole file away.
#[test]
fn a_file_with_values_of_a_wrong_kind_is_not_in_force() {
    for (agent, name, text, told) in [
        (
            "claude-code",
            ".claude/settings.json",
            "{\n  \"model\": 5,\n  \"permissions\": {\"allow\": \"x\"}\n}\n",
            "line 2: `model` is the number 5; expected a text",
        ),
        (
            "claude-code",
            ".claude/settings.json",
            "{\"hooks\": {\"PreToolUse\": [\"x\", 5]}}\n",
            "line 1: `hooks.PreToolUse[1]` is the number 5; expected an object",
        ),
        (
            "gemini",
            ".gemini/settings.json",
            "\u{feff}{}\n",
            "line 1: a byte order mark",
        ),
        (
            "droid",
            ".factory/hooks.json",
            "\u{feff}{}\n",
            "line 1: a byte order mark",
        ),
        (
            "grok",
            ".grok/hooks/bowline.json",
            "\u{feff}{}\n",
            "line 1: a byte order mark",
        ),
        (
            "codex",
            ".codex/hooks.json",
            "\u{feff}{\"hooks\": {}}\n",
            "line 1: a byte order mark",
        ),
        (
            "codex",
            ".codex/hooks.json",
            "{\"hooks\": {}, \"other\": 1}\n",
            "the key `other`; Codex knows only",
        ),
    ] {
        let sandbox = installed();
        sandbox.write(format!("home/{name}"), text);
        let init = ["init", "--agent", agent, "--yes"];
        let written = ["runs no hooks of", told, "Written, but"];
        let ran = sandbox.run(&init);
        ran.expect(1, &written)
            .lacks(&["Installed:", "type `/hooks`"]);
        let again = ["Already installed, but not in force", told];
        sandbox.run(&init).expect(1, &again);
        let ran = sandbox.run(&["doctor", "--agent", agent]);
        ran.expect(1, &["runs no hooks of", told, "does not run Bowline"])
            .lacks(&["nothing switches Bowline off", "trusted (user)"]);
    }
}

/// Gemini and Qwen warn of them, and run the hooks all the same.
#[test]
fn a_file_that_is_only_warned_of_is_in_force() {
    for agent in ["gemini", "qwen"] {
        let sandbox = installed();
        let name = format!("home/.{agent}/settings.json");
        let text = "{\"general\": 5, \"hooks\": {\"SessionStart\": [\"x\"]}}\n";
        sandbox.write(&name, text);
        sandbox
            .run(&["init", "--agent", agent, "--yes"])
            .expect(0, &["Installed:"]);
    }
}

#[test]
fn where_all_hooks_are_switched_off_it_is_written_and_not_in_force() {
    for (agent, name, text) in [
        (
            "claude-code",
            ".claude/settings.json",
            "{\"disableAllHooks\": true}",
        ),
        ("droid", ".factory/hooks.json", "{\"hooksDisabled\": true}"),
        (
            "gemini",
            ".gemini/settings.json",
            "{\"hooksConfig\": {\"enabled\": false}}",
        ),
    ] {
        let sandbox = installed();
        sandbox.write(format!("home/{name}"), text);
        let init = ["init", "--agent", agent, "--yes"];
        let ran = sandbox.run(&init);
        ran.expect(
            1,
            &[
                "Written, but not in force: ",
                "runs no hooks, and so nothing of Bowline",
            ],
        )
        .lacks(&["Installed:"]);
        sandbox
            .run(&init)
            .expect(1, &["Already installed, but not in force"]);
        let (_, report) = sandbox.code_and_json(&["init", "--agent", agent]);
        assert!(report["switched_off"].is_string(), "{report:#}");
    }
}

/// A person looks for them in the file that is there.
#[test]
fn what_is_refused_is_told_with_the_lines_of_the_file_as_it_is() {
    let sandbox = installed();
    let text = "{\n  \"hooks\": {\n    \"Stop\": [],\n  },\n}\n";
    sandbox.write("home/.qwen/settings.json", text);
    let ran = sandbox.run(&["init", "--agent", "qwen", "--dry-run"]);
    let told: Vec<&str> = ran
        .stdout
        .lines()
        .filter(|line| line.starts_with("  line "))
        .collect();
    let comma = |line: usize| format!("  line {line}: a comma before the closing bracket");
    assert_eq!(told, [comma(3), comma(4)], "{}", ran.stdout);
}

/// `check` warns of them as well.
#[test]
fn bridged_hooks_that_are_not_trusted_are_told_everywhere() {
    let sandbox = installed();
    sandbox.write(
        "home/.config/bowline/config.toml",
        "[bridge]\nclaude_hooks = true\n",
    );
    let stop = json!({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}});
    sandbox.write("project/.claude/settings.json", stop.to_string());
    sandbox
        .run(&["doctor"])
        .expect(1, &["hooks for Claude Code do not run under other agents"]);
    sandbox.run(&["hooks"]).expect(
        0,
        &["the hooks for Claude Code are not trusted, and do not run under other agents"],
    );
    sandbox.run(&["trust", "--yes"]).expect(0, &[]);
    sandbox
        .run(&["doctor"])
        .expect(1, &["the project's hooks for Claude Code are trusted"]);
}
