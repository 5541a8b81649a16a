//! Which commits can be reached from where.

use std::collections::{BinaryHeap, HashMap, HashSet};

use super::GitReader;
use super::checkout::Checkout;
use super::object::{Commit, Kind};
use super::object_id::ObjectId;
use super::refs::distinct;
use crate::machine::repository::Repository;

/// Clocks differ: commits that are this much older than the last one in question are still looked at.
const SKEW: i64 = 24 * 60 * 60;
/// And this many more, because a clock may be wrong by years.
const SLOP: usize = 64;

/// What is known of a commit that was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Colour {
    /// From the tip, and from no holder so far.
    Unheld,
    Held,
}

/// A walk over commits, the youngest first.
struct Walk<'a> {
    reader: &'a GitReader<'a>,
    checkout: &'a Checkout,
    commits: HashMap<ObjectId, (Commit, Colour)>,
    queue: BinaryHeap<(i64, ObjectId, Colour)>,
    /// Commits in the queue that nothing is known to hold.
    open: HashSet<ObjectId>,
    /// The date of the oldest commit that nothing is known to hold, unless that has to be looked up anew.
    oldest: Option<i64>,
}

impl GitReader<'_> {
    /// What a commit says about where it stands.
    pub(crate) fn commit(&self, repo: &Repository, id: ObjectId) -> Option<Commit> {
        let checkout = self.checkout(repo)?;
        if checkout.replaces {
            return None;
        }
        checkout.store.commit(id, self.budget())
    }

    /// The commits that can be reached from `tip` and from none of the `holders`, the youngest first. A holder that
    /// is no commit holds none. Where clocks went far astray, commits may be told that are held after all, as git
    /// itself would; none is left out that is not.
    pub(crate) fn unheld(
        &self,
        repo: &Repository,
        tip: ObjectId,
        holders: &[ObjectId],
    ) -> Option<Vec<ObjectId>> {
        if holders.contains(&tip) {
            return Some(Vec::new());
        }
        let checkout = self.checkout(repo)?;
        if checkout.replaces {
            return None;
        }
        let mut walk = Walk {
            reader: self,
            checkout: &checkout,
            commits: HashMap::new(),
            queue: BinaryHeap::new(),
            open: HashSet::new(),
            oldest: None,
        };
        walk.reach(tip, Colour::Unheld)?;
        for holder in distinct(holders.iter().copied()) {
            let (commit, kind) = checkout.store.peel(holder, self.budget())?;
            if kind == Kind::Commit {
                walk.reach(commit, Colour::Held)?;
            }
        }
        walk.run()
    }
}

impl Walk<'_> {
    /// Notes how a commit was reached, and plans to go on from it if that is news.
    fn reach(&mut self, id: ObjectId, colour: Colour) -> Option<()> {
        let date = match self.commits.get_mut(&id) {
            Some((_, Colour::Held)) => return Some(()),
            Some(_) if colour == Colour::Unheld => return Some(()),
            Some((commit, known)) => {
                *known = Colour::Held;
                self.open.remove(&id);
                self.oldest = None;
                commit.date
            }
            None => {
                let commit = self.checkout.store.commit(id, self.reader.budget())?;
                let date = commit.date;
                self.commits.insert(id, (commit, colour));
                if colour == Colour::Unheld {
                    self.open.insert(id);
                    self.oldest = None;
                }
                date
            }
        };
        self.queue.push((date, id, colour));
        Some(())
    }

    fn run(mut self) -> Option<Vec<ObjectId>> {
        let mut slop = SLOP;
        while let Some((date, id, colour)) = self.queue.pop() {
            // What turned out to be held meanwhile stands in the queue a second time.
            if colour == Colour::Unheld && !self.open.remove(&id) {
                continue;
            }
            let parents = self.commits.get(&id)?.0.parents.clone();
            for parent in parents {
                self.reach(parent, colour)?;
            }
            if !self.open.is_empty() {
                continue;
            }
            // From here on only holders are left. They may still reach what is in question.
            match self.oldest_unheld() {
                None => break,
                Some(oldest) if date >= oldest.saturating_sub(SKEW) => slop = SLOP,
                Some(_) if slop == 0 => break,
                Some(_) => slop -= 1,
            }
        }
        let mut unheld: Vec<(i64, ObjectId)> = self.unheld().collect();
        unheld.sort_unstable_by(|a, b| b.cmp(a));
        Some(unheld.into_iter().map(|(_, id)| id).collect())
    }

    fn oldest_unheld(&mut self) -> Option<i64> {
        if self.oldest.is_none() {
            self.oldest = self.unheld().map(|(date, _)| date).min();
        }
        self.oldest
    }

    fn unheld(&self) -> impl Iterator<Item = (i64, ObjectId)> {
        let commits = self.commits.iter();
        commits
            .filter(|(_, (_, colour))| *colour == Colour::Unheld)
            .map(|(id, (commit, _))| (commit.date, *id))
    }
}
