//! Looks around in a project when a call begins: a tracked file that its program then changes was clean before, or it was not.
//! What can be seen in no time is seen before the answer, so that no program is faster; the rest right after it, while the agent
//! starts its program. What has changed since the call began counts as not clean.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use super::ledger::Ledger;
use super::reach::Reach;
use crate::loss::times;
use crate::machine::Machine;
use crate::machine::git::{GitReader, Repository};

/// Calls that wait to be looked at; more are not watched.
const MAX_WAITING: usize = 64;
/// A call that may change more tracked files is not watched.
const MAX_FILES: usize = 20_000;
/// An answer waits for a look at this many files, about 2 µs each.
const AT_ONCE: usize = 64;

/// The call that is watched.
#[derive(Debug, Clone)]
pub(super) struct Watched {
    pub(super) session: String,
    pub(super) call: String,
    pub(super) project: String,
    /// Only what the call may change is looked at.
    pub(super) reach: Reach,
}

/// A thread of its own, which is started when it is first needed.
#[derive(Debug, Default)]
pub(super) struct Lookout {
    sender: Mutex<Option<SyncSender<Task>>>,
}

enum Task {
    Look(Job),
    /// Git's index of a project is read, so that a look need not wait for it.
    Prepare(Arc<Machine>, String),
}

struct Job {
    ledger: Arc<Ledger>,
    machine: Arc<Machine>,
    watched: Watched,
}

impl Lookout {
    /// Looks at once, or beside the answer, unless there is too much to do already.
    pub(super) fn look(&self, ledger: Arc<Ledger>, machine: Arc<Machine>, watched: Watched) {
        let job = Job {
            ledger,
            machine,
            watched,
        };
        if job.look(AT_ONCE) == Looked::NotYet {
            self.send(Task::Look(job));
        }
    }

    /// Makes ready for the first look at a project.
    pub(super) fn prepare(&self, machine: Arc<Machine>, project: &str) {
        self.send(Task::Prepare(machine, project.to_owned()));
    }

    fn send(&self, task: Task) {
        let mut sender = self.sender.lock().unwrap_or_else(PoisonError::into_inner);
        let sender = sender.get_or_insert_with(start);
        // A call that is not watched is judged as if nothing were known.
        let _ = sender.try_send(task);
    }
}

fn start() -> SyncSender<Task> {
    let (sender, tasks) = sync_channel::<Task>(MAX_WAITING);
    let started = thread::Builder::new()
        .name("lookout".to_owned())
        .spawn(move || {
            for task in tasks {
                match task {
                    Task::Look(job) => {
                        job.look(MAX_FILES);
                    }
                    Task::Prepare(machine, project) => read_index(&machine, &project),
                }
            }
        });
    drop(started);
    sender
}

/// What came of a look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Looked {
    /// All was seen, or there is no repository.
    Done,
    /// There are more files than were to be looked at, or they cannot be told.
    NotYet,
}

impl Job {
    /// Looks at most at this many files, and tells the ledger.
    fn look(&self, most: usize) -> Looked {
        let project = Path::new(&self.watched.project);
        let world = self
            .machine
            .world(&self.watched.project, &self.watched.project);
        let git = world.git();
        // Nothing is tracked then, so that the thread would have nothing to do.
        let Some(repository) = git.repository(project) else {
            return Looked::Done;
        };
        let Some(others) = self.others(&git, &repository, most) else {
            return Looked::NotYet;
        };
        self.ledger.saw(&self.watched, others);
        Looked::Done
    }

    /// The tracked files that hold somebody else's work; `None` if there are more files than `most`, or they cannot be told.
    fn others(
        &self,
        git: &GitReader<'_>,
        repository: &Repository,
        most: usize,
    ) -> Option<HashSet<String>> {
        let Watched {
            session,
            project,
            reach,
            ..
        } = &self.watched;
        let wanted = |name: &[u8]| str::from_utf8(name).is_ok_and(|it| reach.changes(it));
        let unsettled = git.unsettled(repository, most, wanted)?;
        let view = self.ledger.view(session).in_project(project);
        let others = unsettled.into_iter().filter_map(|name| {
            let path = repository.root.join(OsStr::from_bytes(&name));
            let text = path.to_str()?.to_owned();
            let times = fs::symlink_metadata(&path).ok().and_then(|it| times(&it));
            let own = times.is_some_and(|times| {
                view.owns(&text, times)
                    .or_else(|| view.changed(&text, times))
                    .or_else(|| view.left(&text, || Some(git.blob_id(&path)?.to_string())))
                    .is_some()
            });
            (!own).then_some(text)
        });
        Some(others.collect())
    }
}

fn read_index(machine: &Machine, project: &str) {
    let world = machine.world(project, project);
    let git = world.git();
    if let Some(repository) = git.repository(Path::new(project)) {
        // It is remembered until it changes.
        git.tracks_below(&repository, b".");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn looked_beside_the_answer(folder: &Path) -> bool {
        let lookout = Lookout::default();
        let watched = Watched {
            session: "s".to_owned(),
            call: "c".to_owned(),
            project: folder.to_str().unwrap().to_owned(),
            reach: Reach::Anything,
        };
        let machine = Arc::new(Machine::new(None, Vec::new()));
        lookout.look(Arc::default(), machine, watched);
        lookout.sender.lock().unwrap().is_some()
    }

    #[test]
    fn without_a_repository_nobody_is_woken() {
        let folder = tempfile::tempdir().unwrap();
        assert!(!looked_beside_the_answer(folder.path()));
        // An index that cannot be read may have anything in it.
        let git = folder.path().join(".git");
        for name in ["objects", "refs"] {
            fs::create_dir_all(git.join(name)).unwrap();
        }
        fs::write(git.join("HEAD"), "ref: refs/heads/main\n").unwrap();
        fs::write(git.join("index"), "nothing that git wrote").unwrap();
        assert!(looked_beside_the_answer(folder.path()));
    }
}
