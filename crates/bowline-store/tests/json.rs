//! Everything that is read back travels as JSON between the daemon and those who ask it.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

mod support;

use std::fmt::Debug;
use std::time::Duration;

use bowline::hooks::Decision;
use bowline_store::{
    CallKey, Change, DelegationStart, Forget, Gap, HookFigures, HookFired, Integrity,
    RecordedEvent, SessionDetails, SessionFilter, SessionRef, SessionSummary, Size, Store, Trace,
    TraceFilter, TraceStart, TraceStatistics, TraceStatus, TraceTree,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use support::*;

/// There and back, as the data of an answer.
fn travel<T: Serialize + DeserializeOwned>(value: &T) -> T {
    let line = json!({"ok": true, "data": value}).to_string();
    let mut answer: Value = serde_json::from_str(&line).unwrap();
    let data = answer.get_mut("data").unwrap().take();
    let arrived: T = serde_json::from_value(data).unwrap();
    let text = |value: &T| serde_json::to_string(value).unwrap();
    assert_eq!(text(&arrived), text(value));
    // Also without a detour through a value.
    serde_json::from_str::<T>(&text(value)).unwrap();
    arrived
}

fn travels<T: Serialize + DeserializeOwned + PartialEq + Debug>(value: &T) {
    assert_eq!(&travel(value), value);
}

#[test]
fn everything_that_is_read_back_survives_json() {
    let (_folder, store) = open();
    let prompt = Change::PromptGiven {
        text: Some("please".into()),
    };
    committed(&store, with(record("UserPromptSubmit", "s", 0), prompt));
    let mut begin = start("s", "a", "Task", 1);
    begin.decided.decision = Decision::Ask;
    begin.decided.reason = Some("why not".into());
    begin.decided.duration = Duration::from_micros(1_234);
    begin.decided.hooks.push(HookFired {
        name: "guard".into(),
        scope: Some("built-in".into()),
        decision: Decision::Ask,
        duration: Duration::from_micros(40),
        failure: Some("exit 1".into()),
        ..HookFired::default()
    });
    begin
        .changes
        .push(Change::DelegationStarted(DelegationStart {
            call: Some("a".into()),
            to: "helper".into(),
            description: None,
        }));
    committed(&store, begin);
    committed(&store, by(start("s", "b", "Bash", 2), "agent-1", "helper"));
    let mut failing = end("s", "b", "Bash", TraceStatus::Failed, 9);
    if let Some(Change::TraceEnded(end)) = failing.changes.first_mut() {
        end.error = Some("exit status 1".into());
        end.output = Some(json!({"stdout": ["x", 1, null, 0.5, true]}));
    }
    committed(&store, failing);
    store.flush().unwrap();

    for sent in store.find_traces(&TraceFilter::default()).unwrap() {
        let arrived: Trace = travel(&sent);
        assert_eq!(
            (arrived.tool_use_id, arrived.status, arrived.parent),
            (sent.tool_use_id, sent.status, sent.parent)
        );
        assert_eq!((arrived.input, arrived.output), (sent.input, sent.output));
    }
    let group = store.get_trace("a").unwrap().unwrap().group;
    let tree: TraceTree = store.get_trace_tree(&group).unwrap().unwrap();
    assert_eq!((tree.len(), travel(&tree).len()), (2, 2));
    let statistics: TraceStatistics = store.trace_statistics(&TraceFilter::default()).unwrap();
    travels(&statistics);
    let sessions: Vec<SessionSummary> = store.sessions(&SessionFilter::default()).unwrap();
    travels(&sessions);
    let details: SessionDetails = store.session(SessionRef::Chain("s")).unwrap().unwrap();
    assert_eq!((details.prompts.len(), details.delegations.len()), (1, 1));
    travels(&details);
    let mut triggers: Vec<RecordedEvent> = store.last_events(10).unwrap();
    for event in &mut triggers {
        // It is for those who read the store themselves.
        event.number = 0;
    }
    travels(&triggers);
    let figures: Vec<HookFigures> = store.hook_figures().unwrap();
    assert!(figures[0].last_failure.is_some());
    travels(&figures);
    // One unit of time and one name for a thing, whoever tells it.
    let documents = [
        json!(store.find_traces(&TraceFilter::default()).unwrap()[0]),
        json!(triggers[0]),
        json!(
            triggers
                .iter()
                .find_map(|it| it.decided.hooks.first())
                .unwrap()
        ),
        json!(figures[0]),
        json!(sessions[0]),
        json!(details.sessions[0]),
    ];
    for document in documents {
        for (name, value) in document.as_object().unwrap() {
            assert!(name != "duration", "{document}");
            let is_time = name.ends_with("_ms");
            assert!(
                !is_time || value.is_number() || value.is_null(),
                "{name}: {value}"
            );
            assert!(!name.ends_with("_us"), "{name}");
        }
    }
    assert_eq!(json!(sessions[0])["session"], "s");
    assert_eq!(json!(triggers[0])["session"], "s");
    let size: Size = store.size().unwrap();
    travels(&size);
    travels(&store.integrity_check().unwrap());
    travels(&Integrity::Damaged(vec!["page 3".into()]));
    travels(&store.forget(Forget::All).unwrap());
    let gap = json!({"time": at(0), "cause": "moved_aside", "records": 3, "message": "moved"});
    travels(&serde_json::from_value::<Gap>(gap).unwrap());
}

#[test]
fn the_deepest_tree_of_the_deepest_values_can_be_read() {
    let (_folder, store) = open();
    let deep = (0..300).fold(json!("core"), |inner, _| json!([inner]));
    for n in 0..100 {
        let mut call = TraceStart::new(CallKey::Id(n.to_string()), "Task");
        call.input = Some(deep.clone());
        call.parent = (n > 0).then(|| (n - 1).to_string());
        let begin = record("PreToolUse", "s", n);
        committed(&store, with(begin, Change::TraceStarted(call)));
    }
    let tree = store.get_trace_tree("0").unwrap().unwrap();
    assert_eq!(travel(&tree).len(), 100);
    let input = store.get_trace("99").unwrap().unwrap().input.unwrap();
    assert!(input.is_array(), "it is still a value, not a text: {input}");
}
