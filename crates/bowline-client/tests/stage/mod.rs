//! The real client on a stage of its own: its own folder, a scripted daemon, a scripted `bowline` beside it.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::fs::DirBuilderExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use bowline_wire::{Acknowledgement, Answer, Call, Heard, Reply};
use tempfile::TempDir;

/// Tests take turns: a daemon that is kept from its processor for 250 ms is one that does not answer.
static TURN: Mutex<()> = Mutex::new(());

pub(crate) struct Stage {
    folder: TempDir,
    _turn: MutexGuard<'static, ()>,
}

impl Stage {
    /// A stage where `bowline`, run directly, denies with exit code 2, and notes what it was asked.
    pub(crate) fn new() -> Self {
        let stage = Self::without_bowline();
        stage.bowline("printf 'direct out'; printf 'direct err' >&2; exit 2");
        stage
    }

    pub(crate) fn without_bowline() -> Self {
        let folder = tempfile::Builder::new().prefix("bl").tempdir().unwrap();
        let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        let stage = Self {
            folder,
            _turn: turn,
        };
        for name in ["bin", "path"] {
            fs::create_dir(stage.path(name)).unwrap();
        }
        fs::DirBuilder::new()
            .mode(0o700)
            .create(stage.path("run"))
            .unwrap();
        let built = env!("CARGO_BIN_EXE_bowline-hook");
        if fs::hard_link(built, stage.path("bin/bowline-hook")).is_err() {
            // By another process: what this one writes may be held open by a process of another test, and is then busy.
            let mut copy = Command::new("cp");
            copy.arg(built).arg(stage.path("bin/bowline-hook"));
            assert!(copy.status().unwrap().success());
        }
        stage
    }

    /// Puts a `bowline` on the path that notes its arguments and its stdin and goes on with these lines. It is not beside the client,
    /// because this process, which plays the daemon, does not run it.
    pub(crate) fn bowline(&self, answer: &str) {
        self.program("path/bowline", answer);
    }

    /// Puts the program of this process, which plays the daemon, beside the client.
    pub(crate) fn own_program_beside(&self) {
        let own = std::env::current_exe().unwrap();
        std::os::unix::fs::symlink(own, self.path("bin/bowline")).unwrap();
    }

    /// What is looked up for programs.
    pub(crate) fn search_path(&self) -> String {
        format!("{}:/usr/bin:/bin", self.path("path").display())
    }

    pub(crate) fn program(&self, name: &str, answer: &str) {
        let notes = self.folder.path().display();
        let script = format!(
            "#!/bin/sh\ncase \"$1\" in\ndaemon) echo \"$*\" >> '{notes}/starts'; exit ;;\nesac\n\
             echo \"$*\" >> '{notes}/arguments'\ncat > '{notes}/stdin'\n{answer}\n"
        );
        // Another process writes it: a file that this one has open for writing cannot be started by its threads.
        let mut writer = Command::new("sh")
            .args(["-c", "cat > \"$0\" && chmod 755 \"$0\""])
            .arg(self.path(name))
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        writer
            .stdin
            .take()
            .unwrap()
            .write_all(script.as_bytes())
            .unwrap();
        assert!(writer.wait().unwrap().success());
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn socket(&self) -> PathBuf {
        self.path("run/daemon.sock")
    }

    /// Serves every connection with this script, in a thread of its own.
    pub(crate) fn daemon(&self, script: impl Fn(Conversation) + Clone + Send + 'static) {
        let listener = UnixListener::bind(self.socket()).unwrap();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let script = script.clone();
                thread::spawn(move || script(Conversation::begin(stream)));
            }
        });
    }

    /// The client with these arguments, and an environment of its own.
    pub(crate) fn hook(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(self.path("bin/bowline-hook"));
        command
            .args(arguments)
            .current_dir(self.folder.path())
            .env_clear();
        command
            .env("PATH", self.search_path())
            .env("BOWLINE_SOCKET", self.socket());
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// What the direct runs were started with, one line each.
    pub(crate) fn direct_runs(&self) -> Vec<String> {
        lines(&self.path("arguments"))
    }

    /// What `bowline` read from stdin.
    pub(crate) fn direct_stdin(&self) -> Vec<u8> {
        fs::read(self.path("stdin")).unwrap()
    }

    /// How often a daemon was asked for, when it was at least once. Those processes run by themselves.
    pub(crate) fn starts(&self) -> Vec<String> {
        for _ in 0..1000 {
            let starts = lines(&self.path("starts"));
            if !starts.is_empty() {
                return starts;
            }
            thread::sleep(Duration::from_millis(10));
        }
        panic!("no daemon was started");
    }
}

fn lines(path: &Path) -> Vec<String> {
    let text = fs::read_to_string(path).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

/// Runs the client to its end.
pub(crate) fn run(mut hook: Command, payload: &[u8]) -> Output {
    feed(hook.spawn().unwrap(), payload)
        .wait_with_output()
        .unwrap()
}

/// Writes the payload beside the rest, because the client may answer before it has read all.
pub(crate) fn feed(mut child: Child, payload: &[u8]) -> Child {
    let (mut stdin, payload) = (child.stdin.take().unwrap(), payload.to_owned());
    thread::spawn(move || stdin.write_all(&payload));
    child
}

/// Exit code, stdout, stderr.
pub(crate) fn said(output: &Output) -> (i32, String, String) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_owned()).unwrap();
    (
        output.status.code().expect("not ended by a signal"),
        text(&output.stdout),
        text(&output.stderr),
    )
}

/// What `Stage::new`'s `bowline` answers.
pub(crate) fn direct() -> (i32, String, String) {
    (2, "direct out".to_owned(), "direct err".to_owned())
}

/// One connection, with its call read.
pub(crate) struct Conversation {
    pub(crate) call: Call,
    pub(crate) payload: Vec<u8>,
    stream: UnixStream,
}

impl Conversation {
    fn begin(stream: UnixStream) -> Self {
        let mut reader = BufReader::new(&stream);
        let mut line = Vec::new();
        reader.read_until(b'\n', &mut line).unwrap();
        let announced = Call::decode(&line).unwrap();
        let mut body = vec![0; announced.body_bytes()];
        reader.read_exact(&mut body).unwrap();
        let (call, payload) = announced.with_body(body);
        Self {
            call,
            payload,
            stream,
        }
    }

    pub(crate) fn send(&mut self, bytes: &[u8]) {
        // The client may have given up.
        let _ = self.stream.write_all(bytes);
    }

    pub(crate) fn acknowledge(&mut self) {
        let acknowledgement = Acknowledgement {
            daemon: "0.0.0".to_owned(),
            pid: 1,
        };
        self.send(&acknowledgement.encode());
    }

    pub(crate) fn sign(&mut self) {
        self.send(&Heard::sign_for(&self.call.id));
    }

    pub(crate) fn reply(&mut self, exit: u8, stdout: &str, stderr: &str) {
        let (stdout, stderr) = (stdout.to_owned(), stderr.to_owned());
        let answer = Answer {
            exit,
            stdout,
            stderr,
        };
        self.send(
            &Reply {
                call: self.call.id.clone(),
                answer,
            }
            .encode(),
        );
    }

    /// What the client still sends until it closes the connection.
    pub(crate) fn rest(mut self) -> Vec<u8> {
        let mut rest = Vec::new();
        self.stream.read_to_end(&mut rest).unwrap();
        rest
    }

    /// Keeps the connection open until the client closes it.
    pub(crate) fn hang(mut self) {
        let _ = self.stream.read(&mut [0]);
    }
}
