//! Feature 04: one bad hook, group or field costs no other.

use std::path::PathBuf;

use bowline::hooks::Dialect;
use bowline::settings::{
    Action, AgentAction, DialectChoice, Parsed, Severity, Source, Syntax, parse, parse_source,
    validate,
};

fn commands(parsed: &Parsed) -> Vec<String> {
    parsed
        .hooks
        .iter()
        .map(|hook| hook.action.summary())
        .collect()
}

#[test]
fn f04_a_a_bad_hook_alone_is_dropped() {
    for (bad, code) in [
        (r#"{"type": "command"}"#, "missing-field"),
        (r#"{"type": "command", "command": "  "}"#, "missing-field"),
        (r#"{"type": "command", "command": 5}"#, "wrong-type"),
        (
            r#"{"type": "command", "command": "x", "args": [1]}"#,
            "wrong-type",
        ),
        (r#"{"type": "prompt"}"#, "missing-field"),
        (r#"{"type": "http"}"#, "missing-field"),
        (r#"{"type": "http", "url": "nowhere"}"#, "invalid-url"),
        (r#"{"type": "comand", "command": "x"}"#, "unknown-type"),
        (r#"{"type": 7, "command": "x"}"#, "wrong-type"),
        (r#"{"matcher": "Bash"}"#, "missing-field"),
        ("{}", "missing-field"),
        ("7", "wrong-type"),
        ("null", "wrong-type"),
        ("[]", "wrong-type"),
    ] {
        let text = format!(
            "{{\"hooks\": {{\"PreToolUse\": [{{\"hooks\": [\n{{\"type\": \"command\", \"command\": \"first\"}},\n  {bad},\n{{\"type\": \"command\", \"command\": \"last\"}}]}}]}}}}"
        );
        let mut source = Source::new(Syntax::Json, DialectChoice::Fixed(Dialect::Generic));
        source.file = Some(PathBuf::from("settings.json"));
        let parsed = parse_source(&text, &source);
        assert_eq!(commands(&parsed), ["first", "last"], "{bad}");
        let [finding] = parsed.diagnostics.as_slice() else {
            panic!("{bad}: {:?}", parsed.diagnostics);
        };
        assert_eq!(finding.code, code, "{bad}");
        assert_eq!(finding.severity, Severity::Error, "{bad}");
        assert_eq!(finding.file, source.file);
        assert_eq!(finding.line, 3, "{bad}");
        assert!(finding.column >= 3 && !finding.message.is_empty());
        assert!(finding.help.is_some() && !finding.span.is_empty());
    }
}

#[test]
fn f04_a_unknown_fields_are_a_warning_and_the_hook_stays() {
    let text = r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x", "timout": 5, "colour": 1}]}]}}"#;
    let parsed = parse(text, Dialect::Generic);
    assert_eq!(commands(&parsed), ["x"]);
    let found: Vec<_> = parsed
        .diagnostics
        .iter()
        .map(|finding| (finding.code, finding.severity, &text[finding.span.clone()]))
        .collect();
    assert_eq!(
        found,
        [
            ("unknown-field", Severity::Warning, "\"timout\""),
            ("unknown-field", Severity::Warning, "\"colour\""),
        ]
    );
    assert_eq!(
        parsed.diagnostics[0].help.as_deref(),
        Some("did you mean `timeout`?")
    );

    // What Claude Code knows is no mistake.
    let known = r#"{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "x", "statusMessage": "…",
        "shell": "bash", "async": true, "asyncRewake": false, "onFailure": "continue", "if": "Bash(git *)"},
        {"type": "prompt", "prompt": "ok?", "model": "m", "continueOnBlock": true}]}]}}"#;
    assert!(validate(known, Dialect::ClaudeCode).is_empty());
}

#[test]
fn f04_a_agents_and_mcp_tools_are_read_and_what_they_lack_is_said() {
    let text = r#"{"hooks": {"Stop": [{"hooks": [{"type": "agent", "prompt": "p", "model": "m"},
        {"type": "mcp_tool", "server": "s", "tool": "t", "input": {"a": [1, 2.5, true, null, "${x}"], "b": {"c": "d"}}}]}]}}"#;
    let parsed = parse(text, Dialect::ClaudeCode);
    assert_eq!(parsed.diagnostics, []);
    let [agent, mcp_tool] = parsed.hooks.as_slice() else {
        panic!("{:?}", parsed.hooks);
    };
    assert_eq!(
        agent.action,
        Action::Agent(AgentAction {
            prompt: "p".to_owned(),
            model: Some("m".to_owned()),
        })
    );
    let Action::McpTool(action) = &mcp_tool.action else {
        panic!("{:?}", mcp_tool.action);
    };
    assert_eq!((action.server.as_str(), action.tool.as_str()), ("s", "t"));
    assert_eq!(
        serde_json::Value::Object(action.input.clone()),
        serde_json::json!({"a": [1, 2.5, true, null, "${x}"], "b": {"c": "d"}})
    );

    for (hook, code, word) in [
        (r#"{"type": "agent"}"#, "missing-field", "`prompt`"),
        (
            r#"{"type": "agent", "prompt": " "}"#,
            "missing-field",
            "`prompt`",
        ),
        (
            r#"{"type": "mcp_tool", "tool": "t"}"#,
            "missing-field",
            "`server`",
        ),
        (
            r#"{"type": "mcp_tool", "server": "s"}"#,
            "missing-field",
            "`tool`",
        ),
        (
            r#"{"type": "mcp_tool", "server": "s", "tool": "t", "input": []}"#,
            "wrong-type",
            "`input`",
        ),
    ] {
        let parsed = parse(
            &format!(r#"{{"hooks": {{"Stop": [{{"hooks": [{hook}]}}]}}}}"#),
            Dialect::Generic,
        );
        assert!(parsed.hooks.is_empty(), "{hook}");
        let [finding] = parsed.diagnostics.as_slice() else {
            panic!("{hook}: {:?}", parsed.diagnostics);
        };
        assert_eq!(finding.code, code, "{hook}");
        assert!(finding.message.contains(word), "{}", finding.message);
    }
}

#[test]
fn f04_b_an_invalid_matcher_drops_its_group_alone() {
    for matcher in [
        r#""(""#,
        r#""Bash[""#,
        r#"{"toolName": "("}"#,
        r#"{"toolNam": "Bash"}"#,
        r#"{"toolName": 5}"#,
        "5",
        r#"["Bash"]"#,
    ] {
        let text = format!(
            "{{\"hooks\": {{\"PreToolUse\": [{{\"matcher\":\n{matcher}, \"hooks\": [{{\"type\": \"command\", \"command\": \"bad\"}}]}},
            {{\"hooks\": [{{\"type\": \"command\", \"command\": \"good\"}}]}}]}}}}"
        );
        let parsed = parse(&text, Dialect::Generic);
        assert_eq!(commands(&parsed), ["good"], "{matcher}");
        let [finding] = parsed.diagnostics.as_slice() else {
            panic!("{matcher}: {:?}", parsed.diagnostics);
        };
        assert_eq!(finding.code, "invalid-matcher");
        assert_eq!(finding.severity, Severity::Error);
        assert_eq!(finding.line, 2);
    }
}

#[test]
fn f04_c_validate_lists_the_findings_without_running_anything() {
    let folder = tempfile::tempdir().expect("a folder");
    let proof = folder.path().join("ran");
    let clean = format!(
        r#"{{"hooks": {{"SessionStart": ["touch {}"]}}}}"#,
        proof.display()
    );
    assert_eq!(validate(&clean, Dialect::Generic), []);
    assert!(!proof.exists());

    for (text, codes) in [
        ("", &[][..]),
        ("{}", &[]),
        (r#"{"permissions": {}}"#, &[]),
        (r#"{"hooks": null}"#, &[]),
        ("[1]", &["not-an-object"]),
        ("7", &["not-an-object"]),
        ("{", &["syntax"]),
        (r#"{"hooks": 5}"#, &["wrong-type"]),
        (r#"{"hooks": {"Stop": 5}}"#, &["wrong-type"]),
        (r#"{"hooks": {"Stop": "x"}}"#, &["list-expected"]),
        (
            r#"{"hooks": {"Stop": ["a"], "Stop": ["b"]}}"#,
            &["duplicate-key"],
        ),
        (
            r#"{"hooks": [{"name": "n", "script": "s"}]}"#,
            &["missing-event"],
        ),
    ] {
        let found: Vec<_> = validate(text, Dialect::Generic)
            .iter()
            .map(|finding| finding.code)
            .collect();
        assert_eq!(found, codes, "{text}");
    }
}

#[test]
fn f04_a_defaults_that_claude_codes_form_ignores_are_said() {
    let nested = r#""hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x"}]}]}"#;
    for (text, dialect, expected) in [
        (
            format!(
                r#"{{"exit_policy": "only_two", "onFailure": "ask", "dedupe": "event", {nested}}}"#
            ),
            DialectChoice::ByShape,
            3,
        ),
        (
            format!(r#"{{"defaults": {{"exit_policy": "only_two"}}, {nested}}}"#),
            DialectChoice::Fixed(Dialect::ClaudeCode),
            1,
        ),
        (
            r#"{"exit_policy": "only_two", "hooks": {"Stop": ["x"]}}"#.to_owned(),
            DialectChoice::ByShape,
            0,
        ),
        (
            format!(r#"{{"exit_policy": "only_two", {nested}}}"#),
            DialectChoice::Fixed(Dialect::Generic),
            0,
        ),
    ] {
        let parsed = parse_source(&text, &Source::new(Syntax::Json, dialect));
        let ignored = parsed
            .diagnostics
            .iter()
            .filter(|finding| finding.code == "ignored-key");
        assert_eq!(ignored.count(), expected, "{text} {:?}", parsed.diagnostics);
    }
}
