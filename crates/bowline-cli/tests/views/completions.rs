//! Ids that shells complete.

use std::process::Command;

use bowline::hooks::Decision;
use serde_json::json;

use super::machine::Machine;

/// What bash offers for the last word of a line.
fn offered(machine: &Machine, line: &str) -> Vec<String> {
    let script = r#"
        source <("$BOWLINE" completions bash)
        COMP_WORDS=("$BOWLINE" $LINE_WORDS "$LAST_WORD")
        COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
        _bowline_or_id "$BOWLINE" "$LAST_WORD" "${COMP_WORDS[COMP_CWORD-1]}"
        printf '%s\n' "${COMPREPLY[@]}"
    "#;
    let at = machine.command(&[]);
    let (words, last) = line.rsplit_once(' ').unwrap();
    let output = Command::new("bash")
        .args(["-c", script])
        .current_dir(at.get_current_dir().unwrap())
        .env_clear()
        .envs(
            at.get_envs()
                .filter_map(|(name, value)| Some((name, value?))),
        )
        .env("BOWLINE", env!("CARGO_BIN_EXE_bowline"))
        .env("LINE_WORDS", words)
        .env("LAST_WORD", last)
        .output()
        .unwrap();
    assert!(output.stderr.is_empty(), "{output:?}");
    let offered = String::from_utf8(output.stdout).unwrap();
    offered.lines().map(str::to_owned).collect()
}

#[test]
fn bash_completes_ids_of_what_was_recorded() {
    let machine = Machine::after_work();
    for (line, expected) in [
        ("trace show toolu_t", &["toolu_test", "toolu_task"][..]),
        ("trace tree toolu_gr", &["toolu_grep"]),
        ("session show ", &["s-2", "s-1"]),
        ("trace list --session s-", &["s-2", "s-1"]),
        ("log --session ", &["s-2", "s-1"]),
        ("why ", &["toolu_push"]),
        ("allow toolu", &["toolu_push"]),
        ("allow git.push-force-", &["git.push-force-with-lease"]),
        ("rules show git.push-force-", &["git.push-force-with-lease"]),
        // Where no id belongs, it is as ever.
        ("trace show --js", &["--json"]),
        ("trace sh", &["show"]),
    ] {
        assert_eq!(offered(&machine, line), expected, "{line}");
    }
}

#[test]
fn an_id_that_a_shell_would_obey_is_not_offered() {
    let machine = Machine::new();
    let input = json!({"command": "ls"});
    let mut records = Vec::new();
    for (place, id) in ["$(touch hit)", "two words", "-rf", "fine"]
        .into_iter()
        .enumerate()
    {
        let ms = i64::try_from(place).unwrap();
        let mut call = machine.start(&format!("s{id}"), id, "Bash", ms, &input);
        call.decided.decision = Decision::Deny;
        records.push(call);
    }
    machine.record(records);
    assert_eq!(offered(&machine, "trace show "), ["fine"]);
    assert_eq!(offered(&machine, "why "), ["fine"]);
    assert_eq!(offered(&machine, "session show "), ["sfine", "s-rf"]);
    assert!(!machine.path("project/hit").exists());
}

#[test]
fn the_other_shells_ask_for_the_same() {
    let machine = Machine::new();
    for (shell, texts) in [
        (
            "zsh",
            &[
                "newest: _bowline_ids call'",
                "newest: _bowline_ids session'",
                "stopped: _bowline_ids stopped'",
                "`last`: _bowline_ids stopped rule'",
                "names it: _bowline_ids rule'",
                "SESSION: _bowline_ids session'",
                "_bowline_ids() {",
            ][..],
        ),
        (
            "fish",
            &[
                "using_subcommand trace; and __fish_seen_subcommand_from show\" -k -f -a \"(bowline complete call ",
                "using_subcommand why\" -k -f -a \"(bowline complete stopped ",
                "-l session -r -k -f -a \"(bowline complete session ",
            ],
        ),
    ] {
        machine.run(&["completions", shell]).expect(0, texts);
    }
}
