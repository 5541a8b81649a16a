//! A rebase that has begun and not ended.

use super::GitReader;
use super::budget::{Text, read_file};
use super::object_id::ObjectId;
use crate::machine::repository::Repository;

/// Longer names are not read.
const MAX_NAME: usize = 4 * 1024;

/// A rebase at one of its stops.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Rebase {
    /// The full name of the branch that will be moved at the end; no ref's name where there is none.
    pub(crate) branch: String,
    /// The commit that could not be taken over; `None` where it was, and may be changed.
    pub(crate) stopped: Option<ObjectId>,
}

impl GitReader<'_> {
    /// The rebase that has begun in a checkout, if there is one.
    pub(crate) fn rebase(&self, repo: &Repository) -> Option<Option<Rebase>> {
        for folder in ["rebase-merge", "rebase-apply"] {
            self.budget().file()?;
            let folder = repo.git_dir.join(folder);
            let branch = match read_file(&folder.join("head-name"), MAX_NAME) {
                Text::Missing => continue,
                Text::Unknown => return None,
                Text::Known(name) => String::from_utf8(name).ok()?,
            };
            let was_taken = folder.join("amend").exists();
            let stopped = (!was_taken).then(|| self.resolve(repo, "REBASE_HEAD"));
            return Some(Some(Rebase {
                branch: branch.trim_end().to_owned(),
                stopped: stopped.flatten(),
            }));
        }
        Some(None)
    }
}
