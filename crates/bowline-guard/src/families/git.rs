//! Git: what throws away uncommitted work, and what rewrites or removes history.

mod history;

use crate::effect::Effect;
use crate::invocation::{Arg, Invocation, Stdin};
use crate::paths::rebuildable_by_name;

use super::Run;
use super::args::{Parsed, Spec, UNKNOWN, asks_for_help, listed, parse, split_command, word};
use super::rule::rules;
use super::{git_remote, launch};
pub(super) use history::BRANCH_OPTIONS;
use history::{branch, gc, prune, reflog, rewrite, symbolic_ref, tag, update_ref};

rules! {
    RESET_HARD = Discard, "git.reset-hard", "Throws away all uncommitted work, and may drop commits",
        instead "keep the work first with `git stash`, or move only the branch with `git reset --keep` to the same commit";
    CHECKOUT = Discard, "git.discard-files", "Replaces uncommitted work in files",
        instead "look first with `git diff`, and keep the work with `git stash`";
    SWITCH = Discard, "git.discard-on-switch", "Switches branches and throws away uncommitted work",
        instead "keep the work with `git stash`, then `git switch` without force";
    CLEAN = Discard, "git.clean", "Deletes files that git does not track",
        instead "see what would go with `-n` added, or keep it with `git stash -a`, which takes ignored files, too";
    STASH = Discard, "git.stash-drop", "Deletes stashed work",
        instead "use the stash with `git stash pop`, or keep it";
    WORKTREE = Discard, "git.worktree-remove", "Removes a work tree with its uncommitted work",
        instead "`git worktree remove` without force, which refuses when work would be lost";
    REMOVE = Delete, "git.rm", "Deletes tracked files",
        instead "only stop tracking them with `git rm --cached`";
    BRANCH = History, "git.branch-delete", "Deletes a branch that may not be merged",
        instead "`git branch -d`, which refuses when commits would be lost";
    MOVE_REF = History, "git.move-ref", "Moves or deletes a branch or tag by force",
        instead "make a new branch at the commit with `git branch`";
    REFLOG = History, "git.reflog", "Deletes the record that lost commits are found by",
        instead "look at the record with `git reflog`, and keep it";
    PRUNE = History, "git.prune", "Deletes commits that no branch holds for good",
        instead "`git gc` without a date, which keeps what is recent";
    REWRITE = History, "git.rewrite-history", "Rewrites every commit",
        instead "look at what would change with `git log`, and work on a fresh clone";
    RUNS_CODE = FetchedCode, "git.config-runs-code", "Makes git run a command of one's own",
        instead "run the command by itself, so that it can be seen";
    SUBMODULE = Discard, "git.submodule", "Throws away work in submodules",
        instead "look first with `git submodule foreach 'git status --short'`";
}

/// An alias may name another alias, but not without end.
const MAX_ALIASES: u8 = 4;

pub(super) const GLOBAL: Spec = Spec::gnu(&[
    "C",
    "c",
    "git-dir",
    "work-tree",
    "namespace",
    "config-env",
    "super-prefix",
    "attr-source",
]);

/// The command of git that a run starts (`push`), and the words behind it; `None` for another program.
pub fn command_of(run: &Invocation) -> Option<(&str, Vec<&str>)> {
    let name = launch::plain_name(run.program.as_deref()?);
    let (command, rest) = match name {
        "git" | "hub" => {
            let (_, command, rest) = split_command(&run.args, &GLOBAL);
            (command, rest)
        }
        other => (other.strip_prefix("git-")?, run.args.as_slice()),
    };
    Some((command, rest.iter().map(word).collect()))
}

pub(super) fn effects(run: Run<'_>) -> Vec<Effect> {
    match run.name {
        "git" | "hub" => git(run.args, &run.invocation.stdin, MAX_ALIASES),
        "bfg" => vec![REWRITE.grave("rewrites the history of a repository with BFG")],
        other => match other.strip_prefix("git-") {
            Some(command) => command_effects(command, run.args, &run.invocation.stdin),
            None => Vec::new(),
        },
    }
}

fn git(args: &[Arg], stdin: &Stdin, aliases_left: u8) -> Vec<Effect> {
    let (global, command, rest) = split_command(args, &GLOBAL);
    let mut found: Vec<Effect> = global.values(&["c"]).filter_map(config_code).collect();
    let alias = global.values(&["c"]).find_map(|setting| {
        let (name, value) = setting.split_once('=')?;
        let (start, called) = name.split_at_checked("alias.".len())?;
        (start.eq_ignore_ascii_case("alias.") && called == command).then_some(value)
    });
    if command == "push" && !asks_for_help("git", rest) {
        found.extend(git_remote::push_settings(global.values(&["c"])));
    }
    match alias {
        Some(alias) if aliases_left > 0 && !alias.starts_with('!') => {
            let words: Vec<Arg> = alias.split_whitespace().map(Arg::known).collect();
            let all: Vec<Arg> = words.into_iter().chain(rest.iter().cloned()).collect();
            found.extend(git(&all, stdin, aliases_left - 1));
        }
        _ if asks_for_help("git", rest) => {}
        _ if command == "clean" && global.values(&["c"]).any(lifts_clean_guard) => {
            found.extend(clean(rest, Forced::BySettings));
        }
        _ => found.extend(command_effects(command, rest, stdin)),
    }
    found
}

fn lifts_clean_guard(setting: &str) -> bool {
    setting.eq_ignore_ascii_case("clean.requireforce=false")
}

/// A setting whose value git runs as a command.
fn config_code(setting: &str) -> Option<Effect> {
    let (name, value) = setting.split_once('=')?;
    let lower = name.to_ascii_lowercase();
    let runs = (lower.starts_with("alias.") && value.starts_with('!'))
        || (lower == "core.fsmonitor" && !matches!(value, "true" | "false" | "" | "1" | "0"))
        || (lower == "protocol.ext.allow" && value != "never");
    runs.then(|| RUNS_CODE.doubtful(format!("makes git run `{value}` through {name}")))
}

fn command_effects(command: &str, rest: &[Arg], stdin: &Stdin) -> Vec<Effect> {
    let one = match command {
        "push" | "send-pack" | "http-push" => return git_remote::push(rest),
        "clean" => return clean(rest, Forced::No),
        "submodule" => return submodule(rest, stdin),
        "reset" => reset(rest),
        "checkout" | "co" => checkout(rest),
        "restore" => restore(rest),
        "switch" | "sw" => switch(rest),
        "stash" => stash(rest),
        "worktree" => worktree(rest),
        "rm" => remove(rest),
        "branch" | "br" => branch(rest),
        "tag" => tag(rest),
        "update-ref" => update_ref(rest, stdin),
        "symbolic-ref" => symbolic_ref(rest),
        "reflog" => reflog(rest),
        "gc" => gc(rest),
        "prune" => prune(rest),
        "filter-branch" | "filter-repo" => rewrite(command, rest),
        "apply" => apply(rest, stdin),
        "lfs" => lfs(rest),
        "config" => config(rest),
        "read-tree" => read_tree(rest),
        "checkout-index" => checkout_index(rest),
        "delete" => git_remote::hub_delete(rest),
        "replace" | "notes" => replaced(command, rest),
        _ => None,
    };
    one.into_iter().collect()
}

fn reset(rest: &[Arg]) -> Option<Effect> {
    let parsed = parse(
        rest,
        &Spec::gnu(&["pathspec-from-file"])
            .shortening(&["hard", "soft", "mixed", "merge", "keep", "quiet"]),
    );
    if parsed.has(&["hard"]) {
        let to = parsed
            .words
            .first()
            .map_or(String::new(), |to| format!(" and moves the branch to {to}"));
        return Some(RESET_HARD.grave(format!("throws away all uncommitted work{to}")));
    }
    // After a mode that keeps the work, and out of git itself, comes a commit.
    let keeps = parsed.has(&["soft", "mixed", "keep"]);
    if rest.iter().any(|it| {
        let unknown = word(it) == UNKNOWN && !keeps && !is_printed_by_git(it);
        unknown || word(it).starts_with("--h")
    }) {
        return Some(RESET_HARD.doubtful("resets with an option that cannot be known"));
    }
    parsed
        .has(&["merge"])
        .then(|| RESET_HARD.doubtful("throws away what is staged"))
}

/// `$(git merge-base main HEAD)`: these print commits and names, but no options.
fn is_printed_by_git(arg: &Arg) -> bool {
    let source = arg.source.trim_start_matches('"');
    let inside = ["$(git ", "`git "]
        .iter()
        .find_map(|it| source.strip_prefix(it));
    inside.is_some_and(|it| {
        matches!(
            it.split_whitespace().next(),
            Some("merge-base" | "rev-parse" | "rev-list" | "log" | "describe" | "symbolic-ref")
        )
    })
}

/// Whether a path means the whole work tree.
pub(super) fn is_whole_tree(path: &str) -> bool {
    let plain = path.trim_end_matches('/');
    matches!(
        plain,
        "." | "" | "*" | "./*" | ":" | ":/*" | ":(top)" | ":/." | ".." | "**" | "$PWD"
    ) || path == ":/"
        || plain.chars().all(|it| matches!(it, '.' | '/'))
}

/// Whether a word that could be a branch is rather a file.
pub(super) fn looks_like_file(name: &str) -> bool {
    if name.starts_with("./")
        || name.starts_with("../")
        || name.ends_with('/')
        || name.contains('*')
    {
        return true;
    }
    let last = name.rsplit('/').next().unwrap_or(name);
    let is_version = last
        .trim_start_matches('v')
        .starts_with(|it: char| it.is_ascii_digit());
    match last.rsplit_once('.') {
        Some((_, ending)) => {
            !is_version
                && (2..=5).contains(&ending.len())
                && ending.chars().all(|it| it.is_ascii_alphanumeric())
                && ending.starts_with(|it: char| it.is_ascii_alphabetic())
        }
        None => matches!(
            last,
            "Makefile" | "Dockerfile" | "README" | "LICENSE" | "Gemfile" | "Rakefile"
        ),
    }
}

fn discards(paths: &[&str]) -> Option<Effect> {
    if paths.iter().any(|path| is_whole_tree(path)) {
        return Some(CHECKOUT.grave("throws away all uncommitted work in the work tree"));
    }
    (!paths.is_empty())
        .then(|| CHECKOUT.doubtful(format!("throws away uncommitted work in {}", listed(paths))))
}

fn checkout(rest: &[Arg]) -> Option<Effect> {
    let parsed = parse(
        rest,
        &Spec::gnu(&["b", "B", "orphan", "pathspec-from-file", "conflict"]).shortening(&[
            "force", "detach", "ours", "theirs", "orphan", "patch", "merge", "quiet", "track",
        ]),
    );
    if parsed.has(&["f", "force"]) {
        return Some(SWITCH.grave("checks out by force and throws away uncommitted work"));
    }
    if parsed.has(&["pathspec-from-file"]) {
        return Some(CHECKOUT.doubtful("throws away uncommitted work in the files of a list"));
    }
    if let Some(effect) = parsed.value(&["B"]).and_then(|it| moves_main(it, &parsed)) {
        return Some(effect);
    }
    if parsed.has(&[
        "b", "B", "orphan", "detach", "d", "t", "track", "p", "patch",
    ]) {
        return None;
    }
    let paths: &[&str] = match parsed.before_dashes {
        Some(before) => parsed.from(before),
        None => match parsed.words.as_slice() {
            [only] if is_whole_tree(only) || looks_like_file(only) => parsed.from(0),
            [] | [_] => &[],
            [first, ..] if is_whole_tree(first) || looks_like_file(first) => parsed.from(0),
            [_, ..] => parsed.from(1),
        },
    };
    if parsed.has(&["ours", "theirs"]) {
        return paths
            .iter()
            .any(|path| is_whole_tree(path))
            .then(|| CHECKOUT.doubtful("takes one side of every conflict"));
    }
    discards(paths)
}

/// A main branch that is made anew at another commit forgets where it was.
fn moves_main(branch: &str, parsed: &Parsed<'_>) -> Option<Effect> {
    let main = matches!(branch, "main" | "master" | "trunk" | "develop");
    (main && !parsed.words.is_empty())
        .then(|| MOVE_REF.doubtful(format!("moves {branch} to {}", parsed.at(0))))
}

/// What is taken back is gone, if it comes from the work tree itself.
fn apply(rest: &[Arg], stdin: &Stdin) -> Option<Effect> {
    let parsed = parse(rest, &Spec::gnu(&["p", "C", "directory"]));
    let own = matches!(stdin, Stdin::Pipe(programs) if programs.iter().any(|it| it.starts_with("git diff")));
    (own && parsed.has(&["R", "reverse"]) && !parsed.has(&["check", "stat", "cached"]))
        .then(|| CHECKOUT.grave("takes back the uncommitted work that `git diff` shows"))
}

fn restore(rest: &[Arg]) -> Option<Effect> {
    let parsed = parse(
        rest,
        &Spec::gnu(&["s", "source", "pathspec-from-file", "conflict"]).shortening(&[
            "staged", "worktree", "source", "patch", "ours", "theirs", "quiet",
        ]),
    );
    let only_staged = parsed.has(&["S", "staged"]) && !parsed.has(&["W", "worktree"]);
    if only_staged || parsed.has(&["p", "patch"]) {
        return None;
    }
    if parsed.has(&["pathspec-from-file"]) {
        return Some(CHECKOUT.doubtful("throws away uncommitted work in the files of a list"));
    }
    discards(&parsed.words)
}

fn switch(rest: &[Arg]) -> Option<Effect> {
    let parsed = parse(
        rest,
        &Spec::gnu(&["c", "C", "create", "force-create", "orphan", "conflict"]).shortening(&[
            "discard-changes",
            "force",
            "force-create",
            "detach",
            "create",
            "orphan",
        ]),
    );
    if let Some(effect) = parsed
        .value(&["C", "force-create"])
        .and_then(|it| moves_main(it, &parsed))
    {
        return Some(effect);
    }
    parsed
        .has(&["f", "force", "discard-changes"])
        .then(|| SWITCH.grave("switches branches and throws away uncommitted work"))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Forced {
    No,
    BySettings,
}

fn clean(rest: &[Arg], forced: Forced) -> Vec<Effect> {
    let parsed = parse(
        rest,
        &Spec::gnu(&["e", "exclude"]).shortening(&[
            "force",
            "dry-run",
            "interactive",
            "quiet",
            "exclude",
        ]),
    );
    let acts = parsed.has(&["f", "force"]) || forced == Forced::BySettings;
    if parsed.has(&["n", "dry-run"]) || (!acts && !parsed.has(&["i", "interactive"])) {
        return Vec::new();
    }
    if !acts {
        return vec![CLEAN.doubtful("deletes untracked files that are chosen one by one")];
    }
    let narrow = !parsed.words.is_empty() && !parsed.words.iter().any(|path| is_whole_tree(path));
    if narrow && parsed.words.iter().all(|path| rebuildable_by_name(path)) {
        return Vec::new();
    }
    if parsed.has(&["X"]) && !parsed.has(&["x"]) {
        return vec![CLEAN.doubtful("deletes all ignored files, local settings among them")];
    }
    if narrow {
        return vec![CLEAN.doubtful(format!(
            "deletes untracked files in {}",
            listed(&parsed.words)
        ))];
    }
    vec![CLEAN.grave("deletes all untracked files of the project")]
}

fn stash(rest: &[Arg]) -> Option<Effect> {
    let parsed = parse(rest, &Spec::gnu(&["m", "message"]));
    match parsed.at(0) {
        "drop" => Some(STASH.grave("deletes a stash, the only copy of that work")),
        "clear" => Some(STASH.grave("deletes every stash")),
        _ => None,
    }
}

fn worktree(rest: &[Arg]) -> Option<Effect> {
    let parsed = parse(rest, &Spec::gnu(&["reason"]).shortening(&["force"]));
    (parsed.at(0) == "remove" && parsed.has(&["f", "force"])).then(|| {
        WORKTREE.grave(format!(
            "removes the work tree {} with its uncommitted work",
            parsed.at(1)
        ))
    })
}

fn remove(rest: &[Arg]) -> Option<Effect> {
    let parsed = parse(
        rest,
        &Spec::gnu(&["pathspec-from-file"]).shortening(&["cached", "dry-run", "force", "quiet"]),
    );
    if parsed.has(&["cached", "n", "dry-run"]) {
        return None;
    }
    if parsed.words.iter().any(|path| is_whole_tree(path)) {
        return Some(REMOVE.grave("deletes every tracked file of the project"));
    }
    if !parsed.words.is_empty() && parsed.words.iter().all(|path| rebuildable_by_name(path)) {
        return None;
    }
    let broad = parsed.has(&["r", "f", "force"]) || parsed.words.iter().any(|it| it.contains('*'));
    broad.then(|| {
        REMOVE.doubtful(format!(
            "deletes the tracked files {}",
            listed(&parsed.words)
        ))
    })
}

fn lfs(rest: &[Arg]) -> Option<Effect> {
    let parsed = parse(rest, &Spec::gnu(&["include", "exclude", "I", "X"]));
    if parsed.is_dry_run() || parsed.has(&["d"]) {
        return None;
    }
    if parsed.begins("migrate import|export") && !parsed.has(&["no-rewrite"]) {
        return Some(REWRITE.grave("rewrites every commit to move files into or out of LFS"));
    }
    parsed
        .begins("prune")
        .then(|| PRUNE.doubtful("deletes local copies of large files"))
}

fn config(rest: &[Arg]) -> Option<Effect> {
    let parsed = parse(rest, &Spec::gnu(&["f", "file", "blob", "type", "default"]));
    let words = match parsed.at(0) {
        "set" => parsed.from(1),
        _ => parsed.from(0),
    };
    match words {
        [name, value, ..] => config_code(&format!("{name}={value}")),
        _ => None,
    }
}

fn read_tree(rest: &[Arg]) -> Option<Effect> {
    let parsed = parse(rest, &Spec::gnu(&["index-output", "prefix"]));
    (parsed.has(&["reset"]) && parsed.has(&["u"]))
        .then(|| RESET_HARD.grave("throws away all uncommitted work (read-tree)"))
}

fn checkout_index(rest: &[Arg]) -> Option<Effect> {
    let parsed = parse(rest, &Spec::gnu(&["prefix", "stage"]));
    let elsewhere = parsed.has(&["prefix"]);
    let (force, all) = (parsed.has(&["f", "force"]), parsed.has(&["a", "all"]));
    match (force && !elsewhere, all) {
        (false, _) => None,
        (true, true) => Some(CHECKOUT.grave("throws away all unstaged work")),
        (true, false) => Some(CHECKOUT.doubtful(format!(
            "throws away unstaged work in {}",
            listed(&parsed.words)
        ))),
    }
}

fn replaced(command: &str, rest: &[Arg]) -> Option<Effect> {
    let parsed = parse(rest, &Spec::gnu(&["ref", "m", "F"]));
    let deletes = match command {
        "notes" => matches!(parsed.at(0), "remove" | "prune"),
        _ => parsed.has(&["d", "delete"]),
    };
    deletes.then(|| MOVE_REF.doubtful(format!("deletes {command} from the repository")))
}

fn submodule(rest: &[Arg], stdin: &Stdin) -> Vec<Effect> {
    let (_, command, later) = split_command(rest, &Spec::gnu(&[]));
    let parsed: Parsed<'_> = parse(later, &Spec::gnu(&["b", "name", "reference", "depth"]));
    let force = parsed.has(&["f", "force"]);
    match command {
        "deinit"
            if force
                && (parsed.has(&["all"]) || parsed.words.iter().any(|it| is_whole_tree(it))) =>
        {
            vec![SUBMODULE.grave("removes every submodule with its uncommitted work")]
        }
        "deinit" | "update" if force => {
            vec![SUBMODULE.doubtful("throws away uncommitted work in a submodule")]
        }
        "foreach" => foreach(later, stdin),
        _ => Vec::new(),
    }
}

/// What commands do that are run in every submodule.
fn foreach(later: &[Arg], stdin: &Stdin) -> Vec<Effect> {
    let commands = in_submodules(later).into_iter();
    commands.flat_map(|args| git(&args, stdin, 0)).collect()
}

/// The arguments of git's own commands among those that `submodule foreach` runs.
pub(super) fn in_submodules(later: &[Arg]) -> Vec<Vec<Arg>> {
    let start = later.iter().position(|arg| !word(arg).starts_with('-'));
    let words = later
        .get(start.unwrap_or(later.len())..)
        .unwrap_or_default();
    let text = words.iter().map(word).collect::<Vec<_>>().join(" ");
    let commands = text.split([';', '&', '|', '\n']);
    commands
        .filter_map(|command| {
            let mut words = command.split_whitespace();
            (words.next() == Some("git")).then(|| words.map(Arg::known).collect())
        })
        .collect()
}
