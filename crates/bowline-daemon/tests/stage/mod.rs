//! A daemon of its own for each test: everything below one temporary folder, stopped when the test ends.

use std::io::{ErrorKind, Read, Write};
use std::net::Shutdown;
use std::ops::Deref;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process;
use std::sync::mpsc;
use std::thread::{self, JoinHandle};

use bowline_daemon::{AnswerWhen, Connection, DaemonOptions, Places, StartError, Stop};
use bowline_store::{Options, RecordedEvent, SqliteStore, Store};
use bowline_testkit::{PATIENCE, Sandbox, until};
use bowline_wire::{Acknowledgement, Answer, Call, Heard, Lines, MAX_REPLY};
use serde_json::{Map, Value, json};

pub struct Stage {
    sandbox: Sandbox,
    pub places: Places,
    daemon: Option<JoinHandle<Result<Stop, StartError>>>,
}

impl Deref for Stage {
    type Target = Sandbox;

    fn deref(&self) -> &Sandbox {
        &self.sandbox
    }
}

impl Stage {
    /// With a running daemon.
    pub fn new() -> Self {
        let mut stage = Self::without_daemon();
        stage.start();
        stage
    }

    pub fn without_daemon() -> Self {
        let sandbox = Sandbox::new();
        let places = Places {
            data: sandbox.path("data"),
            socket: sandbox.path("run/daemon.sock"),
        };
        sandbox.folder("home/.config/bowline");
        sandbox.folder("etc");
        Self {
            sandbox,
            places,
            daemon: None,
        }
    }

    pub fn options(&self) -> DaemonOptions {
        let mut options = DaemonOptions::new(self.places.clone());
        options.store = Options::new(&self.places.data);
        options.answer_when = AnswerWhen::Committed;
        options
    }

    pub fn start(&mut self) {
        let options = self.options();
        self.daemon = Some(thread::spawn(move || bowline_daemon::run(options)));
        until("the daemon answers", || {
            Connection::open(&self.places.socket).is_ok()
        });
    }

    /// Stops the daemon and starts another.
    pub fn restart(&mut self) {
        let mut connection = Connection::open(&self.places.socket).unwrap();
        connection.ask("daemon.stop", Map::new()).unwrap();
        drop(connection);
        self.stopped();
        self.start();
    }

    /// Waits for the daemon to stop by itself.
    pub fn stopped(&mut self) -> Stop {
        let daemon = self.daemon.take().expect("it was started");
        let (done, ended) = mpsc::channel();
        thread::spawn(move || done.send(daemon.join()));
        let joined = ended.recv_timeout(PATIENCE).expect("the daemon stops");
        joined.expect("no panic").expect("no error")
    }

    /// The user's own settings, which need no trust.
    pub fn user_config(&self, text: &str) {
        self.write("home/.config/bowline/config.toml", text);
    }

    /// A call from the project, with the environment that settings need.
    pub fn call(&self) -> Call {
        let path = |name: &str| self.path(name).into_os_string();
        let env = [
            ("HOME", path("home")),
            ("PATH", std::env::var_os("PATH").unwrap_or_default()),
            ("CLAUDE_PROJECT_DIR", path("project")),
        ];
        let mut call = Call::new(self.path("project"), env.into_iter().collect());
        "claude-code".clone_into(&mut call.agent);
        call
    }

    pub fn client(&self) -> Client {
        Client::new(&self.places.socket)
    }

    /// Sends one event and waits for its answer.
    pub fn hook(&self, payload: &Value) -> Answer {
        self.client().hook(self.call(), payload)
    }

    pub fn bash(&self, command: &str) -> Value {
        json!({
            "session_id": "s1", "transcript_path": "/t", "cwd": self.path("project"),
            "hook_event_name": "PreToolUse", "tool_name": "Bash",
            "tool_input": {"command": command},
        })
    }

    pub fn ask(&self, command: &str) -> Value {
        let mut daemon = Connection::open(&self.places.socket).unwrap();
        daemon.ask(command, Map::new()).unwrap()
    }

    /// What is in the store, newest first.
    pub fn recorded(&self) -> Vec<RecordedEvent> {
        // A daemon that answers a question has written everything that it answered before, but for what a busy machine made wait.
        if let Ok(mut connection) = Connection::open(&self.places.socket) {
            until("nothing waits", || {
                let size = connection.ask("store.size", Map::new()).unwrap();
                size["spooled_records"] == 0
            });
        }
        let store = SqliteStore::open(Options::new(&self.places.data)).unwrap();
        store.last_events(5_000).unwrap()
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        if let Some(daemon) = self.daemon.take() {
            if let Ok(mut connection) = Connection::open(&self.places.socket) {
                let _ = connection.ask("daemon.stop", Map::new());
            }
            let ended = daemon.join();
            if !thread::panicking() {
                ended.expect("no panic").expect("no error");
            }
        }
    }
}

/// A connection, spoken to by hand.
pub struct Client {
    pub stream: UnixStream,
    lines: Lines,
}

impl Client {
    pub fn new(socket: &Path) -> Self {
        let stream = UnixStream::connect(socket).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        Self {
            stream,
            lines: Lines::new(MAX_REPLY),
        }
    }

    pub fn send(&mut self, bytes: &[u8]) {
        self.stream.write_all(bytes).unwrap();
    }

    pub fn send_call(&mut self, mut call: Call, payload: &[u8]) {
        call.payload_bytes = payload.len();
        self.send(&[&call.encode(), payload].concat());
    }

    pub fn hook(&mut self, call: Call, payload: &Value) -> Answer {
        let id = call.id.clone();
        self.send_call(call, payload.to_string().as_bytes());
        self.answer_to(&id)
    }

    pub fn answer_to(&mut self, id: &bowline_wire::CallId) -> Answer {
        let line = self.line().expect("an acknowledgement");
        let acknowledgement = Acknowledgement::decode(&line).unwrap();
        assert_eq!(acknowledgement.pid, process::id());
        self.answer_after_signs(id).0
    }

    /// The answer of a call that was acknowledged, and how many signs of life came before it.
    pub fn answer_after_signs(&mut self, id: &bowline_wire::CallId) -> (Answer, usize) {
        for signs in 0.. {
            let line = self.line().expect("a reply");
            if let Heard::Answer(answer) = Heard::decode_for(&line, id).unwrap() {
                return (answer, signs);
            }
        }
        unreachable!("there is no end to signs");
    }

    /// The next line; `None` when the daemon has closed the connection.
    pub fn line(&mut self) -> Option<Vec<u8>> {
        let mut buffer = [0; 4096];
        loop {
            if let Some(line) = self.lines.next_line().unwrap() {
                return Some(line);
            }
            match self.stream.read(&mut buffer) {
                Ok(0) => return None,
                Ok(length) => self.lines.push(&buffer[..length]),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => panic!("{error}"),
            }
        }
    }

    pub fn json(&mut self) -> Value {
        serde_json::from_slice(&self.line().expect("a line")).unwrap()
    }

    pub fn end_writing(&self) {
        self.stream.shutdown(Shutdown::Write).unwrap();
    }
}

/// What an answer says about permission, and why.
pub fn permission(answer: &Answer) -> (String, String) {
    if answer.stdout.is_empty() {
        return ("silence".to_owned(), String::new());
    }
    let json: Value = serde_json::from_str(&answer.stdout).unwrap();
    let said = &json["hookSpecificOutput"];
    (
        said["permissionDecision"]
            .as_str()
            .unwrap_or("-")
            .to_owned(),
        said["permissionDecisionReason"]
            .as_str()
            .unwrap_or_default()
            .to_owned(),
    )
}
