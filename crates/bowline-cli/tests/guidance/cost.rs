//! What agents cost, from their transcripts to what people read.

use std::fs;
use std::path::Path;

use bowline_testkit::{Ran, Sandbox, client, until, until_some};
use serde_json::{Value, json};

use super::reporter::{Reporter, WAYS, project};

/// Recorded transcripts. Those of Claude Code begin with a number: three sessions, one of them with a sub-agent. Of each other agent there
/// is one session, in a file of its name.
const RECORDED: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../bowline-guidance/tests/data/transcripts"
);

/// A home in which Claude Code left these transcripts.
fn with_transcripts() -> Sandbox {
    let sandbox = Sandbox::new();
    let folder = Path::new("home/.claude/projects/-home-user-project");
    for entry in fs::read_dir(RECORDED).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if name.starts_with(|first: char| first.is_ascii_digit()) {
            sandbox.write(folder.join(name), fs::read(&path).unwrap());
        }
    }
    sandbox
}

fn lines(sandbox: &Sandbox, by: &str) -> Vec<(String, u64, u64, u64)> {
    let report = sandbox.json(&["cost", "--by", by]);
    let lines = report["lines"].as_array().unwrap();
    let number = |line: &Value, key: &str| line[key].as_u64().unwrap();
    let mut rows: Vec<_> = lines
        .iter()
        .map(|it| {
            let key = it["key"].as_str().unwrap().to_owned();
            let (input, output) = (number(it, "input_tokens"), number(it, "output_tokens"));
            (key, number(it, "messages"), input, output)
        })
        .collect();
    rows.sort();
    rows
}

/// The table was counted by hand, with jq: messages by their ids, and of each the usage of its last line.
#[test]
fn f28_b_recorded_transcripts_cost_what_was_counted_by_hand() {
    let sandbox = with_transcripts();
    let row = |key: &str, messages, input, output| (key.to_owned(), messages, input, output);
    for (by, expected) in [
        ("day", vec![row("2026-11-15", 10, 1000, 200)]),
        ("model", vec![row("claude-opus-4-8", 10, 1000, 200)]),
        (
            "session",
            vec![
                row("0458ac7d-5eb5-4740-b89f-a9875e8143b7", 4, 400, 80),
                row("245124a4-a117-43d5-9236-05b1c629dfd2", 2, 200, 40),
                row("446523aa-4061-493a-bba0-40803a484e46", 4, 400, 80),
            ],
        ),
        ("effort", vec![row("", 10, 1000, 200)]),
        (
            "tool",
            vec![
                row("", 4, 400, 80),
                row("Agent", 1, 100, 20),
                row("Bash", 2, 200, 40),
                row("Edit", 1, 100, 20),
                row("Read", 1, 100, 20),
                row("Write", 1, 100, 20),
            ],
        ),
        (
            "agent",
            vec![row("", 8, 800, 160), row("general-purpose", 2, 200, 40)],
        ),
        ("project", vec![row("/home/user/project", 10, 1000, 200)]),
    ] {
        assert_eq!(lines(&sandbox, by), expected, "{by}");
    }
    // 1000 × $5 and 200 × $25 for a million.
    let total = &sandbox.json(&["cost"])["total"];
    assert_eq!(
        (&total["messages"], &total["cost_usd"]),
        (&json!(10), &json!(0.01))
    );
    let again = sandbox.json(&["cost", "scan"]);
    assert_eq!(
        (&again["files"], &again["read_bytes"]),
        (&json!(4), &json!(0))
    );
    let table = sandbox.run(&["cost", "--by", "model"]);
    table.expect(0, &["claude-opus-4-8", "$0.01", "████", "1.0k"]);
    let csv = sandbox.run(&["cost", "--by", "agent", "--csv"]);
    csv.expect(
        0,
        &[
            "agent,messages,input_tokens",
            "general-purpose,2,200,40,0,0,0,0.002000",
        ],
    );
    let elsewhere = sandbox.run(&["cost", "--project"]);
    elsewhere.expect(0, &["Nothing was used"]);
}

#[test]
fn only_what_is_new_is_read_and_a_price_that_is_not_known_is_said() {
    let sandbox = with_transcripts();
    sandbox.json(&["cost"]);
    let line = json!({
        "type": "assistant", "sessionId": "s9", "cwd": "/q", "timestamp": "2026-11-16T10:00:00Z", "uuid": "u",
        "message": {"id": "new", "model": "local-model", "content": [], "usage": {"input_tokens": 5, "output_tokens": 6}},
    });
    let text = format!("{line}\n");
    sandbox.write("home/.claude/projects/q/s9.jsonl", &text);
    let scanned = sandbox.json(&["cost", "scan"]);
    assert_eq!(
        (&scanned["read_files"], &scanned["read_bytes"]),
        (&json!(1), &json!(text.len()))
    );
    let report = sandbox.json(&["cost", "--by", "model"]);
    assert_eq!(report["unpriced_models"], json!(["local-model"]));
    assert_eq!(report["total"]["unpriced_tokens"], 11);
    sandbox
        .run(&["cost"])
        .expect(0, &["local-model is not known", "[cost.prices]"]);
    sandbox.write(
        "home/.config/bowline/config.toml",
        "[cost.prices.local-model]\ninput = 100\noutput = 0\n",
    );
    let report = sandbox.json(&["cost", "--by", "model", "--since", "2026-11-16"]);
    assert_eq!(report["total"]["cost_usd"], 0.0005);
    sandbox
        .run(&["cost", "prices"])
        .expect(0, &["local-model", "own", "built-in", "claude-opus-4-8"]);
}

/// What other agents left is found where each keeps it, or where its variable says.
#[test]
fn transcripts_of_all_agents_are_found_in_their_own_folders() {
    let recorded = |agent: &str| fs::read(format!("{RECORDED}/{agent}.jsonl")).unwrap();
    let mut sandbox = Sandbox::new();
    let mut messages = 0;
    for (agent, file, model) in [
        ("codex", "sessions/2026/11/18/rollout-1.jsonl", "gpt-5.5"),
        ("copilot", "session-state/s1/events.jsonl", "fake-model"),
        (
            "gemini",
            "tmp/project/chats/session-1.jsonl",
            "gemini-2.5-flash",
        ),
        (
            "qwen",
            "projects/-home-user-project/chats/s1.jsonl",
            "fake-model",
        ),
    ] {
        sandbox.write(format!("home/.{agent}/{file}"), recorded(agent));
        let models = lines(&sandbox, "model");
        let now = models.iter().map(|it| it.1).sum();
        assert!(now > messages, "{agent}: {models:?}");
        assert!(models.iter().any(|it| it.0 == model), "{agent}: {models:?}");
        messages = now;
    }
    let scanned = sandbox.json(&["cost", "scan"]);
    assert_eq!(
        (&scanned["files"], &scanned["read_files"]),
        (&json!(4), &json!(0))
    );

    for (variable, agent, file) in [
        ("CODEX_HOME", "codex", "archived_sessions/rollout-2.jsonl"),
        ("COPILOT_HOME", "copilot", "session-state/s2/events.jsonl"),
        ("QWEN_HOME", "qwen", "projects/p/chats/s2.jsonl"),
    ] {
        sandbox.write(format!("elsewhere/{agent}/{file}"), recorded(agent));
        let folder = sandbox.path(format!("elsewhere/{agent}"));
        sandbox.set(variable, &folder);
        let scanned = sandbox.json(&["cost", "scan"]);
        let folders = scanned["folders"].as_array().unwrap();
        let own = folders
            .iter()
            .filter(|it| it.as_str().unwrap().contains(agent));
        let own: Vec<_> = own
            .map(|it| Path::new(it.as_str().unwrap()).to_owned())
            .collect();
        assert_eq!(
            own,
            [folder.join(Path::new(file).iter().next().unwrap())],
            "{variable}"
        );
        assert_eq!(scanned["read_files"], 1, "{variable}: {scanned}");
    }
}

fn hook(sandbox: &Sandbox, event: &str, transcript: &Path) -> Value {
    let payload = json!({
        "session_id": "s1", "transcript_path": transcript, "cwd": sandbox.project(), "hook_event_name": event,
        "tool_name": "Bash", "tool_use_id": "t1", "tool_input": {"command": "ls"}, "tool_response": {"stdout": ""},
    });
    let mut command = sandbox.hook_command(&["claude-code", event]);
    let ran = Ran::with_stdin(&mut command, payload.to_string().as_bytes());
    serde_json::from_str(&ran.stdout).unwrap_or_default()
}

#[test]
fn an_agent_without_budget_is_stopped_until_a_person_adds_to_it() {
    client();
    let sandbox = Sandbox::new();
    sandbox.write(
        "home/.config/bowline/config.toml",
        "[cost]\nmax_usd_session = 0.5\n",
    );
    let line = json!({
        "type": "assistant", "sessionId": "s1", "cwd": sandbox.project(), "timestamp": chrono::Utc::now().to_rfc3339(),
        "message": {"id": "m1", "model": "claude-opus-4-8", "usage": {"input_tokens": 200_000, "output_tokens": 0}},
    });
    let transcript = sandbox.write("home/.claude/projects/p/s1.jsonl", format!("{line}\n"));
    sandbox.run(&["daemon", "start"]).expect(0, &[]);
    let answer = hook(&sandbox, "PreToolUse", &transcript);
    let said = &answer["hookSpecificOutput"];
    assert_eq!(said["permissionDecision"], "deny", "{answer}");
    let reason = said["permissionDecisionReason"].as_str().unwrap();
    assert!(reason.contains("$1.00 of $0.50"), "{reason}");
    assert!(reason.contains("bowline cost allow session"), "{reason}");
    let summary = sandbox.json(&["cost", "summary", "s1"]);
    assert_eq!(summary["cost_usd"], 1.0);
    until("the session is known", || {
        let listed = sandbox.json(&["session", "list"]);
        !listed["sessions"].as_array().is_none_or(Vec::is_empty)
    });
    sandbox
        .run(&["cost", "allow", "session", "--usd", "2"])
        .expect(
            0,
            &["Added $2.00 to the budget of session s1; it is $2.50 now"],
        );
    let answer = hook(&sandbox, "PreToolUse", &transcript);
    assert_eq!(
        answer["hookSpecificOutput"]["permissionDecision"],
        Value::Null
    );
    // An agent cannot do that itself.
    let mut command = sandbox.command(&["cost", "allow", "session"]);
    Ran::of(command.env("CLAUDECODE", "1")).expect_stderr(2, &["an agent must not run this"]);
}

/// A message that cost so many cents, as a transcript has it.
fn message(sandbox: &Sandbox, session: &str, id: &str, cents: u64) -> String {
    let line = json!({
        "type": "assistant", "sessionId": session, "cwd": sandbox.project(), "timestamp": chrono::Utc::now().to_rfc3339(),
        "message": {"id": id, "model": "claude-opus-4-8", "usage": {"input_tokens": cents * 2_000, "output_tokens": 0}},
    });
    format!("{line}\n")
}

#[test]
fn the_budget_of_an_effort_is_for_all_its_sessions() {
    for way in WAYS {
        let sandbox = project(way, "[cost]\nmax_usd_effort = 1\n");
        let spends = |session: &str, messages: &[(&str, u64)]| {
            let text: String = messages
                .iter()
                .map(|(id, cents)| message(&sandbox, session, id, *cents))
                .collect();
            let file = format!("home/.claude/projects/p/{session}.jsonl");
            json!({
                "tool_name": "Bash", "tool_use_id": "t", "tool_input": {"command": "ls"},
                "tool_response": {"stdout": ""}, "transcript_path": sandbox.write(file, text),
            })
        };
        let mut first = Reporter::new(way, &sandbox, "s1");
        first.report("SessionStart", &json!({"source": "startup"}));
        let mut start = sandbox.command(&["effort", "start", "login", "implement"]);
        Ran::of(start.env("BOWLINE_SESSION", "s1")).expect(0, &[]);
        let call = spends("s1", &[("m1", 50)]);
        let said = first.report("PreToolUse", &call);
        assert_eq!((said.denial(), said.context()), (None, ""), "{way:?}");
        first.report("PostToolUse", &call);
        first.report("SessionEnd", &json!({"reason": "clear"}));

        // Neither session has used up the budget alone.
        let mut second = Reporter::new(way, &sandbox, "s2");
        second.report("SessionStart", &json!({"source": "clear"}));
        let call = spends("s2", &[("m2", 35)]);
        let said = second.report("PreToolUse", &call);
        let warning = "80 % of the budget for this effort ($1.00) is used.";
        assert!(said.context().contains(warning), "{way:?}: {said:?}");
        assert_eq!(said.denial(), None, "{way:?}");
        let said = second.report("PreToolUse", &call);
        assert!(!said.context().contains(warning), "{way:?}: {said:?}");

        let call = spends("s2", &[("m2", 35), ("m3", 20)]);
        second.report("PostToolUse", &call);
        let reason = until_some("the effort is stopped", || {
            let said = second.report("PreToolUse", &call);
            said.denial().map(str::to_owned)
        });
        for part in [
            "The budget for this effort is used up: $1.05 of $1.00.",
            "`bowline cost allow effort`",
            "`max_usd_effort`",
            "`bowline effort finish`",
        ] {
            assert!(reason.contains(part), "{way:?}: {reason}");
        }
        let denied = sandbox.json(&["denied"]);
        assert!(denied.to_string().contains("cost.effort"), "{denied}");
        let report = sandbox.json(&["cost", "--by", "effort"]);
        assert_eq!(report["lines"][0]["cost_usd"], 1.05, "{way:?}: {report}");

        let allow = sandbox.run(&["cost", "allow", "effort", "--usd", "2"]);
        allow.expect(
            0,
            &["Added $2.00 to the budget of effort", "it is $3.00 now"],
        );
        assert_eq!(second.report("PreToolUse", &call).denial(), None, "{way:?}");
        sandbox.run(&["effort", "finish"]).expect(0, &[]);
    }
}
