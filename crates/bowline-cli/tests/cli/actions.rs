//! Hooks that are no programs: tools of MCP servers, and agents.

use bowline_testkit::Sandbox;

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
    let sandbox = Sandbox::with_repository();
    let servers = |argument: &str| {
        format!(
            r#"{{"mcpServers": {{"policies": {{"command": "/bin/sh", "args": ["stub.sh", "{argument}"], "env": {{"API_KEY": "s3cr3t-value-0123456789"}}}}}}}}"#
        )
    };
    sandbox.write_in_project("stub.sh", STUB);
    sandbox.write_in_project(".mcp.json", servers("one"));
    // Nothing calls it: then it is nobody's business.
    sandbox.run(&["trust"]).expect(0, &["Nothing to trust"]);
    sandbox.write_in_project("bowline.toml", HOOK);
    sandbox
        .run(&["check"])
        .expect(0, &["no errors, no warnings"]);

    let (code, document) = sandbox.code_and_json(&["trust"]);
    assert_eq!(code, Some(1));
    let started = &document["mcp_servers"]["would_start"][0];
    assert_eq!(started["runs"], "/bin/sh stub.sh one");
    assert!(!document.to_string().contains("s3cr3t"), "{document}");
    sandbox.run(&["trust", "--yes"]).expect(
        0,
        &[
            "could start these servers",
            "/bin/sh stub.sh one",
            "Trusted",
        ],
    );
    sandbox.run(&["trust"]).expect(0, &["already trusted"]);
    sandbox
        .run(&["hooks"])
        .expect(0, &["mcp: judge of policies"]);
    sandbox.run(&CALL).expect(1, &["the server says no"]);

    sandbox.write_in_project(".mcp.json", servers("two"));
    sandbox.run(&CALL).expect(0, &["is not trusted"]);
    sandbox.run(&["trust", "--yes"]).expect(
        0,
        &[".mcp.json has changed since it was trusted", "stub.sh two"],
    );
    sandbox.run(&CALL).expect(1, &["the server says no"]);
    sandbox
        .run(&["trust", "--revoke"])
        .expect(0, &["no longer trusted"]);
    sandbox.run(&["trust", "--list"]).expect(0, &["No project"]);
}

#[test]
fn an_agent_hook_without_a_model_is_passed_over_and_says_so() {
    let sandbox = Sandbox::with_repository();
    sandbox.write_in_project(
        "bowline.toml",
        "[[hooks.PreToolUse]]\ntype = 'agent'\nprompt = 'Is $COMMAND wise?'\n",
    );
    sandbox
        .run(&["check"])
        .expect(0, &["no errors, no warnings"]);
    sandbox.run(&["trust", "--yes"]).expect(0, &["Trusted"]);
    sandbox
        .run(&CALL)
        .expect(0, &["the agent hook was skipped"]);
}
