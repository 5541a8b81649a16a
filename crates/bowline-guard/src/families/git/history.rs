//! Branches, tags and what keeps the history of a repository.

use super::{BRANCH, MOVE_REF, PRUNE, REFLOG, REWRITE};
use crate::effect::Effect;
use crate::families::args::{Spec, listed, parse};
use crate::invocation::{Arg, Stdin};

/// The options of `git branch`.
pub(in crate::families) const BRANCH_OPTIONS: Spec = Spec::gnu(&[
    "u",
    "set-upstream-to",
    "contains",
    "no-contains",
    "points-at",
    "format",
    "sort",
])
.shortening(&[
    "delete",
    "force",
    "remotes",
    "move",
    "copy",
    "merged",
    "no-merged",
    "list",
]);

pub(super) fn branch(rest: &[Arg]) -> Option<Effect> {
    let parsed = parse(rest, &BRANCH_OPTIONS);
    let force = parsed.has(&["f", "force"]);
    let names = listed(&parsed.words);
    if parsed.has(&["D"]) || (parsed.has(&["d", "delete"]) && force) {
        let what = format!("deletes the branch {names} even if it is not merged");
        return Some(if parsed.has(&["r", "remotes"]) {
            BRANCH.doubtful(what)
        } else {
            BRANCH.grave(what)
        });
    }
    let moves = force && !parsed.has(&["m", "move", "c", "copy"]) && !parsed.words.is_empty();
    moves.then(|| MOVE_REF.doubtful(format!("moves the branch {} by force", parsed.at(0))))
}

pub(super) fn tag(rest: &[Arg]) -> Option<Effect> {
    let parsed = parse(
        rest,
        &Spec::gnu(&[
            "m",
            "F",
            "u",
            "message",
            "file",
            "local-user",
            "sort",
            "format",
        ]),
    );
    let names = listed(&parsed.words);
    if parsed.has(&["d", "delete"]) {
        return Some(MOVE_REF.doubtful(format!("deletes the tag {names}")));
    }
    None
}

pub(super) fn update_ref(rest: &[Arg], stdin: &Stdin) -> Option<Effect> {
    let parsed = parse(
        rest,
        &Spec::gnu(&["m"]).shortening(&["no-deref", "create-reflog", "stdin"]),
    );
    if parsed.has(&["d"]) {
        return Some(MOVE_REF.grave(format!("deletes the ref {}", parsed.at(0))));
    }
    if parsed.has(&["stdin"]) {
        let harmless = matches!(stdin, Stdin::Text(text) if !text.contains("delete"));
        return Some(if harmless {
            MOVE_REF.doubtful("moves refs by a list")
        } else {
            MOVE_REF.grave("moves or deletes refs by a list")
        });
    }
    let moved = parsed.at(0);
    let is_branch =
        moved == "HEAD" || moved.starts_with("refs/heads/") || moved.starts_with("refs/tags/");
    is_branch.then(|| MOVE_REF.doubtful(format!("moves {moved} to another commit")))
}

pub(super) fn symbolic_ref(rest: &[Arg]) -> Option<Effect> {
    let parsed = parse(rest, &Spec::gnu(&["m"]));
    let changes = parsed.has(&["d", "delete"]) || parsed.words.len() > 1;
    changes.then(|| MOVE_REF.doubtful(format!("points {} elsewhere", parsed.at(0))))
}

pub(super) fn reflog(rest: &[Arg]) -> Option<Effect> {
    let parsed = parse(rest, &Spec::gnu(&["expire", "expire-unreachable"]));
    let deletes = matches!(parsed.at(0), "expire" | "delete" | "drop");
    (deletes && !parsed.has(&["n", "dry-run"]))
        .then(|| REFLOG.grave("deletes reflog entries, by which lost commits are found"))
}

pub(super) fn gc(rest: &[Arg]) -> Option<Effect> {
    let parsed = parse(
        rest,
        &Spec::gnu(&[]).shortening(&["prune", "aggressive", "auto", "quiet", "no-prune"]),
    );
    parsed
        .value(&["prune"])
        .map(|when| PRUNE.doubtful(format!("deletes all commits that no branch holds ({when})")))
}

pub(super) fn prune(rest: &[Arg]) -> Option<Effect> {
    let parsed = parse(
        rest,
        &Spec::gnu(&["expire"]).shortening(&["dry-run", "expire", "verbose"]),
    );
    (!parsed.has(&["n", "dry-run"]))
        .then(|| PRUNE.doubtful("deletes all commits that no branch holds"))
}

pub(super) fn rewrite(command: &str, rest: &[Arg]) -> Option<Effect> {
    let parsed = parse(rest, &Spec::gnu(&[]));
    (!parsed.has(&["analyze", "dry-run", "h"])).then(|| {
        REWRITE.grave(format!(
            "rewrites the history of the repository ({command})"
        ))
    })
}
