//! A machine of a test's own.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{self, DirBuilder};
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::DirBuilderExt as _;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use bowline_wire::{Request, Response, socket_path};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use tempfile::TempDir;

use crate::programs::built;
use crate::ran::Ran;
use crate::wait::{LOOK, PATIENCE};

/// How many looks a daemon gets to end by itself.
const LOOKS: u32 = 400;

/// A home, a project, a data folder and a runtime folder of a test's own. What was started in it ends with it.
///
/// ```text
/// home/       HOME; the data folder is home/.local/share/bowline
/// project/    where programs run
/// run/        XDG_RUNTIME_DIR, which has the socket
/// ```
#[derive(Debug)]
pub struct Sandbox {
    root: PathBuf,
    project: PathBuf,
    programs: PathBuf,
    variables: BTreeMap<&'static str, OsString>,
    has_started: AtomicBool,
    /// Kept for as long as the sandbox.
    own: Option<TempDir>,
}

impl Default for Sandbox {
    fn default() -> Self {
        Self::new()
    }
}

impl Sandbox {
    /// An empty one.
    pub fn new() -> Self {
        Self::with_project("project")
    }

    /// One whose project is a repository, as far as Bowline looks.
    pub fn with_repository() -> Self {
        let sandbox = Self::new();
        sandbox.folder("project/.git");
        sandbox
    }

    /// One whose project is in this folder of it.
    pub fn with_project(below: &str) -> Self {
        // A socket's path must be short.
        let folder = tempfile::Builder::new().prefix("bl").tempdir().unwrap();
        let mut sandbox = Self::within(folder.path());
        if below != "project" {
            fs::remove_dir(&sandbox.project).unwrap();
            sandbox.project = sandbox.folder(below);
        }
        sandbox.own = Some(folder);
        sandbox
    }

    /// One in a folder that somebody else removes.
    pub fn within(folder: &Path) -> Self {
        fs::create_dir_all(folder).unwrap();
        let root = folder.canonicalize().unwrap();
        let home = root.join("home");
        let project = root.join("project");
        for folder in [&home, &project] {
            fs::create_dir_all(folder).unwrap();
        }
        let run = root.join("run");
        let mut private = DirBuilder::new();
        private.recursive(true).mode(0o700).create(&run).unwrap();
        let variables = [
            ("PATH", std::env::var_os("PATH").unwrap_or_default()),
            ("HOME", home.into()),
            ("XDG_RUNTIME_DIR", run.into()),
            ("COLUMNS", "140".into()),
        ];
        Self {
            root,
            project,
            programs: built(),
            variables: variables.into(),
            has_started: AtomicBool::new(false),
            own: None,
        }
    }

    /// Sets a variable for all programs that run here.
    pub fn set(&mut self, name: &'static str, value: impl Into<OsString>) -> &mut Self {
        self.variables.insert(name, value.into());
        self
    }

    /// Takes a variable away from all programs that run here.
    pub fn unset(&mut self, name: &str) -> &mut Self {
        self.variables.remove(name);
        self
    }

    /// Runs `bowline` and `bowline-hook` from this folder.
    pub fn set_programs(&mut self, folder: impl Into<PathBuf>) -> &mut Self {
        self.programs = folder.into();
        self
    }

    /// The folder that everything is in.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// A path below the root.
    pub fn path(&self, below: impl AsRef<Path>) -> PathBuf {
        self.root.join(below)
    }

    /// The home.
    pub fn home(&self) -> PathBuf {
        self.path("home")
    }

    /// The project.
    pub fn project(&self) -> &Path {
        &self.project
    }

    /// Where Bowline keeps its data.
    pub fn data(&self) -> PathBuf {
        match self.variables.get("XDG_DATA_HOME") {
            Some(folder) => Path::new(folder).join("bowline"),
            None => self.path("home/.local/share/bowline"),
        }
    }

    /// The daemon's socket.
    pub fn socket(&self) -> PathBuf {
        let variable = |name: &str| self.variables.get(name).cloned();
        socket_path(variable, rustix::process::getuid().as_raw(), |_| false).unwrap()
    }

    /// Makes a folder below the root.
    pub fn folder(&self, below: impl AsRef<Path>) -> PathBuf {
        let path = self.path(below);
        fs::create_dir_all(&path).unwrap();
        path
    }

    /// Writes a file below the root.
    pub fn write(&self, below: impl AsRef<Path>, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(below);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        path
    }

    /// Writes a file of the project.
    pub fn write_in_project(&self, below: impl AsRef<Path>, content: impl AsRef<[u8]>) -> PathBuf {
        self.write(self.project.join(below), content)
    }

    /// What a file below the root has.
    #[track_caller]
    pub fn read(&self, below: impl AsRef<Path>) -> String {
        let path = self.path(below);
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    /// How many lines a file below the root has; none if it does not exist.
    pub fn lines(&self, below: impl AsRef<Path>) -> usize {
        fs::read_to_string(self.path(below)).map_or(0, |text| text.lines().count())
    }

    /// Gives a command the project for its folder, this machine for its environment, and nothing to read.
    pub fn surround<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        self.has_started.store(true, Ordering::Relaxed);
        command
            .current_dir(&self.project)
            .env_clear()
            .envs(&self.variables)
            .stdin(Stdio::null())
    }

    /// Any program.
    pub fn program(&self, program: impl AsRef<Path>) -> Command {
        let mut command = Command::new(program.as_ref());
        self.surround(&mut command);
        command
    }

    /// A shell line at a terminal of its own, as a person runs it. A test of it needs `terminal`.
    pub fn at_terminal(&self, line: &str) -> Command {
        let mut command = self.program("script");
        command.args(["-qec", line, "/dev/null"]);
        command
    }

    /// Git in the project, as no settings of this machine change it. A test of it needs `git`.
    pub fn git_command(&self, args: &[&str]) -> Command {
        let mut command = self.program("git");
        command
            .args(["-c", "user.name=A", "-c", "user.email=a@example.com"])
            .args(["-c", "protocol.file.allow=always", "-c", "gc.auto=0"])
            .args(args)
            .env("GIT_CONFIG_NOSYSTEM", "1");
        command
    }

    /// What git says in the project, without the newline at its end.
    #[track_caller]
    pub fn git(&self, args: &[&str]) -> String {
        let ran = Ran::of(&mut self.git_command(args));
        assert_eq!(ran.code, Some(0), "git {args:?}: {ran}");
        ran.stdout.trim_end_matches('\n').to_owned()
    }

    /// `bowline` with these arguments.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = self.program(self.programs.join("bowline"));
        command.args(args);
        command
    }

    /// `bowline-hook` with these arguments.
    pub fn hook_command(&self, args: &[&str]) -> Command {
        let mut command = self.program(self.programs.join("bowline-hook"));
        command.args(args);
        command
    }

    /// Runs `bowline`. Where nobody asked for colours there are none.
    #[track_caller]
    pub fn run(&self, args: &[&str]) -> Ran {
        self.run_with(args, b"")
    }

    /// Runs `bowline`, which gets this on stdin.
    #[track_caller]
    pub fn run_with(&self, args: &[&str], stdin: &[u8]) -> Ran {
        let ran = Ran::with_stdin(&mut self.command(args), stdin);
        assert!(!ran.stdout.contains('\u{1b}'), "an escape in:\n{ran}");
        ran
    }

    /// Runs `bowline` at a terminal of so many columns.
    #[track_caller]
    pub fn run_at(&self, columns: usize, args: &[&str]) -> Ran {
        Ran::of(self.command(args).env("COLUMNS", columns.to_string()))
    }

    /// The document that `bowline … --json` prints.
    #[track_caller]
    pub fn json(&self, args: &[&str]) -> Value {
        self.run(&[args, &["--json"]].concat()).json()
    }

    /// The exit code as well.
    #[track_caller]
    pub fn code_and_json(&self, args: &[&str]) -> (Option<i32>, Value) {
        let ran = self.run(&[args, &["--json"]].concat());
        (ran.code, ran.json())
    }

    /// Asks the daemon; `None` if there is none, or if it refuses.
    pub fn ask(&self, command: &str) -> Option<Value> {
        self.ask_with(command, &Value::Null)
    }

    /// The same, with these arguments by name.
    pub fn ask_with(&self, command: &str, args: &Value) -> Option<Value> {
        let mut stream = UnixStream::connect(self.socket()).ok()?;
        stream.set_read_timeout(Some(PATIENCE)).ok()?;
        let request = Request {
            command: command.to_owned(),
            args: args.as_object().cloned().unwrap_or_default(),
            ..Request::default()
        };
        stream.write_all(&request.encode()).ok()?;
        let mut line = Vec::new();
        BufReader::new(stream).read_until(b'\n', &mut line).ok()?;
        Response::decode(&line).ok()?.result.ok()
    }

    /// The processes that were started here and still run, where the system tells: they have this folder in their environment.
    pub fn processes(&self) -> Vec<Pid> {
        let root = self.root.as_os_str().as_bytes();
        let is_ours = |pid: &Pid| {
            let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
            environment
                .split(|byte| *byte == 0 || *byte == b'=')
                .any(|value| {
                    value
                        .strip_prefix(root)
                        .is_some_and(|rest| rest.starts_with(b"/"))
                })
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

    /// Ends what runs here: the daemon by asking, the rest by force.
    pub fn end_processes(&self) {
        if !self.has_started.load(Ordering::Relaxed) || self.processes().is_empty() {
            return;
        }
        let mut patience = match self.ask("daemon.stop") {
            Some(_) => LOOKS,
            None => 0,
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

impl Drop for Sandbox {
    fn drop(&mut self) {
        self.end_processes();
    }
}
