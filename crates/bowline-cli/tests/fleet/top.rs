//! `bowline top` at a real terminal.

use std::process::Command;

use bowline_testkit::{Sandbox, bowline, needs, until, until_some};
use rustix::process::Signal;
use serde_json::json;

use super::screen::Screen;
use super::stage::{Stage, answer_of, bash};

/// `bowline top`, for which no time passes.
fn top(stage: &Stage, args: &[&str]) -> Command {
    let mut command = stage.command(&[&["top"], args].concat());
    command.env("BOWLINE_NOW", "2026-01-01T00:00:00Z");
    command
}

fn screen(stage: &Stage, columns: u16, lines: u16) -> Screen {
    Screen::of(&top(stage, &[]), columns, lines)
}

#[needs(no_agent)]
#[test]
fn questions_are_shown_and_answered_by_keys() {
    let stage = Stage::with_inbox();
    let mut agent = stage.agent("s-1");
    agent.reports(
        "UserPromptSubmit",
        &json!({"prompt": "make the tests pass"}),
    );
    agent.reports("PreToolUse", &bash("cargo test"));
    stage.until_state("s-1", "working");
    let mut screen = screen(&stage, 100, 12);
    screen.until("on `cargo test`");
    let hook = stage.asks("s-2", "eval \"$WHAT\"");
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
    let answered = answer_of(hook);
    assert_eq!(
        answered["hookSpecificOutput"]["permissionDecision"], "allow",
        "{answered}"
    );
    screen.until("Allowed.");
    // Its first event was the one that was asked about.
    stage.until_state("s-2", "working");

    let hook = stage.asks("s-3", "eval \"$OTHER\"");
    screen.until("eval \"$OTHER\"");
    screen.types("g");
    screen.until("> waiting for you: `eval \"$OTHER\"`");
    screen.types("an");
    screen.until("tell the model:");
    screen.types("not today\r");
    let answered = answer_of(hook);
    let decision = &answered["hookSpecificOutput"];
    assert_eq!(decision["permissionDecision"], "deny", "{answered}");
    let reason = decision["permissionDecisionReason"].as_str().unwrap();
    assert!(reason.contains("not today"), "{reason}");
    screen.until("Denied.");

    screen.types("q");
    assert!(screen.ended().success());
    screen.assert_restored("q");
}

/// What is on a screen, without what differs each time.
fn steady(stage: &Stage, text: &str) -> String {
    let text = text.replace(stage.root().to_str().unwrap(), "ROOT");
    let lines = text.lines().filter(|line| !line.starts_with("  Waits"));
    lines.fold(String::new(), |text, line| text + line + "\n")
}

#[needs(no_agent)]
#[test]
fn questions_are_answered_for_longer_than_one_call() {
    let stage = Stage::with_inbox();
    let mut screen = screen(&stage, 100, 24);
    let decision = |hook| answer_of(hook)["hookSpecificOutput"]["permissionDecision"].clone();

    let hook = stage.asks("s-1", "terraform apply");
    screen.until("waiting for you: `terraform apply`");
    screen.types("as");
    screen.until("says nothing to exactly this call");
    screen.types("n");
    screen.until("f for good");
    assert_eq!(stage.questions().len(), 1, "it was only shown");
    screen.types("s");
    screen.until("Allow for its session?");
    screen.types("y");
    screen.until("Allowed, also again in its session.");
    assert_eq!(decision(hook), "allow");
    let again = stage.asks("s-1", "terraform apply");
    assert!(again.wait_with_output().unwrap().stdout.is_empty());

    let hook = stage.asks("s-2", "terraform apply -var x=2");
    screen.until("waiting for you: `terraform apply -var");
    screen.types("gaf");
    let shown = screen.until("Allow for good?");
    insta::with_settings!({snapshot_path => "snapshots", prepend_module_to_snapshot => false}, {
        insta::assert_snapshot!("top_for_good", steady(&stage, &shown));
    });
    let file = stage.project().join("bowline.local.toml");
    assert!(!file.exists(), "it was only shown");
    screen.types("y");
    screen.until("Allowed for good.");
    assert_eq!(decision(hook), "allow");
    let written = std::fs::read_to_string(file).unwrap();
    assert_eq!(
        written,
        "[guard.allow]\ncommands = [\"terraform apply -var x=2\"]\n"
    );
    let again = stage.asks("s-3", "terraform apply -var x=2");
    assert!(again.wait_with_output().unwrap().stdout.is_empty());

    // What no entry is narrow enough for stays a question.
    let mut hook = stage.asks("s-4", "eval \"$WHAT\"");
    screen.until("waiting for you: `eval");
    screen.types("gaf");
    screen.until("no entry is narrow enough");
    screen.types("qqq");
    assert!(screen.ended().success());
    hook.kill().unwrap();
    hook.wait().unwrap();
}

#[test]
fn a_search_finds_records_and_opens_them() {
    let stage = Stage::new();
    let mut agent = stage.agent("s-1");
    agent.reports(
        "UserPromptSubmit",
        &json!({"prompt": "make the basket cheaper"}),
    );
    agent.reports("PreToolUse", &bash("cargo test -p basket"));
    agent.reports(
        "PostToolUseFailure",
        &json!({"tool_name": "Bash", "tool_use_id": "toolu_1", "tool_input": {"command": "cargo test -p basket"},
            "error": "the basket is empty"}),
    );
    agent.reports("Stop", &json!({}));
    stage.until_state("s-1", "done");
    let mut screen = screen(&stage, 100, 24);
    screen.until("1 session");
    screen.types("?");
    let keys = screen.until("also commands, paths, prompts and errors");
    insta::with_settings!({snapshot_path => "snapshots", prepend_module_to_snapshot => false}, {
        insta::assert_snapshot!("top_keys", keys);
    });
    screen.types("\u{1b}");
    screen.until("? keys");

    screen.types("/basket");
    screen.until("only: basket");
    screen.types("\r");
    let found = screen.until("3 records");
    let kinds = ["error    Bash", "command  Bash", "prompt"];
    let places: Vec<usize> = kinds.iter().map(|it| found.find(it).unwrap()).collect();
    assert!(places.is_sorted(), "{found}");
    screen.types("\r");
    let call = screen.until("toolu_1");
    assert!(call.contains("the basket is empty"), "{call}");
    screen.types("t");
    screen.until("make the basket cheaper");
    screen.types("\u{1b}");
    screen.until("t all that followed");
    screen.types("\u{1b}");
    screen.until("3 records");
    // The prompt is the last; its tree has the call.
    screen.types("G\r");
    screen.until("└─ Bash");
    screen.types("\u{1b}");
    screen.until("3 records");
    screen.types("/");
    screen.until("/basket_");
    screen.types("case\r");
    screen.until("No command, path, prompt or error has `basketcase`.");
    screen.types("q");
    screen.until("No session has these words");
    screen.types("\u{1b}");
    screen.until("idle");
    screen.types("q");
    assert!(screen.ended().success());
}

#[test]
fn the_tree_of_a_prompt_and_denials_are_shown() {
    let sandbox = Sandbox::with_repository();
    let settings = "[guard.categories]\nself = \"deny\"\n";
    sandbox.write("home/.config/bowline/config.toml", settings);
    let stage = Stage::of(sandbox);
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
    // Nothing silences what guards Bowline itself.
    screen.types("\u{1b}");
    screen.until("State");
    agent.reports(
        "PreToolUse",
        &json!({"tool_name": "Bash", "tool_use_id": "toolu_2", "tool_input": {"command": "bowline pause"}}),
    );
    screen.until("blocked: `bowline pause`");
    screen.types("d");
    screen.until("self.command");
    screen.types("a");
    screen.until("guards Bowline itself");
    screen.types("qq");
    assert!(screen.ended().success());
}

#[test]
fn the_terminal_is_as_before_however_it_ends() {
    let stage = Stage::with_inbox();
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
    let stage = Stage::with_inbox();
    let screen = screen(&stage, 80, 10);
    screen.until("No agent is at work");
    let mut child = screen.close();
    until_some("it ends", || child.try_wait().unwrap());
}

#[test]
fn another_size_is_drawn_at_once() {
    let stage = Stage::with_inbox();
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
    let stage = Stage::with_inbox();
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
    let stage = Stage::with_inbox();
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
    let stage = Stage::with_inbox();
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
    let stage = Stage::with_inbox();
    let mut agent = stage.agent("s-1");
    agent.reports(
        "UserPromptSubmit",
        &json!({"prompt": "make the tests pass"}),
    );
    agent.reports("PreToolUse", &bash("cargo test"));
    stage.until_state("s-1", "working");
    let hook = stage.asks("s-2", "eval \"$WHAT\"");
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
