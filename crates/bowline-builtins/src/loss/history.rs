//! Commits that nothing would hold any more.

use bowline_guard::loss::Loss;

use super::Losses;
use super::git_line::{GitLine, LineBranch, Moved, Whose};
use super::repository::Extent;
use crate::machine::git::{ObjectId, Repository};

impl Losses<'_> {
    /// Commits of others that nothing holds any more when the branch goes elsewhere.
    pub(super) fn dropped(
        &self,
        repository: &Repository,
        to: &str,
        line: &GitLine,
    ) -> Option<Loss> {
        if line.moved == Moved::Yes {
            return None;
        }
        let head = self.git.head(repository)?;
        let Some(from) = head.commit else {
            return Some(Loss::Nothing("there is no commit yet".to_owned()));
        };
        let to = self.git.resolve(repository, to)?;
        let names = [head.branch.as_deref().unwrap_or("HEAD"), "HEAD"];
        self.unheld(repository, from, &names, &[to], line, Extent::Part)
    }

    /// What becomes of the commits under a tip when some refs no longer hold them.
    pub(super) fn unheld(
        &self,
        repository: &Repository,
        tip: ObjectId,
        without: &[&str],
        with: &[ObjectId],
        line: &GitLine,
        extent: Extent,
    ) -> Option<Loss> {
        let mut holders: Vec<ObjectId> = self
            .git
            .refs(repository)?
            .into_iter()
            .filter(|(name, _)| !without.contains(&name.as_str()) && !line.lets_go_of(name))
            .map(|(_, id)| id)
            .collect();
        holders.extend(with);
        holders.extend(
            line.kept
                .iter()
                .filter_map(|name| self.git.resolve(repository, name)),
        );
        for branch in line
            .branches
            .iter()
            .filter(|it| !without.contains(&it.name.as_str()))
        {
            let at = branch.at.as_deref().unwrap_or("HEAD");
            holders.extend(self.git.resolve(repository, at));
        }
        let unheld = self.git.unheld(repository, tip, &holders)?;
        let others = unheld.iter().filter(|id| {
            !self
                .work
                .is_some_and(|work| work.owns_commit(&id.to_string()))
        });
        Some(match (others.count(), unheld.len()) {
            (0, 0) => Loss::Nothing("another ref holds the commits".to_owned()),
            (0, _) => Loss::Nothing("the commits are this session's own".to_owned()),
            (count, _) => {
                let commits = if count == 1 {
                    "1 commit".to_owned()
                } else {
                    format!("{count} commits")
                };
                let what = format!(
                    "{commits} with work that this session did not make would be held by no branch or tag"
                );
                match extent {
                    Extent::Part => Loss::Part(what),
                    Extent::Whole => Loss::Whole(what),
                }
            }
        })
    }

    pub(super) fn deleted_refs(
        &self,
        repository: &Repository,
        names: &[String],
        line: &GitLine,
    ) -> Option<Loss> {
        let refs = self.git.refs(repository)?;
        let mut loss = Loss::Nothing("there is no such ref".to_owned());
        let mut without: Vec<&str> = names.iter().map(String::as_str).collect();
        // The head holds a commit only until something else is checked out.
        without.push("HEAD");
        let head = self.git.head(repository)?;
        let stays = head
            .commit
            .filter(|_| !names.contains(&head.branch.clone().unwrap_or_default()));
        let with: Vec<ObjectId> = stays.into_iter().collect();
        for name in names {
            if name.contains('…') {
                return None;
            }
            if let Some(branch) = line.branches.iter().find(|it| it.name == *name) {
                loss = loss.and(match branch.holds {
                    Whose::Own if line.set_to.is_empty() || branch.after == Moved::Yes => {
                        Loss::Nothing("the same line made the branch".to_owned())
                    }
                    Whose::Own => self.let_go(repository, branch, &without, line)?,
                    Whose::Others => Loss::Whole(
                        "the branch has the only commit of work that this session did not make"
                            .to_owned(),
                    ),
                });
                continue;
            }
            let Some((_, tip)) = refs.iter().find(|(known, _)| known == name) else {
                continue;
            };
            if line.moved == Moved::Yes {
                return None;
            }
            loss = loss.and(self.unheld(repository, *tip, &without, &with, line, Extent::Whole)?);
        }
        Some(loss)
    }

    /// What only a branch of the line's own still holds, after another was set to an older commit.
    fn let_go(
        &self,
        repository: &Repository,
        branch: &LineBranch,
        without: &[&str],
        line: &GitLine,
    ) -> Option<Loss> {
        let at = |branch: &LineBranch| {
            let at = branch.at.as_deref().unwrap_or("HEAD");
            self.git.resolve(repository, at)
        };
        let tip = at(branch)?;
        let head = self.git.head(repository)?;
        let mut without = without.to_vec();
        without.extend(head.branch.as_deref());
        without.push(&branch.name);
        let last = line.set_to.last()?;
        let mut made = line.branches.iter();
        let there = match made.find(|it| it.name.rsplit('/').next() == Some(last)) {
            Some(branch) => at(branch)?,
            None => self.git.resolve(repository, last)?,
        };
        self.unheld(repository, tip, &without, &[there], line, Extent::Whole)
    }

    /// A branch that takes the place and the name of another.
    pub(super) fn overwritten_ref(
        &self,
        repository: &Repository,
        name: &str,
        with: Option<&str>,
        line: &GitLine,
    ) -> Option<Loss> {
        let refs = self.git.refs(repository)?;
        let Some((_, lost)) = refs.iter().find(|(known, _)| known == name) else {
            return Some(Loss::Nothing("there is no branch of that name".to_owned()));
        };
        let with = self.git.resolve(repository, with.unwrap_or("HEAD"))?;
        self.unheld(repository, *lost, &[name], &[with], line, Extent::Whole)
    }

    pub(super) fn moved_ref(
        &self,
        repository: &Repository,
        name: &str,
        to: Option<&str>,
        line: &GitLine,
    ) -> Option<Loss> {
        let refs = self.git.refs(repository)?;
        let head = self.git.head(repository)?;
        let full = if name == "HEAD" {
            head.branch.as_deref().unwrap_or("HEAD")
        } else {
            name
        };
        let Some((_, from)) = refs.iter().find(|(known, _)| known == full) else {
            return Some(Loss::Nothing("the branch is new".to_owned()));
        };
        let to = self.git.resolve(repository, to.unwrap_or("HEAD"))?;
        let mut without = vec![full];
        if head.branch.as_deref() == Some(full) {
            without.push("HEAD");
        }
        self.unheld(repository, *from, &without, &[to], line, Extent::Part)
    }
}
