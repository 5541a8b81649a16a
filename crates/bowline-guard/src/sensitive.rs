//! Whether a path names a file that holds secrets, and what an access to it means.
//!
//! [`classify`] judges one path; [`judge_tool`] judges a tool's call. The project's own patterns and
//! allow-list come in with the world, as a [`SensitivePolicy`].

mod fold;
mod index;
mod matching;
mod meeting;
mod names;
mod notable;
mod policy;
mod rules;
mod tools;

use crate::paths::{ResolvedPath, Shape, World};

pub use notable::notable;
pub use policy::{BadPattern, SensitivePolicy};
pub(crate) use tools::search_of_everything;
pub use tools::{SensitiveFinding, ToolFields, judge_path, judge_tool};

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

/// A name that is no rule's, but says it all.
const NAMED_SECRET: Reason = Reason {
    rule: "named-secret",
    why: "the file is named after the secret in it",
    instead: "read the code that uses it, or a template without live values",
};

/// The project's own patterns; the finding names the one that fits.
const CUSTOM_PATTERN: Reason = Reason {
    rule: "custom-pattern",
    why: "the project's own patterns name it as sensitive",
    instead: "ask the person for the part that is needed",
};

/// A search without bounds; the finding names the place.
const SEARCH_EVERYTHING: Reason = Reason {
    rule: "search-everything",
    why: "a search through a whole home or machine reads the keys and logins in it, too",
    instead: "search the directory that is meant, or only one kind of file",
};

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
        .chain([NAMED_SECRET, CUSTOM_PATTERN, SEARCH_EVERYTHING])
}

/// Judges a resolved path by the built-in rules and the project's own. Every spelling counts: as it
/// was written, and where links lead. A pattern counts as the most sensitive name that it spells out.
pub fn classify(path: &ResolvedPath, access: Access, world: &dyn World) -> Sensitivity {
    let policy = world.sensitive_policy();
    if access == Access::Metadata || policy.allows(path, world) {
        return Sensitivity::Public;
    }
    if policy.denies(path, world) {
        return match access {
            Access::Glob | Access::List | Access::Metadata => Sensitivity::Maybe(CUSTOM_PATTERN),
            Access::Read | Access::Search | Access::Write | Access::Edit => {
                Sensitivity::Secret(CUSTOM_PATTERN)
            }
        };
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
        // Below a file there is nothing.
        Access::Search
            if !is_pattern
                && (matching::names_a_file(&folded) || names::is_code(folded.name())) =>
        {
            matching::judge_name(&folded, Access::Read)
        }
        Access::Search => matching::judge_name(&folded, Access::Read)
            .worse(meeting::judge_tree(&folded, spelling)),
        Access::Read | Access::Write | Access::Edit | Access::List | Access::Glob => {
            meeting::judge_pattern(&folded, access)
        }
    }
}
