//! `bowline check`.

use bowline_testkit::Sandbox;

use super::example::{example, example_project, one_hook};

#[test]
fn f04_c_a_clean_project_exits_with_0() {
    let sandbox = example_project();
    sandbox.run(&["check"]).expect(
        0,
        &[
            "no errors, no warnings",
            "`timeout: 10` = 10 s (seconds, claude-code)",
            "only exit 2 blocks",
        ],
    );
    sandbox
        .run(&["check", example().to_str().unwrap()])
        .expect(0, &["no errors, no warnings"]);
    let (code, document) = sandbox.code_and_json(&["check"]);
    assert_eq!(code, Some(0));
    assert_eq!(document["summary"]["errors"], 0);
    assert_eq!(document["summary"]["warnings"], 0);
    assert_eq!(
        document["summary"]["hooks"],
        document["hooks"].as_array().unwrap().len()
    );
}

#[test]
fn scripts_that_are_not_there_are_found() {
    let sandbox = Sandbox::with_repository();
    sandbox.write_in_project(
        ".claude/settings.json",
        one_hook("Stop", "", "$CLAUDE_PROJECT_DIR/.claude/hooks/nope.sh"),
    );
    sandbox.write_in_project("bowline.toml", "[[hooks.PreToolUse]]\nhooks = [{ type = 'command', command = './check.sh', on_failure = 'block' }]\n");
    sandbox.write_in_project("check.sh", "#!/bin/sh\n");
    sandbox.run(&["check"]).expect(
        1,
        &[
            "script-missing",
            "nope.sh",
            "script-not-executable",
            "chmod +x",
            "and blocks",
        ],
    );
    sandbox
        .run(&["check", ".claude/settings.json"])
        .expect(1, &["script-missing"])
        .lacks(&["chmod"]);
}

#[test]
fn mistakes_of_the_first_hour_are_found() {
    let sandbox = Sandbox::with_repository();
    sandbox.write_in_project(
        ".claude/settings.json",
        r#"{"disableAllHooks": true, "hooks": {
  "PostTool": [],
  "PreToolUse": [
    {"matcher": "bash", "hooks": [{"type": "command", "command": "true"}]},
    {"matcher": "Bash(git push*)", "hooks": [{"type": "command", "command": "./gone.sh"}]},
    {"matcher": "Wrte", "hooks": [{"type": "command", "command": "nosuchprogram --x"}]},
    {"matcher": "Write,Edit", "hooks": [{"type": "command", "command": "true"}]}
  ],
  "Stop": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "true"}]}]
}}"#,
    );
    sandbox.write_in_project(
        "bowline.toml",
        "[guard.allow]\nrules = ['git.pushforce']\n[guard.agents.claude]\nmode = 'observe'\n\
         [guard.sensitive]\ndeny = ['[bad']\n",
    );
    sandbox.run(&["check"]).expect(
        1,
        &[
            "did you mean `PostToolUse`?",
            "did you mean `Bash`?",
            "is a permission rule",
            "since 2.1.191",
            "warning[hooks-disabled]",
            "settings.json:1:2",
            "script-missing",
            "program-missing",
            "did you mean `Write`?",
            "matcher-ignored",
            "did you mean `git.push-force`?",
            "did you mean `claude-code`?",
            "literal-brackets",
        ],
    );
}

#[test]
fn f04_c_findings_are_shown_in_their_source_and_exit_with_1() {
    let sandbox = Sandbox::with_repository();
    let canary = sandbox.project().join("ran");
    sandbox.write_in_project(
        ".claude/settings.json",
        format!(
            r#"{{
  "hooks": {{
    "PreToolUze": [],
    "PreToolUse": [
      {{"matcher": "Bash", "hooks": [{{"type": "command", "command": "touch {}", "timeout": 5000}}]}},
      {{"matcher": "Bash", "hooks": [{{"type": "command"}}]}}
    ]
  }}
}}"#,
            canary.display()
        ),
    );
    let ran = sandbox.run(&["check"]);
    ran.expect(
        1,
        &[
            "PreToolUze",
            "did you mean `PreToolUse`?",
            ".claude/settings.json:3:5",
            "^^^^^^^^^^^^",
            "`timeout: 5000` = 83.3 min (seconds, claude-code), capped at 10 min",
            "1 file, 1 hook: ",
        ],
    );
    assert!(!canary.exists(), "checking runs nothing");

    let (code, document) = sandbox.code_and_json(&["check", ".claude/settings.json"]);
    assert_eq!(code, Some(1));
    let finding = document["findings"]
        .as_array()
        .unwrap()
        .iter()
        .find(|finding| finding["line"] == 3)
        .unwrap();
    assert_eq!(finding["column"], 5);
    assert_eq!(finding["severity"], "warning");
    assert!(finding["message"].as_str().unwrap().contains("PreToolUze"));
}

#[test]
fn the_dialect_can_be_chosen() {
    let sandbox = Sandbox::with_repository();
    sandbox.write_in_project(
        "hooks.json",
        r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true", "timeout": 5000}]}]}}"#,
    );
    for (dialect, expected) in [
        ("generic", "5 s (milliseconds, generic)"),
        ("claude-code", "83.3 min (seconds, claude-code)"),
    ] {
        let ran = sandbox.run(&["check", "--dialect", dialect, "hooks.json"]);
        assert!(ran.stdout.contains(expected), "{}", ran.stdout);
    }
    sandbox
        .run(&["check", "--dialect", "generic", "."])
        .expect_stderr(2, &["--dialect is for files"]);
    sandbox
        .run(&["check", "--dialect", "klingon", "hooks.json"])
        .expect_stderr(2, &["klingon"]);
}

#[test]
fn f04_c_what_cannot_be_checked_exits_with_2() {
    let sandbox = Sandbox::with_repository();
    sandbox
        .run(&["check", "nowhere.json"])
        .expect_stderr(2, &["error: cannot check nowhere.json", "hint: "]);
    sandbox
        .run(&["hooks", "--dir", "nowhere"])
        .expect_stderr(2, &["nowhere", "hint: "]);
    sandbox
        .run(&["check", "--nonsense"])
        .expect_stderr(2, &["--nonsense"]);
    let (code, document) = sandbox.code_and_json(&["check", "nowhere.json"]);
    assert_eq!(code, Some(2));
    assert_eq!(document["error"]["kind"], "file");
    assert_eq!(document["error"]["message"], "cannot check nowhere.json");
}

#[test]
fn bad_files_are_findings_never_a_panic() {
    let sandbox = Sandbox::with_repository();
    let deep = "[".repeat(3 << 20);
    let long = format!(r#"{{"hooks": {{"Nope{}": []}}}}"#, "x".repeat(1 << 20));
    let many = format!(
        r#"{{"hooks": {{{}}}}}"#,
        (0..500)
            .map(|n| format!("\"Nope{n}\": []"))
            .collect::<Vec<_>>()
            .join(",")
    );
    for (name, content) in [
        ("latin1.json", b"{\"hooks\": \"\xe9\"}".to_vec()),
        (
            "broken.json",
            b"{\"hooks\": {\n  \"Stop\": [,]\n}}".to_vec(),
        ),
        ("broken.toml", b"[hooks\n".to_vec()),
        ("deep.json", deep.into_bytes()),
        ("long.json", long.into_bytes()),
        ("many.json", many.into_bytes()),
        (
            "escapes.json",
            b"{\"hooks\": {\"\\u001b[2J\x1b[2JStop\": []}}".to_vec(),
        ),
    ] {
        sandbox.write_in_project(name, content);
        let ran = sandbox.run(&["check", name]);
        let code = if name == "latin1.json" { 2 } else { 1 };
        assert_eq!(ran.code, Some(code), "{name}: {}{}", ran.stdout, ran.stderr);
        assert!(ran.stdout.contains(name), "{name}: {}", ran.stdout);
        assert!(ran.stdout.len() < 200_000, "{name} floods the screen");
    }
    sandbox.write_in_project(".claude/settings.json/file", "");
    sandbox
        .run(&["check"])
        .expect(2, &[".claude/settings.json"]);
}

#[test]
fn how_exit_codes_are_read_is_told_for_each_hook() {
    let sandbox = Sandbox::with_repository();
    let hook = r#"[{"hooks": [{"type": "command", "command": "true"}]}]"#;
    let events = ["WorktreeCreate", "PreModelSwitch", "PreToolUse"]
        .map(|event| format!("\"{event}\": {hook}"))
        .join(", ");
    sandbox.write_in_project("hooks.json", format!("{{\"hooks\": {{{events}}}}}"));
    let ran = sandbox.run(&["check", "--dialect", "claude-code", "hooks.json"]);
    for (event, expected) in [
        ("WorktreeCreate", "any failing exit blocks"),
        ("PreModelSwitch", "any failing exit blocks"),
        ("PreToolUse", "only exit 2 blocks"),
    ] {
        let row = ran.stdout.lines().find(|line| line.starts_with(event));
        assert!(
            row.is_some_and(|row| row.contains(expected)),
            "{}",
            ran.stdout
        );
    }
    sandbox
        .run(&["check", "--dialect", "generic", "hooks.json"])
        .expect(
            0,
            &[
                "any non-zero exit blocks",
                "126, 127 and signals are failures",
            ],
        );
}

#[test]
fn findings_fit_the_width() {
    let sandbox = Sandbox::with_repository();
    let long = "x".repeat(300);
    sandbox.write_in_project(
        "hooks.json",
        format!(r#"{{"hooks": {{"Nope{long}": [], "PreToolUse": [{{"matcher": "Write[", "hooks": []}}]}}}}"#),
    );
    let output = sandbox
        .command(&["check", "hooks.json"])
        .env("COLUMNS", "60")
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    for line in text.lines() {
        // A word that is longer than the line is not broken.
        let is_one_word = line.split_whitespace().count() == 1;
        assert!(line.chars().count() <= 60 || is_one_word, "{line}\n{text}");
    }
    assert!(text.contains("\n --> hooks.json:1:12\n"), "{text}");
    sandbox.write_in_project("latin1.json", b"\xe9");
    let text = sandbox.run(&["check", "latin1.json"]).stdout;
    assert!(text.contains("\n --> latin1.json\n"), "{text}");
}

#[test]
fn a_wrong_command_line_is_json_for_those_who_read_json() {
    let sandbox = Sandbox::with_repository();
    let (code, document) = sandbox.code_and_json(&["hooks", "--foo"]);
    assert_eq!(code, Some(2));
    assert_eq!(document["error"]["kind"], "usage");
    assert!(
        document["error"]["message"]
            .as_str()
            .is_some_and(|message| message.contains("--foo"))
    );
}

#[test]
fn a_plugin_is_checked_by_its_folder() {
    let sandbox = Sandbox::with_repository();
    sandbox.write_in_project(
        "linter/.claude-plugin/plugin.json",
        r#"{"name": "linter", "hooks": "./more.json"}"#,
    );
    sandbox.write_in_project("linter/hooks/hooks.json", r#"{"hooks": {"Stopp": []}}"#);
    sandbox.write_in_project(
        "linter/more.json",
        r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true", "timeout": 5000}]}]}}"#,
    );
    let ran = sandbox.run(&["check", "linter"]);
    ran.expect(
        1,
        &[
            "linter/hooks/hooks.json:1:12",
            "did you mean `Stop`?",
            "linter/more.json",
            "83.3 min (seconds, claude-code)",
            "3 files, 1 hook",
        ],
    );
    let inside = sandbox
        .command(&["check"])
        .current_dir(sandbox.project().join("linter"))
        .output()
        .unwrap();
    assert_eq!(inside.status.code(), Some(1));
}
