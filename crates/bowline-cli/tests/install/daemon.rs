//! A daemon that answers what a test tells it to.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::{Value, json};

pub(super) struct Daemon {
    asked: Arc<Mutex<Vec<String>>>,
}

impl Daemon {
    /// Answers these commands, and goes away after `daemon.stop`.
    pub(super) fn start(socket: &Path, answers: &[(&str, Value)]) -> Self {
        Self::start_after(|_| (), socket, answers)
    }

    /// The same, with nothing to say to the first who connects.
    pub(super) fn start_busy(socket: &Path, answers: &[(&str, Value)]) -> Self {
        let silent = |listener: &UnixListener| listener.accept().unwrap();
        Self::start_after(silent, socket, answers)
    }

    fn start_after<T>(
        before: impl FnOnce(&UnixListener) -> T + Send + 'static,
        socket: &Path,
        answers: &[(&str, Value)],
    ) -> Self {
        fs::create_dir_all(socket.parent().unwrap()).unwrap();
        let listener = UnixListener::bind(socket).unwrap();
        let answers: BTreeMap<String, Value> = answers
            .iter()
            .map(|(name, value)| ((*name).to_owned(), value.clone()))
            .collect();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let (noted, socket) = (asked.clone(), socket.to_owned());
        thread::spawn(move || {
            let _kept = before(&listener);
            serve(&listener, &socket, &answers, &noted);
        });
        Self { asked }
    }

    pub(super) fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

fn serve(
    listener: &UnixListener,
    socket: &PathBuf,
    answers: &BTreeMap<String, Value>,
    asked: &Mutex<Vec<String>>,
) {
    for stream in listener.incoming() {
        let mut stream = stream.unwrap();
        let reader = BufReader::new(stream.try_clone().unwrap());
        for line in reader.lines() {
            let Ok(line) = line else { break };
            let request: Value = serde_json::from_str(&line).unwrap();
            let command = request["cmd"].as_str().unwrap().to_owned();
            asked.lock().unwrap().push(command.clone());
            let answer = match answers.get(&command) {
                Some(data) => json!({"ok": true, "data": data}),
                None => json!({
                    "ok": false, "error": "UNKNOWN_COMMAND", "message": "no such command",
                    "details": {"cmd": command},
                }),
            };
            let _ = writeln!(stream, "{answer}");
            if command == "daemon.stop" && answers.contains_key("daemon.stop") {
                fs::remove_file(socket).unwrap();
                return;
            }
        }
    }
}
