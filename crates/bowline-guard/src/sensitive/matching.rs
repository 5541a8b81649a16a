//! Paths and patterns against the rules.

use crate::paths::glob::{self, Meeting};

use super::fold::{fold, originals};
use super::names::{
    ending, is_about_secrets, is_code, is_named_secret, is_ordinary_ending, is_template,
};
use super::rules::{self, BUSY_DIRECTORIES, COMMON_DIRECTORIES, Rule, Templates};
use super::{Access, Level, Reason, Sensitivity};

/// Beyond this many components only the last ones are compared with a pattern.
const MAX_COMPONENTS: usize = 48;

/// A path in the one spelling that rules are written in.
#[derive(Debug)]
pub(super) struct Folded {
    components: Vec<String>,
    /// How many components the home has that the path lies in.
    home: Option<usize>,
}

impl Folded {
    pub(super) fn new(path: &str, home: Option<&str>) -> Self {
        let folded = fold(path);
        let mut components: Vec<String> = folded
            .split('/')
            .filter(|it| !it.is_empty())
            .map(str::to_owned)
            .collect();
        let mut home = home
            .filter(|home| crate::paths::is_within(path, home))
            .map(|home| home.split('/').filter(|it| !it.is_empty()).count());
        if components.len() > MAX_COMPONENTS {
            components.drain(..components.len() - MAX_COMPONENTS);
            home = None;
        }
        Self { components, home }
    }

    fn name(&self) -> &str {
        self.components.last().map_or("", String::as_str)
    }

    fn with_name(&self, name: &str) -> Self {
        let mut components = self.components.clone();
        if let Some(last) = components.last_mut() {
            name.clone_into(last);
        }
        Self {
            components,
            home: self.home,
        }
    }

    fn folders(&self) -> impl Iterator<Item = &str> {
        let count = self.components.len().saturating_sub(1);
        self.components.iter().take(count).map(String::as_str)
    }

    fn below(&self, anchor: Anchor) -> Option<&[String]> {
        match anchor {
            Anchor::Root | Anchor::Anywhere => Some(&self.components),
            Anchor::Home => self.components.get(self.home?..),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Anchor {
    Root,
    Home,
    Anywhere,
}

/// A rule's pattern, taken apart.
struct Pattern<'rule> {
    anchor: Anchor,
    parts: Vec<&'rule str>,
    extent: Extent,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Extent {
    /// The path itself.
    Name,
    /// The directory and all below it.
    Tree,
}

impl<'rule> Pattern<'rule> {
    fn new(text: &'rule str) -> Self {
        let (anchor, rest) = match (text.strip_prefix("~/"), text.strip_prefix('/')) {
            (Some(rest), _) => (Anchor::Home, rest),
            (None, Some(rest)) => (Anchor::Root, rest),
            (None, None) => (Anchor::Anywhere, text),
        };
        let (rest, extent) = match rest.strip_suffix("/**") {
            Some(directory) => (directory, Extent::Tree),
            None => (rest, Extent::Name),
        };
        Self {
            anchor,
            parts: rest.split('/').collect(),
            extent,
        }
    }

    fn matches(&self, path: &Folded) -> bool {
        let Some(components) = path.below(self.anchor) else {
            return false;
        };
        let fits = |window: &[String]| {
            window
                .iter()
                .zip(&self.parts)
                .all(|(have, want)| glob::star_match(want, have))
        };
        let windows = components.windows(self.parts.len());
        match (self.anchor, self.extent) {
            (Anchor::Anywhere, Extent::Tree) => windows.into_iter().any(fits),
            (Anchor::Anywhere, Extent::Name) => windows.last().is_some_and(fits),
            (_, Extent::Tree) => windows.take(1).any(fits),
            (_, Extent::Name) => components.len() == self.parts.len() && windows.take(1).any(fits),
        }
    }
}

/// The rule that decides about a path, and the pattern that matched.
fn deciding_rule(path: &Folded) -> Option<(&'static Rule, &'static str)> {
    let name = path.name();
    let (template, code) = (is_template(name), is_code(name));
    rules::all().find_map(|rule| {
        if template && rule.templates == Templates::Pass {
            return None;
        }
        rule.patterns
            .iter()
            .find(|pattern| {
                // An open end accepts any ending, but code about a secret is not the secret.
                let open = pattern.ends_with('*') && !pattern.ends_with("/**");
                !(code && open) && Pattern::new(pattern).matches(path)
            })
            .map(|pattern| (rule, *pattern))
    })
}

fn reason_of(rule: &Rule) -> Reason {
    Reason {
        rule: rule.id,
        why: rule.why,
        instead: rule.instead,
    }
}

/// Judges a path without wildcards.
pub(super) fn judge_name(path: &Folded, access: Access) -> Sensitivity {
    let first = deciding_rule(path);
    // A copy is as secret as its original, unless it was recognised as public by itself.
    let found = first.or_else(|| {
        let copies = originals(path.name());
        if copies.iter().any(|original| is_template(original)) {
            return None;
        }
        copies
            .into_iter()
            .find_map(|original| deciding_rule(&path.with_name(original)))
    });
    let Some((rule, pattern)) = found else {
        return judge_words(path, access);
    };
    let level = match access {
        Access::Read | Access::Search | Access::Glob => rule.read,
        Access::Write | Access::Edit => rule.change,
        // Looking at one file's entry is harmless; a directory of secrets is listed by name.
        Access::List if pattern.ends_with("/**") && rule.read == Level::Secret => Level::Maybe,
        Access::List | Access::Metadata => Level::Public,
    };
    let is_fixture = path.folders().any(|folder| {
        [
            "fixtures",
            "__fixtures__",
            "testdata",
            "test-data",
            "test_data",
        ]
        .contains(&folder)
    });
    let level = if is_fixture {
        level.min(Level::Maybe)
    } else {
        level
    };
    Sensitivity::from_level(level, reason_of(rule))
}

/// Judges a data file by the words of its name.
fn judge_words(path: &Folded, access: Access) -> Sensitivity {
    let name = path.name();
    if !is_named_secret(name) || is_template(name) || path.folders().any(is_about_secrets) {
        return Sensitivity::Public;
    }
    let reason = Reason {
        rule: "named-secret",
        why: "the file is named after the secret in it",
        instead: "read the code that uses it, or a template without live values",
    };
    match access {
        Access::Read | Access::Search | Access::Glob => Sensitivity::Secret(reason),
        Access::Write | Access::Edit => Sensitivity::Maybe(reason),
        Access::List | Access::Metadata => Sensitivity::Public,
    }
}

/// Names for which patterns are looked up by words: `**/*credential*`.
const WORD_EXAMPLES: &[&str] = &[
    "credentials.json",
    "passwords.txt",
    "secrets.yml",
    "api-key.txt",
];

/// Judges a pattern: the worst name that it spells out well enough to be meant.
pub(super) fn judge_pattern(path: &Folded, access: Access) -> Sensitivity {
    let content = match access {
        Access::Write | Access::Edit => access,
        Access::Read | Access::Search | Access::List | Access::Glob | Access::Metadata => {
            Access::Read
        }
    };
    let mut worst = Sensitivity::Public;
    for text in glob::expand_braces(&path.components.join("/")) {
        let expanded = Folded {
            components: text
                .split('/')
                .filter(|it| !it.is_empty())
                .map(str::to_owned)
                .collect(),
            home: path.home,
        };
        let patterns = rules::all()
            .filter(|rule| rule.read > Level::Public || rule.change > Level::Public)
            .flat_map(|rule| rule.patterns.iter())
            .chain(WORD_EXAMPLES);
        for pattern in patterns {
            let Some(example) = meet_path(&expanded, &Pattern::new(pattern), access) else {
                continue;
            };
            worst = worst.worse(judge_name(&example, content));
            if worst.rank() == Level::Secret {
                break;
            }
        }
    }
    match (access, worst) {
        (Access::Glob | Access::List, Sensitivity::Secret(reason)) => Sensitivity::Maybe(reason),
        (Access::Glob | Access::List, Sensitivity::Maybe(_)) => Sensitivity::Public,
        (_, other) => other,
    }
}

/// Judges reading everything below a directory.
pub(super) fn judge_tree(path: &Folded, written: &str) -> Sensitivity {
    if glob::has_wildcard(written) {
        return judge_pattern(path, Access::Search);
    }
    let mut components = path.components.clone();
    let busy = components
        .last()
        .is_some_and(|name| BUSY_DIRECTORIES.contains(&name.as_str()));
    components.push("**".to_owned());
    let tree = Folded {
        components,
        home: path.home,
    };
    match judge_pattern(&tree, Access::Search) {
        Sensitivity::Secret(reason) if busy => Sensitivity::Maybe(reason),
        other => other,
    }
}

/// A path that both the user's pattern and the rule's accept, if the user's pattern spells out
/// enough of the rule's to be meant: `*.json` does not mean a service account's key.
fn meet_path(path: &Folded, rule: &Pattern<'_>, access: Access) -> Option<Folded> {
    let components = path.below(rule.anchor)?;
    let offset = path.components.len() - components.len();
    let rooted = rule.anchor != Anchor::Anywhere;
    let starts = if rooted { 0..=0 } else { 0..=components.len() };
    let mut found: Option<(usize, Vec<String>)> = None;
    for start in starts {
        let (before, after) = components.split_at_checked(start)?;
        // `**` before the rule's first part stands for any folders, also none.
        let Some(meeting) = meet_parts(after, &rule.parts, rule.extent, access, 0) else {
            continue;
        };
        let spelled = meeting.iter().map(|part| part.spelled).sum();
        if found.as_ref().is_none_or(|(best, _)| spelled > *best) {
            let names = meeting.into_iter().map(|part| part.example);
            let before = before.iter().filter(|it| *it != "**").cloned();
            found = Some((spelled, before.chain(names).collect()));
        }
    }
    let (spelled, tail) = found.filter(|(spelled, _)| *spelled > 0)?;
    debug_assert!(spelled > 0);
    let components = path
        .components
        .iter()
        .take(offset)
        .cloned()
        .chain(tail)
        .collect();
    Some(Folded {
        components,
        home: path.home,
    })
}

/// Meets the user's components with the rule's parts, one by one. A part's `spelled` is one if it
/// was spelled out, else nothing.
fn meet_parts(
    components: &[String],
    parts: &[&str],
    extent: Extent,
    access: Access,
    depth: usize,
) -> Option<Vec<Meeting>> {
    if depth > MAX_COMPONENTS {
        return None;
    }
    let Some((part, later_parts)) = parts.split_first() else {
        // All of the rule is met. What the user's pattern has left must lie below a tree.
        return match (extent, components) {
            (_, []) => Some(Vec::new()),
            (Extent::Name, [only]) if only == "**" => Some(Vec::new()),
            (Extent::Name, _) => None,
            (Extent::Tree, below) => Some(below.iter().map(|it| example_of(it)).collect()),
        };
    };
    let (first, later) = components.split_first()?;
    if first == "**" {
        let none = meet_parts(later, parts, extent, access, depth + 1);
        let some =
            meet_parts(components, later_parts, extent, access, depth + 1).map(|mut rest| {
                rest.insert(
                    0,
                    Meeting {
                        example: part.replace('*', ""),
                        spelled: 0,
                    },
                );
                rest
            });
        return match (none, some) {
            (Some(none), Some(some)) => {
                let count =
                    |meeting: &[Meeting]| meeting.iter().map(|it| it.spelled).sum::<usize>();
                Some(if count(&none) >= count(&some) {
                    none
                } else {
                    some
                })
            }
            (none, some) => none.or(some),
        };
    }
    let is_name = later_parts.is_empty() && extent == Extent::Name;
    let counted = distinctive(part, is_name);
    let met = glob::meet(first, part, counted)?;
    let enough = met.spelled >= 2 && met.spelled * 2 >= spelled_in(part, counted);
    let says_something = is_name || !is_common(part, access);
    let spelled = usize::from(enough && says_something);
    let mut rest = meet_parts(later, later_parts, extent, access, depth + 1)?;
    rest.insert(
        0,
        Meeting {
            example: met.example,
            spelled,
        },
    );
    Some(rest)
}

/// How many of a rule part's characters tell it from harmless names: all but an ordinary ending.
fn distinctive(part: &str, is_name: bool) -> usize {
    let ordinary = ending(part).filter(|it| is_name && is_ordinary_ending(it));
    ordinary.map_or(part.len(), |ending| part.len() - ending.len() - 1)
}

fn spelled_in(part: &str, counted: usize) -> usize {
    part.chars().take(counted).filter(|it| *it != '*').count()
}

fn is_common(directory: &str, access: Access) -> bool {
    let busy = match access {
        Access::Glob | Access::List | Access::Metadata => BUSY_DIRECTORIES.contains(&directory),
        Access::Read | Access::Search | Access::Write | Access::Edit => false,
    };
    busy || COMMON_DIRECTORIES.contains(&directory)
}

fn example_of(component: &str) -> Meeting {
    let example = glob::meet(component, "*", 0).map_or_else(String::new, |it| it.example);
    Meeting {
        example: if example.is_empty() {
            "x".to_owned()
        } else {
            example
        },
        spelled: 0,
    }
}
