//! What git does, by its arguments.

mod rebases;
mod refs;
mod rules;
mod submodules;

use crate::families::args::{Parsed, Spec, UNKNOWN, parse, split_command, word};
use crate::families::git::{is_whole_tree, looks_like_file};
use crate::invocation::Arg;
use crate::loss::{
    Act, Clean, Folders, GitAct, IgnoredFiles, IndexToo, Switching, Target, TargetKind, Writing,
};
use crate::paths::resolve_literal;

use super::Run;
pub(super) use rebases::checks_out_pull_request;
use rebases::{pick, rebase};
use refs::{branch, commit, merge, push, stash, tag, update_ref, worktree};
pub(super) use rules::ignores;
use submodules::submodule;

const GLOBAL: Spec = Spec::gnu(&["C", "c", "git-dir", "work-tree", "namespace", "config-env"]);

/// What a run of git does, if it does it to the repository around the folder where it runs.
pub(super) fn acts(run: &Run<'_>) -> Vec<Act> {
    let (global, command, rest) = split_command(&run.invocation.args, &GLOBAL);
    let leads_elsewhere = global.has(&["git-dir", "work-tree", "namespace"])
        || (run.invocation.environment.iter()).any(|(name, _)| leads_git_elsewhere(name));
    if leads_elsewhere {
        return Vec::new();
    }
    let folders = global.values(&["C"]);
    let mut directory = run.directory.to_owned();
    for folder in folders {
        if folder.contains(UNKNOWN) {
            return Vec::new();
        }
        let here = crate::interpret::At::directory(&directory, run.world);
        directory = resolve_literal(folder, &here).path;
    }
    if command == "mv" {
        return moves(run, rest, &directory);
    }
    if command == "worktree"
        && let [first, rest @ ..] = rest
        && word(first) == "move"
    {
        return moves(run, rest, &directory);
    }
    if command == "clone" {
        return clones(run, rest, &directory);
    }
    if let Some(file) = output(command, rest) {
        let files = targets(run, &[&file], &directory).into_iter();
        let how = Writing::Replace;
        return files.map(|to| Act::Write { to, how }).collect();
    }
    if command == "format-patch" {
        return patches(run, rest, &directory);
    }
    let back = ["-R", "--reverse"];
    let reverses = command == "apply" && rest.iter().any(|it| back.contains(&word(it)));
    let taken_back = reverses.then(|| run.diff_on_stdin()).flatten();
    let acts = match taken_back {
        Some(paths) => vec![GitAct::Restore {
            source: None,
            paths,
            index: IndexToo::No,
        }],
        None if matches!(command, "checkout" | "co" | "restore") => {
            let named = run.with_changes(rest);
            of_command(command, named.as_deref().unwrap_or(rest))
        }
        None => of_command(command, rest),
    };
    acts.into_iter()
        .map(|act| Act::Git {
            directory: directory.clone(),
            act,
        })
        .collect()
}

/// Whether a variable says where git finds its files, or may.
fn leads_git_elsewhere(variable: &str) -> bool {
    let everyday = ["EDITOR", "PAGER", "PROMPT", "NAME", "EMAIL", "DATE", "SSH"];
    variable.starts_with("GIT_") && !everyday.iter().any(|it| variable.ends_with(it))
}

fn of_command(command: &str, rest: &[Arg]) -> Vec<GitAct> {
    match command {
        "reset" => reset(rest),
        "checkout" | "co" => checkout(rest),
        "restore" => restore(rest),
        "switch" | "sw" => switch(rest),
        "clean" => clean(rest),
        "stash" => stash(rest),
        "worktree" => worktree(rest),
        "rm" => remove(rest),
        "branch" | "br" => branch(rest),
        "tag" => tag(rest),
        "update-ref" => update_ref(rest),
        "read-tree" => {
            let parsed = parse(rest, &Spec::gnu(&["index-output", "prefix"]));
            if parsed.has(&["reset"]) && parsed.has(&["u"]) {
                vec![GitAct::ResetHard { to: None }]
            } else {
                Vec::new()
            }
        }
        "checkout-index" => {
            let parsed = parse(rest, &Spec::gnu(&["prefix", "stage"]));
            if parsed.has(&["prefix"]) || !parsed.has(&["f", "force"]) {
                return Vec::new();
            }
            let paths = if parsed.has(&["a", "all"]) {
                vec![":/".to_owned()]
            } else {
                owned(&parsed.words)
            };
            vec![GitAct::Restore {
                source: None,
                paths,
                index: IndexToo::No,
            }]
        }
        "add" | "stage" => add(rest),
        "commit" | "ci" => commit(rest),
        "merge" => merge(rest),
        "push" => push(rest),
        "rebase" => rebase(rest),
        "cherry-pick" | "revert" | "am" => pick(rest),
        "pull" | "apply" => vec![GitAct::Other],
        "submodule" => submodule(rest),
        _ => Vec::new(),
    }
}

/// The file that a command of git writes what it prints to.
fn output(command: &str, rest: &[Arg]) -> Option<String> {
    let file = match command {
        "archive" => parse(
            rest,
            &Spec::gnu(&["o", "output", "format", "prefix", "remote"]),
        )
        .value(&["o", "output"])
        .map(ToOwned::to_owned),
        "bundle" => {
            let parsed = parse(rest, &Spec::gnu(&["version"]));
            (parsed.at(0) == "create").then(|| parsed.at(1).to_owned())
        }
        "diff" | "log" | "show" => {
            let joined = rest.iter().map(word);
            joined
                .filter_map(|it| it.strip_prefix("--output="))
                .map(ToOwned::to_owned)
                .next()
        }
        _ => None,
    };
    file.filter(|it| !it.is_empty() && it != "-")
}

/// `git format-patch -o FOLDER`: files with numbers and the subjects of commits.
fn patches(run: &Run<'_>, rest: &[Arg], directory: &str) -> Vec<Act> {
    let spec = Spec::gnu(&[
        "o",
        "output-directory",
        "subject-prefix",
        "in-reply-to",
        "to",
        "cc",
    ]);
    let parsed = parse(rest, &spec);
    if parsed.has(&["stdout"]) {
        return Vec::new();
    }
    let folder = parsed.value(&["o", "output-directory"]).unwrap_or(".");
    let numbered = targets(run, &[folder], directory)
        .into_iter()
        .map(|it| Target {
            path: format!("{}/[0-9][0-9][0-9][0-9]-*.patch", it.path),
            link: None,
            kind: TargetKind::Pattern,
        });
    let how = Writing::Replace;
    numbered.map(|to| Act::Write { to, how }).collect()
}

/// Whether a step is given up, with how its conflicts were resolved.
fn gives_up(rest: &[Arg]) -> bool {
    (rest.iter()).any(|it| matches!(word(it), "--abort" | "--skip"))
}

fn owned(words: &[&str]) -> Vec<String> {
    words.iter().map(|it| (*it).to_owned()).collect()
}

fn some(word: &str) -> Option<String> {
    (!word.is_empty()).then(|| word.to_owned())
}

fn moves(run: &Run<'_>, rest: &[Arg], directory: &str) -> Vec<Act> {
    let parsed = parse(rest, &Spec::gnu(&[]));
    if parsed.has(&["n", "dry-run"]) {
        return Vec::new();
    }
    let mut words = targets(run, &parsed.words, directory);
    match words.pop() {
        // What is moved keeps its owner.
        Some(to) if !words.is_empty() => vec![Act::Move { from: words, to }],
        _ => Vec::new(),
    }
}

fn clones(run: &Run<'_>, rest: &[Arg], directory: &str) -> Vec<Act> {
    let parsed = parse(
        rest,
        &Spec::gnu(&[
            "b",
            "branch",
            "depth",
            "o",
            "origin",
            "c",
            "config",
            "reference",
            "j",
            "jobs",
            "filter",
            "template",
            "u",
            "shallow-since",
        ]),
    );
    let folder = match parsed.words.as_slice() {
        [_, folder, ..] => (*folder).to_owned(),
        [url] => {
            let name = url
                .trim_end_matches('/')
                .rsplit(['/', ':'])
                .next()
                .unwrap_or_default();
            name.trim_end_matches(".git").to_owned()
        }
        [] => return Vec::new(),
    };
    let into = targets(run, &[&folder], directory).pop();
    into.map(|into| Act::Git {
        directory: directory.to_owned(),
        act: GitAct::Clone { into },
    })
    .into_iter()
    .collect()
}

fn targets(run: &Run<'_>, words: &[&str], directory: &str) -> Vec<Target> {
    let here = crate::interpret::At::directory(directory, run.world);
    words
        .iter()
        .map(|it| Target::from(&resolve_literal(it, &here)))
        .collect()
}

fn reset(rest: &[Arg]) -> Vec<GitAct> {
    let spec = Spec::gnu(&["pathspec-from-file"])
        .shortening(&["hard", "soft", "mixed", "merge", "keep", "quiet"]);
    let parsed = parse(rest, &spec);
    let to = some(parsed.at(0));
    if parsed.has(&["merge"]) {
        let name = "HEAD".to_owned();
        return vec![GitAct::Abort, GitAct::MoveRef { name, to }];
    }
    if parsed.has(&["keep"]) {
        let name = "HEAD".to_owned();
        return vec![GitAct::MoveRef { name, to }];
    }
    if !parsed.has(&["hard"]) {
        let releases = (!parsed.has(&["soft"])).then_some(GitAct::Untrack);
        return releases.into_iter().chain([GitAct::Other]).collect();
    }
    let here = GitAct::ResetHard { to };
    if parsed.has(&["recurse-submodules"]) {
        let there = GitAct::InSubmodules(vec![GitAct::ResetHard { to: None }]);
        return vec![here, there];
    }
    vec![here]
}

fn checkout(rest: &[Arg]) -> Vec<GitAct> {
    let spec = Spec::gnu(&["b", "B", "orphan", "pathspec-from-file", "conflict"]).shortening(&[
        "force", "detach", "ours", "theirs", "orphan", "patch", "merge", "quiet", "track",
    ]);
    let parsed = parse(rest, &spec);
    if parsed.has(&["pathspec-from-file", "p", "patch"]) {
        return Vec::new();
    }
    if parsed.has(&["ours", "theirs"]) {
        let paths = owned(&parsed.words);
        return vec![GitAct::TakeSide { paths }];
    }
    let force = parsed.has(&["f", "force"]).then(|| GitAct::ForceSwitch {
        to: some(parsed.at(0)),
    });
    if force.is_some() && parsed.has(&["recurse-submodules"]) {
        let there = GitAct::InSubmodules(vec![GitAct::ForceSwitch { to: None }]);
        return force.into_iter().chain([there]).collect();
    }
    if let Some(acts) = new_branch(&parsed, &["b", "orphan"], &["B"]) {
        return force.into_iter().chain(acts).collect();
    }
    let before = match parsed.before_dashes {
        Some(before) => before,
        None => match parsed.words.as_slice() {
            [only] if is_whole_tree(only) || looks_like_file(only) => 0,
            [] | [_] => parsed.words.len(),
            [first, ..] if is_whole_tree(first) || looks_like_file(first) => 0,
            [_, ..] => 1,
        },
    };
    let paths = parsed.from(before);
    if paths.is_empty() {
        let to = some(parsed.at(0)).filter(|_| parsed.before_dashes.is_none());
        let to = detached(&parsed).or(to);
        return vec![force.unwrap_or(GitAct::Switch { to })];
    }
    let source = (before > 0).then(|| parsed.at(0).to_owned());
    let index = if source.is_some() {
        IndexToo::Yes
    } else {
        IndexToo::No
    };
    vec![GitAct::Restore {
        source,
        paths: owned(paths),
        index,
    }]
}

/// A branch that is made and checked out; by force, it may be there already.
fn new_branch(parsed: &Parsed<'_>, plain: &[&str], forced: &[&str]) -> Option<Vec<GitAct>> {
    let at = some(parsed.at(0));
    if let Some(name) = parsed.value(forced) {
        let name = format!("refs/heads/{name}");
        return Some(vec![
            GitAct::MoveRef { name, to: at },
            GitAct::Switch { to: None },
        ]);
    }
    let name = format!("refs/heads/{}", parsed.value(plain)?);
    Some(vec![GitAct::CreateBranch {
        name,
        at,
        switch: Switching::Yes,
    }])
}

fn restore(rest: &[Arg]) -> Vec<GitAct> {
    let spec = Spec::gnu(&["s", "source", "pathspec-from-file", "conflict"]).shortening(&[
        "staged", "worktree", "source", "patch", "ours", "theirs", "quiet",
    ]);
    let parsed = parse(rest, &spec);
    let staged = parsed.has(&["S", "staged"]);
    if parsed.has(&["p", "patch", "pathspec-from-file"]) {
        return Vec::new();
    }
    if staged && !parsed.has(&["W", "worktree"]) {
        return vec![GitAct::Untrack];
    }
    if parsed.has(&["ours", "theirs"]) {
        let paths = owned(&parsed.words);
        return vec![GitAct::TakeSide { paths }];
    }
    vec![GitAct::Restore {
        source: parsed.value(&["s", "source"]).map(ToOwned::to_owned),
        paths: owned(&parsed.words),
        index: if staged { IndexToo::Yes } else { IndexToo::No },
    }]
}

fn switch(rest: &[Arg]) -> Vec<GitAct> {
    let spec =
        Spec::gnu(&["c", "C", "create", "force-create", "orphan", "conflict"]).shortening(&[
            "discard-changes",
            "force",
            "force-create",
            "detach",
            "create",
            "orphan",
        ]);
    let parsed = parse(rest, &spec);
    let force = parsed
        .has(&["f", "force", "discard-changes"])
        .then(|| GitAct::ForceSwitch {
            to: some(parsed.at(0)),
        });
    match new_branch(&parsed, &["c", "create", "orphan"], &["C", "force-create"]) {
        Some(acts) => force.into_iter().chain(acts).collect(),
        None => vec![force.unwrap_or(GitAct::Switch {
            to: detached(&parsed).or_else(|| some(parsed.at(0))),
        })],
    }
}

/// The commit that is checked out without its branch, written as one that no branch is called.
fn detached(parsed: &Parsed<'_>) -> Option<String> {
    let to = some(parsed.at(0)).unwrap_or_else(|| "HEAD".to_owned());
    parsed
        .has(&["d", "detach"])
        .then(|| format!("{to}^{{commit}}"))
}

fn clean(rest: &[Arg]) -> Vec<GitAct> {
    let spec = Spec::gnu(&["e", "exclude"]).shortening(&[
        "force",
        "dry-run",
        "interactive",
        "quiet",
        "exclude",
    ]);
    let parsed = parse(rest, &spec);
    if parsed.has(&["n", "dry-run", "i", "interactive"]) {
        return Vec::new();
    }
    let twice = rest.iter().map(word).map(|it| match it {
        "--force" => 1,
        it if it.starts_with('-') && !it.starts_with("--") => it.matches('f').count(),
        _ => 0,
    });
    let folders = match (parsed.has(&["d"]), twice.sum::<usize>()) {
        (false, _) => Folders::Keep,
        (true, 0 | 1) => Folders::Delete,
        (true, _) => Folders::DeleteRepositories,
    };
    vec![GitAct::Clean(Clean {
        paths: owned(&parsed.words),
        excludes: parsed
            .values(&["e", "exclude"])
            .map(ToOwned::to_owned)
            .collect(),
        ignored: match (parsed.has(&["x"]), parsed.has(&["X"])) {
            (true, _) => IgnoredFiles::Also,
            (false, true) => IgnoredFiles::Only,
            (false, false) => IgnoredFiles::Keep,
        },
        folders,
    })]
}

fn remove(rest: &[Arg]) -> Vec<GitAct> {
    let spec =
        Spec::gnu(&["pathspec-from-file"]).shortening(&["cached", "dry-run", "force", "quiet"]);
    let parsed = parse(rest, &spec);
    if parsed.has(&["n", "dry-run", "pathspec-from-file"]) {
        return Vec::new();
    }
    if parsed.has(&["cached"]) {
        return vec![GitAct::Untrack];
    }
    vec![if parsed.has(&["f", "force"]) {
        GitAct::RemoveForced {
            paths: owned(&parsed.words),
        }
    } else {
        GitAct::RemoveUnchanged {
            paths: owned(&parsed.words),
        }
    }]
}

fn add(rest: &[Arg]) -> Vec<GitAct> {
    let parsed = parse(rest, &Spec::gnu(&["chmod", "pathspec-from-file"]));
    if parsed.has(&[
        "n",
        "dry-run",
        "p",
        "patch",
        "i",
        "interactive",
        "e",
        "pathspec-from-file",
    ]) {
        return Vec::new();
    }
    let all = parsed.has(&["A", "all"]) && parsed.words.is_empty() || parsed.words.contains(&":/");
    let paths = if all {
        Vec::new()
    } else {
        owned(&parsed.words)
    };
    if !all && paths.is_empty() {
        // `git add -u` takes what is tracked already.
        return Vec::new();
    }
    vec![if parsed.has(&["N", "intent-to-add"]) {
        GitAct::Announce { paths }
    } else {
        GitAct::Add { paths }
    }]
}
