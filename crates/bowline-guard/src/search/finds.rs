//! What a path must be to be found.

use std::sync::Arc;

use crate::paths::glob;

/// At most this many ways to be found are distinguished.
const MAX_ALTERNATIVES: usize = 48;

/// At most this many facts are kept of one way.
const MAX_FACTS: usize = 24;

/// Longer patterns are not matched to the end.
const MAX_PATTERN: usize = 100;

/// One test of a search, in the words of `find`.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Test {
    pub(super) name: String,
    pub(super) values: Vec<String>,
}

/// Whether a test holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Holds {
    Yes,
    No,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Fact {
    holds: Holds,
    test: Arc<Test>,
}

/// A pattern that a found path matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pattern<'a> {
    /// A glob for the last component.
    Name(&'a str),
    /// A glob for the whole path as the search prints it, where `*` takes slashes too.
    Path(&'a str),
    /// A regular expression for the whole path.
    Regex(&'a str),
    /// A regular expression for a part of the last component.
    NamePart(&'a str),
}

/// One way to be found: all that is known of the path holds.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Alternative {
    facts: Vec<Fact>,
}

/// All that may be found: each path in one of the ways. Without any way nothing is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Finds {
    alternatives: Vec<Alternative>,
}

impl Finds {
    /// Nothing is found.
    pub(crate) fn none() -> Self {
        Self {
            alternatives: Vec::new(),
        }
    }

    /// Whatever lies below the roots.
    pub(crate) fn anything() -> Self {
        Self {
            alternatives: vec![Alternative::default()],
        }
    }

    pub(super) fn test(test: Arc<Test>, holds: Holds) -> Self {
        Self {
            alternatives: vec![Alternative {
                facts: vec![Fact { holds, test }],
            }],
        }
    }

    /// The ways to be found.
    pub(crate) fn alternatives(&self) -> &[Alternative] {
        &self.alternatives
    }

    /// Whether a path, as the search prints it, may be among what is found.
    pub(crate) fn may_hold(&self, path: &str) -> bool {
        self.alternatives.iter().any(|it| it.may_hold(path))
    }

    /// What is found by this or by the other.
    pub(super) fn or(&self, other: &Self) -> Self {
        let mut alternatives = self.alternatives.clone();
        for alternative in &other.alternatives {
            if !alternatives.contains(alternative) {
                alternatives.push(alternative.clone());
            }
        }
        let whole = alternatives.iter().any(|it| it.facts.is_empty());
        if whole || alternatives.len() > MAX_ALTERNATIVES {
            return Self::anything();
        }
        Self { alternatives }
    }

    /// What is found by both. Where that is too much to tell, what is found by this.
    pub(super) fn and(&self, other: &Self) -> Self {
        if self.alternatives.len() * other.alternatives.len() > MAX_ALTERNATIVES {
            return self.clone();
        }
        let mut alternatives: Vec<Alternative> = Vec::new();
        for left in &self.alternatives {
            for right in &other.alternatives {
                if let Some(both) = left.and(right)
                    && !alternatives.contains(&both)
                {
                    alternatives.push(both);
                }
            }
        }
        Self { alternatives }
    }

    /// As words of `find`.
    pub(super) fn words(&self) -> Vec<String> {
        match self.alternatives.as_slice() {
            [] => vec!["-false".to_owned()],
            [only] => only.words(),
            several => {
                let mut words = vec!["(".to_owned()];
                for (at, alternative) in several.iter().enumerate() {
                    if at > 0 {
                        words.push("-o".to_owned());
                    }
                    words.extend(alternative.words());
                }
                words.push(")".to_owned());
                words
            }
        }
    }
}

impl Alternative {
    /// The patterns that the path matches, all of them.
    pub(crate) fn patterns(&self) -> impl Iterator<Item = Pattern<'_>> {
        self.holding().filter_map(Test::pattern)
    }

    /// The letters of the kinds that it may be, as `-type` has them; `None` for any.
    pub(crate) fn kinds(&self) -> Option<&str> {
        let of_kind = |name: &str| {
            self.holding()
                .find(|it| it.name == name)
                .and_then(|it| it.values.first())
                .map(String::as_str)
        };
        of_kind("-xtype")
            .filter(|it| *it == "l")
            .or_else(|| of_kind("-type"))
    }

    /// Whether it is an empty file or folder.
    pub(crate) fn is_empty_only(&self) -> bool {
        self.holding().any(|it| it.name == "-empty")
    }

    /// Whether it is one file that is known by its number.
    pub(crate) fn is_single(&self) -> bool {
        self.holding()
            .any(|it| matches!(it.name.as_str(), "-inum" | "-samefile"))
    }

    fn holding(&self) -> impl Iterator<Item = &Test> {
        self.facts
            .iter()
            .filter(|it| it.holds == Holds::Yes)
            .map(|it| &*it.test)
    }

    fn may_hold(&self, path: &str) -> bool {
        self.facts.iter().all(|fact| match fact.holds {
            Holds::Yes => fact.test.accepts(path) != Some(false),
            Holds::No => fact.test.accepts(path) != Some(true),
        })
    }

    /// Both at once; `None` where one says the opposite of the other.
    fn and(&self, other: &Self) -> Option<Self> {
        let mut facts = self.facts.clone();
        for fact in &other.facts {
            if facts
                .iter()
                .any(|it| it.test == fact.test && it.holds != fact.holds)
            {
                return None;
            }
            if facts.len() < MAX_FACTS && !facts.contains(fact) {
                facts.push(fact.clone());
            }
        }
        Some(Self { facts })
    }

    fn words(&self) -> Vec<String> {
        let mut words = Vec::new();
        for fact in &self.facts {
            if fact.holds == Holds::No {
                words.push("!".to_owned());
            }
            words.push(fact.test.name.clone());
            words.extend(fact.test.values.iter().cloned());
        }
        words
    }
}

impl Test {
    fn pattern(&self) -> Option<Pattern<'_>> {
        let value = self.values.first()?;
        match self.name.as_str() {
            "-name" | "-iname" => Some(Pattern::Name(value)),
            "-path" | "-ipath" | "-wholename" | "-iwholename" => Some(Pattern::Path(value)),
            "-regex" | "-iregex" => Some(Pattern::Regex(value)),
            NAME_PART => Some(Pattern::NamePart(value)),
            _ => None,
        }
    }

    /// Whether a path passes, where its text alone tells that.
    fn accepts(&self, path: &str) -> Option<bool> {
        let (pattern, subject) = match self.pattern()? {
            Pattern::Name(glob) => (glob, path.rsplit('/').next().unwrap_or(path)),
            Pattern::Path(glob) => (glob, path),
            Pattern::Regex(_) | Pattern::NamePart(_) => return None,
        };
        if pattern.contains('…') || pattern.len() > MAX_PATTERN {
            return None;
        }
        let found = if self.name.starts_with("-i") {
            glob::meet(&pattern.to_lowercase(), &subject.to_lowercase(), 0)
        } else {
            glob::meet(pattern, subject, 0)
        };
        Some(found.is_some())
    }
}

/// What `fd` looks for in a name. No test of `find` does the same.
pub(super) const NAME_PART: &str = "-name-part";
