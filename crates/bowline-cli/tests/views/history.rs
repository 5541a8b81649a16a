//! A sandbox in which agents have worked, and its records.

use std::ops::Deref;
use std::sync::mpsc;
use std::time::Duration;

use bowline::hooks::Decision;
use bowline_store::{
    CallKey, Change, DelegationEnd, DelegationStart, DelegationStatus, HookFired, Options, Record,
    SqliteStore, Store, Subagent, TraceEnd, TraceFilter, TraceStart, TraceStatus, Unfinished,
};
use bowline_testkit::Sandbox;
use chrono::{DateTime, TimeDelta, Utc};
use serde_json::{Value, json};

/// A sandbox with records and no daemon.
pub(super) struct History {
    sandbox: Sandbox,
    /// When the work began.
    start: DateTime<Utc>,
}

impl Deref for History {
    type Target = Sandbox;

    fn deref(&self) -> &Sandbox {
        &self.sandbox
    }
}

impl History {
    pub(super) fn new() -> Self {
        let now = Utc::now().timestamp_millis();
        let now = DateTime::from_timestamp_millis(now).unwrap();
        Self::until(now, Sandbox::with_repository())
    }

    /// One that looks the same at any time and in any place: its project is below its home, and its clock stands still.
    pub(super) fn standing_still() -> Self {
        // Far away, so that no record is ever too old to be kept.
        let now = "2099-11-16T17:12:00Z";
        let mut sandbox = Sandbox::with_project("home/shop");
        sandbox.folder("home/shop/.git");
        sandbox.set("BOWLINE_NOW", now).set("TZ", "UTC");
        // Without the clients of this machine.
        sandbox.set("PATH", "/usr/bin:/bin");
        Self::until(now.parse().unwrap(), sandbox)
    }

    fn until(now: DateTime<Utc>, mut sandbox: Sandbox) -> Self {
        let nobody = sandbox.path("no-daemon.sock");
        sandbox.set("BOWLINE_SOCKET", nobody);
        Self {
            sandbox,
            start: now - TimeDelta::seconds(330),
        }
    }

    /// One with the work of an agent.
    pub(super) fn after_work() -> Self {
        let history = Self::new();
        history.record(history.work());
        history
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
    pub(super) fn at(&self, ms: i64) -> DateTime<Utc> {
        self.start + TimeDelta::milliseconds(ms)
    }

    pub(super) fn event(&self, event: &str, session: &str, ms: i64) -> Record {
        let session_begins: String = session.chars().take(8).collect();
        let id = format!("event-{ms}-{session_begins}-{event}");
        let mut record = Record::new(id, self.at(ms), "claude-code", event, session);
        record.decided.project = Some(self.project().display().to_string());
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
