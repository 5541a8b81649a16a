//! Feature 10, and the `if` of feature 14.

use bowline::hooks::{
    Condition, Dialect, FnHook, Hook, HookEvent, HookInput, HookOutput, Match, Matcher, Regex,
};
use serde_json::json;

fn tool(name: &str) -> HookInput {
    HookInput::pre_tool_use("s1", name, json!({}))
}

fn fits(text: &str, input: &HookInput) -> bool {
    Matcher::from_text(text, Dialect::Generic)
        .is_ok_and(|matcher| matcher.matches(input) == Match::Yes)
}

fn keys_fit(keys: &[(&str, &str)], input: &HookInput) -> bool {
    Matcher::from_keys(keys.iter().copied(), Dialect::Generic)
        .is_ok_and(|matcher| matcher.matches(input) == Match::Yes)
}

#[test]
fn f10_a_missing_empty_star_and_an_empty_object_match_every_occurrence() {
    let inputs = [
        tool("Bash"),
        tool("mcp__x__y"),
        HookInput::session_start("s1").with_field("source", "resume"),
        HookInput::stop("s1"),
    ];
    for input in &inputs {
        assert_eq!(Matcher::all().matches(input), Match::Yes);
        for text in ["", "*", ".*"] {
            assert!(fits(text, input), "{text:?}");
        }
        assert!(keys_fit(&[], input));
    }
}

#[test]
fn f10_b_whole_name_match() {
    for (name, expected) in [
        ("Bash", true),
        ("Write", true),
        ("TodoWrite", false),
        ("BashOutput", false),
    ] {
        assert_eq!(fits("Bash|Write", &tool(name)), expected, "{name}");
        assert_eq!(fits("Bash|Wr.te", &tool(name)), expected, "{name}");
    }
    let hook = FnHook::new("any-write", [HookEvent::PreToolUse], |_, _| async {
        Ok(HookOutput::allow())
    })
    .tool_matcher(Regex::new("Bash|Write").unwrap());
    assert_eq!(
        hook.matches(&tool("TodoWrite")),
        Match::Yes,
        "a Rust hook's matcher is plain is_match"
    );
    assert_ne!(hook.matches(&tool("Read")), Match::Yes);
}

#[test]
fn f10_c_object_keys() {
    for name in ["Read", "Grep", "ReadX", "Bash"] {
        assert_eq!(
            keys_fit(&[("toolName", "Read|Grep")], &tool(name)),
            fits("Read|Grep", &tool(name)),
            "{name}"
        );
    }
    let reviewer = HookInput::subagent_start("s1", "a1", "reviewer", "");
    assert!(keys_fit(&[("agentName", ".*")], &reviewer));
    assert!(keys_fit(&[("agent_name", "review.*")], &reviewer));
    assert!(!keys_fit(&[("agentName", "tester")], &reviewer));

    let both = [("toolName", "Read"), ("agentName", "reviewer")];
    let inside = |name: &str, agent: &str| tool(name).with_field("agent_type", agent);
    assert!(keys_fit(&both, &inside("Read", "reviewer")));
    assert!(!keys_fit(&both, &inside("Read", "tester")));
    assert!(!keys_fit(&both, &inside("Bash", "reviewer")));
    assert!(!keys_fit(&both, &tool("Read")), "outside a sub-agent");
    assert!(
        !keys_fit(&[("toolName", ".*")], &HookInput::stop("s1")),
        "no tool"
    );

    let error = Matcher::from_keys([("toolNames", "Read")], Dialect::Generic).unwrap_err();
    assert!(error.to_string().contains("`toolNames`"), "{error}");
    assert!(
        error.to_string().contains("did you mean `toolName`?"),
        "{error}"
    );
}

#[test]
fn f10_d_events_without_a_tool_are_compared_by_their_subject() {
    let with = |event, field: &str, value: &str| {
        HookInput::for_event("s1", event).with_field(field, value)
    };
    for (input, subject) in [
        (with(HookEvent::SessionStart, "source", "resume"), "resume"),
        (with(HookEvent::PreCompact, "trigger", "auto"), "auto"),
        (
            HookInput::subagent_start("s1", "a1", "reviewer", ""),
            "reviewer",
        ),
        (
            with(HookEvent::SubagentStop, "agent_type", "reviewer"),
            "reviewer",
        ),
        (
            with(HookEvent::Notification, "notification_type", "idle_prompt"),
            "idle_prompt",
        ),
        (with(HookEvent::SessionEnd, "reason", "logout"), "logout"),
        (
            with(HookEvent::ConfigChange, "source", "user_settings"),
            "user_settings",
        ),
    ] {
        let event = input.event_type();
        assert!(fits(subject, &input), "{event}");
        assert!(!fits("something-else", &input), "{event}");
    }
    for input in [
        HookInput::stop("s1"),
        HookInput::user_prompt_submit("s1", "hello"),
    ] {
        assert!(
            fits("something-else", &input),
            "{} ignores it",
            input.event_type()
        );
    }
}

#[test]
fn f14_d_if_filters_on_the_argument_text() {
    let condition = Condition::parse("Bash(git *)").unwrap();
    for (command, expected) in [
        ("git push", true),
        ("cd sub && FOO=1 git push", true),
        ("echo 'git push'", false),
        ("ls -la", false),
    ] {
        let input = HookInput::pre_tool_use("s1", "Bash", json!({ "command": command }));
        assert_eq!(
            condition.matches(&input, None) == Match::Yes,
            expected,
            "{command}"
        );
    }
    let write = HookInput::pre_tool_use("s1", "Write", json!({"file_path": "git x"}));
    assert_ne!(condition.matches(&write, None), Match::Yes);
}

#[test]
fn f10_c_a_tool_that_was_renamed_is_one_by_both_names() {
    for dialect in [Dialect::Generic, Dialect::ClaudeCode] {
        for name in ["Task", "Agent", "^Task$", "Task|Bash"] {
            let matchers = [
                Matcher::from_keys([("toolName", name)], dialect).unwrap(),
                Matcher::from_text(name, dialect).unwrap(),
            ];
            for matcher in matchers {
                let call = HookInput::pre_tool_use("s", "Agent", serde_json::json!({}));
                assert_eq!(matcher.matches(&call), Match::Yes, "{dialect} {name}");
                let other = HookInput::pre_tool_use("s", "TaskOutput", serde_json::json!({}));
                assert_ne!(matcher.matches(&other), Match::Yes, "{dialect} {name}");
            }
        }
    }
    let matcher = Matcher::from_keys([("toolName", "Agent")], Dialect::Generic).unwrap();
    let call = HookInput::pre_tool_use("s", "Task", serde_json::json!({}));
    assert_eq!(matcher.matches(&call), Match::Yes);
}
