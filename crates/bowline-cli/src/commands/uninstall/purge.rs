//! What Bowline keeps, and deleting it.

use std::fs;
use std::io::{self, ErrorKind as Io};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use bowline_daemon::Places;
use serde::Serialize;

use crate::agent_settings::backups;
use crate::control;
use crate::error::{Error, ErrorKind, Result};
use crate::project::{self, Paths};
use crate::ui::{Table, Text, Ui, style};

/// More than anybody keeps. Counting stops here.
const MOST_FILES: usize = 100_000;
/// How often to try to delete a folder into which somebody still writes.
const TRIES: u32 = 20;
const BETWEEN_TRIES: Duration = Duration::from_millis(50);
/// More names of remaining files are counted, not listed.
const MOST_NAMED: usize = 5;

/// What is in the data folder.
#[derive(Debug, Serialize)]
pub(super) struct Kept {
    #[serde(serialize_with = "project::lossy")]
    pub(super) folder: PathBuf,
    entries: Vec<Entry>,
}

#[derive(Debug, Serialize)]
struct Entry {
    name: String,
    bytes: u64,
}

impl Kept {
    /// Looks into the data folder; `None` if there is nothing.
    pub(super) fn of(places: &Places) -> Result<Option<Self>> {
        let folder = &places.data;
        let cannot_read = |source| Error::file("read", folder, source);
        match folder.symlink_metadata() {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(cannot_read(source)),
            Ok(_) => {}
        }
        let mut entries = Vec::new();
        for entry in fs::read_dir(folder).map_err(cannot_read)? {
            let entry = entry.map_err(cannot_read)?;
            entries.push(Entry {
                name: entry.file_name().to_string_lossy().into_owned(),
                bytes: bytes_of(&entry.path()),
            });
        }
        entries.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(Some(Self {
            folder: folder.clone(),
            entries,
        }))
    }

    /// Whether anything is there beside copies of settings.
    pub(super) fn has_records(&self) -> bool {
        self.entries
            .iter()
            .any(|entry| entry.name != backups::FOLDER)
    }

    pub(super) fn show(&self, paths: &Paths, ui: &mut Ui) {
        let folder = paths.show_absolute(&self.folder);
        ui.line(
            Text::styled("To be deleted for good: ", style::CAUTION).with(folder, style::HEADING),
        );
        let mut table = Table::new(["Name", "Bytes"]);
        for entry in &self.entries {
            table.row([
                Text::from(entry.name.as_str()),
                entry.bytes.to_string().into(),
            ]);
        }
        ui.table(&table);
        ui.blank();
    }

    /// Deletes the folder. Links are removed, never followed.
    pub(super) fn delete(&self, places: &Places) -> Result<()> {
        let refused = |message: String| {
            Err(Error::new(ErrorKind::File, message)
                .hint("nothing of it was deleted; remove it yourself"))
        };
        let found = self
            .folder
            .symlink_metadata()
            .map_err(|source| Error::file("delete", &self.folder, source))?;
        if !found.is_dir() {
            return refused(format!(
                "{} is a link, not Bowline's own folder",
                project::shown(&self.folder)
            ));
        }
        if found.uid() != rustix::process::geteuid().as_raw() {
            return refused(format!(
                "{} belongs to another user",
                project::shown(&self.folder)
            ));
        }
        let delete = || fs::remove_dir_all(&self.folder);
        // Agents that still run call their hooks, and those start another daemon.
        let make_way = || {
            control::stop(places)?;
            thread::sleep(BETWEEN_TRIES);
            Ok(())
        };
        persist(delete, make_way)?.map_err(|source| self.still_there(source))?;
        // Files that the daemon leaves beside its socket. Others may use the folder, so it is removed only if it is empty.
        let beside = bowline_store::kept_beside(&places.runtime());
        for left in [places.lock(), places.starting()].into_iter().chain(beside) {
            let _ = fs::remove_file(left);
        }
        let _ = fs::remove_dir(places.runtime());
        Ok(())
    }

    /// The folder could not be deleted: what is left of it, and what to do.
    fn still_there(&self, source: io::Error) -> Error {
        let is_refilled = source.kind() == Io::DirectoryNotEmpty;
        let mut error = Error::file("delete", &self.folder, source);
        let left = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let mut left: Vec<String> = left
            .map(|entry| project::shown(entry.file_name().as_ref()))
            .collect();
        left.sort();
        if let Some(more @ 1..) = left.len().checked_sub(MOST_NAMED) {
            left.truncate(MOST_NAMED);
            left.push(format!("{more} more"));
        }
        if !left.is_empty() {
            error = error.hint(format!("still there: {}", left.join(", ")));
        }
        error.hint(if is_refilled {
            "agents that still run start Bowline anew; end them, then run `bowline uninstall --purge` again"
        } else {
            "see whose it is, then run `bowline uninstall --purge` again or remove it yourself"
        })
    }
}

/// Deletes until nothing is left, or until something other than a writing process is in the way.
fn persist(
    delete: impl Fn() -> io::Result<()>,
    make_way: impl Fn() -> Result<()>,
) -> Result<io::Result<()>> {
    let mut tried = 1;
    loop {
        match delete() {
            Err(error) if error.kind() == Io::NotFound => return Ok(Ok(())),
            Err(error) if error.kind() == Io::DirectoryNotEmpty && tried < TRIES => make_way()?,
            done => return Ok(done),
        }
        tried += 1;
    }
}

/// What a file or a folder takes, without following links.
fn bytes_of(path: &Path) -> u64 {
    let mut bytes = 0;
    let mut waiting = vec![path.to_owned()];
    for _ in 0..MOST_FILES {
        let Some(path) = waiting.pop() else {
            break;
        };
        let Ok(found) = path.symlink_metadata() else {
            continue;
        };
        bytes += found.len();
        if found.is_dir()
            && let Ok(entries) = fs::read_dir(&path)
        {
            waiting.extend(entries.flatten().map(|entry| entry.path()));
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[test]
    fn a_folder_that_fills_up_again_is_deleted_again() {
        for (failures, kind, tries, is_gone) in [
            (0, Io::DirectoryNotEmpty, 1, true),
            (3, Io::DirectoryNotEmpty, 4, true),
            (u32::MAX, Io::DirectoryNotEmpty, TRIES, false),
            (u32::MAX, Io::PermissionDenied, 1, false),
            (u32::MAX, Io::NotFound, 1, true),
        ] {
            let (tried, made_way) = (Cell::new(0), Cell::new(0));
            let delete = || {
                tried.set(tried.get() + 1);
                if tried.get() > failures {
                    Ok(())
                } else {
                    Err(io::Error::from(kind))
                }
            };
            let make_way = || {
                made_way.set(made_way.get() + 1);
                Ok(())
            };
            let done = persist(delete, make_way).unwrap();
            assert_eq!((tried.get(), done.is_ok()), (tries, is_gone), "{kind}");
            assert_eq!(made_way.get(), tries - 1, "{kind}");
        }
        let stopping_fails = || Err(Error::usage("it does not stop"));
        let full = || Err(io::Error::from(Io::DirectoryNotEmpty));
        assert!(persist(full, stopping_fails).is_err());
    }

    #[test]
    fn what_is_left_is_told_with_what_to_do() {
        let place = tempfile::tempdir().unwrap();
        for name in ["bowline.db", "spool", "a", "b", "c", "d", "e"] {
            fs::write(place.path().join(name), "").unwrap();
        }
        let kept = Kept {
            folder: place.path().to_owned(),
            entries: Vec::new(),
        };
        let shown = format!("{:?}", kept.still_there(Io::DirectoryNotEmpty.into()));
        for text in [
            "still there: a, b, bowline.db, c, d, 2 more",
            "end them, then run `bowline uninstall --purge` again",
        ] {
            assert!(shown.contains(text), "{text} in {shown}");
        }
        let shown = format!("{:?}", kept.still_there(Io::PermissionDenied.into()));
        assert!(shown.contains("see whose it is"), "{shown}");
    }
}
