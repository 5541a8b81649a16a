//! Where a path leads, by its text: `~`, `$HOME`, `..`, links, wildcards and unknown parts.
//!
//! Everything about the machine comes in through [`World`], so that judging stays a function of
//! its input. [`place`] then says what kind of place it is.

use std::borrow::Cow;

use crate::loss::{Act, Loss};
use crate::sensitive::SensitivePolicy;

pub mod glob;
mod place;
mod products;
mod walk;
mod word;

pub use place::{
    DeviceKind, HomeKind, Place, Rebuildable, leftover_by_name, place, rebuildable_by_name,
    scratch_by_name,
};
pub use products::product_by_name;

/// What a guard may know about the machine and the project. Whatever is not known stays `None`.
pub trait World {
    /// The directory that relative paths start from: absolute.
    fn cwd(&self) -> &str;

    /// The root of the project that the agent works in: absolute.
    fn project_root(&self) -> &str;

    /// The user's home.
    fn home(&self) -> Option<&str>;

    /// Directories for temporary files besides the usual ones; the first is `$TMPDIR`.
    fn temp_dirs(&self) -> &[String] {
        &[]
    }

    /// The value of a variable that is known here, for example one that the same line has set.
    fn variable(&self, name: &str) -> Option<Cow<'_, str>> {
        let _ = name;
        None
    }

    /// What the symbolic link at `path` holds; `None` if it is no link or unknown. One step only.
    fn symlink_target(&self, path: &str) -> Option<String> {
        let _ = path;
        None
    }

    /// Whether git's ignore rules cover `path`.
    fn is_ignored(&self, path: &str) -> Option<bool> {
        let _ = path;
        None
    }

    /// Whether git tracks `path` or something below it.
    fn is_tracked(&self, path: &str) -> Option<bool> {
        let _ = path;
        None
    }

    /// What is at `path`, links followed; `None` if that is unknown.
    fn presence(&self, path: &str) -> Option<Presence> {
        let _ = path;
        None
    }

    /// What an act would take away for good, after what the same line has done before it.
    fn loss(&self, act: &Act, earlier: &[Act]) -> Loss {
        let _ = (act, earlier);
        Loss::Unknown
    }

    /// Whether the session has moved or copied somebody's work to where a path or a pattern leads, or below it, whatever that is
    /// called.
    fn holds_brought_work(&self, path: &str) -> bool {
        let _ = path;
        false
    }

    /// What git runs for `name` in the repository around `directory`, if it is an alias there: `reset --hard`, `!rm -rf x`.
    /// Asked only for what git does not know by itself.
    fn git_alias(&self, directory: &str, name: &str) -> Option<String> {
        let _ = (directory, name);
        None
    }

    /// The text of a script that the session itself has written or changed, in the project or in a folder for temporary files.
    /// Asked only for what is run.
    fn own_script(&self, path: &str) -> Option<String> {
        let _ = path;
        None
    }

    /// Whether a question was left without an answer because too many were asked.
    fn is_exhausted(&self) -> bool {
        false
    }

    /// What the project itself says about files that hold secrets.
    fn sensitive_policy(&self) -> &SensitivePolicy {
        SensitivePolicy::none()
    }

    /// Where Bowline's own files and the agents' settings are, besides the usual places.
    fn own_places(&self) -> &OwnPlaces {
        OwnPlaces::none()
    }
}

/// What is at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    /// Nothing.
    Missing,
    /// A folder.
    Folder,
    /// A file, or something like it.
    File,
}

/// Where the files of the guard itself are, as an environment moves them. All paths are absolute.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OwnPlaces {
    /// Files of Bowline, and folders in which everything is its own.
    pub own: Vec<String>,
    /// Folders that hold settings of agents, beside other things.
    pub agents: Vec<String>,
}

impl OwnPlaces {
    /// No other than the usual ones.
    pub fn none() -> &'static Self {
        static NONE: OwnPlaces = OwnPlaces {
            own: Vec::new(),
            agents: Vec::new(),
        };
        &NONE
    }
}

/// A world of which only three directories are known, and what the project says.
#[derive(Clone, Debug)]
pub struct StaticWorld {
    /// The current directory.
    pub cwd: String,
    /// The project's root.
    pub project_root: String,
    /// The user's home.
    pub home: Option<String>,
    /// What the project says about files that hold secrets.
    pub sensitive: SensitivePolicy,
}

impl StaticWorld {
    /// A world whose current directory is the project's root.
    pub fn new(project_root: &str, home: &str) -> Self {
        Self {
            cwd: project_root.to_owned(),
            project_root: project_root.to_owned(),
            home: Some(home.to_owned()),
            sensitive: SensitivePolicy::default(),
        }
    }

    /// The same world, seen from another directory.
    pub fn with_cwd(mut self, cwd: &str) -> Self {
        cwd.clone_into(&mut self.cwd);
        self
    }
}

impl World for StaticWorld {
    fn cwd(&self) -> &str {
        &self.cwd
    }

    fn project_root(&self) -> &str {
        &self.project_root
    }

    fn home(&self) -> Option<&str> {
        self.home.as_deref()
    }

    fn sensitive_policy(&self) -> &SensitivePolicy {
        &self.sensitive
    }
}

/// How much of a path is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shape {
    /// One path.
    Exact,
    /// A wildcard pattern that may name several paths.
    Pattern,
    /// A part is unknown; it stands as `*` in [`ResolvedPath::path`].
    Unknown(Unknown),
}

/// Why a path is not known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unknown {
    /// A variable whose value is not known.
    Variable(String),
    /// The output of a command.
    Command,
    /// Links that lead in a circle, or more of them than a system follows.
    Links,
    /// More text than a system takes as a path.
    TooLong,
    /// No path at all.
    Empty,
}

/// A path as far as its text and the world tell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResolvedPath {
    /// The word as it was written.
    pub written: String,
    /// Absolute and without `.`, `..` or doubled slashes; links are followed except in the last
    /// component. Relative only if it starts with an unknown part.
    pub path: String,
    /// Where the last component leads, if it is a link.
    pub target: Option<String>,
    /// The path by text alone, without following links, if that differs.
    pub lexical: Option<String>,
    /// How much of it is known.
    pub shape: Shape,
    /// The home that the path lies in.
    pub home: Option<String>,
    /// Whether the path was written with a slash at its end.
    pub trailing_slash: TrailingSlash,
}

/// Whether a path was written as a directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrailingSlash {
    /// It ended in `/`, `/.` or `/..`.
    Yes,
    /// It did not.
    No,
}

impl ResolvedPath {
    /// Every distinct path that the word stands for: as written, through links, and their ends.
    pub fn spellings(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.path.as_str())
            .chain(self.target.as_deref())
            .chain(self.lexical.as_deref())
    }

    /// Its spellings, unless a part is unknown: then it could be any path.
    pub fn known_paths(&self) -> Vec<String> {
        match self.shape {
            Shape::Unknown(_) => Vec::new(),
            Shape::Exact | Shape::Pattern => self.spellings().map(str::to_owned).collect(),
        }
    }

    /// The part before the first component that is a pattern or unknown.
    pub fn fixed_prefix(&self) -> &str {
        match self.shape {
            Shape::Exact => &self.path,
            Shape::Pattern | Shape::Unknown(_) => {
                let mut end = 0;
                for component in self.path.split_inclusive('/') {
                    if glob::has_wildcard(component) {
                        break;
                    }
                    end += component.len();
                }
                let prefix = self.path.get(..end).unwrap_or_default();
                if prefix.len() > 1 {
                    prefix.trim_end_matches('/')
                } else {
                    prefix
                }
            }
        }
    }
}

/// Resolves one word of a shell command: variables, `~` and wildcards mean what they mean there.
/// Braces stay as a pattern; [`resolve_words`] expands them.
pub fn resolve(word: &str, world: &dyn World) -> ResolvedPath {
    walk::resolve_text(word, word::expand(word, world, word::Reading::Shell), world)
}

/// Resolves one word of a shell command after expanding its braces (a bounded number of words).
pub fn resolve_words(word: &str, world: &dyn World) -> Vec<ResolvedPath> {
    glob::expand_braces(word)
        .iter()
        .map(|expanded| ResolvedPath {
            written: word.to_owned(),
            ..resolve(expanded, world)
        })
        .collect()
}

/// Resolves a path given as a value, such as a tool's `file_path`: wildcards are plain characters.
/// `~`, `$HOME` and `file://` are understood all the same, because tools differ in this.
pub fn resolve_literal(path: &str, world: &dyn World) -> ResolvedPath {
    walk::resolve_text(
        path,
        word::expand(path, world, word::Reading::Literal),
        world,
    )
}

/// The home that an absolute `path` lies in: the user's, or one by the usual places.
pub fn home_of<'path>(path: &'path str, world: &dyn World) -> Option<&'path str> {
    if let Some(home) = world.home().map(|home| home.trim_end_matches('/'))
        && !home.is_empty()
        && is_within(path, home)
    {
        return path.get(..home.len());
    }
    usual_home(path)
}

/// The home that `path` lies in by the usual places: `/home/X`, `/Users/X`, `/root`.
pub fn usual_home(path: &str) -> Option<&str> {
    for single in ["/root", "/var/root"] {
        if is_within(path, single) {
            return path.get(..single.len());
        }
    }
    let parents = [
        "/home/",
        "/Users/",
        "/export/home/",
        "/mnt/c/Users/",
        "C:/Users/",
    ];
    let parent = parents.into_iter().find(|parent| {
        path.get(..parent.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(parent))
    })?;
    let rest = path.get(parent.len()..)?;
    let name = rest.split('/').next().filter(|name| !name.is_empty())?;
    path.get(..parent.len() + name.len())
}

/// Whether `path` is `directory` or lies below it.
pub fn is_within(path: &str, directory: &str) -> bool {
    path.strip_prefix(directory)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/') || directory.ends_with('/'))
}
