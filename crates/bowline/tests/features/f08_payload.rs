//! Feature 08: the payload envelope.

use bowline::Error;
use bowline::hooks::{
    DateTime, HookContext, HookEvent, HookEventData, HookInput, PayloadError, ToolOutput,
    event_named, parse_payload,
};
use bowline_agents::{claude_code, supported};
use bowline_testkit::recorded_of;
use proptest::prelude::*;
use serde_json::{Value, json};

/// What real agents have sent, in Bowline's own form. Where a payload names no event, the arguments of `bowline-hook` do.
fn recorded() -> Vec<(String, Value)> {
    let payloads = bowline_testkit::recorded().into_iter().map(|it| {
        let mut payload = parse_payload(it.text.as_bytes()).unwrap();
        if event_named(&payload).is_none() {
            let (event, _) = it.name.split_once('-').unwrap();
            let mut spellings = it.agent.events.iter();
            let spelling = spellings.find(|(_, known)| known.name() == event);
            // An agent may have one name for two events, and tell them apart by what else it says.
            if let Some((spelling, _)) = spelling {
                payload["hook_event_name"] = (*spelling).into();
            }
        }
        let protocol = it.agent.protocol().unwrap();
        (it.name, protocol.decode(payload))
    });
    payloads.collect()
}

/// Other agents may leave out what only Claude Code has, such as a transcript.
#[test]
fn f08_a_recorded_payloads_of_claude_code_lack_nothing() {
    for it in recorded_of(&claude_code::AGENT) {
        let payload = parse_payload(it.text.as_bytes()).unwrap();
        let read = HookInput::from_payload(&payload);
        assert!(read.is_ok(), "{}: {read:?}", it.name);
    }
}

#[test]
fn f08_a_payloads_of_every_agent_that_can_be_installed_are_recorded() {
    for (agent, protocol) in supported() {
        let is_recorded = !recorded_of(agent).is_empty();
        let name = agent.name;
        assert!(
            is_recorded || protocol.registration.is_none(),
            "tests/data/{name} is missing"
        );
    }
}

fn keys(payload: &Value) -> Vec<&str> {
    payload
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect()
}

fn lenient(payload: Value) -> HookInput {
    HookInput::from_payload_lenient(&payload)
}

#[test]
fn f08_a_every_recorded_payload_survives_the_way_through() {
    let payloads = recorded();
    assert!(payloads.len() >= 80, "{} payloads", payloads.len());
    for (name, payload) in payloads {
        let input = HookInput::from_payload_lenient(&payload);
        let (event, _) = name.split_once('-').unwrap();
        assert_eq!(input.event_type().name(), event, "{name}");

        let again = input.to_payload(&HookContext::new("another"));
        for (key, value) in payload.as_object().unwrap() {
            // Some agents count milliseconds, and some are more exact than Bowline's clock.
            let said = || DateTime::parse_from_rfc3339(value.as_str()?).ok();
            let millis = value.as_i64().or_else(|| Some(said()?.timestamp_millis()));
            match millis.filter(|_| key == "timestamp") {
                Some(millis) => assert_eq!(input.timestamp.timestamp_millis(), millis, "{name}"),
                None => assert_eq!(again.get(key), Some(value), "{name}: {key}"),
            }
        }
        assert_eq!(
            HookInput::from_payload_lenient(&again).data,
            input.data,
            "{name}"
        );
        if event != "FileChanged" {
            assert_eq!(again["event"], input.event_type().snake_name(), "{name}");
        }
        assert!(
            DateTime::parse_from_rfc3339(again["timestamp"].as_str().unwrap()).is_ok(),
            "{name}"
        );
    }
}

#[test]
fn f08_a_keys_come_in_claude_codes_order() {
    let payload = json!({
        "zebra": 1, "tool_use_id": "t", "tool_input": {"command": "ls"}, "tool_name": "Bash",
        "hook_event_name": "PreToolUse", "effort": {"level": "high"}, "agent_type": "x",
        "agent_id": "a", "permission_mode": "default", "prompt_id": "p", "scratchpad_dir": "/s",
        "cwd": "/c", "transcript_path": "/t", "session_id": "s", "aardvark": 2,
    });
    let again = lenient(payload).to_payload(&HookContext::new("s"));
    assert_eq!(
        keys(&again),
        [
            "session_id",
            "transcript_path",
            "cwd",
            "scratchpad_dir",
            "prompt_id",
            "permission_mode",
            "agent_id",
            "agent_type",
            "effort",
            "hook_event_name",
            "event",
            "timestamp",
            "tool_name",
            "tool_input",
            "tool_use_id",
            "zebra",
            "aardvark",
        ]
    );
}

#[test]
fn f08_a_every_event_carries_its_fields() {
    for event in HookEvent::ALL {
        let mut input = HookInput::for_event("s-1", *event)
            .with_field("transcript_path", "/t")
            .with_field("permission_mode", "plan");
        for field in event.payload_fields() {
            input = input.with_field(*field, format!("the {field}"));
        }
        let payload = input.to_payload(&HookContext::new("s-1").with_cwd("/repo"));
        for (key, value) in [
            ("session_id", "s-1"),
            ("hook_event_name", event.name()),
            ("cwd", "/repo"),
            ("transcript_path", "/t"),
            ("permission_mode", "plan"),
        ] {
            assert_eq!(payload[key], value, "{event}");
        }
        for field in event.payload_fields() {
            assert_eq!(payload[*field], format!("the {field}"), "{event}");
        }
    }
}

#[test]
fn f08_a_typed_fields_are_written_and_absent_ones_left_out() {
    let ctx = HookContext::new("from-context");
    for (input, expected, absent) in [
        (
            HookInput::pre_tool_use("s", "Bash", json!({"command": "ls"})),
            json!({"tool_name": "Bash", "tool_input": {"command": "ls"}}),
            &["tool_use_id", "cwd"][..],
        ),
        (
            HookInput::post_tool_use("s", "Bash", json!({"stdout": "x"})),
            json!({"tool_name": "Bash", "tool_response": {"stdout": "x"}}),
            &["tool_input"],
        ),
        (
            HookInput::post_tool_use("s", "Bash", ToolOutput::error(json!({"stdout": "x"}))),
            json!({"tool_response": {"stdout": "x", "is_error": true}}),
            &[],
        ),
        (
            HookInput::post_tool_use("s", "Bash", ToolOutput::error("boom")),
            json!({"tool_response": {"content": "boom", "is_error": true}}),
            &[],
        ),
        (
            HookInput::post_tool_use_failure("s", "Bash", "boom"),
            json!({"tool_name": "Bash", "error": "boom"}),
            &["is_interrupt"],
        ),
        (
            HookInput::user_prompt_submit("s", "hello"),
            json!({"prompt": "hello"}),
            &["source"],
        ),
        (
            HookInput::subagent_start("s", "a-1", "tester", ""),
            json!({"agent_id": "a-1", "subagent_id": "a-1", "agent_type": "tester", "subagent_type": "tester"}),
            &["description"],
        ),
        (
            HookInput::subagent_stop("s", "a-1", false, Some("lost".to_owned()))
                .with_field("agent_type", "tester"),
            json!({"agent_id": "a-1", "subagent_id": "a-1", "subagent_type": "tester", "success": false, "error": "lost"}),
            &[],
        ),
        (
            HookInput::for_event("", HookEvent::Stop),
            json!({"session_id": "from-context"}),
            &["stop_hook_active"],
        ),
    ] {
        let payload = input.to_payload(&ctx);
        for (key, value) in expected.as_object().unwrap() {
            assert_eq!(&payload[key], value, "{key} of {payload}");
        }
        for key in absent {
            assert!(payload.get(key).is_none(), "{key} of {payload}");
        }
    }
}

#[test]
fn f08_b_camel_case_and_short_names_are_understood() {
    for payload in [
        json!({"sessionId": "s", "hookEventName": "preToolUse", "toolName": "Bash",
               "toolInput": {"filePath": "/x"}, "toolUseId": "t", "permissionMode": "plan"}),
        json!({"session_id": "s", "event": "pre_tool_use", "name": "Bash",
               "input": {"filePath": "/x"}, "tool_use_id": "t", "permission_mode": "plan"}),
        json!({"session_id": "s", "event": "pre-tool-use", "name": "Bash",
               "input": {"filePath": "/x"}, "toolUseID": "t", "permission_mode": "plan"}),
    ] {
        let input = lenient(payload);
        assert_eq!(input.session_id, "s");
        assert_eq!(input.event_type(), HookEvent::PreToolUse);
        assert_eq!(input.tool_name(), Some("Bash"));
        assert_eq!(input.tool_input(), Some(&json!({"filePath": "/x"})));
        assert_eq!(input.tool_use_id(), Some("t"));
        assert_eq!(input.permission_mode(), Some("plan"));
    }
    let input = lenient(
        json!({"event": "PostToolUse", "name": "Read", "input": {"a": 1}, "result": {"isError": true, "b": 2}}),
    );
    assert_eq!(input.tool_input(), Some(&json!({"a": 1})));
    assert_eq!(
        input.tool_result(),
        Some(&ToolOutput::error(json!({"isError": true, "b": 2})))
    );
}

#[test]
fn f08_b_an_event_with_its_fields_in_an_object_of_their_own_is_understood() {
    let input = lenient(json!({
        "type": "PreToolUse",
        "timestamp": 1_700_000_000_123_u64,
        "sessionId": "s1",
        "payload": {"toolName": "Bash", "input": {"command": "ls", "toolName": "x"}},
    }));
    assert_eq!(input.event_type(), HookEvent::PreToolUse);
    assert_eq!(input.session_id, "s1");
    assert_eq!(input.timestamp.timestamp_millis(), 1_700_000_000_123);
    assert_eq!(input.tool_name(), Some("Bash"));
    assert_eq!(
        input.tool_input(),
        Some(&json!({"command": "ls", "toolName": "x"}))
    );
    assert_eq!(input.metadata, None);

    let input = lenient(json!({
        "type": "post_tool_use", "sessionId": "s1",
        "payload": {"toolName": "Bash", "input": {}, "output": {"stdout": "x"}},
    }));
    assert_eq!(
        input.data,
        HookEventData::PostToolUse {
            tool_name: "Bash".into(),
            tool_result: ToolOutput {
                is_error: false,
                content: json!({"stdout": "x"}),
            },
        }
    );
    let input = lenient(json!({
        "type": "PostToolUseFailure", "payload": {"toolName": "Bash", "error": "no"},
    }));
    assert_eq!(input.error(), Some("no"));
    let input = lenient(json!({"type": "UserPromptSubmit", "payload": {"prompt": "hello"}}));
    assert_eq!(input.prompt(), Some("hello"));
    let input = lenient(json!({"type": "Notification", "payload": {"message": "done"}}));
    assert_eq!(input.field("message"), Some(&json!("done")));
}

#[test]
fn f08_b_what_only_looks_wrapped_stays_as_it_is() {
    for payload in [
        json!({"hook_event_name": "Stop", "type": "note", "payload": {"prompt": "x"}}),
        json!({"hook_event_name": "Stop", "type": "PreToolUse", "payload": "x"}),
    ] {
        let input = lenient(payload.clone());
        assert_eq!(input.event_type(), HookEvent::Stop);
        let metadata = input.metadata.unwrap();
        assert_eq!(metadata["type"], payload["type"]);
        assert_eq!(metadata["payload"], payload["payload"]);
    }
    // What stands outside wins.
    let input = lenient(json!({
        "type": "PreToolUse", "tool_name": "Bash", "payload": {"tool_name": "Read", "input": {}},
    }));
    assert_eq!(input.tool_name(), Some("Bash"));
}

#[test]
fn f08_b_only_what_is_meant_is_renamed() {
    let input = lenient(json!({
        "hook_event_name": "PreToolUse", "tool_name": "Bash", "toolName": "Other", "name": "mine",
        "tool_input": {"toolName": 1}, "input": "mine too", "myField": {"sessionId": 1},
    }));
    assert_eq!(input.tool_name(), Some("Bash"));
    assert_eq!(input.tool_input(), Some(&json!({"toolName": 1})));
    for (field, value) in [
        ("toolName", json!("Other")),
        ("name", json!("mine")),
        ("input", json!("mine too")),
        ("myField", json!({"sessionId": 1})),
    ] {
        assert_eq!(input.field(field), Some(&value));
    }

    let input = lenient(json!({"hook_event_name": "WorktreeCreate", "name": "fix", "input": 1}));
    assert_eq!(input.field("name"), Some(&json!("fix")));
    assert_eq!(input.field("input"), Some(&json!(1)));
}

#[test]
fn f08_b_the_event_field_of_file_changed_is_its_own() {
    let payload = json!({"hook_event_name": "FileChanged", "file_path": "/x", "event": "unlink"});
    let input = lenient(payload);
    assert_eq!(input.field("event"), Some(&json!("unlink")));
    let again = input.to_payload(&HookContext::new("s"));
    assert_eq!(again["event"], "unlink");
    assert_eq!(again["hook_event_name"], "FileChanged");

    let ours = HookInput::for_event("s", HookEvent::FileChanged).to_payload(&HookContext::new("s"));
    assert_eq!(ours["event"], "file_changed");
}

#[test]
fn f08_b_sub_agents_have_two_names() {
    for payload in [
        json!({"hook_event_name": "SubagentStart", "agent_id": "a", "agent_type": "t"}),
        json!({"hook_event_name": "SubagentStart", "subagent_id": "a", "subagent_type": "t"}),
    ] {
        let input = lenient(payload);
        assert_eq!(input.subagent_id(), Some("a"));
        assert_eq!(input.agent_type(), Some("t"));
    }
    for payload in [
        json!({"hook_event_name": "SubagentStop", "agent_id": "a", "agent_type": "t"}),
        json!({"hook_event_name": "SubagentStop", "subagent_id": "a", "subagent_type": "t"}),
    ] {
        let input = lenient(payload);
        assert_eq!(
            input.data,
            HookEventData::SubagentStop {
                subagent_id: "a".to_owned(),
                success: true,
                error: None
            }
        );
        assert_eq!(input.agent_type(), Some("t"));
    }
    let input = lenient(
        json!({"hook_event_name": "SubagentStart", "agent_id": "parent", "subagent_id": "child"}),
    );
    assert_eq!(input.subagent_id(), Some("child"));
    assert_eq!(input.field("agent_id"), Some(&json!("parent")));
}

#[test]
fn f08_b_unknown_events_keep_their_name_and_fields() {
    let payload = json!({"session_id": "s", "transcript_path": "/t", "cwd": "/c",
                         "hook_event_name": "MoonRise", "phase": "full"});
    let input = HookInput::from_payload(&payload).unwrap();
    assert_eq!(input.event_type(), HookEvent::Unknown);
    assert_eq!(input.event_name(), "MoonRise");
    let again = input.to_payload(&HookContext::new("s"));
    assert_eq!(again["hook_event_name"], "MoonRise");
    assert_eq!(again["event"], "moon_rise");
    assert_eq!(again["phase"], "full");
}

#[test]
fn f08_b_timestamps_are_read() {
    let expected = DateTime::parse_from_rfc3339("2026-03-01T10:00:00.250Z").unwrap();
    for stamp in [
        json!("2026-03-01T10:00:00.250Z"),
        json!("2026-03-01T12:00:00.250+02:00"),
        json!(1_772_359_200_250_u64),
    ] {
        let input = lenient(json!({"event": "stop", "timestamp": stamp}));
        assert_eq!(input.timestamp, expected);
        let again = input.to_payload(&HookContext::new("s"));
        assert_eq!(again["timestamp"], "2026-03-01T10:00:00.250Z");
    }
    for stamp in [json!("yesterday"), json!({}), json!(1e300), json!(u64::MAX)] {
        let input = lenient(json!({"event": "stop", "timestamp": stamp}));
        assert_eq!(input.field("timestamp"), Some(&stamp));
    }
}

#[test]
fn f08_c_missing_fields_are_listed() {
    for (payload, expected) in [
        (
            json!({}),
            "session_id, transcript_path, cwd, hook_event_name",
        ),
        (
            json!({"session_id": "s", "cwd": "/c", "hook_event_name": "PreToolUse"}),
            "transcript_path, tool_name, tool_input",
        ),
        (
            json!({"session_id": "s", "transcript_path": "/t", "cwd": "/c",
                   "hook_event_name": "PreToolUse", "tool_name": 5, "tool_input": null}),
            "tool_name, tool_input",
        ),
        (
            json!({"session_id": "s", "transcript_path": "/t", "cwd": "/c",
                   "hook_event_name": "PostToolUse"}),
            "tool_name",
        ),
        (
            json!({"session_id": "s", "transcript_path": "/t", "cwd": "/c",
                   "hook_event_name": "UserPromptSubmit"}),
            "prompt",
        ),
        (
            json!([1]),
            "session_id, transcript_path, cwd, hook_event_name",
        ),
    ] {
        let error = HookInput::from_payload(&payload).unwrap_err();
        assert_eq!(error.to_string(), format!("the payload lacks {expected}"));
        assert!(matches!(error, PayloadError::Missing { .. }));
        assert!(matches!(Error::from(error), Error::Payload(_)));
    }
}

#[test]
fn f08_c_the_lenient_way_takes_what_is_there() {
    let input = lenient(json!({"hook_event_name": "PreToolUse", "tool_name": 5, "session_id": 7}));
    assert_eq!(input.event_type(), HookEvent::PreToolUse);
    assert_eq!(input.tool_name(), Some(""));
    assert_eq!(input.field("tool_name"), Some(&json!(5)));
    assert_eq!(input.to_payload(&HookContext::new("s"))["tool_name"], 5);
    assert_eq!(input.to_payload(&HookContext::new("s"))["session_id"], 7);

    let blocks = json!([{"type": "text", "text": "hello"}]);
    let input = lenient(json!({"hook_event_name": "UserPromptSubmit", "prompt": blocks}));
    assert!(input.prompt().unwrap().contains("hello"));
    assert_eq!(input.to_payload(&HookContext::new("s"))["prompt"], blocks);

    assert_eq!(lenient(json!("text")).event_type(), HookEvent::Unknown);
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        ".{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((".{0,8}", inner), 0..4)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

fn any_payload() -> impl Strategy<Value = Value> {
    let key = prop_oneof![
        prop::sample::select(vec![
            "hook_event_name",
            "hookEventName",
            "event",
            "session_id",
            "sessionId",
            "tool_name",
            "toolName",
            "name",
            "tool_input",
            "input",
            "tool_response",
            "result",
            "prompt",
            "error",
            "success",
            "agent_id",
            "subagent_id",
            "agent_type",
            "subagent_type",
            "timestamp",
            "cwd",
        ])
        .prop_map(str::to_owned),
        ".{0,8}",
    ];
    let event = prop::sample::select(HookEvent::ALL).prop_map(|event| Value::from(event.name()));
    let fields = prop::collection::vec((key, prop_oneof![any_json(), event.clone()]), 0..12);
    (event, fields).prop_map(|(event, fields)| {
        let mut payload = serde_json::Map::new();
        payload.insert("hook_event_name".to_owned(), event);
        payload.extend(fields);
        Value::Object(payload)
    })
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
        let _ = parse_payload(&bytes);
    }

    #[test]
    fn any_json_is_taken_leniently(payload in any_json()) {
        let _ = HookInput::from_payload(&payload);
        HookInput::from_payload_lenient(&payload).to_payload(&HookContext::new("s"));
    }

    #[test]
    fn reading_again_what_was_written_changes_nothing(payload in any_payload()) {
        let ctx = HookContext::new("s");
        let once = HookInput::from_payload_lenient(&payload).to_payload(&ctx);
        let mut twice = HookInput::from_payload_lenient(&once).to_payload(&ctx);
        twice["timestamp"] = once["timestamp"].clone();
        prop_assert_eq!(once, twice);
    }
}
