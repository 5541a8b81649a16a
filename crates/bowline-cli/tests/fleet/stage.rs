//! A sandbox with a daemon, and agents in it that report what a test tells them to.

use std::io::Write as _;
use std::ops::Deref;
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Stdio};

use bowline_daemon::rpc::Question;
use bowline_daemon::{Connection, Patience};
use bowline_testkit::{Ran, Sandbox, client, put, until_some};
use serde_json::{Value, json};

/// Reports an event for each line: its name, and the payload.
const AGENT: &str = r#"
while read -r event payload; do
    printf '%s' "$payload" | "$HOOK" claude-code "$event"
done
"#;

pub(super) struct Stage {
    sandbox: Sandbox,
}

impl Deref for Stage {
    type Target = Sandbox;

    fn deref(&self) -> &Sandbox {
        &self.sandbox
    }
}

impl Stage {
    pub(super) fn new() -> Self {
        Self::of(Sandbox::with_repository())
    }

    /// One on which questions wait for a person.
    pub(super) fn with_inbox() -> Self {
        let sandbox = Sandbox::with_repository();
        let settings = "[approvals]\nwait = \"5m\"\n";
        sandbox.write("home/.config/bowline/config.toml", settings);
        Self::of(sandbox)
    }

    /// With a sandbox that is prepared.
    pub(super) fn of(mut sandbox: Sandbox) -> Self {
        sandbox.set("HOOK", client());
        // A shell is not taken for an agent: this one has another name.
        put("/bin/sh", sandbox.path("agent"));
        sandbox.run(&["daemon", "start"]).expect(0, &[]);
        Self { sandbox }
    }

    /// A program that is taken for an agent, and reads shell scripts.
    pub(super) fn agent_program(&self) -> PathBuf {
        self.path("agent")
    }

    /// The script of an agent that reports what it reads.
    pub(super) fn agent_script(&self) -> PathBuf {
        self.write("agent.sh", AGENT)
    }

    /// An agent that has begun a session.
    pub(super) fn agent(&self, session: &str) -> Agent {
        let mut child = self
            .program(self.agent_program())
            .arg(self.agent_script())
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let mut agent = Agent {
            stdin: child.stdin.take(),
            child,
            session: session.to_owned(),
            folder: self.project().to_owned(),
        };
        agent.reports("SessionStart", &json!({"source": "startup"}));
        agent
    }

    /// A hook that reports a call, and waits for its answer as long as `bowline init` lets it.
    pub(super) fn asks(&self, session: &str, command: &str) -> Child {
        self.asks_within(&["--timeout=600"], session, command)
    }

    /// The same with these options.
    pub(super) fn asks_within(&self, options: &[&str], session: &str, command: &str) -> Child {
        let mut hook = self.program(client());
        let mut hook = hook
            .args(["claude-code", "PreToolUse"])
            .args(options)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let call = payload("PreToolUse", session, self.project(), &bash(command));
        let mut stdin = hook.stdin.take().unwrap();
        stdin.write_all(call.to_string().as_bytes()).unwrap();
        hook
    }

    /// The questions that wait.
    pub(super) fn questions(&self) -> Vec<Value> {
        let document = self.json(&["approvals"]);
        document["questions"].as_array().unwrap().clone()
    }

    /// Waits until the board has a session in this state.
    #[track_caller]
    pub(super) fn until_on_board(&self, session: &str, state: &str) -> Value {
        until_some(&format!("{session} is {state}"), || {
            let board = self.json(&["top"]);
            let mut rows = board["sessions"].as_array().unwrap().iter();
            let row = rows.find(|row| row["session"] == session).cloned();
            row.filter(|row| row["state"]["is"] == state)
        })
    }

    /// What `bowline fleet` says of an agent.
    pub(super) fn agent_in_fleet(&self, id: &str) -> Option<Value> {
        let document = self.json(&["fleet", "--all"]);
        let mut agents = document["agents"].as_array().unwrap().iter();
        agents.find(|it| it["id"] == id).cloned()
    }

    /// Waits until an agent is in this state.
    #[track_caller]
    pub(super) fn until_state(&self, id: &str, state: &str) -> Value {
        until_some(&format!("{id} is {state}"), || {
            let agent = self.agent_in_fleet(id);
            agent.filter(|it| it["state"] == state)
        })
    }

    /// Asks the daemon.
    #[track_caller]
    pub(super) fn question<Q: Question>(&self, question: &Q) -> Q::Answer {
        let mut daemon = Connection::open_with(&self.socket(), Patience::Usual).unwrap();
        let answer = daemon.ask(Q::COMMAND, question.arguments()).unwrap();
        serde_json::from_value(answer).unwrap()
    }
}

/// An agent that runs.
pub(super) struct Agent {
    child: Child,
    stdin: Option<ChildStdin>,
    session: String,
    folder: PathBuf,
}

impl Agent {
    pub(super) fn reports(&mut self, event: &str, about: &Value) {
        let payload = payload(event, &self.session, &self.folder, about);
        let stdin = self.stdin.as_mut().unwrap();
        writeln!(stdin, "{event} {payload}").unwrap();
    }

    /// Ends without a word.
    pub(super) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What a hook says when it ends.
pub(super) fn answer_of(hook: Child) -> Value {
    let ran = Ran::from(hook.wait_with_output().unwrap());
    ran.expect(0, &[]);
    ran.json()
}

/// What Claude Code would send.
pub(super) fn payload(
    event: &str,
    session: &str,
    folder: &std::path::Path,
    about: &Value,
) -> Value {
    let mut payload = json!({
        "session_id": session, "transcript_path": "/none.jsonl", "cwd": folder, "hook_event_name": event,
    });
    for (key, value) in about.as_object().unwrap() {
        payload[key] = value.clone();
    }
    payload
}

/// The call of a shell command.
pub(super) fn bash(command: &str) -> Value {
    json!({"tool_name": "Bash", "tool_use_id": "toolu_1", "tool_input": {"command": command}})
}
