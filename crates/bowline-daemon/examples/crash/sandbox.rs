//! A machine of a phase's own: its home, its data, its socket. Whatever was started on it ends with it.

use std::ffi::OsString;
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use std::{env, fs, thread};

use bowline_daemon::{Connection, Holder, Places};
use bowline_store::{Options, SqliteStore};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Map, Value, json};
use tempfile::TempDir;

use crate::AS_DAEMON;
use crate::load::{Event, Right};

/// Nothing here takes so long, however busy the machine is.
const PATIENCE: Duration = Duration::from_secs(120);
const LOOK: Duration = Duration::from_millis(5);

/// Which daemon is killed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Daemon {
    Real,
    /// This program, which answers before it records.
    Lagging,
}

pub(crate) struct Sandbox {
    folder: TempDir,
    places: Places,
}

impl Sandbox {
    pub(crate) fn new(programs: &Path, daemon: Daemon) -> Self {
        let folder = tempfile::Builder::new().prefix("blcrash").tempdir();
        let folder = folder.expect("a temporary folder");
        for name in ["home", "project", "run", "bin", "path"] {
            fs::create_dir(folder.path().join(name)).expect("a folder");
        }
        let sandbox = Self {
            places: Places {
                data: folder.path().join("home/.local/share/bowline"),
                socket: folder.path().join("run/daemon.sock"),
            },
            folder,
        };
        sandbox.put(programs, daemon);
        sandbox
    }

    /// The client asks only a daemon that runs the program beside it: where this program is the daemon, nothing is beside it.
    fn put(&self, programs: &Path, daemon: Daemon) {
        fs::copy(programs.join("bowline-hook"), self.path("bin/bowline-hook")).expect("a client");
        let real = programs.join("bowline");
        if daemon == Daemon::Real {
            return symlink(real, self.path("bin/bowline")).expect("a link");
        }
        let own = env::current_exe().expect("this program has a path");
        let script = format!(
            "#!/bin/sh\ncase \"$1\" in\ndaemon) exec '{}' {AS_DAEMON} ;;\nesac\nexec '{}' \"$@\"\n",
            own.display(),
            real.display()
        );
        let path = self.path("path/bowline");
        fs::write(&path, script).expect("a script");
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("a program");
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn search_path(&self) -> OsString {
        let mut path = self.path("path").into_os_string();
        path.push(":/usr/bin:/bin");
        path
    }

    /// Reports one event as an agent does; an error tells what was wrong with the answer.
    pub(crate) fn report(&self, event: &Event) -> Result<(), String> {
        let payload = json!({
            "session_id": event.session,
            "transcript_path": "/t",
            "cwd": self.path("project"),
            "hook_event_name": "PreToolUse",
            "tool_name": "Bash",
            "tool_use_id": event.id,
            "tool_input": {"command": event.right.command()},
        });
        let mut hook = Command::new(self.path("bin/bowline-hook"))
            .args(["claude-code", "PreToolUse", "--on-failure", "open"])
            .current_dir(self.path("project"))
            .env_clear()
            .env("PATH", self.search_path())
            .env("HOME", self.path("home"))
            .env("XDG_RUNTIME_DIR", self.path("run"))
            .env("BOWLINE_SOCKET", &self.places.socket)
            .env("CLAUDE_PROJECT_DIR", self.path("project"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the client starts");
        let mut stdin = hook.stdin.take().expect("it was asked for");
        let written = stdin.write_all(payload.to_string().as_bytes());
        drop(stdin);
        let output = hook.wait_with_output().expect("the client ends");
        let said: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
        let decision = said.pointer("/hookSpecificOutput/permissionDecision");
        let is_right = match event.right {
            Right::Deny => decision == Some(&"deny".into()),
            Right::Silence => output.stdout.is_empty(),
        };
        if is_right && output.status.success() && output.stderr.is_empty() && written.is_ok() {
            return Ok(());
        }
        Err(format!("{event:?}: {output:?}, {written:?}"))
    }

    /// Waits for a daemon that has answered an event, and is another than the last.
    pub(crate) fn await_daemon(&self, last: Option<Pid>) -> Pid {
        until("a daemon answers events", || {
            // One that dies before its starter has heard of it is missed for a while; that is right, and long.
            if self.places.starting().exists() {
                return None;
            }
            let status = Connection::open(&self.places.socket).ok()?.status().ok()?;
            let pid = Pid::from_raw(i32::try_from(status.pid).ok()?)?;
            let has_answered = status.events > u64::try_from(status.in_flight).ok()?;
            (has_answered && last != Some(pid)).then_some(pid)
        })
    }

    /// Stops the daemon, and one that is just being started; waits until nobody is left.
    pub(crate) fn stop_daemon(&self) {
        until("the last daemon has gone", || {
            if let Ok(mut daemon) = Connection::open(&self.places.socket) {
                let _ = daemon.ask("daemon.stop", Map::new());
            }
            let is_free = Holder::of(&self.places).is_none();
            (is_free && self.processes().is_empty()).then_some(())
        });
    }

    /// The store, with whatever waited in its spool.
    pub(crate) fn store(&self) -> SqliteStore {
        let mut options = Options::new(&self.places.data);
        options.runtime_folder = Some(self.places.runtime());
        SqliteStore::open(options).expect("the store can be opened")
    }

    /// Leaves the files for whoever looks into a finding; says where they are.
    pub(crate) fn keep(mut self) -> PathBuf {
        self.folder.disable_cleanup(true);
        self.folder.path().to_owned()
    }

    /// The processes that were started here and still run.
    fn processes(&self) -> Vec<Pid> {
        let mut mark = b"BOWLINE_SOCKET=".to_vec();
        mark.extend_from_slice(self.places.socket.as_os_str().as_bytes());
        let is_ours = |pid: &Pid| {
            let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
            environment.split(|byte| *byte == 0).any(|set| set == mark)
        };
        let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
        entries
            .filter_map(|entry| Pid::from_raw(entry.file_name().to_str()?.parse().ok()?))
            .filter(is_ours)
            .collect()
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        for process in self.processes() {
            let _ = kill_process(process, Signal::KILL);
        }
    }
}

/// Looks until there is something.
fn until<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let began = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(began.elapsed() < PATIENCE, "it never happens that {what}");
        thread::sleep(LOOK);
    }
}
