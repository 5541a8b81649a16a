//! A manager with tracing, and a store in a folder of its own.

use std::sync::mpsc;
use std::time::Duration;

use bowline::hooks::{
    DateTime, FnHook, HookContext, HookEvent, HookInput, HookManager, Opinion, Recording,
    TriggerResult, Utc,
};
use bowline::settings::RecordConfig;
use bowline_agents::claude_code::AGENT;
use bowline_builtins::recorder::{Tracing, make_record};
use bowline_store::{Enforcement, Options, Outcome, Record, SqliteStore, Store, Trace};
use bowline_testkit::recorded_of;
use chrono::TimeDelta;
use serde_json::Value;
use tempfile::TempDir;

pub(crate) struct Bench {
    pub(crate) store: SqliteStore,
    pub(crate) manager: HookManager,
    pub(crate) enforcement: Enforcement,
    pub(crate) recording: Recording,
    begun: DateTime<Utc>,
    next: u64,
    _folder: TempDir,
}

/// The context of an event with this id.
pub(crate) fn context(session: &str, call: &str) -> HookContext {
    HookContext::new(session)
        .with_call_id(call)
        .with_agent(AGENT.name)
}

impl Bench {
    pub(crate) fn new() -> Self {
        Self::keeping(RecordConfig::default())
    }

    pub(crate) fn keeping(detail: RecordConfig) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut options = Options::new(folder.path().join("data"));
        options.deadline = Duration::from_secs(30);
        let mut manager = HookManager::new();
        manager.register(Tracing::new(detail));
        Self {
            store: SqliteStore::open(options).unwrap(),
            manager,
            enforcement: Enforcement::Enforced,
            recording: Recording::On,
            begun: DateTime::from_timestamp_millis(Utc::now().timestamp_millis() - 3_600_000)
                .unwrap(),
            next: 0,
            _folder: folder,
        }
    }

    /// Adds a hook that answers one event always the same.
    pub(crate) fn answering(self, event: HookEvent, output: Opinion) -> Self {
        self.also_answering("other", event, output)
    }

    /// The same, by a name of its own.
    pub(crate) fn also_answering(mut self, name: &str, event: HookEvent, output: Opinion) -> Self {
        self.manager
            .register(FnHook::new(name, [event], move |_input, _ctx| {
                let output = output.clone();
                async { Ok(output) }
            }));
        self
    }

    pub(crate) fn at(&self, ms: i64) -> DateTime<Utc> {
        self.begun + TimeDelta::milliseconds(ms)
    }

    /// Decides an event and makes its record.
    pub(crate) async fn decide(&mut self, ms: i64, input: &HookInput) -> Option<Record> {
        self.next += 1;
        let call = format!("event-{}", self.next);
        let ctx = context(&input.session_id, &call).with_recording(self.recording);
        let result = self.manager.trigger(input.clone(), &ctx).await;
        self.record(ms, input, &ctx, &result)
    }

    pub(crate) fn record(
        &self,
        ms: i64,
        input: &HookInput,
        ctx: &HookContext,
        result: &TriggerResult,
    ) -> Option<Record> {
        let mut record = make_record(self.at(ms), input, ctx, result, self.enforcement)?;
        record.decided.project = Some("/home/user/project".to_owned());
        record.decided.duration = Duration::from_micros(700);
        for hook in &mut record.decided.hooks {
            hook.scope = Some(format!("scope of {}", hook.name));
        }
        Some(record)
    }

    pub(crate) fn commit(&self, record: Record) -> Outcome {
        let (tell, told) = mpsc::channel();
        self.store
            .submit(record, Box::new(move |outcome| tell.send(outcome).unwrap()));
        let outcome = told.recv_timeout(Duration::from_secs(60)).unwrap();
        assert!(outcome.is_committed(), "{outcome:?}");
        outcome
    }

    /// Decides an event and keeps it.
    pub(crate) async fn report(&mut self, ms: i64, input: &HookInput) -> Outcome {
        let record = self.decide(ms, input).await.unwrap();
        self.commit(record)
    }

    /// As [`Bench::report`], for a payload that a real client sent.
    pub(crate) async fn recorded(&mut self, ms: i64, name: &str) -> Outcome {
        let outcome = self.report(ms, &payload(name)).await;
        assert_eq!(outcome.skipped(), [], "{name}");
        outcome
    }

    pub(crate) fn trace(&self, id: &str) -> Trace {
        self.store.get_trace(id).unwrap().unwrap()
    }
}

/// A payload of the real client.
pub(crate) fn payload(name: &str) -> HookInput {
    let mut all = recorded_of(&AGENT).into_iter();
    let recorded = all.find(|it| it.name == name).unwrap();
    let payload: Value = serde_json::from_str(&recorded.text).unwrap();
    HookInput::from_payload(&payload).unwrap()
}

/// An event of session `s`, by its JSON.
pub(crate) fn event(mut payload: Value) -> HookInput {
    payload["session_id"] = "s".into();
    HookInput::from_payload_lenient(&payload)
}
