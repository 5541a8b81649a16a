//! Where faults are tried: a sandbox with both programs, and an agent that reports events in it.

use std::fs::{self, File};
use std::ops::{Deref, DerefMut};
use std::path::{Path, PathBuf};

use bowline_store::{Options, SqliteStore};
use bowline_testkit::{Disk, Ran, Sandbox, until, until_some};
use rustix::process::Pid;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::programs;

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

/// A sandbox with both programs, and an agent that reports events in it.
pub(super) struct Stage {
    sandbox: Sandbox,
    /// Goes before the folder that it is mounted in.
    pub(super) disk: Option<Disk>,
    programs: TempDir,
}

impl Deref for Stage {
    type Target = Sandbox;

    fn deref(&self) -> &Sandbox {
        &self.sandbox
    }
}

impl DerefMut for Stage {
    fn deref_mut(&mut self) -> &mut Sandbox {
        &mut self.sandbox
    }
}

impl Stage {
    pub(super) fn new() -> Self {
        Self::with_programs(programs::both())
    }

    pub(super) fn with_programs(programs: TempDir) -> Self {
        let mut sandbox = Sandbox::new();
        let mut path = programs.path().join(programs::ON_PATH).into_os_string();
        path.push(":");
        path.push(std::env::var_os("PATH").unwrap_or_default());
        let [share, socket, project] =
            ["share", "run/daemon.sock", "project"].map(|it| sandbox.path(it));
        sandbox
            .set_programs(programs.path())
            .set("PATH", path)
            .set("XDG_DATA_HOME", share)
            .set("BOWLINE_SOCKET", socket)
            .set("CLAUDE_PROJECT_DIR", project)
            // What people read is in one line.
            .unset("COLUMNS");
        Self {
            sandbox,
            disk: None,
            programs,
        }
    }

    pub(super) fn database(&self) -> PathBuf {
        self.data().join("bowline.db")
    }

    /// Reports one event as an agent does; an error tells what was wrong with the answer.
    pub(super) fn send(&self, event: &Event, way: Way) -> Result<(), String> {
        self.send_limited(event, way, Files::Any)
    }

    /// Hands a payload to the client as an agent does.
    pub(super) fn report(&self, payload: &Value, way: Way, files: Files) -> Ran {
        let args = ["claude-code", "--on-failure", "open"];
        let limited = |limit: &str| {
            let mut shell = self.program("sh");
            shell.args(["-c", &format!("ulimit {limit}; exec \"$0\" \"$@\"")]);
            shell.arg(self.programs.path().join("bowline-hook"));
            shell.args(args);
            shell
        };
        let mut hook = match files {
            Files::Any => self.hook_command(&args),
            Files::Small => limited("-f 8"),
            Files::Few(most) => limited(&format!("-n {most}")),
        };
        if way == Way::Direct {
            hook.env("BOWLINE_DAEMON", "off");
        }
        Ran::with_stdin(&mut hook, payload.to_string().as_bytes())
    }

    /// What the daemon has logged.
    pub(super) fn log(&self) -> String {
        fs::read_to_string(self.data().join("daemon.log")).unwrap_or_default()
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
        let ran = self.report(&payload, way, files);
        let decision = serde_json::from_str(&ran.stdout)
            .ok()
            .and_then(|said: Value| {
                let decision = said.pointer("/hookSpecificOutput/permissionDecision")?;
                Some(decision.as_str()?.to_owned())
            });
        let is_right = match event.right {
            Right::Deny => decision.as_deref() == Some("deny"),
            Right::Silence => ran.stdout.is_empty(),
        };
        if is_right && ran.code == Some(0) && ran.stderr.is_empty() {
            return Ok(());
        }
        Err(format!("{event:?}: {ran}"))
    }

    /// Reports one event, whose answer must be right.
    #[track_caller]
    pub(super) fn must_send(&self, event: &Event) {
        self.send(event, Way::Usual).unwrap();
    }

    /// Reports events until a daemon answers them, which the first one starts. All were answered rightly.
    pub(super) fn wake_daemon(&self, series: &str) -> Vec<Event> {
        let mut sent = Vec::new();
        until_some("a daemon answers events", || {
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
        self.socket().with_extension("starting").exists()
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
        let lock = self.socket().with_extension("lock");
        until("the daemon has gone", || {
            self.ask("daemon.stop");
            let is_free = File::open(&lock).map_or(true, |lock| lock.try_lock().is_ok());
            is_free && self.processes().is_empty()
        });
    }

    /// The store, with whatever waited in its spool.
    pub(super) fn store(&self) -> SqliteStore {
        let mut options = Options::new(self.data());
        options.runtime_folder = self.socket().parent().map(Path::to_owned);
        SqliteStore::open(options).unwrap()
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        self.end_processes();
        self.disk = None;
    }
}
