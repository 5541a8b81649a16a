//! What a call is about to change, and what was there before.

use serde::{Deserialize, Serialize};

use super::reach::Reach;

/// A path that a call writes, and whose its content was.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Touch {
    pub(crate) path: String,
    pub(crate) before: Before,
    /// Whether the agent was shown what is there now: its own tool wrote it.
    #[serde(default)]
    pub(crate) shown: bool,
    /// What it was copied from, if that was somebody else's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) copy_of: Option<String>,
    /// Whether somebody else's work was moved there.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) moved: bool,
    /// What git's index held for the path, in hexadecimal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) staged: Option<String>,
}

/// What was at a path before a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Before {
    /// Nothing.
    Missing,
    /// What git has, or what can be made again.
    Held,
    /// What the session made.
    Own,
    /// Somebody else's work, or unknown.
    Other,
}

/// What is kept of one call.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct CallWork {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) touched: Vec<Touch>,
    /// Commits and stashes with nothing in them but the session's own work, in hexadecimal.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) commits: Vec<String>,
    /// Stashes with work of others among the session's own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) mixed: Vec<MixedStash>,
    /// What the call left in the files that it touched: paths, and the names that git would give to their content.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) left: Vec<(String, String)>,
    /// How far it reaches beyond what it names; `None` if it does not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) reach: Option<Reach>,
    /// The tracked files that held somebody else's work when it began; `None` if they were not looked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) others: Option<Vec<String>>,
    /// What was in the repository, if the call makes commits or stashes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) before: Option<GitBefore>,
}

/// A stash that holds the session's own work and that of others.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct MixedStash {
    /// Its name, in hexadecimal.
    pub(super) id: String,
    /// The paths within the repository that hold work of others.
    pub(super) others: Vec<String>,
}

/// A repository before a call that makes commits or stashes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct GitBefore {
    /// Where git ran.
    pub(super) folder: String,
    /// What its refs and stashes held, in hexadecimal.
    pub(super) refs: Vec<String>,
    /// The paths with uncommitted work of others; `None` if they were not looked for.
    #[serde(default)]
    pub(super) others: Option<Vec<String>>,
}

impl CallWork {
    pub(super) fn is_empty(&self) -> bool {
        self.touched.is_empty()
            && self.commits.is_empty()
            && self.mixed.is_empty()
            && self.left.is_empty()
            && self.before.is_none()
            && self.reach.is_none()
            && self.others.is_none()
    }
}
