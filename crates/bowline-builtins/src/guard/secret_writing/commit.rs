//! What a `git commit` would record: its message, and the change.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use bowline_guard::invocation::{Arg, Directory, Invocation, Stdin};

use super::diff::added;
use super::files;
use super::git::{self, LEADING, MAX_BYTES, New, Repository};
use super::spot::{Spot, Surroundings, place_of, shown, spots_in};

/// Options of git itself that take the next word.
const GIT_VALUES: &[&str] = &[
    "-C",
    "-c",
    "--git-dir",
    "--work-tree",
    "--namespace",
    "--config-env",
    "--attr-source",
];
/// Options of `git commit` that take the next word.
const COMMIT_VALUES: &[&str] = &[
    "--message",
    "--file",
    "--reuse-message",
    "--reedit-message",
    "--template",
    "--author",
    "--date",
    "--fixup",
    "--squash",
    "--cleanup",
    "--trailer",
    "--pathspec-from-file",
];
const VALUE_LETTERS: &[char] = &['m', 'F', 'C', 'c', 't'];
/// Options of `git init` that take the next word.
const INIT_VALUES: &[&str] = &[
    "-b",
    "--initial-branch",
    "--template",
    "--object-format",
    "--ref-format",
    "--separate-git-dir",
];
/// Git's own commands cannot be aliases. Others may be, and are looked up.
const NO_ALIAS: &[&str] = &[
    "am",
    "apply",
    "archive",
    "bisect",
    "blame",
    "branch",
    "cat-file",
    "checkout",
    "cherry-pick",
    "clean",
    "clone",
    "config",
    "describe",
    "diff",
    "fetch",
    "for-each-ref",
    "format-patch",
    "fsck",
    "gc",
    "grep",
    "help",
    "log",
    "ls-files",
    "ls-remote",
    "ls-tree",
    "maintenance",
    "merge",
    "merge-base",
    "mv",
    "notes",
    "pull",
    "push",
    "range-diff",
    "rebase",
    "reflog",
    "remote",
    "reset",
    "restore",
    "rev-list",
    "rev-parse",
    "revert",
    "rm",
    "shortlog",
    "show",
    "show-ref",
    "sparse-checkout",
    "stash",
    "status",
    "submodule",
    "switch",
    "symbolic-ref",
    "tag",
    "update-index",
    "update-ref",
    "version",
    "worktree",
];

/// Where a command would commit to.
#[derive(Debug, Clone, PartialEq, Eq)]
enum CommitFolder {
    Folder(PathBuf),
    /// Not to be known, or not to be looked at, and why.
    Unknown(&'static str),
}

/// A commit that a shell line would make.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Commit {
    folder: CommitFolder,
    /// The folder that the line makes a repository before, if any.
    initialised: Option<PathBuf>,
    /// The name that may be an alias for `commit`.
    alias: Option<String>,
    /// Everything that is said on its command line and given to it as text.
    message: String,
    /// Which parts of the change it records.
    parts: Vec<Part>,
}

/// A part of what would be recorded: of these paths, or of all without any.
#[derive(Debug, PartialEq, Eq)]
enum Part {
    /// What is staged.
    Staged(Vec<String>),
    /// What git knows, as the work tree has it.
    Tracked(Vec<String>),
    /// The files that git does not know yet.
    Untracked(Vec<String>, New),
}

/// What was found in a commit.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) spots: Vec<Spot>,
    pub(super) warning: Option<String>,
    /// Why the change could not be looked at.
    pub(super) unseen: Option<&'static str>,
}

impl Commit {
    /// The commits of a shell line, and what may be one by another name.
    pub(super) fn all(command: &str, runs: &[Invocation]) -> Vec<Self> {
        let mut staging: Vec<(CommitFolder, Part)> = Vec::new();
        let mut initialised: Vec<PathBuf> = Vec::new();
        let mut commits = Vec::new();
        for run in runs
            .iter()
            .filter(|run| run.program.as_deref() == Some("git"))
        {
            let words = words(run);
            let Some(call) = GitCall::of(command, run, &words) else {
                continue;
            };
            let mut commit = Self {
                initialised: None,
                alias: None,
                message: String::new(),
                parts: Vec::new(),
                folder: call.folder,
            };
            match call.subcommand {
                "init" => {
                    if let CommitFolder::Folder(folder) = &commit.folder {
                        initialised.push(folder.join(init_folder(call.rest)));
                    }
                }
                "add" | "stage" => {
                    let parts = staged_by(call.rest);
                    staging.extend(parts.into_iter().map(|part| (commit.folder.clone(), part)));
                }
                "commit" => {
                    commit.parts = recorded_by(call.rest);
                    let of_line = staging.extract_if(.., |(folder, _)| *folder == commit.folder);
                    commit.parts.extend(of_line.map(|(_, part)| part));
                    commit.message = message(run);
                    if let CommitFolder::Folder(folder) = &commit.folder {
                        let root = initialised.iter().find(|root| folder.starts_with(root));
                        commit.initialised = root.cloned();
                    }
                    commits.push(commit);
                }
                name if NO_ALIAS.contains(&name) => {}
                name => {
                    commit.alias = Some(name.to_owned());
                    commit.message = message(run);
                    commits.push(commit);
                }
            }
        }
        commits
    }

    /// Looks for secrets in the message alone, where no file can be looked at.
    pub(super) fn look_at_text(&self) -> Found {
        Found {
            spots: self.spots_in_message(),
            unseen: Some("its files could not be read in time"),
            ..Found::default()
        }
    }

    fn spots_in_message(&self) -> Vec<Spot> {
        spots_in(&self.message, Surroundings::Real, |line| {
            format!("in line {line} of the commit message")
        })
    }

    /// Looks for secrets in the message and the change.
    pub(super) async fn look(&self, env: &HashMap<String, String>) -> Found {
        let mut found = Found::default();
        if let Some(name) = &self.alias {
            let CommitFolder::Folder(folder) = &self.folder else {
                return found;
            };
            let meaning = git::alias(name, folder, env).await.unwrap_or_default();
            if !meaning.contains("commit") {
                return found;
            }
            found.unseen = Some("it is made by an alias of git");
        }
        found.spots = self.spots_in_message();
        if found.unseen.is_none() {
            match self.look_at_change(env, &mut found.spots).await {
                Ok(Extent::Whole) => {}
                Ok(Extent::Part) => {
                    found.warning = Some(format!(
                        "only the first {} MB of a commit's change were looked at for secrets",
                        MAX_BYTES / 1024 / 1024
                    ));
                }
                Err(why) => found.unseen = Some(why),
            }
        }
        found
    }

    async fn look_at_change(
        &self,
        env: &HashMap<String, String>,
        spots: &mut Vec<Spot>,
    ) -> Result<Extent, &'static str> {
        const UNTOLD: &str = "git could not tell what it records";
        let folder = match &self.folder {
            CommitFolder::Folder(folder) => folder,
            CommitFolder::Unknown(why) => return Err(why),
        };
        if LEADING.iter().any(|name| env.contains_key(*name)) {
            return Err("the environment leads git to another repository");
        }
        let repository = Repository::around(folder, env).await;
        if let Some(root) = &self.initialised
            && !is_below(repository.as_ref(), root).await?
        {
            return look_at_folder(root, spots).await;
        }
        let repository =
            repository.ok_or("there is no repository in its folder that git could look at")?;

        let mut extent = Extent::Whole;
        // These are recorded as the work tree has them, whatever is staged of them.
        let mut names = BTreeSet::new();
        for part in &self.parts {
            let (more, is_all) = match part {
                Part::Staged(_) => continue,
                Part::Tracked(paths) => {
                    let (known, is_all) = repository.known(paths).await.ok_or(UNTOLD)?;
                    let (root, index) = (repository.root.clone(), repository.index.clone());
                    let differ = move || files::that_differ(known, &root, &index);
                    (files::apart(differ).await?, is_all)
                }
                Part::Untracked(paths, which) => {
                    repository.new_files(paths, *which).await.ok_or(UNTOLD)?
                }
            };
            extent.narrow(is_all);
            names.extend(more);
        }
        extent.narrow(look_at_files(&repository, &names, spots).await?);
        for part in &self.parts {
            let Part::Staged(paths) = part else {
                continue;
            };
            let printed = repository.staged(paths).await.ok_or(UNTOLD)?;
            extent.narrow(!printed.is_cut);
            look_at_diff(&String::from_utf8_lossy(&printed.bytes), &names, spots);
        }
        Ok(extent)
    }
}

/// How much of a change was looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Extent {
    Whole,
    Part,
}

impl Extent {
    fn narrow(&mut self, is_all: bool) {
        if !is_all {
            *self = Self::Part;
        }
    }
}

/// Whether a repository lies in a folder that the line makes one before.
async fn is_below(
    repository: Option<&Repository<'_>>,
    folder: &Path,
) -> Result<bool, &'static str> {
    let Some(root) = repository.map(|it| it.root.clone()) else {
        return Ok(false);
    };
    let folder = folder.to_owned();
    files::apart(move || root.starts_with(folder.canonicalize().unwrap_or(folder))).await
}

/// Looks at what is staged of files that are not among the `replaced`.
fn look_at_diff(diff: &str, replaced: &BTreeSet<PathBuf>, spots: &mut Vec<Spot>) {
    for file in added(diff) {
        if replaced.contains(Path::new(&file.path)) {
            continue;
        }
        let found = spots_in(&file.text, Surroundings::of(&file.path), |line| match file
            .lines
            .get(line - 1)
        {
            Some(number) => place_of(&file.path, *number, ""),
            None => format!("in {}", shown(&file.path)),
        });
        spots.extend(found);
    }
}

/// Looks at what files of the work tree add to the last commit, and says whether at all of it.
async fn look_at_files(
    repository: &Repository<'_>,
    names: &BTreeSet<PathBuf>,
    spots: &mut Vec<Spot>,
) -> Result<bool, &'static str> {
    let (root, names) = (repository.root.clone(), names.iter().cloned().collect());
    let (texts, is_whole) = files::apart(move || files::read(&root, names)).await?;
    for (name, text) in texts {
        let mut found = spots_of_file(&name, &text);
        if !found.is_empty() {
            let before = repository.committed(&name).await;
            found.retain(|spot| !spot.is_in(&text, &before));
        }
        spots.extend(found);
    }
    Ok(is_whole)
}

/// Looks at all files of a folder that is about to become a repository.
async fn look_at_folder(root: &Path, spots: &mut Vec<Spot>) -> Result<Extent, &'static str> {
    let root = root.to_owned();
    let (texts, is_whole) = files::apart(move || {
        let (names, are_all) = files::below(&root);
        let (texts, is_whole) = files::read(&root, names);
        (texts, are_all && is_whole)
    })
    .await?;
    for (name, text) in texts {
        spots.extend(spots_of_file(&name, &text));
    }
    let mut extent = Extent::Whole;
    extent.narrow(is_whole);
    Ok(extent)
}

fn spots_of_file(name: &Path, text: &str) -> Vec<Spot> {
    let name = name.to_string_lossy();
    spots_in(text, Surroundings::of(&name), |line| {
        place_of(&name, line, "")
    })
}

/// The words of a program's arguments. One that is not known may name anything, so it stands for every path.
fn words(run: &Invocation) -> Vec<&str> {
    run.args
        .iter()
        .map(|arg| arg.text_or_pattern().unwrap_or(":/"))
        .collect()
}

/// A call of git: where, what, and the words after the subcommand.
struct GitCall<'a> {
    folder: CommitFolder,
    subcommand: &'a str,
    rest: &'a [&'a str],
}

impl<'a> GitCall<'a> {
    fn of(command: &str, run: &Invocation, words: &'a [&'a str]) -> Option<Self> {
        let mut folder = match &run.directory {
            _ if run.runs_elsewhere() => CommitFolder::Unknown("it is made on another machine"),
            Directory::Known(folder) => CommitFolder::Folder(folder.into()),
            _ => CommitFolder::Unknown("its folder cannot be known from here"),
        };
        // A repository that the command points at is not followed: its settings could run programs, and it need not be
        // what the commit will see.
        let mut is_led = LEADING
            .iter()
            .any(|name| command.contains(&format!("{name}=")));
        let mut rest = words;
        while let Some((first, after)) = rest.split_first() {
            if !first.starts_with('-') {
                break;
            }
            rest = after;
            let (name, mut value) = first.split_once('=').unwrap_or((first, ""));
            if name == *first && GIT_VALUES.contains(first) {
                (value, rest) = rest.split_first().map(|(value, rest)| (*value, rest))?;
            }
            match name {
                "-C" => {
                    if let CommitFolder::Folder(folder) = &mut folder {
                        folder.push(value);
                    }
                }
                "--git-dir" | "--work-tree" | "--bare" | "--config-env" => is_led = true,
                "-c" => {
                    let key = value.to_ascii_lowercase();
                    is_led |= key.starts_with("core.worktree") || key.starts_with("include");
                }
                _ => {}
            }
        }
        if is_led {
            folder = CommitFolder::Unknown("the command leads git to another repository");
        }
        let (subcommand, rest) = rest.split_first()?;
        Some(Self {
            folder,
            subcommand,
            rest,
        })
    }
}

/// The folder that `git init` with these words makes a repository, from where it is run.
fn init_folder<'a>(words: &[&'a str]) -> &'a str {
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        if INIT_VALUES.contains(word) {
            rest.next();
        } else if !word.starts_with('-') {
            return word;
        }
    }
    ""
}

/// What `git add` with these words would stage.
fn staged_by(words: &[&str]) -> Vec<Part> {
    let mut paths = Vec::new();
    let mut updates_only = false;
    let mut which = New::NotIgnored;
    let mut is_option = true;
    for word in words {
        match *word {
            "--" => is_option = false,
            "-u" | "--update" if is_option => updates_only = true,
            "--force" if is_option => which = New::Every,
            option if is_option && option.starts_with("--") => {}
            option if is_option && option.starts_with('-') => {
                if option.contains('f') {
                    which = New::Every;
                }
            }
            path => paths.push(path.to_owned()),
        }
    }
    let mut parts = vec![Part::Tracked(paths.clone())];
    if !updates_only {
        parts.push(Part::Untracked(paths, which));
    }
    parts
}

/// What `git commit` with these words would record, of what is there before the line runs.
fn recorded_by(words: &[&str]) -> Vec<Part> {
    let mut all = false;
    let mut include = false;
    let mut paths: Vec<String> = Vec::new();
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        match *word {
            "--" => {
                paths.extend(rest.by_ref().map(|path| (*path).to_owned()));
            }
            "--all" | "--patch" | "--interactive" => all = true,
            "--include" => include = true,
            option if COMMIT_VALUES.contains(&option) => {
                rest.next();
            }
            option if option.starts_with("--") => {}
            option if option.starts_with('-') && option.len() > 1 => {
                let letters = option.trim_start_matches('-');
                let flags_end = letters.find(VALUE_LETTERS).unwrap_or(letters.len());
                let (flags, value) = letters.split_at_checked(flags_end).unwrap_or((letters, ""));
                // `-S` and `-u` take the rest of their word.
                let flags = flags.split(['S', 'u']).next().unwrap_or_default();
                all |= flags.contains(['a', 'p']);
                include |= flags.contains('i');
                if value.len() == 1 {
                    rest.next();
                }
            }
            path => paths.push(path.to_owned()),
        }
    }
    if all {
        return vec![Part::Staged(Vec::new()), Part::Tracked(Vec::new())];
    }
    match (paths.is_empty(), include) {
        (true, _) => vec![Part::Staged(Vec::new())],
        (false, true) => vec![Part::Staged(Vec::new()), Part::Tracked(paths)],
        (false, false) => vec![Part::Staged(paths.clone()), Part::Tracked(paths)],
    }
}

/// What is said on the command line and given to it as text: the message is somewhere in it.
fn message(run: &Invocation) -> String {
    let shown = |arg: &'_ Arg| arg.text_or_pattern().unwrap_or(&arg.source).to_owned();
    let mut message = run.args.iter().map(shown).collect::<Vec<_>>().join(" ");
    if let Stdin::Text(text) = &run.stdin {
        message.push('\n');
        message.push_str(text);
    }
    message
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_options_tell_what_is_recorded() {
        let owned = |paths: &[&str]| -> Vec<String> { paths.iter().map(|&it| it.into()).collect() };
        let staged = |paths: &[&str]| Part::Staged(owned(paths));
        let tracked = |paths: &[&str]| Part::Tracked(owned(paths));
        for (line, expected) in [
            ("", vec![staged(&[])]),
            ("-m a", vec![staged(&[])]),
            ("-ma", vec![staged(&[])]),
            ("-m -a", vec![staged(&[])]),
            ("--message=x --amend", vec![staged(&[])]),
            ("-S -m x", vec![staged(&[])]),
            ("-Sabc", vec![staged(&[])]),
            ("-am x", vec![staged(&[]), tracked(&[])]),
            ("-a -m x", vec![staged(&[]), tracked(&[])]),
            ("-qam x", vec![staged(&[]), tracked(&[])]),
            ("--all", vec![staged(&[]), tracked(&[])]),
            (
                "-m x src a.rs",
                vec![staged(&["src", "a.rs"]), tracked(&["src", "a.rs"])],
            ),
            ("-m x -- -a", vec![staged(&["-a"]), tracked(&["-a"])]),
            ("-i a.rs", vec![staged(&[]), tracked(&["a.rs"])]),
        ] {
            let words: Vec<&str> = line.split_whitespace().collect();
            assert_eq!(recorded_by(&words), expected, "{line}");
        }
    }

    #[test]
    fn a_commit_is_known_with_its_place_and_what_was_added_before() {
        let run = |args: &[&str]| Invocation::plain("git", args, "/p");
        let commits = Commit::all(
            "",
            &[
                run(&["add", "-A"]),
                run(&["-C", "sub", "add", "x"]),
                run(&["status"]),
                run(&["-c", "user.name=a", "-C", "sub", "commit", "-m", "done"]),
            ],
        );
        let [commit] = commits.as_slice() else {
            panic!("{commits:?}");
        };
        assert_eq!(commit.folder, CommitFolder::Folder("/p/sub".into()));
        assert_eq!(
            commit.parts,
            [
                Part::Staged(Vec::new()),
                Part::Tracked(vec!["x".to_owned()]),
                Part::Untracked(vec!["x".to_owned()], New::NotIgnored),
            ]
        );
    }

    #[test]
    fn the_folder_that_becomes_a_repository_is_known() {
        for (line, expected) in [
            ("", ""),
            ("-q -b main", ""),
            ("-b main app", "app"),
            ("--initial-branch=main app", "app"),
        ] {
            let words: Vec<&str> = line.split_whitespace().collect();
            assert_eq!(init_folder(&words), expected, "{line}");
        }
    }
}
