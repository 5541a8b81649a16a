//! Patterns for paths.

use std::fmt;
use std::sync::OnceLock;

use regex::Regex;

use super::{BadPattern, bad, checked, compiled};
use crate::paths::{ResolvedPath, Shape, World, glob, is_within};

/// A pattern for paths, as in `.gitignore`: `migrations/**`, `*.sql`, `~/scratch`, `/srv/cache/*`.
///
/// Without a slash it names files and folders anywhere in the project, with one it starts at the project's root.
/// What it names is meant with everything below.
#[derive(Debug, Clone)]
pub struct PathPattern {
    source: String,
    base: Base,
    names: Lazy,
    /// The same for the deny side: in any case, and with the folder whose contents are named.
    reach: Lazy,
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
            Lazy::new(regex)
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
            names: regex(rest, "(?s)"),
            reach: regex(folder, "(?si)"),
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
            .is_some_and(|below| self.names.get().is_some_and(|it| it.is_match(below)))
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
            // What cannot be compiled may be anything.
            self.reach.get().is_none_or(|it| it.is_match(below))
                || (path.shape != Shape::Exact && self.may_meet(below))
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

/// A regular expression that is compiled when it is first needed: settings may bring many that never are.
#[derive(Debug, Clone)]
struct Lazy {
    source: String,
    compiled: OnceLock<Option<Regex>>,
}

impl Lazy {
    fn new(source: String) -> Self {
        Self {
            source,
            compiled: OnceLock::new(),
        }
    }

    /// `None` if it is too large, which no pattern of the longest allowed is.
    fn get(&self) -> Option<&Regex> {
        let compiled = self.compiled.get_or_init(|| compiled(&self.source).ok());
        compiled.as_ref()
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
