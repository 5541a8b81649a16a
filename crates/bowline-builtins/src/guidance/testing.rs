//! Says which project's tests run, so that a person who waits sees why.
//!
//! An event is recorded when it is decided, and tests are what decides it. Until then this stands in a small file for each session.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use bowline_continuity::fleet::Process;
use bowline_guard::secrets::redact;
use bowline_guidance::text::preview;
use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::machine::process;
use crate::recorder::digest::digest;

/// The folder of the files, in the data folder.
const FOLDER: &str = "testing";
/// The longest line that is told, in characters.
const MAX_LINE: usize = 200;
/// What is printed is written down this often at most.
const PAUSE: Duration = Duration::from_millis(500);
/// More files than this are not read.
const MAX_FILES: usize = 256;

/// Tests of a project that run now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Testing {
    /// The session whose work is tested.
    pub session: String,
    /// The project's folder.
    pub project: String,
    /// The command that runs.
    pub command: String,
    /// Which of the commands this is, from 1.
    pub step: usize,
    /// How many commands there are.
    pub steps: usize,
    /// Since when it runs.
    pub since: DateTime<Utc>,
    /// When it is ended at the latest.
    pub until: DateTime<Utc>,
    /// What it printed last.
    pub last_line: Option<String>,
    /// The process that waits for it, if the system tells processes apart.
    pub process: Option<Process>,
}

impl Testing {
    /// The tests that run now.
    pub fn all(data_folder: &Path) -> Vec<Self> {
        let Ok(files) = fs::read_dir(data_folder.join(FOLDER)) else {
            return Vec::new();
        };
        let read = |path: PathBuf| serde_json::from_slice(&fs::read(path).ok()?).ok();
        let found = files.take(MAX_FILES).flatten();
        found
            .filter_map(|file| read(file.path()))
            .filter(Self::is_running)
            .collect()
    }

    /// A process that was killed leaves its file behind.
    fn is_running(&self) -> bool {
        self.process.is_none_or(process::runs) && Utc::now() < self.until
    }

    /// In a few words: `testing: cargo test, 12 s`.
    pub fn words(&self, now: DateTime<Utc>) -> String {
        let seconds = (now - self.since).num_seconds().max(0);
        let step = match self.steps {
            0 | 1 => String::new(),
            steps => format!(" ({} of {steps})", self.step),
        };
        format!("testing: {}, {seconds} s{step}", self.command)
    }
}

/// Keeps the file of a run. The file goes with this.
#[derive(Debug)]
pub(super) struct Sign {
    /// `None` where there is no place for files.
    file: Option<PathBuf>,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    testing: Testing,
    /// When a printed line was last written down.
    written: Option<Instant>,
}

impl Sign {
    /// For tests of this session's work, in so many commands.
    pub(super) fn new(
        data_folder: Option<&Path>,
        session: &str,
        project: &Path,
        steps: usize,
    ) -> Self {
        let now = Utc::now();
        let name = format!("{:016x}.json", digest(&Value::from(session)));
        Self {
            file: data_folder.map(|folder| folder.join(FOLDER).join(name)),
            state: Mutex::new(State {
                testing: Testing {
                    session: session.to_owned(),
                    project: project.to_string_lossy().into_owned(),
                    command: String::new(),
                    step: 0,
                    steps,
                    since: now,
                    until: now,
                    last_line: None,
                    process: process::this(),
                },
                written: None,
            }),
        }
    }

    /// The next command begins, and has so long.
    pub(super) fn begins(&self, command: &str, limit: Duration) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Utc::now();
        let testing = &mut state.testing;
        testing.command = redact(command).into_owned();
        testing.step += 1;
        testing.since = now;
        testing.until = now + TimeDelta::from_std(limit).unwrap_or(TimeDelta::zero());
        testing.last_line = None;
        state.written = None;
        self.write(&state.testing);
    }

    /// The command prints something.
    pub(super) fn printed(&self, bytes: &[u8]) {
        let text = String::from_utf8_lossy(bytes);
        let Some(line) = text.lines().rev().find(|line| !line.trim().is_empty()) else {
            return;
        };
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.written.is_some_and(|at| at.elapsed() < PAUSE) {
            return;
        }
        let line = redact(line.trim());
        state.testing.last_line = Some(preview(&line, MAX_LINE));
        state.written = Some(Instant::now());
        self.write(&state.testing);
    }

    /// Nobody depends on it, so what goes wrong stops nothing.
    fn write(&self, testing: &Testing) {
        let written = self.file.as_ref().map(|file| {
            let folder = file.parent().unwrap_or(file);
            fs::create_dir_all(folder)?;
            // Whoever reads it finds the whole of it.
            let new = file.with_extension("new");
            fs::write(&new, serde_json::to_vec(testing)?)?;
            fs::rename(new, file)
        });
        if let Some(Err(error)) = written {
            tracing::debug!("what is tested was not written down: {error}");
        }
    }
}

impl Drop for Sign {
    fn drop(&mut self) {
        if let Some(file) = &self.file {
            // It may never have been written.
            let _ = fs::remove_file(file);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_runs_is_told_until_it_ends() {
        let data = tempfile::tempdir().unwrap();
        let all = || Testing::all(data.path());
        assert_eq!(all(), []);
        let limit = Duration::from_mins(1);
        let sign = Sign::new(Some(data.path()), "s/1", Path::new("/p"), 2);
        assert_eq!(all(), []);
        sign.begins("make check", limit);
        sign.printed(b"one\ntwo\n\n");
        let testing = all().remove(0);
        let told = (testing.session.as_str(), testing.last_line.as_deref());
        assert_eq!(told, ("s/1", Some("two")));
        let later = testing.since + TimeDelta::seconds(12);
        assert_eq!(testing.words(later), "testing: make check, 12 s (1 of 2)");
        sign.begins("make", limit);
        assert_eq!((all()[0].step, &all()[0].last_line), (2, &None));
        drop(sign);
        assert_eq!(all(), []);
    }

    #[test]
    fn what_a_killed_process_left_is_not_told() {
        let data = tempfile::tempdir().unwrap();
        let sign = Sign::new(Some(data.path()), "s", Path::new("/p"), 1);
        sign.begins("make", Duration::from_mins(1));
        let testing = Testing::all(data.path()).remove(0);
        let gone = Process {
            id: u32::MAX,
            started: 1,
        };
        for left in [
            Testing {
                process: Some(gone),
                ..testing.clone()
            },
            Testing {
                until: testing.since,
                ..testing
            },
        ] {
            sign.write(&left);
            assert_eq!(Testing::all(data.path()), []);
        }
    }
}
