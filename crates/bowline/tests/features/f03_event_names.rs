//! Feature 03: event names in any casing.

use bowline::hooks::{Dialect, HookContext, HookEvent, HookInput};
use bowline::settings::{Severity, parse};

#[test]
fn f03_a_every_casing_is_the_same_event() {
    for (event, name) in HookEvent::ALL.iter().copied().flat_map(spellings) {
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
            assert_eq!(parsed.hooks[0].event, event, "{text}");
        }
    }
    let spelled: Vec<String> = spellings(HookEvent::PreToolUse).map(|it| it.1).into();
    assert_eq!(
        spelled,
        [
            "PreToolUse",
            "preToolUse",
            "pre_tool_use",
            "pre-tool-use",
            "PRE_TOOL_USE"
        ]
    );
    let payload =
        HookInput::for_event("s", HookEvent::PreToolUse).to_payload(&HookContext::new("s"));
    assert_eq!(payload["hook_event_name"], "PreToolUse");
    assert_eq!(payload["event"], "pre_tool_use");
}

/// How people write an event.
fn spellings(event: HookEvent) -> [(HookEvent, String); 5] {
    let (name, snake) = (event.name(), event.to_string());
    let camel = name[..1].to_lowercase() + &name[1..];
    let kebab = snake.replace('_', "-");
    let shouted = snake.to_uppercase();
    [name.to_owned(), camel, snake, kebab, shouted].map(|name| (event, name))
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
