//! Files that git does not track, and `git clean` would delete.

use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use bowline_guard::loss::{self, Folders, Loss};

use super::Losses;
use super::content::{Ignored, join};
use super::files::named;
use super::git_line::{GitLine, Moved, Saved};
use super::ignoring::{Rules, RulesStanding};
use super::line::Line;
use super::pathspec::Pathspecs;
use super::taken::Standing;
use crate::machine::git::{self, IgnoredFiles, Repository, UntrackedKind};

impl Losses<'_> {
    pub(super) fn cleaned(
        &self,
        repository: &Repository,
        directory: &Path,
        (clean, rules): (&loss::Clean, Rules),
        (line, files): (&GitLine, &Line),
    ) -> Option<Loss> {
        if line.untracks == Moved::Yes {
            return None;
        }
        let mut sweep = Sweep::new(clean, directory, repository)?;
        // A rule that is turned round with `-e` is one that is changed.
        let turned = clean.excludes.iter().any(|it| it.starts_with('!'));
        if turned || rules.standing == RulesStanding::Changed {
            // What is ignored by then is not known.
            sweep.ignored = loss::IgnoredFiles::Also;
        }
        let ignored = match sweep.ignored {
            loss::IgnoredFiles::Keep => IgnoredFiles::Skip,
            loss::IgnoredFiles::Also | loss::IgnoredFiles::Only => IgnoredFiles::Include,
        };
        let mut lost = Vec::new();
        for entry in self.git.untracked(repository, b"", ignored)? {
            let is_ignored = entry.ignored == git::Ignored::Yes;
            let concerned = sweep.takes(&entry.path, entry.ignored)
                && self.is_reached(repository, &entry.path, clean.folders)?;
            let path = join(&repository.root, &entry.path);
            let spared = sweep.ignored == loss::IgnoredFiles::Keep && rules.ignore_newly(&path);
            if !concerned
                || spared
                || files.is_done_with(&path)
                || (line.untracked == Saved::Yes && !is_ignored)
            {
                continue;
            }
            let goes = match entry.kind {
                UntrackedKind::Repository if clean.folders != Folders::DeleteRepositories => false,
                UntrackedKind::Repository => true,
                UntrackedKind::File | UntrackedKind::Link => {
                    let rebuilt = is_ignored
                        && !self.is_brought(&path)
                        && self.rebuildable(&path, Ignored::Yes).is_some();
                    !rebuilt && self.is_lost(&path)?
                }
            };
            if goes {
                lost.push(entry.path);
            }
        }
        let carried = self.carried_into(repository, &sweep.specs, files, Standing::Untracked)?;
        for path in carried {
            let ignored = self.ignores(repository, &path)?;
            let saved = line.untracked == Saved::Yes && ignored == git::Ignored::No;
            if sweep.takes(&path, ignored) && !saved {
                lost.push(path);
            }
        }
        Some(if lost.is_empty() {
            Loss::Nothing("there is nothing to remove that somebody would miss".to_owned())
        } else {
            let what = format!("not in git, and not made by this session: {}", named(&lost));
            if clean.paths.is_empty() || sweep.specs.is_everything() {
                Loss::Whole(what)
            } else {
                Loss::Part(what)
            }
        })
    }

    fn ignores(&self, repository: &Repository, path: &[u8]) -> Option<git::Ignored> {
        let ignored = self.git.is_ignored(&join(&repository.root, path))?;
        Some(if ignored {
            git::Ignored::Yes
        } else {
            git::Ignored::No
        })
    }

    /// Whether `git clean` deletes a file that is not tracked, wherever it comes from.
    pub(super) fn cleans(
        &self,
        repository: &Repository,
        directory: &Path,
        clean: &loss::Clean,
        path: &[u8],
    ) -> Option<bool> {
        let sweep = Sweep::new(clean, directory, repository)?;
        let concerned = sweep.takes(path, self.ignores(repository, path)?);
        Some(concerned && self.is_reached(repository, path, clean.folders)?)
    }

    /// Without `-d`, only files in folders that hold something tracked are removed.
    pub(super) fn is_reached(
        &self,
        repository: &Repository,
        path: &[u8],
        folders: Folders,
    ) -> Option<bool> {
        if folders != Folders::Keep {
            return Some(true);
        }
        let end = path.iter().rposition(|byte| *byte == b'/');
        match end.and_then(|end| path.get(..end)) {
            None => Some(true),
            Some(folder) => self.git.tracks_below(repository, folder),
        }
    }
}

/// The files that `git clean` is told to delete.
struct Sweep {
    specs: Pathspecs,
    excludes: Vec<globset::GlobMatcher>,
    ignored: loss::IgnoredFiles,
}

impl Sweep {
    /// What words mean in a folder; `None` if that is unknown.
    fn new(clean: &loss::Clean, directory: &Path, repository: &Repository) -> Option<Self> {
        let specs = match clean.paths.as_slice() {
            // Without a path, git cleans what lies below the folder where it runs.
            [] => Pathspecs::new(&[".".to_owned()], directory, repository)?,
            paths => Pathspecs::new(paths, directory, repository)?,
        };
        let excludes = clean.excludes.iter().map(|it| {
            let glob = globset::Glob::new(it.trim_matches('/')).ok()?;
            Some(glob.compile_matcher())
        });
        Some(Self {
            specs,
            excludes: excludes.collect::<Option<_>>()?,
            ignored: clean.ignored,
        })
    }

    fn takes(&self, path: &[u8], ignored: git::Ignored) -> bool {
        let spared = self.excludes.iter().any(|it| {
            let path = Path::new(std::ffi::OsStr::from_bytes(path));
            path.ancestors().any(|part| {
                it.is_match(part) || part.file_name().is_some_and(|name| it.is_match(name))
            })
        });
        let kind = match self.ignored {
            loss::IgnoredFiles::Keep => ignored == git::Ignored::No,
            loss::IgnoredFiles::Also => true,
            loss::IgnoredFiles::Only => ignored == git::Ignored::Yes,
        };
        kind && !spared && self.specs.matches(path)
    }
}
