//! `bowline test`.

use std::fs;
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::json;

use bowline_testkit::Sandbox;

use super::example::{example_project, one_hook};

#[test]
fn a_denied_call_is_shown_as_a_tree() {
    let sandbox = example_project();
    let call = |command: &str| json!({ "command": command }).to_string();
    let forced = call("git push --force");
    let args = ["test", "pre_tool_use", "--tool", "Bash", "--input", &forced];
    let ran = sandbox.run(&args);
    ran.expect(
        1,
        &[
            "PreToolUse Bash (gate)",
            "deny",
            "not allowed: deny",
            "reason: A forced push can overwrite commits of others.",
            "did not match",
            "not in force",
            "duplicate of #1",
        ],
    );
    let lease = call("git push --force-with-lease");
    sandbox
        .run(&["test", "PreToolUse", "--tool", "Bash", "--input", &lease])
        .expect(0, &["allowed: no opinion"]);

    let (code, document) = sandbox.code_and_json(&args);
    assert_eq!(code, Some(1));
    assert_eq!(document["result"]["decision"], "deny");
    assert_eq!(document["result"]["allowed"], false);
    assert_eq!(
        document["payload"]["tool_input"]["command"],
        "git push --force"
    );
    assert_eq!(document["hooks"][0]["run"]["status"], "ran");
    assert_eq!(document["hooks"][0]["run"]["decision"], "deny");
}

#[test]
fn a_dry_run_runs_nothing() {
    let sandbox = Sandbox::with_repository();
    sandbox.write_in_project(".claude/settings.json", one_hook("Stop", "", "touch ran"));
    sandbox
        .run(&["test", "Stop", "--dry-run"])
        .expect(0, &["would run", "touch ran", "nothing was run"]);
    assert!(!sandbox.project().join("ran").exists());
    sandbox
        .run(&["test", "Stop"])
        .expect(0, &["matched"])
        .lacks(&["would run"]);
    assert!(sandbox.project().join("ran").exists());
}

#[test]
fn a_whole_payload_brings_its_own_event() {
    let sandbox = example_project();
    let payload = json!({
        "session_id": "s", "hook_event_name": "PreToolUse", "cwd": "/nowhere/at/all",
        "tool_name": "Bash", "tool_input": {"command": "git push -f"}, "tool_use_id": "t",
    })
    .to_string();
    sandbox.write_in_project("payload.json", &payload);
    sandbox
        .run(&["test", "--input", "@payload.json"])
        .expect(1, &["PreToolUse Bash"]);
    let ran = sandbox.run_with(
        &["test", "--input", "-", "--agent", "claude-code"],
        payload.as_bytes(),
    );
    ran.expect(
        1,
        &[
            "claude-code gets",
            "exit code: 0",
            "permissionDecision",
            "stderr: nothing",
        ],
    );
    sandbox
        .run(&["test", "Stop", "--input", "@payload.json"])
        .expect_stderr(
            2,
            &["the command line says Stop, the payload says PreToolUse"],
        );
}

#[test]
fn context_and_fields_are_shown() {
    let sandbox = example_project();
    sandbox
        .run(&["test", "SessionStart"])
        .expect(0, &["SessionStart startup", "Never rewrite history"]);
    sandbox
        .run(&["test", "SessionStart", "--field", "source=clear"])
        .expect(0, &["SessionStart clear", "did not match"]);
    sandbox
        .run(&[
            "test",
            "PostToolUse",
            "--tool",
            "Edit",
            "--input",
            r#"{"file_path": "/src/main.rs"}"#,
        ])
        .expect(0, &["context: A Rust file changed"]);
}

#[test]
fn what_a_hook_prints_cannot_rewrite_the_screen() {
    let sandbox = Sandbox::with_repository();
    sandbox.write_in_project(
        ".claude/settings.json",
        one_hook("UserPromptSubmit", "", r"printf '\033[2Jgone'"),
    );
    sandbox
        .run(&["test", "UserPromptSubmit", "--prompt", "hello"])
        .expect(0, &["␛[2Jgone"]);
}

#[test]
fn a_hook_that_nobody_waits_for_still_ends() {
    let sandbox = Sandbox::with_repository();
    sandbox.write_in_project(
        ".claude/settings.json",
        r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "sleep 0.2; touch ran", "async": true}]}]}}"#,
    );
    sandbox
        .run(&["test", "Stop"])
        .expect(0, &["started, not waited for"]);
    assert!(sandbox.project().join("ran").exists());
}

#[test]
fn bad_input_is_explained() {
    let sandbox = Sandbox::with_repository();
    sandbox.write_in_project("latin1.json", b"{\"a\": \"\xe9\"}");
    let deep = format!("{}{}", "[".repeat(3 << 20), "]".repeat(3 << 20));
    sandbox.write_in_project("deep.json", &deep);
    for (args, expected) in [
        (&["test"][..], "which event?"),
        (&["test", "PreToolUse"], "add --tool"),
        (&["test", "UserPromptSubmit"], "add --prompt"),
        (
            &["test", "Stop", "--tool", "Bash"],
            "--tool is not for Stop",
        ),
        (
            &["test", "Stop", "--field", "nothing"],
            "--field NAME=VALUE",
        ),
        (&["test", "Stop", "--input", "{\"a\": }"], "line 1 column 7"),
        (
            &["test", "Stop", "--input", "[1]"],
            "expected one JSON object",
        ),
        (
            &["test", "Stop", "--input", "@nowhere.json"],
            "cannot read nowhere.json",
        ),
        (&["test", "Stop", "--input", "@.git"], "cannot read .git"),
        (&["test", "Stop", "--input", "@latin1.json"], "not UTF-8"),
        (
            &["test", "Stop", "--input", "@deep.json"],
            "cannot use deep.json",
        ),
        (
            &["test", "--input", "{\"hook_event_name\": 5}"],
            "is not text",
        ),
        (
            &["test", "--input", "{\"hook_event_name\": \"Stopp\"}"],
            "did you mean `Stop`?",
        ),
        (&["test", "Stop", "--agent", "nobody"], "nobody"),
    ] {
        sandbox.run(args).expect_stderr(2, &[expected]);
    }
}

#[test]
fn whatever_ends_the_test_ends_the_hooks_too() {
    for (name, told) in [
        ("-INT", "interrupted"),
        ("-TERM", "terminated"),
        ("-HUP", "hung up"),
    ] {
        let sandbox = Sandbox::with_repository();
        let settings = one_hook("Stop", "", "echo $$ > pid; sleep 60; touch ran");
        sandbox.write_in_project(".claude/settings.json", settings);
        let child = sandbox
            .command(&["test", "Stop"])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let pid_file = sandbox.project().join("pid");
        let hook = (0..1000)
            .find_map(|_| {
                std::thread::sleep(Duration::from_millis(20));
                fs::read_to_string(&pid_file)
                    .ok()?
                    .trim()
                    .parse::<u32>()
                    .ok()
            })
            .expect("the hook starts");
        let signal = |name: &str, pid: u32| {
            let mut kill = Command::new("kill");
            kill.args([name, &pid.to_string()]).stderr(Stdio::null());
            kill.status().unwrap().success()
        };
        assert!(signal(name, child.id()));
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{name}");
        assert!(String::from_utf8_lossy(&output.stderr).contains(told));
        assert!(!signal("-0", hook), "the hook is still there after {name}");
    }
}

#[test]
fn payloads_have_what_agents_always_send() {
    let sandbox = Sandbox::with_repository();
    for (args, expected) in [
        (
            &["PreToolUse", "--tool", "Bash"][..],
            json!({"transcript_path": "/dev/null", "permission_mode": "default", "tool_input": {}, "tool_use_id": "toolu_test", "session_id": "test"}),
        ),
        (
            &["PostToolUse", "--tool", "Bash"],
            json!({"permission_mode": "default", "tool_input": {}, "tool_response": {}, "tool_use_id": "toolu_test"}),
        ),
        (
            &["PermissionRequest", "--tool", "Bash"],
            json!({"permission_mode": "default", "tool_input": {}, "tool_use_id": null}),
        ),
        (
            &["Stop"],
            json!({"permission_mode": "default", "stop_hook_active": false}),
        ),
        (
            &["SubagentStop"],
            json!({"permission_mode": "default", "stop_hook_active": false, "agent_id": null, "subagent_id": null}),
        ),
        (
            &["SubagentStart"],
            json!({"permission_mode": null, "agent_id": null, "agent_type": null, "subagent_type": null}),
        ),
        (
            &[
                "SubagentStart",
                "--field",
                "agent_id=a1",
                "--field",
                "agent_type=Explore",
            ],
            json!({"agent_id": "a1", "agent_type": "Explore"}),
        ),
        (
            &["SessionStart"],
            json!({"permission_mode": null, "source": "startup"}),
        ),
    ] {
        let (_, document) = sandbox.code_and_json(&[&["test"], args].concat());
        let payload = &document["payload"];
        for (name, value) in expected.as_object().unwrap() {
            assert_eq!(&payload[name], value, "{name} of {args:?}: {payload}");
        }
    }
    sandbox
        .run(&["test", "SubagentStart"])
        .expect(0, &["SubagentStart (gate)"]);
}

#[test]
fn options_win_over_the_payload_and_either_name_of_the_event_will_do() {
    let sandbox = Sandbox::with_repository();
    let payload = r#"{"event": "pre_tool_use", "session_id": "theirs", "tool_name": "Bash", "tool_input": {"command": "ls"}}"#;
    let (_, document) = sandbox.code_and_json(&["test", "--input", payload]);
    assert_eq!(document["event"], "PreToolUse");
    assert_eq!(document["payload"]["session_id"], "theirs");
    assert_eq!(document["payload"]["tool_input"]["command"], "ls");
    let (_, document) = sandbox.code_and_json(&["test", "--input", payload, "--session", "mine"]);
    assert_eq!(document["payload"]["session_id"], "mine");
    let (_, document) = sandbox.code_and_json(&[
        "test",
        "PreToolUse",
        "--tool",
        "Emit",
        "--input",
        r#"{"event": "stop"}"#,
    ]);
    assert_eq!(document["payload"]["tool_input"]["event"], "stop");
}

#[test]
fn hooks_of_a_skill_are_in_force_once_it_was_used() {
    let sandbox = example_project();
    let tag = [
        "test",
        "PreToolUse",
        "--tool",
        "Bash",
        "--dry-run",
        "--input",
        r#"{"command": "git tag v1"}"#,
    ];
    sandbox
        .run(&tag)
        .expect(0, &["only after skill release was used"]);
    let used = [&tag[..], &["--skill", "release"]].concat();
    sandbox
        .run(&used)
        .expect(0, &["would run"])
        .lacks(&["only after skill release was used"]);
}

#[test]
fn what_a_block_comes_to_depends_on_the_event() {
    let sandbox = Sandbox::with_repository();
    for (event, code, expected) in [
        ("Stop", 1, "redirect: the agent is told"),
        ("SessionEnd", 0, "recorded only: deny"),
        ("PreCompact", 1, "not allowed: deny"),
    ] {
        sandbox.write_in_project(
            "bowline.toml",
            format!(
                "[[hooks.{event}]]\nhooks = [{{ type = \"command\", command = \"echo why >&2; exit 1\" }}]\n"
            ),
        );
        sandbox.run(&["trust", "--yes"]).expect(0, &["Trusted"]);
        let ran = sandbox.run(&["test", event]);
        ran.expect(code, &[expected, "why"]);
    }
    let (_, document) = sandbox.code_and_json(&["test", "PreCompact"]);
    assert_eq!(document["result"]["suppress_logging"], false);
}

#[test]
#[cfg(target_os = "linux")]
fn a_folder_whose_name_is_not_text_is_no_obstacle() {
    use std::os::unix::ffi::OsStrExt as _;
    let sandbox = Sandbox::with_repository();
    let folder = sandbox
        .project()
        .join(std::ffi::OsStr::from_bytes(b"caf\xe9"));
    fs::create_dir_all(folder.join(".git")).unwrap();
    fs::create_dir_all(folder.join(".claude")).unwrap();
    fs::write(
        folder.join(".claude/settings.json"),
        one_hook("Stop", "", "true"),
    )
    .unwrap();
    for args in [
        &["test", "Stop", "--json"][..],
        &["hooks", "--event", "Stop", "--json"],
        &["check", "--json"],
    ] {
        let output = sandbox.command(args).current_dir(&folder).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert!(document.get("error").is_none());
        assert_eq!(document["hooks"][0]["runs"], "true");
    }
}

#[test]
fn guards_are_ordinary_hooks() {
    let sandbox = Sandbox::with_repository();
    let force = r#"{"command": "git push --force origin main"}"#;
    sandbox
        .run(&["test", "PreToolUse", "--tool", "Bash", "--input", force])
        .expect(
            1,
            &[
                "guard:commands (Bowline): deny",
                "Bowline: ",
                "[git.push-force]",
                "--force-with-lease",
                "#4 guard:sensitive-files (Bowline): Bash touches no files",
            ],
        );
    let (code, document) = sandbox.code_and_json(&[
        "test",
        "PreToolUse",
        "--tool",
        "Bash",
        "--input",
        r#"{"command": "cargo test"}"#,
        "--agent",
        "claude-code",
    ]);
    assert_eq!(code, Some(0));
    assert_eq!(document["reply"]["stdout"], "", "nothing to say is silence");
    let mut hooks = document["hooks"].as_array().unwrap().iter();
    let guard = hooks.find(|hook| hook["id"] == "guard:commands").unwrap();
    assert_eq!(guard["run"]["decision"], "no_opinion");
}

#[test]
fn settings_reach_the_guards() {
    let sandbox = Sandbox::with_repository();
    sandbox.write_in_project("bowline.toml", "[guard.categories]\ndiscard = \"ask\"\n");
    let reset = [
        "test",
        "PreToolUse",
        "--tool",
        "Bash",
        "--input",
        r#"{"command": "git reset --hard"}"#,
    ];
    sandbox.run(&reset).expect(1, &["not allowed: deny"]);
    sandbox.run(&["trust", "--yes"]).expect(0, &["Trusted"]);
    sandbox.run(&reset).expect(1, &["not allowed: ask"]);
    sandbox
        .run(&["explain", "git reset --hard"])
        .expect(1, &["ask by git.reset-hard", "(deny without the settings)"]);
}

#[test]
fn the_same_call_again_gets_a_firmer_answer() {
    let sandbox = Sandbox::with_repository();
    let reset = [
        "test",
        "PreToolUse",
        "--tool",
        "Bash",
        "--input",
        r#"{"command": "git reset --hard"}"#,
        "--repeat",
        "2",
    ];
    sandbox.run(&reset).expect(
        1,
        &["Bowline: denied again [git.reset-hard]", "will not change"],
    );
    sandbox.write_in_project("bowline.toml", "[guard]\nmode = \"one-strike\"\n");
    sandbox.run(&["trust", "--yes"]).expect(0, &["Trusted"]);
    sandbox
        .run(&reset)
        .expect(0, &["let the second attempt pass", "allowed"]);
}
