//! Folders in which nothing lasts.

use std::path::Path;

use bowline_guard::paths::is_within;

use super::Losses;

const EVERYWHERE: [&str; 3] = ["/tmp", "/var/tmp", "/dev/shm"];

/// The folders for temporary files, seen from a project. What is in the project lasts wherever that is.
#[derive(Debug, Clone, Default)]
pub(super) struct Temporary {
    folders: Vec<String>,
    project: Option<String>,
}

impl Temporary {
    pub(super) fn holds(&self, path: &Path) -> bool {
        let Some(path) = path.to_str() else {
            return false;
        };
        let given = self.folders.iter().map(String::as_str);
        let mut folders = EVERYWHERE.into_iter().chain(given);
        folders.any(|folder| is_within(path, folder))
            && !(self.project.iter()).any(|project| is_within(path, project))
    }
}

impl Losses<'_> {
    pub(super) fn temporary(&self) -> Temporary {
        Temporary {
            folders: self.temp.to_vec(),
            project: Some(self.project.to_owned()),
        }
    }
}
