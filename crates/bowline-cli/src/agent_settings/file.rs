//! A settings file on disk: read whole, replaced in one step, with a copy of what was there.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use super::InstallScope;
use super::backups::{Backups, Original};
use crate::error::{Error, ErrorKind, Result};
use crate::project;

/// No real settings file is larger.
const LARGEST: u64 = 64 * 1024 * 1024;

/// A settings file as it was read.
#[derive(Debug)]
pub(crate) struct SettingsText {
    /// Where it is written, with links followed.
    target: PathBuf,
    /// The permissions to keep; nothing if there is no file yet.
    mode: Option<u32>,
    /// Its content; empty if there is no file yet.
    pub(crate) text: String,
}

impl SettingsText {
    pub(crate) fn read(path: &Path) -> Result<Self> {
        let target = resolved(path)?;
        let metadata = match fs::metadata(&target) {
            Ok(metadata) => metadata,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(Self {
                    target,
                    mode: None,
                    text: String::new(),
                });
            }
            Err(source) => return Err(Error::file("read", path, source)),
        };
        if !metadata.is_file() || metadata.len() > LARGEST {
            return Err(Error::new(
                ErrorKind::File,
                format!("{} is not a settings file", project::shown(path)),
            )
            .hint(format!(
                "expected a regular file of at most {} MB; move it away and run it again",
                LARGEST / 1024 / 1024
            )));
        }
        let bytes = fs::read(&target).map_err(|source| Error::file("read", path, source))?;
        let text = String::from_utf8(bytes).map_err(|error| {
            Error::new(
                ErrorKind::File,
                format!("{} is not UTF-8 text", project::shown(path)),
            )
            .caused_by(error)
            .hint("save it as UTF-8 and run it again; nothing was changed in it")
        })?;
        Ok(Self {
            target,
            mode: Some(metadata.mode() & 0o7777),
            text,
        })
    }

    pub(crate) fn exists(&self) -> bool {
        self.mode.is_some()
    }

    /// Where it is written, with links followed.
    pub(crate) fn target(&self) -> &Path {
        &self.target
    }

    /// Puts the text with Bowline in the place of this one; says where the copy of the old one is. A file that is not there
    /// yet gets these permissions.
    pub(crate) fn install(
        &self,
        text: &str,
        new_file_mode: u32,
        original: &Original,
        backups: &Backups,
    ) -> Result<Option<PathBuf>> {
        self.check()?;
        let cannot_write = |source| self.cannot_write(source);
        let folder = self.target.parent().unwrap_or(Path::new("/"));
        let missing: Vec<&Path> = folder.ancestors().take_while(|it| !it.exists()).collect();
        fs::create_dir_all(folder).map_err(cannot_write)?;
        for folder in missing {
            backups.note_made(folder);
        }
        let backup = self.back_up(backups)?;
        backups.remember(original, text)?;
        let mode = self.mode.unwrap_or(new_file_mode);
        self.write(text, mode).map_err(cannot_write)?;
        Ok(backup)
    }

    /// Puts a text in the place of this one, in a file of Bowline's own; says where the copy of the old one is.
    pub(crate) fn replace(
        &self,
        text: &str,
        scope: InstallScope,
        backups: &Backups,
    ) -> Result<Option<PathBuf>> {
        self.check()?;
        let cannot_write = |source| self.cannot_write(source);
        let folder = self.target.parent().unwrap_or(Path::new("/"));
        fs::create_dir_all(folder).map_err(cannot_write)?;
        let backup = self.back_up(backups)?;
        let mode = self.mode.unwrap_or(scope.new_file_mode());
        self.write(text, mode).map_err(cannot_write)?;
        Ok(backup)
    }

    /// Puts what was there before Bowline came in the place of this text; says where the copy of the old one is.
    pub(crate) fn restore(
        &self,
        original: &Original,
        backups: &Backups,
    ) -> Result<Option<PathBuf>> {
        self.check()?;
        let backup = self.back_up(backups)?;
        match (original, self.mode) {
            (Original::Text(text), Some(mode)) => self.write(text, mode),
            (Original::NoFile, Some(_)) => fs::remove_file(&self.target),
            (_, None) => Ok(()),
        }
        .map_err(|source| self.cannot_write(source))?;
        backups.forget();
        if *original == Original::NoFile {
            self.remove_made_folders(backups);
        }
        Ok(backup)
    }

    /// Removes the folders that Bowline made for the file, as far as they are empty.
    fn remove_made_folders(&self, backups: &Backups) {
        for folder in self.target.ancestors().skip(1) {
            if !backups.has_made(folder) || fs::remove_dir(folder).is_err() {
                return;
            }
            backups.forget_made(folder);
        }
    }

    /// Whether it may be written, and is still what was read: asking takes time, and agents write to their settings.
    fn check(&self) -> Result<()> {
        if self.mode.is_some_and(|mode| mode & 0o222 == 0) {
            return Err(Error::new(
                ErrorKind::File,
                format!("{} is read-only", project::shown(&self.target)),
            )
            .hint("make it writable, or change what makes it so, and run it again; nothing was changed in it"));
        }
        let now = Self::read(&self.target)?;
        if (now.mode.is_some(), &now.text) != (self.mode.is_some(), &self.text) {
            return Err(Error::new(
                ErrorKind::File,
                format!("{} has changed meanwhile", project::shown(&self.target)),
            )
            .hint("run it again; nothing was changed in it"));
        }
        Ok(())
    }

    fn cannot_write(&self, source: io::Error) -> Error {
        let hint = match source.kind() {
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                "nothing was changed in the file; make it and its folder writable, and run it again"
            }
            _ => "nothing was changed in the file",
        };
        Error::file("write", &self.target, source).hint(hint)
    }

    fn back_up(&self, backups: &Backups) -> Result<Option<PathBuf>> {
        let copy = self.exists().then(|| backups.keep(&self.text));
        copy.transpose()
    }

    fn write(&self, text: &str, mode: u32) -> io::Result<()> {
        let beside = beside(&self.target, &format!("bowline-new-{}", std::process::id()));
        let written = new_file(&beside, text.as_bytes(), mode)
            .and_then(|()| fs::rename(&beside, &self.target));
        if written.is_err() {
            let _ = fs::remove_file(&beside);
        }
        written
    }
}

/// Makes a file with these permissions from its first moment, and waits until it is on disk.
fn new_file(path: &Path, content: &[u8], mode: u32) -> io::Result<()> {
    let mut file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(mode & 0o700 | 0o200)
        .open(path)?;
    let written = file.write_all(content).and_then(|()| {
        file.set_permissions(fs::Permissions::from_mode(mode))?;
        file.sync_all()
    });
    if written.is_err() {
        let _ = fs::remove_file(path);
    }
    written
}

fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".");
    name.push(suffix);
    path.with_file_name(name)
}

/// The file that a path leads to: people keep their settings elsewhere and link them.
fn resolved(path: &Path) -> Result<PathBuf> {
    match path.canonicalize() {
        Ok(target) => Ok(target),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            if path.symlink_metadata().is_ok() {
                return Err(Error::file("follow the link", path, error)
                    .hint("it leads nowhere; repair or remove it and run it again"));
            }
            Ok(path.to_owned())
        }
        Err(source) => Err(Error::file("read", path, source)),
    }
}
