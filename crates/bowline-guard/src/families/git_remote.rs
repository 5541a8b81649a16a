//! Git: what a push does to the branches and tags of others.

use crate::effect::Effect;
use crate::invocation::{Arg, Invocation};

use super::args::{Spec, listed, parse, split_command};
use super::git::GLOBAL;
use super::rule::rules;

rules! {
    FORCE = History, "git.push-force", "Overwrites branches of a remote",
        instead "`git push --force-with-lease`, which refuses when others have pushed meanwhile";
    MIRROR = History, "git.push-mirror", "Makes a remote equal to this repository, deleting the rest",
        instead "push what is meant by name: `git push origin BRANCH`";
    LEASE = History, "git.push-lease-main", "Rewrites a main branch of a remote",
        instead "push to a branch of its own with `git push origin HEAD:refs/heads/rewritten`, and open a pull request";
    LEASE_NOTE = History, "git.push-force-with-lease", "Rewrites a branch of a remote, unless others have pushed meanwhile; noted, not stopped",
        instead "push a new branch beside it";
    DELETE = Remote, "git.push-delete", "Deletes branches or tags of a remote",
        instead "look first with `git ls-remote`, and leave the deletion to the person";
    ELSEWHERE = Remote, "git.push-elsewhere", "Pushes to an address that the same line has given to a remote",
        instead "show the person the address first with `git remote -v`, and push in a step of its own";
    HOSTED = Remote, "git.delete-hosted", "Deletes a hosted repository",
        instead "leave the deletion of a repository to the person";
}

/// Branches that others build on.
pub(super) fn is_main_branch(name: &str) -> bool {
    let name = name.strip_prefix("refs/heads/").unwrap_or(name);
    matches!(
        name,
        "main" | "master" | "trunk" | "production" | "prod" | "develop" | "stable"
    )
}

const PUSH: Spec = Spec::gnu(&["o", "push-option", "receive-pack", "exec", "repo"]).shortening(&[
    "force",
    "force-with-lease",
    "force-if-includes",
    "mirror",
    "delete",
    "prune",
    "all",
    "branches",
    "tags",
    "follow-tags",
    "dry-run",
    "no-verify",
    "verify",
    "set-upstream",
    "atomic",
    "porcelain",
    "quiet",
    "verbose",
    "signed",
    "thin",
    "no-thin",
    "no-force-with-lease",
    "no-force-if-includes",
]);

pub(super) fn push(rest: &[Arg]) -> Vec<Effect> {
    let parsed = parse(rest, &PUSH);
    if parsed.has(&["n", "dry-run"]) {
        return Vec::new();
    }
    let mut found = Vec::new();
    let refspecs = parsed.from(1);
    let target = if refspecs.is_empty() {
        " the branch".to_owned()
    } else {
        format!(" {}", listed(refspecs))
    };
    if parsed.has(&["mirror"]) {
        found.push(MIRROR.grave("makes the remote equal to this repository and deletes the rest"));
    }
    if parsed.has(&["f", "force"]) {
        found.push(FORCE.grave(format!(
            "overwrites{target} on the remote, whatever others pushed"
        )));
    } else if refspecs.iter().any(|it| it.starts_with('+')) {
        found.push(FORCE.grave(format!(
            "overwrites{target} on the remote (`+` means force)"
        )));
    } else if parsed.has(&["force-with-lease"]) {
        let names_main = refspecs
            .iter()
            .chain(
                parsed
                    .values(&["force-with-lease"])
                    .collect::<Vec<_>>()
                    .iter(),
            )
            .any(|it| it.split(':').any(is_main_branch));
        if names_main || parsed.has(&["all", "branches"]) {
            found.push(LEASE.doubtful(format!("rewrites{target} on the remote")));
        } else {
            found.push(LEASE_NOTE.harmless(format!(
                "rewrites{target} on the remote, unless others have pushed meanwhile"
            )));
        }
    }
    if parsed.has(&["prune"]) {
        found.push(MIRROR.grave("deletes every branch of the remote that is not here"));
    }
    let deleted: Vec<&str> = if parsed.has(&["d", "delete"]) {
        refspecs.to_vec()
    } else {
        refspecs
            .iter()
            .filter_map(|it| it.strip_prefix(':').or_else(|| it.strip_prefix("+:")))
            .filter(|it| !it.is_empty())
            .collect()
    };
    if !deleted.is_empty() {
        let what = format!("deletes {} on the remote", listed(&deleted));
        found.push(if deleted.iter().any(|it| is_main_branch(it)) {
            DELETE.grave(what)
        } else {
            DELETE.doubtful(what)
        });
    }
    found
}

/// `git remote set-url origin URL && git push`: the work goes where nobody has looked.
pub(super) fn pushes_elsewhere(run: &Invocation, earlier: &[Invocation]) -> Option<Effect> {
    let ("push", rest) = command_of(run)? else {
        return None;
    };
    let parsed = parse(rest, &PUSH);
    let to = parsed.at(0);
    let (_, url) = earlier
        .iter()
        .filter_map(new_address)
        .find(|(remote, _)| to.is_empty() || to == *remote)?;
    let trial = parsed.has(&["n", "dry-run"]);
    (!trial).then(|| ELSEWHERE.doubtful(format!("pushes to {url}, which the line has just set")))
}

fn command_of(run: &Invocation) -> Option<(&str, &[Arg])> {
    if !matches!(run.program.as_deref(), Some("git" | "hub")) {
        return None;
    }
    let (_, command, rest) = split_command(&run.args, &GLOBAL);
    Some((command, rest))
}

/// The remote that a run gives another address, and the address.
fn new_address(run: &Invocation) -> Option<(&str, &str)> {
    let (command, rest) = command_of(run)?;
    let parsed = parse(rest, &Spec::gnu(&["file", "f"]));
    match (command, parsed.words.as_slice()) {
        ("remote", ["set-url", remote, url, ..]) if !parsed.has(&["delete"]) => Some((remote, url)),
        ("config", [name, url] | ["set", name, url]) => {
            let (remote, key) = name.strip_prefix("remote.")?.rsplit_once('.')?;
            matches!(key, "url" | "pushurl").then_some((remote, *url))
        }
        _ => None,
    }
}

/// What settings make of a push: `git -c remote.origin.push=+main push`.
pub(super) fn push_settings<'a>(settings: impl Iterator<Item = &'a str>) -> Vec<Effect> {
    let mut found = Vec::new();
    for (name, value) in settings.filter_map(|it| it.split_once('=')) {
        let name = name.to_ascii_lowercase();
        let Some((_, key)) = name
            .strip_prefix("remote.")
            .and_then(|it| it.rsplit_once('.'))
        else {
            continue;
        };
        match (key, value.chars().next()) {
            ("push", Some('+')) => found.push(FORCE.grave(format!(
                "overwrites {value} on the remote (`+` means force)"
            ))),
            ("push", Some(':')) => {
                found.push(DELETE.doubtful(format!("deletes {value} on the remote")));
            }
            ("mirror", _) if !matches!(value, "false" | "no" | "0") => found.push(
                MIRROR.grave("makes the remote equal to this repository and deletes the rest"),
            ),
            _ => {}
        }
    }
    found
}

/// `hub delete`, which deletes a repository on GitHub.
pub(super) fn hub_delete(rest: &[Arg]) -> Option<Effect> {
    let parsed = parse(rest, &Spec::gnu(&[]));
    (!parsed.words.is_empty())
        .then(|| HOSTED.grave(format!("deletes the hosted repository {}", parsed.at(0))))
}
