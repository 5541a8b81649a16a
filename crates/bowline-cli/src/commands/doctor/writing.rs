//! Whether what is decided can be recorded: that it is wanted, and that the disk takes it.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use bowline_builtins::recorder::{DISABLING_VARIABLES, disables};
use bowline_daemon::Places;
use rustix::fs::{Access, access};

use super::check::Check;
use crate::project::{self, Paths};

/// What is written to try it out: enough for the disk to need a place for it.
const TRIAL: [u8; 4096] = [0; 4096];
/// What `SQLite` puts beside a database.
const COMPANIONS: [&str; 2] = ["-wal", "-shm"];

/// Whether events are recorded at all.
pub(super) fn recording() -> Check {
    let check = Check::new("recording");
    let set = DISABLING_VARIABLES
        .iter()
        .find(|name| std::env::var(name).is_ok_and(|value| disables(&value)));
    match set {
        Some(name) => check
            .warning(format!(
                "{name} is set: events are decided, nothing of them is recorded"
            ))
            .advice(format!("unset {name} where the agent is started")),
        None => check.ok("no variable switches it off"),
    }
}

/// Whether the data folder and the database in it can be written. Nothing that was not there stays there.
pub(super) fn writing(places: &Places) -> Check {
    let check = Check::new("writing");
    match try_out(&places.data, &places.store().database()) {
        Ok(()) => check.ok(format!(
            "{} can be written",
            Paths::of(Path::new("")).show_absolute(&places.data)
        )),
        Err((file, error)) => check
            .problem(format!(
                "{} cannot be written: {error}; records wait elsewhere until it can",
                project::shown(&file)
            ))
            .advice(advice(error.kind(), &file)),
    }
}

fn try_out(folder: &Path, database: &Path) -> Result<(), (PathBuf, io::Error)> {
    // A folder that is not there yet will be made in the nearest one that is.
    let present = folder
        .ancestors()
        .find(|path| path.symlink_metadata().is_ok());
    let present = present.unwrap_or(folder);
    write_in(present).map_err(|error| (present.to_owned(), error))?;
    let beside = COMPANIONS.map(|ending| {
        let mut name = database.as_os_str().to_owned();
        name.push(ending);
        PathBuf::from(name)
    });
    for file in [database.to_owned()].into_iter().chain(beside) {
        match may_write(&file) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err((file, error)),
            _ => {}
        }
    }
    Ok(())
}

/// Opens nothing: closing a file of SQLite would take away the locks that this process has on it.
fn may_write(file: &Path) -> io::Result<()> {
    if fs::metadata(file)?.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    Ok(access(file, Access::WRITE_OK)?)
}

fn write_in(folder: &Path) -> io::Result<()> {
    let trial = folder.join(format!(".bowline-doctor-{}", std::process::id()));
    let mut file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(&trial)?;
    let written = file.write_all(&TRIAL).and_then(|()| file.sync_data());
    fs::remove_file(&trial)?;
    written
}

fn advice(kind: io::ErrorKind, file: &Path) -> String {
    let file = project::shown(file);
    match kind {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            "free some space; `bowline store compact` gives back what the store no longer needs"
                .to_owned()
        }
        io::ErrorKind::PermissionDenied => format!(
            "see whose {file} is and what you may do with it (`ls -ld {file}`), or set XDG_DATA_HOME to a folder of yours"
        ),
        _ => format!("look at {file}, or set XDG_DATA_HOME to a folder that can be written"),
    }
}
