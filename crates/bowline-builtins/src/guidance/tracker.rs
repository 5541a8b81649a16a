//! Asks other trackers what is being worked on: by a file that they write, or by a command.

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use bowline::hooks::HookContext;
use bowline_guidance::work::{ActiveItem, read_active};
use tokio::io::AsyncReadExt as _;
use tokio::process::Command;

use crate::continuity::open_regular;

/// More is not read.
const MAX_TEXT: u64 = 64 * 1024;
/// A command may take this long.
const PATIENCE: Duration = Duration::from_secs(2);
/// What a command printed counts for this long.
const COUNTS_FOR: Duration = Duration::from_secs(30);

/// What a tracker says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Asked {
    /// What is being worked on, if anything is.
    Known(Option<ActiveItem>),
    /// It could not be asked, and why.
    Unknown(String),
}

/// What a file names. One that is missing names nothing.
pub(super) fn by_file(file: &Path) -> Asked {
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
    pub(super) fn new(command: &str, folder: &Path) -> Self {
        Self {
            command: command.to_owned(),
            folder: folder.to_owned(),
            last: Mutex::default(),
        }
    }

    pub(super) fn text(&self) -> &str {
        &self.command
    }

    pub(super) async fn ask(&self, ctx: &HookContext) -> Asked {
        if let Some((at, item)) = self.last().as_ref()
            && at.elapsed() < COUNTS_FOR
        {
            return Asked::Known(Some(item.clone()));
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
