//! Programs that list the names of files by what they hold, or by what git knows of them.

use crate::invocation::{Arg, Value};
use crate::loss::Lister;
use crate::paths::glob;

use super::Run;
use super::listing::Listing;

/// Whether a filter leaves nothing else to be found.
pub(super) fn narrows(filter: &[String]) -> bool {
    let name = filter.first().map(String::as_str);
    matches!(
        name,
        Some("grep" | "egrep" | "head" | "tail" | "sort" | "uniq")
    )
}

/// Options of searches for text that take the next word.
#[rustfmt::skip]
const OF_RG: &[&str] = &[
    "-g", "--glob", "--iglob", "-t", "--type", "-T", "--type-not", "-m", "--max-count", "-A", "-B", "-C", "-d", "--max-depth", "-j",
    "--threads", "-E", "--encoding", "-e", "--regexp",
];
#[rustfmt::skip]
const OF_GREP: &[&str] = &["-m", "--max-count", "-A", "-B", "-C", "-d", "-D", "-e", "--regexp"];

/// What a program lists: at most this.
pub(super) struct Listed {
    /// Where it looks; none for here.
    roots: Vec<String>,
    /// What the files are called, if that is told.
    name: Option<String>,
    /// The text that they have, as far as it is plain.
    pub(super) text: Option<String>,
    pub(super) lister: Lister,
}

impl Listed {
    /// `grep -rl TEXT FOLDER`, `rg -l TEXT`, `git grep -l TEXT`.
    pub(super) fn by_text(program: &str, words: &[&str]) -> Option<Self> {
        let lister = match program {
            "rg" | "ag" if !words.iter().any(|it| looks_everywhere(it)) => Lister::Visible,
            "rg" | "ag" | "ack" | "grep" | "egrep" | "fgrep" => Lister::WithoutGits,
            "git" => Lister::Tracked,
            _ => return None,
        };
        let with_value = match program {
            "rg" | "ag" | "ack" => OF_RG,
            _ => OF_GREP,
        };
        let cluster = |it: &str, letter: char| {
            it.starts_with('-') && !it.starts_with("--") && it.contains(letter)
        };
        let (mut texts, mut operands, mut names) = (Vec::new(), Vec::new(), Vec::new());
        let (mut lists, mut same_case) = (false, true);
        let mut rest = words.iter().copied();
        while let Some(word) = rest.next() {
            lists |= cluster(word, 'l') || matches!(word, "--files-with-matches" | "--name-only");
            same_case &=
                !cluster(word, 'i') && !matches!(word, "--ignore-case" | "-S" | "--smart-case");
            if let Some(name) = word
                .strip_prefix("--include=")
                .or_else(|| word.strip_prefix("--glob="))
            {
                names.push(name);
            } else if with_value.contains(&word) {
                match (word, rest.next()) {
                    ("-e" | "--regexp", Some(text)) => texts.push(text),
                    ("-g" | "--glob", Some(name)) => names.push(name),
                    _ => {}
                }
            } else if !word.starts_with('-') {
                operands.push(word);
            }
        }
        if !lists || operands.len() + texts.len() == 0 {
            return None;
        }
        if texts.is_empty() {
            texts.push(operands.remove(0));
        }
        let is_plain = |text: &&str| {
            let mut letters = text.chars();
            letters.all(|it| it.is_alphanumeric() || matches!(it, '_' | '-' | ' ' | '/'))
        };
        let only = |them: &[&str]| match them {
            [one] => Some((*one).to_owned()),
            _ => None,
        };
        Some(Self {
            roots: operands.into_iter().map(ToOwned::to_owned).collect(),
            // `!x` leaves something out.
            name: only(&names).filter(|it| !it.contains(['!', '/', '{'])),
            text: only(&texts).filter(|it| same_case && is_plain(&it.as_str())),
            lister,
        })
    }

    /// The names of files that git tracks or that were changed.
    pub(super) fn by_git(command: &str, words: &[&str], filters: &[Vec<String>]) -> Option<Self> {
        if command == "grep" {
            let narrowed = filters.iter().all(|it| narrows(it));
            return Self::by_text("git", words).filter(|_| narrowed);
        }
        let lister = listed_by(command, words)?;
        // The names stand behind marks.
        let picks = |it: &[String]| {
            let name = it.first().map(String::as_str);
            command == "status" && matches!(name, Some("awk" | "cut" | "sed" | "tr"))
        };
        if !filters.iter().all(|it| narrows(it) || picks(it)) {
            return None;
        }
        // Before the dashes, a word may be a commit.
        let dashes = words.iter().position(|it| *it == "--");
        let paths = match dashes {
            Some(at) => words.get(at + 1..).unwrap_or_default(),
            None if command == "ls-files" => words,
            None => &[],
        };
        let paths: Vec<&str> = paths
            .iter()
            .copied()
            .filter(|it| !it.starts_with('-'))
            .collect();
        let plain = |it: &&str| !it.starts_with(':') && !glob::has_wildcard(it);
        let (roots, name) = match paths.as_slice() {
            [name] if name.starts_with('*') && !name.contains('/') => {
                (Vec::new(), Some((*name).to_owned()))
            }
            paths if paths.iter().all(plain) => {
                (paths.iter().map(|it| (*it).to_owned()).collect(), None)
            }
            _ => (Vec::new(), None),
        };
        Some(Self {
            roots,
            name,
            text: None,
            lister,
        })
    }

    /// The words of a search that finds the same, or more, as far as filters leave it.
    pub(super) fn search(&self, filters: &[Vec<String>]) -> Vec<String> {
        let mut words = match self.roots.as_slice() {
            [] => vec![".".to_owned()],
            roots => roots.to_vec(),
        };
        let endings = filters.iter().filter_map(|it| ending_by(it));
        for name in self.name.clone().into_iter().chain(endings) {
            words.extend(["-name".to_owned(), name]);
        }
        words
    }
}

/// Which files a command of git lists, if it lists any.
fn listed_by(command: &str, words: &[&str]) -> Option<Lister> {
    let has = |letter: char, long: &str| {
        let is_it = |it: &&str| {
            let letters = it.strip_prefix('-').filter(|it| !it.starts_with('-'));
            it.starts_with(long) || letters.is_some_and(|it| it.contains(letter))
        };
        words.iter().any(is_it)
    };
    match command {
        "ls-files" if has('i', "--ignored") => Some(Lister::WithoutGits),
        "ls-files" if words.contains(&"--exclude-standard") => Some(Lister::Visible),
        "ls-files" if has('o', "--others") => Some(Lister::WithoutGits),
        "ls-files" => Some(Lister::Tracked),
        "diff" | "diff-index" | "diff-tree" | "show" | "log" => {
            words.contains(&"--name-only").then_some(Lister::Tracked)
        }
        "status" if words.iter().any(|it| it.starts_with("--ignored")) => Some(Lister::WithoutGits),
        "status" => {
            let lists = has('s', "--short") || has('s', "--porcelain");
            lists.then_some(Lister::Visible)
        }
        _ => None,
    }
}

/// Whether an option of a search for text makes it look at what git ignores.
fn looks_everywhere(option: &str) -> bool {
    let letters = option.strip_prefix('-').filter(|it| !it.starts_with('-'));
    option.starts_with("--no-ignore")
        || option == "--unrestricted"
        || letters.is_some_and(|it| it.contains('u'))
}

impl Run<'_> {
    /// The words of a run of git with paths in place of those that another run lists, if that lists just what was changed.
    pub(super) fn with_changes(&self, args: &[Arg]) -> Option<Vec<Arg>> {
        let is_listed = |it: &Arg| it.value == Value::Unknown;
        let paths = args.iter().any(is_listed).then(|| self.listing())?;
        let paths = paths?.of_changes()?;
        let named = args.iter().flat_map(|arg| {
            if is_listed(arg) {
                paths.iter().map(Arg::known).collect()
            } else {
                vec![arg.clone()]
            }
        });
        Some(named.collect())
    }
}

impl Listing {
    /// `git diff --name-only`, `git ls-files -m`: below which paths it lists all that were changed.
    fn of_changes(&self) -> Option<Vec<String>> {
        let args: Vec<&str> = self.args.iter().map(String::as_str).collect();
        let dashes = args.iter().position(|it| *it == "--").unwrap_or(args.len());
        let (words, paths) = args.split_at(dashes);
        let all = |plain: &[&str]| {
            let mut words = words.iter().skip(1);
            words.all(|it| plain.contains(it) || it.starts_with("--diff-filter="))
        };
        let (everything, changed) = match words.first() {
            Some(&"diff") => {
                let changed = words.contains(&"--name-only") && all(&["--name-only", "-z", "HEAD"]);
                (":/", changed)
            }
            Some(&"ls-files") => {
                let modified = ["-m", "--modified"];
                let changed = words.iter().any(|it| modified.contains(it))
                    && all(&["-m", "--modified", "-z"]);
                (".", changed)
            }
            _ => return None,
        };
        let is_whole = self.program == "git" && self.filters.is_empty() && changed;
        is_whole.then(|| match paths {
            [] | [_] => vec![everything.to_owned()],
            [_, paths @ ..] => paths.iter().map(|it| (*it).to_owned()).collect(),
        })
    }
}

/// `grep '\.py$'` of paths, as a pattern of names.
fn ending_by(filter: &[String]) -> Option<String> {
    match filter {
        [program, text] if matches!(program.as_str(), "grep" | "egrep") => {
            let ending = text.strip_prefix("\\.")?.strip_suffix('$')?;
            let plain = ending.chars().all(char::is_alphanumeric);
            plain.then(|| format!("*.{ending}"))
        }
        _ => None,
    }
}
