//! A small file of Bowline's own in its data folder: written whole, by one process at a time, and refused when others could
//! have written it.

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::fs::FlockOperation;

use crate::error::{Error, Result};
use crate::settings::files;

const LOCK_ATTEMPTS: u32 = 250;
const LOCK_PAUSE: Duration = Duration::from_millis(20);

/// Where such a file is, and what people call it.
#[derive(Debug, Clone)]
pub(in crate::settings) struct LedgerFile {
    folder: PathBuf,
    name: &'static str,
    noun: &'static str,
}

/// The locked file.
#[derive(Debug)]
pub(in crate::settings) struct Held<'f> {
    file: &'f LedgerFile,
    _lock: File,
}

impl LedgerFile {
    pub(in crate::settings) const fn new(
        folder: PathBuf,
        name: &'static str,
        noun: &'static str,
    ) -> Self {
        Self { folder, name, noun }
    }

    pub(in crate::settings) fn path(&self) -> PathBuf {
        self.folder.join(format!("{}.json", self.name))
    }

    /// Why it cannot be used, for people.
    pub(in crate::settings) fn refused(&self, why: &str) -> String {
        format!("the {} {} {why}", self.noun, self.path().display())
    }

    /// Its text; `None` if there is none yet.
    pub(in crate::settings) fn read(&self) -> Result<Option<String>, String> {
        let path = self.path();
        for guarded in [&self.folder, &path] {
            match guarded.metadata() {
                Ok(found) if found.uid() != rustix::process::geteuid().as_raw() => {
                    return Err(self.refused("belongs to another user"));
                }
                Ok(found) if found.mode() & 0o022 != 0 => {
                    return Err(self.refused("could be written by other users"));
                }
                Ok(_) | Err(_) => {}
            }
        }
        files::read_text(&path)
            .map_err(|unreadable| self.refused(&format!("is unusable: {unreadable}")))
    }

    /// Keeps other processes from changing it, until what is returned is dropped.
    pub(in crate::settings) fn hold(&self) -> Result<Held<'_>> {
        prepare_folder(&self.folder)?;
        let lock = lock(&self.folder.join(format!("{}.lock", self.name)))?;
        Ok(Held {
            file: self,
            _lock: lock,
        })
    }
}

impl Held<'_> {
    pub(in crate::settings) fn write(&self, text: &str) -> Result<()> {
        let path = self.file.path();
        write_atomically(&self.file.folder, &path, text).map_err(|source| Error::File {
            action: "write",
            path,
            source,
        })
    }
}

fn prepare_folder(folder: &Path) -> Result<()> {
    let failed = |source| Error::File {
        action: "create",
        path: folder.to_owned(),
        source,
    };
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)
        .map_err(failed)?;
    let found = folder.metadata().map_err(failed)?;
    if found.uid() != rustix::process::geteuid().as_raw() {
        return Err(failed(io::Error::other("it belongs to another user")));
    }
    if found.mode() & 0o077 != 0 {
        fs::set_permissions(folder, Permissions::from_mode(0o700)).map_err(failed)?;
    }
    Ok(())
}

/// Held until it is dropped. Gives up after a while rather than hang behind a stuck process.
fn lock(path: &Path) -> Result<File> {
    let failed = |source| Error::File {
        action: "lock",
        path: path.to_owned(),
        source,
    };
    let file = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .custom_flags(rustix::fs::OFlags::NOFOLLOW.bits().cast_signed())
        .open(path)
        .map_err(failed)?;
    for _ in 0..LOCK_ATTEMPTS {
        match rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => return Ok(file),
            Err(rustix::io::Errno::WOULDBLOCK | rustix::io::Errno::INTR) => {
                std::thread::sleep(LOCK_PAUSE);
            }
            Err(error) => return Err(failed(error.into())),
        }
    }
    Err(failed(io::Error::other(
        "another process holds it; try again",
    )))
}

fn write_atomically(folder: &Path, path: &Path, text: &str) -> io::Result<()> {
    // The lock is held, so a left-over is of a process that died.
    let temporary = path.with_extension("json.new");
    match fs::remove_file(&temporary) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        Ok(()) | Err(_) => {}
    }
    let mut file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(&temporary)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    fs::rename(&temporary, path)?;
    File::open(folder)?.sync_all()
}
