//! Rules about a file: gitignore-style, by the text of the path alone.

use std::path::{Component, Path, PathBuf};

use globset::{GlobBuilder, GlobMatcher};

#[derive(Debug)]
pub(super) struct FileRule {
    base: Base,
    reach: Reach,
    glob: GlobMatcher,
}

/// Whether a rule that begins at the working directory is for files elsewhere, too. As in Claude Code, `*.rs` and `**` are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reach {
    Below,
    Everywhere,
}

/// What a rule's path begins at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Base {
    /// `src/*.rs`, `./src`: the working directory.
    Cwd,
    /// `/src`: the working directory, or the whole path from the root.
    CwdOrRoot,
    /// `//etc`: the root.
    Root,
    /// `~/x`: the home directory.
    Home,
}

impl FileRule {
    pub(super) fn new(content: &str) -> Result<Self, String> {
        let content = content.trim();
        let (base, path) = if let Some(path) = content.strip_prefix("//") {
            (Base::Root, path)
        } else if let Some(path) = content.strip_prefix('/') {
            (Base::CwdOrRoot, path)
        } else if let Some(path) = content.strip_prefix("~/") {
            (Base::Home, path)
        } else {
            (Base::Cwd, content)
        };
        let path = path.trim_end_matches('/');
        // As in Claude Code, a star in front stands for any folder, however deep.
        let deep = path.starts_with("*/");
        let anchored = base != Base::Cwd || (path.contains('/') && !deep);
        let reach = if base == Base::Cwd && (!path.contains('/') || path.starts_with("**")) {
            Reach::Everywhere
        } else {
            Reach::Below
        };
        let path = path.strip_prefix("./").unwrap_or(path);
        let glob = if anchored {
            literal_braces(path)
        } else {
            format!("**/{}", literal_braces(path))
        };
        let glob = GlobBuilder::new(&glob)
            .literal_separator(true)
            .backslash_escape(true)
            .case_insensitive(true)
            .build()
            .map_err(|error| error.kind().to_string())?
            .compile_matcher();
        Ok(Self { base, reach, glob })
    }

    /// Whether the path fits, or a directory that it lies in.
    pub(super) fn fits(&self, path: &str, cwd: Option<&str>, home: Option<&Path>) -> bool {
        let path = match cwd {
            Some(cwd) => Path::new(cwd).join(path),
            None => PathBuf::from(path),
        };
        let path = normalise(&path);
        let root = Path::new("/");
        let cwd = cwd.map(|cwd| normalise(Path::new(cwd)));
        // Without a working directory, paths are taken as they are.
        let cwd = cwd.as_deref().unwrap_or(if path.is_absolute() {
            root
        } else {
            Path::new("")
        });
        match self.base {
            Base::Cwd => {
                self.fits_under(&path, cwd)
                    || (self.reach == Reach::Everywhere && self.fits_under(&path, root))
            }
            Base::CwdOrRoot => self.fits_under(&path, cwd) || self.fits_under(&path, root),
            Base::Root => self.fits_under(&path, root),
            Base::Home => home.is_some_and(|home| self.fits_under(&path, &normalise(home))),
        }
    }

    fn fits_under(&self, path: &Path, base: &Path) -> bool {
        path.strip_prefix(base).is_ok_and(|relative| {
            relative
                .ancestors()
                .filter(|part| !part.as_os_str().is_empty())
                .any(|part| self.glob.is_match(part))
        })
    }
}

/// Gitignore knows no braces.
fn literal_braces(path: &str) -> String {
    path.replace('{', "[{]").replace('}', "[}]")
}

/// Without `.` and `..`, by the text alone.
pub(crate) fn normalise(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                if !out.pop() && !path.has_root() {
                    out.push("..");
                }
            }
            Component::Normal(_) | Component::RootDir | Component::Prefix(_) => {
                out.push(component);
            }
        }
    }
    out
}
