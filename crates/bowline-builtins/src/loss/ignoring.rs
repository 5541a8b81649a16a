//! What git ignores after the line: rules that it changes on the way are not those that are on disk.

use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use bowline_guard::loss::{Act, GitAct, Target, TargetKind, Untracked, Writing};

use super::Losses;
use super::content::join;
use super::expand;
use super::outlook::finds;
use super::pathspec::Pathspecs;
use crate::machine::git::Repository;

/// The rules by which git ignores files, as the line leaves them.
#[derive(Debug)]
pub(super) struct Rules {
    pub(super) standing: RulesStanding,
    /// Names that the line has added to them, each with the folder where it holds.
    added: Vec<(PathBuf, String)>,
}

/// Whether the rules are those that are on disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RulesStanding {
    AsNow,
    /// They are others: what is ignored now need not be so then.
    Changed,
}

impl Rules {
    /// Whether the line itself has told git to ignore a path.
    pub(super) fn ignore_newly(&self, path: &Path) -> bool {
        self.added.iter().any(|(folder, name)| {
            let Ok(below) = path.strip_prefix(folder) else {
                return false;
            };
            let plain = name.trim_end_matches('/');
            match plain.strip_prefix('/') {
                Some(anchored) => below.starts_with(anchored),
                None if plain.contains('/') => below.starts_with(plain),
                None => below.components().any(|it| it.as_os_str() == plain),
            }
        })
    }
}

impl Losses<'_> {
    /// The rules after what the line has done before.
    pub(super) fn rules_after(&self, repository: &Repository, earlier: &[Act]) -> Rules {
        let mut rules = Rules {
            standing: RulesStanding::AsNow,
            added: Vec::new(),
        };
        for (at, act) in earlier.iter().enumerate() {
            if let Act::Git {
                directory,
                act: GitAct::Ignore { names },
            } = act
            {
                let plain = names.iter().filter(|it| is_plain(it));
                let added = plain.map(|it| (PathBuf::from(directory), it.clone()));
                rules.added.extend(added);
            }
            // Of what is only added to them it is known what it says.
            let told = earlier.get(at + 1).is_some_and(is_told);
            if !(told && adds(act)) && self.changes_rules(repository, act, earlier) {
                rules.standing = RulesStanding::Changed;
            }
        }
        rules
    }

    fn changes_rules(&self, repository: &Repository, act: &Act, earlier: &[Act]) -> bool {
        let names = |target: &Target| names_rules(repository, target);
        match act {
            Act::Perhaps(act) => self.changes_rules(repository, act, earlier),
            Act::Write { to, .. } => names(to),
            Act::Delete { target, .. } => names(target),
            Act::Copy { from, to, .. } => {
                let inside = Path::new(&to.path).starts_with(&repository.root);
                names(to) || (inside && Path::new(&to.path).is_dir() && from.iter().any(names))
            }
            Act::Move { from, to } => names(to) || from.iter().any(names),
            Act::Rename { from, .. } => from.iter().any(names),
            Act::DeleteFound(found) | Act::WriteFound(found) | Act::MoveFound { found, .. } => {
                finds(found, &repository.root.join(".gitignore"))
            }
            Act::Git { directory, act } => {
                let directory = Path::new(directory);
                let here = self.git.repository(directory);
                here.is_some_and(|it| it.root == repository.root)
                    && self
                        .git_changes_rules(repository, (directory, act), earlier)
                        .unwrap_or(true)
            }
            _ => false,
        }
    }

    fn git_changes_rules(
        &self,
        repository: &Repository,
        (directory, act): (&Path, &GitAct),
        earlier: &[Act],
    ) -> Option<bool> {
        let everything = Pathspecs::everything();
        let specs = |paths: &[String]| Pathspecs::new(paths, directory, repository);
        match act {
            GitAct::ResetHard { to } | GitAct::ForceSwitch { to } => {
                let to = to.as_deref().filter(|it| !made_by_line(it, earlier));
                Some(
                    self.has_loose_rules(repository, &everything)?
                        || self.has_other_rules(repository, to, &everything)?,
                )
            }
            GitAct::Switch { to: Some(to) } => {
                if made_by_line(to, earlier) {
                    return Some(false);
                }
                if self.git.resolve(repository, to).is_none() && directory.join(to).exists() {
                    let specs = specs(std::slice::from_ref(to))?;
                    return self.has_loose_rules(repository, &specs);
                }
                self.has_other_rules(repository, Some(to), &everything)
            }
            GitAct::CreateBranch { at, .. } => {
                self.has_other_rules(repository, at.as_deref(), &everything)
            }
            GitAct::Restore { source, paths, .. } => {
                let specs = specs(paths)?;
                Some(
                    self.has_loose_rules(repository, &specs)?
                        || self.has_other_rules(repository, source.as_deref(), &specs)?,
                )
            }
            GitAct::StashPush { paths, untracked } => {
                let specs = if paths.is_empty() {
                    everything
                } else {
                    specs(paths)?
                };
                let root = b".gitignore";
                let goes = *untracked != Untracked::No
                    && self.git.index_entry(repository, root)?.is_none()
                    && specs.matches(root)
                    && join(&repository.root, root).exists();
                Some(goes || self.has_loose_rules(repository, &specs)?)
            }
            GitAct::RemoveForced { paths } | GitAct::RemoveUnchanged { paths } => {
                let named = paths.iter().any(|it| it.ends_with(".gitignore"));
                Some(named || specs(paths)?.matches(b".gitignore"))
            }
            _ => Some(false),
        }
    }

    /// Whether rules are not as they were committed.
    fn has_loose_rules(&self, repository: &Repository, specs: &Pathspecs) -> Option<bool> {
        let changes = self.git.changes(repository, b"")?;
        let mut paths = changes.iter().map(|it| it.path.as_slice());
        Some(paths.any(|it| is_rules(it) && specs.matches(it)))
    }

    /// Whether a commit has other rules than the one that is checked out.
    fn has_other_rules(
        &self,
        repository: &Repository,
        to: Option<&str>,
        specs: &Pathspecs,
    ) -> Option<bool> {
        let Some(to) = to else {
            return Some(false);
        };
        let tree = |commit| Some(self.git.commit(repository, commit)?.tree);
        let old = tree(self.git.head(repository)?.commit?)?;
        let new = tree(self.git.resolve(repository, to)?)?;
        let paths = self.git.changed_paths(repository, Some(old), Some(new))?;
        Some(paths.iter().any(|it| is_rules(it) && specs.matches(it)))
    }
}

/// Whether a branch or tag of that name is one that the line has made where it began.
fn made_by_line(name: &str, earlier: &[Act]) -> bool {
    earlier.iter().any(|act| match act {
        Act::Git {
            act: GitAct::CreateBranch { name: made, at, .. },
            ..
        } => at.is_none() && made.rsplit_once('/').is_some_and(|(_, it)| it == name),
        _ => false,
    })
}

fn is_told(act: &Act) -> bool {
    match act {
        Act::Perhaps(act) => is_told(act),
        Act::Git {
            act: GitAct::Ignore { .. },
            ..
        } => true,
        _ => false,
    }
}

fn adds(act: &Act) -> bool {
    match act {
        Act::Perhaps(act) => adds(act),
        Act::Write { how, .. } => *how == Writing::Add,
        _ => false,
    }
}

/// Whether a rule is a name, and nothing that has to be matched.
fn is_plain(name: &str) -> bool {
    !name.trim_matches('/').is_empty() && !name.contains(['*', '?', '[', '\\', '!', '#', ' '])
}

fn is_rules(path: &[u8]) -> bool {
    path.rsplit(|it| *it == b'/').next() == Some(b".gitignore")
}

fn names_rules(repository: &Repository, target: &Target) -> bool {
    let is_one = |path: &Path| {
        path.starts_with(&repository.root)
            && (is_rules(path.as_os_str().as_bytes()) || path.ends_with(".git/info/exclude"))
    };
    if target.kind == TargetKind::Pattern {
        return expand::paths(target).is_none_or(|paths| paths.iter().any(|it| is_one(it)));
    }
    is_one(Path::new(&target.path))
}
