//! Hooks that are no programs: tools of MCP servers, and agents.

use super::bench::Bench;

/// A server that speaks for itself: every call of its tool is denied.
const STUB: &str = r#"
while read -r line; do
    id=${line##*\"id\":}
    id=${id%%[,\}]*}
    case $line in
    *'"method":"initialize"'*) result='{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"stub","version":"1"}}' ;;
    *'"method":"tools/call"'*) result='{"content":[{"type":"text","text":"{\"decision\":\"deny\",\"reason\":\"the server says no\"}"}]}' ;;
    *) continue ;;
    esac
    printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"
done
"#;

const HOOK: &str = "[[hooks.PreToolUse]]\ntype = 'mcp_tool'\nserver = 'policies'\ntool = 'judge'\n\
     input = { line = '${tool_input.command}' }\non_failure = 'allow'\n";

const CALL: [&str; 6] = [
    "test",
    "PreToolUse",
    "--tool",
    "Bash",
    "--input",
    r#"{"command": "ls"}"#,
];

#[test]
fn a_projects_mcp_server_is_shown_trusted_and_asked() {
    let bench = Bench::new();
    let servers = |argument: &str| {
        format!(
            r#"{{"mcpServers": {{"policies": {{"command": "/bin/sh", "args": ["stub.sh", "{argument}"], "env": {{"API_KEY": "s3cr3t-value-0123456789"}}}}}}}}"#
        )
    };
    bench.write("stub.sh", STUB);
    bench.write(".mcp.json", servers("one"));
    // Nothing calls it: then it is nobody's business.
    bench.run(&["trust"]).expect(0, &["Nothing to trust"]);
    bench.write("bowline.toml", HOOK);
    bench.run(&["check"]).expect(0, &["no errors, no warnings"]);

    let (code, document) = bench.json(&["trust"]);
    assert_eq!(code, Some(1));
    let started = &document["mcp_servers"]["would_start"][0];
    assert_eq!(started["runs"], "/bin/sh stub.sh one");
    assert!(!document.to_string().contains("s3cr3t"), "{document}");
    bench.run(&["trust", "--yes"]).expect(
        0,
        &[
            "could start these servers",
            "/bin/sh stub.sh one",
            "Trusted",
        ],
    );
    bench.run(&["trust"]).expect(0, &["already trusted"]);
    bench.run(&["hooks"]).expect(0, &["mcp: judge of policies"]);
    bench.run(&CALL).expect(1, &["the server says no"]);

    bench.write(".mcp.json", servers("two"));
    bench.run(&CALL).expect(0, &["is not trusted"]);
    bench.run(&["trust", "--yes"]).expect(
        0,
        &[".mcp.json has changed since it was trusted", "stub.sh two"],
    );
    bench.run(&CALL).expect(1, &["the server says no"]);
    bench
        .run(&["trust", "--revoke"])
        .expect(0, &["no longer trusted"]);
    bench.run(&["trust", "--list"]).expect(0, &["No project"]);
}

#[test]
fn an_agent_hook_without_a_model_is_passed_over_and_says_so() {
    let bench = Bench::new();
    bench.write(
        "bowline.toml",
        "[[hooks.PreToolUse]]\ntype = 'agent'\nprompt = 'Is $COMMAND wise?'\n",
    );
    bench.run(&["check"]).expect(0, &["no errors, no warnings"]);
    bench.run(&["trust", "--yes"]).expect(0, &["Trusted"]);
    bench.run(&CALL).expect(0, &["the agent hook was skipped"]);
}
