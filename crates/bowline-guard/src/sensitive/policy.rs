//! A project's own patterns and its allow-list.

use regex::{Regex, RegexBuilder};

use crate::paths::{ResolvedPath, Shape, World, glob, is_within};
use crate::pattern::PathPattern;

use super::fold::fold;

/// A compiled pattern may not take more memory than this.
const MAX_PROGRAM: usize = 1 << 20;

/// The project's own patterns: what is secret besides the built-in rules, and what passes.
#[derive(Clone, Debug, Default)]
pub struct SensitivePolicy {
    /// Paths that are secret, too.
    pub custom_patterns: Vec<Regex>,
    /// Paths that pass whatever the rules say.
    pub allow: Vec<Regex>,
    /// As `custom_patterns`, written as in `.gitignore`.
    pub custom_paths: Vec<PathPattern>,
    /// As `allow`, written as in `.gitignore`.
    pub allow_paths: Vec<PathPattern>,
}

/// A pattern of the project that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the pattern {pattern:?} in {list} is not a regular expression: {problem}")]
pub struct BadPattern {
    /// The list that it stands in, by its name in the settings file.
    pub list: &'static str,
    /// The pattern as written.
    pub pattern: String,
    /// What is wrong with it.
    pub problem: String,
}

impl SensitivePolicy {
    /// A project that says nothing.
    pub fn none() -> &'static Self {
        static NONE: SensitivePolicy = SensitivePolicy {
            custom_patterns: Vec::new(),
            allow: Vec::new(),
            custom_paths: Vec::new(),
            allow_paths: Vec::new(),
        };
        &NONE
    }

    /// Reads the values of `patterns.custom_patterns` and `allowlist`. Entries that are empty or
    /// start with `#` are comments. Whatever cannot be used is reported beside the policy.
    pub fn parse<C, A>(custom_patterns: C, allowlist: A) -> (Self, Vec<BadPattern>)
    where
        C: IntoIterator<Item: AsRef<str>>,
        A: IntoIterator<Item: AsRef<str>>,
    {
        let mut bad = Vec::new();
        let custom_patterns = compile("patterns.custom_patterns", custom_patterns, &mut bad);
        let allow = compile("allowlist", allowlist, &mut bad);
        (
            Self {
                custom_patterns,
                allow,
                ..Self::default()
            },
            bad,
        )
    }

    /// Whether the allow-list lets `path` pass. Only where the path leads counts, never how it
    /// was written: `allowed/../.env` is not in `allowed`.
    pub fn allows(&self, path: &ResolvedPath, world: &dyn World) -> bool {
        let nothing = self.allow.is_empty() && self.allow_paths.is_empty();
        !nothing
            && !leads_through_wildcard(path)
            && path.spellings().all(|spelling| {
                let relative = project_relative(spelling, world);
                self.allow.iter().any(|pattern| {
                    pattern.is_match(spelling) || relative.is_some_and(|it| pattern.is_match(it))
                }) || self
                    .allow_paths
                    .iter()
                    .any(|it| it.matches(spelling, world))
            })
    }

    /// Whether a custom pattern names `path`, in any of its spellings, or all that lies below it: `internal/.*` names the folder
    /// `internal`, too.
    pub fn denies(&self, path: &ResolvedPath, world: &dyn World) -> bool {
        let names = |pattern: &Regex, text: &str| {
            pattern.is_match(text) || pattern.is_match(&format!("{text}/"))
        };
        let matches = |pattern: &Regex| {
            names(pattern, &path.written)
                || path.spellings().any(|spelling| {
                    names(pattern, spelling)
                        || names(pattern, &fold(spelling))
                        || project_relative(spelling, world).is_some_and(|it| names(pattern, it))
                })
        };
        self.custom_patterns.iter().any(matches)
            || self.custom_paths.iter().any(|it| it.reaches(path, world))
    }
}

/// Whether a folder on the way is a pattern, or any part is unknown: it may be a link to anywhere.
fn leads_through_wildcard(path: &ResolvedPath) -> bool {
    match path.shape {
        // So programs are given what only running shows.
        Shape::Exact => path.path.contains('…'),
        Shape::Unknown(_) => true,
        Shape::Pattern => path
            .path
            .rsplit_once('/')
            .is_some_and(|(folder, _)| glob::has_wildcard(folder)),
    }
}

fn compile(
    list: &'static str,
    patterns: impl IntoIterator<Item: AsRef<str>>,
    bad: &mut Vec<BadPattern>,
) -> Vec<Regex> {
    let mut compiled = Vec::new();
    for pattern in patterns {
        let pattern = pattern.as_ref().trim();
        if pattern.is_empty() || pattern.starts_with('#') {
            continue;
        }
        match RegexBuilder::new(pattern).size_limit(MAX_PROGRAM).build() {
            Ok(regex) => compiled.push(regex),
            Err(error) => bad.push(BadPattern {
                list,
                pattern: pattern.to_owned(),
                problem: error.to_string(),
            }),
        }
    }
    compiled
}

fn project_relative<'path>(path: &'path str, world: &dyn World) -> Option<&'path str> {
    let project = world.project_root().trim_end_matches('/');
    is_within(path, project).then(|| {
        path.get(project.len()..)
            .unwrap_or_default()
            .trim_start_matches('/')
    })
}
