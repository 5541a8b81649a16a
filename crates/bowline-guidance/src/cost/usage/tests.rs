use serde_json::{Value, json};

use super::claude_code::of_line;
use super::*;

/// What Claude Code wrote in three recorded sessions, one of them with a sub-agent.
const RECORDED: [&str; 4] = [
    include_str!("../../../tests/data/transcripts/02_bash_denied.jsonl"),
    include_str!("../../../tests/data/transcripts/03_write_edit_read.jsonl"),
    include_str!("../../../tests/data/transcripts/04_subagent.jsonl"),
    include_str!("../../../tests/data/transcripts/04_subagent-agent-a7b6dad79aa3b0284.jsonl"),
];

fn gathered<'a>(lines: impl IntoIterator<Item = &'a str>) -> Vec<Usage> {
    let mut gathered = Gathered::default();
    for usage in lines.into_iter().filter_map(|it| of_line(it.as_bytes())) {
        gathered.add(usage);
    }
    gathered.take()
}

fn sum<'a>(usage: impl IntoIterator<Item = &'a Usage>) -> (usize, Tokens) {
    let mut all = (0, Tokens::default());
    for one in usage {
        all.0 += 1;
        all.1 += one.tokens;
    }
    all
}

fn tokens(input: u64, output: u64) -> Tokens {
    Tokens {
        input,
        output,
        ..Tokens::default()
    }
}

/// The expected numbers were counted by hand, with jq: messages by id, and of each the usage of its last line.
#[test]
fn f28_b_recorded_transcripts_add_up_to_the_token() {
    let usage = gathered(RECORDED.iter().flat_map(|it| it.lines()));
    assert_eq!(sum(&usage), (10, tokens(1000, 200)));
    for (session, expected) in [
        ("245124a4-a117-43d5-9236-05b1c629dfd2", (2, tokens(200, 40))),
        ("0458ac7d-5eb5-4740-b89f-a9875e8143b7", (4, tokens(400, 80))),
        ("446523aa-4061-493a-bba0-40803a484e46", (4, tokens(400, 80))),
    ] {
        let of_session = usage.iter().filter(|it| it.session == session);
        assert_eq!(sum(of_session), expected, "{session}");
    }
    for (subagent, expected) in [
        (None, (8, tokens(800, 160))),
        (Some("general-purpose"), (2, tokens(200, 40))),
    ] {
        let of_agent = usage.iter().filter(|it| it.subagent.as_deref() == subagent);
        assert_eq!(sum(of_agent), expected, "{subagent:?}");
    }
    for (tool, expected) in [
        ("Bash", (2, tokens(200, 40))),
        ("Write", (1, tokens(100, 20))),
        ("Edit", (1, tokens(100, 20))),
        ("Read", (1, tokens(100, 20))),
        ("Agent", (1, tokens(100, 20))),
    ] {
        let of_tool = usage.iter().filter(|it| it.tools.contains(tool));
        assert_eq!(sum(of_tool), expected, "{tool}");
    }
    assert!(usage.iter().all(|it| it.model == "claude-opus-4-8"));
    assert!(usage.iter().all(|it| it.folder == "/home/user/project"));
}

#[test]
fn f28_b_a_message_counts_once_however_often_and_in_whatever_order_it_is_read() {
    let once = gathered(RECORDED.iter().flat_map(|it| it.lines()));
    let twice = gathered(RECORDED.iter().chain(&RECORDED).flat_map(|it| it.lines()));
    assert_eq!(once, twice);
    let backwards = RECORDED.iter().rev().flat_map(|it| it.lines().rev());
    assert_eq!(once, gathered(backwards));
}

fn line(change: impl FnOnce(&mut Value)) -> Value {
    let mut line = json!({
        "type": "assistant", "isSidechain": false, "sessionId": "s1", "cwd": "/p", "uuid": "u1", "timestamp": "2026-11-15T06:29:50.690Z",
        "message": {"id": "m1", "model": "claude-opus-4-8", "content": [{"type": "text", "text": "Hi."}],
            "usage": {"input_tokens": 3, "output_tokens": 1, "cache_creation_input_tokens": 500, "cache_read_input_tokens": 9000,
                "cache_creation": {"ephemeral_1h_input_tokens": 200, "ephemeral_5m_input_tokens": 300}}},
    });
    change(&mut line);
    line
}

fn read(line: &Value) -> Option<Usage> {
    of_line(line.to_string().as_bytes())
}

#[test]
fn the_most_complete_reading_of_a_message_counts() {
    let first = line(|_| {});
    let last = line(|it| {
        it["message"]["usage"]["output_tokens"] = json!(210);
        it["message"]["content"] =
            json!([{"type": "tool_use", "name": "Grep", "input": {"pattern": "\"usage\""}}]);
        it["timestamp"] = json!("2026-11-15T06:29:52Z");
    });
    let copied = line(|it| it["sessionId"] = json!("s2"));
    let texts = [first, last, copied].map(|it| it.to_string());
    let usage = gathered(texts.iter().map(String::as_str));
    let [usage] = usage.as_slice() else {
        panic!("{usage:?}");
    };
    assert_eq!((usage.session.as_str(), usage.tokens.output), ("s1", 210));
    assert_eq!(usage.at.to_rfc3339(), "2026-11-15T06:29:50.690+00:00");
    assert_eq!(usage.tools, BTreeSet::from(["Grep".to_owned()]));
    let tokens = usage.tokens;
    assert_eq!(
        (tokens.cache_write, tokens.cache_write_1h, tokens.cache_read),
        (500, 200, 9000)
    );
    assert_eq!((tokens.prompt(), tokens.total()), (9503, 9713));
}

#[test]
fn only_answers_of_models_are_counted() {
    type Change = fn(&mut Value);
    let rows: [(&str, Change, bool); 10] = [
        ("an answer", |_| {}, true),
        (
            "a text as its content",
            |it| it["message"]["content"] = json!("Hi."),
            true,
        ),
        (
            "no content",
            |it| it["message"]["content"] = Value::Null,
            true,
        ),
        (
            "no cache",
            |it| it["message"]["usage"] = json!({"input_tokens": 1}),
            true,
        ),
        ("no id", |it| it["message"]["id"] = Value::Null, true),
        (
            "an error",
            |it| it["isApiErrorMessage"] = json!(true),
            false,
        ),
        (
            "of the client",
            |it| it["message"]["model"] = json!("<synthetic>"),
            false,
        ),
        ("a prompt", |it| it["type"] = json!("user"), false),
        (
            "wrong types",
            |it| it["message"]["usage"]["input_tokens"] = json!("many"),
            false,
        ),
        ("no time", |it| it["timestamp"] = json!("yesterday"), false),
    ];
    for (row, change, expected) in rows {
        assert_eq!(read(&line(change)).is_some(), expected, "{row}");
    }
    for text in [
        "",
        "{",
        "\"usage\" \"assistant\"",
        "[]",
        "{\"usage\":\"assistant\"}",
    ] {
        assert_eq!(of_line(text.as_bytes()), None, "{text}");
    }
    // A result names what a sub-agent used. Its own transcript has that.
    let result = json!({"type": "user", "message": {"role": "user"}, "toolUseResult": {"role": "assistant", "usage": {"input_tokens": 5}}});
    assert_eq!(read(&result), None);
}

#[test]
fn whose_it_is_and_how_fast_it_was() {
    let side = |kind: Value| {
        let line = line(|it| {
            it["isSidechain"] = json!(true);
            it["agentId"] = json!("a7");
            it["attributionAgent"] = kind;
        });
        read(&line).unwrap().subagent
    };
    assert_eq!(side(json!("Explore")).as_deref(), Some("Explore"));
    assert_eq!(side(Value::Null).as_deref(), Some("a7"));
    let old = line(|it| it["isSidechain"] = json!(true));
    assert_eq!(read(&old).unwrap().subagent.as_deref(), Some("sub-agent"));
    let fast = line(|it| it["message"]["usage"]["speed"] = json!("fast"));
    assert_eq!(read(&fast).unwrap().model, "claude-opus-4-8-fast");
}

#[test]
fn parts_are_the_whole_together() {
    let whole = Tokens {
        input: 10,
        output: 2,
        cache_write: 7,
        cache_write_1h: 3,
        cache_read: 0,
    };
    for parts in 1..6 {
        let mut sum = Tokens::default();
        for number in 0..parts {
            sum += whole.part(number, parts);
        }
        assert_eq!(sum, whole, "{parts}");
    }
}

#[test]
fn bands_of_prompts() {
    for (prompt, expected) in [
        (0, Band::Short),
        (100_000, Band::Short),
        (100_001, Band::Middle),
        (200_000, Band::Middle),
        (200_001, Band::Long),
    ] {
        assert_eq!(Band::of(prompt), expected, "{prompt}");
    }
}

#[test]
fn no_message_uses_more_than_any_message_can() {
    let line = json!({
        "type": "assistant", "timestamp": "2026-11-15T06:29:50Z", "sessionId": "s", "uuid": "u",
        "message": {"id": "m", "model": "claude-opus-4-8", "usage": {
            "input_tokens": u64::MAX, "output_tokens": i64::MAX, "cache_read_input_tokens": 7
        }},
    });
    let found = of_line(line.to_string().as_bytes()).unwrap().tokens;
    let expected = Tokens {
        input: MAX_TOKENS,
        output: MAX_TOKENS,
        cache_read: 7,
        ..Tokens::default()
    };
    assert_eq!(found, expected);
}

#[test]
fn transcripts_of_other_agents_add_up_to_the_token() {
    // Each answered four times, with 100 tokens in and 20 out.
    for (name, recorded, session, model, tools) in [
        (
            "codex",
            include_str!("../../../tests/data/transcripts/codex.jsonl"),
            "01a1f026-b502-7b52-a24a-2e9e66aa8faf",
            "gpt-5.5",
            &[][..],
        ),
        (
            "copilot",
            include_str!("../../../tests/data/transcripts/copilot.jsonl"),
            "2480aad6-d39f-48d2-80f5-5ee8f005bba7",
            "fake-model",
            &[],
        ),
        (
            "gemini",
            include_str!("../../../tests/data/transcripts/gemini.jsonl"),
            "ca607d51-217c-4786-9275-59490b8e9628",
            "gemini-2.5-flash",
            &["read_file", "replace", "write_file"],
        ),
        (
            "qwen",
            include_str!("../../../tests/data/transcripts/qwen.jsonl"),
            "5c3ee460-af08-4ee5-bedb-e0cbeccfc980",
            "fake-model",
            &["edit", "read_file", "write_file"],
        ),
    ] {
        let (mut reader, mut gathered) = (TranscriptReader::default(), Gathered::default());
        for line in recorded.lines() {
            if let Some(usage) = reader.line(line.as_bytes()) {
                gathered.add(usage);
            }
        }
        let usage = gathered.take();
        assert_eq!(sum(&usage), (4, tokens(400, 80)), "{name}");
        let called: BTreeSet<&str> = usage
            .iter()
            .flat_map(|it| &it.tools)
            .map(String::as_str)
            .collect();
        assert!(called.iter().eq(tools.iter()), "{name}: {called:?}");
        for one in &usage {
            assert_eq!(
                (one.session.as_str(), one.model.as_str()),
                (session, model),
                "{name}"
            );
        }
    }
}

#[test]
fn what_came_from_a_cache_is_not_counted_twice_and_no_line_panics() {
    let mut reader = TranscriptReader::default();
    let line = json!({"timestamp": "2026-11-18T19:33:51.135Z", "type": "token_usage_record", "payload": {"response_id": "r", "usage":
        {"input_tokens": 100, "cached_input_tokens": 70, "cache_write_input_tokens": 10, "output_tokens": 5}}});
    let usage = reader.line(line.to_string().as_bytes()).unwrap();
    let counted = Tokens {
        input: 20,
        output: 5,
        cache_write: 10,
        cache_write_1h: 0,
        cache_read: 70,
    };
    assert_eq!(usage.tokens, counted);
    for line in [
        "{\"token_usage_record\"",
        "\"session.usage_record\"",
        "[\"usageMetadata\"]",
        "{\"tokens\":{}}",
        "{\"projectHash\":1,\"sessionId\":[]}",
        "{\"usageMetadata\":{\"promptTokenCount\":-1}}",
    ] {
        assert_eq!(reader.line(line.as_bytes()), None, "{line}");
    }
}
