//! The bytes of what is written for others: a line of the spool, and a decided event in an answer. Older and newer programs
//! read both.

use std::time::Duration;

use bowline::hooks::Decision;
use chrono::DateTime;
use serde_json::json;

use crate::record::{CallKey, Change, Enforcement, HookFired, Record, Subagent, TraceStart};
use crate::trace::RecordedEvent;

const SPOOLED: &str = r#"{"id":"0198c0ffee00-1","time":"2025-08-19T04:26:40.500Z","agent":"claude-code","event":"PreToolUse","project":"/p","session":"s","subagent":{"id":"a-1","kind":"Explore"},"tool":"Bash","tool_use_id":"t-1","decision":"deny","reason":"no","rule":"files.delete","enforcement":"enforced","duration":{"secs":1,"nanos":234567000},"hooks":[{"name":"guard:commands","scope":"built-in","decision":"deny","duration_ms":0.04,"failure":null,"warnings":["w"],"message":null}],"changes":[{"TraceStarted":{"call":{"Id":"t-1"},"tool":"Bash","input":null,"trace_id":"g","parent":null,"asked":null}},"SubagentStarted"]}"#;

const ANSWERED: &str = r#"{"id":"0198c0ffee00-1","time":"2025-08-19T04:26:40.500Z","agent":"claude-code","event":"PreToolUse","project":"/p","session":"s","subagent":"a-1","tool":"Bash","tool_use_id":"t-1","decision":"deny","reason":"no","rule":"files.delete","enforcement":"enforced","duration_ms":1234.567,"hooks":[{"name":"guard:commands","scope":"built-in","decision":"deny","duration_ms":0.04,"failure":null,"warnings":["w"],"message":null}],"input":{"command":"rm -rf ~"},"prompt":null}"#;

fn record() -> Record {
    let time = DateTime::from_timestamp_millis(1_755_577_600_500).unwrap();
    let mut record = Record::new("0198c0ffee00-1", time, "claude-code", "PreToolUse", "s");
    record.decided.project = Some("/p".into());
    record.decided.subagent = Some(Subagent {
        id: "a-1".into(),
        kind: "Explore".into(),
    });
    record.decided.tool = Some("Bash".into());
    record.decided.tool_use_id = Some("t-1".into());
    record.decided.decision = Decision::Deny;
    record.decided.reason = Some("no".into());
    record.decided.rule = Some("files.delete".into());
    record.decided.enforcement = Enforcement::Enforced;
    record.decided.duration = Duration::from_micros(1_234_567);
    record.decided.hooks = vec![HookFired {
        name: "guard:commands".into(),
        scope: Some("built-in".into()),
        decision: Decision::Deny,
        duration: Duration::from_micros(40),
        warnings: vec!["w".into()],
        ..HookFired::default()
    }];
    let mut start = TraceStart::new(CallKey::Id("t-1".into()), "Bash");
    start.group = Some("g".into());
    record.changes = vec![Change::TraceStarted(start), Change::SubagentStarted];
    record
}

#[test]
fn a_line_of_the_spool_keeps_its_format() {
    let record = record();
    assert_eq!(serde_json::to_string(&record).unwrap(), SPOOLED);
    assert_eq!(serde_json::from_str::<Record>(SPOOLED).unwrap(), record);
}

#[test]
fn a_line_without_what_was_added_later_is_read() {
    let without = SPOOLED.replace(r#""rule":"files.delete","#, "");
    let mut expected = record();
    expected.decided.rule = None;
    assert_eq!(serde_json::from_str::<Record>(&without).unwrap(), expected);
    for name in ["id", "session", "decision", "duration", "changes"] {
        let mut line: serde_json::Value = serde_json::from_str(SPOOLED).unwrap();
        line.as_object_mut().unwrap().remove(name);
        assert!(serde_json::from_value::<Record>(line).is_err(), "{name}");
    }
}

#[test]
fn a_decided_event_in_an_answer_keeps_its_format() {
    let event: RecordedEvent = serde_json::from_str(ANSWERED).unwrap();
    assert_eq!(event.decided.duration, Duration::from_micros(1_234_567));
    assert_eq!(event.input, Some(json!({"command": "rm -rf ~"})));
    assert_eq!(serde_json::to_string(&event).unwrap(), ANSWERED);
}
