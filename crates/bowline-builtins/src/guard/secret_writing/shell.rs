//! The texts that a shell line itself writes into files.

use bowline_guard::invocation::{Arg, Invocation, Opening, Stdin};
use bowline_guard::judge::Judgement;
use bowline_guard::shell::Understanding;

use super::spot::{Spot, Surroundings, place_of, spots_in};

/// The secrets that stand in the line and would land in a file.
pub(super) fn written(command: &str, judgement: &Judgement) -> Vec<Spot> {
    let mut spots = Vec::new();
    for run in &judgement.invocations {
        for (file, text) in texts(run) {
            let surroundings = Surroundings::of(file);
            spots.extend(spots_in(&text, surroundings, |line| {
                place_of(file, line, " of the text")
            }));
        }
    }
    let is_clean = matches!(judgement.understanding, Understanding::Clean);
    if spots.is_empty() && !is_clean && (command.contains('>') || command.contains("tee ")) {
        // It is unknown what goes where; a redirection next to a secret is enough.
        spots = spots_in(command, Surroundings::Real, |line| {
            format!("in line {line} of the command")
        });
    }
    spots
}

/// The files that a program writes, each with the text that it gets, where the line spells it out.
fn texts(run: &Invocation) -> Vec<(&str, String)> {
    let Some(program) = run.program.as_deref() else {
        return Vec::new();
    };
    let text = match (program, &run.stdin) {
        ("echo" | "printf" | "print", _) => spelled(&run.args),
        (_, Stdin::Text(text)) => text.clone(),
        _ => return Vec::new(),
    };
    let redirected = run
        .opened
        .iter()
        .filter(|opened| matches!(opened.how, Opening::Overwrite | Opening::Append))
        .map(|opened| &opened.file);
    let named = run
        .args
        .iter()
        .filter(|_| matches!(program, "tee" | "sponge"));
    redirected
        .chain(named)
        .map(|file| file.text().unwrap_or(&file.source))
        .filter(|file| !file.starts_with("/dev/") && !file.starts_with('-'))
        .map(|file| (file, text.clone()))
        .collect()
}

fn spelled(args: &[Arg]) -> String {
    let words: Vec<&str> = args
        .iter()
        .map(|arg| arg.text().unwrap_or(&arg.source))
        .collect();
    words.join(" ")
}
