//! The real client on a stage of its own: its own folder, a scripted daemon, a scripted `bowline` beside it.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::ops::Deref;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

use bowline_testkit::{Ran, Sandbox, put, script, until_some};
use bowline_wire::{Acknowledgement, Answer, Call, Heard, Reply};

/// Tests take turns: a daemon that is kept from its processor for 250 ms is one that does not answer.
static TURN: Mutex<()> = Mutex::new(());

pub(crate) struct Stage {
    sandbox: Sandbox,
    _turn: MutexGuard<'static, ()>,
}

impl Deref for Stage {
    type Target = Sandbox;

    fn deref(&self) -> &Sandbox {
        &self.sandbox
    }
}

impl Stage {
    /// A stage where `bowline`, run directly, denies with exit code 2, and notes what it was asked.
    pub(crate) fn new() -> Self {
        let stage = Self::without_bowline();
        stage.bowline("printf 'direct out'; printf 'direct err' >&2; exit 2");
        stage
    }

    pub(crate) fn without_bowline() -> Self {
        let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        let mut sandbox = Sandbox::new();
        let (programs, path) = (sandbox.folder("bin"), sandbox.folder("path"));
        put(
            env!("CARGO_BIN_EXE_bowline-hook"),
            programs.join("bowline-hook"),
        );
        let socket = sandbox.path("run/daemon.sock");
        sandbox
            .set_programs(programs)
            .set("PATH", format!("{}:/usr/bin:/bin", path.display()))
            .set("BOWLINE_SOCKET", socket);
        // What the client sends is compared.
        for name in ["HOME", "XDG_RUNTIME_DIR", "COLUMNS"] {
            sandbox.unset(name);
        }
        Self {
            sandbox,
            _turn: turn,
        }
    }

    /// Puts a `bowline` on the path that notes its arguments and its stdin and goes on with these lines. It is not beside the client,
    /// because this process, which plays the daemon, does not run it.
    pub(crate) fn bowline(&self, answer: &str) {
        self.put_bowline("path/bowline", answer);
    }

    /// Puts the program of this process, which plays the daemon, beside the client.
    pub(crate) fn own_program_beside(&self) {
        let own = std::env::current_exe().unwrap();
        std::os::unix::fs::symlink(own, self.path("bin/bowline")).unwrap();
    }

    pub(crate) fn put_bowline(&self, name: &str, answer: &str) {
        let notes = self.root().display();
        let text = format!(
            "#!/bin/sh\ncase \"$1\" in\ndaemon) echo \"$*\" >> '{notes}/starts'; exit ;;\nesac\n\
             echo \"$*\" >> '{notes}/arguments'\ncat > '{notes}/stdin'\n{answer}\n"
        );
        script(self.path(name), &text);
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
        let mut command = self.hook_command(arguments);
        command
            .current_dir(self.root())
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
        // The shell makes the file before it writes the line.
        until_some("a daemon is started", || {
            let starts = lines(&self.path("starts"));
            (!starts.is_empty()).then_some(starts)
        })
    }
}

fn lines(path: &Path) -> Vec<String> {
    let text = fs::read_to_string(path).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

/// Runs the client to its end.
pub(crate) fn run(mut hook: Command, payload: &[u8]) -> Ran {
    Ran::with_stdin(&mut hook, payload)
}

/// Exit code, stdout, stderr.
pub(crate) fn said(ran: impl Into<Ran>) -> (i32, String, String) {
    let ran = ran.into();
    let code = ran.code.expect("not ended by a signal");
    (code, ran.stdout, ran.stderr)
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
        let frame = Call::decode(&line).unwrap();
        let mut body = vec![0; frame.body_bytes()];
        reader.read_exact(&mut body).unwrap();
        let (call, payload) = frame.with_body(body).into_parts();
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
