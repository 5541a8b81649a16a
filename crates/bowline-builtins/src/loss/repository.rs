//! What git throws away: uncommitted work, stashes, branches, work trees.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use bowline_guard::loss::{self, Act, Folders, GitAct, IndexToo, Loss, Untracked};
use bowline_guard::paths::is_within;

use super::Losses;
use super::content::{Ignored, join};
use super::files::named;
use super::line::{GitLine, Line, Moved, Saved, Whose};
use super::pathspec::{Pathspecs, normal};
use crate::machine::git::{
    self, IgnoredFiles, ObjectId, Repository, Staged, UntrackedKind, Worktree,
};

/// What is thrown away, and how much of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Extent {
    Part,
    Whole,
}

impl Losses<'_> {
    pub(super) fn of_git(&self, directory: &Path, act: &GitAct, earlier: &[Act]) -> Option<Loss> {
        let repository = self.git.repository(directory)?;
        let root = repository.root.to_str()?;
        // Somebody else's project is judged by the text; another work tree of this one is not somebody else's.
        let is_ours = || {
            let ours = self.git.repository(Path::new(self.project))?;
            Some(normal(&ours.common_dir)? == normal(&repository.common_dir)?)
        };
        if !is_within(root, self.project) && !is_within(self.project, root) && !is_ours()? {
            return None;
        }
        let files = Line::of_files(earlier);
        let before: Vec<&GitAct> = earlier
            .iter()
            .filter_map(|it| self.in_repository(it, &repository))
            .collect();
        let line = GitLine::follow(&before, |untracked| self.whose(&repository, untracked))?;
        let everything = Pathspecs::everything();
        let throws_away = matches!(
            act,
            GitAct::ResetHard { .. } | GitAct::ForceSwitch | GitAct::Restore { .. }
        );
        if throws_away && let Some(loss) = self.unstashed_by(&repository, &line)? {
            return Some(loss);
        }
        match act {
            GitAct::ResetHard { to } => {
                let loose = match line.tracked {
                    Saved::Yes => Vec::new(),
                    Saved::No => self.loose(&repository, &everything, IndexToo::Yes, &files)?,
                };
                let work = uncommitted(&loose, Extent::Whole);
                Some(match to.as_deref() {
                    None | Some("HEAD" | "@") => work,
                    Some(to) => work.and(self.dropped(&repository, to, &line)?),
                })
            }
            GitAct::ForceSwitch => {
                let loose = match line.tracked {
                    Saved::Yes => Vec::new(),
                    Saved::No => self.loose(&repository, &everything, IndexToo::Yes, &files)?,
                };
                Some(uncommitted(&loose, Extent::Whole))
            }
            GitAct::Restore { paths, index, .. } => {
                let specs = Pathspecs::new(paths, directory, &repository)?;
                let loose = match line.tracked {
                    Saved::Yes => Vec::new(),
                    Saved::No => self.loose(&repository, &specs, *index, &files)?,
                };
                Some(uncommitted(&loose, extent(&specs)))
            }
            GitAct::RemoveForced { paths } => {
                let specs = Pathspecs::new(paths, directory, &repository)?;
                let loose = self.loose(&repository, &specs, IndexToo::Yes, &files)?;
                let submodules = self.deinitialised(&repository, &specs, &files)?;
                Some(uncommitted(&loose, extent(&specs)).and(submodules))
            }
            GitAct::RemoveUnchanged => Some(Loss::Nothing(
                "git refuses to remove what it does not have".to_owned(),
            )),
            GitAct::Clean(clean) => self.cleaned(&repository, directory, clean, &line, &files),
            GitAct::StashDrop { number } => self.dropped_stash(&repository, (*number)?, &line),
            GitAct::StashClear => self.cleared(&repository, &line),
            GitAct::DeleteRefs { names } => self.deleted_refs(&repository, names, &line),
            GitAct::MoveRef { name, to } => self.moved_ref(&repository, name, to.as_deref(), &line),
            GitAct::WorktreeRemove { path } => self.removed_worktree(directory, path, &files),
            GitAct::SubmoduleDeinit { paths } => {
                let specs = if paths.is_empty() {
                    everything
                } else {
                    Pathspecs::new(paths, directory, &repository)?
                };
                self.deinitialised(&repository, &specs, &files)
            }
            GitAct::InSubmodules(acts) => self.in_submodules(&repository, acts),
            GitAct::Add { paths } => self.staged_deletion(&repository, directory, paths, earlier),
            _ => None,
        }
    }

    /// What the line has brought back from a stash is in the tree, and nowhere else.
    #[expect(clippy::option_option, reason = "unknown, or nothing")]
    fn unstashed_by(&self, repository: &Repository, line: &GitLine) -> Option<Option<Loss>> {
        if line.unstashed.is_empty() {
            return Some(None);
        }
        let stashes = self.git.stashes(repository)?;
        let theirs = line
            .unstashed
            .iter()
            .filter_map(|number| stashes.get(*number))
            .any(|stash| {
                !self
                    .work
                    .is_some_and(|work| work.owns_commit(&stash.to_string()))
            });
        let kept = line.popped == 0;
        Some((theirs && !kept).then(|| {
            Loss::Whole("what the line takes from a stash is not this session's".to_owned())
        }))
    }

    /// The act of git, if it is in this repository.
    fn in_repository<'a>(&self, act: &'a Act, repository: &Repository) -> Option<&'a GitAct> {
        match act {
            Act::Git { directory, act } => {
                let there = self.git.repository(Path::new(directory))?;
                (there.root == repository.root).then_some(act)
            }
            _ => None,
        }
    }

    /// Whose work a stash of everything would take; the inner `None` if there is nothing to take.
    #[expect(clippy::option_option, reason = "unknown, or nothing")]
    fn whose(&self, repository: &Repository, untracked: Untracked) -> Option<Option<Whose>> {
        let mut found = !self.git.changes(repository, b"")?.is_empty();
        if untracked == Untracked::Yes {
            for entry in self.git.untracked(repository, b"", IgnoredFiles::Skip)? {
                found = true;
                if self.is_lost(&join(&repository.root, &entry.path))? {
                    return Some(Some(Whose::Others));
                }
            }
        }
        if !found {
            return Some(None);
        }
        let loose = self.loose(
            repository,
            &Pathspecs::everything(),
            IndexToo::Yes,
            &Line::default(),
        )?;
        Some(Some(if loose.is_empty() {
            Whose::Own
        } else {
            Whose::Others
        }))
    }

    /// The tracked paths whose work of others would be gone if they were set back.
    fn loose(
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

    /// Commits of others that nothing holds any more when the branch goes elsewhere.
    fn dropped(&self, repository: &Repository, to: &str, line: &GitLine) -> Option<Loss> {
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
    fn unheld(
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
                    "{commits} would be held by no branch or tag, and this session did not make them"
                );
                match extent {
                    Extent::Part => Loss::Part(what),
                    Extent::Whole => Loss::Whole(what),
                }
            }
        })
    }

    fn cleaned(
        &self,
        repository: &Repository,
        directory: &Path,
        clean: &loss::Clean,
        line: &GitLine,
        files: &Line,
    ) -> Option<Loss> {
        let specs = match clean.paths.as_slice() {
            // Without a path, git cleans what lies below the folder where it runs.
            [] => Pathspecs::new(&[".".to_owned()], directory, repository)?,
            paths => Pathspecs::new(paths, directory, repository)?,
        };
        let excludes: Vec<globset::GlobMatcher> = clean
            .excludes
            .iter()
            .map(|it| {
                Some(
                    globset::Glob::new(it.trim_matches('/'))
                        .ok()?
                        .compile_matcher(),
                )
            })
            .collect::<Option<_>>()?;
        let ignored = match clean.ignored {
            loss::IgnoredFiles::Keep => IgnoredFiles::Skip,
            loss::IgnoredFiles::Also | loss::IgnoredFiles::Only => IgnoredFiles::Include,
        };
        let mut lost = Vec::new();
        for entry in self.git.untracked(repository, b"", ignored)? {
            let is_ignored = entry.ignored == git::Ignored::Yes;
            let spared = excludes.iter().any(|it| {
                let path = Path::new(std::ffi::OsStr::from_bytes(&entry.path));
                path.ancestors().any(|part| {
                    it.is_match(part) || part.file_name().is_some_and(|name| it.is_match(name))
                })
            });
            let concerned = specs.matches(&entry.path)
                && !spared
                && (clean.ignored != loss::IgnoredFiles::Only || is_ignored)
                && self.is_reached(repository, &entry.path, clean.folders)?;
            let path = join(&repository.root, &entry.path);
            if !concerned
                || files.is_done_with(&path)
                || (line.untracked == Saved::Yes && !is_ignored)
            {
                continue;
            }
            let goes = match entry.kind {
                UntrackedKind::Repository if clean.folders != Folders::DeleteRepositories => false,
                UntrackedKind::Repository => true,
                UntrackedKind::File | UntrackedKind::Link => {
                    let rebuilt = is_ignored && self.rebuildable(&path, Ignored::Yes).is_some();
                    !rebuilt && self.is_lost(&path)?
                }
            };
            if goes {
                lost.push(entry.path);
            }
        }
        Some(if lost.is_empty() {
            Loss::Nothing("there is nothing to remove that somebody would miss".to_owned())
        } else {
            let what = format!(
                "{} is not in git, and this session did not make it",
                named(&lost)
            );
            if clean.paths.is_empty() || specs.is_everything() {
                Loss::Whole(what)
            } else {
                Loss::Part(what)
            }
        })
    }

    /// Without `-d`, only files in folders that hold something tracked are removed.
    fn is_reached(&self, repository: &Repository, path: &[u8], folders: Folders) -> Option<bool> {
        if folders != Folders::Keep {
            return Some(true);
        }
        let end = path.iter().rposition(|byte| *byte == b'/');
        match end.and_then(|end| path.get(..end)) {
            None => Some(true),
            Some(folder) => self.git.tracks_below(repository, folder),
        }
    }

    fn dropped_stash(
        &self,
        repository: &Repository,
        number: usize,
        line: &GitLine,
    ) -> Option<Loss> {
        if let Some(stash) = line
            .stashes
            .len()
            .checked_sub(number + 1)
            .and_then(|at| line.stashes.get(at))
        {
            return Some(match (stash.holds, stash.applied) {
                (_, true) => {
                    Loss::Nothing("the stash was applied: the work is in the tree".to_owned())
                }
                (Whose::Own, false) => {
                    Loss::Nothing("the stash holds only this session's work".to_owned())
                }
                (Whose::Others, false) => {
                    Loss::Whole("the stash takes work that this session did not make".to_owned())
                }
            });
        }
        let number = line.real(number)?;
        match self.git.stashes(repository)?.get(number) {
            None => Some(Loss::Nothing("there is no such stash".to_owned())),
            Some(_) if line.applied.contains(&number) => Some(Loss::Nothing(
                "the stash was applied: the work is in the tree".to_owned(),
            )),
            Some(stash) => self.lost_stash(repository, *stash),
        }
    }

    fn cleared(&self, repository: &Repository, line: &GitLine) -> Option<Loss> {
        let mut loss = Loss::Nothing("there is no stash that somebody would miss".to_owned());
        for number in 0..line.stashes.len() {
            loss = loss.and(self.dropped_stash(repository, number, line)?);
        }
        for stash in self.git.stashes(repository)?.iter().skip(line.popped) {
            loss = loss.and(self.lost_stash(repository, *stash)?);
        }
        Some(loss)
    }

    fn lost_stash(&self, repository: &Repository, stash: ObjectId) -> Option<Loss> {
        if self
            .work
            .is_some_and(|work| work.owns_commit(&stash.to_string()))
        {
            return Some(Loss::Nothing(
                "the stash holds only this session's work".to_owned(),
            ));
        }
        let holders: Vec<ObjectId> = self
            .git
            .refs(repository)?
            .into_iter()
            .filter(|(name, _)| name != "refs/stash")
            .map(|(_, id)| id)
            .collect();
        if self.git.unheld(repository, stash, &holders)?.is_empty() {
            return Some(Loss::Nothing("another ref holds the stash".to_owned()));
        }
        if self.is_applied(repository, stash)? {
            return Some(Loss::Nothing(
                "the stash was applied: the work is in the tree".to_owned(),
            ));
        }
        Some(Loss::Whole(
            "the stash is the only copy of work that this session did not make".to_owned(),
        ))
    }

    /// Whether all that a stash holds is on disk, too.
    fn is_applied(&self, repository: &Repository, stash: ObjectId) -> Option<bool> {
        let commit = self.git.commit(repository, stash)?;
        let untracked = commit.parents.get(2).copied();
        for path in self.paths_of_stash(repository, stash)? {
            let mut entry = self.git.tree_entry(repository, commit.tree, &path)?;
            if let (None, Some(untracked)) = (&entry, untracked) {
                let tree = self.git.commit(repository, untracked)?.tree;
                entry = self.git.tree_entry(repository, tree, &path)?;
            }
            let on_disk = self.git.blob_id(&join(&repository.root, &path));
            let same = match entry {
                Some(entry) => {
                    on_disk == Some(entry.id)
                        || self.git.held_in_branch(repository, &path, entry.id)?
                }
                None => true,
            };
            if !same {
                return Some(false);
            }
        }
        Some(true)
    }

    /// The paths that a stash changes or adds.
    pub(crate) fn paths_of_stash(
        &self,
        repository: &Repository,
        stash: ObjectId,
    ) -> Option<Vec<Vec<u8>>> {
        let commit = self.git.commit(repository, stash)?;
        let base = self.git.commit(repository, *commit.parents.first()?)?.tree;
        let mut paths = self
            .git
            .changed_paths(repository, Some(base), Some(commit.tree))?;
        if let Some(untracked) = commit.parents.get(2) {
            let tree = self.git.commit(repository, *untracked)?.tree;
            paths.extend(self.git.changed_paths(repository, None, Some(tree))?);
        }
        Some(paths)
    }

    fn deleted_refs(
        &self,
        repository: &Repository,
        names: &[String],
        line: &GitLine,
    ) -> Option<Loss> {
        let refs = self.git.refs(repository)?;
        let mut loss = Loss::Nothing("there is no such ref".to_owned());
        let mut without: Vec<&str> = names.iter().map(String::as_str).collect();
        // Where we are holds a commit only while nobody goes elsewhere.
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
                    Whose::Own => Loss::Nothing("the same line made the branch".to_owned()),
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

    fn moved_ref(
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

    fn removed_worktree(&self, directory: &Path, path: &str, files: &Line) -> Option<Loss> {
        let folder = normal(&directory.join(path))?;
        if files.has_made(&folder) {
            return Some(Loss::Nothing("the same line made the work tree".to_owned()));
        }
        if fs::symlink_metadata(&folder).is_err() {
            return Some(Loss::Nothing("there is no such work tree".to_owned()));
        }
        let repository = self.git.repository(&folder)?;
        if repository.root != folder {
            return None;
        }
        let mut lost = self.loose(&repository, &Pathspecs::everything(), IndexToo::Yes, files)?;
        for entry in self
            .git
            .untracked(&repository, b"", IgnoredFiles::Include)?
        {
            let file = join(&repository.root, &entry.path);
            let ignored = match entry.ignored {
                git::Ignored::Yes => Ignored::Yes,
                git::Ignored::No => Ignored::No,
            };
            let below = String::from_utf8_lossy(&entry.path).into_owned();
            let rebuilt = bowline_guard::paths::rebuildable_by_name(&below)
                || (ignored == Ignored::Yes && !bowline_guard::paths::precious_by_name(&below));
            if !rebuilt && self.is_lost(&file)? {
                lost.push(entry.path);
            }
        }
        let mut loss = uncommitted(&lost, Extent::Whole);
        let head = self.git.head(&repository)?;
        if let (None, Some(commit)) = (&head.branch, head.commit) {
            let line = GitLine::default();
            let own = repository.git_dir.file_name()?.to_str()?;
            let name = format!("worktrees/{own}/HEAD");
            loss = loss.and(self.unheld(
                &repository,
                commit,
                &["HEAD", &name],
                &[],
                &line,
                Extent::Whole,
            )?);
        }
        Some(loss)
    }

    fn deinitialised(
        &self,
        repository: &Repository,
        specs: &Pathspecs,
        files: &Line,
    ) -> Option<Loss> {
        let mut loss =
            Loss::Nothing("the submodules hold nothing that somebody would miss".to_owned());
        for submodule in self.git.submodules(repository)? {
            let folder = join(&repository.root, &submodule);
            if !specs.matches(&submodule) || fs::symlink_metadata(folder.join(".git")).is_err() {
                continue;
            }
            let inner = self.git.repository(&folder)?;
            if let Some(lost) = self.lost_below(&inner, &folder, files)? {
                let what = format!(
                    "{} holds work that git does not have and that this session did not make",
                    self.shown(&lost)
                );
                loss = loss.and(if specs.is_everything() {
                    Loss::Whole(what)
                } else {
                    Loss::Part(what)
                });
            }
        }
        Some(loss)
    }

    fn in_submodules(&self, repository: &Repository, acts: &[GitAct]) -> Option<Loss> {
        let mut loss =
            Loss::Nothing("there is no submodule with work that somebody would miss".to_owned());
        for submodule in self.git.submodules(repository)? {
            let folder = join(&repository.root, &submodule);
            if fs::symlink_metadata(folder.join(".git")).is_err() {
                continue;
            }
            for act in acts {
                loss = loss.and(self.of_git(&folder, act, &[])?);
            }
        }
        Some(loss)
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

fn extent(specs: &Pathspecs) -> Extent {
    if specs.is_everything() {
        Extent::Whole
    } else {
        Extent::Part
    }
}

fn uncommitted(paths: &[Vec<u8>], extent: Extent) -> Loss {
    if paths.is_empty() {
        return Loss::Nothing("no uncommitted work of others is in the way".to_owned());
    }
    let what = format!(
        "{} has uncommitted work that this session did not make",
        named(paths)
    );
    match extent {
        Extent::Part => Loss::Part(what),
        Extent::Whole => Loss::Whole(what),
    }
}
