//! Hooks of type `mcp_tool`: a server is found, started, asked once and ended.

use std::fs;
use std::time::Duration;

use bowline::hooks::{Decision, HookInput, TriggerResult};
use bowline::settings::TrustStore;
use serde_json::json;

use super::place::{Place, USER_FILE, fire};

const STUB: &str = include_str!("mcp_stub.sh");

/// A user whose server is the stub, with one hook on `PreToolUse`.
fn place(hook: &str) -> Place {
    let place = Place::new();
    place.write("stub.sh", STUB);
    place.write("home/.claude.json", servers(&place));
    place.write(
        USER_FILE,
        format!("[[hooks.PreToolUse]]\ntype = 'mcp_tool'\n{hook}\n"),
    );
    place
}

fn servers(place: &Place) -> String {
    json!({ "mcpServers": { "stub": {
        "command": "/bin/sh",
        "args": [place.path("stub.sh")],
        "env": { "SEEN": place.path("seen"), "PID": place.path("pid") },
    }}})
    .to_string()
}

async fn push(place: &Place) -> TriggerResult {
    let input = HookInput::pre_tool_use("s", "Bash", json!({ "command": "git push" }));
    fire(place, &place.manager(), input).await
}

fn said(result: &TriggerResult) -> String {
    format!("{result:?}")
}

/// Waits until the server that wrote its id is gone.
async fn ended(place: &Place) {
    let pid = fs::read_to_string(place.path("pid")).unwrap();
    let process = format!("/proc/{}", pid.trim());
    if !std::path::Path::new("/proc/self").exists() {
        return;
    }
    let gone = async {
        while fs::metadata(&process).is_ok() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), gone)
        .await
        .expect("the server ends with the hook");
}

#[tokio::test]
async fn the_text_of_the_tool_decides_and_the_server_ends() {
    let place = place(
        "server = 'stub'\ntool = 'judge'\ninput = { line = '$ ${tool_input.command}', deep = [{ tool = '${tool_name}', none = '${nothing.here}' }], n = 5 }",
    );
    let result = push(&place).await;
    assert_eq!(
        result.output.decision(),
        Decision::Deny,
        "{}",
        said(&result)
    );
    assert_eq!(
        result.output.stop_reason.as_deref(),
        Some("the server says no")
    );
    let seen = fs::read_to_string(place.path("seen")).unwrap();
    let call: serde_json::Value = seen
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap())
        .find(|message| message["method"] == "tools/call")
        .unwrap();
    assert_eq!(
        call["params"]["arguments"],
        json!({ "line": "$ git push", "deep": [{ "tool": "Bash", "none": "" }], "n": 5 })
    );
    ended(&place).await;
}

#[tokio::test]
async fn what_goes_wrong_is_a_failure_that_says_what() {
    for (hook, parts) in [
        (
            "server = 'ghost'\ntool = 'judge'",
            &["`ghost`", "project/.mcp.json", "home/.claude.json"][..],
        ),
        (
            "server = 'stub'\ntool = 'ghost'",
            &["no tool called `ghost`", "judge, fails"],
        ),
        ("server = 'stub'\ntool = 'fails'", &["out of paper"]),
        (
            "server = 'stub'\ntool = 'dies'",
            &["`stub` does not answer", "no licence"],
        ),
    ] {
        for (policy, expected) in [("block", Decision::Deny), ("allow", Decision::NoOpinion)] {
            let place = place(&format!("{hook}\non_failure = '{policy}'"));
            let result = push(&place).await;
            let said = said(&result);
            assert_eq!(
                result.output.decision(),
                expected,
                "{hook} {policy}: {said}"
            );
            for part in parts {
                assert!(said.contains(part), "{hook}: {part} in {said}");
            }
        }
    }
}

#[tokio::test]
async fn a_server_that_hangs_or_floods_ends_at_the_time_limit() {
    for tool in ["hangs", "floods"] {
        let place = place(&format!(
            "server = 'stub'\ntool = '{tool}'\ntimeout_ms = 1000\non_failure = 'block'"
        ));
        let result = push(&place).await;
        assert_eq!(
            result.output.decision(),
            Decision::Deny,
            "{}",
            said(&result)
        );
        ended(&place).await;
    }
}

#[tokio::test]
async fn a_projects_server_is_started_only_once_it_is_trusted() {
    let place = place("server = 'stub'\ntool = 'judge'\non_failure = 'allow'");
    place.write("home/.claude.json", "{}");
    place.write("project/.mcp.json", servers(&place));
    let result = push(&place).await;
    assert_eq!(result.output.decision(), Decision::NoOpinion);
    assert!(said(&result).contains("bowline trust"), "{}", said(&result));
    assert!(!place.path("pid").exists(), "nothing was started");

    let sha256 = place.load().mcp_servers.of_project.sha256.unwrap();
    TrustStore::open(&place.locations)
        .unwrap()
        .record_mcp_servers(&place.path("project"), &sha256)
        .unwrap();
    assert_eq!(push(&place).await.output.decision(), Decision::Deny);
}

#[tokio::test]
async fn parts_that_are_no_text_are_named_by_their_type() {
    let place = place("server = 'stub'\ntool = 'parts'");
    let result = push(&place).await;
    assert_eq!(result.output.decision(), Decision::NoOpinion);
    assert!(
        said(&result).contains(r"one\n[image]\ntwo"),
        "{}",
        said(&result)
    );
}
