//! An agent that runs in a process of its own, reports events through `bowline-hook`, and can be killed.

use std::cell::Cell;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use bowline_testkit::{Sandbox, client, put, until};
use serde_json::{Value, json};

/// Reads the names of files with payloads, and writes the answers beside them.
const LOOP: &str = r#"
while read -r event file; do
    "$HOOK" "$AGENT" "$event" < "$file" > "$file.answer" 2> "$file.errors"
    echo "$?"
done
"#;

/// The program that agents run.
const SHELL: &str = "agent";

/// With both programs; the client looks for `bowline` beside itself.
pub(super) fn with_client() -> Sandbox {
    client();
    let sandbox = Sandbox::with_repository();
    // A shell is not taken for an agent: this one has another name.
    put("/bin/sh", sandbox.path(SHELL));
    sandbox
}

/// One agent in one session.
pub(super) struct FakeAgent<'s> {
    sandbox: &'s Sandbox,
    pub(super) session: String,
    process: Child,
    events: ChildStdin,
    codes: BufReader<ChildStdout>,
    count: Cell<u32>,
}

/// What an agent is answered.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Answered {
    pub(super) code: i32,
    pub(super) json: Value,
}

impl Answered {
    /// Why a call is denied; `None` if it is not.
    pub(super) fn denial(&self) -> Option<&str> {
        let said = &self.json["hookSpecificOutput"];
        let is_denied = said["permissionDecision"] == "deny";
        is_denied.then(|| said["permissionDecisionReason"].as_str().unwrap())
    }

    /// What the model is told.
    pub(super) fn context(&self) -> &str {
        let context = &self.json["hookSpecificOutput"]["additionalContext"];
        context.as_str().unwrap_or_default()
    }

    #[track_caller]
    pub(super) fn is_silent(&self) {
        assert_eq!((self.code, &self.json), (0, &Value::Null), "{self:?}");
    }
}

impl<'s> FakeAgent<'s> {
    pub(super) fn start(sandbox: &'s Sandbox, session: &str) -> Self {
        Self::with(sandbox, session, &[])
    }

    /// The same, with variables that its hooks get.
    pub(super) fn with(sandbox: &'s Sandbox, session: &str, variables: &[(&str, &str)]) -> Self {
        Self::of(sandbox, "claude-code", session, variables)
    }

    /// One that reports as this agent does.
    pub(super) fn of(
        sandbox: &'s Sandbox,
        agent: &str,
        session: &str,
        variables: &[(&str, &str)],
    ) -> Self {
        let mut process = sandbox
            .program(sandbox.path(SHELL))
            .args(["-c", LOOP])
            .env("HOOK", client())
            .env("AGENT", agent)
            .envs(variables.iter().copied())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let events = process.stdin.take().unwrap();
        let codes = BufReader::new(process.stdout.take().unwrap());
        Self {
            sandbox,
            session: session.to_owned(),
            process,
            events,
            codes,
            count: Cell::new(0),
        }
    }

    /// Reports an event with these fields beside the common ones.
    pub(super) fn report(&mut self, event: &str, fields: Value) -> Answered {
        let number = self.count.get() + 1;
        self.count.set(number);
        let mut payload = json!({
            "session_id": self.session,
            "transcript_path": self.transcript(),
            "cwd": self.sandbox.project(),
            "hook_event_name": event,
        });
        for (name, value) in fields.as_object().unwrap() {
            payload[name] = value.clone();
        }
        let name = format!("payloads/{}-{number}.json", self.session);
        let file = self.sandbox.write(name, payload.to_string());
        writeln!(self.events, "{event} {}", file.display()).unwrap();
        let mut code = String::new();
        self.codes.read_line(&mut code).unwrap();
        let answer = std::fs::read_to_string(format!("{}.answer", file.display())).unwrap();
        Answered {
            code: code.trim().parse().unwrap(),
            json: serde_json::from_str(&answer).unwrap_or_default(),
        }
    }

    /// The number of the next tool call.
    fn next_call(&self) -> String {
        format!("{}-call-{}", self.session, self.count.get() + 1)
    }

    /// Is about to run a command.
    pub(super) fn bash(&mut self, command: &str) -> Answered {
        self.call("Bash", json!({ "command": command }), json!({}))
    }

    /// Is about to use a tool.
    pub(super) fn call(&mut self, tool: &str, input: Value, more: Value) -> Answered {
        let mut fields = json!({
            "tool_name": tool, "tool_use_id": self.next_call(), "tool_input": input,
        });
        for (name, value) in more.as_object().unwrap() {
            fields[name] = value.clone();
        }
        self.report("PreToolUse", fields)
    }

    /// Has used a tool.
    pub(super) fn used(&mut self, tool: &str, input: Value, response: Value) -> Answered {
        let id = self.next_call();
        self.report(
            "PostToolUse",
            json!({"tool_name": tool, "tool_use_id": id, "tool_input": input, "tool_response": response}),
        )
    }

    pub(super) fn begins(&mut self, source: &str) -> Answered {
        self.report("SessionStart", json!({ "source": source }))
    }

    /// Runs a command of its own in its shell, which knows the session.
    pub(super) fn bowline(&self, arguments: &[&str]) -> bowline_testkit::Ran {
        let mut command = self.sandbox.command(arguments);
        command.env("BOWLINE_SESSION", &self.session);
        bowline_testkit::Ran::with_stdin(&mut command, b"")
    }

    /// The same with this on standard input.
    pub(super) fn bowline_with(&self, arguments: &[&str], stdin: &str) -> bowline_testkit::Ran {
        let mut command = self.sandbox.command(arguments);
        command.env("BOWLINE_SESSION", &self.session);
        bowline_testkit::Ran::with_stdin(&mut command, stdin.as_bytes())
    }

    pub(super) fn transcript(&self) -> std::path::PathBuf {
        self.sandbox.path(format!("{}.jsonl", self.session))
    }

    /// The model has answered, and this many tokens are in the context window.
    pub(super) fn uses_tokens(&self, tokens: u64) {
        let record = json!({
            "type": "assistant",
            "message": {
                "id": format!("msg_{tokens}"), "role": "assistant", "model": "claude-opus-4-1",
                "content": [{"type": "text", "text": "Working on it."}],
                "usage": {"input_tokens": tokens, "output_tokens": 0},
            },
        });
        let mut file = std::fs::OpenOptions::new()
            .create(true)
            .append(true)
            .open(self.transcript())
            .unwrap();
        writeln!(file, "{record}").unwrap();
    }

    /// Somebody else ends it.
    pub(super) fn wait_for_the_end(mut self) {
        until("the agent ends", || {
            self.process.try_wait().unwrap().is_some()
        });
    }

    /// Ends without a word.
    pub(super) fn kill(mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }
}
