//! What a search finds, as far as its words tell.

use super::{Depth, Target};
use crate::paths::leftover_by_name;
use crate::search::{Finds, Pattern};

/// What a search finds: at most everything below its roots.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Where it looks, as written and as a path.
    roots: Vec<(String, Target)>,
    finds: Finds,
    /// How much of what is found goes.
    depth: Depth,
    /// At most this many folders deep it looks; `None` without end.
    levels: Option<usize>,
    /// A text that every file has which is found.
    holding: Option<String>,
    lister: Lister,
    links: Links,
}

/// What a search does about a link to a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Links {
    /// It is found itself.
    Stay,
    /// The search goes on behind it.
    Follow,
}

/// Who says what is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lister {
    /// A search through folders, git's own among them.
    Search,
    /// A search for text, which leaves git's own folder out.
    WithoutGits,
    /// Somebody who also leaves out what git ignores.
    Visible,
    /// Git, of the files that it tracks.
    Tracked,
}

impl Found {
    pub(crate) fn new(
        roots: Vec<(String, Target)>,
        finds: Finds,
        depth: Depth,
        levels: Option<usize>,
    ) -> Self {
        Self {
            roots,
            finds,
            depth,
            levels,
            holding: None,
            lister: Lister::Search,
            links: Links::Stay,
        }
    }

    /// The same, by a search that goes into folders behind links.
    pub(crate) fn through_links(self) -> Self {
        Self {
            links: Links::Follow,
            ..self
        }
    }

    /// What the search does about a link to a folder.
    pub fn links(&self) -> Links {
        self.links
    }

    /// The same, listed by somebody else: files that hold this text, if one is given.
    pub(crate) fn listed(self, lister: Lister, holding: Option<String>) -> Self {
        Self {
            holding,
            lister,
            ..self
        }
    }

    /// A text that every file has which is found.
    pub fn holding(&self) -> Option<&str> {
        self.holding.as_deref()
    }

    /// Who says what is found.
    pub fn lister(&self) -> Lister {
        self.lister
    }

    /// Where it looks.
    pub fn roots(&self) -> impl Iterator<Item = &Target> {
        self.roots.iter().map(|(_, target)| target)
    }

    /// Whether it looks for what people leave behind.
    pub fn is_for_leftovers(&self) -> bool {
        self.finds.alternatives().iter().any(|one| {
            !one.is_empty_only()
                && one.patterns().any(|pattern| match pattern {
                    Pattern::Name(name) => leftover_by_name(&name.replace(['*', '?'], "x")),
                    _ => false,
                })
        })
    }

    /// Whether only folders are found.
    pub(crate) fn is_of_folders(&self) -> bool {
        let mut ways = self.finds.alternatives().iter();
        ways.all(|it| it.kinds() == Some("d"))
    }

    /// Whether everything below its roots may be found.
    pub fn is_everything(&self) -> bool {
        self.finds == Finds::anything() && self.levels.is_none()
    }

    /// At most this many folders deep it looks; `None` without end.
    pub fn levels(&self) -> Option<usize> {
        self.levels
    }

    /// Whether what lies at `below` one of the roots, or a folder around it that goes with everything in it, may be found.
    pub fn may_take(&self, root: &Target, below: &str) -> bool {
        let written = self.roots.iter().filter(|(_, target)| target == root);
        written.into_iter().any(|(written, _)| {
            let reached = |below: &str| {
                let level = below.split('/').filter(|it| !it.is_empty()).count();
                self.levels.is_none_or(|levels| level <= levels)
            };
            let found = |below: &str| {
                let written = written.trim_end_matches('/');
                reached(below) && self.finds.may_hold(&format!("{written}/{below}"))
            };
            match self.depth {
                Depth::One => found(below),
                Depth::Tree => {
                    let ends = below.match_indices('/').map(|(at, _)| at);
                    let mut folders = ends.filter_map(|end| below.get(..end));
                    folders.any(found) || found(below) || self.finds.may_hold(written)
                }
            }
        })
    }
}
