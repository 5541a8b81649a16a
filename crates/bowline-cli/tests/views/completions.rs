//! Ids that shells complete.

use bowline::hooks::Decision;
use serde_json::json;

use bowline_testkit::{Ran, bowline};

use super::history::History;

/// What bash offers for the last word of a line.
fn offered(history: &History, line: &str) -> Vec<String> {
    let script = r#"
        source <("$BOWLINE" completions bash)
        COMP_WORDS=("$BOWLINE" $LINE_WORDS "$LAST_WORD")
        COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
        _bowline_or_id "$BOWLINE" "$LAST_WORD" "${COMP_WORDS[COMP_CWORD-1]}"
        printf '%s\n' "${COMPREPLY[@]}"
    "#;
    let (words, last) = line.rsplit_once(' ').unwrap();
    let mut bash = history.program("bash");
    bash.args(["-c", script])
        .env("BOWLINE", bowline())
        .env("LINE_WORDS", words)
        .env("LAST_WORD", last);
    let ran = Ran::of(&mut bash);
    assert_eq!(ran.stderr, "");
    ran.stdout.lines().map(str::to_owned).collect()
}

#[test]
fn bash_completes_ids_of_what_was_recorded() {
    let history = History::after_work();
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
        assert_eq!(offered(&history, line), expected, "{line}");
    }
}

#[test]
fn an_id_that_a_shell_would_obey_is_not_offered() {
    let history = History::new();
    let input = json!({"command": "ls"});
    let mut records = Vec::new();
    for (place, id) in ["$(touch hit)", "two words", "-rf", "fine"]
        .into_iter()
        .enumerate()
    {
        let ms = i64::try_from(place).unwrap();
        let mut call = history.start(&format!("s{id}"), id, "Bash", ms, &input);
        call.decided.decision = Decision::Deny;
        records.push(call);
    }
    history.record(records);
    assert_eq!(offered(&history, "trace show "), ["fine"]);
    assert_eq!(offered(&history, "why "), ["fine"]);
    assert_eq!(offered(&history, "session show "), ["sfine", "s-rf"]);
    assert!(!history.path("project/hit").exists());
}

#[test]
fn the_other_shells_ask_for_the_same() {
    let history = History::new();
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
        history.run(&["completions", shell]).expect(0, texts);
    }
}
