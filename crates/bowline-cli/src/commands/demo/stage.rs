//! The folder of the demo, with a home, a store and a daemon. It is deleted at the end.

use std::fs;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command as Process, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use bowline_agents::claude_code;
use bowline_daemon::{Connection, Places};
use chrono::{TimeDelta, Utc};
use serde_json::{Map, json};
use tempfile::TempDir;

use super::script::{FILES, USED};
use crate::error::{Error, ErrorKind, Result};

const PATIENCE: Duration = Duration::from_secs(15);
const LOOK: Duration = Duration::from_millis(5);

/// The folder and its daemon.
#[derive(Debug)]
pub(super) struct Stage {
    folder: TempDir,
    bowline: PathBuf,
    hook: PathBuf,
    daemon: Child,
}

impl Stage {
    pub(super) fn new() -> Result<Self> {
        let bowline = std::env::current_exe()
            .map_err(|source| Error::file("find", "the running program".as_ref(), source))?;
        let hook = bowline.with_file_name("bowline-hook");
        if !hook.is_file() {
            return Err(Error::new(
                ErrorKind::File,
                format!("there is no `bowline-hook` beside {}", bowline.display()),
            )
            .hint("`cargo xtask install` puts both programs in place, `cargo xtask demo` runs the demo without"));
        }
        let folder = tempfile::Builder::new().prefix("bowline-demo-").tempdir();
        let folder = folder.map_err(|source| {
            Error::file("make a folder in", &std::env::temp_dir(), source)
                .hint("set TMPDIR to a folder that can be written to")
        })?;
        furnish(folder.path())?;
        let mut daemon = Process::new(&bowline);
        daemon.args(["daemon", "run"]);
        let daemon = surrounded(&mut daemon, folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|source| Error::file("start", &bowline, source))?;
        let mut stage = Self {
            folder,
            bowline,
            hook,
            daemon,
        };
        stage.wait_for_daemon()?;
        Ok(stage)
    }

    fn wait_for_daemon(&mut self) -> Result<()> {
        let began = Instant::now();
        while Connection::open(&socket(self.folder.path())).is_err() {
            let ended = matches!(self.daemon.try_wait(), Ok(Some(_)));
            if ended || began.elapsed() > PATIENCE {
                let message = "the daemon of the demo does not answer";
                return Err(Error::new(ErrorKind::System, message).hint(
                    "`bowline daemon run` shows in this terminal what keeps it from running",
                ));
            }
            thread::sleep(LOOK);
        }
        Ok(())
    }

    /// The folder of a project.
    pub(super) fn project(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Where its daemon is.
    pub(super) fn places(&self) -> Places {
        let folder = self.folder.path();
        Places {
            data: folder.join("data/bowline"),
            socket: socket(folder),
        }
    }

    /// Prepares what only the page shows: other projects, questions that wait, and what sessions used before.
    pub(super) fn furnish_for_the_page(&self) -> Result<()> {
        let write = |place: String, text: String| {
            let path = self.folder.path().join(place);
            let folder = path.parent().unwrap_or(&path);
            fs::create_dir_all(folder).map_err(|source| Error::file("make", folder, source))?;
            fs::write(&path, text).map_err(|source| Error::file("write", &path, source))
        };
        for name in ["site", "infra"] {
            write(format!("{name}/README.md"), format!("# The {name}\n"))?;
        }
        let settings = "[approvals]\nwait = \"10m\"\n".to_owned();
        write("config/bowline/config.toml".to_owned(), settings)?;
        let now = Utc::now();
        for (number, (days, model, input, output, session, project)) in USED.iter().enumerate() {
            let message = json!({
                "type": "assistant",
                "timestamp": (now - TimeDelta::days(*days)).to_rfc3339(),
                "sessionId": session,
                "cwd": self.project(project),
                "message": {"id": format!("msg_demo_{number}"), "role": "assistant", "model": model, "content": [],
                    "usage": {"input_tokens": input, "output_tokens": output}},
            });
            let place = format!("home/.claude/projects/{project}/{session}-{number}.jsonl");
            write(place, format!("{message}\n"))?;
        }
        Ok(())
    }

    /// The client, as an agent in a project starts it.
    pub(super) fn hook(&self, event: &str, project: &str) -> Process {
        let mut hook = Process::new(&self.hook);
        hook.args([
            claude_code::AGENT.name,
            event,
            "--on-failure",
            "ask",
            "--timeout",
            "600",
        ]);
        let folder = self.project(project);
        surrounded(&mut hook, self.folder.path())
            .env(claude_code::PROJECT_VARIABLE, &folder)
            .current_dir(folder);
        hook
    }

    /// A command of this program, with what the demo has recorded.
    pub(super) fn command(&self, arguments: &[&str]) -> Process {
        let mut command = Process::new(&self.bowline);
        command.args(arguments).stdin(Stdio::null());
        surrounded(&mut command, self.folder.path());
        command
    }

    /// The path of this program.
    pub(super) fn program(&self) -> &Path {
        &self.bowline
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        let asked = Connection::open(&socket(self.folder.path()))
            .and_then(|mut daemon| daemon.ask("daemon.stop", Map::new()));
        let began = Instant::now();
        while asked.is_ok() && began.elapsed() < PATIENCE {
            if !matches!(self.daemon.try_wait(), Ok(None)) {
                return;
            }
            thread::sleep(LOOK);
        }
        let _ = self.daemon.kill();
        let _ = self.daemon.wait();
    }
}

/// Runs a process to its end with this on stdin.
pub(super) fn fed(command: &mut Process, payload: &[u8]) -> std::io::Result<Output> {
    begun(command, payload)?.wait_with_output()
}

/// Starts a process with this on stdin.
pub(super) fn begun(command: &mut Process, payload: &[u8]) -> std::io::Result<Child> {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        std::io::Write::write_all(&mut stdin, payload)?;
    }
    Ok(child)
}

fn furnish(folder: &Path) -> Result<()> {
    let make = |name: &str| {
        let path = folder.join(name);
        let mut builder = fs::DirBuilder::new();
        builder.recursive(true).mode(0o700);
        builder
            .create(&path)
            .map_err(|source| Error::file("make", &path, source))
    };
    for name in ["home", "config", "data", "run", "shop/src"] {
        make(name)?;
    }
    for (name, text) in FILES {
        let path = folder.join("shop").join(name);
        fs::write(&path, text).map_err(|source| Error::file("write", &path, source))?;
    }
    Ok(())
}

fn socket(folder: &Path) -> PathBuf {
    folder.join("run/daemon.sock")
}

/// Nothing of the demo reaches the user's own files, and none of their switches changes it.
fn surrounded<'a>(command: &'a mut Process, folder: &Path) -> &'a mut Process {
    for (name, place) in [
        ("HOME", "home"),
        ("XDG_CONFIG_HOME", "config"),
        ("XDG_DATA_HOME", "data"),
        ("XDG_RUNTIME_DIR", "run"),
        (claude_code::PROJECT_VARIABLE, "shop"),
    ] {
        command.env(name, folder.join(place));
    }
    for name in [
        "BOWLINE",
        "BOWLINE_DAEMON",
        "BOWLINE_DISABLE_TRACKING",
        "HTMLGRAPH_DISABLE_TRACKING",
        claude_code::FOLDER_VARIABLE,
    ] {
        command.env_remove(name);
    }
    command.env("BOWLINE_SOCKET", socket(folder))
}
