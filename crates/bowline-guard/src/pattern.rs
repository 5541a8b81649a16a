//! Patterns that people write in settings: for program runs, for paths, for rules.

use std::fmt;

use regex::Regex;

use crate::effect::{Category, Effect};
use crate::invocation::{Arg, Invocation, Through, Value};
use crate::paths::{ResolvedPath, Shape, World, glob, is_within};

/// Longer patterns are a mistake.
const MAX_LENGTH: usize = 1_000;

/// A pattern that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{problem}")]
pub struct BadPattern {
    /// What is wrong with it, and what was expected.
    pub problem: String,
}

fn bad(problem: impl Into<String>) -> BadPattern {
    BadPattern {
        problem: problem.into(),
    }
}

fn checked(text: &str) -> Result<&str, BadPattern> {
    let text = text.trim();
    if text.is_empty() {
        return Err(bad("an empty pattern matches nothing"));
    }
    if text.len() > MAX_LENGTH {
        return Err(bad(format!("a pattern has at most {MAX_LENGTH} bytes")));
    }
    Ok(text)
}

/// A pattern for one program run, word by word: `terraform destroy -target=*`.
///
/// `*` stands for any text in a word; a last word `*` for any number of words. The program counts without its
/// folder, and however it is wrapped: `pip install *` is also what `sudo bash -c 'pip install x'` runs.
///
/// ```
/// use bowline_guard::invocation::Invocation;
/// use bowline_guard::pattern::CommandPattern;
///
/// let pattern = CommandPattern::parse("pip install *")?;
/// assert!(pattern.matches(&Invocation::plain("pip", &["install", "x"], "/srv/app")));
/// assert!(!pattern.matches(&Invocation::plain("pip", &["list"], "/srv/app")));
/// # Ok::<(), bowline_guard::pattern::BadPattern>(())
/// ```
#[derive(Debug, Clone)]
pub struct CommandPattern {
    source: String,
    privilege: Privilege,
    /// The program, where the pattern names it with its folder.
    program_path: Option<String>,
    words: Vec<Word>,
    fixed: usize,
    rest: Rest,
}

/// One word of a pattern.
#[derive(Debug, Clone)]
struct Word {
    regex: Regex,
    /// Where `*` stands for a part of a name, and not for what would change its meaning.
    within_a_name: Regex,
    kind: WordKind,
}

/// How much of a word is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WordKind {
    /// Nothing.
    Fixed,
    /// A part; and so many of its components are `..`.
    Open { parents: usize },
    /// All of it.
    Anything,
}

impl Word {
    fn parse(text: &str) -> Result<Self, BadPattern> {
        Ok(Self {
            regex: compiled(&wildcard(text, ".*"))?,
            within_a_name: compiled(&wildcard(text, "[^:]*"))?,
            kind: match text {
                "*" => WordKind::Anything,
                _ if text.contains('*') => WordKind::Open {
                    parents: parents(text),
                },
                _ => WordKind::Fixed,
            },
        })
    }

    /// Whether an argument is of this form, as far as it is known.
    fn matches(&self, arg: &Arg) -> bool {
        match &arg.value {
            Value::Known(text) | Value::Pattern(text) | Value::Partly(text) => {
                self.regex.is_match(text)
            }
            Value::Unknown => self.regex.is_match(""),
        }
    }

    /// Whether an argument is certainly nothing else than what the word says.
    fn covers(&self, arg: &Arg) -> bool {
        let Some(text) = arg.text_or_pattern() else {
            return false;
        };
        match (self.kind, &arg.value) {
            (WordKind::Anything, _) => is_plain(arg),
            (WordKind::Fixed, _) => self.regex.is_match(text),
            (WordKind::Open { .. }, Value::Pattern(text)) if text.contains(['$', '`', '{']) => {
                false
            }
            (WordKind::Open { parents: allowed }, _) => {
                is_plain(arg) && parents(text) == allowed && self.within_a_name.is_match(text)
            }
        }
    }
}

/// Whether an argument is known, or a pattern that stays below the folder that it names.
fn is_plain(arg: &Arg) -> bool {
    match &arg.value {
        Value::Known(_) => true,
        Value::Pattern(text) => !text.contains(".."),
        Value::Partly(_) | Value::Unknown => false,
    }
}

/// How many components of the paths in a word are `..`.
fn parents(word: &str) -> usize {
    word.split(['/', '\\', '=', ',', ':'])
        .filter(|part| *part == "..")
        .count()
}

/// Folders whose programs are the ones that their plain names mean.
const PROGRAM_FOLDERS: &[&str] = &[
    "/bin",
    "/sbin",
    "/usr/bin",
    "/usr/sbin",
    "/usr/local/bin",
    "/opt/homebrew/bin",
];

/// Variables that decide what a program's name means, or what code it loads.
fn changes_programs(variable: &str) -> bool {
    variable == "PATH" || variable.starts_with("LD_") || variable.starts_with("DYLD_")
}

/// Whether a pattern speaks of a run with other rights.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Privilege {
    Plain,
    Raised,
}

/// What may follow the words of a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rest {
    Nothing,
    Anything,
}

impl CommandPattern {
    /// Reads a pattern.
    pub fn parse(text: &str) -> Result<Self, BadPattern> {
        let source = checked(text)?;
        if let Some(found) = source.find([';', '|', '&', '\n']) {
            let found = source.get(found..=found).unwrap_or_default();
            return Err(bad(format!(
                "`{found}` joins commands, and a pattern is for one program run: write one pattern for each"
            )));
        }
        let mut words: Vec<&str> = source.split_whitespace().collect();
        let mut privilege = Privilege::Plain;
        if words.len() > 1 && matches!(words.first(), Some(&("sudo" | "doas"))) {
            privilege = Privilege::Raised;
            words.remove(0);
        }
        let mut rest = Rest::Nothing;
        if words.last() == Some(&"*") {
            rest = Rest::Anything;
            words.pop();
        }
        if words.first().is_none_or(|program| program.contains('*')) {
            return Err(bad(
                "the first word has to name a program, such as `make clean *`",
            ));
        }
        let fixed = words.iter().take_while(|word| !word.contains('*')).count();
        let mut program_path = None;
        if let Some(program) = words.first_mut()
            && let Some((_, name)) = program.rsplit_once('/')
        {
            program_path = Some((*program).to_owned());
            *program = name;
        }
        Ok(Self {
            source: source.to_owned(),
            privilege,
            program_path,
            fixed,
            words: words
                .into_iter()
                .map(Word::parse)
                .collect::<Result<_, _>>()?,
            rest,
        })
    }

    /// Whether the run is of this form, through whatever it is run.
    pub fn matches(&self, run: &Invocation) -> bool {
        let Some((program, words)) = self.words.split_first() else {
            return false;
        };
        let named = run
            .program
            .as_deref()
            .is_some_and(|name| program.regex.is_match(name));
        let enough = match self.rest {
            Rest::Nothing => run.args.len() == words.len(),
            Rest::Anything => run.args.len() >= words.len(),
        };
        named
            && enough
            && words
                .iter()
                .zip(&run.args)
                .all(|(word, arg)| word.matches(arg))
    }

    /// Whether the run is of this form and does nothing else than what the pattern says: not with other rights
    /// unless the pattern begins with `sudo`, not on another machine, not in a container, not by another program of
    /// that name. Every argument has to be known; `*` within a word accepts neither `..` nor `:`.
    pub fn covers(&self, run: &Invocation) -> bool {
        let as_written = run.through.iter().all(|through| match through {
            Through::Privilege => self.privilege == Privilege::Raised,
            Through::Remote(_) | Through::Container => false,
            Through::EachOf(_) | Through::Wrapper(_) => true,
        });
        let is_meant = match (&self.program_path, &run.program_path) {
            (_, None) => self.program_path.is_none(),
            (Some(meant), Some(path)) => meant == path,
            (None, Some(path)) => path
                .rsplit_once('/')
                .is_some_and(|(folder, _)| PROGRAM_FOLDERS.contains(&folder)),
        } && !run
            .environment
            .iter()
            .any(|(name, _)| changes_programs(name));
        let words = self.words.get(1..).unwrap_or_default();
        as_written
            && is_meant
            && self.matches(run)
            && words
                .iter()
                .zip(&run.args)
                .all(|(word, arg)| word.covers(arg))
            && run.args.iter().skip(words.len()).all(is_plain)
    }

    /// How many words at its beginning are fixed.
    pub fn fixed_words(&self) -> usize {
        self.fixed
    }
}

impl fmt::Display for CommandPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.source)
    }
}

/// A pattern for paths, as in `.gitignore`: `migrations/**`, `*.sql`, `~/scratch`, `/srv/cache/*`.
///
/// Without a slash it names files and folders anywhere in the project, with one it starts at the project's root.
/// What it names is meant with everything below.
#[derive(Debug, Clone)]
pub struct PathPattern {
    source: String,
    base: Base,
    names: Regex,
    /// The same for the deny side: in any case, and with the folder whose contents are named.
    reach: Regex,
    /// Its components, for patterns that may meet it.
    parts: Vec<String>,
}

/// Where a path pattern starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Base {
    Project,
    Home,
    Root,
}

impl PathPattern {
    /// Reads a pattern.
    pub fn parse(text: &str) -> Result<Self, BadPattern> {
        let source = checked(text)?;
        let (base, rest) = match source {
            "~" => (Base::Home, ""),
            _ => match (source.strip_prefix("~/"), source.strip_prefix('/')) {
                (Some(rest), _) => (Base::Home, rest),
                (_, Some(rest)) => (Base::Root, rest),
                (None, None) => (Base::Project, source.strip_prefix("./").unwrap_or(source)),
            },
        };
        if rest.starts_with('!') {
            return Err(bad("`!` is not understood here: list what is meant"));
        }
        if rest.split('/').any(|part| part == "..") {
            return Err(bad("`..` is not understood here: write the path out"));
        }
        let rest = rest.trim_end_matches('/');
        let anywhere = base == Base::Project && !rest.contains('/');
        let regex = |rest: &str, flags: &str| {
            let mut regex = format!("{flags}^");
            if anywhere {
                regex.push_str("(?:.*/)?");
            }
            push_path(rest, &mut regex);
            regex.push_str("(?:/.*)?$");
            compiled(&regex)
        };
        let folder = rest
            .strip_suffix("/**")
            .or_else(|| rest.strip_suffix("/*"))
            .filter(|folder| !folder.is_empty())
            .unwrap_or(rest);
        let parts = rest.to_lowercase().replace('?', "*");
        Ok(Self {
            source: source.to_owned(),
            base,
            names: regex(rest, "(?s)")?,
            reach: regex(folder, "(?si)")?,
            parts: anywhere
                .then_some("**")
                .into_iter()
                .chain(parts.split('/').filter(|it| !it.is_empty()))
                .map(str::to_owned)
                .collect(),
        })
    }

    /// Whether it names an absolute path, or a folder above it.
    pub fn matches(&self, path: &str, world: &dyn World) -> bool {
        self.base(world)
            .and_then(|base| below(path, base))
            .is_some_and(|below| self.names.is_match(below))
    }

    /// Whether a path may be what it names, for those who forbid: in upper and lower case, the folder itself where its
    /// contents are named, and of a pattern whatever it may be expanded to.
    pub fn reaches(&self, path: &ResolvedPath, world: &dyn World) -> bool {
        let Some(base) = self.base(world).map(str::to_lowercase) else {
            return false;
        };
        path.spellings().any(|spelling| {
            let spelling = spelling.to_lowercase();
            let Some(below) = below(&spelling, &base) else {
                return false;
            };
            self.reach.is_match(below) || (path.shape != Shape::Exact && self.may_meet(below))
        })
    }

    fn base<'world>(&self, world: &'world dyn World) -> Option<&'world str> {
        let base = match self.base {
            Base::Project => Some(world.project_root()),
            Base::Home => world.home(),
            Base::Root => Some(""),
        };
        base.map(|base| base.trim_end_matches('/'))
    }

    /// Whether a pattern of somebody's shell can be expanded to what this one names.
    fn may_meet(&self, pattern: &str) -> bool {
        let given: Vec<&str> = pattern.split('/').filter(|it| !it.is_empty()).collect();
        if given.len() > MAX_PARTS || self.parts.len() > MAX_PARTS {
            return true;
        }
        // Which beginnings of the given pattern meet what was looked at of this one.
        let mut met: Vec<bool> = (0..=given.len()).map(|at| at == 0).collect();
        for (index, part) in self.parts.iter().enumerate() {
            let deep = part == "**";
            let needs_a_name = deep && index + 1 == self.parts.len();
            let mut next = vec![false; met.len()];
            for at in 0..=given.len() {
                let here = met.get(at) == Some(&true);
                let before = at.checked_sub(1);
                let was = before.and_then(|it| met.get(it)) == Some(&true);
                let goes_on = before.and_then(|it| next.get(it)) == Some(&true);
                let fits = |name: &&str| deep || glob::meet(name, part, 0).is_some();
                let named = before.and_then(|it| given.get(it)).is_some_and(fits);
                let reached =
                    (deep && here && !needs_a_name) || (named && was) || (deep && named && goes_on);
                if let Some(cell) = next.get_mut(at) {
                    *cell = reached;
                }
            }
            met = next;
        }
        // What lies below a named folder is meant, too.
        met.contains(&true)
    }
}

/// More components of a pattern are not compared one by one.
const MAX_PARTS: usize = 64;

/// A path as seen from a folder that it lies in.
fn below<'path>(path: &'path str, folder: &str) -> Option<&'path str> {
    is_within(path, folder)
        .then(|| path.get(folder.len()..))
        .flatten()
        .map(|below| below.trim_start_matches('/'))
}

impl fmt::Display for PathPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.source)
    }
}

/// A pattern for what a rule of the guard finds: a category (`delete`), or a rule by its id (`git.*`).
#[derive(Debug, Clone)]
pub struct RulePattern {
    source: String,
    id: Regex,
}

impl RulePattern {
    /// Reads a pattern.
    pub fn parse(text: &str) -> Result<Self, BadPattern> {
        let source = checked(text)?;
        if source.contains(char::is_whitespace) {
            return Err(bad(
                "expected a category such as `delete`, or a rule such as `git.reset-hard`",
            ));
        }
        Ok(Self {
            source: source.to_owned(),
            id: compiled(&wildcard(source, ".*"))?,
        })
    }

    /// Whether it means this category or rule.
    pub fn matches(&self, category: Category, rule: &str) -> bool {
        self.source == category.name() || self.id.is_match(rule)
    }

    /// Whether it means this effect.
    pub fn matches_effect(&self, effect: &Effect) -> bool {
        self.matches(effect.category, effect.rule)
    }
}

impl fmt::Display for RulePattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.source)
    }
}

fn compiled(regex: &str) -> Result<Regex, BadPattern> {
    Regex::new(regex).map_err(|error| bad(format!("it cannot be used: {error}")))
}

/// The whole text, with `*` for what `open` says.
fn wildcard(text: &str, open: &str) -> String {
    let parts: Vec<String> = text.split('*').map(regex::escape).collect();
    format!("(?s)^{}$", parts.join(open))
}

/// Adds a path's pattern: `*` and `?` stay within a name, `**` does not.
fn push_path(pattern: &str, regex: &mut String) {
    let mut parts = pattern.split('/').peekable();
    while let Some(part) = parts.next() {
        let last = parts.peek().is_none();
        match (part, last) {
            ("**", false) => regex.push_str("(?:[^/]+/)*"),
            ("**", true) => regex.push_str(".+"),
            _ => {
                for c in part.chars() {
                    match c {
                        '*' => regex.push_str("[^/]*"),
                        '?' => regex.push_str("[^/]"),
                        c => regex.push_str(&regex::escape(c.encode_utf8(&mut [0; 4]))),
                    }
                }
                if !last {
                    regex.push('/');
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interpret::interpret;
    use crate::paths::StaticWorld;

    fn world() -> StaticWorld {
        StaticWorld::new("/home/dev/project", "/home/dev")
    }

    fn runs(command: &str) -> Vec<Invocation> {
        interpret(command, &world()).invocations
    }

    #[test]
    fn a_command_pattern_matches_whole_words_through_wrappers() {
        for (pattern, command, matches, covers) in [
            ("pip install *", "pip install x", true, true),
            ("pip install *", "pip install", true, true),
            ("pip install *", "/usr/bin/pip install x y", true, true),
            ("pip install *", "pip3 install x", false, false),
            ("pip install *", "echo 'pip install x'", false, false),
            ("pip install *", "bash -c 'pip install x'", true, true),
            ("pip install *", "sudo pip install x", true, false),
            ("sudo pip install *", "sudo pip install x", true, true),
            ("pip install *", "ssh box pip install x", true, false),
            ("make clean", "make clean all", false, false),
            ("make clean", "cd sub && make clean", true, true),
            (
                "terraform destroy -target=module.sandbox*",
                "terraform destroy -target=module.sandbox_1",
                true,
                true,
            ),
            (
                "terraform destroy -target=module.sandbox*",
                "terraform destroy -target=module.prod",
                false,
                false,
            ),
            ("rm -rf *", "rm -rf \"$X\"", true, false),
            ("rm -rf *", "rm -rf a ~/b ../c", true, true),
            ("rm -rf build/*", "rm -rf build/a build/b", false, false),
            ("rm -rf build/*", "rm -rf build/a", true, true),
            ("rm -rf build/*", "rm -rf build/*", true, true),
            ("rm -rf build/*", "rm -rf build/../../home", true, false),
            ("rm -rf build/*", "rm -rf build/a*/../../..", true, false),
            ("rm -rf build/*", "rm -rf build/$X", true, false),
            ("rm -rf ../build/*", "rm -rf ../build/x", true, true),
            ("rm -rf ../build/*", "rm -rf ../build/../x", true, false),
            (
                "git push -f origin wip-*",
                "git push -f origin wip-a",
                true,
                true,
            ),
            (
                "git push -f origin wip-*",
                "git push -f origin wip-a:main",
                true,
                false,
            ),
            ("git status", "/usr/bin/git status", true, true),
            ("git status", "/tmp/evil/git status", true, false),
            ("git status", "./git status", true, false),
            ("git status", "$X/git status", true, false),
            ("git status", "PATH=/tmp/evil git status", true, false),
            (
                "git status",
                "env LD_PRELOAD=/tmp/x git status",
                true,
                false,
            ),
            ("./tool/git status", "./tool/git status", true, true),
            ("./tool/git status", "git status", true, false),
            ("rm -rf scratch*", "rm -rf \"$X\"", false, false),
        ] {
            let parsed = CommandPattern::parse(pattern).unwrap();
            let runs = runs(command);
            assert_eq!(
                runs.iter().any(|run| parsed.matches(run)),
                matches,
                "{pattern} on {command}"
            );
            assert_eq!(
                runs.iter().any(|run| parsed.covers(run)),
                covers,
                "{pattern} covers {command}"
            );
        }
    }

    #[test]
    fn the_fixed_beginning_is_counted_in_words() {
        for (pattern, fixed) in [
            ("pip install *", 2),
            ("pip", 1),
            ("git push --force=*", 2),
            ("sudo make x", 2),
        ] {
            assert_eq!(
                CommandPattern::parse(pattern).unwrap().fixed_words(),
                fixed,
                "{pattern}"
            );
        }
    }

    #[test]
    fn patterns_that_cannot_be_meant_are_refused() {
        for pattern in ["", "  ", "*", "* install", "a; b", "a && b", "a | b"] {
            assert!(CommandPattern::parse(pattern).is_err(), "{pattern:?}");
        }
        for pattern in ["", "../x", "a/../b", "!x"] {
            assert!(PathPattern::parse(pattern).is_err(), "{pattern:?}");
        }
        assert!(RulePattern::parse("git reset").is_err());
        assert!(CommandPattern::parse(&"x".repeat(2_000)).is_err());
    }

    #[test]
    fn a_path_pattern_is_read_as_in_gitignore() {
        let world = world();
        for (pattern, path, expected) in [
            ("migrations/**", "/home/dev/project/migrations/1.sql", true),
            (
                "migrations/**",
                "/home/dev/project/migrations/a/b.sql",
                true,
            ),
            ("migrations/**", "/home/dev/project/migrations", false),
            (
                "migrations/**",
                "/home/dev/project/src/migrations/1.sql",
                false,
            ),
            ("migrations", "/home/dev/project/src/migrations/1.sql", true),
            ("*.sql", "/home/dev/project/a/b/c.sql", true),
            ("*.sql", "/home/dev/project/a/b/c.sql.txt", false),
            ("*.sql", "/home/dev/other/c.sql", false),
            ("/srv/cache/*", "/srv/cache/a/b", true),
            ("/srv/cache/*", "/srv/cache", false),
            ("~/scratch", "/home/dev/scratch/x", true),
            ("~/scratch", "/home/dev/scratches/x", false),
            ("a/**/z", "/home/dev/project/a/z", true),
            ("a/**/z", "/home/dev/project/a/b/c/z", true),
            ("./out/", "/home/dev/project/out/x", true),
            ("src/?.rs", "/home/dev/project/src/a.rs", true),
            ("src/?.rs", "/home/dev/project/src/ab.rs", false),
        ] {
            assert_eq!(
                PathPattern::parse(pattern).unwrap().matches(path, &world),
                expected,
                "{pattern} on {path}"
            );
        }
    }

    #[test]
    fn a_rule_pattern_means_a_category_or_rules() {
        for (pattern, expected) in [
            ("discard", true),
            ("git.reset-hard", true),
            ("git.*", true),
            ("git", false),
            ("files.*", false),
            ("delete", false),
        ] {
            let pattern = RulePattern::parse(pattern).unwrap();
            assert_eq!(
                pattern.matches(Category::Discard, "git.reset-hard"),
                expected,
                "{pattern}"
            );
        }
    }
}
