//! Colours, and what a terminal gets that is too small.

use std::process::Command;

use super::machine::Machine;

/// What a terminal of ten lines gets; nothing where none can be played.
fn at_a_terminal(machine: &Machine, line: &str, pager: &str) -> Option<String> {
    let at = machine.command(&[]);
    let line = format!(
        "stty rows 10 cols 100; '{}' {line}",
        env!("CARGO_BIN_EXE_bowline")
    );
    let mut command = Command::new("script");
    command
        .args(["-qec", &line, "/dev/null"])
        .current_dir(at.get_current_dir().unwrap())
        .env_clear()
        .envs(
            at.get_envs()
                .filter_map(|(name, value)| Some((name, value?))),
        )
        .env("TERM", "xterm")
        .env("BOWLINE_PAGER", pager)
        .env("PAGER", "false");
    match command.output() {
        Ok(output) => Some(String::from_utf8(output.stdout).unwrap()),
        Err(error) => {
            eprintln!("skipped: `script` is not here ({error})");
            None
        }
    }
}

#[test]
fn a_text_that_is_longer_than_the_screen_goes_through_the_pager() {
    let machine = Machine::after_work();
    for (line, pager, paged) in [
        ("events", "tr a-z A-Z", true),
        ("trace list --limit 2", "tr a-z A-Z", false),
        ("events --json", "tr a-z A-Z", false),
        ("completions bash", "tr a-z A-Z", false),
        ("events", "no-such-pager", false),
        ("events", "", false),
        ("events", "cat", false),
    ] {
        let Some(shown) = at_a_terminal(&machine, line, pager) else {
            return;
        };
        let lower = shown.chars().any(|c| c.is_ascii_lowercase() && c != 'm');
        assert!(shown.len() > 100, "{line} through {pager:?}: {shown}");
        assert_eq!(!lower, paged, "{line} through {pager:?}: {shown}");
    }
}

#[test]
fn a_pipe_has_no_pager() {
    let machine = Machine::new();
    let mut command = machine.command(&["events"]);
    let output = command.env("BOWLINE_PAGER", "tr a-z A-Z").output().unwrap();
    assert!(String::from_utf8_lossy(&output.stdout).contains("PreToolUse"));
}

#[test]
fn colours_are_there_when_they_are_wanted() {
    let machine = Machine::after_work();
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
        let output = machine.command(args).env(variable, "1").output().unwrap();
        let shown = [output.stdout, output.stderr].concat();
        assert_eq!(shown.contains(&0x1b), coloured, "{args:?} {variable}");
    }
    machine
        .run(&["log", "--color", "pink"])
        .expect(2, &["auto, always, never"]);
}
