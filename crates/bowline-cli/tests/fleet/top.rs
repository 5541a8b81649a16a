//! `bowline top` at a real terminal.

use std::io::Write as _;
use std::process::{Child, Command, Stdio};

use bowline_testkit::{Ran, Sandbox, bowline, client, needs, until, until_some};
use rustix::process::Signal;
use serde_json::{Value, json};

use super::screen::Screen;
use super::stage::{Stage, bash, payload};

/// A stage on which questions wait for a person.
fn stage() -> Stage {
    let sandbox = Sandbox::with_repository();
    let settings = "[approvals]\nwait = \"5m\"\n";
    sandbox.write("home/.config/bowline/config.toml", settings);
    Stage::of(sandbox)
}

/// `bowline top`, for which no time passes.
fn top(stage: &Stage, args: &[&str]) -> Command {
    let mut command = stage.command(&[&["top"], args].concat());
    command.env("BOWLINE_NOW", "2026-01-01T00:00:00Z");
    command
}

fn screen(stage: &Stage, columns: u16, lines: u16) -> Screen {
    Screen::of(&top(stage, &[]), columns, lines)
}

/// A hook that reports a call, and waits for its answer.
fn asks(stage: &Stage, session: &str, command: &str) -> Child {
    let mut hook = stage.program(client());
    let mut hook = hook
        .args(["claude-code", "PreToolUse"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let call = payload("PreToolUse", session, stage.project(), &bash(command));
    let mut stdin = hook.stdin.take().unwrap();
    stdin.write_all(call.to_string().as_bytes()).unwrap();
    hook
}

fn answer(hook: Child) -> Value {
    let ran = Ran::from(hook.wait_with_output().unwrap());
    ran.expect(0, &[]);
    ran.json()
}

#[needs(no_agent)]
#[test]
fn questions_are_shown_and_answered_by_keys() {
    let stage = stage();
    let mut agent = stage.agent("s-1");
    agent.reports(
        "UserPromptSubmit",
        &json!({"prompt": "make the tests pass"}),
    );
    agent.reports("PreToolUse", &bash("cargo test"));
    stage.until_state("s-1", "working");
    let mut screen = screen(&stage, 100, 12);
    screen.until("on `cargo test`");
    let hook = asks(&stage, "s-2", "eval \"$WHAT\"");
    let shown = screen.until("waiting for you: `eval \"$WHAT\"`");
    insta::with_settings!({snapshot_path => "snapshots", prepend_module_to_snapshot => false}, {
        insta::assert_snapshot!("top", shown);
    });

    // The chosen session stays chosen while others come before it.
    screen.types("a");
    screen.until("> waiting for you");
    screen.types("a");
    screen.until("a question for you");
    screen.types("y");
    let answered = answer(hook);
    assert_eq!(
        answered["hookSpecificOutput"]["permissionDecision"], "allow",
        "{answered}"
    );
    screen.until("Allowed.");

    let hook = asks(&stage, "s-3", "eval \"$OTHER\"");
    screen.until("eval \"$OTHER\"");
    screen.types("g");
    screen.until("> waiting for you: `eval \"$OTHER\"`");
    screen.types("an");
    screen.until("tell the model:");
    screen.types("not today\r");
    let answered = answer(hook);
    let decision = &answered["hookSpecificOutput"];
    assert_eq!(decision["permissionDecision"], "deny", "{answered}");
    let reason = decision["permissionDecisionReason"].as_str().unwrap();
    assert!(reason.contains("not today"), "{reason}");
    screen.until("Denied.");

    screen.types("q");
    assert!(screen.ended().success());
    screen.assert_restored("q");
}

#[test]
fn the_tree_of_a_prompt_and_denials_are_shown() {
    let stage = stage();
    let mut agent = stage.agent("s-1");
    agent.reports(
        "UserPromptSubmit",
        &json!({"prompt": "make the tests pass"}),
    );
    agent.reports("PreToolUse", &bash("git push --force"));
    let mut screen = screen(&stage, 120, 14);
    screen.until("blocked: `git push --force`");
    screen.types("\r");
    screen.until("└─ Bash  denied");
    screen.types("\u{1b}");
    screen.until("State");
    screen.types("d");
    screen.until("git.push-force");
    screen.types("a");
    screen.until("`bowline allow toolu_1`");
    screen.types("qq");
    assert!(screen.ended().success());
}

#[test]
fn the_terminal_is_as_before_however_it_ends() {
    let stage = stage();
    for (name, end) in [
        ("q", "q"),
        ("Esc", "\u{1b}"),
        ("Ctrl-C", "\u{3}"),
        ("Ctrl-C while something is typed", "/x\u{3}"),
    ] {
        let mut screen = screen(&stage, 80, 10);
        screen.until("No agent is at work");
        assert!(screen.is_drawn_on());
        screen.types(end);
        assert!(screen.ended().success(), "{name}");
        screen.assert_restored(name);
    }
    for signal in [Signal::TERM, Signal::INT, Signal::HUP, Signal::QUIT] {
        let mut screen = screen(&stage, 80, 10);
        screen.until("No agent is at work");
        screen.signal(signal);
        screen.ended();
        screen.assert_restored(&format!("{signal:?}"));
    }
    let mut command = top(&stage, &["--mouse"]);
    command.env("BOWLINE_TOP_FAILS", "1");
    let mut screen = Screen::of(&command, 80, 10);
    screen.until("No agent is at work");
    screen.types("!");
    assert_eq!(screen.ended().code(), Some(2));
    screen.assert_restored("a failure inside");
    screen.until("as asked");
}

#[test]
fn it_ends_with_its_terminal() {
    let stage = stage();
    let screen = screen(&stage, 80, 10);
    screen.until("No agent is at work");
    let mut child = screen.close();
    until_some("it ends", || child.try_wait().unwrap());
}

#[test]
fn another_size_is_drawn_at_once() {
    let stage = stage();
    let mut agent = stage.agent("s-1");
    agent.reports("PreToolUse", &bash("cargo test"));
    let mut screen = screen(&stage, 120, 10);
    screen.until("Denied");
    screen.resize(60, 6);
    until("fewer columns are there", || {
        let text = screen.text();
        text.contains("cargo test") && !text.contains("Failed")
    });
    screen.resize(40, 6);
    screen.until("40×6 is too small");
    screen.resize(90, 20);
    screen.until("Denied");
    screen.types("q");
    assert!(screen.ended().success());
}

#[test]
fn it_goes_on_while_there_is_no_daemon() {
    let stage = stage();
    let mut screen = screen(&stage, 80, 10);
    screen.until("No agent is at work");
    stage.run(&["daemon", "stop"]).expect(0, &[]);
    screen.until("no daemon");
    stage.run(&["daemon", "start"]).expect(0, &[]);
    screen.until("0 sessions");
    screen.types("q");
    assert!(screen.ended().success());
}

#[test]
fn a_shell_can_have_the_terminal_meanwhile() {
    let stage = stage();
    let mut shell = stage.program("bash");
    shell
        .args(["--norc", "--noprofile", "-i"])
        .env("PS1", "ready> ");
    let mut screen = Screen::of(&shell, 80, 10);
    screen.until("ready>");
    screen.types(&format!("{} top\r", bowline().display()));
    screen.until("No agent is at work");
    screen.types("\u{1a}");
    until("the shell has the terminal", || !screen.is_drawn_on());
    screen.until("Stopped");
    screen.types("fg\r");
    until("it draws again", || screen.is_drawn_on());
    screen.until("No agent is at work");
    screen.types("q");
    until("the shell has the terminal", || !screen.is_drawn_on());
    screen.types("exit\r");
    assert!(screen.ended().success());
}

#[test]
fn it_needs_a_terminal_that_can_be_drawn_on() {
    let stage = stage();
    let ran = stage.run(&["top"]);
    ran.expect_stderr(2, &["needs a terminal", "bowline fleet --json"]);
    let mut shell = stage.program("sh");
    shell.args([
        "-c",
        &format!("TERM=dumb {} top; echo $?", bowline().display()),
    ]);
    let screen = Screen::of(&shell, 80, 10);
    let text = screen.until("bowline fleet");
    assert!(text.contains("dumb"), "{text}");
}

#[test]
fn everything_is_there_for_programs_and_once() {
    let stage = stage();
    let mut agent = stage.agent("s-1");
    agent.reports(
        "UserPromptSubmit",
        &json!({"prompt": "make the tests pass"}),
    );
    agent.reports("PreToolUse", &bash("cargo test"));
    stage.until_state("s-1", "working");
    let hook = asks(&stage, "s-2", "eval \"$WHAT\"");
    let document = until_some("the question is listed", || {
        let document = stage.json(&["top"]);
        let first = &document["sessions"][0];
        (first["state"]["is"] == "waiting_for_you").then_some(document)
    });
    let [first, second] = &document["sessions"].as_array().unwrap()[..] else {
        panic!("{document}");
    };
    assert_eq!(first["questions"][0]["input"]["command"], "eval \"$WHAT\"");
    assert_eq!(second["state"]["on"]["what"], "cargo test");
    assert_eq!(second["prompt"], "make the tests pass");
    assert_eq!(second["calls"], 1);
    stage
        .run(&["top", "--once"])
        .expect(0, &["waiting for you: `eval", "on `cargo test`"]);

    // Without a daemon, what is recorded is listed. The question went back to its agent.
    stage.run(&["daemon", "stop"]).expect(0, &[]);
    drop(hook.wait_with_output().unwrap());
    stage.run(&["top", "--once"]).expect(0, &["cargo test"]);
}
