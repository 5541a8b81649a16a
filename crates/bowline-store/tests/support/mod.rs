//! What the tests of the store share.

use std::sync::mpsc;
use std::time::Duration;

use bowline_store::{
    CallKey, Change, Options, Outcome, Record, SqliteStore, Store, Subagent, TraceEnd, TraceStart,
    TraceStatus,
};
use chrono::{DateTime, TimeDelta, Utc};
use tempfile::TempDir;

/// A store in a folder of its own, with a deadline that no slow machine misses.
pub(crate) fn open() -> (TempDir, SqliteStore) {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(patient(&folder)).unwrap();
    (folder, store)
}

pub(crate) fn patient(folder: &TempDir) -> Options {
    let mut options = Options::new(folder.path().join("data"));
    options.deadline = Duration::from_secs(30);
    options.retention.days = None;
    options
}

/// Hands over a record and waits for what becomes of it.
pub(crate) fn submit(store: &dyn Store, record: Record) -> Outcome {
    let (tell, told) = mpsc::channel();
    store.submit(record, Box::new(move |outcome| tell.send(outcome).unwrap()));
    told.recv_timeout(Duration::from_secs(60)).unwrap()
}

/// Some moments ago, so that retention does not touch it; `ms` after the beginning of the test's time.
pub(crate) fn at(ms: i64) -> DateTime<Utc> {
    static START: std::sync::OnceLock<DateTime<Utc>> = std::sync::OnceLock::new();
    let start = START.get_or_init(|| {
        DateTime::from_timestamp_millis(Utc::now().timestamp_millis() - 3_600_000).unwrap()
    });
    *start + TimeDelta::milliseconds(ms)
}

pub(crate) fn record(event: &str, session: &str, ms: i64) -> Record {
    use std::sync::atomic::{AtomicU64, Ordering};
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let id = format!("event-{}", NEXT.fetch_add(1, Ordering::Relaxed));
    let mut record = Record::new(id, at(ms), "claude-code", event, session);
    record.decided.project = Some("/home/user/project".into());
    record
}

pub(crate) fn with(mut record: Record, change: Change) -> Record {
    record.changes.push(change);
    record
}

pub(crate) fn by(mut record: Record, subagent: &str, kind: &str) -> Record {
    record.decided.subagent = Some(Subagent {
        id: subagent.into(),
        kind: kind.into(),
    });
    record
}

pub(crate) fn start(session: &str, id: &str, tool: &str, ms: i64) -> Record {
    let mut record = record("PreToolUse", session, ms);
    record.decided.tool = Some(tool.into());
    record.decided.tool_use_id = Some(id.into());
    with(
        record,
        Change::TraceStarted(TraceStart::new(CallKey::Id(id.into()), tool)),
    )
}

pub(crate) fn end(session: &str, id: &str, tool: &str, status: TraceStatus, ms: i64) -> Record {
    let mut record = record("PostToolUse", session, ms);
    record.decided.tool = Some(tool.into());
    record.decided.tool_use_id = Some(id.into());
    with(
        record,
        Change::TraceEnded(TraceEnd::new(CallKey::Id(id.into()), tool, status)),
    )
}

pub(crate) fn committed(store: &dyn Store, record: Record) {
    let outcome = submit(store, record);
    assert_eq!(outcome, Outcome::Committed(Vec::new()));
}
