//! The pause: Bowline records events, but decides nothing.

use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

/// A pause. Recording continues, deciding does not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pause {
    /// When it began.
    pub since: DateTime<Utc>,
    /// When it ends by itself; `None` if a person has to end it.
    pub until: Option<DateTime<Utc>>,
}

/// Why a pause could not be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PauseError {
    /// The file cannot be used.
    #[error("cannot use `{}`: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The file cannot be understood. Then Bowline is not paused.
    #[error("`{}` is not a pause: {source}; remove it or run `bowline resume`", path.display())]
    Broken {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: serde_json::Error,
    },
}

impl Pause {
    /// Reads the file; `None` if it is missing. The pause may be over.
    pub fn read(path: &Path) -> Result<Option<Self>, PauseError> {
        let text = match fs::read(path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(file(path, source)),
        };
        serde_json::from_slice(&text)
            .map(Some)
            .map_err(|source| PauseError::Broken {
                path: path.to_owned(),
                source,
            })
    }

    /// Writes the file, for its owner alone, in one step.
    pub fn write(&self, path: &Path) -> Result<(), PauseError> {
        let text = serde_json::to_vec(self).map_err(|source| file(path, source.into()))?;
        let beside = path.with_extension("new");
        let write = || {
            let mut new = fs::OpenOptions::new()
                .write(true)
                .create(true)
                .truncate(true)
                .mode(0o600)
                .open(&beside)?;
            new.write_all(&text)?;
            fs::rename(&beside, path)
        };
        write().map_err(|source| file(path, source))
    }

    /// Removes the file. Returns whether there was one.
    pub fn remove(path: &Path) -> Result<bool, PauseError> {
        match fs::remove_file(path) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(source) => Err(file(path, source)),
        }
    }

    /// Whether it is on at this time. If it ends before it began, the clock was changed, and the pause is over.
    pub fn is_on(&self, now: DateTime<Utc>) -> bool {
        self.until.is_none_or(|until| now < until)
    }
}

fn file(path: &Path, source: io::Error) -> PauseError {
    PauseError::File {
        path: path.to_owned(),
        source,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_is_written_read_and_removed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("paused.json");
        assert_eq!(Pause::read(&path).unwrap(), None);
        let now = Utc::now();
        for (until, on) in [
            (None, true),
            (Some(now + chrono::TimeDelta::minutes(1)), true),
            (Some(now), false),
        ] {
            let pause = Pause { since: now, until };
            pause.write(&path).unwrap();
            assert_eq!(Pause::read(&path).unwrap().as_ref(), Some(&pause));
            assert_eq!(pause.is_on(now), on);
        }
        assert!(Pause::remove(&path).unwrap());
        assert!(!Pause::remove(&path).unwrap());
    }

    #[test]
    fn a_broken_pause_is_an_error_that_says_what_to_do() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("paused.json");
        fs::write(&path, "{").unwrap();
        let error = Pause::read(&path).unwrap_err().to_string();
        assert!(error.contains("bowline resume"), "{error}");
    }
}
