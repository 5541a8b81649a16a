//! What one file holds, and who has it besides.

use std::ffi::OsStr;
use std::fs::{self, Metadata};
use std::io::Read as _;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use bowline_guard::loss::Loss;
use bowline_guard::paths::{
    is_within, leftover_by_name, product_by_name, rebuildable_by_name, scratch_by_name,
};
use chrono::{DateTime, Local, Utc};

use super::files::unsaved;
use super::{Losses, Released, expand};
use crate::machine::git::{Repository, Standing};
use crate::work::Times;

/// What is at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Content {
    Missing,
    Folder,
    /// Git has it, and how.
    Held(&'static str),
    /// Only git's index has it.
    Staged,
    /// It can be made again, and how.
    Rebuildable(&'static str),
    /// The session made it, at this time.
    Own(DateTime<Utc>),
    /// Somebody else has it there and nowhere else.
    Other,
    Unknown,
}

/// A path within a repository as one on disk.
pub(super) fn join(root: &Path, path: &[u8]) -> PathBuf {
    root.join(OsStr::from_bytes(path))
}

pub(super) fn show(path: &[u8]) -> String {
    String::from_utf8_lossy(path).into_owned()
}

impl Losses<'_> {
    /// What is at a path that is no link to be followed.
    pub(super) fn content(&self, path: &Path) -> Content {
        let metadata = match fs::symlink_metadata(path) {
            Ok(metadata) => metadata,
            Err(error) => {
                return match error.kind() {
                    std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory => {
                        Content::Missing
                    }
                    _ => Content::Unknown,
                };
            }
        };
        if metadata.is_dir() {
            return Content::Folder;
        }
        if metadata.is_file() && metadata.len() == 0 {
            return Content::Held("it is empty");
        }
        if let Some(since) = self.since_of(path, &metadata) {
            return if self.is_last_copy(path) {
                self.unless_held(path)
            } else {
                Content::Own(since)
            };
        }
        match self.git.standing(path) {
            None => Content::Unknown,
            Some(Standing::Missing) => Content::Missing,
            Some(Standing::Clean) => Content::Held("tracked and unmodified: git has it"),
            Some(Standing::Staged) if self.released.get() == Released::Something => {
                self.unless_held(path)
            }
            Some(Standing::Staged) => Content::Staged,
            Some(Standing::Modified) => match self.changed_since(path, &metadata) {
                Some(since) => Content::Own(since),
                None if self.is_unresolved(path) => {
                    Content::Held("a conflict that nobody has resolved")
                }
                None => self.unless_held(path),
            },
            Some(Standing::Submodule) => Content::Other,
            Some(Standing::Untracked | Standing::Ignored) => {
                let moved = || Some(self.work?.is_moved(path.to_str()?));
                let moved = moved().unwrap_or(false);
                match self.rebuildable(path, Ignored::Ask).filter(|_| !moved) {
                    Some(why) => Content::Rebuildable(why),
                    None => self.unless_held(path),
                }
            }
            Some(Standing::NoRepository) => match self.rebuildable(path, Ignored::No) {
                Some(why) => Content::Rebuildable(why),
                None => Content::Other,
            },
        }
    }

    /// Whether a file of the session's own is a copy of what somebody had and has no longer.
    fn is_last_copy(&self, path: &Path) -> bool {
        let last = || {
            let work = self.work?;
            let original = work.original(path.to_str()?)?;
            let from = Path::new(&original);
            let same = self.git.blob_id(from) == self.git.blob_id(path) && !self.is_gone(from);
            let edited = work.was_edited(&original);
            Some(!same && !edited && !self.is_copied(&original, path))
        };
        last().unwrap_or(false)
    }

    /// Whether the session has made a copy of a file that is still there, and not where it is soon gone.
    fn has_copy(&self, path: &Path) -> bool {
        path.to_str().is_some_and(|it| self.is_copied(it, path))
    }

    /// Whether another copy of an original has the same content as a file, and still exists at the end of the line.
    fn is_copied(&self, original: &str, path: &Path) -> bool {
        let copies = self.work.map(|it| it.copies_of(original));
        let lasts = |copy: &Path| {
            copy != path
                && !self.is_temporary(copy)
                && self.git.blob_id(copy) == self.git.blob_id(path)
                && !self.is_gone(copy)
        };
        copies.is_some_and(|copies| copies.iter().any(|copy| lasts(Path::new(copy))))
    }

    /// Whether the session has moved or copied somebody's work to where a path or a pattern leads, or below it.
    pub(crate) fn holds_brought_work(&self, path: &str) -> bool {
        let mut brought = self
            .brought(|it| is_within(it, path) || expand::matched(path, Path::new(it)).is_some());
        brought.next().is_some()
    }

    /// Whether the session has moved or copied somebody's work to a path, alone or with the folder that it lies in.
    pub(super) fn is_brought(&self, path: &Path) -> bool {
        let brought = || {
            let (work, path) = (self.work?, path.to_str()?);
            Some(work.is_moved(path) || work.original(path).is_some())
        };
        brought().unwrap_or(false)
    }

    /// The paths to which the session has moved or copied somebody's work, and where something is.
    pub(super) fn brought(&self, wanted: impl Fn(&str) -> bool) -> impl Iterator<Item = PathBuf> {
        let brought = self.work.map(|it| it.brought(wanted));
        let paths = brought.into_iter().flatten().map(PathBuf::from);
        paths.filter(|it| fs::symlink_metadata(it).is_ok())
    }

    /// A file with changes may be just what another branch or a stash has.
    fn unless_held(&self, path: &Path) -> Content {
        let held = || {
            // What the line has let go of may be what held it.
            (self.released.get() == Released::Nothing).then_some(())?;
            let folder = path.parent()?;
            let repository = self.git.repository(folder)?;
            let below = path
                .strip_prefix(&repository.root)
                .ok()?
                .as_os_str()
                .as_bytes()
                .to_vec();
            let blob = self.git.blob_id(path)?;
            self.git.held_anywhere(&repository, &below, blob)
        };
        match held() {
            Some(true) => Content::Held("git has the same content in its history"),
            _ if self.has_copy(path) => Content::Held("this session has made a copy of it"),
            _ => Content::Other,
        }
    }

    /// Why a file that git does not track is made again, if it is.
    pub(super) fn rebuildable(&self, path: &Path, ignored: Ignored) -> Option<&'static str> {
        let below = path.to_str()?.strip_prefix(self.project)?.trim_matches('/');
        if rebuildable_by_name(below) {
            return Some("a build makes it again");
        }
        if scratch_by_name(below) && !leftover_by_name(below) {
            return Some("it comes and goes");
        }
        let is_ignored = match ignored {
            Ignored::Yes => true,
            Ignored::No => false,
            Ignored::Ask => matches!(self.git.standing(path), Some(Standing::Ignored)),
        };
        (is_ignored && is_product(path, below))
            .then_some("git ignores it, and a build makes it again")
    }

    /// Since when a file is the session's own.
    pub(super) fn since(&self, path: &Path) -> Option<DateTime<Utc>> {
        self.since_of(path, &fs::symlink_metadata(path).ok()?)
    }

    fn since_of(&self, path: &Path, metadata: &Metadata) -> Option<DateTime<Utc>> {
        let (work, text) = (self.work?, path.to_str()?);
        work.owns(text, times(metadata)?)
            .or_else(|| work.left(text, || Some(self.git.blob_id(path)?.to_string())))
    }

    /// Since when a tracked file has nothing but what the session's programs changed.
    fn changed_since(&self, path: &Path, metadata: &Metadata) -> Option<DateTime<Utc>> {
        self.work?.changed(path.to_str()?, times(metadata)?)
    }

    pub(super) fn knows(&self, path: &Path) -> bool {
        let known = || {
            let times = times(&fs::symlink_metadata(path).ok()?)?;
            let content = || Some(self.git.blob_id(path)?.to_string());
            Some(self.work?.knows(path.to_str()?, times, content))
        };
        known().unwrap_or(false)
    }

    /// How grave the loss of a file is.
    pub(super) fn weigh(&self, path: &Path, content: Content) -> Loss {
        let shown = self.shown(path);
        match content {
            Content::Missing => Loss::Nothing(format!("{shown} is not there")),
            Content::Held(how) | Content::Rebuildable(how) => {
                Loss::Nothing(format!("{shown}: {how}"))
            }
            Content::Staged => Loss::Nothing(format!("{shown}: git's index has it")),
            Content::Own(since) => {
                Loss::Nothing(format!("{shown}: made by this session at {}", clock(since)))
            }
            Content::Other => Loss::Part(unsaved(&shown)),
            Content::Folder | Content::Unknown => Loss::Unknown,
        }
    }

    /// A path as people know it.
    pub(super) fn shown(&self, path: &Path) -> String {
        let text = path.to_string_lossy();
        match text.strip_prefix(self.project) {
            Some(below) if !below.is_empty() => below.trim_start_matches('/').to_owned(),
            _ => text.into_owned(),
        }
    }

    /// Whether what git's index holds for a file is somebody else's, and nowhere else.
    pub(super) fn is_staged_by_others(&self, repository: &Repository, path: &[u8]) -> Option<bool> {
        let Some(entry) = self.git.index_entry(repository, path)? else {
            return Some(false);
        };
        let file = join(&repository.root, path);
        if self.since(&file).is_some() {
            let as_on_disk = self.git.blob_id(&file) == Some(entry.id);
            let staged_it = || Some(self.work?.staged_it(file.to_str()?, &entry.id.to_string()));
            if as_on_disk || staged_it().unwrap_or(false) {
                return Some(false);
            }
        }
        Some(!self.git.held_anywhere(repository, path, entry.id)?)
    }
}

/// Whether git ignores a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ignored {
    Yes,
    No,
    Ask,
}

/// Whether a file that git ignores was made by a tool; `below` is its path in the project or work tree.
pub(super) fn is_product(path: &Path, below: &str) -> bool {
    product_by_name(below) || is_compiled(path) || is_program(path)
}

/// Whether a file begins as programs do that were compiled.
fn is_program(path: &Path) -> bool {
    const BEGINNINGS: [&[u8]; 5] = [
        b"\x7fELF",
        b"MZ",
        b"\0asm",
        b"\xcf\xfa\xed\xfe",
        b"\xca\xfe\xba\xbe",
    ];
    let is_file = fs::symlink_metadata(path).is_ok_and(|it| it.is_file());
    let begins = || {
        let mut start = Vec::new();
        let file = fs::File::open(path).ok()?;
        file.take(4).read_to_end(&mut start).ok()?;
        Some(BEGINNINGS.iter().any(|it| start.starts_with(it)))
    };
    is_file && begins().unwrap_or(false)
}

/// Whether a file has the name that compilers give to what they make of one beside it.
fn is_compiled(path: &Path) -> bool {
    let ending = path.extension().and_then(OsStr::to_str);
    let sources: &[&str] = match ending {
        Some("js" | "jsx" | "mjs" | "cjs") => &["ts", "tsx", "mts", "cts", "coffee"],
        Some("css") => &["scss", "sass", "less", "styl"],
        Some("c" | "cpp") => &["pyx", "y", "l"],
        _ => &[],
    };
    let mut sources = sources.iter().map(|it| path.with_extension(it));
    sources.any(|it| it.is_file())
}

pub(crate) fn times(metadata: &Metadata) -> Option<Times> {
    let at =
        |seconds: i64, nanos: i64| DateTime::from_timestamp(seconds, u32::try_from(nanos).ok()?);
    Some(Times {
        modified: at(metadata.mtime(), metadata.mtime_nsec())?,
        changed: at(metadata.ctime(), metadata.ctime_nsec())?,
        born: metadata.created().ok().map(DateTime::<Utc>::from),
    })
}

/// The time of day, where the person is.
fn clock(time: DateTime<Utc>) -> String {
    time.with_timezone(&Local).format("%H:%M").to_string()
}
