//! What Bowline keeps, and deleting it.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use bowline_daemon::Places;
use serde::Serialize;

use crate::error::{Error, ErrorKind, Result};
use crate::project::{self, Paths};
use crate::ui::{Table, Text, Ui, style};

/// More than anybody keeps; a folder with more in it is counted so far.
const MOST_FILES: usize = 100_000;

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
        fs::remove_dir_all(&self.folder)
            .map_err(|source| Error::file("delete", &self.folder, source))?;
        // What the daemon leaves beside its socket. Others may use the folder, so that it goes only if it is empty.
        for left in [places.lock(), places.starting()] {
            let _ = fs::remove_file(left);
        }
        let _ = fs::remove_dir(places.runtime());
        Ok(())
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
