//! Watches settings and reloads them soon after they change.
//!
//! Reported changes are seen at once. Some file systems report none (network file systems above all), so files are also checked
//! every two seconds while the daemon is in use.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use notify::{Event, RecommendedWatcher, RecursiveMode, Watcher as _};

use crate::bounded::{FILES_WITHIN, within};
use crate::engine::Engine;
use crate::pause::Pause;
use crate::status::{Shared, Stop};

/// How often files are checked.
const LOOK: Duration = Duration::from_secs(2);
/// How often they are checked while the daemon is idle.
const LOOK_WHEN_IDLE: Duration = Duration::from_mins(1);
/// Changes that come together are handled together.
const TOGETHER: Duration = Duration::from_millis(20);

enum Message {
    Changed,
    End,
}

/// The thread that watches.
#[derive(Debug)]
pub(crate) struct Watch {
    messages: Sender<Message>,
    thread: Option<JoinHandle<()>>,
}

impl Watch {
    pub(crate) fn start(
        engine: Arc<Engine>,
        shared: Arc<Shared>,
        pause: PathBuf,
    ) -> std::io::Result<Self> {
        let (messages, received) = mpsc::channel();
        let changed = messages.clone();
        let thread = thread::Builder::new()
            .name("bowline-settings".to_owned())
            .spawn(move || {
                let files: Files = Arc::default();
                let watched = Arc::clone(&files);
                let watcher = notify::recommended_watcher(move |event: notify::Result<Event>| {
                    if event.is_ok_and(|event| is_news(&event, &watched)) {
                        let _ = changed.send(Message::Changed);
                    }
                });
                Watching {
                    engine,
                    shared,
                    pause,
                    watcher: watcher
                        .inspect_err(|error| tracing::info!("changes are not reported: {error}"))
                        .ok(),
                    files,
                    watched: HashSet::new(),
                    loads: None,
                }
                .run(&received);
            })?;
        Ok(Self {
            messages,
            thread: Some(thread),
        })
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        let _ = self.messages.send(Message::End);
        let Some(thread) = self.thread.take() else {
            return;
        };
        // It only reads. On a disk that hangs it would never return.
        if matches!(within(FILES_WITHIN, || thread.join()), Some(Err(_))) {
            tracing::error!("the thread that watches settings panicked");
        }
    }
}

struct Watching {
    engine: Arc<Engine>,
    shared: Arc<Shared>,
    pause: PathBuf,
    watcher: Option<RecommendedWatcher>,
    /// The files that matter.
    files: Files,
    /// The folders that are watched for them.
    watched: HashSet<PathBuf>,
    loads: Option<u64>,
}

type Files = Arc<Mutex<HashSet<PathBuf>>>;

/// Agents read and write other files in the same folders all the time.
fn is_news(event: &Event, files: &Files) -> bool {
    let files = files.lock().unwrap_or_else(PoisonError::into_inner);
    !event.kind.is_access() && event.paths.iter().any(|path| files.contains(path))
}

impl Watching {
    fn run(mut self, messages: &Receiver<Message>) {
        self.watch_folders();
        loop {
            let idle = self.shared.idle_for() > LOOK_WHEN_IDLE;
            let wait = if idle { LOOK_WHEN_IDLE } else { LOOK };
            match messages.recv_timeout(wait) {
                Ok(Message::End) | Err(RecvTimeoutError::Disconnected) => return,
                Ok(Message::Changed) => {
                    thread::sleep(TOGETHER);
                    if messages
                        .try_iter()
                        .any(|message| matches!(message, Message::End))
                    {
                        return;
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
            self.look();
            self.watch_folders();
        }
    }

    fn look(&self) {
        if self.shared.program_was_replaced() {
            self.shared.request_stop(Stop::Replaced);
        }
        self.engine.reload_changed();
        match Pause::read(&self.pause) {
            Ok(pause) => self.engine.set_pause(pause),
            Err(error) => tracing::warn!("{error}"),
        }
    }

    /// Watches the folders of all files that matter, also of those that do not exist yet.
    fn watch_folders(&mut self) {
        let loads = self.engine.loads();
        if self.loads == Some(loads) {
            return;
        }
        self.loads = Some(loads);
        let files = self.engine.watched_files();
        let mut wanted: HashSet<PathBuf> = files
            .iter()
            .filter_map(|file| file.parent().map(Path::to_owned))
            .collect();
        // Every record changes the data folder. `pause` and `trust` notify the daemon themselves.
        wanted.retain(|folder| Some(folder.as_path()) != self.pause.parent());
        *self.files.lock().unwrap_or_else(PoisonError::into_inner) = files;
        let Some(watcher) = &mut self.watcher else {
            return;
        };
        for gone in self.watched.difference(&wanted) {
            let _ = watcher.unwatch(gone);
        }
        self.watched.retain(|folder| wanted.contains(folder));
        for folder in wanted {
            // A folder that does not exist yet cannot be watched. The regular check finds it.
            if !self.watched.contains(&folder)
                && watcher.watch(&folder, RecursiveMode::NonRecursive).is_ok()
            {
                self.watched.insert(folder);
            }
        }
    }
}
