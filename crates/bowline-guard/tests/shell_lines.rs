//! Every line of the shell corpus: what runs is seen, what only looks so is not.

use std::path::{Path, PathBuf};

use bowline_guard::shell::{self, ShellLine};
use serde_json::Value;

/// Valid lines that may be called less than clean: two loops with braces for `do`, `${ cmd; }`, a bare `!`, a NUL.
const NOT_CLEAN: usize = 5;

fn shared_corpus() -> PathBuf {
    let shared = std::env::var_os("BOWLINE_SHARED").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared"),
        PathBuf::from,
    );
    shared.join("corpus/shell-lines.jsonl")
}

fn runs_rm(line: &ShellLine) -> bool {
    line.commands.iter().any(|command| {
        let mut words = command.words.iter().map(|word| word.literal.as_deref());
        match words.next().flatten() {
            // Judging wrappers is not the splitter's work; their words contain the command.
            Some("command" | "env" | "exec" | "eval") => words.any(|word| word == Some("rm")),
            Some(name) => name == "rm" || name.ends_with("/rm"),
            None => false,
        }
    })
}

#[test]
fn the_corpus_of_shell_lines() {
    let Ok(corpus) = std::fs::read_to_string(shared_corpus()) else {
        println!("skipped: no shell corpus; BOWLINE_SHARED names the folder that has corpus/");
        return;
    };
    let mut wrong = Vec::new();
    let mut not_clean = Vec::new();
    for row in corpus.lines() {
        let row: Value = serde_json::from_str(row).unwrap();
        let Some(source) = row["src"].as_str() else {
            continue;
        };
        let line = shell::parse(source);
        let valid = row["bash_ok"].as_bool().unwrap();
        if valid && !line.is_clean() {
            not_clean.push(source.to_owned());
        }
        let verdict = match row["runs_rm"].as_i64().unwrap() {
            1 if line.is_clean() && !runs_rm(&line) => "runs rm unseen",
            0 if runs_rm(&line) => "only looks like rm",
            _ if !valid && line.is_clean() => "is not valid, and called clean",
            _ => continue,
        };
        wrong.push(format!("{source:?} {verdict}: {line:?}"));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(not_clean.len() <= NOT_CLEAN, "{not_clean:#?}");
}
