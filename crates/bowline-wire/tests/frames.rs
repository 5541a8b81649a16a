//! What is written is what is read, and nothing that arrives can do harm.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};

use bowline_wire::{
    Acknowledgement, Answer, Call, CallId, Environment, FailMode, Heard, Lines, MAX_HEADER,
    MAX_PAYLOAD, Opening, Refusal, Reply, Request, RequestError, Response, Signs, WireError,
};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use serde_json::{Value, json};

fn call() -> Call {
    Call {
        id: CallId::from_parts(1, 2),
        agent: "claude-code".to_owned(),
        event: Some("PreToolUse".to_owned()),
        on_failure: FailMode::Closed,
        payload_bytes: 3,
        ..Call::new(
            "/home/ann".into(),
            [("HOME", "/home/ann")].into_iter().collect(),
        )
    }
}

/// The first line of a call, and what follows it.
fn head_and_body(sent: &[u8]) -> (&[u8], &[u8]) {
    let end = sent.iter().position(|byte| *byte == b'\n').unwrap() + 1;
    sent.split_at(end)
}

/// A call from the bytes that were sent, whose payload is what is left.
fn received(sent: &[u8]) -> (Call, Vec<u8>) {
    let (head, body) = head_and_body(sent);
    let frame = Call::decode(head).unwrap();
    frame.with_body(body.to_vec()).into_parts()
}

fn changed(sent: &[u8], change: impl FnOnce(&mut Value)) -> Vec<u8> {
    let mut value = serde_json::from_slice(head_and_body(sent).0).unwrap();
    change(&mut value);
    value.to_string().into_bytes()
}

#[test]
fn a_call_is_one_readable_line_and_the_environment() {
    let line = String::from_utf8(call().encode()).unwrap();
    let client = env!("CARGO_PKG_VERSION");
    assert_eq!(
        line,
        format!(
            r#"{{"bowline":1,"client":"{client}","call":"000000000001-0000000000000002","on_failure":"closed","env":15,"payload":3,"agent":"claude-code","event":"PreToolUse","signs":true,"cwd":"/home/ann"}}"#
        ) + "\nHOME=/home/ann\0"
    );
}

#[test]
fn texts_that_are_not_utf8_arrive_unchanged() {
    let odd = |bytes: &[u8]| OsStr::from_bytes(bytes).to_owned();
    let sent = Call {
        cwd: odd(b"/tmp/\xff").into(),
        env: [
            (odd(b"NAME\xfe"), odd(b"\x80=")),
            (odd(b"LINES"), odd("a\nb\"\\\u{1f}é".as_bytes())),
        ]
        .into_iter()
        .collect(),
        ..call()
    };
    let frame = [sent.encode(), b"pay".to_vec()].concat();
    assert_eq!(received(&frame), (sent, b"pay".to_vec()));
}

#[test]
fn no_log_shows_an_environment() {
    let env: Environment = [("API_KEY", "hunter2")].into_iter().collect();
    let call = Call::new("/".into(), env.clone());
    let request = Request {
        env,
        ..Request::default()
    };
    for shown in [
        format!("{call:?} {request:#?}"),
        format!("{:?} {:?}", call, Opening::Request(request)),
    ] {
        assert!(shown.contains("[1 variables]"), "{shown}");
        assert!(
            !shown.contains("API_KEY") && !shown.contains("hunter2"),
            "{shown}"
        );
    }
}

#[test]
fn only_those_who_know_signs_of_life_get_them_and_rely_on_them() {
    let old_call = changed(&call().encode(), |it| {
        it.as_object_mut().unwrap().remove("signs");
    });
    let frame = Call::decode(&old_call).unwrap();
    let frame = frame.with_body(b"HOME=/home/ann\0pay".to_vec());
    let (old, _) = frame.into_parts();
    assert_eq!(old.signs, Signs::Unknown);
    assert_eq!(received(&old.encode()).0, old, "and so it is handed on");
    assert_eq!(received(&call().encode()).0.signs, Signs::Known);

    for (line, signs) in [
        (
            "{\"bowline\":1,\"daemon\":\"0\",\"pid\":1}\n",
            Signs::Unknown,
        ),
        (
            "{\"signs\":true,\"pid\":1,\"daemon\":\"0\",\"bowline\":1}",
            Signs::Known,
        ),
    ] {
        let checked = Acknowledgement::check(line.as_bytes());
        assert_eq!(checked, Ok(signs), "{line}");
    }
}

#[test]
fn a_sign_of_life_is_no_answer_and_counts_for_its_call_alone() {
    let (one, other) = (CallId::from_parts(1, 2), CallId::from_parts(1, 3));
    let sign = Heard::sign_for(&one);
    assert!(sign.ends_with(b"}\n"));
    assert_eq!(Heard::decode_for(&sign, &one), Ok(Heard::Sign));
    assert!(Heard::decode_for(&sign, &other).is_err());
    assert!(Reply::decode(&sign).is_err(), "no older client gets one");
    let answer = Answer {
        exit: 2,
        ..Answer::default()
    };
    let reply = Reply {
        call: one.clone(),
        answer: answer.clone(),
    };
    let heard = Heard::decode_for(&reply.encode(), &one);
    assert_eq!(heard, Ok(Heard::Answer(answer)));
    for nonsense in ["{\"exit\":", "{}", "[]", "", "{\"sign\":1}"] {
        assert!(Heard::decode_for(nonsense.as_bytes(), &one).is_err());
    }
}

#[test]
fn unknown_fields_are_ignored() {
    let add = |value: &mut Value| value["new"] = json!({"deep": [1]});
    assert_eq!(
        Call::decode(&changed(&call().encode(), add)),
        Call::decode(head_and_body(&call().encode()).0)
    );
    let acknowledged = Acknowledgement {
        daemon: "9.9.9".to_owned(),
        pid: 7,
    };
    assert_eq!(
        Acknowledgement::decode(&changed(&acknowledged.encode(), add)).unwrap(),
        acknowledged
    );
    let reply = Reply {
        call: CallId::generate(),
        answer: Answer::default(),
    };
    assert_eq!(
        Reply::decode(&changed(&reply.encode(), add)).unwrap(),
        reply
    );
    let request = Request {
        command: "status".to_owned(),
        ..Request::default()
    };
    assert_eq!(
        Request::decode(&changed(&request.encode(), add)).unwrap(),
        request
    );
}

#[test]
fn another_version_is_told_apart_from_a_mistake() {
    let newer = |value: &mut Value| {
        value["bowline"] = json!(2);
        // Whatever else a newer version may say.
        value["env"] = json!("elsewhere");
        value["pid"] = json!("none");
    };
    let version = WireError::Version { found: 2 };
    let line = changed(&call().encode(), newer);
    assert_eq!(Call::decode(&line), Err(version.clone()));
    assert_eq!(Opening::decode(&line), Err(Refusal::Call(version.clone())));
    let acknowledged = Acknowledgement {
        daemon: "9.9.9".to_owned(),
        pid: 7,
    };
    let newer = changed(&acknowledged.encode(), newer);
    assert_eq!(Acknowledgement::decode(&newer), Err(version.clone()));
    assert_eq!(Acknowledgement::check(&newer), Err(version));
    assert_eq!(
        Acknowledgement::check(&acknowledged.encode()),
        Ok(Signs::Known)
    );
    assert!(Acknowledgement::check(b"{\"bowline\":1,\"daemon\":\n").is_err());
    for none in [json!(null), json!("1"), json!(-1), json!(1.5)] {
        let line = changed(&call().encode(), |value| value["bowline"] = none);
        assert!(matches!(Call::decode(&line), Err(WireError::Malformed(_))));
    }
}

#[test]
fn wrong_calls_are_refused() {
    let cases: [(&str, Value); 14] = [
        ("payload", json!(MAX_PAYLOAD + 1)),
        ("payload", json!(u64::MAX)),
        ("payload", json!(-1)),
        ("payload", json!("3")),
        ("call", json!("")),
        ("call", json!("../../etc")),
        ("call", json!("x".repeat(65))),
        ("agent", json!(null)),
        ("event", json!(4)),
        ("on_failure", json!("maybe")),
        ("cwd", json!([256])),
        ("env", json!(MAX_HEADER + 1)),
        ("env", json!("A=b")),
        ("env", json!(-1)),
    ];
    for (field, value) in cases {
        let line = changed(&call().encode(), |call| call[field] = value.clone());
        assert!(Call::decode(&line).is_err(), "{field}: {value}");
        assert!(
            matches!(Opening::decode(&line), Err(Refusal::Call(_))),
            "{field}: {value}"
        );
    }
    let just_fits = changed(&call().encode(), |call| {
        call["payload"] = json!(MAX_PAYLOAD);
    });
    let frame = Call::decode(&just_fits).unwrap();
    assert_eq!(frame.body_bytes(), 15 + MAX_PAYLOAD);
}

#[test]
fn exit_codes_are_bytes() {
    let reply = Reply {
        call: CallId::generate(),
        answer: Answer {
            exit: 255,
            ..Answer::default()
        },
    };
    assert_eq!(Reply::decode(&reply.encode()).unwrap(), reply);
    for exit in [json!(256), json!(-1), json!(null), json!("0")] {
        let line = changed(&reply.encode(), |reply| reply["exit"] = exit);
        assert!(Reply::decode(&line).is_err());
    }
}

#[test]
fn call_ids_are_unique_and_sorted_by_time() {
    let mut ids: Vec<CallId> = (0..10_000).map(|_| CallId::generate()).collect();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), 10_000);
    assert!(CallId::from_parts(9, u64::MAX) < CallId::from_parts(16, 0));
    assert!(CallId::from_parts(u64::MAX - 1, 5) < CallId::from_parts(u64::MAX, 0));
    for id in ids.iter().take(10) {
        assert_eq!(id.to_string().parse::<CallId>().unwrap(), *id);
    }
}

#[test]
fn f30_b_c_requests_and_the_four_error_forms() {
    let good = br#"{"id":"a","cmd":"traces.list","args":{"limit":5},"env":{"AGENT_ID":"x"}}"#;
    let Ok(Opening::Request(request)) = Opening::decode(good) else {
        panic!("not a request");
    };
    assert_eq!(request.id, Some(json!("a")));
    assert_eq!(request.command, "traces.list");
    assert_eq!(request.args["limit"], 5);
    assert_eq!(request.env.get("AGENT_ID"), Some(OsStr::new("x")));

    // Lines that are no request are answered, with the id if there is one.
    for (line, id, code) in [
        ("{", None, "INVALID_JSON"),
        ("", None, "INVALID_JSON"),
        ("[]", None, "INVALID_JSON"),
        ("{\"id\":3}", Some(json!(3)), "VALIDATION_ERROR"),
        ("{\"id\":3,\"cmd\":4}", Some(json!(3)), "VALIDATION_ERROR"),
        (
            "{\"id\":null,\"cmd\":\"a\",\"args\":[]}",
            Some(json!(null)),
            "VALIDATION_ERROR",
        ),
        ("{\"cmd\":\"a\",\"env\":4}", None, "VALIDATION_ERROR"),
    ] {
        let Err(Refusal::Request(response)) = Opening::decode(line.as_bytes()) else {
            panic!("accepted {line}");
        };
        assert_eq!(response.id, id, "{line}");
        assert_eq!(response.result.as_ref().unwrap_err().code(), code, "{line}");
    }

    let handler = RequestError::Handler {
        code: "NOT_FOUND".to_owned(),
        message: "no such trace".to_owned(),
        details: json!({"trace": 4}),
    };
    for (error, code) in [
        (RequestError::BadJson("not JSON".to_owned()), "INVALID_JSON"),
        (
            RequestError::UnknownCommand {
                command: "frobnicate".to_owned(),
                nearest: None,
            },
            "UNKNOWN_COMMAND",
        ),
        (
            RequestError::InvalidArguments(vec!["`limit` is 0".to_owned()]),
            "VALIDATION_ERROR",
        ),
        (RequestError::handler("it broke"), "HANDLER_ERROR"),
        (handler, "NOT_FOUND"),
    ] {
        let sent = Response {
            id: Some(json!(1)),
            result: Err(error),
        };
        let value: Value = serde_json::from_slice(&sent.encode()).unwrap();
        assert_eq!(value["ok"], false);
        assert_eq!(value["error"], code);
        assert!(
            value["message"]
                .as_str()
                .is_some_and(|message| !message.is_empty())
        );
        assert_eq!(Response::decode(&sent.encode()).unwrap(), sent);
    }
    let fine = Response {
        id: None,
        result: Ok(json!([1, 2])),
    };
    assert_eq!(fine.encode(), b"{\"ok\":true,\"data\":[1,2]}\n");
    assert_eq!(Response::decode(&fine.encode()).unwrap(), fine);
}

#[test]
fn lines_are_cut_wherever_the_pieces_end() {
    let sent = b"one\n\ntwo\nrest";
    for size in 1..=sent.len() {
        let mut lines = Lines::new(5);
        let mut found = Vec::new();
        for piece in sent.chunks(size) {
            lines.push(piece);
            while let Some(line) = lines.next_line().unwrap() {
                found.push(line);
            }
        }
        assert_eq!(found, [&b"one\n"[..], b"\n", b"two\n"], "pieces of {size}");
        assert_eq!(lines.into_rest(), b"rest");
    }
    for (pieces, fine) in [
        (vec!["1234\n"], true),
        (vec!["12345\n"], false),
        (vec!["123", "456"], false),
    ] {
        let mut lines = Lines::new(5);
        for piece in &pieces {
            lines.push(piece.as_bytes());
        }
        assert_eq!(lines.next_line().is_ok(), fine, "{pieces:?}");
    }
}

fn os_text() -> impl Strategy<Value = OsString> {
    prop_oneof![
        any::<String>().prop_map(OsString::from),
        vec(any::<u8>(), 0..20).prop_map(OsString::from_vec),
    ]
}

fn json_value() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ]
}

/// Bytes, and JSON that is nearly right.
fn anything() -> impl Strategy<Value = Vec<u8>> {
    let key = prop_oneof![
        Just("bowline"),
        Just("call"),
        Just("agent"),
        Just("event"),
        Just("on_failure"),
        Just("cwd"),
        Just("payload"),
        Just("env"),
        Just("exit"),
        Just("stdout"),
        Just("cmd"),
        Just("args"),
        Just("id"),
        Just("ok"),
        Just("details"),
    ];
    let object = vec((key, json_value()), 0..12).prop_map(|fields| {
        let object: serde_json::Map<String, Value> = fields
            .into_iter()
            .map(|(key, value)| (key.to_owned(), value))
            .collect();
        Value::Object(object).to_string().into_bytes()
    });
    prop_oneof![vec(any::<u8>(), 0..200), object]
}

proptest! {
    #[test]
    fn nothing_that_arrives_panics(line in anything()) {
        let _ = Call::decode(&line);
        let _ = Acknowledgement::decode(&line);
        let _ = Reply::decode(&line);
        let _ = Request::decode(&line);
        let _ = Response::decode(&line);
        let _ = Opening::decode(&line);
    }

    #[test]
    fn a_damaged_call_does_not_panic(at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let mut line = call().encode();
        let at = at.index(line.len());
        line[at] = byte;
        let _ = Opening::decode(&line);
        let _ = Opening::decode(&line[..at]);
    }

    #[test]
    fn calls_round_trip(
        agent in any::<String>(),
        event in option::of(any::<String>()),
        cwd in os_text(),
        env in vec((os_text(), os_text()), 0..8),
        payload_bytes in 0..=MAX_PAYLOAD,
        waits_secs in any::<u32>(),
    ) {
        let sent = Call { agent, event, cwd: cwd.into(), env: env.into_iter().collect(), payload_bytes, waits_secs, ..call() };
        let frame = sent.encode();
        let (head, body) = head_and_body(&frame);
        prop_assert_eq!(Opening::decode(head), Ok(Opening::Call(Call::decode(head).unwrap())));
        prop_assert_eq!(body, sent.env.as_block());
        prop_assert_eq!(received(&frame), (sent, Vec::new()));
    }

    #[test]
    fn replies_round_trip(exit in any::<u8>(), stdout in any::<String>(), stderr in any::<String>()) {
        let sent = Reply { call: CallId::generate(), answer: Answer { exit, stdout, stderr } };
        let line = sent.encode();
        prop_assert_eq!(line.iter().position(|byte| *byte == b'\n'), Some(line.len() - 1));
        prop_assert_eq!(Reply::decode(&line).unwrap(), sent);
    }

    #[test]
    fn requests_and_responses_round_trip(
        id in option::of(json_value()),
        command in any::<String>(),
        args in vec((any::<String>(), json_value()), 0..5),
        env in vec((os_text(), os_text()), 0..5),
        data in json_value(),
    ) {
        let args = args.into_iter().collect();
        let sent = Request { id: id.clone(), command, args, env: env.into_iter().collect() };
        prop_assert_eq!(Opening::decode(&sent.encode()), Ok(Opening::Request(sent)));
        let sent = Response { id, result: Ok(data) };
        prop_assert_eq!(Response::decode(&sent.encode()).unwrap(), sent);
    }
}
