//! The folder of a run: links to this program, under the names of the programs that are judged.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::ffi::OsString;
use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io::{self, Write as _};
use std::os::unix::fs::{
    DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _, symlink,
};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use bowline_agents::run::RUN_VARIABLE;
use bowline_builtins::OWN_PLACE_VARIABLES;
use bowline_daemon::rpc::efforts::SESSION_VARIABLE;
use bowline_wire::FailMode;
use serde::{Deserialize, Serialize};
use tempfile::TempDir;

use super::search;
use crate::attended::AGENT_ID;
use crate::error::{Error, Result};

/// The file that describes the run. It is locked for as long as the run lasts.
pub(super) const DESCRIPTION: &str = "run.json";
/// The file that is locked while something of the run reports an event.
const REPORTS: &str = "reports.lock";
/// The file that is locked while the person at the terminal is asked something.
const TURNS: &str = "turns.lock";
const PREFIX: &str = "run-";
/// How long the end of a run waits for what is just reported: a later event would begin its session anew.
const PATIENCE: Duration = Duration::from_secs(1);
const BETWEEN_LOOKS: Duration = Duration::from_millis(5);

/// What a stand-in has to know of its run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Description {
    pub(super) session: String,
    /// The file of the program that the run is for.
    pub(super) program: PathBuf,
    on_failure: String,
    /// The variables that say where Bowline is and what it does, as they were when the run began. What the program makes of them does
    /// not count.
    variables: BTreeMap<String, String>,
}

impl Description {
    pub(super) fn new(program: &Path, on_failure: FailMode, agent_id: &str) -> Self {
        let text = |(name, value): (OsString, OsString)| {
            let name = name.into_string().ok().filter(|it| is_bowlines(it))?;
            Some((name, value.into_string().ok()?))
        };
        let mut variables: BTreeMap<String, String> = env::vars_os().filter_map(text).collect();
        for name in [RUN_VARIABLE, SESSION_VARIABLE] {
            variables.remove(name);
        }
        if let Some(path) = variables.get_mut("PATH") {
            let own = search::without_runs(path.as_ref());
            *path = own.to_string_lossy().into_owned();
        }
        variables.insert(AGENT_ID.to_owned(), agent_id.to_owned());
        Self {
            session: super::fresh(),
            program: program.to_owned(),
            on_failure: on_failure.as_str().to_owned(),
            variables,
        }
    }

    /// Of the run that a folder belongs to.
    pub(super) fn read(folder: &Path) -> Option<Self> {
        let text = fs::read(folder.join(DESCRIPTION)).ok()?;
        serde_json::from_slice(&text).ok()
    }

    pub(super) fn on_failure(&self) -> FailMode {
        self.on_failure.parse().unwrap_or_default()
    }

    /// The variables as they were, and all others as they are.
    pub(super) fn environment(&self) -> impl Iterator<Item = (OsString, OsString)> {
        let others = env::vars_os().filter(|(name, _)| !name.to_str().is_some_and(is_bowlines));
        let own = self.variables.iter();
        others.chain(own.map(|(name, value)| (name.into(), value.into())))
    }
}

/// Whether a variable is for Bowline, or for the hooks that it runs.
fn is_bowlines(name: &str) -> bool {
    name.starts_with("BOWLINE")
        || OWN_PLACE_VARIABLES.contains(&name)
        || ["PATH", "SHELL", AGENT_ID].contains(&name)
}

/// Whether this is the folder of a run.
pub(super) fn is_of_run(folder: &Path) -> bool {
    may_be_of_run(folder) && folder.join(DESCRIPTION).is_file()
}

/// Whether it is or was one, as far as its name tells.
pub(super) fn may_be_of_run(folder: &Path) -> bool {
    let name = folder.file_name().and_then(|it| it.to_str());
    name.is_some_and(|it| it.starts_with(PREFIX))
}

/// The folder of a run, which goes with it.
#[derive(Debug)]
pub(super) struct Folder {
    folder: TempDir,
    /// Locked until the run is over.
    _description: File,
}

impl Folder {
    /// Makes one with these programs, and removes those of runs that were killed.
    pub(super) fn make(
        runtime: &Path,
        description: &Description,
        programs: &BTreeSet<String>,
    ) -> Result<Self> {
        let failed = |source: io::Error| Error::file("make a folder in", runtime, source);
        let mut private = DirBuilder::new();
        private
            .recursive(true)
            .mode(0o700)
            .create(runtime)
            .map_err(failed)?;
        remove_left(runtime);
        let folder = tempfile::Builder::new()
            .prefix(PREFIX)
            .permissions(Permissions::from_mode(0o700))
            .tempdir_in(runtime)
            .map_err(failed)?;
        for name in [REPORTS, TURNS] {
            File::create_new(folder.path().join(name)).map_err(failed)?;
        }
        let description = describe(folder.path(), description).map_err(failed)?;
        let own = env::current_exe().map_err(failed)?;
        for name in programs {
            symlink(&own, folder.path().join(name)).map_err(failed)?;
        }
        Ok(Self {
            folder,
            _description: description,
        })
    }

    pub(super) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// The run is over. Whatever outlives it reports nothing more.
    pub(super) fn close(self) {
        let began = Instant::now();
        if let Ok(reports) = File::open(self.path().join(REPORTS)) {
            while reports.try_lock().is_err() && began.elapsed() < PATIENCE {
                thread::sleep(BETWEEN_LOOKS);
            }
            // What cannot be removed is found by the next run.
            let _ = self.folder.close();
        }
    }
}

/// The right to report an event of a run, for as long as this is kept; nothing if the run is over.
pub(super) fn reports(folder: &Path) -> Option<File> {
    let reports = File::open(folder.join(REPORTS)).ok()?;
    reports.lock_shared().ok()?;
    // The end of the run may have been waited for.
    (reports.metadata().ok()?.nlink() > 0).then_some(reports)
}

/// The turn to ask the person at the terminal, for as long as this is kept: of several questions at once nobody knows which one an answer is
/// for.
pub(super) fn turn(folder: &Path) -> Option<File> {
    let turns = File::open(folder.join(TURNS)).ok()?;
    turns.lock().ok()?;
    Some(turns)
}

/// The description is locked before it has its name: another run takes one that is not for left behind.
fn describe(folder: &Path, description: &Description) -> io::Result<File> {
    let unfinished = folder.join("run.json.new");
    let mut options = OpenOptions::new();
    let options = options.write(true).create_new(true).mode(0o600);
    let mut file = options.open(&unfinished)?;
    file.lock()?;
    file.write_all(&serde_json::to_vec(description)?)?;
    fs::rename(unfinished, folder.join(DESCRIPTION))?;
    Ok(file)
}

/// Removes the folders of runs that were killed. What cannot be removed does no harm.
fn remove_left(runtime: &Path) {
    let entries = fs::read_dir(runtime).into_iter().flatten().flatten();
    for folder in entries.map(|it| it.path()).filter(|it| is_of_run(it)) {
        let description = File::open(folder.join(DESCRIPTION));
        if description.is_ok_and(|it| it.try_lock().is_ok()) {
            let _ = fs::remove_dir_all(folder);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_private_lasts_as_long_as_its_run_and_is_found_by_the_next_one() {
        let runtime = tempfile::tempdir().unwrap();
        let description = Description::new("/bin/aider".as_ref(), FailMode::Closed, "aider-1");
        let programs = ["git", "rm"].map(ToOwned::to_owned).into();
        let make = || Folder::make(runtime.path(), &description, &programs).unwrap();
        let (first, second) = (make(), make());
        let path = first.path().to_owned();
        let mode = fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
        assert_eq!(
            fs::read_link(path.join("git")).unwrap(),
            env::current_exe().unwrap()
        );
        let read = Description::read(&path).unwrap();
        assert_eq!(read, description);
        assert_eq!(read.on_failure(), FailMode::Closed);
        // A run that is killed leaves its folder.
        let Folder {
            folder,
            _description: lock,
        } = first;
        let _ = folder.keep();
        drop(lock);
        assert!(is_of_run(&path));
        let third = make();
        assert!(!path.exists() && is_of_run(second.path()));
        let paths = [second.path().to_owned(), third.path().to_owned()];
        drop((second, third));
        assert!(paths.iter().all(|it| !it.exists()));
    }

    #[test]
    fn nothing_is_reported_after_the_end_of_a_run() {
        let runtime = tempfile::tempdir().unwrap();
        let description = Description::new("/bin/aider".as_ref(), FailMode::Ask, "aider-1");
        let folder = Folder::make(runtime.path(), &description, &BTreeSet::new()).unwrap();
        let path = folder.path().to_owned();
        let two = [reports(&path), reports(&path)];
        assert!(two.iter().all(Option::is_some));
        let ends = thread::spawn(move || folder.close());
        drop(two);
        ends.join().unwrap();
        assert!(reports(&path).is_none() && !path.exists());
    }

    #[test]
    fn what_the_program_makes_of_bowlines_variables_does_not_count() {
        for (name, expected) in [
            ("HOME", true),
            ("XDG_RUNTIME_DIR", true),
            ("BOWLINE_DAEMON", true),
            ("BOWLINE", true),
            ("PATH", true),
            ("AGENT_ID", true),
            ("LANG", false),
            ("VIRTUAL_ENV", false),
        ] {
            assert_eq!(is_bowlines(name), expected, "{name}");
        }
    }
}
