//! What several hooks need to know of one command is found out once.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use bowline_guard::judge::{Judgement, judge};
use bowline_guard::paths::StaticWorld;
use bowline_guard::sensitive::SensitivePolicy;

/// Judges commands for all hooks of a project, and remembers the last one.
#[derive(Debug)]
pub struct Analyst {
    project: String,
    home: Option<String>,
    last: Mutex<Option<Remembered>>,
}

#[derive(Debug)]
struct Remembered {
    command: String,
    cwd: String,
    judgement: Arc<Judgement>,
}

impl Analyst {
    /// For the hooks of one project.
    pub fn new(project: &std::path::Path, home: Option<PathBuf>) -> Self {
        Self {
            project: project.to_string_lossy().into_owned(),
            home: home.map(|home| home.to_string_lossy().into_owned()),
            last: Mutex::new(None),
        }
    }

    /// The project's folder.
    pub fn project(&self) -> &str {
        &self.project
    }

    /// The machine as it is seen from a folder.
    pub fn world(&self, cwd: &str) -> StaticWorld {
        StaticWorld {
            cwd: cwd.to_owned(),
            project_root: self.project.clone(),
            home: self.home.clone(),
            sensitive: SensitivePolicy::default(),
        }
    }

    /// What a command would do in a folder. The hooks of one event ask one after another.
    pub fn judge(&self, command: &str, cwd: &str) -> Arc<Judgement> {
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(last) = &*last
            && last.command == command
            && last.cwd == cwd
        {
            return Arc::clone(&last.judgement);
        }
        drop(last);
        let judgement = Arc::new(judge(command, &self.world(cwd)));
        let remembered = Remembered {
            command: command.to_owned(),
            cwd: cwd.to_owned(),
            judgement: Arc::clone(&judgement),
        };
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Some(remembered);
        judgement
    }
}
