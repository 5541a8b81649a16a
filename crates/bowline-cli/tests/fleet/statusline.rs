//! `bowline statusline`, and how it comes into the settings.

use std::fs;
use std::io::Write as _;
use std::process::Stdio;

use bowline_continuity::effort_command::EffortCommand;
use bowline_daemon::rpc::efforts::{Asker, Perform};
use bowline_testkit::{Ran, Sandbox, bowline, needs, put, script, until};
use serde_json::{Value, json};

use super::stage::{Stage, bash};

fn status(session: &str, sandbox: &Sandbox, percent: u32) -> String {
    json!({
        "session_id": session, "cwd": sandbox.project(),
        "workspace": {"current_dir": sandbox.project(), "project_dir": sandbox.project()},
        "context_window": {"used_percentage": percent, "context_window_size": 200_000},
    })
    .to_string()
}

#[test]
fn f47_c_the_line_tells_where_the_session_stands_and_feeds_the_engine() {
    let stage = Stage::new();
    let mut agent = stage.agent("s-1");
    stage.until_state("s-1", "done");
    let line = |percent| {
        let status = status("s-1", &stage, percent);
        stage.run_with(&["statusline"], status.as_bytes()).stdout
    };
    assert_eq!(line(12), "context 12%\n");
    let agent_row = stage.agent_in_fleet("s-1").unwrap();
    assert_eq!(agent_row["context_usage"], 0.12);
    stage.run(&["fleet"]).expect(0, &["█░░░░  12%"]);

    stage.question(&Perform {
        command: EffortCommand::Start {
            task: "checkout".to_owned(),
            skill: "implement".to_owned(),
            mode: None,
        },
        effort: None,
        asker: Asker {
            project: stage.project().display().to_string(),
            session: Some("s-1".to_owned()),
            ..Asker::default()
        },
    });
    assert_eq!(
        line(50),
        "checkout · implement · heartbeat 0/10 · context 50%\n"
    );
    agent.reports("UserPromptSubmit", &json!({"prompt": "go"}));
    agent.reports("PreToolUse", &bash("git push --force"));
    until("the denial is told", || {
        line(91).starts_with(
            "checkout · implement · heartbeat 1/10 · context 91% · denied git.push-force ",
        )
    });
    stage
        .run(&["fleet"])
        .expect(0, &["checkout #1 implement", "91%"]);
}

#[test]
fn f47_c_the_line_never_fails() {
    let mut sandbox = Sandbox::new();
    let path = |input: &str, args: &[&str]| {
        let ran = sandbox.run_with(&[&["statusline"], args].concat(), input.as_bytes());
        assert_eq!(
            (ran.code, ran.stderr.as_str()),
            (Some(0), ""),
            "{input}: {ran}"
        );
        ran.stdout
    };
    for (input, expected) in [
        ("", ""),
        ("{", ""),
        ("[]", ""),
        ("{}", ""),
        (r#"{"session_id": 5, "cwd": 6, "context_window": 7}"#, ""),
        (
            r#"{"session_id": "s", "context_window": {"used_percentage": 7}}"#,
            "context 7%\n",
        ),
    ] {
        assert_eq!(path(input, &[]), expected, "{input}");
        let beside = path(input, &["--", "echo theirs"]);
        let expected = format!("theirs  {expected}");
        assert_eq!(beside.trim_end(), expected.trim_end(), "{input}");
    }
    assert_eq!(path("{}", &["--", "exit 3"]), "");
    assert_eq!(path(r#"{"a": 1}"#, &["--", "cat"]), "{\"a\": 1}\n");
    // A daemon that does not answer.
    let socket = sandbox.socket();
    fs::create_dir_all(socket.parent().unwrap()).unwrap();
    let _silent = std::os::unix::net::UnixListener::bind(socket).unwrap();
    let ran = sandbox.run_with(
        &["statusline"],
        br#"{"session_id": "s", "cwd": "/", "context_window": {"used_percentage": 7}}"#,
    );
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), "context 7%\n"));
    sandbox.unset("HOME");
    assert_eq!(sandbox.run_with(&["statusline"], b"{}").code, Some(0));
}

#[test]
fn f47_c_whoever_keeps_the_input_open_is_not_waited_for() {
    let sandbox = Sandbox::with_repository();
    for (input, expected) in [("", ""), (&*status("s", &sandbox, 7), "context 7%\n")] {
        let mut child = sandbox
            .command(&["statusline"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut open = child.stdin.take().unwrap();
        open.write_all(input.as_bytes()).unwrap();
        // It ends although the input does not.
        let ended = child.wait_with_output().unwrap();
        assert_eq!(String::from_utf8_lossy(&ended.stdout), expected, "{input}");
        drop(open);
    }
}

#[needs(terminal)]
#[test]
fn f47_c_at_a_terminal_the_line_tells_what_is_recorded() {
    let mut sandbox = Sandbox::with_repository();
    sandbox.set("BOWLINE_DAEMON", "off");
    let line = format!("'{}' statusline", bowline().display());
    let shown = || Ran::of(&mut sandbox.at_terminal(&line));
    shown().expect(0, &[]);
    assert_eq!(shown().stdout, "");
    assert!(!sandbox.data().exists(), "looking leaves no traces");
    sandbox
        .run(&["effort", "start", "checkout", "implement"])
        .expect(0, &[]);
    assert_eq!(
        shown().stdout.trim_end(),
        "checkout · implement · heartbeat 0/10"
    );
}

#[test]
fn the_status_line_asks_the_daemon_that_the_hooks_ask() {
    let stage = Stage::of(installed());
    stage
        .run(&["init", "--yes", "--with-statusline"])
        .expect(0, &["Installed"]);
    stage
        .run(&["effort", "start", "checkout", "implement"])
        .expect(0, &[]);
    let settings: Value = serde_json::from_str(&stage.read("home/.claude/settings.json")).unwrap();
    let hook = settings["hooks"]["Stop"][0]["hooks"][0]["args"].to_string();
    let command = settings["statusLine"]["command"].as_str().unwrap();
    let place = format!("--home={}", stage.home().display());
    assert!(
        hook.contains(&place) && command.contains(&place),
        "{command}"
    );
    // A project may set the agent's variables.
    let input = status("s", &stage, 30);
    until("the daemon has answered in time", || {
        let mut line = stage.program("sh");
        line.args(["-c", command])
            .env("HOME", stage.folder("other"));
        let shown = Ran::with_stdin(&mut line, input.as_bytes()).stdout;
        shown == "checkout · implement · heartbeat 0/10 · context 30%\n"
    });
}

/// With both programs in a folder, as an installer leaves them.
fn installed() -> Sandbox {
    let mut sandbox = Sandbox::with_repository();
    let programs = sandbox.folder("bin");
    put(bowline(), programs.join("bowline"));
    script(programs.join("bowline-hook"), "#!/bin/sh\ncat >/dev/null\n");
    sandbox.set_programs(programs);
    sandbox.set("PATH", "/usr/bin:/bin");
    sandbox
}

#[test]
fn a_status_line_is_kept_and_comes_back_exactly() {
    for text in [
        "{\n  \"model\": \"opus\"\n}\n",
        "{\n  \"statusLine\": {\n    \"type\": \"command\",\n    \"command\": \"cat >/dev/null; printf '%s\\\\n' \\\"it's mine\\\"\",\n    \"padding\": 0\n  }\n}\n",
        "",
    ] {
        let sandbox = installed();
        let file = sandbox.write("home/.claude/settings.json", text);
        sandbox
            .run(&["init", "--yes", "--with-statusline"])
            .expect(0, &["Installed", "statusline"]);
        let settings: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
        let command = settings["statusLine"]["command"]
            .as_str()
            .unwrap()
            .to_owned();
        assert_eq!(settings["statusLine"]["type"], "command");
        assert!(settings["hooks"]["Stop"].is_array());
        // As Claude Code runs it.
        let mut line = sandbox.program("sh");
        line.args(["-c", &command]);
        let input = status("s", &sandbox, 30);
        let shown = Ran::with_stdin(&mut line, input.as_bytes());
        let theirs = if text.contains("mine") {
            "it's mine  "
        } else {
            ""
        };
        assert_eq!(shown.stdout, format!("{theirs}context 30%\n"), "{command}");

        sandbox
            .run(&["init", "--yes", "--with-statusline"])
            .expect(0, &["Already installed"]);
        sandbox
            .run(&["init", "--yes"])
            .expect(0, &["Already installed"]);
        // Somebody else has written to it since.
        let written = fs::read_to_string(&file).unwrap();
        let other = written.replacen('{', "{\n  \"theme\": \"dark\",", 1);
        fs::write(&file, &other).unwrap();
        sandbox
            .run(&["uninstall", "--yes"])
            .expect(0, &["Uninstalled"]);
        let left: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
        let mut expected: Value = serde_json::from_str(text).unwrap_or_else(|_| json!({}));
        expected["theme"] = json!("dark");
        assert_eq!(left, expected);
        fs::write(&file, &written).unwrap();
        sandbox
            .run(&["uninstall", "--yes"])
            .expect(0, &["Uninstalled"]);
        let left: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
        assert!(
            left.get("statusLine") == expected.get("statusLine"),
            "{left}"
        );

        // Only Bowline has written to it.
        fs::write(&file, text).unwrap();
        sandbox
            .run(&["init", "--yes", "--with-statusline"])
            .expect(0, &["Installed"]);
        sandbox
            .run(&["uninstall", "--yes"])
            .expect(0, &["Uninstalled"]);
        assert_eq!(fs::read_to_string(&file).unwrap(), text);
    }
}

#[test]
fn a_status_line_is_nobody_elses() {
    let sandbox = installed();
    sandbox
        .run(&["init", "--yes", "--with-statusline", "--scope", "project"])
        .expect_stderr(2, &["not for a project's settings", "--scope user"]);
    let odd = "{\"statusLine\": \"x\"}";
    let file = sandbox.write("home/.claude/settings.json", odd);
    sandbox
        .run(&["init", "--yes", "--with-statusline"])
        .expect_stderr(
            2,
            &[
                "`statusLine` is a text; expected an object",
                "nothing was changed",
            ],
        );
    assert_eq!(fs::read_to_string(&file).unwrap(), odd);
    // The client reads nothing of a file in which it stands so.
    let refused = [
        "Written, but Claude Code will not run it",
        "`statusLine` is a text",
    ];
    sandbox.run(&["init", "--yes"]).expect(1, &refused);
}
