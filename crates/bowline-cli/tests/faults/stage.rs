//! A machine of a test's own: its home, its data, its socket. Whatever was started on it ends with it.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use bowline_daemon::Connection;
use bowline_store::{Options, SqliteStore};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Map, Value, json};
use tempfile::TempDir;

use super::programs;

/// Nothing here takes so long, however busy the machine is.
const PATIENCE: Duration = Duration::from_secs(60);
const LOOK: Duration = Duration::from_millis(5);

/// What the answer to an event must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Right {
    Deny,
    Silence,
}

/// A tool call that an agent reports, and the right answer to it.
#[derive(Debug, Clone)]
pub(super) struct Event {
    /// The agent's id of the tool call, which no other event has.
    pub(super) id: String,
    pub(super) right: Right,
    /// Makes the record larger.
    pub(super) padding: Vec<String>,
}

impl Event {
    /// Every other one is denied.
    pub(super) fn new(series: &str, number: usize) -> Self {
        Self {
            id: format!("{series}-{number:06}"),
            right: if number.is_multiple_of(2) {
                Right::Deny
            } else {
                Right::Silence
            },
            padding: Vec::new(),
        }
    }

    /// The command is judged, never run.
    fn command(&self) -> &'static str {
        match self.right {
            Right::Deny => "git push --force origin main",
            Right::Silence => "ls -l src",
        }
    }
}

/// Which way an event takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// Through the daemon where there is one.
    Usual,
    /// Never through the daemon.
    Direct,
}

/// How large the files of a process may be, and how many it may have open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Files {
    /// As large as the disk permits.
    Any,
    /// A few kilobytes (`ulimit -f`).
    Small,
    /// At most this many (`ulimit -n`).
    Few(u32),
}

pub(super) struct Stage {
    /// Goes before the folder that it is mounted in.
    pub(super) disk: Option<Disk>,
    folder: TempDir,
    programs: TempDir,
    /// What is kept.
    pub(super) data: PathBuf,
    pub(super) socket: PathBuf,
    /// Variables with other values than usual.
    pub(super) variables: Vec<(&'static str, OsString)>,
}

impl Stage {
    pub(super) fn new() -> Self {
        Self::with_programs(programs::both())
    }

    pub(super) fn with_programs(programs: TempDir) -> Self {
        // Sockets have short names.
        let folder = tempfile::Builder::new().prefix("bl").tempdir().unwrap();
        for name in ["home", "project", "run"] {
            fs::create_dir(folder.path().join(name)).unwrap();
        }
        Self {
            disk: None,
            data: folder.path().join("share/bowline"),
            socket: folder.path().join("run/daemon.sock"),
            folder,
            programs,
            variables: Vec::new(),
        }
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(super) fn database(&self) -> PathBuf {
        self.data.join("bowline.db")
    }

    fn search_path(&self) -> OsString {
        let mut path = self
            .programs
            .path()
            .join(programs::ON_PATH)
            .into_os_string();
        path.push(":");
        path.push(std::env::var_os("PATH").unwrap_or_default());
        path
    }

    fn environment(&self) -> Vec<(&'static str, OsString)> {
        let usual = [
            ("PATH", self.search_path()),
            ("HOME", self.path("home").into()),
            ("XDG_DATA_HOME", self.data.parent().unwrap().into()),
            ("XDG_RUNTIME_DIR", self.path("run").into()),
            ("BOWLINE_SOCKET", self.socket.clone().into()),
            ("CLAUDE_PROJECT_DIR", self.path("project").into()),
        ];
        usual.into_iter().chain(self.variables.clone()).collect()
    }

    /// Reports one event as an agent does; an error tells what was wrong with the answer.
    pub(super) fn send(&self, event: &Event, way: Way) -> Result<(), String> {
        self.send_limited(event, way, Files::Any)
    }

    /// Hands a payload to the client as an agent does.
    pub(super) fn report(&self, payload: &Value, way: Way, files: Files) -> Output {
        let program = self.programs.path().join("bowline-hook");
        let limited = |limit: &str| {
            let mut shell = Command::new("sh");
            shell.args(["-c", &format!("ulimit {limit}; exec \"$0\" \"$@\"")]);
            shell.arg(&program);
            shell
        };
        let mut hook = match files {
            Files::Any => Command::new(&program),
            Files::Small => limited("-f 8"),
            Files::Few(most) => limited(&format!("-n {most}")),
        };
        hook.args(["claude-code", "--on-failure", "open"])
            .current_dir(self.path("project"))
            .env_clear()
            .envs(self.environment())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        if way == Way::Direct {
            hook.env("BOWLINE_DAEMON", "off");
        }
        let mut hook = hook.spawn().unwrap();
        let mut stdin = hook.stdin.take().unwrap();
        stdin.write_all(payload.to_string().as_bytes()).unwrap();
        drop(stdin);
        hook.wait_with_output().unwrap()
    }

    /// What the daemon has logged.
    pub(super) fn log(&self) -> String {
        fs::read_to_string(self.data.join("daemon.log")).unwrap_or_default()
    }

    /// As [`Self::send`], with a limit for everything that this event starts.
    pub(super) fn send_limited(&self, event: &Event, way: Way, files: Files) -> Result<(), String> {
        let payload = json!({
            "session_id": "s1",
            "transcript_path": "/t",
            "cwd": self.path("project"),
            "hook_event_name": "PreToolUse",
            "tool_name": "Bash",
            "tool_use_id": event.id,
            "tool_input": {"command": event.command(), "padding": event.padding},
        });
        let output = self.report(&payload, way, files);
        let stdout = String::from_utf8_lossy(&output.stdout);
        let decision = serde_json::from_str(&stdout).ok().and_then(|said: Value| {
            let decision = said.pointer("/hookSpecificOutput/permissionDecision")?;
            Some(decision.as_str()?.to_owned())
        });
        let is_right = match event.right {
            Right::Deny => decision.as_deref() == Some("deny"),
            Right::Silence => stdout.is_empty(),
        };
        if is_right && output.status.success() && output.stderr.is_empty() {
            return Ok(());
        }
        let stderr = String::from_utf8_lossy(&output.stderr);
        Err(format!(
            "{event:?}: {} `{stdout}` `{stderr}`",
            output.status
        ))
    }

    /// Runs a command; what it said, wherever.
    pub(super) fn bowline(&self, arguments: &[&str]) -> String {
        let output = Command::new(self.programs.path().join("bowline"))
            .args(arguments)
            .current_dir(self.path("project"))
            .env_clear()
            .envs(self.environment())
            .output()
            .unwrap();
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8_lossy(&said).into_owned();
        // Lines are broken where the terminal ends.
        said.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// Reports one event, whose answer must be right.
    #[track_caller]
    pub(super) fn must_send(&self, event: &Event) {
        self.send(event, Way::Usual).unwrap();
    }

    /// Reports events until a daemon answers them, which the first one starts. All were answered rightly.
    pub(super) fn wake_daemon(&self, series: &str) -> Vec<Event> {
        let mut sent = Vec::new();
        until("a daemon answers events", || {
            let event = Event::new(series, sent.len());
            self.must_send(&event);
            sent.push(event);
            self.answering_daemon()
        });
        sent
    }

    /// The process of a daemon that has answered an event.
    pub(super) fn answering_daemon(&self) -> Option<Pid> {
        let status = self.ask("daemon.status")?;
        let number = |name: &str| status[name].as_i64().unwrap();
        (number("events") > number("in_flight"))
            .then(|| Pid::from_raw(i32::try_from(number("pid")).unwrap()).unwrap())
    }

    /// Whether a client has started a daemon that has not answered yet: another is not started for some seconds then.
    pub(super) fn is_starting(&self) -> bool {
        self.socket.with_extension("starting").exists()
    }

    /// Asks the daemon; `None` if there is none, or if it refuses.
    pub(super) fn ask(&self, command: &str) -> Option<Value> {
        let mut daemon = Connection::open(&self.socket).ok()?;
        daemon.ask(command, Map::new()).ok()
    }

    /// The causes, numbers and messages of what the daemon knows to be missing.
    pub(super) fn gaps(&self) -> Vec<(String, u64, String)> {
        let gaps = self.ask("store.gaps").expect("the daemon answers");
        let gap = |gap: &Value| {
            (
                gap["cause"].as_str().unwrap().to_owned(),
                gap["records"].as_u64().unwrap(),
                gap["message"].as_str().unwrap().to_owned(),
            )
        };
        gaps.as_array().unwrap().iter().map(gap).collect()
    }

    /// Stops the daemon, and one that is just being started; waits until nobody is left.
    pub(super) fn stop_daemon(&self) {
        let lock = self.socket.with_extension("lock");
        until("the daemon has gone", || {
            self.ask("daemon.stop");
            let is_free = File::open(&lock).map_or(true, |lock| lock.try_lock().is_ok());
            (is_free && self.processes().is_empty()).then_some(())
        });
    }

    /// The store, with whatever waited in its spool.
    pub(super) fn store(&self) -> SqliteStore {
        let mut options = Options::new(&self.data);
        options.runtime_folder = self.socket.parent().map(Path::to_owned);
        SqliteStore::open(options).unwrap()
    }

    /// The processes that were started on this stage and still run, where the system tells.
    pub(super) fn processes(&self) -> Vec<Pid> {
        let mut mark = b"BOWLINE_SOCKET=".to_vec();
        mark.extend_from_slice(self.socket.as_os_str().as_bytes());
        let is_ours = |pid: &Pid| {
            let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
            environment.split(|byte| *byte == 0).any(|set| set == mark)
        };
        let Ok(entries) = fs::read_dir("/proc") else {
            return Vec::new();
        };
        entries
            .flatten()
            .filter_map(|entry| Pid::from_raw(entry.file_name().to_str()?.parse().ok()?))
            .filter(is_ours)
            .collect()
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        let mut patience = if self.ask("daemon.stop").is_some() {
            400
        } else {
            0
        };
        // Twice nobody: between two looks a process may have passed its work on to another.
        let mut nobody = 0;
        while nobody < 2 {
            let left = self.processes();
            nobody = if left.is_empty() { nobody + 1 } else { 0 };
            if patience == 0 {
                for process in left {
                    let _ = kill_process(process, Signal::KILL);
                }
            } else {
                patience -= 1;
            }
            thread::sleep(LOOK);
        }
    }
}

/// A disk that is mounted here, for these processes alone.
pub(super) struct Disk(pub(super) PathBuf);

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}

/// Looks until there is something.
#[track_caller]
pub(super) fn until<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let began = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(began.elapsed() < PATIENCE, "it never happens that {what}");
        thread::sleep(LOOK);
    }
}
