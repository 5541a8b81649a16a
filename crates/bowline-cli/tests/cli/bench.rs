//! A machine of a test's own, and the real binary on it.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

pub(super) use super::ran::Ran;

pub(super) const WIDTH: usize = 140;

/// A machine with nothing on it but a home and one project.
pub(super) struct Bench {
    root: TempDir,
}

impl Bench {
    pub(super) fn new() -> Self {
        let bench = Self {
            root: tempfile::tempdir().unwrap(),
        };
        for folder in ["home", "project/.git"] {
            fs::create_dir_all(bench.root.path().join(folder)).unwrap();
        }
        bench
    }

    /// With the project that the documentation shows.
    pub(super) fn with_example() -> Self {
        let bench = Self::new();
        copy_folder(&example(), &bench.project());
        bench
    }

    pub(super) fn project(&self) -> PathBuf {
        self.root.path().join("project")
    }

    pub(super) fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.project().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    pub(super) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_bowline"));
        command
            .args(args)
            .current_dir(self.project())
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.root.path().join("home"))
            .env("COLUMNS", WIDTH.to_string());
        command
    }

    pub(super) fn run(&self, args: &[&str]) -> Ran {
        self.run_with(args, b"")
    }

    pub(super) fn run_with(&self, args: &[&str], stdin: &[u8]) -> Ran {
        let mut child = self
            .command(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // A command that does not read its input may have closed it.
        let _ = child.stdin.take().unwrap().write_all(stdin);
        child.wait_with_output().unwrap().into()
    }

    pub(super) fn json(&self, args: &[&str]) -> (Option<i32>, Value) {
        let ran = self.run(&[args, &["--json"]].concat());
        let document = serde_json::from_str(&ran.stdout)
            .unwrap_or_else(|error| panic!("{args:?}: {error}: {}{}", ran.stdout, ran.stderr));
        (ran.code, document)
    }
}

pub(super) fn example() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/project")
}

pub(super) fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy_folder(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// Settings with one hook of Claude Code's form.
pub(super) fn one_hook(event: &str, matcher: &str, command: &str) -> String {
    json!({"hooks": {event: [{"matcher": matcher, "hooks": [{"type": "command", "command": command}]}]}})
        .to_string()
}
