//! What a `git commit` would record: its message, and the change.

use std::collections::HashMap;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use bowline_guard::invocation::{Directory, Invocation, Stdin, Through, Value};

use super::diff::added;
use super::git::{MAX_BYTES, Printed, Repository};
use super::spot::{Spot, Surroundings, place_of, shown, spots_in};

/// Of the files that git does not know yet, so many are looked at.
const MAX_FILES: usize = 2_000;

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

/// A commit that a shell line would make.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Commit {
    /// Where; `None` if that cannot be known from here.
    repository: Option<Repository>,
    /// Everything that is said on its command line and given to it as text.
    message: String,
    /// Which parts of the change it records.
    parts: Vec<Part>,
}

/// A part of what would be recorded.
#[derive(Debug, PartialEq, Eq)]
enum Part {
    /// What is staged.
    Staged,
    /// Everything that git knows of these paths, staged or not.
    Tracked(Vec<String>),
    /// What an earlier `git add` of the same line would stage.
    Unstaged(Vec<String>),
    /// The new files that it would stage.
    Untracked(Vec<String>),
}

/// What was found in a commit.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) spots: Vec<Spot>,
    pub(super) warning: Option<String>,
}

impl Commit {
    /// The commits of a shell line.
    pub(super) fn all(runs: &[Invocation]) -> Vec<Self> {
        let mut staging: Vec<(Option<Repository>, Part)> = Vec::new();
        let mut commits = Vec::new();
        for run in runs
            .iter()
            .filter(|run| run.program.as_deref() == Some("git"))
        {
            let words = words(run);
            let Some(call) = Call::of(run, &words) else {
                continue;
            };
            match call.subcommand {
                "add" | "stage" => {
                    let parts = staged_by(call.rest);
                    staging.extend(
                        parts
                            .into_iter()
                            .map(|part| (call.repository.clone(), part)),
                    );
                }
                "commit" => {
                    let mut parts = recorded_by(call.rest);
                    let of_line =
                        staging.extract_if(.., |(repository, _)| *repository == call.repository);
                    parts.extend(of_line.map(|(_, part)| part));
                    commits.push(Self {
                        message: message(run, call.rest),
                        repository: call.repository,
                        parts,
                    });
                }
                _ => {}
            }
        }
        commits
    }

    /// Looks for secrets in the message and the change.
    pub(super) async fn look(&self, env: &HashMap<String, String>) -> Found {
        let mut found = Found {
            spots: spots_in(&self.message, Surroundings::Real, |line| {
                format!("in line {line} of the commit message")
            }),
            warning: None,
        };
        let Some(repository) = &self.repository else {
            found.warning = Some(
                "the change of a commit was not looked at for secrets: its folder cannot be known from here".to_owned(),
            );
            return found;
        };
        let mut is_whole = true;
        for part in &self.parts {
            let printed = match part {
                Part::Staged => repository.diff(&["--cached"], &[], env).await,
                Part::Unstaged(paths) => repository.diff(&[], paths, env).await,
                Part::Tracked(paths) => match repository.diff(&["HEAD"], paths, env).await {
                    Some(printed) => Some(printed),
                    // Before the first commit there is no HEAD.
                    None => repository.diff(&["--cached"], paths, env).await,
                },
                Part::Untracked(paths) => {
                    let Some((files, is_all)) = repository.untracked(paths, env).await else {
                        continue;
                    };
                    is_whole &= is_all;
                    is_whole &= look_at_files(files, &repository.folder, &mut found.spots).await;
                    continue;
                }
            };
            // Where git cannot tell, the commit itself fails, too.
            let Some(Printed { text, is_cut }) = printed else {
                continue;
            };
            is_whole &= !is_cut;
            look_at_diff(&text, &mut found.spots);
        }
        if !is_whole {
            found.warning = Some(format!(
                "only the first {} MB of a commit's change were looked at for secrets",
                MAX_BYTES / 1024 / 1024
            ));
        }
        found
    }
}

fn look_at_diff(diff: &str, spots: &mut Vec<Spot>) {
    for file in added(diff) {
        let found = spots_in(&file.text, Surroundings::of(&file.path), |line| match file
            .lines
            .get(line - 1)
        {
            Some(number) => place_of(&file.path, *number, ""),
            None => format!("in {}", shown(&file.path)),
        });
        for spot in found {
            // What is staged and what is not may hold the same line.
            if !spots.contains(&spot) {
                spots.push(spot);
            }
        }
    }
}

/// Looks at whole files, and says whether at all of them.
async fn look_at_files(files: Vec<PathBuf>, folder: &Path, spots: &mut Vec<Spot>) -> bool {
    let read = tokio::task::spawn_blocking(move || read_files(files)).await;
    let Ok((texts, is_whole)) = read else {
        return false;
    };
    for (path, text) in texts {
        let path = path.strip_prefix(folder).unwrap_or(&path).to_string_lossy();
        spots.extend(spots_in(&text, Surroundings::of(&path), |line| {
            place_of(&path, line, "")
        }));
    }
    is_whole
}

/// The texts of plain files, as long as they are not too many, and whether these are all.
fn read_files(files: Vec<PathBuf>) -> (Vec<(PathBuf, String)>, bool) {
    let mut left = MAX_BYTES;
    let mut texts = Vec::new();
    let mut is_whole = files.len() <= MAX_FILES;
    for path in files.into_iter().take(MAX_FILES) {
        // Of a link only its name is recorded; anything else that is no file would be waited for.
        if !path.symlink_metadata().is_ok_and(|found| found.is_file()) {
            continue;
        }
        let mut bytes = Vec::new();
        let most = u64::try_from(left).unwrap_or(u64::MAX);
        let read = File::open(&path).and_then(|file| file.take(most + 1).read_to_end(&mut bytes));
        if read.is_err() || bytes.contains(&0) {
            continue;
        }
        if bytes.len() > left {
            bytes.truncate(left);
            is_whole = false;
        }
        left -= bytes.len();
        texts.push((path, String::from_utf8_lossy(&bytes).into_owned()));
        if left == 0 {
            break;
        }
    }
    (texts, is_whole)
}

/// The words of a program's arguments, as far as they are known.
fn words(run: &Invocation) -> Vec<&str> {
    run.args
        .iter()
        .map(|arg| arg.text_or_pattern().unwrap_or(&arg.source))
        .collect()
}

/// A call of git: where, what, and the words after the subcommand.
struct Call<'a> {
    repository: Option<Repository>,
    subcommand: &'a str,
    rest: &'a [&'a str],
}

impl<'a> Call<'a> {
    fn of(run: &Invocation, words: &'a [&'a str]) -> Option<Self> {
        let mut folder = match &run.directory {
            Directory::Known(folder) => Some(PathBuf::from(folder)),
            _ => None,
        };
        let mut options = Vec::new();
        let mut rest = words;
        while let Some((first, after)) = rest.split_first() {
            if !first.starts_with('-') {
                break;
            }
            rest = after;
            if first.starts_with("--git-dir=") || first.starts_with("--work-tree=") {
                options.push((*first).to_owned());
            }
            if !GIT_VALUES.contains(first) {
                continue;
            }
            let (value, after) = rest.split_first()?;
            rest = after;
            match *first {
                "-C" => folder = folder.map(|folder| folder.join(value)),
                "--git-dir" | "--work-tree" => options.push(format!("{first}={value}")),
                _ => {}
            }
        }
        let (subcommand, rest) = rest.split_first()?;
        let is_elsewhere = run
            .through
            .iter()
            .any(|through| matches!(through, Through::Remote(_) | Through::Container));
        let repository = folder.filter(|_| !is_elsewhere).map(|folder| Repository {
            folder,
            options,
            environment: run
                .environment
                .iter()
                .filter_map(|(name, value)| match value {
                    Value::Known(value)
                        if matches!(
                            name.as_str(),
                            "GIT_DIR" | "GIT_WORK_TREE" | "GIT_INDEX_FILE"
                        ) =>
                    {
                        Some((name.clone(), value.clone()))
                    }
                    _ => None,
                })
                .collect(),
        });
        Some(Self {
            repository,
            subcommand,
            rest,
        })
    }
}

/// What `git add` with these words would stage.
fn staged_by(words: &[&str]) -> Vec<Part> {
    let mut paths = Vec::new();
    let mut updates_only = false;
    let mut is_option = true;
    for word in words {
        match *word {
            "--" => is_option = false,
            "-u" | "--update" if is_option => updates_only = true,
            option if is_option && option.starts_with('-') => {}
            path => paths.push(path.to_owned()),
        }
    }
    let mut parts = vec![Part::Unstaged(paths.clone())];
    if !updates_only {
        parts.push(Part::Untracked(paths));
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
        return vec![Part::Tracked(Vec::new())];
    }
    match (paths.is_empty(), include) {
        (true, _) => vec![Part::Staged],
        (false, true) => vec![Part::Staged, Part::Tracked(paths)],
        (false, false) => vec![Part::Tracked(paths)],
    }
}

/// What is said on the command line and given to it as text: the message is somewhere in it.
fn message(run: &Invocation, words: &[&str]) -> String {
    let mut message = words.join(" ");
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
        let tracked = |paths: &[&str]| Part::Tracked(paths.iter().map(|&it| it.into()).collect());
        for (line, expected) in [
            ("", vec![Part::Staged]),
            ("-m a", vec![Part::Staged]),
            ("-ma", vec![Part::Staged]),
            ("-m -a", vec![Part::Staged]),
            ("--message=x --amend", vec![Part::Staged]),
            ("-S -m x", vec![Part::Staged]),
            ("-Sabc", vec![Part::Staged]),
            ("-am x", vec![tracked(&[])]),
            ("-a -m x", vec![tracked(&[])]),
            ("-qam x", vec![tracked(&[])]),
            ("--all", vec![tracked(&[])]),
            ("-m x src a.rs", vec![tracked(&["src", "a.rs"])]),
            ("-m x -- -a", vec![tracked(&["-a"])]),
            ("-i a.rs", vec![Part::Staged, tracked(&["a.rs"])]),
        ] {
            let words: Vec<&str> = line.split_whitespace().collect();
            assert_eq!(recorded_by(&words), expected, "{line}");
        }
    }

    #[test]
    fn a_commit_is_known_with_its_place_and_what_was_added_before() {
        let run = |args: &[&str]| Invocation::plain("git", args, "/p");
        let commits = Commit::all(&[
            run(&["add", "-A"]),
            run(&["-C", "sub", "add", "x"]),
            run(&["status"]),
            run(&["-c", "user.name=a", "-C", "sub", "commit", "-m", "done"]),
        ]);
        let [commit] = commits.as_slice() else {
            panic!("{commits:?}");
        };
        let repository = commit.repository.as_ref().unwrap();
        assert_eq!(repository.folder, Path::new("/p/sub"));
        assert_eq!(
            commit.parts,
            [
                Part::Staged,
                Part::Unstaged(vec!["x".to_owned()]),
                Part::Untracked(vec!["x".to_owned()]),
            ]
        );
    }
}
