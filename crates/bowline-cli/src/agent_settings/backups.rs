//! What Bowline keeps of a settings file: a copy from before each change, and the file as it was before Bowline was installed.
//!
//! They are in Bowline's own folder, below the path of the file, so that nothing is left in a project or beside a person's
//! settings.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use bowline::settings::Locations;
use chrono::Utc;

use crate::error::{Error, ErrorKind, Result};

/// The folder of all copies, in the data folder.
pub(crate) const FOLDER: &str = "backups";
/// At most this many copies of one file.
const MOST: usize = 10;
/// At most this many copies of one second.
const MOST_AT_ONCE: u32 = 100;
/// The file as Bowline wrote it last.
const WRITTEN: &str = "written";
/// The file as it was before Bowline came; nothing if there was no file.
const ORIGINAL: &str = "original";

/// Stands in the place of a folder that Bowline made.
const MADE: &str = "made";

/// What is kept of one settings file.
#[derive(Debug)]
pub(crate) struct Backups {
    /// The folder of all copies.
    root: PathBuf,
    /// That of this file's.
    folder: PathBuf,
}

/// A settings file as it was before Bowline came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Original {
    NoFile,
    Text(String),
}

impl Backups {
    /// Those of this file.
    pub(crate) fn of(file: &Path, locations: &Locations) -> Result<Self> {
        let data = locations.data_dir.as_ref().ok_or_else(|| {
            Error::new(
                ErrorKind::File,
                "there is no folder for a copy of the settings",
            )
            .hint("set HOME or XDG_DATA_HOME to an absolute path; nothing was changed")
        })?;
        let root = data.join(FOLDER);
        let folder = place_of(&root, file);
        Ok(Self { root, folder })
    }

    /// The file as it was before Bowline was installed, if only Bowline has written to it since.
    pub(crate) fn original(&self, current: &str) -> Option<Original> {
        (self.read(WRITTEN)? == current).then(|| self.before())
    }

    /// Whether Bowline made the file, though others may have written to it since.
    pub(crate) fn is_made_by_bowline(&self) -> bool {
        self.read(WRITTEN).is_some() && self.before() == Original::NoFile
    }

    /// The text before Bowline came, though others may have written to the file since; empty where that is not known.
    pub(crate) fn text_before(&self) -> String {
        self.read(ORIGINAL).unwrap_or_default()
    }

    fn before(&self) -> Original {
        self.read(ORIGINAL).map_or(Original::NoFile, Original::Text)
    }

    fn read(&self, name: &str) -> Option<String> {
        fs::read_to_string(self.folder.join(name)).ok()
    }

    /// Keeps a copy of the file as it is now; says where.
    pub(super) fn keep(&self, text: &str) -> Result<PathBuf> {
        let time = Utc::now().format("%Y%m%dT%H%M%S%3fZ");
        let mut number = 1;
        loop {
            let path = self.folder.join(format!("{time}-{number:02}"));
            match self.make_folder().and_then(|()| new_file(&path, text)) {
                Ok(()) => {
                    self.forget_the_oldest();
                    return Ok(path);
                }
                Err(error)
                    if error.kind() == io::ErrorKind::AlreadyExists && number < MOST_AT_ONCE =>
                {
                    number += 1;
                }
                Err(source) => {
                    return Err(Error::file("make the copy", &path, source)
                        .hint("nothing was changed; the folder has to be writable"));
                }
            }
        }
    }

    /// Notes what Bowline is about to write, and what was there before it came.
    pub(super) fn remember(&self, original: &Original, written: &str) -> Result<()> {
        let noted = self.make_folder().and_then(|()| {
            self.forget();
            if let Original::Text(text) = original {
                new_file(&self.folder.join(ORIGINAL), text)?;
            }
            new_file(&self.folder.join(WRITTEN), written)
        });
        noted.map_err(|source| {
            Error::file("make the copy", &self.folder, source)
                .hint("nothing was changed; the folder has to be writable")
        })
    }

    /// Forgets what was there before Bowline came, because it has gone. The copies stay.
    pub(super) fn forget(&self) {
        for name in [WRITTEN, ORIGINAL] {
            let _ = fs::remove_file(self.folder.join(name));
        }
    }

    /// Notes that Bowline made this folder. Without the note it stays when the file goes.
    pub(super) fn note_made(&self, folder: &Path) {
        let place = place_of(&self.root, folder);
        let _ = make_folder(&place).and_then(|()| new_file(&place.join(MADE), ""));
    }

    /// Whether Bowline made this folder.
    pub(super) fn has_made(&self, folder: &Path) -> bool {
        place_of(&self.root, folder).join(MADE).is_file()
    }

    /// Forgets that Bowline made this folder, because it has gone.
    pub(super) fn forget_made(&self, folder: &Path) {
        let _ = fs::remove_file(place_of(&self.root, folder).join(MADE));
    }

    fn make_folder(&self) -> io::Result<()> {
        make_folder(&self.folder)
    }

    /// Their names begin with the time, so that the oldest are first.
    fn forget_the_oldest(&self) {
        let names = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let mut copies: Vec<_> = names
            .map(|entry| entry.path())
            .filter(|path| {
                let name = path.file_name().and_then(|name| name.to_str());
                name.is_some_and(|name| name.starts_with(|c: char| c.is_ascii_digit()))
                    && path.is_file()
            })
            .collect();
        copies.sort();
        let more = copies.len().saturating_sub(MOST);
        for copy in copies.iter().take(more) {
            let _ = fs::remove_file(copy);
        }
    }
}

/// Where something of a file or a folder is kept.
fn place_of(root: &Path, path: &Path) -> PathBuf {
    root.join(path.strip_prefix("/").unwrap_or(path))
}

fn make_folder(folder: &Path) -> io::Result<()> {
    let mut private = DirBuilder::new();
    private.recursive(true).mode(0o700).create(folder)
}

/// Settings may hold secrets, so only the user can read a copy.
fn new_file(path: &Path, text: &str) -> io::Result<()> {
    let mut file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)?;
    let written = file
        .write_all(text.as_bytes())
        .and_then(|()| file.sync_all());
    if written.is_err() {
        let _ = fs::remove_file(path);
    }
    written
}
