//! A project's own patterns and its allow-list.

use regex::{Regex, RegexBuilder};

use crate::paths::{ResolvedPath, World, is_within, resolve_literal};

use super::fold::fold;
use super::{Access, SensitiveFinding, Verdict};

/// A compiled pattern may not take more memory than this.
const MAX_PROGRAM: usize = 1 << 20;

/// The project's own patterns: what is secret besides the built-in rules, and what passes.
#[derive(Clone, Debug, Default)]
pub struct SensitivePolicy {
    /// Paths that are secret, too.
    pub custom_patterns: Vec<Regex>,
    /// Paths that pass whatever the rules say.
    pub allow: Vec<Regex>,
}

/// A pattern of the project that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the pattern {pattern:?} in {list} is no regular expression: {problem}")]
pub struct BadPattern {
    /// The list that it stands in, by its name in the settings file.
    pub list: &'static str,
    /// The pattern as written.
    pub pattern: String,
    /// What is wrong with it.
    pub problem: String,
}

impl SensitivePolicy {
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
            },
            bad,
        )
    }

    /// Whether the allow-list lets `path` pass. Only where the path leads counts, never how it
    /// was written: `allowed/../.env` is not in `allowed`.
    pub fn allows(&self, path: &ResolvedPath, world: &dyn World) -> bool {
        !self.allow.is_empty()
            && path.spellings().all(|spelling| {
                let relative = project_relative(spelling, world);
                self.allow.iter().any(|pattern| {
                    pattern.is_match(spelling) || relative.is_some_and(|it| pattern.is_match(it))
                })
            })
    }

    /// As [`allows`](Self::allows), for a path by its name alone, as an effect names it.
    pub fn allows_name(&self, path: &str, world: &dyn World) -> bool {
        !self.allow.is_empty() && self.allows(&resolve_literal(path, world), world)
    }

    /// What a custom pattern says against an access to `path`; nothing where the allow-list lets it pass.
    pub fn denies(
        &self,
        path: &ResolvedPath,
        access: Access,
        world: &dyn World,
    ) -> Option<SensitiveFinding> {
        let verdict = match access {
            Access::Metadata => return None,
            Access::Glob | Access::List => Verdict::Ask,
            Access::Read | Access::Search | Access::Write | Access::Edit => Verdict::Deny,
        };
        let pattern = self.custom_match(path, world)?;
        (!self.allows(path, world)).then(|| SensitiveFinding {
            verdict,
            rule: "custom-pattern",
            path: path.written.clone(),
            why: format!("the project's own pattern `{pattern}` names it as sensitive"),
            instead: "ask the person for the part that is needed".to_owned(),
        })
    }

    /// As [`denies`](Self::denies), for a path by its name alone.
    pub fn denies_name(
        &self,
        path: &str,
        access: Access,
        world: &dyn World,
    ) -> Option<SensitiveFinding> {
        if self.custom_patterns.is_empty() {
            return None;
        }
        self.denies(&resolve_literal(path, world), access, world)
    }

    /// The custom pattern that `path` matches, in any of its spellings.
    pub fn custom_match(&self, path: &ResolvedPath, world: &dyn World) -> Option<&str> {
        let matches = |pattern: &&Regex| {
            pattern.is_match(&path.written)
                || path.spellings().any(|spelling| {
                    pattern.is_match(spelling)
                        || pattern.is_match(&fold(spelling))
                        || project_relative(spelling, world).is_some_and(|it| pattern.is_match(it))
                })
        };
        self.custom_patterns.iter().find(matches).map(Regex::as_str)
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
