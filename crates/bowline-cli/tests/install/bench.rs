//! A machine of a test's own, with Bowline's programs in a folder of it.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

use super::put::put;

pub(super) use super::ran::Ran;

/// Denies what is destructive, and notes how it was started.
pub(super) const HONEST: &str = r#"#!/bin/sh
payload=$(cat)
echo "$* scope=$BOWLINE_SCOPE tracking=$BOWLINE_DISABLE_TRACKING" >> "$HOME/hook.log"
case $payload in
*'rm -rf'*) echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"}}' ;;
esac
"#;

/// Lets everything pass.
pub(super) const BLIND: &str = "#!/bin/sh\ncat >/dev/null\n";

pub(super) struct Bench {
    root: TempDir,
}

impl Bench {
    /// With a `bowline-hook` that works.
    pub(super) fn new() -> Self {
        let bench = Self::without_hook();
        bench.hook(HONEST);
        bench
    }

    pub(super) fn without_hook() -> Self {
        let bench = Self {
            root: tempfile::tempdir().unwrap(),
        };
        for folder in ["bin", "home", "project/.git", "run"] {
            fs::create_dir_all(bench.path(folder)).unwrap();
        }
        put(env!("CARGO_BIN_EXE_bowline"), bench.path("bin/bowline"));
        bench
    }

    pub(super) fn path(&self, below: &str) -> PathBuf {
        self.root.path().canonicalize().unwrap().join(below)
    }

    pub(super) fn user_settings(&self) -> PathBuf {
        self.path("home/.claude/settings.json")
    }

    pub(super) fn socket(&self) -> PathBuf {
        let variable = |name: &str| match name {
            "HOME" => Some(self.path("home").into_os_string()),
            "XDG_RUNTIME_DIR" => Some(self.path("run").into_os_string()),
            _ => None,
        };
        bowline_wire::socket_path(variable, 0, |_| false).unwrap()
    }

    pub(super) fn data(&self) -> PathBuf {
        self.path("home/.local/share/bowline")
    }

    /// Puts a program in the place of `bowline-hook`.
    pub(super) fn hook(&self, script: &str) {
        let path = self.path("bin/bowline-hook");
        fs::write(&path, script).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// Puts a Claude Code of this version on the path of [`Self::run_with_client`].
    pub(super) fn client(&self, version: &str) {
        let path = self.write(
            "client/claude",
            &format!("#!/bin/sh\n[ \"$*\" = --version ] && echo '{version} (Claude Code)'\n"),
        );
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// As [`Self::run`], where the client of [`Self::client`] is on the path.
    pub(super) fn run_with_client(&self, args: &[&str]) -> Ran {
        let path = format!("{}:/usr/bin:/bin", self.path("client").display());
        Ran::of(self.bowline(args).env("PATH", path))
    }

    pub(super) fn write(&self, below: &str, text: &str) -> PathBuf {
        let path = self.path(below);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    pub(super) fn clean(&self, program: impl AsRef<Path>) -> Command {
        let mut command = Command::new(program.as_ref());
        command
            .current_dir(self.path("project"))
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .env("HOME", self.path("home"))
            .env("XDG_RUNTIME_DIR", self.path("run"))
            .env("COLUMNS", "140");
        command
    }

    pub(super) fn bowline(&self, args: &[&str]) -> Command {
        let mut command = self.clean(self.path("bin/bowline"));
        command.args(args);
        command
    }

    pub(super) fn run(&self, args: &[&str]) -> Ran {
        Ran::of(&mut self.bowline(args))
    }

    pub(super) fn json(&self, args: &[&str]) -> (Option<i32>, Value) {
        let ran = self.run(&[args, &["--json"]].concat());
        let document = serde_json::from_str(&ran.stdout)
            .unwrap_or_else(|error| panic!("{args:?}: {error}: {}{}", ran.stdout, ran.stderr));
        (ran.code, document)
    }

    /// The copies of a settings file in Bowline's folder, the oldest first.
    pub(super) fn copies(&self, file: &Path) -> Vec<PathBuf> {
        let folder = self.data().join("backups");
        let folder = folder.join(file.strip_prefix("/").unwrap());
        let mut copies: Vec<_> = fs::read_dir(folder)
            .into_iter()
            .flatten()
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.file_name().unwrap().to_str().unwrap().contains('T'))
            .collect();
        copies.sort();
        copies
    }
}

impl Ran {
    pub(super) fn of(command: &mut Command) -> Self {
        command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .output()
            .unwrap()
            .into()
    }
}
