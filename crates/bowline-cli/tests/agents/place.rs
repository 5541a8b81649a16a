//! A machine of a test's own, with both programs side by side on it.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::{env, fs, thread};

use serde_json::Value;
use tempfile::TempDir;

use super::client::client;

/// A home, a project, and a daemon that ends with them.
pub(super) struct Place {
    folder: PathBuf,
    /// Kept for as long as the place.
    own: Option<TempDir>,
}

impl Place {
    pub(super) fn new() -> Self {
        let own = tempfile::Builder::new().prefix("bl").tempdir().unwrap();
        let mut place = Self::within(own.path());
        place.own = Some(own);
        place
    }

    /// In a folder that somebody else removes.
    pub(super) fn within(folder: &Path) -> Self {
        for name in ["home", "project", "run"] {
            fs::create_dir_all(folder.join(name)).unwrap();
        }
        Self {
            folder: folder.to_owned(),
            own: None,
        }
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    pub(super) fn socket(&self) -> PathBuf {
        self.path("run/daemon.sock")
    }

    /// `bowline` with these arguments.
    pub(super) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(programs().join("bowline"));
        command.args(arguments).stdin(Stdio::null());
        self.surround(&mut command);
        command
    }

    pub(super) fn bowline(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// The document that a command prints.
    pub(super) fn json(&self, arguments: &[&str]) -> Value {
        let output = self.bowline(&[arguments, &["--json"]].concat());
        let text = String::from_utf8_lossy(&output.stdout);
        serde_json::from_str(&text).unwrap_or_else(|error| {
            let stderr = String::from_utf8_lossy(&output.stderr);
            panic!("{arguments:?}: {error}: {text}{stderr}")
        })
    }

    /// What `bowline-hook` answers to this event.
    pub(super) fn hook(&self, event: &str, payload: &[u8]) -> Output {
        self.hook_with(event, payload, &[], &[])
    }

    /// The same, with further arguments, and with variables that the agent hands on.
    pub(super) fn hook_with(
        &self,
        event: &str,
        payload: &[u8],
        arguments: &[&str],
        variables: &[(&str, &str)],
    ) -> Output {
        let agent = ["claude-code", event, "--on-failure", "closed"];
        self.report(payload, &[&agent, arguments].concat(), variables)
    }

    /// What `bowline-hook` answers to an agent that speaks no dialect of its own and runs no daemon.
    pub(super) fn direct(&self, payload: &Value) -> String {
        let off = [("BOWLINE_DAEMON", "off")];
        let output = self.report(payload.to_string().as_bytes(), &["generic"], &off);
        String::from_utf8(output.stdout).unwrap()
    }

    /// What `bowline-hook` answers with just these arguments.
    pub(super) fn report(
        &self,
        payload: &[u8],
        arguments: &[&str],
        variables: &[(&str, &str)],
    ) -> Output {
        let mut command = Command::new(programs().join("bowline-hook"));
        let mut child = self
            .surround(command.args(arguments))
            .envs(variables.iter().copied())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let (mut stdin, payload) = (child.stdin.take().unwrap(), payload.to_owned());
        let writer = thread::spawn(move || stdin.write_all(&payload));
        let output = child.wait_with_output().unwrap();
        let _ = writer.join().unwrap();
        output
    }

    pub(super) fn surround<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        command
            .current_dir(self.path("project"))
            .env_clear()
            .env("PATH", env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.path("home"))
            .env("COLUMNS", "120")
            .env("BOWLINE_SOCKET", self.socket())
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.bowline(&["daemon", "stop"]);
    }
}

/// The folder with both programs; the client looks for `bowline` beside itself.
pub(super) fn programs() -> &'static Path {
    client().parent().unwrap()
}
