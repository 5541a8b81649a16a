//! The arguments of `fd`: a pattern, folders, filters, and what is run for each path.

use std::ops::Range;
use std::sync::Arc;

use super::finds::{Finds, Holds, NAME_PART, Test};
use super::{Action, Reached, Running, Search};

/// Options that take the next word, and choose less than a name does.
const WITH_VALUE: &[&str] = &[
    "-E",
    "-S",
    "-c",
    "-d",
    "-j",
    "-o",
    "--batch-size",
    "--change-newer-than",
    "--change-older-than",
    "--changed-after",
    "--changed-before",
    "--changed-within",
    "--color",
    "--depth",
    "--exact-depth",
    "--exclude",
    "--format",
    "--ignore-file",
    "--max-depth",
    "--max-results",
    "--maxdepth",
    "--min-depth",
    "--newer",
    "--older",
    "--owner",
    "--path-separator",
    "--size",
    "--threads",
];

/// Reads the words after `fd`.
pub(super) fn read(words: &[&str]) -> Search {
    let mut reader = Reader::default();
    let mut at = 0;
    while let Some(word) = words.get(at).copied() {
        at += 1;
        if word == "--" {
            reader.operands.extend(words.get(at..).unwrap_or_default());
            break;
        }
        if runs(word) {
            let rest = words.get(at..).unwrap_or_default();
            let length = rest.iter().position(|it| *it == ";").unwrap_or(rest.len());
            reader.runs.push(at..at + length);
            at += length + 1;
        } else if reader.option(word, words.get(at).copied()) == Took::Next {
            at += 1;
        }
    }
    reader.finish()
}

/// `-x`, `-X`, also as the last letter of a cluster.
fn runs(word: &str) -> bool {
    let cluster = word.starts_with('-') && !word.starts_with("--") && word.len() > 1;
    matches!(word, "--exec" | "--exec-batch") || (cluster && word.ends_with(['x', 'X']))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Took {
    One,
    Next,
}

#[derive(Default)]
struct Reader<'w> {
    operands: Vec<&'w str>,
    roots: Vec<&'w str>,
    extensions: Vec<&'w str>,
    kinds: Vec<&'w str>,
    /// The test that the pattern stands for.
    pattern: Option<&'static str>,
    runs: Vec<Range<usize>>,
}

impl<'w> Reader<'w> {
    fn option(&mut self, word: &'w str, next: Option<&'w str>) -> Took {
        let (name, value) = match word.split_once('=').filter(|_| word.starts_with("--")) {
            Some((name, value)) => (name, Some(value)),
            None => (word, None),
        };
        let took = if value.is_some() {
            Took::One
        } else {
            Took::Next
        };
        let value = value.or(next);
        match name {
            "-e" | "--extension" => self.extensions.extend(value),
            "-t" | "--type" => self.kinds.extend(value),
            "--search-path" | "--base-directory" | "-C" => self.roots.extend(value),
            _ if WITH_VALUE.contains(&name) => {}
            "-g" | "--glob" => {
                self.pattern = Some("-name");
                return Took::One;
            }
            "-p" | "--full-path" => {
                self.pattern = Some("-regex");
                return Took::One;
            }
            _ if word.starts_with('-') && word.len() > 1 => return Took::One,
            _ => {
                self.operands.push(word);
                return Took::One;
            }
        }
        took
    }

    fn finish(self) -> Search {
        let finds = self.finds();
        let mut roots: Vec<String> = self
            .operands
            .iter()
            .skip(1)
            .chain(&self.roots)
            .map(|it| (*it).to_owned())
            .collect();
        if roots.is_empty() {
            roots.push(".".to_owned());
        }
        let mut actions: Vec<Reached> = self
            .runs
            .into_iter()
            .map(|words| Reached {
                action: Action::Run {
                    words,
                    how: Running::Here,
                },
                finds: finds.clone(),
            })
            .collect();
        if actions.is_empty() {
            actions.push(Reached {
                action: Action::Print,
                finds,
            });
        }
        Search {
            options: Vec::new(),
            roots,
            actions,
        }
    }

    fn finds(&self) -> Finds {
        let mut finds = match self.operands.first() {
            Some(&("" | "." | ".*")) | None => Finds::anything(),
            Some(pattern) => test(self.pattern.unwrap_or(NAME_PART), pattern),
        };
        if !self.extensions.is_empty() {
            let any = self
                .extensions
                .iter()
                .map(|it| test("-iname", &format!("*.{}", it.trim_start_matches('.'))))
                .fold(Finds::none(), |all, it| all.or(&it));
            finds = finds.and(&any);
        }
        let kind = |it: &&str| match *it {
            "f" | "file" => Some("f"),
            "d" | "dir" | "directory" => Some("d"),
            "l" | "symlink" => Some("l"),
            _ => None,
        };
        match self.kinds.as_slice() {
            [only] if matches!(*only, "e" | "empty") => finds.and(&flag("-empty")),
            [only] => match kind(only) {
                Some(letter) => finds.and(&test("-type", letter)),
                None => finds,
            },
            _ => finds,
        }
    }
}

fn test(name: &str, value: &str) -> Finds {
    let test = Test {
        name: name.to_owned(),
        values: vec![value.to_owned()],
    };
    Finds::test(Arc::new(test), Holds::Yes)
}

fn flag(name: &str) -> Finds {
    let test = Test {
        name: name.to_owned(),
        values: Vec::new(),
    };
    Finds::test(Arc::new(test), Holds::Yes)
}
