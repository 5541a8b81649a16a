//! Stand-ins for projects whose own files are still being read, or cannot be read. A person's own settings apply meanwhile, because
//! no project may suspend them by being slow.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use bowline_builtins::SharedState;

use super::projects::{Project, ProjectKey};

/// How long a stand-in is used before the person's settings are read again.
const FRESH: Duration = Duration::from_secs(5);
/// At most this many stand-ins are kept.
const MOST: usize = 64;

#[derive(Default)]
pub(super) struct StandIns {
    made: Mutex<HashMap<ProjectKey, (Instant, Arc<Project>)>>,
}

impl StandIns {
    pub(super) fn get(&self, key: &ProjectKey) -> Option<Arc<Project>> {
        let made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        let (when, project) = made.get(key)?;
        (when.elapsed() < FRESH).then(|| Arc::clone(project))
    }

    /// Makes one. This reads the person's files.
    pub(super) fn make(&self, key: ProjectKey, shared: &SharedState) -> Arc<Project> {
        let project = Arc::new(Project::without_own(&key, shared));
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if made.len() >= MOST {
            made.clear();
        }
        made.insert(key, (Instant::now(), Arc::clone(&project)));
        project
    }
}
