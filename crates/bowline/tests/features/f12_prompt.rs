//! Feature 12: prompt hooks. What needs a model, or the lack of one (12c), is tested beside the code.

use bowline::hooks::{Decision, Dialect, HookContext, HookEvent, HookInput};
use bowline::prompt::{expand, read_answer};
use serde_json::{Value, json};

fn filled(template: &str, input: &HookInput) -> String {
    let ctx = HookContext::new("session-1").with_cwd("/home/me/project");
    expand(template, input, &ctx, &payload(), Dialect::Generic)
}

fn payload() -> Value {
    json!({ "session_id": "session-1", "event": "stop" })
}

#[test]
fn f12_a_every_variable_is_replaced() {
    let call = HookInput::pre_tool_use("session-1", "Bash", json!({ "command": "ls -l" }));
    let edit = HookInput::pre_tool_use("session-1", "Edit", json!({ "file_path": "/a/b.rs" }));
    let done = HookInput::post_tool_use("session-1", "Bash", json!({ "stdout": "ok" }));
    let text = HookInput::post_tool_use("session-1", "Read", json!("line 1\nline 2"));
    let failed = HookInput::post_tool_use_failure("session-1", "Bash", "exit 1");
    let prompt = HookInput::user_prompt_submit("session-1", "fix the bug");
    let timestamp = call.timestamp.to_rfc3339();
    let arguments = payload().to_string();
    for (variable, input, expected) in [
        ("COMMAND", &call, "ls -l"),
        ("TOOL_NAME", &call, "Bash"),
        ("TOOL_INPUT", &call, r#"{"command":"ls -l"}"#),
        ("TOOL_OUTPUT", &done, r#"{"stdout":"ok"}"#),
        ("TOOL_OUTPUT", &text, "line 1\nline 2"),
        ("ERROR_MESSAGE", &failed, "exit 1"),
        ("USER_PROMPT", &prompt, "fix the bug"),
        ("FILE_PATH", &edit, "/a/b.rs"),
        ("EVENT", &call, "PreToolUse"),
        ("SESSION_ID", &call, "session-1"),
        ("WORKING_DIR", &call, "/home/me/project"),
        ("TIMESTAMP", &call, &timestamp),
        ("ARGUMENTS", &call, &arguments),
        // Without a value on this event.
        ("COMMAND", &prompt, ""),
        ("TOOL_OUTPUT", &call, ""),
    ] {
        let template = format!("[${variable}] [${{{variable}}}]");
        let wanted = format!("[{expected}] [{expected}]");
        assert_eq!(filled(&template, input), wanted, "{variable}");
    }
}

#[test]
fn f12_a_what_was_inserted_is_not_expanded_again() {
    let command = "echo $TOOL_NAME ${COMMAND} $ARGUMENTS";
    let input = HookInput::pre_tool_use("s", "$COMMAND", json!({ "command": command }));
    assert_eq!(
        filled("$COMMAND|$TOOL_NAME", &input),
        format!("{command}|$COMMAND")
    );
}

#[test]
fn f12_a_only_whole_known_names_are_variables() {
    let input = HookInput::pre_tool_use("s", "Bash", json!({ "command": "ls" }));
    for (template, expected) in [
        ("$TOOL_INPUTS", "$TOOL_INPUTS"),
        (
            "$COMMAND_LINE $COMMANDS $COMMAND1",
            "$COMMAND_LINE $COMMANDS $COMMAND1",
        ),
        ("$command $HOME ${NOPE} $5 $", "$command $HOME ${NOPE} $5 $"),
        ("$COMMAND.$COMMAND-x", "ls.ls-x"),
        ("${COMMAND}S", "lsS"),
    ] {
        assert_eq!(filled(template, &input), expected, "{template}");
    }
}

#[test]
fn f12_a_claude_code_escapes_dollars_and_appends_the_arguments() {
    let input = HookInput::pre_tool_use("s", "Bash", json!({ "command": "ls" }));
    let ctx = HookContext::new("s");
    let json = payload().to_string();
    for (template, expected) in [
        (
            "Is \\$COMMAND = $COMMAND in $ARGUMENTS?",
            format!("Is $COMMAND = ls in {json}?"),
        ),
        ("${ARGUMENTS}", json.clone()),
        ("Fine?", format!("Fine?\n\nARGUMENTS:\n{json}")),
        ("\\$ARGUMENTS", format!("$ARGUMENTS\n\nARGUMENTS:\n{json}")),
    ] {
        let text = expand(template, &input, &ctx, &payload(), Dialect::ClaudeCode);
        assert_eq!(text, expected, "{template}");
    }
    assert_eq!(filled("Fine? \\$COMMAND", &input), "Fine? \\ls");
}

#[test]
fn f12_a_an_unknown_event_keeps_its_name() {
    let input = HookInput::for_event("s", HookEvent::Unknown)
        .with_field("hook_event_name", "BrandNew")
        .with_field("cwd", "/somewhere");
    let text = expand(
        "$EVENT in $WORKING_DIR",
        &input,
        &HookContext::new("s"),
        &Value::Null,
        Dialect::Generic,
    );
    assert_eq!(text, "BrandNew in /somewhere");
}

#[test]
fn f12_b_answers() {
    for (text, decision, reason, context) in [
        ("allow", Decision::NoOpinion, None, None),
        ("BLOCK: too risky", Decision::Deny, Some("too risky"), None),
        ("block - too risky", Decision::Deny, Some("too risky"), None),
        ("Continue - ok", Decision::NoOpinion, None, Some("ok")),
        (
            "CONTINUE: mind the tests",
            Decision::NoOpinion,
            None,
            Some("mind the tests"),
        ),
        (r#"{"ok": true}"#, Decision::NoOpinion, None, None),
        (
            r#"{"ok": false, "reason": "no"}"#,
            Decision::Deny,
            Some("no"),
            None,
        ),
        (
            "```json\n{\"ok\": false, \"reason\": \"no\"}\n```",
            Decision::Deny,
            Some("no"),
            None,
        ),
    ] {
        let output = read_answer(text);
        assert_eq!(output.decision(), decision, "{text}");
        assert_eq!(output.stop_reason.as_deref(), reason, "{text}");
        assert_eq!(output.additional_context.as_deref(), context, "{text}");
        assert!(
            output.warnings.is_empty() && output.message.is_none(),
            "{text}"
        );
    }
}

#[test]
fn f12_b_any_other_answer_goes_on_with_a_warning_and_the_text_kept() {
    for text in ["Looks good to me", "ALLOWED", "I would say BLOCK: it"] {
        let output = read_answer(text);
        assert_eq!(output.decision(), Decision::NoOpinion, "{text}");
        assert_eq!(output.message.as_deref(), Some(text));
        assert_eq!(output.warnings.len(), 1, "{text}");
        assert_eq!(output.additional_context, None, "{text}");
    }
}

#[test]
fn f12_claude_numbered_arguments_are_words_of_the_json() {
    let input = HookInput::stop("s");
    let ctx = HookContext::new("s");
    let payload = json!({"text": "one two three"});
    let expand = |template: &str, dialect| expand(template, &input, &ctx, &payload, dialect);
    assert_eq!(
        expand("a $1 b $ARGUMENTS[1] c $9 d", Dialect::ClaudeCode),
        "a two b two c  d"
    );
    assert_eq!(
        expand("costs \\$5, $ARGUMENTS[0]", Dialect::ClaudeCode),
        "costs $5, {\"text\":\"one"
    );
    assert_eq!(
        expand("costs $5 $ARGUMENTS[0]", Dialect::Generic),
        format!("costs $5 {payload}[0]")
    );
}
