//! Whether a path names a file that holds secrets, and what an access to it means.
//!
//! [`classify`] judges one path by the built-in rules; [`judge_tool`] judges a tool's call, with
//! the project's own patterns and allow-list in a [`SensitivePolicy`].

mod fold;
mod index;
mod matching;
mod meeting;
mod names;
mod policy;
mod rules;
mod tools;

use crate::paths::{ResolvedPath, Shape};

pub use names::sounds_secret;
pub use policy::{BadPattern, SensitivePolicy};
pub use tools::{SensitiveFinding, ToolFields, Verdict, judge_path, judge_tool};

/// How much an access to a file would disclose or spoil.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Public,
    Maybe,
    Secret,
}

/// What is done with a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// The content is read, copied, packed or sent.
    Read,
    /// The content of the file, or of everything below the directory, is read.
    Search,
    /// The names in a directory are listed.
    List,
    /// Names are looked for by this pattern.
    Glob,
    /// Only existence, size, times or permissions are looked at.
    Metadata,
    /// The file is replaced.
    Write,
    /// A part of the file is changed.
    Edit,
}

/// What a path is, for one access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sensitivity {
    /// It must not happen.
    Secret(Reason),
    /// A person should confirm it.
    Maybe(Reason),
    /// Nothing is known against it.
    Public,
}

/// Why a path is sensitive, and what to do instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reason {
    /// The rule's name.
    pub rule: &'static str,
    /// What the file is.
    pub why: &'static str,
    /// A safer way.
    pub instead: &'static str,
}

impl Sensitivity {
    /// The reason, unless it is public.
    pub fn reason(&self) -> Option<Reason> {
        match self {
            Self::Secret(reason) | Self::Maybe(reason) => Some(*reason),
            Self::Public => None,
        }
    }

    fn from_level(level: Level, reason: Reason) -> Self {
        match level {
            Level::Secret => Self::Secret(reason),
            Level::Maybe => Self::Maybe(reason),
            Level::Public => Self::Public,
        }
    }

    fn rank(&self) -> Level {
        match self {
            Self::Secret(_) => Level::Secret,
            Self::Maybe(_) => Level::Maybe,
            Self::Public => Level::Public,
        }
    }

    fn worse(self, other: Self) -> Self {
        if other.rank() > self.rank() {
            other
        } else {
            self
        }
    }
}

/// The built-in rules that can say something against an access, in the order in which they are
/// tried. Several may have one name.
pub fn rules() -> impl Iterator<Item = Reason> {
    rules::all()
        .filter(|rule| rule.read.max(rule.change) > Level::Public)
        .map(|rule| Reason {
            rule: rule.id,
            why: rule.why,
            instead: rule.instead,
        })
}

/// Judges a resolved path by the built-in rules. Every spelling counts: as it was written, and
/// where links lead. A pattern counts as the most sensitive name that it spells out.
pub fn classify(path: &ResolvedPath, access: Access) -> Sensitivity {
    if access == Access::Metadata {
        return Sensitivity::Public;
    }
    path.spellings()
        .map(|spelling| classify_spelling(spelling, path, access))
        .fold(Sensitivity::Public, Sensitivity::worse)
}

fn classify_spelling(spelling: &str, path: &ResolvedPath, access: Access) -> Sensitivity {
    let home = path
        .home
        .as_deref()
        .or_else(|| crate::paths::usual_home(spelling));
    let folded = matching::Folded::new(spelling, home);
    let is_pattern = path.shape != Shape::Exact;
    match access {
        Access::Metadata => Sensitivity::Public,
        Access::List if is_pattern => meeting::judge_pattern(&folded, Access::Glob),
        Access::Read | Access::Write | Access::Edit | Access::List if !is_pattern => {
            matching::judge_name(&folded, access)
        }
        Access::Search => matching::judge_name(&folded, Access::Read)
            .worse(meeting::judge_tree(&folded, spelling)),
        Access::Read | Access::Write | Access::Edit | Access::List | Access::Glob => {
            meeting::judge_pattern(&folded, access)
        }
    }
}
