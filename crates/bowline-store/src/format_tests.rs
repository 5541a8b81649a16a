//! The bytes of what is written for others: a line of the spool, and a decided event in an answer. Older and newer programs
//! read both.

use std::time::Duration;

use bowline::hooks::Decision;
use bowline_continuity::effort::EffortId;
use bowline_continuity::fleet::{AgentStatus, Process};
use bowline_continuity::message::Message;
use bowline_continuity::note::{Todo, TodoState};
use chrono::DateTime;
use serde_json::json;

use crate::continuity::AgentSignal;
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

/// Changes of continuity as they wait in the spool.
#[test]
fn changes_of_continuity_keep_their_format() {
    let message = Message {
        role: "user".into(),
        content: "hello".into(),
        tool: None,
    };
    let signal = AgentSignal {
        id: Some("a-1".into()),
        label: None,
        status: AgentStatus::Attention,
        waiting_for: Some("an answer".into()),
        folder: Some("/p".into()),
        process: Some(Process { id: 7, started: 8 }),
        effort: Some(EffortId(3)),
    };
    let todo = Todo {
        id: None,
        text: "t".into(),
        state: TodoState::InProgress,
    };
    let files = vec!["/p/a".to_owned()];
    for (change, expected) in [
        (
            Change::EffortJoined {
                effort: EffortId(3),
                transcript: None,
            },
            json!({"EffortJoined": {"effort": 3, "transcript": null}}),
        ),
        (Change::HeartbeatCounted, json!("HeartbeatCounted")),
        (
            Change::ContextUsed { used: 0.5 },
            json!({"ContextUsed": {"used": 0.5}}),
        ),
        (
            Change::AgentStatus(signal),
            json!({"AgentStatus": {
                "id": "a-1", "label": null, "status": "attention", "waiting_for": "an answer", "folder": "/p",
                "process": {"id": 7, "started": 8}, "effort": 3,
            }}),
        ),
        (
            Change::Said(message.clone()),
            json!({"Said": {"role": "user", "content": "hello", "tool": null}}),
        ),
        (
            Change::FilesLoaded {
                files: files.clone(),
            },
            json!({"FilesLoaded": {"files": ["/p/a"]}}),
        ),
        (
            Change::FilesPreloaded {
                files: files.clone(),
                directives: Vec::new(),
                directories: Vec::new(),
            },
            json!({"FilesPreloaded": {"files": ["/p/a"], "directives": [], "directories": []}}),
        ),
        (
            Change::Todos { todos: vec![todo] },
            json!({"Todos": {"todos": [{"text": "t", "state": "in_progress"}]}}),
        ),
        (
            Change::FilesEdited { files },
            json!({"FilesEdited": {"files": ["/p/a"]}}),
        ),
        (
            Change::TranscriptRead {
                path: "/t".into(),
                from: 1,
                offset: 2,
                messages: vec![message],
            },
            json!({"TranscriptRead": {
                "path": "/t", "from": 1, "offset": 2, "messages": [{"role": "user", "content": "hello", "tool": null}],
            }}),
        ),
    ] {
        assert_eq!(serde_json::to_value(&change).unwrap(), expected);
        assert_eq!(serde_json::from_value::<Change>(expected).unwrap(), change);
    }
}
