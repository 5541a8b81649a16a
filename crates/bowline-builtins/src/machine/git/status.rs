//! How files stand: to the index, and the index to the head.

use std::collections::BTreeSet;
use std::path::Path;

use super::GitReader;
use super::checkout::{Checkout, Default as Setting};
use super::content::Worktree;
use super::entries::{Entries, IndexEntry, ReadIndex, Stage};
use super::object_id::ObjectId;
use super::tree::{Folder, TreeEntry};
use crate::machine::look::{Links, Seen};
use crate::machine::repository::{Located, Repository};

/// How one file stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// There is no such file.
    Missing,
    /// The head has it as it is.
    Clean,
    /// The index has it as it is, and the head has not.
    Staged,
    /// The index has something else.
    Modified,
    Untracked,
    Ignored,
    /// A repository of its own.
    Submodule,
    NoRepository,
}

/// How the index stands to the head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Staged {
    Unchanged,
    Added,
    Modified,
    Deleted,
    /// A merge has not been settled there.
    Conflicted,
}

/// A tracked path of which the head, the index and the checkout do not have the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Changed {
    pub(crate) path: Vec<u8>,
    pub(crate) staged: Staged,
    /// What the checkout has, compared with the index. Of a path that the index has no longer, it is unchanged:
    /// a file there is untracked.
    pub(crate) worktree: Worktree,
}

impl GitReader<'_> {
    /// The status of a file or a link; unknown for folders. Flags such as `assume-unchanged` are ignored.
    pub(crate) fn standing(&self, path: &Path) -> Option<Standing> {
        let seen = self.look().at(path, Links::Keep)?;
        if seen == Seen::Missing {
            return Some(Standing::Missing);
        }
        let Some(place) = self.machine.repositories.place(path, self.look())? else {
            return Some(Standing::NoRepository);
        };
        let is_gits_own = place.names.contains(&b".git".as_slice());
        (!is_gits_own).then_some(())?;
        let checkout = self.checkout(&place.repository)?;
        let index = self.read_index(&checkout)?;
        let name = place.names.join(&b'/');
        let listed = index.entries.at(&name);
        match listed.as_slice() {
            [] if matches!(seen, Seen::File(_) | Seen::Link) => {
                self.standing_of_unlisted(&checkout, &index.entries, &place, &name)
            }
            [] => None,
            [entry] if entry.is_submodule() => Some(Standing::Submodule),
            _ if seen == Seen::Folder => None,
            [entry] if entry.stage == Stage::Merged => {
                self.standing_of_listed(&checkout, &index, &name, entry)
            }
            _ => Some(Standing::Modified),
        }
    }

    /// Whether git's ignore rules cover a path, whether something is there or not.
    pub(crate) fn is_ignored(&self, path: &Path) -> Option<bool> {
        self.machine.repositories.is_ignored(path, self.look())
    }

    fn standing_of_listed(
        &self,
        checkout: &Checkout,
        index: &ReadIndex,
        name: &[u8],
        entry: &IndexEntry,
    ) -> Option<Standing> {
        if self.compare_with_index(checkout, index, name, entry)? != Worktree::Unchanged {
            return Some(Standing::Modified);
        }
        let in_head = match self.head_tree(checkout)? {
            Some(tree) => self.entry_in(checkout, tree, name)?,
            None => None,
        };
        Some(if in_head.is_some_and(|it| is_same(entry, it)) {
            Standing::Clean
        } else {
            Standing::Staged
        })
    }

    fn standing_of_unlisted(
        &self,
        checkout: &Checkout,
        entries: &Entries,
        place: &Located<'_>,
        name: &[u8],
    ) -> Option<Standing> {
        let ignores_case = checkout.settings.core("ignorecase", Setting::Off)?;
        if ignores_case && entries.names().any(|it| it.eq_ignore_ascii_case(name)) {
            return None;
        }
        let repositories = &self.machine.repositories;
        let rules = self.general_rules(checkout)?;
        let ignored = repositories.is_ignored_by_rules(
            &checkout.repository,
            &rules,
            &place.names,
            self.look(),
        )?;
        Some(if ignored {
            Standing::Ignored
        } else {
            Standing::Untracked
        })
    }

    /// Every tracked path at or below `under` (empty for all) that is not the same in the head, the index and the
    /// checkout. Submodules are left out.
    pub(crate) fn changes(&self, repo: &Repository, under: &[u8]) -> Option<Vec<Changed>> {
        let checkout = self.checkout(repo)?;
        let index = self.read_index(&checkout)?;
        let head = match self.head_tree(&checkout)? {
            Some(tree) => self.files_in(&checkout, tree, under)?,
            None => Folder::new(),
        };
        let listed = index.entries.under(under);
        let mut changes = Vec::new();
        for sides in listed.chunk_by(|(a, _), (b, _)| a == b) {
            let Some((name, first)) = sides.first() else {
                continue;
            };
            if sides.iter().any(|(_, entry)| entry.is_submodule()) {
                continue;
            }
            let changed = if first.stage == Stage::Merged {
                Changed {
                    path: name.to_vec(),
                    staged: staged(first, head.get(*name)),
                    worktree: self.worktree_of(&checkout, &index, name, first)?,
                }
            } else {
                Changed {
                    path: name.to_vec(),
                    staged: Staged::Conflicted,
                    worktree: self.worktree_of_conflict(&checkout, &index, name, sides)?,
                }
            };
            if changed.staged != Staged::Unchanged || changed.worktree != Worktree::Unchanged {
                changes.push(changed);
            }
        }
        let known: BTreeSet<&[u8]> = listed.iter().map(|(name, _)| *name).collect();
        let removed = head
            .iter()
            .filter(|(name, entry)| !entry.is_submodule() && !known.contains(name.as_slice()));
        changes.extend(removed.map(|(name, _)| Changed {
            path: name.clone(),
            staged: Staged::Deleted,
            worktree: Worktree::Unchanged,
        }));
        changes.sort_by(|a, b| a.path.cmp(&b.path));
        Some(changes)
    }

    fn worktree_of(
        &self,
        checkout: &Checkout,
        index: &ReadIndex,
        name: &[u8],
        entry: &IndexEntry,
    ) -> Option<Worktree> {
        match self.compare_with_index(checkout, index, name, entry)? {
            // It is excluded from a sparse checkout.
            Worktree::Deleted if entry.skip_worktree => Some(Worktree::Unchanged),
            found => Some(found),
        }
    }

    /// Unchanged if the checkout has what one of the sides has.
    fn worktree_of_conflict(
        &self,
        checkout: &Checkout,
        index: &ReadIndex,
        name: &[u8],
        sides: &[(&[u8], &IndexEntry)],
    ) -> Option<Worktree> {
        let mut worktree = Worktree::Modified;
        for (_, entry) in sides {
            match self.compare_with_index(checkout, index, name, entry)? {
                Worktree::Unchanged => return Some(Worktree::Unchanged),
                found => worktree = found,
            }
        }
        Some(worktree)
    }

    /// The tree of the commit that is checked out; the inner `None` before the first.
    pub(super) fn head_tree(&self, checkout: &Checkout) -> Option<Option<ObjectId>> {
        let Some(commit) = self.follow(checkout, "HEAD")? else {
            return Some(None);
        };
        if checkout.replaces {
            return None;
        }
        let commit = checkout.store.commit(commit, self.budget())?;
        Some(Some(commit.tree))
    }
}

fn staged(entry: &IndexEntry, in_head: Option<&TreeEntry>) -> Staged {
    match in_head {
        // Git takes what is only intended to be added as absent.
        Some(_) if entry.intent_to_add => Staged::Deleted,
        None if entry.intent_to_add => Staged::Unchanged,
        None => Staged::Added,
        Some(in_head) if is_same(entry, *in_head) => Staged::Unchanged,
        Some(_) => Staged::Modified,
    }
}

fn is_same(entry: &IndexEntry, in_head: TreeEntry) -> bool {
    !entry.intent_to_add && entry.id == in_head.id && entry.mode == in_head.canonical_mode()
}
