//! Runs that are started for each of what a search or a listing finds.

use crate::families::args::{UNKNOWN, word};
use crate::invocation::{Arg, Through, Value};
use crate::loss::{Act, Depth, Found};
use crate::paths::glob;
use crate::search::{Finds, Search};
use crate::shell;

use super::Run;

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

    /// What a search finds that the run is started for.
    pub(super) fn listed(&self, depth: Depth) -> Option<Found> {
        let listing = self
            .invocation
            .through
            .iter()
            .rev()
            .find_map(|it| match it {
                Through::EachOf(listing) => Some(listing),
                _ => None,
            })?;
        let line = shell::parse(listing);
        let (first, filters) = line.commands.split_first()?;
        let words = |command: &shell::SimpleCommand| -> Vec<String> {
            let words = command.words.iter();
            words
                .map(|word| word.literal.clone().unwrap_or_else(|| word.source.clone()))
                .collect()
        };
        // What only narrows leaves nothing else to be found.
        let narrows = |command: &shell::SimpleCommand| {
            let name = words(command).into_iter().next().unwrap_or_default();
            matches!(
                name.as_str(),
                "grep" | "egrep" | "head" | "tail" | "sort" | "uniq"
            )
        };
        let first = words(first);
        let (program, rest) = first.split_first()?;
        let rest: Vec<&str> = rest.iter().map(String::as_str).collect();
        if !filters.iter().all(narrows) {
            return None;
        }
        if program == "ls" {
            let filters: Vec<Vec<String>> = filters.iter().map(words).collect();
            let names = as_search(&rest, &filters)?;
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let search = Search::read("find", &names)?;
            let finds = search.printed();
            return Some(self.found(&search, finds, depth));
        }
        if let ("git", ["ls-files", ..]) = (program.as_str(), rest.as_slice()) {
            let search = Search::read("find", &["."])?;
            let found = self.found(&search, Finds::anything(), depth);
            return Some(found.listed(None));
        }
        if let Some((roots, text)) = listed_by_text(program, &rest) {
            let search = Search::read("find", &roots)?;
            let found = self.found(&search, Finds::anything(), depth);
            return Some(found.listed(text));
        }
        let search = Search::read(program, &rest)?;
        let finds = search.printed();
        Some(self.found(&search, finds, depth))
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

/// `grep -rl TEXT FOLDER`, `rg -l TEXT`: where it looks, and the text that the files have as far as it is plain.
fn listed_by_text<'w>(program: &str, words: &[&'w str]) -> Option<(Vec<&'w str>, Option<String>)> {
    if !matches!(program, "grep" | "egrep" | "fgrep" | "rg" | "ag" | "ack") {
        return None;
    }
    let cluster = |it: &&&str, letter: char| {
        it.starts_with('-') && !it.starts_with("--") && it.contains(letter)
    };
    let lists = words
        .iter()
        .any(|it| cluster(&it, 'l') || *it == "--files-with-matches");
    if !lists {
        return None;
    }
    let mut operands = words.iter().filter(|it| !it.starts_with('-')).copied();
    let text = operands.next()?;
    let mut roots: Vec<&str> = operands.collect();
    if roots.is_empty() {
        roots.push(".");
    }
    let same_case = !words.iter().any(|it| cluster(&it, 'i'));
    let plain = text
        .chars()
        .all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | ' ' | '/'));
    Some((roots, (plain && same_case).then(|| text.to_owned())))
}
