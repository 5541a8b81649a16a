//! A project with a history, an agent that works in it, and a person beside it.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::sleep;
use std::time::Duration;

use bowline::hooks::{Decision, HookContext, HookInput, HookManager, Services, ToolOutput};
use bowline::settings::{self, Locations};
use bowline_builtins::machine::Machine;
use bowline_builtins::{Ledger, SharedState, assemble};
use bowline_testkit::{Ran, Sandbox};
use serde_json::{Value, json};

/// What happens to the disk.
#[derive(Debug, Clone)]
pub(crate) enum Op {
    Write(&'static str, &'static str),
    Append(&'static str),
    Delete(&'static str),
    Move(&'static str, &'static str),
    Folder(&'static str),
    Link(&'static str, &'static str),
    /// Another name of the same file.
    HardLink(&'static str, &'static str),
    Ignore(&'static str),
    Git(&'static [&'static str]),
    /// Git is run, and ends with an error.
    Fails(&'static [&'static str]),
    Commit,
}

/// What happens before the call that is judged.
#[derive(Debug, Clone)]
pub(crate) enum Step {
    /// The agent's shell, and what it does.
    Bash(&'static str, Vec<Op>),
    Write(&'static str),
    WriteText(&'static str, &'static str),
    Edit(&'static str),
    Read(&'static str),
    /// The agent reads a file, and names it so.
    ReadAs(&'static str),
    /// The same, by an agent that gives its calls no ids.
    ReadUnnumbered(&'static str),
    /// The agent is told no, and nothing happens.
    Refused(&'static str),
    /// Another session of the agent writes a file.
    Elsewhere(&'static str),
    /// Somebody else, between two calls.
    Person(Vec<Op>),
}

pub(crate) struct Ground {
    sandbox: Sandbox,
    manager: HookManager,
    calls: usize,
    /// How long a program takes to start.
    start: Duration,
}

impl Ground {
    pub(crate) fn new() -> Self {
        Self::with_ledger(Ledger::new(None))
    }

    fn with_ledger(ledger: Ledger) -> Self {
        let sandbox = Sandbox::with_project("work/project");
        // The project is in the home.
        let home = sandbox.root().to_owned();
        let mut shared = SharedState::new(Machine::new(Some(home.clone()), Vec::new()));
        shared.ledger = Arc::new(ledger);
        let settings = settings::load(sandbox.project(), &Locations::under(&home));
        let manager = assemble(&settings, Services::default(), &shared);
        Self {
            sandbox,
            manager,
            calls: 0,
            start: Duration::ZERO,
        }
    }

    /// With a few files that are committed.
    pub(crate) fn with_history() -> Self {
        Self::new().committed()
    }

    /// The same, where somebody looks around when a call begins.
    pub(crate) fn watched() -> Self {
        let watched = Self::with_ledger(Ledger::new(None).watching());
        Self {
            start: Duration::from_millis(30),
            ..watched
        }
        .committed()
    }

    fn committed(self) -> Self {
        let ground = self;
        ground.git(&["init", "-q", "-b", "main"]);
        for name in [
            "README.md",
            "src/main.py",
            "src/util.py",
            "docs/guide.md",
            "docs/api.md",
        ] {
            ground.perform(&Op::Write(name, "the first text\n"));
        }
        ground.perform(&Op::Commit);
        ground
    }

    pub(crate) fn project(&self) -> &Path {
        self.sandbox.project()
    }

    fn path(&self, name: &str) -> PathBuf {
        self.project().join(name)
    }

    pub(crate) fn git(&self, args: &[&str]) {
        self.sandbox.git(args);
    }

    pub(crate) fn perform(&self, op: &Op) {
        match op {
            Op::Write(name, text) => write(&self.path(name), text),
            Op::Append(name) => {
                let text = fs::read_to_string(self.path(name)).unwrap();
                fs::write(self.path(name), text + "half an idea\n").unwrap();
            }
            Op::Delete(name) => {
                let path = self.path(name);
                if path.is_dir() {
                    fs::remove_dir_all(path)
                } else {
                    fs::remove_file(path)
                }
                .unwrap();
            }
            Op::Move(from, to) => fs::rename(self.path(from), self.path(to)).unwrap(),
            Op::Folder(name) => fs::create_dir_all(self.path(name)).unwrap(),
            Op::Link(to, name) => std::os::unix::fs::symlink(to, self.path(name)).unwrap(),
            Op::HardLink(of, name) => fs::hard_link(self.path(of), self.path(name)).unwrap(),
            Op::Ignore(pattern) => write(&self.path(".gitignore"), &format!("{pattern}\n")),
            Op::Git(args) => self.git(args),
            Op::Fails(args) => {
                let ran = Ran::of(&mut self.sandbox.git_command(args));
                assert_ne!(ran.code, Some(0), "git {args:?}: {ran}");
            }
            Op::Commit => {
                self.git(&["add", "-A"]);
                self.git(&["commit", "-q", "--allow-empty", "-m", "state"]);
            }
        }
    }

    /// People are slower than a file system's clock.
    pub(crate) fn person(&self, ops: &[Op]) {
        sleep(Duration::from_millis(15));
        for op in ops {
            self.perform(op);
        }
        sleep(Duration::from_millis(15));
    }

    pub(crate) async fn step(&mut self, step: &Step) {
        match step {
            Step::Bash(command, ops) => {
                let input = json!({ "command": command });
                self.call("s1", "Bash", input, |ground| {
                    for op in ops {
                        ground.perform(op);
                    }
                })
                .await;
            }
            Step::Write(name) => self.write("s1", name, "print(1)\n").await,
            Step::WriteText(name, text) => self.write("s1", name, text).await,
            Step::Elsewhere(name) => self.write("s2", name, "print(2)\n").await,
            Step::Edit(name) => {
                let path = self.path(name);
                let input =
                    json!({ "file_path": path, "old_string": "text", "new_string": "word" });
                self.call("s1", "Edit", input, |_| {
                    let text = fs::read_to_string(&path).unwrap();
                    fs::write(&path, text.replace("text", "word") + "more\n").unwrap();
                })
                .await;
            }
            Step::Read(name) => {
                let input = json!({ "file_path": self.path(name) });
                self.call("s1", "Read", input, |_| {}).await;
            }
            Step::ReadAs(name) => {
                let input = json!({ "file_path": name });
                self.call("s1", "Read", input, |_| {}).await;
            }
            Step::ReadUnnumbered(name) => {
                sleep(Duration::from_millis(10));
                let input = json!({ "file_path": name });
                self.before("s1", "Read", input.clone()).await;
                let mut after = HookInput::post_tool_use("s1", "Read", ToolOutput::new("done"))
                    .with_field("tool_input", input)
                    .with_field("cwd", self.project().to_str().unwrap());
                after.timestamp = chrono::Utc::now();
                self.manager.trigger(after, &self.context("s1")).await;
            }
            Step::Refused(name) => {
                let input = json!({ "file_path": self.path(name), "content": "x" });
                self.before("s1", "Write", input).await;
            }
            Step::Person(ops) => self.person(ops),
        }
    }

    async fn write(&mut self, session: &str, name: &str, text: &str) {
        let path = self.path(name);
        let input = json!({ "file_path": path, "content": text });
        self.call(session, "Write", input, |_| write(&path, text))
            .await;
    }

    async fn call(&mut self, session: &str, tool: &str, input: Value, perform: impl FnOnce(&Self)) {
        // A model thinks longer than a step of the file system's clock.
        sleep(Duration::from_millis(10));
        let id = self.before(session, tool, input.clone()).await.1;
        sleep(self.start);
        perform(self);
        let mut after = HookInput::post_tool_use(session, tool, ToolOutput::new("done"))
            .with_field("tool_use_id", id.as_str())
            .with_field("tool_input", input)
            .with_field("cwd", self.project().to_str().unwrap());
        after.timestamp = chrono::Utc::now();
        self.manager.trigger(after, &self.context(session)).await;
    }

    async fn before(
        &mut self,
        session: &str,
        tool: &str,
        input: Value,
    ) -> (Decision, String, String) {
        self.calls += 1;
        let id = format!("toolu_{}", self.calls);
        let event = HookInput::pre_tool_use(session, tool, input)
            .with_field("tool_use_id", id.as_str())
            .with_field("cwd", self.project().to_str().unwrap());
        let result = self.manager.trigger(event, &self.context(session)).await;
        let reason = result.output.stop_reason.clone().unwrap_or_default();
        (result.output.decision(), id, reason)
    }

    fn context(&self, session: &str) -> HookContext {
        HookContext::new(session).with_cwd(self.project())
    }

    /// What is decided about a call that never happens.
    pub(crate) async fn judge(&mut self, tool: &str, input: Value) -> (Decision, String) {
        let (decision, _, reason) = self.before("s1", tool, input).await;
        (decision, reason)
    }

    pub(crate) async fn judge_command(&mut self, command: &str) -> (Decision, String) {
        self.judge("Bash", json!({ "command": command })).await
    }

    /// A call of a tool with these fields, which name files of the project.
    pub(crate) async fn judge_fields(
        &mut self,
        tool: &str,
        fields: &[(&str, &str)],
    ) -> (Decision, String) {
        let fields = fields.iter().map(|(field, name)| {
            let value = match *field {
                "mode" => (*name).to_owned(),
                _ => self.path(name).to_string_lossy().into_owned(),
            };
            ((*field).to_owned(), Value::String(value))
        });
        let input = Value::Object(fields.collect());
        self.judge(tool, input).await
    }

    pub(crate) async fn judge_tool(&mut self, tool: &str, name: &str) -> (Decision, String) {
        let path = self.path(name);
        self.judge(
            tool,
            json!({ "file_path": path, "content": "x", "old_string": "a", "new_string": "b" }),
        )
        .await
    }
}

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}
