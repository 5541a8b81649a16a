//! A daemon of our own, with its own home, store and socket.

use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};
use std::{fs, io};

use anyhow::{Context, Result, anyhow, bail};
use bowline_wire::{Lines, MAX_REPLY, Request, Response};
use serde_json::{Map, Value};
use tempfile::TempDir;

const PATIENCE: Duration = Duration::from_secs(60);

/// A million events are more than the store keeps by default, and all of them are counted at the end.
const SETTINGS: &str = "[store]\nmax_size_mb = 100000\n";

/// The folder, with a daemon at work in it. Both are gone when this is.
#[derive(Debug)]
pub(crate) struct Stage {
    folder: TempDir,
    daemon: Child,
}

impl Stage {
    pub(crate) fn new(bowline: &Path) -> Result<Self> {
        Self::with_settings(bowline, "")
    }

    /// The same, with settings of the user's own.
    pub(crate) fn with_settings(bowline: &Path, own: &str) -> Result<Self> {
        let folder = tempfile::Builder::new()
            .prefix("bowline-bench-")
            .tempdir()?;
        for name in ["home", "project", "run", "data"] {
            fs::create_dir(folder.path().join(name))?;
        }
        let settings = folder.path().join("config/bowline");
        fs::create_dir_all(&settings)?;
        fs::write(settings.join("config.toml"), format!("{own}\n{SETTINGS}"))?;
        let mut command = Command::new(bowline);
        command.args(["daemon", "run"]).stdin(Stdio::null());
        surround(&mut command, folder.path());
        command.stdout(Stdio::null()).stderr(Stdio::null());
        let daemon = command.spawn().context("cannot start the daemon")?;
        let mut stage = Self { folder, daemon };
        stage.wait_until_it_answers()?;
        Ok(stage)
    }

    fn wait_until_it_answers(&mut self) -> Result<()> {
        let began = Instant::now();
        while self.ask("daemon.status", Value::Null).is_err() {
            if let Some(status) = self.daemon.try_wait()? {
                bail!("the daemon ended at once: {status}");
            }
            if began.elapsed() > PATIENCE {
                bail!("the daemon does not answer");
            }
            thread::sleep(Duration::from_millis(10));
        }
        Ok(())
    }

    pub(crate) fn socket(&self) -> PathBuf {
        socket(self.folder.path())
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.folder.path().join("project")
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Gives a process the surroundings of this stage.
    pub(crate) fn surround(&self, command: &mut Command) {
        surround(command, self.folder.path());
    }

    /// Asks the daemon something.
    pub(crate) fn ask(&self, what: &str, arguments: Value) -> Result<Value> {
        let args = match arguments {
            Value::Object(arguments) => arguments,
            _ => Map::new(),
        };
        let request = Request {
            command: what.to_owned(),
            args,
            ..Request::default()
        };
        let mut stream = UnixStream::connect(self.socket())?;
        stream.set_read_timeout(Some(PATIENCE))?;
        io::Write::write_all(&mut stream, &request.encode())?;
        let mut lines = Lines::new(MAX_REPLY);
        let mut buffer = vec![0; 64 * 1024];
        loop {
            if let Some(line) = lines.next_line()? {
                let response = Response::decode(&line)?;
                return response.result.map_err(|error| anyhow!("{what}: {error}"));
            }
            let length = io::Read::read(&mut stream, &mut buffer)?;
            if length == 0 {
                bail!("{what}: the daemon closed the connection");
            }
            lines.push(buffer.get(..length).unwrap_or_default());
        }
    }

    /// What the daemon keeps in memory, in megabytes; not every system tells.
    pub(crate) fn memory(&self) -> Result<Option<f64>> {
        let status = self.ask("daemon.status", Value::Null)?;
        let bytes = status.get("memory_bytes").and_then(Value::as_f64);
        Ok(bytes.map(|bytes| bytes / (1024.0 * 1024.0)))
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        let asked = self.ask("daemon.stop", Value::Null).is_ok();
        let began = Instant::now();
        while asked && began.elapsed() < Duration::from_secs(10) {
            if matches!(self.daemon.try_wait(), Ok(Some(_))) {
                return;
            }
            thread::sleep(Duration::from_millis(10));
        }
        let _ = self.daemon.kill();
        let _ = self.daemon.wait();
    }
}

fn socket(folder: &Path) -> PathBuf {
    folder.join("run/daemon.sock")
}

fn surround(command: &mut Command, folder: &Path) {
    for (name, place) in [
        ("HOME", "home"),
        ("XDG_CONFIG_HOME", "config"),
        ("XDG_DATA_HOME", "data"),
        ("XDG_RUNTIME_DIR", "run"),
        ("CLAUDE_PROJECT_DIR", "project"),
    ] {
        command.env(name, folder.join(place));
    }
    command.env("BOWLINE_SOCKET", socket(folder));
    for name in ["BOWLINE", "BOWLINE_DAEMON", "BOWLINE_DISABLE_TRACKING"] {
        command.env_remove(name);
    }
}
