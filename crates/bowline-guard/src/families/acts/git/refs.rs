//! Branches, tags, stashes, commits and work trees.

use super::{owned, some};
use crate::families::args::{Spec, UNKNOWN, parse, word};
use crate::families::git::BRANCH_OPTIONS;
use crate::invocation::Arg;
use crate::loss::{GitAct, Switching, Untracked};

pub(super) fn stash(rest: &[Arg]) -> Vec<GitAct> {
    let parsed = parse(rest, &Spec::gnu(&["m", "message"]));
    let number = |word: &str| match word {
        "" => Some(0),
        word => {
            let inner = word
                .strip_prefix("stash@{")
                .and_then(|it| it.strip_suffix('}'));
            inner.unwrap_or(word).parse().ok()
        }
    };
    let untracked = if parsed.has(&["a", "all"]) {
        Untracked::IgnoredToo
    } else if parsed.has(&["u", "include-untracked"]) {
        Untracked::Yes
    } else {
        Untracked::No
    };
    // `git stash -- FILE` is short for `git stash push -- FILE`.
    if parsed.before_dashes == Some(0) {
        return vec![GitAct::StashPush {
            paths: owned(&parsed.words),
            untracked,
        }];
    }
    if parsed.at(0) == "branch" {
        let made = GitAct::CreateBranch {
            name: format!("refs/heads/{}", parsed.at(1)),
            at: None,
            switch: Switching::Yes,
        };
        let number = number(parsed.at(2));
        return vec![made, GitAct::StashPop { number }];
    }
    vec![match parsed.at(0) {
        "drop" => GitAct::StashDrop {
            number: number(parsed.at(1)),
        },
        "clear" => GitAct::StashClear,
        "pop" => GitAct::StashPop {
            number: number(parsed.at(1)),
        },
        "apply" => GitAct::StashApply {
            number: number(parsed.at(1)),
        },
        "push" => GitAct::StashPush {
            paths: owned(parsed.from(1)),
            untracked,
        },
        "" | "save" => GitAct::StashPush {
            paths: Vec::new(),
            untracked,
        },
        _ => return Vec::new(),
    }]
}

pub(super) fn worktree(rest: &[Arg]) -> Vec<GitAct> {
    let parsed = parse(
        rest,
        &Spec::gnu(&["reason", "b", "B"]).shortening(&["force"]),
    );
    let path = place(rest, parsed.at(1));
    match parsed.at(0) {
        "add" => vec![GitAct::WorktreeAdd { path }],
        "remove" if parsed.has(&["f", "force"]) => vec![GitAct::WorktreeRemove { path }],
        "remove" => vec![GitAct::WorktreeGone],
        _ => Vec::new(),
    }
}

/// A place as written. One that is not known keeps its spelling, so that it is found again, but stays unknown.
fn place(rest: &[Arg], given: &str) -> String {
    if given.is_empty() {
        return UNKNOWN.to_owned();
    }
    let mut same = rest.iter().filter(|it| word(it) == given);
    match (same.next(), same.next()) {
        (Some(arg), None) if given.contains(UNKNOWN) => {
            let spelling = arg.source.trim_matches('"').replace('/', "-");
            format!("{UNKNOWN}{spelling}")
        }
        _ => given.to_owned(),
    }
}

pub(super) fn branch(rest: &[Arg]) -> Vec<GitAct> {
    let parsed = parse(rest, &BRANCH_OPTIONS);
    let force = parsed.has(&["f", "force"]);
    let over = parsed.has(&["M", "C"]) || (force && parsed.has(&["m", "move", "c", "copy"]));
    if over && let Some(name) = parsed.words.last() {
        // What the branch of that name had is held by it no longer.
        return vec![GitAct::OverwriteRef {
            name: format!("refs/heads/{name}"),
            with: (parsed.words.len() > 1).then(|| parsed.at(0).to_owned()),
        }];
    }
    if parsed.has(&[
        "r",
        "remotes",
        "a",
        "all",
        "l",
        "list",
        "m",
        "M",
        "move",
        "c",
        "C",
        "copy",
        "u",
        "set-upstream-to",
    ]) {
        return Vec::new();
    }
    if parsed.has(&["D"]) || (parsed.has(&["d", "delete"]) && force) {
        let names = parsed.words.iter().map(|it| format!("refs/heads/{it}"));
        return vec![GitAct::DeleteRefs {
            names: names.collect(),
        }];
    }
    if parsed.has(&["d", "delete"]) || parsed.words.is_empty() {
        return Vec::new();
    }
    let at = some(parsed.at(1));
    let name = parsed.at(0);
    vec![if force {
        GitAct::MoveRef {
            name: format!("refs/heads/{name}"),
            to: at,
        }
    } else {
        GitAct::CreateBranch {
            name: format!("refs/heads/{name}"),
            at,
            switch: Switching::No,
        }
    }]
}

pub(super) fn tag(rest: &[Arg]) -> Vec<GitAct> {
    let spec = Spec::gnu(&[
        "m",
        "F",
        "u",
        "message",
        "file",
        "local-user",
        "sort",
        "format",
    ]);
    let parsed = parse(rest, &spec);
    let name = |it: &&str| format!("refs/tags/{it}");
    if parsed.has(&["d", "delete"]) {
        let names = parsed.words.iter().map(name).collect();
        return vec![GitAct::DeleteRefs { names }];
    }
    let [tag, at @ ..] = parsed.words.as_slice() else {
        return Vec::new();
    };
    if parsed.has(&["l", "list", "v", "verify"]) {
        return Vec::new();
    }
    let (name, at) = (name(tag), at.first().map(|it| (*it).to_owned()));
    vec![if parsed.has(&["f", "force"]) {
        GitAct::MoveRef { name, to: at }
    } else {
        GitAct::CreateBranch {
            name,
            at,
            switch: Switching::No,
        }
    }]
}

pub(super) fn update_ref(rest: &[Arg]) -> Vec<GitAct> {
    let spec = Spec::gnu(&["m"]).shortening(&["no-deref", "create-reflog", "stdin"]);
    let parsed = parse(rest, &spec);
    if parsed.has(&["stdin"]) {
        return Vec::new();
    }
    let name = parsed.at(0).to_owned();
    vec![if parsed.has(&["d"]) {
        GitAct::DeleteRefs { names: vec![name] }
    } else {
        GitAct::MoveRef {
            name,
            to: some(parsed.at(1)),
        }
    }]
}

pub(super) fn merge(rest: &[Arg]) -> Vec<GitAct> {
    let parsed = parse(
        rest,
        &Spec::gnu(&["m", "F", "s", "strategy", "X", "into-name"]),
    );
    if parsed.has(&["abort"]) {
        return vec![GitAct::Abort];
    }
    let whole = !parsed.has(&["squash", "continue", "quit", "no-commit"]);
    if !whole || parsed.words.is_empty() {
        return vec![GitAct::Other];
    }
    vec![GitAct::Merge {
        names: owned(&parsed.words),
    }]
}

pub(super) fn push(rest: &[Arg]) -> Vec<GitAct> {
    let parsed = parse(
        rest,
        &Spec::gnu(&["o", "push-option", "repo", "receive-pack"]),
    );
    let plain = |it: &&&str| !it.contains([':', '+']);
    if parsed.has(&["n", "dry-run", "d", "delete", "prune"]) {
        return Vec::new();
    }
    let names = parsed
        .from(1)
        .iter()
        .filter(plain)
        .map(|it| (*it).to_owned());
    vec![GitAct::Push {
        names: names.collect(),
    }]
}

pub(super) fn commit(rest: &[Arg]) -> Vec<GitAct> {
    let spec = Spec::gnu(&[
        "m", "message", "F", "file", "C", "c", "author", "date", "t", "fixup", "squash", "trailer",
    ]);
    let parsed = parse(rest, &spec);
    if parsed.has(&["dry-run"]) {
        return Vec::new();
    }
    let all = if parsed.has(&["a", "all"]) {
        Untracked::Yes
    } else {
        Untracked::No
    };
    vec![GitAct::Commit { all }]
}
