//! Version control besides git: Subversion, Mercurial, Jujutsu, Perforce and others.

use crate::effect::Effect;

use super::Run;
use super::args::{Parsed, Spec, listed, parse, word};
use super::rule::rules;
use super::table::{Row, Table};

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
        "hg" | "chg" | "sl" => hg(&parse(
            run.args,
            &Spec::gnu(&["r", "rev", "R", "cwd", "config", "m"]),
        )),
        "jj" => jj(&parse(
            run.args,
            &Spec::gnu(&["r", "R", "from", "to", "repository", "b"]),
        )),
        "p4" => p4(&parse(run.args, &Spec::gnu(&["c", "p", "u"]))),
        "fossil" | "bzr" | "brz" => revert(&parse(run.args, &Spec::gnu(&["r"]))),
        // Programs that git starts by their names.
        "git" => {
            let (first, rest) = run
                .args
                .split_first()
                .map_or(("", run.args), |(it, rest)| (word(it), rest));
            let name = match first {
                "annex" => "git-annex",
                "branchless" => "git-branchless",
                _ => return Vec::new(),
            };
            let run = Run {
                name,
                args: rest,
                ..run
            };
            ROWS.first(run, &parse(rest, &Spec::gnu(&["r", "m", "o"])))
        }
        name if ROWS.knows(name) => {
            let parsed = parse(run.args, &Spec::gnu(&["r", "m", "o"]));
            if parsed.is_dry_run() {
                None
            } else {
                ROWS.first(run, &parsed)
            }
        }
        _ => None,
    };
    found.into_iter().collect()
}

#[rustfmt::skip]
pub(super) static ROWS: Table = Table::new(&[
    Row::grave(&["darcs"], "obliterate|unpull|unrecord", &HISTORY, "removes patches from the repository"),
    Row::grave(&["darcs"], "revert", &DISCARD, "throws away uncommitted work").with(&["a", "all"]),
    Row::doubtful(&["darcs"], "revert|rebase|clean", &DISCARD, "throws away uncommitted work"),
    Row::grave(&["pijul"], "reset", &DISCARD, "throws away uncommitted work"),
    Row::grave(&["pijul"], "unrecord|channel", &HISTORY, "removes changes from the repository").with(&["all", "delete"]),
    Row::doubtful(&["pijul"], "unrecord", &HISTORY, "removes changes from the repository"),
    Row::grave(&["cvs"], "update|up", &DISCARD, "throws away uncommitted work").with(&["C"]),
    Row::grave(&["tf"], "undo|destroy", &DISCARD, "throws away uncommitted work: {}"),
    Row::grave(&["cm"], "undochanges|undo|undochange", &DISCARD, "throws away uncommitted work").with(&["all", "a", "r", "recursive"]),
    Row::doubtful(&["cm"], "undochanges|undo|undochange", &DISCARD, "throws away uncommitted work"),
    Row::grave(&["got"], "revert", &DISCARD, "throws away uncommitted work").with(&["R"]),
    Row::doubtful(&["got"], "revert|histedit|rebase", &DISCARD, "throws away uncommitted work"),
    Row::grave(&["repo"], "sync", &DISCARD, "throws away uncommitted work in every repository").with(&["force-sync", "force-remove-dirty", "d", "detach"]),
    Row::doubtful(&["repo"], "abandon|prune", &HISTORY, "deletes branches in every repository"),
    Row::grave(&["git-annex"], "drop|dropunused|uninit|destroy", &HISTORY, "deletes content that may have no other copy").with(&["force"]),
    Row::doubtful(&["git-annex"], "drop|dropunused|uninit|forget", &HISTORY, "deletes content that another copy should have"),
    Row::doubtful(&["git-branchless"], "hide", &HISTORY, "hides commits"),
    Row::grave(&["git-filter-repo", "bfg", "git-filter-branch"], "", &HISTORY, "rewrites history"),
    Row::grave(&["gt", "graphite"], "delete", &HISTORY, "deletes the branch {}").with(&["force", "f"]),
    Row::doubtful(&["gt", "graphite"], "delete|fold|pop", &HISTORY, "deletes the branch {}"),
    Row::grave(&["git-lfs"], "prune", &HISTORY, "deletes stored versions of large files").with(&["force", "f"]),
]);

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
        "clean" | "clean-tree" | "extras"
            if !parsed.has(&["n", "dry-run"]) && parsed.at(0) != "extras" =>
        {
            Some(DISCARD.grave("deletes all untracked files"))
        }
        "uncommit" if parsed.has(&["force"]) => {
            Some(HISTORY.grave("removes commits from the repository"))
        }
        "purge" | "scrub" | "shun" => Some(HISTORY.grave("removes commits from the repository")),
        "uncommit" => Some(HISTORY.doubtful("takes commits back")),
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
            if parsed
                .from(1)
                .iter()
                .any(|it| it.contains("://") || it.starts_with("^/")) =>
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
        "update" | "up" | "checkout" | "co" | "goto" | "go" if parsed.has(&["C", "clean"]) => {
            Some(DISCARD.grave("throws away all uncommitted work"))
        }
        "revert" if parsed.has(&["a", "all"]) => Some(discard(&[])),
        "revert" => Some(discard(parsed.from(1))),
        "purge" | "clean" if !parsed.has(&["p", "print"]) => {
            Some(DISCARD.grave("deletes all untracked files"))
        }
        "strip" | "prune" | "debugstrip" | "qdelete" | "qremove" | "hide" | "obliterate" => {
            Some(HISTORY.grave("removes commits from the repository"))
        }
        "push" if parsed.has(&["f", "force"]) => {
            Some(HISTORY.grave("pushes by force and makes new heads on the server"))
        }
        "debugobsolete" if parsed.has(&["delete"]) => {
            Some(HISTORY.grave("removes the record of replaced commits"))
        }
        "rollback" => Some(HISTORY.doubtful("takes back the last transaction")),
        "commit" | "ci" if parsed.has(&["close-branch"]) => {
            Some(HISTORY.doubtful("closes the branch"))
        }
        "shelve" if parsed.has(&["d", "delete", "cleanup"]) => {
            Some(DISCARD.grave("deletes shelved work"))
        }
        _ => None,
    }
}

fn jj(parsed: &Parsed<'_>) -> Option<Effect> {
    match parsed.at(0) {
        "abandon"
            if parsed
                .from(1)
                .iter()
                .any(|it| it.contains("all()") || it.contains("::") || it.contains("..")) =>
        {
            Some(HISTORY.grave("abandons many changes"))
        }
        "abandon" => Some(HISTORY.doubtful("abandons a change")),
        "workspace" | "bookmark" | "branch" if matches!(parsed.at(1), "forget" | "delete") => {
            Some(HISTORY.doubtful(format!("forgets {}", listed(parsed.from(2)))))
        }
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
        "revert" if parsed.has(&["n"]) => None,
        "revert" if parsed.has(&["a"]) => {
            Some(DISCARD.doubtful("reverts files that did not change"))
        }
        "client" | "workspace" | "branch" | "label" if parsed.has(&["d"]) => {
            Some(HISTORY.doubtful("deletes a workspace, a branch or a label"))
        }
        "delete" if parsed.from(1).iter().any(|it| it.ends_with("...")) => {
            Some(HISTORY.doubtful("marks whole folders for deletion"))
        }
        "obliterate" if !parsed.has(&["y"]) => None,
        "revert" => Some(discard(parsed.from(1))),
        "clean" if !parsed.has(&["n"]) => Some(DISCARD.grave("deletes all untracked files")),
        "obliterate" if parsed.has(&["y"]) => {
            Some(HISTORY.grave("deletes files with their history"))
        }
        _ => None,
    }
}
