//! Runs that are started for each of what a search or a listing finds.

use crate::families::args::{UNKNOWN, word};
use crate::invocation::{Arg, Through, Value};
use crate::loss::{Act, Depth, Found};
use crate::paths::glob;
use crate::search::{Finds, Search};
use crate::shell;

use super::Run;
use super::listed::{Listed, narrows};

impl Run<'_> {
    /// What a search deletes by itself.
    pub(super) fn deletes_found(&self, program: &str) -> Vec<Act> {
        let words: Vec<&str> = self.invocation.args.iter().map(word).collect();
        let Some(search) = Search::read(program, &words) else {
            return Vec::new();
        };
        let finds = search.deleted();
        if finds == Finds::none() {
            return Vec::new();
        }
        vec![Act::DeleteFound(self.found(&search, finds, Depth::One))]
    }

    /// What a search or a listing finds that the run is started for.
    pub(super) fn listed(&self, depth: Depth) -> Option<Found> {
        let Listing {
            program,
            args,
            filters,
        } = self.listing()?;
        let rest: Vec<&str> = args.iter().map(String::as_str).collect();
        if let ("git", [command, rest @ ..]) = (program.as_str(), rest.as_slice()) {
            let listed = Listed::by_git(command, rest, &filters)?;
            return self.found_by(listed, depth, &filters);
        }
        if !filters.iter().all(|it| narrows(it)) {
            return None;
        }
        if program == "ls" {
            let names = as_search(&rest, &filters)?;
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let search = Search::read("find", &names)?;
            let finds = search.printed();
            return Some(self.found(&search, finds, depth));
        }
        if let Some(listed) = Listed::by_text(&program, &rest) {
            return self.found_by(listed, depth, &filters);
        }
        let search = Search::read(&program, &rest)?;
        let finds = search.printed();
        Some(self.found(&search, finds, depth))
    }

    /// The listing that the run is started for each of.
    pub(super) fn listing(&self) -> Option<Listing> {
        let through = self.invocation.through.iter().rev();
        let listing = through.into_iter().find_map(|it| match it {
            Through::EachOf(listing) => Some(listing),
            _ => None,
        })?;
        let line = shell::parse(listing);
        let mut commands = line.commands.iter().map(|command| -> Vec<String> {
            let words = command.words.iter();
            words
                .map(|word| word.literal.clone().unwrap_or_else(|| word.source.clone()))
                .collect()
        });
        let mut args = commands.next()?;
        if args.is_empty() {
            return None;
        }
        Some(Listing {
            program: args.remove(0),
            args,
            filters: commands.collect(),
        })
    }

    fn found_by(&self, listed: Listed, depth: Depth, filters: &[Vec<String>]) -> Option<Found> {
        let words = listed.search(filters);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let search = Search::read("find", &words)?;
        let found = self.found(&search, search.printed(), depth);
        Some(found.listed(listed.lister, listed.text))
    }

    fn found(&self, search: &Search, finds: Finds, depth: Depth) -> Found {
        let roots = search.roots.iter().flat_map(|root| {
            let arg = Arg {
                source: root.clone(),
                value: if root.contains(UNKNOWN) {
                    Value::Unknown
                } else {
                    Value::Pattern(root.clone())
                },
            };
            let targets = self.targets(&arg).into_iter();
            targets
                .map(|target| (root.clone(), target))
                .collect::<Vec<_>>()
        });
        let found = Found::new(roots.collect(), finds, depth, search.levels());
        if search.follows_links() {
            found.through_links()
        } else {
            found
        }
    }
}

/// `ls NAMES | grep TEXT` as the words of a search that finds the same, or more. `None` where it prints more than names, or
/// names that lie elsewhere.
fn as_search(args: &[&str], filters: &[Vec<String>]) -> Option<Vec<String>> {
    let (options, names): (Vec<&str>, Vec<&str>) = args.iter().partition(|it| it.starts_with('-'));
    let plain = |it: &&str| {
        let letters = it.strip_prefix('-');
        letters.is_some_and(|it| it.chars().all(|it| "1aAdtrSUXv".contains(it)))
    };
    let is_file = |it: &&str| glob::has_wildcard(it) || it.contains('.');
    if !options.iter().all(plain) || !names.iter().all(is_file) {
        return None;
    }
    let mut words: Vec<&str> = names;
    if words.is_empty() {
        words.extend([".", "-mindepth", "1", "-maxdepth", "1"]);
        if !options.iter().any(|it| it.contains(['a', 'A'])) {
            words.extend(["!", "-name", ".*"]);
        }
    } else {
        words.extend(["-maxdepth", "0"]);
    }
    let mut words: Vec<String> = words.into_iter().map(ToOwned::to_owned).collect();
    words.extend(filters.iter().filter_map(|it| named_by(it)).flatten());
    Some(words)
}

/// `grep TEXT` of names, as a test of a search.
fn named_by(filter: &[String]) -> Option<[String; 2]> {
    match filter {
        [program, text] if matches!(program.as_str(), "grep" | "egrep" | "fgrep") => {
            let plain = text
                .chars()
                .all(|it| it.is_alphanumeric() || "_- ".contains(it));
            plain.then(|| ["-name".to_owned(), format!("*{text}*")])
        }
        _ => None,
    }
}

/// A program that lists names, and those that filter them.
pub(super) struct Listing {
    pub(super) program: String,
    pub(super) args: Vec<String>,
    pub(super) filters: Vec<Vec<String>>,
}
