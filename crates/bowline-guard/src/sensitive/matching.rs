//! Paths against the rules: the first rule that fits decides.

use std::sync::LazyLock;

use crate::paths::glob;

use super::fold::{fold, originals};
use super::index::{Index, in_order};
use super::names::{is_about_secrets, is_code, is_named_secret, is_template, is_text_folder};
use super::rules::{self, Rule, Templates};
use super::{Access, Level, Reason, Sensitivity};

/// Beyond this many components only the last ones are compared with a pattern.
pub(super) const MAX_COMPONENTS: usize = 48;

/// At most this many `**` are understood in one pattern.
const MAX_DEEP: usize = 3;

/// A path in the one spelling that rules are written in.
#[derive(Debug)]
pub(super) struct Folded {
    pub(super) components: Vec<String>,
    /// How many components the home has that the path lies in.
    pub(super) home: Option<usize>,
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

    pub(super) fn name(&self) -> &str {
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

    /// The same place with another text, in which few `**` remain: more would not say more, and
    /// each one multiplies the ways to read the pattern.
    pub(super) fn with_text(&self, text: &str) -> Self {
        let mut components: Vec<String> = text
            .split('/')
            .filter(|it| !it.is_empty())
            .map(str::to_owned)
            .collect();
        components.dedup_by(|next, previous| next == "**" && previous == "**");
        let deep: Vec<usize> = (0..components.len())
            .filter(|at| components.get(*at).is_some_and(|it| it == "**"))
            .collect();
        let mut home = self.home;
        if let Some(from) = deep
            .len()
            .checked_sub(MAX_DEEP + 1)
            .and_then(|at| deep.get(at))
        {
            components.drain(..=*from);
            home = None;
        }
        Self { components, home }
    }

    fn folders(&self) -> impl Iterator<Item = &str> {
        let count = self.components.len().saturating_sub(1);
        self.components.iter().take(count).map(String::as_str)
    }

    pub(super) fn below(&self, anchor: Anchor) -> Option<&[String]> {
        match anchor {
            Anchor::Root | Anchor::Anywhere => Some(&self.components),
            Anchor::Home => self.components.get(self.home?..),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Anchor {
    Root,
    Home,
    Anywhere,
}

/// A rule's pattern, taken apart.
#[derive(Debug)]
pub(super) struct Pattern<'rule> {
    pub(super) anchor: Anchor,
    pub(super) parts: Vec<&'rule str>,
    pub(super) extent: Extent,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Extent {
    /// The path itself.
    Name,
    /// The directory and all below it.
    Tree,
}

impl<'rule> Pattern<'rule> {
    pub(super) fn new(text: &'rule str) -> Self {
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

    /// Whether the pattern leaves the end of the name open.
    pub(super) fn is_open(&self) -> bool {
        self.extent == Extent::Name && self.parts.last().is_some_and(|part| part.ends_with('*'))
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

/// All patterns with their rules, in order.
pub(super) static PATTERNS: LazyLock<Vec<(&'static Rule, Pattern<'static>)>> =
    LazyLock::new(|| {
        rules::all()
            .flat_map(|rule| {
                rule.patterns
                    .iter()
                    .map(move |text| (rule, Pattern::new(text)))
            })
            .collect()
    });

/// Where patterns are found by their last part: it names the path itself, or a directory on the way.
struct LastParts {
    names: Index,
    trees: Index,
}

static LAST_PARTS: LazyLock<LastParts> = LazyLock::new(|| {
    let (mut names, mut trees) = (Index::default(), Index::default());
    for (number, (_, pattern)) in PATTERNS.iter().enumerate() {
        let index = match pattern.extent {
            Extent::Name => &mut names,
            Extent::Tree => &mut trees,
        };
        if let Some(last) = pattern.parts.last() {
            index.insert(last, number);
        }
    }
    LastParts { names, trees }
});

/// The patterns that may match a path, in order.
fn candidates(path: &Folded) -> Vec<usize> {
    let mut found = Vec::new();
    LAST_PARTS.names.accepting(path.name(), &mut found);
    for component in &path.components {
        LAST_PARTS.trees.accepting(component, &mut found);
    }
    in_order(found)
}

/// The rule that decides about a path, and the pattern that matched.
fn deciding_rule(path: &Folded) -> Option<(&'static Rule, &'static Pattern<'static>)> {
    let name = path.name();
    let template =
        is_template(name) || (!name.starts_with('.') && path.folders().any(is_text_folder));
    let code = is_code(name);
    candidates(path)
        .into_iter()
        .filter_map(|number| PATTERNS.get(number))
        .find(|(rule, pattern)| {
            // An open end accepts any ending, but code about a secret is not the secret.
            let excepted =
                (template && rule.templates == Templates::Pass) || (code && pattern.is_open());
            !excepted && pattern.matches(path)
        })
        .map(|(rule, pattern)| (*rule, pattern))
}

fn reason_of(rule: &Rule) -> Reason {
    Reason {
        rule: rule.id,
        why: rule.why,
        instead: rule.instead,
    }
}

/// Whether a rule knows this very name as a file's.
pub(super) fn names_a_file(path: &Folded) -> bool {
    deciding_rule(path).is_some_and(|(_, pattern)| pattern.extent == Extent::Name)
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
        Access::List if pattern.extent == Extent::Tree && rule.read == Level::Secret => {
            Level::Maybe
        }
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
    let plain_data = [".json", ".yaml", ".yml", ".txt", ".xml"]
        .iter()
        .any(|ending| path.name().ends_with(ending));
    let level = if is_fixture && plain_data && !path.name().starts_with('.') {
        Level::Public
    } else if is_fixture {
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
    let reason = super::NAMED_SECRET;
    match access {
        Access::Read | Access::Search | Access::Glob => Sensitivity::Secret(reason),
        Access::Write | Access::Edit => Sensitivity::Maybe(reason),
        Access::List | Access::Metadata => Sensitivity::Public,
    }
}
