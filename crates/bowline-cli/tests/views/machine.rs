//! A machine of a test's own, its records, and the real binary on it.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use bowline::hooks::Decision;
use bowline_store::{
    CallKey, Change, DelegationEnd, DelegationStart, DelegationStatus, HookFired, Options, Record,
    SqliteStore, Store, Subagent, TraceEnd, TraceFilter, TraceStart, TraceStatus, Unfinished,
};
use chrono::{DateTime, TimeDelta, Utc};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::ran::Ran;

/// A machine with a home, a project and no daemon.
pub(super) struct Machine {
    root: TempDir,
    /// The project's folder.
    place: &'static str,
    /// When the work began.
    start: DateTime<Utc>,
    /// What the clock shows to those who look; the machine's own if nothing.
    now: Option<&'static str>,
}

impl Machine {
    pub(super) fn new() -> Self {
        Self::with("project", None)
    }

    /// One that looks the same at any time and in any place: its project is below its home, and its clock stands still.
    pub(super) fn standing_still() -> Self {
        // Far away, so that no record is ever too old to be kept.
        Self::with("home/shop", Some("2099-11-16T17:12:00Z"))
    }

    fn with(place: &'static str, now: Option<&'static str>) -> Self {
        let root = tempfile::tempdir().unwrap();
        for folder in ["home", &format!("{place}/.git")] {
            fs::create_dir_all(root.path().join(folder)).unwrap();
        }
        let clock = now.map_or_else(Utc::now, |now| now.parse().unwrap());
        let clock = DateTime::from_timestamp_millis(clock.timestamp_millis()).unwrap();
        Self {
            root,
            place,
            start: clock - TimeDelta::seconds(330),
            now,
        }
    }

    /// One on which an agent worked.
    pub(super) fn after_work() -> Self {
        let machine = Self::new();
        machine.record(machine.work());
        machine
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    /// The project as it is recorded.
    pub(super) fn project(&self) -> String {
        let project = fs::canonicalize(self.path(self.place)).unwrap();
        project.to_str().unwrap().to_owned()
    }

    pub(super) fn data(&self) -> PathBuf {
        self.path("home/.local/share/bowline")
    }

    pub(super) fn open_store(&self) -> SqliteStore {
        let mut options = Options::new(self.data());
        options.deadline = Duration::from_secs(30);
        SqliteStore::open(options).unwrap()
    }

    /// How many calls the store has, whatever a daemon says.
    pub(super) fn calls_in_store(&self) -> usize {
        let filter = TraceFilter::default();
        self.open_store().find_traces(&filter).unwrap().len()
    }

    pub(super) fn record(&self, records: Vec<Record>) {
        let store = self.open_store();
        for record in records {
            let (tell, told) = mpsc::channel();
            store.submit(record, Box::new(move |outcome| tell.send(outcome).unwrap()));
            let outcome = told.recv_timeout(Duration::from_secs(60)).unwrap();
            assert!(outcome.is_committed(), "{outcome:?}");
        }
    }

    /// A prompt, a slow delegation with two calls of a sub-agent, a failing call, a denied one, an open one.
    fn work(&self) -> Vec<Record> {
        let prompt = Change::PromptGiven {
            text: Some("find the bug in the parser".into()),
        };
        let mut records = vec![
            with(
                self.event("SessionStart", "s-1", 0),
                Change::SessionStarted {
                    source: Some("startup".into()),
                    model: Some("large".into()),
                    previous: None,
                },
            ),
            with(self.event("UserPromptSubmit", "s-1", 100), prompt),
        ];
        let mut task = self.start(
            "s-1",
            "toolu_task",
            "Task",
            200,
            &json!({"prompt": "look around"}),
        );
        task.changes
            .push(Change::DelegationStarted(DelegationStart {
                call: Some("toolu_task".into()),
                to: "explorer".into(),
                description: Some("look around".into()),
            }));
        records.push(task);
        records.push(with(
            by(self.event("SubagentStart", "s-1", 300)),
            Change::SubagentStarted,
        ));
        let read = json!({"file_path": "/srv/app/parser.rs"});
        records.push(by(self.start("s-1", "toolu_read", "Read", 400, &read)));
        records.push(by(self.end("s-1", "toolu_read", "Read", 450, None)));
        let grep = json!({"pattern": "fn parse"});
        records.push(by(self.start("s-1", "toolu_grep", "Grep", 500, &grep)));
        records.push(by(self.end("s-1", "toolu_grep", "Grep", 850, None)));
        records.push(with(
            by(self.event("SubagentStop", "s-1", 900)),
            Change::DelegationEnded(DelegationEnd {
                status: DelegationStatus::Completed,
                last_message: Some("it is in line 3".into()),
            }),
        ));
        records.push(self.end("s-1", "toolu_task", "Task", 3_700, None));
        let test = json!({"command": "cargo test", "description": "run the tests"});
        records.push(self.start("s-1", "toolu_test", "Bash", 4_000, &test));
        records.push(self.end("s-1", "toolu_test", "Bash", 4_350, Some("exit code 101")));
        let push = json!({"command": "git push --force"});
        let mut denied = self.start("s-1", "toolu_push", "Bash", 5_000, &push);
        denied.decided.decision = Decision::Deny;
        denied.decided.reason =
            Some("rewrites the history that others have; use --force-with-lease".into());
        denied.decided.duration = Duration::from_micros(800);
        denied.decided.hooks = vec![
            fired("guard:commands", Decision::Deny, None),
            fired("lint", Decision::NoOpinion, Some("exit code 1")),
        ];
        denied.changes.push(Change::TraceClosed {
            call: CallKey::Id("toolu_push".into()),
            how: Unfinished::Denied,
            message: Some("denied".into()),
        });
        records.push(denied);
        records.push(self.start(
            "s-1",
            "toolu_open",
            "Bash",
            6_000,
            &json!({"command": "sleep 9"}),
        ));
        records.push(self.start("s-2", "other", "Read", 7_000, &json!({"file_path": "a"})));
        records
    }

    /// So many milliseconds after the beginning of the work, a little more than five minutes ago.
    fn at(&self, ms: i64) -> DateTime<Utc> {
        self.start + TimeDelta::milliseconds(ms)
    }

    pub(super) fn event(&self, event: &str, session: &str, ms: i64) -> Record {
        let session_begins: String = session.chars().take(8).collect();
        let id = format!("event-{ms}-{session_begins}-{event}");
        let mut record = Record::new(id, self.at(ms), "claude-code", event, session);
        record.decided.project = Some(self.project());
        record
    }

    pub(super) fn start(
        &self,
        session: &str,
        id: &str,
        tool: &str,
        ms: i64,
        input: &Value,
    ) -> Record {
        let mut start = TraceStart::new(CallKey::Id(id.into()), tool);
        start.input = Some(input.clone());
        let mut record = self.event("PreToolUse", session, ms);
        record.decided.tool = Some(tool.into());
        record.decided.tool_use_id = Some(id.into());
        with(record, Change::TraceStarted(start))
    }

    pub(super) fn end(
        &self,
        session: &str,
        id: &str,
        tool: &str,
        ms: i64,
        error: Option<&str>,
    ) -> Record {
        let status = if error.is_some() {
            TraceStatus::Failed
        } else {
            TraceStatus::Completed
        };
        let mut end = TraceEnd::new(CallKey::Id(id.into()), tool, status);
        end.error = error.map(str::to_owned);
        end.output = Some(json!({"stdout": "first line\nsecond line"}));
        let mut record = self.event("PostToolUse", session, ms);
        record.decided.tool = Some(tool.into());
        record.decided.tool_use_id = Some(id.into());
        with(record, Change::TraceEnded(end))
    }

    pub(super) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_bowline"));
        command
            .args(args)
            .current_dir(self.path(self.place))
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.path("home"))
            .env("BOWLINE_SOCKET", self.path("no-daemon.sock"))
            .env("COLUMNS", "140")
            .envs(self.now.map(|now| ("BOWLINE_NOW", now)))
            .stdin(Stdio::null());
        command
    }

    pub(super) fn run(&self, args: &[&str]) -> Ran {
        Self::ran(&mut self.command(args))
    }

    pub(super) fn run_at(&self, width: usize, args: &[&str]) -> Ran {
        Self::ran(self.command(args).env("COLUMNS", width.to_string()))
    }

    fn ran(command: &mut Command) -> Ran {
        command.output().unwrap().into()
    }

    pub(super) fn json(&self, args: &[&str]) -> Value {
        let ran = self.run(&[args, &["--json"]].concat());
        serde_json::from_str(&ran.stdout)
            .unwrap_or_else(|error| panic!("{args:?}: {error}: {}{}", ran.stdout, ran.stderr))
    }
}

impl Ran {
    #[track_caller]
    pub(super) fn fits(&self, width: usize) -> &Self {
        for line in self.stdout.lines() {
            let columns = unicode_width::UnicodeWidthStr::width(line);
            assert!(columns <= width, "{columns} columns: {line}");
        }
        self
    }
}

pub(super) fn with(mut record: Record, change: Change) -> Record {
    record.changes.push(change);
    record
}

fn by(mut record: Record) -> Record {
    record.decided.subagent = Some(Subagent {
        id: "agent-1".into(),
        kind: "explorer".into(),
    });
    record
}

pub(super) fn fired(name: &str, decision: Decision, failure: Option<&str>) -> HookFired {
    HookFired {
        name: name.into(),
        scope: Some(
            if failure.is_some() {
                "project"
            } else {
                "built-in"
            }
            .into(),
        ),
        decision,
        duration: Duration::from_micros(350),
        failure: failure.map(str::to_owned),
        ..HookFired::default()
    }
}
