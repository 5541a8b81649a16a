//! Colours, and what a terminal gets that is too small.

use bowline_testkit::{Ran, bowline, needs};

use super::history::History;

/// What a terminal of ten lines gets.
fn at_a_terminal(history: &History, line: &str, pager: &str) -> String {
    let line = format!("stty rows 10 cols 100; '{}' {line}", bowline().display());
    let mut command = history.at_terminal(&line);
    command
        .env("TERM", "xterm")
        .env("BOWLINE_PAGER", pager)
        .env("PAGER", "false");
    Ran::of(&mut command).stdout
}

#[needs(terminal)]
#[test]
fn a_text_that_is_longer_than_the_screen_goes_through_the_pager() {
    let history = History::after_work();
    for (line, pager, paged) in [
        ("events", "tr a-z A-Z", true),
        ("trace list --limit 2", "tr a-z A-Z", false),
        ("events --json", "tr a-z A-Z", false),
        ("completions bash", "tr a-z A-Z", false),
        ("events", "no-such-pager", false),
        ("events", "", false),
        ("events", "cat", false),
    ] {
        let shown = at_a_terminal(&history, line, pager);
        let lower = shown.chars().any(|c| c.is_ascii_lowercase() && c != 'm');
        assert!(shown.len() > 100, "{line} through {pager:?}: {shown}");
        assert_eq!(!lower, paged, "{line} through {pager:?}: {shown}");
    }
}

#[test]
fn a_pipe_has_no_pager() {
    let history = History::new();
    let mut command = history.command(&["events"]);
    let output = command.env("BOWLINE_PAGER", "tr a-z A-Z").output().unwrap();
    assert!(String::from_utf8_lossy(&output.stdout).contains("PreToolUse"));
}

#[test]
fn colours_are_there_when_they_are_wanted() {
    let history = History::after_work();
    for (args, variable, coloured) in [
        (&["trace", "list", "--color", "always"][..], "X", true),
        (&["--color=always", "log"], "NO_COLOR", true),
        (&["check", "--color", "always"], "X", true),
        (&["trace", "list", "--color", "auto"], "X", false),
        (&["trace", "list"], "CLICOLOR_FORCE", true),
        (
            &["trace", "list", "--color", "never"],
            "CLICOLOR_FORCE",
            false,
        ),
        (&["trace", "show", "nobody", "--color", "always"], "X", true),
        (&["nonsense", "--color", "always"], "X", true),
        (&["nonsense", "--color=never"], "CLICOLOR_FORCE", false),
    ] {
        let output = history.command(args).env(variable, "1").output().unwrap();
        let shown = [output.stdout, output.stderr].concat();
        assert_eq!(shown.contains(&0x1b), coloured, "{args:?} {variable}");
    }
    history
        .run(&["log", "--color", "pink"])
        .expect_stderr(2, &["auto, always, never"]);
}
