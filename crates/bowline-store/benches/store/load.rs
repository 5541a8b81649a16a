//! The records of the bench: always the same, and like those of an agent.

use std::time::Duration;

use bowline::hooks::Decision;
use bowline_store::{CallKey, Change, HookFired, Record, TraceEnd, TraceStart, TraceStatus};
use chrono::{DateTime, Utc};
use serde_json::json;

pub(crate) const TOOLS: [&str; 8] = [
    "Bash", "Read", "Edit", "Grep", "Glob", "Write", "Task", "WebFetch",
];
const PROJECTS: u64 = 20;

/// The same numbers in every run, without order.
pub(crate) fn scatter(n: u64) -> u64 {
    n.wrapping_mul(0x9e37_79b9_7f4a_7c15)
        .rotate_left(31)
        .wrapping_mul(0xbf58_476d_1ce4_e5b9)
        >> 16
}

pub(crate) fn session(n: u64) -> String {
    format!("session-{n}")
}

pub(crate) fn project(session: u64) -> String {
    format!("/home/user/project-{}", session % PROJECTS)
}

pub(crate) fn tool(n: u64) -> &'static str {
    let place = usize::try_from(n % 8).unwrap();
    TOOLS.get(place).copied().unwrap()
}

pub(crate) fn tool_use_id(n: u64) -> String {
    format!("toolu_{:016x}", scatter(n))
}

/// An event of a session, without what follows from it.
pub(crate) fn event(n: u64, session_number: u64, time: DateTime<Utc>, event: &str) -> Record {
    let id = format!("{:012x}-{:016x}", time.timestamp_millis(), scatter(n));
    let mut record = Record::new(id, time, "claude-code", event, session(session_number));
    record.decided.project = Some(project(session_number));
    record.decided.duration = Duration::from_micros(150);
    for name in ["guard", "tracing", "rules"] {
        record.decided.hooks.push(HookFired {
            name: name.into(),
            scope: Some("built-in".into()),
            decision: Decision::NoOpinion,
            duration: Duration::from_micros(40),
            failure: None,
            ..HookFired::default()
        });
    }
    record
}

pub(crate) fn begin(call: u64) -> TraceStart {
    let mut start = TraceStart::new(CallKey::Id(tool_use_id(call)), tool(call));
    start.input =
        Some(json!({"command": "cargo test --workspace", "description": "x".repeat(200)}));
    start
}

pub(crate) fn finish(call: u64) -> TraceEnd {
    let failed = scatter(call).is_multiple_of(50);
    let status = if failed {
        TraceStatus::Failed
    } else {
        TraceStatus::Completed
    };
    let mut end = TraceEnd::new(CallKey::Id(tool_use_id(call)), tool(call), status);
    end.output = Some(json!({"stdout": "y".repeat(150)}));
    end.error = failed.then(|| "exit status 1".to_owned());
    end.duration = Some(Duration::from_millis(scatter(call) % 10_000));
    end
}

/// The first or the second half of call `n / 2`.
pub(crate) fn half(n: u64, session: u64, time: DateTime<Utc>) -> Record {
    let call = n / 2;
    let begins = n.is_multiple_of(2);
    let name = if begins { "PreToolUse" } else { "PostToolUse" };
    let mut record = event(n, session, time, name);
    record.decided.tool = Some(tool(call).to_owned());
    record.decided.tool_use_id = Some(tool_use_id(call));
    record.changes.push(if begins {
        Change::TraceStarted(begin(call))
    } else {
        Change::TraceEnded(finish(call))
    });
    record
}
