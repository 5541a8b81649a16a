//! Whether git has a file's content, and what else one asks before something is lost.

use std::collections::{HashSet, VecDeque};

use super::GitReader;
use super::checkout::Checkout;
use super::object_id::ObjectId;
use super::refs::distinct;
use crate::machine::repository::Repository;

/// At most this many refs are looked at for a content under another name.
const MAX_TIPS: usize = 50;
/// So far back a path is followed.
const MAX_COMMITS: usize = 1_000;

impl GitReader<'_> {
    /// Whether the last commit of some ref, or a stash, has exactly this content at this path.
    pub(crate) fn held_at_path(
        &self,
        repo: &Repository,
        path: &[u8],
        blob: ObjectId,
    ) -> Option<bool> {
        let checkout = self.checkout(repo)?;
        let refs = self.refs(repo)?.into_iter().map(|(_, id)| id);
        let stashes = self.stashes(repo)?;
        let mut commits = distinct(refs.chain(stashes.iter().copied()));
        for stash in stashes {
            // The index and the untracked files of the time.
            let parts = checkout.store.commit(stash, self.budget());
            commits.extend(
                parts
                    .into_iter()
                    .flat_map(|it| it.parents.into_iter().skip(1)),
            );
        }
        let mut is_certain = true;
        for commit in distinct(commits) {
            match self.has_at_path(&checkout, commit, path, blob) {
                Some(true) => return Some(true),
                Some(false) => {}
                None => is_certain = false,
            }
        }
        is_certain.then_some(false)
    }

    /// Whether a ref holds this content: at this path now or in its history, or under another name in its last commit.
    pub(crate) fn held_anywhere(
        &self,
        repo: &Repository,
        path: &[u8],
        blob: ObjectId,
    ) -> Option<bool> {
        let at_path = self.held_at_path(repo, path, blob);
        let checkout = self.checkout(repo)?;
        if at_path == Some(true) || checkout.store.read(blob, self.budget()).is_none() {
            return at_path;
        }
        let refs = self.refs(repo)?.into_iter().map(|(_, id)| id);
        let tips = distinct(refs);
        for tip in tips.iter().take(MAX_TIPS) {
            let tree = checkout.store.commit(*tip, self.budget())?.tree;
            let files = self.files_in(&checkout, tree, b"")?;
            if files.values().any(|entry| entry.id == blob) {
                return Some(true);
            }
        }
        let mut seen: HashSet<ObjectId> = tips.iter().copied().collect();
        let mut queue: VecDeque<ObjectId> = tips.into();
        while let Some(commit) = queue.pop_front() {
            if seen.len() > MAX_COMMITS {
                return None;
            }
            if self.has_at_path(&checkout, commit, path, blob)? {
                return Some(true);
            }
            let parents = checkout.store.commit(commit, self.budget())?.parents;
            queue.extend(parents.into_iter().filter(|parent| seen.insert(*parent)));
        }
        Some(false)
    }

    pub(super) fn has_at_path(
        &self,
        checkout: &Checkout,
        commit: ObjectId,
        path: &[u8],
        blob: ObjectId,
    ) -> Option<bool> {
        let commit = checkout.store.commit(commit, self.budget())?;
        let entry = self.entry_in(checkout, commit.tree, path)?;
        Some(entry.is_some_and(|entry| entry.id == blob && !entry.is_submodule()))
    }

    /// What an alias stands for; the inner `None` if there is none of this name.
    pub(crate) fn alias(&self, repo: &Repository, name: &str) -> Option<Option<String>> {
        let checkout = self.checkout(repo)?;
        let settings = &checkout.settings;
        // Newer versions of git also know `[alias "name"] command = …`.
        let newer = settings.last("alias", Some(name), "command");
        let value = settings.last("alias", None, &name.to_ascii_lowercase());
        match (value, newer) {
            (Some(value), None) => Some(Some(value.text()?.to_owned())),
            (None, None) if !settings.includes_others() => Some(None),
            _ => None,
        }
    }
}
