//! Feature 02: six configuration shapes in one reader.

use std::time::Duration;

use bowline::hooks::{Activation, Dialect, HookEvent, HookInput, Match, OnFailure, ToolOutput};
use bowline::settings::{
    Action, CommandAction, DialectChoice, ExitPolicy, HookDefinition, Parsed, Plugin, Scope,
    Severity, Shape, Source, Syntax, parse, parse_source,
};
use serde_json::json;

const SCRIPT_LIST_000: &str = include_str!("../data/settings/000-script-list.json");
const SETTINGS_001: &str = include_str!("../data/settings/001-settings.json");
const FRONT_MATTER_001: &str = include_str!("../data/settings/001-front-matter.md");
const PLUGIN_001: &str = include_str!("../data/settings/001-plugin-hooks.json");
const SETTINGS_003: &str = include_str!("../data/settings/003-settings.json");
const SETTINGS_004: &str = include_str!("../data/settings/004-settings.json");
const PROMPT_004: &str = include_str!("../data/settings/004-prompt.json");

fn by_shape(text: &str) -> Parsed {
    parse_source(text, &Source::new(Syntax::Json, DialectChoice::ByShape))
}

fn hooks(text: &str) -> Vec<HookDefinition> {
    let parsed = parse(text, Dialect::Generic);
    assert_no_errors(&parsed);
    parsed.hooks
}

fn assert_no_errors(parsed: &Parsed) {
    for finding in &parsed.diagnostics {
        assert_ne!(finding.severity, Severity::Error, "{finding}");
    }
}

fn command(hook: &HookDefinition) -> &str {
    match &hook.action {
        Action::Command(action) => &action.command,
        other => panic!("{other:?} is not a command"),
    }
}

/// An event of the hook's kind about this tool, or from this agent.
fn input(event: HookEvent, subject: &str) -> HookInput {
    match event {
        HookEvent::PreToolUse => HookInput::pre_tool_use("s", subject, json!({})),
        HookEvent::PostToolUse => HookInput::post_tool_use("s", subject, ToolOutput::new("")),
        HookEvent::SubagentStart => HookInput::subagent_start("s", "a1", subject, ""),
        other => HookInput::for_event("s", other),
    }
}

fn matches(hook: &HookDefinition, subject: &str) -> bool {
    hook.matcher.matches(&input(hook.event, subject)) == Match::Yes
}

/// What an example shows of one hook: event, command, seconds, and a subject that matches and one that does not.
type Expected = (
    HookEvent,
    &'static str,
    u64,
    &'static [&'static str],
    &'static [&'static str],
);

fn assert_hooks(parsed: &Parsed, expected: &[Expected]) {
    assert_no_errors(parsed);
    let found: Vec<_> = parsed
        .hooks
        .iter()
        .map(|hook| (hook.event, command(hook), hook.timeout.limit))
        .collect();
    let wanted: Vec<_> = expected
        .iter()
        .map(|(event, command, seconds, ..)| (*event, *command, Duration::from_secs(*seconds)))
        .collect();
    assert_eq!(found, wanted);
    for (hook, (_, command, _, yes, no)) in parsed.hooks.iter().zip(expected) {
        for subject in *yes {
            assert!(matches(hook, subject), "{command} on {subject}");
        }
        for subject in *no {
            assert!(!matches(hook, subject), "{command} on {subject}");
        }
    }
}

#[test]
fn f02_a_nested() {
    let hooks = hooks(
        r#"{"hooks": {"PreToolUse": [
            {"matcher": "Bash", "hooks": [{"type": "command", "command": "a"}, {"type": "command", "command": "b"}]},
            {"hooks": [{"type": "command", "command": "c"}]}
        ]}}"#,
    );
    let commands: Vec<_> = hooks.iter().map(command).collect();
    assert_eq!(commands, ["a", "b", "c"]);
    assert!(hooks.iter().all(|hook| hook.origin.shape == Shape::Nested));
    assert!(hooks.iter().all(|hook| hook.on_failure == OnFailure::Allow));
    assert!(!matches(&hooks[0], "Read"));
    assert!(matches(&hooks[2], "Read"));
}

#[test]
fn f02_b_named_map() {
    let hooks = hooks(
        r#"{"hooks": {"preToolUse": {
            "zeta": "echo z",
            "alpha": {"command": "check", "timeout_secs": 7, "matcher": "Bash"}
        }}}"#,
    );
    assert_eq!(hooks.len(), 2);
    assert_eq!(
        (hooks[0].id.as_str(), command(&hooks[0])),
        ("zeta", "echo z")
    );
    assert_eq!(
        (hooks[1].id.as_str(), command(&hooks[1])),
        ("alpha", "check")
    );
    assert_eq!(hooks[1].timeout.limit, Duration::from_secs(7));
    assert!(matches(&hooks[1], "Bash") && !matches(&hooks[1], "Read"));
    for hook in &hooks {
        assert_eq!(hook.origin.shape, Shape::NamedMap);
        assert_eq!(hook.on_failure, OnFailure::Block);
    }
}

#[test]
fn f02_c_flat() {
    let hooks = hooks(
        r#"{"hooks": {"PreToolUse": [
            "echo one",
            {"command": "two", "matcher": "Write", "timeout": 3},
            {"prompt": "fine?"}
        ]}}"#,
    );
    assert_eq!(hooks.len(), 3);
    assert_eq!(command(&hooks[0]), "echo one");
    assert_eq!(command(&hooks[1]), "two");
    assert!(matches(&hooks[1], "Write") && !matches(&hooks[1], "Read"));
    assert_eq!(hooks[1].timeout.limit, Duration::from_secs(3));
    assert_eq!(hooks[2].action.kind(), "prompt");
    for (hook, id) in hooks.iter().zip(["1", "2", "3"]) {
        assert_eq!(hook.origin.shape, Shape::Flat);
        assert_eq!(hook.on_failure, OnFailure::Allow);
        assert_eq!(hook.id, format!("project:PreToolUse-{id}"));
    }
}

#[test]
fn f02_d_script_list() {
    let hooks = hooks(
        r#"{"hooks": [{"name": "n", "type": "pre-tool-use", "description": "d", "script": "s.py"}]}"#,
    );
    assert_eq!(hooks.len(), 1);
    assert_eq!(hooks[0].id, "n");
    assert_eq!(hooks[0].description.as_deref(), Some("d"));
    assert_eq!(hooks[0].event, HookEvent::PreToolUse);
    assert_eq!(hooks[0].origin.shape, Shape::ScriptList);
    // Run by its first line: no shell.
    assert_eq!(
        hooks[0].action,
        Action::Command(CommandAction {
            command: "s.py".to_owned(),
            args: Some(Vec::new()),
        })
    );
}

#[test]
fn f02_e_direct() {
    let text = r#"{"$schema": "x", "PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "a"}]}], "setup": {"x": "y"}}"#;
    let hooks = hooks(text);
    assert_eq!(hooks.len(), 1);
    assert_eq!(command(&hooks[0]), "a");
    assert_eq!(hooks[0].origin.shape, Shape::Direct);

    // Beside `hooks`, the top level is none of ours.
    let both = r#"{"hooks": {}, "PreToolUse": ["a"], "permissions": {"deny": 1}}"#;
    let parsed = parse(both, Dialect::Generic);
    assert!(parsed.hooks.is_empty() && parsed.diagnostics.is_empty());
}

#[test]
fn f02_f_front_matter() {
    let mut source = Source::new(Syntax::FrontMatter, DialectChoice::ByShape);
    source.activation = Activation::Skill("format".to_owned());
    source.scope = Scope::Plugin;
    let parsed = parse_source(FRONT_MATTER_001, &source);
    assert_no_errors(&parsed);
    let hook = &parsed.hooks[0];
    assert_eq!(hook.origin.shape, Shape::FrontMatter);
    assert_eq!(hook.origin.dialect, Dialect::ClaudeCode);
    assert_eq!((hook.origin.line, hook.origin.column), (6, 11));
    assert_eq!(hook.activation, source.activation);

    let stop = "---\nhooks:\n  Stop:\n    - hooks: [{type: command, command: x}]\n---\n";
    source.activation = Activation::Agent("reviewer".to_owned());
    assert_eq!(
        parse_source(stop, &source).hooks[0].event,
        HookEvent::SubagentStop
    );
}

#[test]
fn f02_g_the_example_of_the_tracking_plugin() {
    let parsed = by_shape(SCRIPT_LIST_000);
    assert_hooks(
        &parsed,
        &[
            (
                HookEvent::PreToolUse,
                "path/to/pretooluse-integrator.py",
                60,
                &["Bash", "Read"],
                &[],
            ),
            (
                HookEvent::PostToolUse,
                "path/to/posttooluse-integrator.py",
                60,
                &["Bash", "Read"],
                &[],
            ),
        ],
    );
    let ids: Vec<_> = parsed.hooks.iter().map(|hook| hook.id.as_str()).collect();
    assert_eq!(ids, ["pretooluse-event-tracing", "posttooluse-unified"]);
}

#[test]
fn f02_g_the_examples_of_the_rust_library() {
    assert_hooks(
        &by_shape(SETTINGS_001),
        &[
            (
                HookEvent::PreToolUse,
                "python check_security.py",
                30,
                &["Bash", "Write"],
                &["Read", "TodoWrite"],
            ),
            (
                HookEvent::PostToolUse,
                "echo '{\"event\":\"$EVENT\"}' >> /tmp/audit.log",
                60,
                &["Bash", "Read"],
                &[],
            ),
            (
                HookEvent::SessionStart,
                "notify-send 'Session started'",
                60,
                &[],
                &[],
            ),
            (HookEvent::SessionEnd, "cleanup-temp.sh", 60, &[], &[]),
        ],
    );
    assert_hooks(
        &parse_source(
            FRONT_MATTER_001,
            &Source::new(Syntax::FrontMatter, DialectChoice::ByShape),
        ),
        &[(
            HookEvent::PreToolUse,
            "scripts/format.sh",
            10,
            &["Write", "Edit"],
            &["Bash"],
        )],
    );
    let mut plugin = Source::new(Syntax::Json, DialectChoice::Fixed(Dialect::Generic));
    plugin.plugin = Some(Plugin::new("fmt", "/plugins/fmt"));
    plugin.scope = Scope::Plugin;
    let parsed = parse_source(PLUGIN_001, &plugin);
    assert_hooks(
        &parsed,
        &[(
            HookEvent::PostToolUse,
            "fmt.sh",
            60,
            &["Write", "Edit"],
            &["Bash"],
        )],
    );
    assert_eq!(parsed.hooks[0].id, "fmt:PostToolUse-1");
    assert!(parsed.diagnostics.is_empty());
}

#[test]
fn f02_g_the_example_of_the_enforcement_hooks() {
    let parsed = by_shape(SETTINGS_003);
    let script = |name: &str| -> &'static str { format!(".claude/hooks/{name}.sh").leak() };
    assert_hooks(
        &parsed,
        &[
            (
                HookEvent::SessionStart,
                script("load-behavioral-system"),
                60,
                &[""],
                &[],
            ),
            (
                HookEvent::PreToolUse,
                script("block-destructive-commands"),
                60,
                &["Bash"],
                &["Read"],
            ),
            (
                HookEvent::PreToolUse,
                script("block-sensitive-files"),
                60,
                &["Read", "Grep"],
                &["Bash"],
            ),
            (
                HookEvent::PostToolUse,
                script("collective-metrics"),
                60,
                &["Bash", "Task"],
                &[],
            ),
            (
                HookEvent::PostToolUse,
                script("semantic-docs-update-hook"),
                60,
                &["Bash"],
                &[],
            ),
            (
                HookEvent::PostToolUse,
                script("test-driven-handoff"),
                60,
                &["Task"],
                &["Bash"],
            ),
            (
                HookEvent::PreCompact,
                script("pre-compact-state"),
                60,
                &[""],
                &[],
            ),
            (
                HookEvent::SubagentStart,
                script("subagent-context-inject"),
                60,
                &["any-agent"],
                &[],
            ),
            (
                HookEvent::SubagentStop,
                script("test-driven-handoff"),
                60,
                &[""],
                &[],
            ),
        ],
    );
    // A matcher that is an object is no form of Claude Code's.
    for hook in parsed.hooks {
        assert_eq!(hook.origin.dialect, Dialect::Generic);
        assert_eq!(hook.exit_policy, ExitPolicy::AnyNonZero);
    }
}

#[test]
fn f02_g_the_examples_of_the_script_engine() {
    let parsed = parse(SETTINGS_004, Dialect::Generic);
    assert_hooks(
        &parsed,
        &[
            (
                HookEvent::PreToolUse,
                "./scripts/validate-command.sh",
                5,
                &["Bash"],
                &["Write"],
            ),
            (
                HookEvent::PreToolUse,
                "echo 'File operation: $TOOL_NAME on $FILE_PATH'",
                60,
                &["Write", "Edit"],
                &["Bash", "TodoWrite"],
            ),
            (
                HookEvent::PostToolUse,
                "./scripts/log-tool-usage.sh",
                60,
                &["Bash", "Read"],
                &[],
            ),
            (
                HookEvent::SessionEnd,
                "./scripts/cleanup.sh",
                60,
                &[""],
                &[],
            ),
        ],
    );
    assert!(parsed.diagnostics.is_empty());

    let parsed = parse(PROMPT_004, Dialect::Generic);
    assert!(parsed.diagnostics.is_empty());
    let [hook] = parsed.hooks.as_slice() else {
        panic!("{} hooks", parsed.hooks.len());
    };
    let Action::Prompt(prompt) = &hook.action else {
        panic!("{:?}", hook.action);
    };
    assert!(
        prompt
            .prompt
            .starts_with("Evaluate if this command is safe to execute: $COMMAND.")
    );
    assert_eq!(hook.timeout.limit, Duration::from_secs(10));
    assert!(matches(hook, "Bash") && !matches(hook, "Read"));
}

#[test]
fn f02_h_every_event_has_its_own_shape() {
    let parsed = by_shape(
        r#"{"hooks": {
            "PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "nested"}]}],
            "PostToolUse": {"named": "named"},
            "Stop": ["flat"],
            "SubagentStart": [{"matcher": {"agentName": "x"}, "hooks": [{"type": "command", "command": "object"}]}]
        }}"#,
    );
    assert_no_errors(&parsed);
    let found: Vec<_> = parsed
        .hooks
        .iter()
        .map(|hook| (command(hook), hook.origin.shape, hook.origin.dialect))
        .collect();
    assert_eq!(
        found,
        [
            ("nested", Shape::Nested, Dialect::ClaudeCode),
            ("named", Shape::NamedMap, Dialect::Generic),
            ("flat", Shape::Flat, Dialect::Generic),
            ("object", Shape::Nested, Dialect::Generic),
        ]
    );
}

#[test]
fn f02_h_toml_has_the_same_shapes() {
    let text = r#"
[defaults]
on_failure = "ask"

[hooks]
Stop = ["flat"]

[[hooks.PreToolUse]]
matcher = "Bash"
hooks = [{ type = "command", command = "nested" }]

[hooks.PostToolUse.named]
command = "named"
timeout_ms = 250
"#;
    let source = Source::new(Syntax::Toml, DialectChoice::Fixed(Dialect::Generic));
    let parsed = parse_source(text, &source);
    assert!(parsed.diagnostics.is_empty(), "{:?}", parsed.diagnostics);
    let found: Vec<_> = parsed
        .hooks
        .iter()
        .map(|hook| (command(hook), hook.origin.shape, hook.on_failure))
        .collect();
    assert_eq!(
        found,
        [
            ("flat", Shape::Flat, OnFailure::Ask),
            ("nested", Shape::Nested, OnFailure::Ask),
            ("named", Shape::NamedMap, OnFailure::Ask),
        ]
    );
    assert_eq!(parsed.hooks[2].timeout.limit, Duration::from_millis(250));
}
