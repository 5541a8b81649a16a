//! Feature 13: timeouts and their units.

use std::time::Duration;

use bowline::hooks::{Dialect, FnHook, HookContext, HookEvent, HookInput, HookManager, HookOutput};
use bowline::settings::{Parsed, Severity, parse};

fn nested(event: &str, hook: &str, dialect: Dialect) -> Parsed {
    parse(
        &format!(r#"{{"hooks": {{"{event}": [{{"hooks": [{hook}]}}]}}}}"#),
        dialect,
    )
}

fn command(timeout: &str, dialect: Dialect) -> Parsed {
    nested(
        "PreToolUse",
        &format!(r#"{{"type": "command", "command": "x", {timeout}}}"#),
        dialect,
    )
}

#[test]
fn f13_a_units() {
    use Dialect::{ClaudeCode, Generic};
    for (written, dialect, ms) in [
        (r#""timeout_secs": 30"#, Generic, 30_000),
        (r#""timeoutSecs": 30"#, Generic, 30_000),
        (r#""timeout_secs": 5000"#, Generic, 5_000_000),
        (r#""timeout_ms": 20"#, Generic, 20),
        (r#""timeoutMs": 20"#, Generic, 20),
        (r#""timeout_ms": 20"#, ClaudeCode, 20),
        (r#""timeout": 5000"#, Generic, 5000),
        (r#""timeout": 10000"#, Generic, 10_000),
        (r#""timeout": 1000"#, Generic, 1000),
        (r#""timeout": 999"#, Generic, 999_000),
        (r#""timeout": 10"#, Generic, 10_000),
        (r#""timeout": 10"#, ClaudeCode, 10_000),
        (r#""timeout": 5000"#, ClaudeCode, 5_000_000),
        (r#""timeout": 5000, "timeout_ms": 70"#, Generic, 70),
    ] {
        let parsed = command(written, dialect);
        let timeout = &parsed.hooks[0].timeout;
        assert_eq!(
            timeout.limit,
            Duration::from_millis(ms),
            "{written} {dialect}"
        );
        assert!(timeout.written.is_some());
    }
    let parsed = command(r#""timeout": 5000"#, Dialect::Generic);
    assert_eq!(
        parsed.hooks[0].timeout.written.as_deref(),
        Some("timeout: 5000")
    );
    assert!(parsed.diagnostics.is_empty());
}

#[test]
fn f13_a_a_number_that_would_surprise_is_said() {
    let parsed = command(r#""timeout": 5000"#, Dialect::ClaudeCode);
    let [finding] = parsed.diagnostics.as_slice() else {
        panic!("{:?}", parsed.diagnostics);
    };
    assert_eq!(finding.code, "timeout-in-seconds");
    assert!(finding.message.contains("83.3 min"), "{finding}");
}

#[test]
fn f13_b_defaults() {
    use Dialect::{ClaudeCode, Generic};
    let command = r#"{"type": "command", "command": "x"}"#;
    let prompt = r#"{"type": "prompt", "prompt": "x"}"#;
    let http = r#"{"type": "http", "url": "https://example.com"}"#;
    let agent = r#"{"type": "agent", "prompt": "x"}"#;
    for (event, hook, dialect, ms) in [
        ("PreToolUse", command, Generic, 60_000),
        ("SessionEnd", command, Generic, 60_000),
        ("PreToolUse", http, Generic, 60_000),
        ("PreToolUse", prompt, Generic, 10_000),
        ("PreToolUse", command, ClaudeCode, 600_000),
        ("PreToolUse", http, ClaudeCode, 600_000),
        ("UserPromptSubmit", command, ClaudeCode, 30_000),
        ("UserPromptSubmit", http, ClaudeCode, 30_000),
        ("MessageDisplay", command, ClaudeCode, 10_000),
        ("PreModelSwitch", command, ClaudeCode, 30_000),
        ("PostModelSwitch", command, ClaudeCode, 30_000),
        ("SessionEnd", command, ClaudeCode, 1_500),
        ("PreToolUse", prompt, ClaudeCode, 30_000),
        ("PreToolUse", agent, ClaudeCode, 60_000),
    ] {
        let parsed = nested(event, hook, dialect);
        let timeout = &parsed.hooks[0].timeout;
        assert_eq!(
            timeout.limit,
            Duration::from_millis(ms),
            "{event} {hook} {dialect}"
        );
        assert_eq!(timeout.written, None);
    }
}

#[test]
fn f13_c_fractions_are_kept() {
    for (written, ms) in [
        (r#""timeout": 0.25"#, 250),
        (r#""timeout": 1.5"#, 1500),
        (r#""timeout_secs": 2.125"#, 2125),
        (r#""timeout": 1e1"#, 10_000),
    ] {
        for dialect in [Dialect::Generic, Dialect::ClaudeCode] {
            let parsed = command(written, dialect);
            assert_eq!(
                parsed.hooks[0].timeout.limit,
                Duration::from_millis(ms),
                "{written}"
            );
        }
    }
}

#[test]
fn f13_c_what_is_no_time_is_an_error_and_the_default_applies() {
    for written in [
        r#""timeout": 0"#,
        r#""timeout": -5"#,
        r#""timeout": "5""#,
        r#""timeout": true"#,
        r#""timeout": 1e300"#,
        r#""timeout_ms": 1e999"#,
        r#""timeout_secs": 99999999999999999999"#,
    ] {
        let parsed = command(written, Dialect::Generic);
        assert_eq!(
            parsed.hooks[0].timeout.limit,
            Duration::from_secs(60),
            "{written}"
        );
        assert_eq!(parsed.hooks[0].timeout.written, None);
        let [finding] = parsed.diagnostics.as_slice() else {
            panic!("{written}: {:?}", parsed.diagnostics);
        };
        assert_eq!(finding.severity, Severity::Error, "{written}");
        assert!(finding.message.contains("the default applies"), "{finding}");

        let parsed = command(written, Dialect::ClaudeCode);
        assert_eq!(
            parsed.hooks[0].timeout.limit,
            Duration::from_secs(600),
            "{written}"
        );
        let codes: Vec<_> = parsed
            .diagnostics
            .iter()
            .map(|finding| finding.code)
            .collect();
        assert!(
            codes.contains(&"claude-code-ignores-file"),
            "{written}: {codes:?}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn f13_c_the_manager_caps_every_timeout_and_fractions_are_kept() {
    for (cap, asked, expected) in [
        (None, Duration::from_secs(3600), Duration::from_secs(600)),
        (
            Some(Duration::from_secs(5)),
            Duration::from_secs(60),
            Duration::from_secs(5),
        ),
        (
            Some(Duration::from_secs(5)),
            Duration::from_millis(1500),
            Duration::from_millis(1500),
        ),
    ] {
        let mut manager = HookManager::new();
        if let Some(cap) = cap {
            manager = manager.with_timeout_cap(cap);
        }
        let endless = FnHook::new("endless", [HookEvent::PreToolUse], |_, _| {
            std::future::pending::<bowline::Result<HookOutput>>()
        });
        manager.register(endless.timeout(asked));
        let started = tokio::time::Instant::now();
        let input = HookInput::pre_tool_use("s", "Bash", serde_json::json!({}));
        let result = manager.trigger(input, &HookContext::new("s")).await;
        // The clock of the runtime counts whole milliseconds and rounds up.
        let late = started.elapsed().saturating_sub(expected);
        assert!(late <= Duration::from_millis(1), "{late:?}");
        assert!(!result.allowed);
    }
}

#[test]
fn f13_a_less_than_a_millisecond_is_said() {
    for (written, dialect, codes) in [
        (
            r#""timeout": 0.0001"#,
            Dialect::ClaudeCode,
            &["short-timeout"][..],
        ),
        (r#""timeout_ms": 0.5"#, Dialect::Generic, &["short-timeout"]),
        (r#""timeout_ms": 1"#, Dialect::Generic, &[]),
    ] {
        let parsed = command(written, dialect);
        let found: Vec<_> = parsed
            .diagnostics
            .iter()
            .map(|finding| finding.code)
            .collect();
        assert_eq!(found, codes, "{written}");
        assert_eq!(parsed.hooks.len(), 1, "{written}");
    }
}

#[test]
fn f13_the_hooks_of_session_end_share_their_time() {
    use super::place::{Place, USER_FILE};
    let session_end = |command: &str, timeout: &str| {
        format!(
            r#"{{"hooks": {{"SessionEnd": [{{"hooks": [
                {{"type": "command", "command": "{command}"{timeout}}}]}}]}}}}"#
        )
    };
    for (user, project, plugin, ms) in [
        ("", "", "", 1500),
        (r#", "timeout": 1"#, "", "", 1500),
        (r#", "timeout": 5"#, r#", "timeout": 2"#, "", 5000),
        (r#", "timeout": 90"#, "", "", 60_000),
        ("", "", r#", "timeout": 20"#, 1500),
    ] {
        let mut place = Place::new();
        place.write("home/.claude/settings.json", session_end("user", user));
        place.write(
            "project/.claude/settings.json",
            session_end("project", project),
        );
        place.write("plug/hooks/hooks.json", session_end("plugin", plugin));
        place.write(USER_FILE, "[hooks]\nSessionEnd = ['own']\n");
        place.locations.plugin_dirs.push(place.path("plug"));
        let settings = place.load();
        for hook in settings.in_force() {
            let expected = match hook.action.summary().as_str() {
                "own" => Duration::from_mins(1),
                _ => Duration::from_millis(ms),
            };
            assert_eq!(hook.timeout.limit, expected, "{user} {project} {plugin}");
        }
        let written: Vec<bool> = settings
            .in_force()
            .map(|hook| hook.timeout.written.is_some())
            .collect();
        assert_eq!(settings.in_force().count(), 4);
        assert_eq!(
            written,
            [
                !project.is_empty(),
                !plugin.is_empty(),
                false,
                !user.is_empty()
            ]
        );
    }
}
