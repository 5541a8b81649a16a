//! Which paths of a repository a git command names.

use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

use bowline_guard::paths::glob;
use globset::GlobMatcher;

use crate::machine::git::Repository;

/// Paths as git reads them: names, folders, and patterns whose `*` goes through folders.
#[derive(Debug)]
pub(super) struct Pathspecs {
    specs: Vec<Pathspec>,
    /// The paths that are excluded.
    excluded: Vec<Pathspec>,
}

#[derive(Debug)]
enum Pathspec {
    Everything,
    Below(Vec<u8>),
    Matching(GlobMatcher, GlobMatcher),
}

impl Pathspecs {
    /// Everything in the repository.
    pub(super) fn everything() -> Self {
        Self {
            specs: vec![Pathspec::Everything],
            excluded: Vec::new(),
        }
    }

    /// What words mean in a folder; `None` if that is unknown.
    pub(super) fn new(words: &[String], directory: &Path, repository: &Repository) -> Option<Self> {
        let mut all = Self {
            specs: Vec::new(),
            excluded: Vec::new(),
        };
        for word in words {
            let without = [":!", ":^", ":(exclude)"];
            match without.iter().find_map(|mark| word.strip_prefix(mark)) {
                Some(word) => all
                    .excluded
                    .push(Pathspec::new(word, directory, repository)?),
                None => all.specs.push(Pathspec::new(word, directory, repository)?),
            }
        }
        if all.specs.is_empty() && !all.excluded.is_empty() {
            all.specs.push(Pathspec::Everything);
        }
        Some(all)
    }

    /// Whether everything in the repository is meant.
    pub(super) fn is_everything(&self) -> bool {
        self.specs
            .iter()
            .any(|it| matches!(it, Pathspec::Everything))
    }

    pub(super) fn matches(&self, path: &[u8]) -> bool {
        self.specs.iter().any(|it| it.matches(path))
            && !self.excluded.iter().any(|it| it.matches(path))
    }
}

impl Pathspec {
    fn new(word: &str, directory: &Path, repository: &Repository) -> Option<Self> {
        let (word, from) = match word
            .strip_prefix(":(top)")
            .or_else(|| word.strip_prefix(":/"))
        {
            Some(rest) => (rest, repository.root.as_path()),
            None => (word, directory),
        };
        if word.starts_with(':') || word.contains(['…', '$', '~', '`']) {
            return None;
        }
        let joined = normal(&from.join(word))?;
        let below = joined.strip_prefix(&repository.root).ok()?;
        let text = below.as_os_str().as_bytes();
        if text.is_empty() {
            return Some(Self::Everything);
        }
        let shown = below.to_str()?;
        if !glob::has_wildcard(shown) {
            return Some(Self::Below(text.to_vec()));
        }
        if shown.split('/').all(|it| it.chars().all(|it| it == '*')) {
            return Some(Self::Everything);
        }
        let matcher = |pattern: &str| Some(globset::Glob::new(pattern).ok()?.compile_matcher());
        Some(Self::Matching(
            matcher(shown)?,
            matcher(&format!("{shown}/*"))?,
        ))
    }

    fn matches(&self, path: &[u8]) -> bool {
        match self {
            Self::Everything => true,
            Self::Below(folder) => path
                .strip_prefix(folder.as_slice())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/")),
            Self::Matching(itself, below) => {
                let path = Path::new(std::ffi::OsStr::from_bytes(path));
                itself.is_match(path) || below.is_match(path)
            }
        }
    }
}

/// A path without `.` and `..`.
pub(super) fn normal(path: &Path) -> Option<PathBuf> {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => {
                if !plain.pop() {
                    return None;
                }
            }
            Component::CurDir => {}
            other => plain.push(other),
        }
    }
    Some(plain)
}
