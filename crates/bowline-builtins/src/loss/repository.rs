//! What git throws away: uncommitted work, stashes, branches, work trees.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use bowline_guard::loss::{self, Act, GitAct, IndexToo, Loss};
use bowline_guard::paths::{glob, is_within};

use super::Losses;
use super::content::join;
use super::expand;
use super::files::named;
use super::git_line::{GitLine, Moved, Saved, Whose};
use super::line::Line;
use super::pathspec::{Pathspecs, normal};
use super::taken::Standing;
use crate::machine::git::{self, IgnoredFiles, ObjectId, Repository, Staged, Worktree};

/// What is thrown away, and how much of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Extent {
    Part,
    Whole,
}

impl Losses<'_> {
    /// The same as [`Self::of_git`], in each of the folders that a pattern names: a loop over them.
    pub(super) fn of_git_in(
        &self,
        directory: &Path,
        act: &GitAct,
        line: (&[Act], &Line),
    ) -> Option<Loss> {
        if !is_pattern(directory) {
            return self.of_git(directory, act, line);
        }
        let mut loss = Loss::Nothing("there is no such folder".to_owned());
        for folder in expand::matching(directory.to_str()?)? {
            if folder.is_dir() {
                loss = loss.and(self.of_git(&folder, act, line)?);
            }
        }
        Some(loss)
    }

    fn of_git(
        &self,
        directory: &Path,
        act: &GitAct,
        (earlier, files): (&[Act], &Line),
    ) -> Option<Loss> {
        // In a work tree or clone that the line has made is nothing yet.
        if files.has_made(directory) && throws_away(act) {
            let came = files.carried_to(directory).next();
            let why = "the same line made the work tree".to_owned();
            return came.is_none().then_some(Loss::Nothing(why));
        }
        let repository = self.git.repository(directory)?;
        let root = repository.root.to_str()?;
        // Somebody else's project is judged by the text; another work tree of this one is not somebody else's.
        let is_ours = || {
            let ours = self.git.repository(Path::new(self.project))?;
            Some(normal(&ours.common_dir)? == normal(&repository.common_dir)?)
        };
        let near = is_within(root, self.project) || is_within(self.project, root);
        if !near && !self.is_own_scratch(&repository) && !is_ours()? {
            return None;
        }
        let before: Vec<(&Path, &GitAct)> = earlier
            .iter()
            .filter_map(|it| self.in_repository(it, &repository))
            .collect();
        let line = self.git_line(&repository, &before, files)?;
        let everything = Pathspecs::everything();
        let drops = matches!(act, GitAct::StashDrop { .. } | GitAct::StashClear);
        if drops && line.stashes.is_empty() && self.git.stashes(&repository)?.is_empty() {
            return Some(Loss::Nothing("there is no stash".to_owned()));
        }
        // What was in the tree when the line began need not be there when a stash goes.
        if drops && before.iter().any(|(_, it)| sets_back(it)) {
            return None;
        }
        let takes_index = sets_back(act)
            || matches!(act, GitAct::RemoveForced { .. })
            || (drops && !line.stashes.is_empty());
        if takes_index && earlier.iter().any(may_stage) {
            return None;
        }
        if line.adrift == Whose::Others && leaves(act) {
            return Some(Loss::Whole(
                "the line commits work that this session did not make, and no branch holds the commit"
                    .to_owned(),
            ));
        }
        if sets_back(act)
            && let Some(loss) = self.unstashed_by(&repository, &line)?
        {
            return Some(loss);
        }
        match act {
            GitAct::ResetHard { to } => {
                let loose = self.loose_unless_saved(
                    &repository,
                    &everything,
                    IndexToo::Yes,
                    (&line, files),
                )?;
                let in_the_way =
                    self.in_the_way(&repository, to.as_deref(), &everything, (&line, files))?;
                let work = uncommitted(&[loose, in_the_way].concat(), Extent::Whole);
                Some(match to.as_deref() {
                    None | Some("HEAD" | "@") => work,
                    Some(to) => work.and(self.dropped(&repository, to, &line)?),
                })
            }
            GitAct::ForceSwitch { to } => {
                let loose = self.loose_unless_saved(
                    &repository,
                    &everything,
                    IndexToo::Yes,
                    (&line, files),
                )?;
                let in_the_way =
                    self.in_the_way(&repository, to.as_deref(), &everything, (&line, files))?;
                Some(uncommitted(&[loose, in_the_way].concat(), Extent::Whole))
            }
            GitAct::Restore {
                source,
                paths,
                index,
            } => {
                let specs = Pathspecs::new(paths, directory, &repository)?;
                let mut loose =
                    self.loose_unless_saved(&repository, &specs, *index, (&line, files))?;
                loose.extend(self.untracked_first(&repository, &specs, *index, &line)?);
                loose.extend(self.only_announced(&repository, &specs, (&line, files))?);
                if let Some(source) = source {
                    loose.extend(self.in_the_way(
                        &repository,
                        Some(source),
                        &specs,
                        (&line, files),
                    )?);
                }
                Some(uncommitted(&loose, extent(&specs)))
            }
            GitAct::Switch { to: Some(to) } => {
                if let Some(commit) = self.git.resolve(&repository, to) {
                    return self.switched(&repository, commit, (&line, files));
                }
                if !directory.join(to).exists() {
                    return Some(Loss::Nothing("git keeps what is not committed".to_owned()));
                }
                let specs = Pathspecs::new(std::slice::from_ref(to), directory, &repository)?;
                let index = IndexToo::No;
                let mut loose =
                    self.loose_unless_saved(&repository, &specs, index, (&line, files))?;
                loose.extend(self.untracked_first(&repository, &specs, index, &line)?);
                loose.extend(self.only_announced(&repository, &specs, (&line, files))?);
                Some(uncommitted(&loose, extent(&specs)))
            }
            GitAct::RemoveForced { paths } => {
                let specs = Pathspecs::new(paths, directory, &repository)?;
                let mut loose = self.loose(&repository, &specs, IndexToo::Yes, files)?;
                loose.extend(self.only_added(&repository, &specs, (&line, files))?);
                let submodules = self.deinitialised(&repository, &specs, files)?;
                Some(uncommitted(&loose, extent(&specs)).and(submodules))
            }
            GitAct::RemoveUnchanged { .. } => Some(Loss::Nothing(
                "git refuses to remove what it does not have".to_owned(),
            )),
            GitAct::Clean(clean) => {
                let rules = self.rules_after(&repository, earlier);
                self.cleaned(&repository, directory, (clean, rules), (&line, files))
            }
            GitAct::StashDrop { number } => {
                self.dropped_stash(&repository, (*number)?, (&line, files))
            }
            GitAct::StashClear => self.cleared(&repository, (&line, files)),
            GitAct::DeleteRefs { names } => self.deleted_refs(&repository, names, &line),
            GitAct::OverwriteRef { name, with } => {
                self.overwritten_ref(&repository, name, with.as_deref(), &line)
            }
            GitAct::Abort => self.aborted(&repository, files),
            GitAct::AbortRebase => self.set_back_in_rebase(&repository, files),
            GitAct::SkipCommit => self.skipped_commit(&repository, (&line, files)),
            GitAct::RebaseOnto {
                onto,
                after,
                branch,
            } => self.rebased_onto(&repository, (onto, after, branch.as_deref()), &line),
            GitAct::TakeOver { branch } => {
                self.taken_over(&repository, branch.as_deref(), (&line, files))
            }
            GitAct::TakeSide { paths } => {
                let specs = Pathspecs::new(paths, directory, &repository)?;
                self.took_side(&repository, &specs, files)
            }
            GitAct::MoveRef { name, to } => self.moved_ref(&repository, name, to.as_deref(), &line),
            GitAct::WorktreeRemove { path } => {
                self.removed_worktrees(&repository, &directory.join(path), files)
            }
            GitAct::SubmoduleDeinit { paths } => {
                let specs = if paths.is_empty() {
                    everything
                } else {
                    Pathspecs::new(paths, directory, &repository)?
                };
                self.deinitialised(&repository, &specs, files)
            }
            GitAct::InSubmodules(acts) => self.in_submodules(&repository, acts),
            GitAct::Export { of } => {
                let specs = Pathspecs::new(&[".".to_owned()], directory, &repository)?;
                let line = (&line, files);
                let mut loose = self.loose_unless_saved(&repository, &specs, IndexToo::No, line)?;
                loose.extend(self.in_the_way(&repository, Some(of), &specs, line)?);
                Some(uncommitted(&loose, Extent::Part))
            }
            GitAct::Add { paths } => self.staged_deletion(&repository, directory, paths, earlier),
            _ => None,
        }
    }

    /// The same as [`Self::loose`], unless the line has put all of it somewhere safe.
    pub(super) fn loose_unless_saved(
        &self,
        repository: &Repository,
        specs: &Pathspecs,
        index: IndexToo,
        (line, files): (&GitLine, &Line),
    ) -> Option<Vec<Vec<u8>>> {
        match line.tracked {
            Saved::Yes => Some(Vec::new()),
            Saved::No => self.loose(repository, specs, index, files),
        }
    }

    /// Files that git does not track, and that a commit would put something else over; also those that the line has only
    /// just put into the index, which are gone with it.
    fn in_the_way(
        &self,
        repository: &Repository,
        to: Option<&str>,
        specs: &Pathspecs,
        (line, files): (&GitLine, &Line),
    ) -> Option<Vec<Vec<u8>>> {
        let Some(commit) = self.git.resolve(repository, to.unwrap_or("HEAD")) else {
            // Without a commit there is nothing to put there; one that is not known may have anything.
            return match (to, line.moved) {
                (None | Some("HEAD" | "@"), _) | (_, Moved::Yes) => Some(Vec::new()),
                (Some(_), Moved::No) => None,
            };
        };
        if line.untracked == Saved::Yes {
            return Some(Vec::new());
        }
        let tree = self.git.commit(repository, commit)?.tree;
        let added = line.in_index(repository);
        let mut found = Vec::new();
        for entry in self.git.untracked(repository, b"", IgnoredFiles::Include)? {
            let path = join(&repository.root, &entry.path);
            if !specs.matches(&entry.path) || files.is_safe(&path) {
                continue;
            }
            let staged =
                entry.ignored == git::Ignored::No && added.iter().any(|it| it.matches(&entry.path));
            let replaced = match self.git.tree_entry(repository, tree, &entry.path)? {
                Some(there) => self.git.blob_id(&path) != Some(there.id),
                None => false,
            };
            if (staged || replaced) && self.is_lost(&path)? {
                found.push(entry.path);
            }
        }
        Some(found)
    }

    /// What is left behind when another commit is checked out: commits that only the head held, and ignored files that git
    /// puts tracked ones over without a word.
    fn switched(
        &self,
        repository: &Repository,
        to: ObjectId,
        (line, files): (&GitLine, &Line),
    ) -> Option<Loss> {
        let head = self.git.head(repository)?;
        let mut loss = Loss::Nothing("git keeps what is not committed".to_owned());
        let Some(from) = head.commit else {
            return Some(loss);
        };
        if head.branch.is_none() && line.moved == Moved::No {
            let left = self.unheld(repository, from, &["HEAD"], &[to], line, Extent::Part)?;
            loss = loss.and(left);
        }
        let tree = |commit| Some(self.git.commit(repository, commit)?.tree);
        let (old, new) = (tree(from)?, tree(to)?);
        let mut lost = Vec::new();
        for path in self.git.changed_paths(repository, Some(old), Some(new))? {
            let file = join(&repository.root, &path);
            let in_the_way = fs::symlink_metadata(&file).is_ok_and(|it| !it.is_dir())
                && !files.is_safe(&file)
                && self.git.index_entry(repository, &path)?.is_none();
            if !in_the_way {
                continue;
            }
            let there = self.git.tree_entry(repository, new, &path)?;
            let replaced = there.is_some_and(|it| self.git.blob_id(&file) != Some(it.id));
            if replaced && self.is_lost(&file)? {
                lost.push(path);
            }
        }
        Some(loss.and(uncommitted(&lost, Extent::Part)))
    }

    /// The act of git, if it is in this repository.
    fn in_repository<'a>(
        &self,
        act: &'a Act,
        repository: &Repository,
    ) -> Option<(&'a Path, &'a GitAct)> {
        match act {
            Act::Perhaps(act) => {
                let (directory, act) = self.in_repository(act, repository)?;
                (!saves(act)).then_some((directory, act))
            }
            Act::Git { directory, act } => {
                let directory = Path::new(directory);
                // Which folders a pattern names is known too late for what they keep.
                if is_pattern(directory) && saves(act) {
                    return None;
                }
                let there = self.git.repository(directory)?;
                (there.root == repository.root).then_some((directory, act))
            }
            _ => None,
        }
    }

    /// The tracked paths whose work of others would be gone if they were set back.
    pub(super) fn loose(
        &self,
        repository: &Repository,
        specs: &Pathspecs,
        index: IndexToo,
        line: &Line,
    ) -> Option<Vec<Vec<u8>>> {
        let safe = |path: &Path| match index {
            IndexToo::Yes => line.is_safe(path),
            IndexToo::No => line.is_done_with(path),
        };
        let mut loose = Vec::new();
        for change in self.git.changes(repository, b"")? {
            if !specs.matches(&change.path) {
                continue;
            }
            let path = join(&repository.root, &change.path);
            let changed = matches!(change.worktree, Worktree::Modified | Worktree::TypeChanged)
                && !safe(&path)
                && self.is_lost(&path)?;
            let staged = index == IndexToo::Yes
                && change.staged != Staged::Unchanged
                && self.is_staged_by_others(repository, &change.path)?;
            if changed || staged {
                loose.push(change.path);
            }
        }
        loose.extend(self.carried_into(repository, specs, line, Standing::Tracked)?);
        Some(loose)
    }

    /// All paths with work of others, tracked or not.
    pub(super) fn loose_paths(&self, repository: &Repository) -> Option<Vec<Vec<u8>>> {
        let line = Line::default();
        let mut loose = self.loose(repository, &Pathspecs::everything(), IndexToo::Yes, &line)?;
        for entry in self.git.untracked(repository, b"", IgnoredFiles::Skip)? {
            if self.is_lost(&join(&repository.root, &entry.path)) != Some(false) {
                loose.push(entry.path);
            }
        }
        Some(loose)
    }

    /// A file that the line deleted, and that only the index had.
    fn staged_deletion(
        &self,
        repository: &Repository,
        directory: &Path,
        paths: &[String],
        earlier: &[Act],
    ) -> Option<Loss> {
        let specs = if paths.is_empty() {
            Pathspecs::everything()
        } else {
            Pathspecs::new(paths, directory, repository)?
        };
        let mut lost = Vec::new();
        for act in earlier {
            let act = match act {
                Act::Perhaps(act) => act,
                act => act,
            };
            let targets = match act {
                Act::Delete { target, .. } => super::expand::paths(target)?,
                Act::Write {
                    to,
                    how: loss::Writing::Replace,
                } => super::expand::paths(to)?,
                _ => continue,
            };
            for target in targets {
                let Ok(under) = target.strip_prefix(&repository.root) else {
                    continue;
                };
                for change in self.git.changes(repository, under.as_os_str().as_bytes())? {
                    if change.staged != Staged::Unchanged
                        && specs.matches(&change.path)
                        && self.is_staged_by_others(repository, &change.path)?
                    {
                        lost.push(change.path);
                    }
                }
            }
        }
        Some(uncommitted(&lost, Extent::Part))
    }
}

/// Whether a folder stands for several; brackets may also be a part of its name.
fn is_pattern(directory: &Path) -> bool {
    directory.to_str().is_some_and(glob::has_wildcard) && !directory.exists()
}

/// Whether git puts work somewhere safe.
fn saves(act: &GitAct) -> bool {
    matches!(
        act,
        GitAct::StashPush { .. }
            | GitAct::Add { .. }
            | GitAct::Commit { .. }
            | GitAct::CreateBranch { .. }
            | GitAct::Merge { .. }
            | GitAct::Push { .. }
    )
}

/// Whether git may have put files into the index that go with it.
fn may_stage(act: &Act) -> bool {
    let Act::Perhaps(act) = act else {
        return false;
    };
    matches!(
        &**act,
        Act::Git {
            act: GitAct::Add { .. },
            ..
        }
    )
}

/// Whether git sets tracked files back.
fn sets_back(act: &GitAct) -> bool {
    matches!(
        act,
        GitAct::ResetHard { .. }
            | GitAct::ForceSwitch { .. }
            | GitAct::TakeOver { .. }
            | GitAct::AbortRebase
            | GitAct::SkipCommit
            | GitAct::Restore { .. }
    )
}

/// Whether git throws away what is not committed, and nothing else.
fn throws_away(act: &GitAct) -> bool {
    match act {
        GitAct::ResetHard { to } | GitAct::ForceSwitch { to } => {
            matches!(to.as_deref(), None | Some("HEAD" | "@"))
        }
        GitAct::Restore { .. } | GitAct::Clean(_) => true,
        _ => false,
    }
}

/// Whether git goes to another commit.
fn leaves(act: &GitAct) -> bool {
    match act {
        GitAct::Switch { to } | GitAct::ForceSwitch { to } | GitAct::ResetHard { to } => {
            !matches!(to.as_deref(), None | Some("HEAD" | "@"))
        }
        _ => false,
    }
}

fn extent(specs: &Pathspecs) -> Extent {
    if specs.is_everything() {
        Extent::Whole
    } else {
        Extent::Part
    }
}

pub(super) fn uncommitted(paths: &[Vec<u8>], extent: Extent) -> Loss {
    if paths.is_empty() {
        return Loss::Nothing("no uncommitted work of others is in the way".to_owned());
    }
    let mut paths = paths.to_vec();
    paths.sort();
    paths.dedup();
    let what = format!(
        "uncommitted work that this session did not make is in {}",
        named(&paths)
    );
    match extent {
        Extent::Part => Loss::Part(what),
        Extent::Whole => Loss::Whole(what),
    }
}
