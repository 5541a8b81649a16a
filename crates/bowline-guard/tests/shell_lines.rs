//! Every line of the shell corpus: what runs is seen, what only looks so is not.

use std::path::{Path, PathBuf};

use bowline_guard::shell::{self, ShellLine};
use serde_json::Value;

fn runs_rm(line: &ShellLine) -> bool {
    line.commands.iter().any(|command| {
        let mut names = command.words.iter().map(|word| word.literal.as_deref());
        match names.next().flatten() {
            // Judging wrappers is not the splitter's work; their words contain the command.
            Some("command" | "env" | "exec" | "eval") => names.any(|name| name == Some("rm")),
            Some(name) => name == "rm" || name.ends_with("/rm"),
            None => false,
        }
    })
}

fn check(text: &str) -> (usize, Vec<String>) {
    let mut wrong = Vec::new();
    let mut unclean = 0;
    let rows: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    for row in rows.iter().filter(|row| row.get("src").is_some()) {
        let source = row["src"].as_str().unwrap();
        let line = shell::parse(source);
        let expected = row["runs_rm"].as_i64().unwrap();
        let valid = row["bash_ok"].as_bool().unwrap();
        if valid && !line.is_clean() {
            println!("not clean: {source:?} {:?}", line.understanding);
            unclean += 1;
        }
        let verdict = match (expected, valid) {
            (1, _) if line.is_clean() && !runs_rm(&line) => "runs rm unseen",
            (0, _) if runs_rm(&line) => "only looks like rm",
            (_, false) if line.is_clean() => "is not valid, and called clean",
            _ => continue,
        };
        wrong.push(format!("{verdict}: {source:?} {line:?}"));
    }
    (unclean, wrong)
}

fn shared_corpus() -> Option<PathBuf> {
    let shared = std::env::var_os("BOWLINE_SHARED").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared"),
        PathBuf::from,
    );
    let file = shared.join("corpus/shell-lines.jsonl");
    file.is_file().then_some(file)
}

#[test]
fn the_shared_corpus() {
    let Some(file) = shared_corpus() else {
        println!("skipped: no shell corpus; set BOWLINE_SHARED to the folder that has corpus/");
        return;
    };
    let (unclean, wrong) = check(&std::fs::read_to_string(file).unwrap());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    println!("valid lines not called clean: {unclean}");
    assert!(unclean <= 5, "valid lines not called clean: {unclean}");
}
