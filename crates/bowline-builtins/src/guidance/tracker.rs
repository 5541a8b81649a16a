//! Who knows what is being worked on: Bowline itself, a file of another tracker, or a command.

use std::collections::HashMap;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use bowline::hooks::HookContext;
use bowline::settings::WorkConfig;
use bowline_guidance::work::{ActiveItem, read_active};
use tokio::io::AsyncReadExt as _;
use tokio::process::Command;

use super::Memory;
use crate::caught_up::catch_up;
use crate::continuity::open_regular;

/// More is not read.
const MAX_TEXT: u64 = 64 * 1024;
/// A command may take this long.
const PATIENCE: Duration = Duration::from_secs(2);
/// What a command printed counts for this long.
const COUNTS_FOR: Duration = Duration::from_secs(30);
/// So many sessions are remembered.
const MAX_SESSIONS: usize = 1_024;

/// Who knows what is being worked on.
#[derive(Debug)]
pub(super) enum Tracker {
    /// `bowline work`.
    Own(Own),
    /// A file of another tracker.
    File(PathBuf),
    /// A command of another tracker.
    Command(ByCommand),
}

impl Tracker {
    /// The one that the settings name. `root` is the main checkout, whose items its worktrees share.
    pub(super) fn new(
        config: &WorkConfig,
        project: &Path,
        root: &Path,
        memory: &Arc<Memory>,
    ) -> Self {
        match (&config.active_command, &config.active_file) {
            (Some(command), _) => Self::Command(ByCommand::new(command, project)),
            (None, Some(file)) => Self::File(project.join(file)),
            (None, None) => Self::Own(Own {
                project: root.to_string_lossy().into_owned(),
                memory: Arc::clone(memory),
                known: Mutex::default(),
            }),
        }
    }

    /// What a session works on.
    pub(super) async fn ask(&self, session: &str, ctx: &HookContext) -> Asked {
        match self {
            Self::Own(own) => own.ask(session, ctx),
            Self::File(file) => by_file(file),
            Self::Command(command) => command.ask(ctx).await,
        }
    }

    /// The same as far as it is known without running a command: what it said last, for as long as that counts.
    pub(super) fn known(&self, session: &str, ctx: &HookContext) -> Option<ActiveItem> {
        let asked = match self {
            Self::Own(own) => own.ask(session, ctx),
            Self::File(file) => by_file(file),
            Self::Command(command) => return command.said(),
        };
        match asked {
            Asked::Known(item) => item,
            Asked::Unknown(_) => None,
        }
    }

    /// What another tracker is called.
    pub(super) fn elsewhere(&self) -> Option<String> {
        match self {
            Self::Own(_) => None,
            Self::File(file) => Some(format!("`{}`", file.display())),
            Self::Command(command) => Some(format!("`{}`", command.command)),
        }
    }
}

/// What the store said about sessions, until it changes.
#[derive(Debug)]
pub(super) struct Own {
    project: String,
    memory: Arc<Memory>,
    known: Mutex<HashMap<String, (u64, Option<ActiveItem>)>>,
}

impl Own {
    fn ask(&self, session: &str, ctx: &HookContext) -> Asked {
        let Some(store) = self.memory.store() else {
            return Asked::Unknown("there is no store".to_owned());
        };
        let now = store.continuity().foreign_writes();
        let lock = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((at, item)) = lock().get(session)
            && *at == now
        {
            return Asked::Known(item.clone());
        }
        catch_up(store.as_ref(), ctx);
        let item = match store.work().active_item(&self.project, Some(session)) {
            Ok(item) => item.as_ref().map(ActiveItem::from),
            Err(error) => return Asked::Unknown(error.to_string()),
        };
        let mut known = lock();
        if known.len() >= MAX_SESSIONS {
            known.clear();
        }
        known.insert(session.to_owned(), (now, item.clone()));
        Asked::Known(item)
    }
}

/// What a tracker says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Asked {
    /// What is being worked on, if anything is.
    Known(Option<ActiveItem>),
    /// It could not be asked, and why.
    Unknown(String),
}

/// What a file names. One that is missing names nothing.
fn by_file(file: &Path) -> Asked {
    let Some(opened) = open_regular(&file.to_string_lossy()) else {
        return Asked::Known(None);
    };
    let mut text = String::new();
    match opened.take(MAX_TEXT).read_to_string(&mut text) {
        Ok(_) => Asked::Known(read_active(&text)),
        Err(error) => Asked::Unknown(format!("{}: {error}", file.display())),
    }
}

/// A command that prints what is being worked on.
#[derive(Debug)]
pub(super) struct ByCommand {
    command: String,
    folder: PathBuf,
    /// The last item that it printed, and when. That nothing is active is asked anew, because somebody is about to change that.
    last: Mutex<Option<(Instant, ActiveItem)>>,
}

impl ByCommand {
    fn new(command: &str, folder: &Path) -> Self {
        Self {
            command: command.to_owned(),
            folder: folder.to_owned(),
            last: Mutex::default(),
        }
    }

    /// The item that it printed last, for as long as that counts.
    fn said(&self) -> Option<ActiveItem> {
        let last = self.last();
        let last = last.as_ref().filter(|(at, _)| at.elapsed() < COUNTS_FOR);
        last.map(|(_, item)| item.clone())
    }

    async fn ask(&self, ctx: &HookContext) -> Asked {
        if let Some(item) = self.said() {
            return Asked::Known(Some(item));
        }
        let printed = tokio::time::timeout(PATIENCE, self.run(ctx)).await;
        let text = match printed {
            Ok(Ok(text)) => text,
            Ok(Err(why)) => return Asked::Unknown(why),
            Err(_) => {
                let limit = PATIENCE.as_secs();
                return Asked::Unknown(format!("`{}` took over {limit} s", self.command));
            }
        };
        let item = read_active(&text);
        *self.last() = item.clone().map(|item| (Instant::now(), item));
        Asked::Known(item)
    }

    /// What it prints. It is ended when nobody waits any more.
    async fn run(&self, ctx: &HookContext) -> Result<String, String> {
        let failed = |error: std::io::Error| format!("`{}` cannot be run: {error}", self.command);
        let mut command = Command::new("/bin/sh");
        command
            .args(["-c", &self.command])
            .current_dir(&self.folder)
            .env_clear()
            .envs(&ctx.env)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .process_group(0)
            .kill_on_drop(true);
        let mut child = command.spawn().map_err(failed)?;
        let group = Group(child.id());
        let mut bytes = Vec::new();
        if let Some(stdout) = child.stdout.take() {
            let read = stdout.take(MAX_TEXT).read_to_end(&mut bytes).await;
            read.map_err(failed)?;
        }
        let ended = child.wait().await.map_err(failed)?;
        group.has_ended();
        if !ended.success() {
            return Err(format!("`{}` failed ({ended})", self.command));
        }
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    fn last(&self) -> MutexGuard<'_, Option<(Instant, ActiveItem)>> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The processes of a command. They end with it, also those that it started.
#[derive(Debug)]
struct Group(Option<u32>);

impl Group {
    fn has_ended(mut self) {
        self.0 = None;
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        let pid = self.0.and_then(|id| i32::try_from(id).ok());
        if let Some(group) = pid.and_then(rustix::process::Pid::from_raw) {
            // It may be gone already.
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(id: &str) -> Asked {
        Asked::Known(Some(ActiveItem {
            id: id.to_owned(),
            title: None,
            kind: None,
        }))
    }

    #[tokio::test]
    async fn a_command_is_asked_and_its_answer_counts_for_a_while() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("active");
        let tracker = ByCommand::new("cat active 2>/dev/null || true", folder.path());
        let ctx = HookContext::new("s1");
        assert_eq!(tracker.ask(&ctx).await, Asked::Known(None));
        std::fs::write(&file, "bd-7").unwrap();
        assert_eq!(tracker.ask(&ctx).await, item("bd-7"));
        std::fs::write(&file, "bd-8").unwrap();
        assert_eq!(tracker.ask(&ctx).await, item("bd-7"), "it is not run again");
    }

    #[tokio::test]
    async fn a_command_that_fails_or_hangs_is_ended_and_says_nothing() {
        let folder = tempfile::tempdir().unwrap();
        for command in [
            "echo bd-1; exit 3",
            "no-such-program",
            "sleep 600 & sleep 600",
        ] {
            let tracker = ByCommand::new(command, folder.path());
            let asked = tracker.ask(&HookContext::new("s1")).await;
            let Asked::Unknown(why) = asked else {
                panic!("{command}: {asked:?}");
            };
            assert!(why.contains(command), "{why}");
        }
    }

    #[test]
    fn a_file_names_an_item_and_a_pipe_holds_up_nobody() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("active");
        assert_eq!(by_file(&file), Asked::Known(None));
        std::fs::write(&file, "bd-7\n").unwrap();
        assert_eq!(by_file(&file), item("bd-7"));
        assert_eq!(by_file(folder.path()), Asked::Known(None));
        let pipe = folder.path().join("pipe");
        let made = rustix::fs::mknodat(
            rustix::fs::CWD,
            &pipe,
            rustix::fs::FileType::Fifo,
            0o600.into(),
            0,
        );
        made.unwrap();
        assert_eq!(by_file(&pipe), Asked::Known(None));
    }
}
