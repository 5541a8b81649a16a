//! Version control besides git: Subversion, Mercurial, Jujutsu, Perforce.

use crate::effect::Effect;

use super::Run;
use super::args::{Parsed, Spec, listed, parse};
use super::rule::rules;

rules! {
    DISCARD = Discard, "versions.discard", "Throws away uncommitted work",
        instead "keep a copy of the work first, for example with `svn diff`, `hg diff` or `jj diff`";
    HISTORY = History, "versions.history", "Removes or rewrites commits",
        instead "make a new commit that undoes the old one";
}

pub(super) fn effects(run: Run<'_>) -> Vec<Effect> {
    let found = match run.name {
        "svn" => svn(&parse(
            run.args,
            &Spec::gnu(&["r", "m", "depth", "username", "password"]),
        )),
        "hg" | "chg" => hg(&parse(
            run.args,
            &Spec::gnu(&["r", "rev", "R", "cwd", "config", "m"]),
        )),
        "jj" => jj(&parse(
            run.args,
            &Spec::gnu(&["r", "R", "from", "to", "repository", "b"]),
        )),
        "p4" => p4(&parse(run.args, &Spec::gnu(&["c", "p", "u"]))),
        "fossil" | "bzr" | "brz" => revert(&parse(run.args, &Spec::gnu(&["r"]))),
        _ => None,
    };
    found.into_iter().collect()
}

/// Without a path, or with the whole tree, all work goes.
fn discard(paths: &[&str]) -> Effect {
    if paths.is_empty()
        || paths
            .iter()
            .any(|it| matches!(*it, "." | "./" | "*" | "//..." | "..."))
    {
        DISCARD.grave("throws away all uncommitted work")
    } else {
        DISCARD.doubtful(format!("throws away uncommitted work in {}", listed(paths)))
    }
}

fn revert(parsed: &Parsed<'_>) -> Option<Effect> {
    match parsed.at(0) {
        "revert" => Some(discard(parsed.from(1))),
        "clean" | "clean-tree" => Some(DISCARD.grave("deletes all untracked files")),
        _ => None,
    }
}

fn svn(parsed: &Parsed<'_>) -> Option<Effect> {
    match parsed.at(0) {
        "revert" if parsed.has(&["R", "recursive"]) => Some(discard(parsed.from(1))),
        "revert" => Some(DISCARD.doubtful(format!(
            "throws away uncommitted work in {}",
            listed(parsed.from(1))
        ))),
        "cleanup" if parsed.has(&["remove-unversioned", "remove-ignored"]) => {
            Some(DISCARD.grave("deletes all untracked files"))
        }
        "delete" | "del" | "remove" | "rm"
            if parsed.from(1).iter().any(|it| it.contains("://")) =>
        {
            Some(HISTORY.doubtful(format!("deletes {} on the server", parsed.at(1))))
        }
        _ => None,
    }
}

fn hg(parsed: &Parsed<'_>) -> Option<Effect> {
    if parsed.has(&["n", "dry-run"]) {
        return None;
    }
    match parsed.at(0) {
        "update" | "up" | "checkout" | "co" if parsed.has(&["C", "clean"]) => {
            Some(DISCARD.grave("throws away all uncommitted work"))
        }
        "revert" if parsed.has(&["a", "all"]) => Some(discard(&[])),
        "revert" => Some(discard(parsed.from(1))),
        "purge" | "clean" if !parsed.has(&["p", "print"]) => {
            Some(DISCARD.grave("deletes all untracked files"))
        }
        "strip" | "prune" | "debugstrip" => {
            Some(HISTORY.grave("removes commits from the repository"))
        }
        "push" if parsed.has(&["f", "force"]) => {
            Some(HISTORY.grave("pushes by force and makes new heads on the server"))
        }
        "rollback" => Some(HISTORY.doubtful("takes back the last transaction")),
        "shelve" if parsed.has(&["d", "delete", "cleanup"]) => {
            Some(DISCARD.grave("deletes shelved work"))
        }
        _ => None,
    }
}

fn jj(parsed: &Parsed<'_>) -> Option<Effect> {
    match parsed.at(0) {
        "abandon" => Some(HISTORY.doubtful("abandons a change")),
        "restore" if parsed.words.len() == 1 => {
            Some(DISCARD.doubtful("takes back all of a change"))
        }
        "op" | "operation" => match parsed.at(1) {
            "abandon" => Some(HISTORY.grave("deletes the record that lost changes are found by")),
            "restore" | "revert" => Some(HISTORY.doubtful("takes the repository back in time")),
            _ => None,
        },
        "git" if parsed.begins("git push") && parsed.has(&["deleted", "all"]) => {
            Some(HISTORY.doubtful("deletes branches on the remote"))
        }
        _ => None,
    }
}

fn p4(parsed: &Parsed<'_>) -> Option<Effect> {
    match parsed.at(0) {
        "revert" if parsed.has(&["a", "n"]) => None,
        "revert" => Some(discard(parsed.from(1))),
        "clean" if !parsed.has(&["n"]) => Some(DISCARD.grave("deletes all untracked files")),
        "obliterate" if parsed.has(&["y"]) => {
            Some(HISTORY.grave("deletes files with their history"))
        }
        _ => None,
    }
}
