//! Looks around in a project right after an answer, while the agent starts its program: a tracked file that the program then
//! changes was clean before, or it was not. What has changed since the call began counts as not clean.

use std::collections::HashSet;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use super::ledger::Ledger;
use crate::loss::times;
use crate::machine::Machine;

/// Calls that wait to be looked at; more are not watched.
const MAX_WAITING: usize = 4;
/// A project with more tracked files is not watched.
const MAX_FILES: usize = 20_000;

/// The call that is watched.
#[derive(Debug, Clone)]
pub(super) struct Watched {
    pub(super) session: String,
    pub(super) call: String,
    pub(super) project: String,
}

/// A thread of its own, which is started when it is first needed.
#[derive(Debug, Default)]
pub(super) struct Lookout {
    sender: Mutex<Option<SyncSender<Job>>>,
}

struct Job {
    ledger: Arc<Ledger>,
    machine: Arc<Machine>,
    watched: Watched,
}

impl Lookout {
    /// Looks beside the answer, unless there is too much to do already.
    pub(super) fn look(&self, ledger: Arc<Ledger>, machine: Arc<Machine>, watched: Watched) {
        let mut sender = self.sender.lock().unwrap_or_else(PoisonError::into_inner);
        let sender = sender.get_or_insert_with(start);
        // A call that is not watched is judged as if nothing were known.
        let _ = sender.try_send(Job {
            ledger,
            machine,
            watched,
        });
    }
}

fn start() -> SyncSender<Job> {
    let (sender, jobs) = sync_channel::<Job>(MAX_WAITING);
    let started = thread::Builder::new()
        .name("lookout".to_owned())
        .spawn(move || {
            for job in jobs {
                if let Some(others) = others(&job) {
                    job.ledger.saw(&job.watched, others);
                }
            }
        });
    drop(started);
    sender
}

/// The tracked files that hold somebody else's work; `None` if there is no repository, or they cannot be told.
fn others(job: &Job) -> Option<HashSet<String>> {
    let project = &job.watched.project;
    let world = job.machine.world(project, project);
    let git = world.git();
    let repository = git.repository(Path::new(project))?;
    let unsettled = git.unsettled(&repository, MAX_FILES)?;
    let view = job.ledger.view(&job.watched.session).in_project(project);
    let others = unsettled.into_iter().filter_map(|name| {
        let path = repository.root.join(std::ffi::OsStr::from_bytes(&name));
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
