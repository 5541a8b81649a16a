//! Branches whose commits are put elsewhere, and pull requests that are checked out.

use super::{gives_up, some};
use crate::families::acts::Run;
use crate::families::args::{Spec, UNKNOWN, parse, split_command, word};
use crate::invocation::Arg;
use crate::loss::{Act, GitAct};

const REBASE: Spec = Spec::gnu(&[
    "onto",
    "s",
    "strategy",
    "X",
    "strategy-option",
    "x",
    "exec",
    "C",
    "whitespace",
    "empty",
])
.shortening(&["onto", "root", "abort", "skip", "strategy", "exec"]);

pub(super) fn rebase(rest: &[Arg]) -> Vec<GitAct> {
    let parsed = parse(rest, &REBASE);
    let onto = || {
        Some(GitAct::RebaseOnto {
            onto: parsed.value(&["onto"])?.to_owned(),
            after: some(parsed.at(0)).filter(|_| !parsed.has(&["root"]))?,
            branch: some(parsed.at(1)),
        })
    };
    let act = if parsed.has(&["abort"]) {
        GitAct::AbortRebase
    } else if parsed.has(&["skip"]) {
        GitAct::SkipCommit
    } else {
        onto().unwrap_or(GitAct::Other)
    };
    vec![act]
}

/// `git cherry-pick`, `git revert`, `git am`.
pub(super) fn pick(rest: &[Arg]) -> Vec<GitAct> {
    vec![if gives_up(rest) {
        GitAct::Abort
    } else {
        GitAct::Other
    }]
}

/// `gh pr checkout --force`, which sets a branch that is there already to what the pull request has.
pub(in crate::families::acts) fn checks_out_pull_request(run: &Run<'_>) -> Vec<Act> {
    let (_, command, rest) = split_command(&run.invocation.args, &Spec::gnu(&["R", "repo"]));
    let rest = match (command, rest) {
        ("pr", [second, rest @ ..]) if matches!(word(second), "checkout" | "co") => rest,
        ("co", rest) => rest,
        _ => return Vec::new(),
    };
    let spec = Spec::gnu(&["b", "branch", "R", "repo"]);
    let parsed = parse(rest, &spec);
    if !parsed.has(&["f", "force"]) || parsed.has(&["detach"]) {
        return Vec::new();
    }
    let name = parsed.value(&["b", "branch"]).unwrap_or(parsed.at(0));
    // A number or an address tells no branch.
    let tells = !name.is_empty()
        && !name.contains(UNKNOWN)
        && !name.contains("://")
        && !name
            .trim_start_matches('#')
            .chars()
            .all(|it| it.is_ascii_digit());
    let name = name.rsplit(':').next().filter(|_| tells);
    vec![Act::Git {
        directory: run.directory.to_owned(),
        act: GitAct::TakeOver {
            branch: name.map(|it| format!("refs/heads/{it}")),
        },
    }]
}
