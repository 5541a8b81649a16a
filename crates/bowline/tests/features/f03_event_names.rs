//! Feature 03: event names in any casing.

use bowline::hooks::{Dialect, HookEvent};
use bowline::settings::{Severity, parse};

#[test]
fn f03_a_every_casing_is_the_same_event() {
    for name in [
        "preToolUse",
        "PreToolUse",
        "pre_tool_use",
        "pre-tool-use",
        "PRE_TOOL_USE",
    ] {
        for text in [
            format!(r#"{{"hooks": {{"{name}": ["x"]}}}}"#),
            format!(r#"{{"hooks": {{"{name}": {{"n": "x"}}}}}}"#),
            format!(r#"{{"hooks": [{{"type": "{name}", "script": "x"}}]}}"#),
            format!(r#"{{"{name}": [{{"hooks": [{{"type": "command", "command": "x"}}]}}]}}"#),
        ] {
            let parsed = parse(&text, Dialect::Generic);
            assert!(
                parsed.diagnostics.is_empty(),
                "{text}: {:?}",
                parsed.diagnostics
            );
            assert_eq!(parsed.hooks[0].event, HookEvent::PreToolUse, "{text}");
        }
    }
    assert_eq!(HookEvent::PreToolUse.name(), "PreToolUse");
    assert_eq!(HookEvent::PreToolUse.to_string(), "pre_tool_use");
}

#[test]
fn f03_b_an_unknown_name_is_ignored_and_the_nearest_suggested() {
    let text = r#"{"hooks": {"PreToolUze": ["x"], "Stop": ["y"], "Frobnicate": ["z"]}}"#;
    let parsed = parse(text, Dialect::Generic);
    assert_eq!(parsed.hooks.len(), 1);
    assert_eq!(parsed.hooks[0].event, HookEvent::Stop);
    let [near, far] = parsed.diagnostics.as_slice() else {
        panic!("{:?}", parsed.diagnostics);
    };
    for finding in [near, far] {
        assert_eq!(finding.code, "unknown-event");
        assert_eq!(finding.severity, Severity::Warning);
    }
    assert!(near.message.contains("`PreToolUze`"));
    assert_eq!(near.help.as_deref(), Some("did you mean `PreToolUse`?"));
    assert_eq!((near.line, near.column), (1, 12));
    assert_eq!(&text[near.span.clone()], "\"PreToolUze\"");
    assert!(
        !far.help
            .as_deref()
            .unwrap_or_default()
            .contains("did you mean")
    );
}
