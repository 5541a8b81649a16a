//! Feature 05: merging, de-duplication, ordering.

use std::time::Duration;

use bowline::hooks::{Dialect, HookInput, HookRun, RunStatus};
use bowline::settings::{
    Dedupe, DialectChoice, HookStatus, LoadedHook, Parsed, Plugin, Scope, Source, Syntax, merge,
    parse_source,
};
use serde_json::json;

use super::place::{Place, USER_FILE, commands, fire, nested, own};

/// The hooks of a flat JSON text: event → list of hooks.
fn part(scope: Scope, hooks: &str) -> Parsed {
    by_rules(scope, DialectChoice::Fixed(Dialect::Generic), hooks)
}

/// The hooks of one group in Claude Code's form.
fn claude(scope: Scope, matcher: &str, hooks: &str) -> Parsed {
    let text = format!(r#"{{"PreToolUse": [{{"matcher": "{matcher}", "hooks": {hooks}}}]}}"#);
    by_rules(scope, DialectChoice::Fixed(Dialect::ClaudeCode), &text)
}

fn by_rules(scope: Scope, dialect: DialectChoice, hooks: &str) -> Parsed {
    let mut source = Source::new(Syntax::Json, dialect);
    source.scope = scope;
    let parsed = parse_source(&format!(r#"{{"hooks": {hooks}}}"#), &source);
    assert!(!parsed.hooks.is_empty(), "{:?}", parsed.diagnostics);
    parsed
}

fn in_force(hooks: &[LoadedHook]) -> Vec<String> {
    hooks
        .iter()
        .filter(|hook| hook.status == HookStatus::InForce)
        .map(|hook| hook.definition.action.summary())
        .collect()
}

#[test]
fn f05_a_the_same_command_runs_once_at_the_projects_place() {
    let hooks = merge([
        part(Scope::Global, r#"{"PreToolUse": ["first", "same"]}"#),
        part(Scope::Project, r#"{"PreToolUse": ["same", "other"]}"#),
    ]);
    assert_eq!(in_force(&hooks), ["same", "other", "first"]);
    assert_eq!(hooks[0].definition.origin.scope, Scope::Project);
    assert_eq!(hooks[3].status, HookStatus::Duplicate { of: 0 });
    assert_eq!(hooks[3].definition.origin.scope, Scope::Global);
}

#[test]
fn f05_a_a_different_event_matcher_or_condition_is_a_different_hook() {
    for (one, other) in [
        (r#"{"PreToolUse": ["x"]}"#, r#"{"PostToolUse": ["x"]}"#),
        (
            r#"{"PreToolUse": [{"matcher": "Bash", "command": "x"}]}"#,
            r#"{"PreToolUse": [{"matcher": "Edit", "command": "x"}]}"#,
        ),
        (
            r#"{"PreToolUse": [{"command": "x", "if": "Bash(git *)"}]}"#,
            r#"{"PreToolUse": [{"command": "x"}]}"#,
        ),
        (
            r#"{"PreToolUse": [{"command": "x", "args": []}]}"#,
            r#"{"PreToolUse": [{"command": "x"}]}"#,
        ),
        (
            r#"{"PreToolUse": [{"type": "prompt", "prompt": "x"}]}"#,
            r#"{"PreToolUse": [{"command": "x"}]}"#,
        ),
    ] {
        let hooks = merge([part(Scope::Project, one), part(Scope::Global, other)]);
        assert_eq!(in_force(&hooks).len(), 2, "{one} {other}");
    }
}

#[test]
fn f05_a_agents_and_mcp_tools_are_the_same_by_what_they_do() {
    for (one, other, in_force_of_both) in [
        (
            r#""type": "agent", "prompt": "x""#,
            r#""type": "agent", "prompt": "y""#,
            2,
        ),
        (
            r#""type": "agent", "prompt": "x""#,
            r#""type": "prompt", "prompt": "x""#,
            2,
        ),
        (
            r#""type": "agent", "prompt": "x""#,
            r#""type": "agent", "prompt": "x", "timeout": 9"#,
            1,
        ),
        (
            r#""type": "mcp_tool", "server": "s", "tool": "t""#,
            r#""type": "mcp_tool", "server": "s", "tool": "t""#,
            1,
        ),
        (
            r#""type": "mcp_tool", "server": "s", "tool": "t""#,
            r#""type": "mcp_tool", "server": "s", "tool": "u""#,
            2,
        ),
        (
            r#""type": "mcp_tool", "server": "s", "tool": "t""#,
            r#""type": "mcp_tool", "server": "s", "tool": "t", "input": {"a": 1}"#,
            2,
        ),
    ] {
        let both = format!(r#"{{"PreToolUse": [{{{one}}}, {{{other}}}]}}"#);
        let hooks = merge([part(Scope::Project, &both)]);
        assert_eq!(in_force(&hooks).len(), in_force_of_both, "{both}");
    }
}

#[test]
fn f05_b_project_before_global_each_in_the_order_of_its_file() {
    let hooks = merge([
        part(
            Scope::Global,
            r#"{"PreToolUse": ["g1", "g2"], "Stop": ["g3"]}"#,
        ),
        part(Scope::Plugin, r#"{"PreToolUse": ["plugin"]}"#),
        part(
            Scope::Project,
            r#"{"Stop": ["p1"], "PreToolUse": ["p2", "p3"]}"#,
        ),
        part(Scope::Local, r#"{"PreToolUse": ["local"]}"#),
        part(Scope::Managed, r#"{"PreToolUse": ["managed"]}"#),
    ]);
    assert_eq!(
        in_force(&hooks),
        [
            "managed", "local", "p1", "p2", "p3", "plugin", "g1", "g2", "g3"
        ]
    );
}

#[test]
fn f05_c_priority_goes_before_scope() {
    let hooks = merge([
        part(
            Scope::Managed,
            r#"{"PreToolUse": [{"command": "late", "priority": -1}]}"#,
        ),
        part(
            Scope::Project,
            r#"{"PreToolUse": ["p1", {"command": "p2", "priority": 5}]}"#,
        ),
        part(
            Scope::Global,
            r#"{"PreToolUse": [{"command": "g1", "priority": 5}, "g2", {"command": "g3", "priority": 9}]}"#,
        ),
    ]);
    assert_eq!(in_force(&hooks), ["g3", "p2", "g1", "p1", "g2", "late"]);
}

#[test]
fn f05_d_a_timeout_makes_no_difference_and_the_first_one_applies() {
    let hooks = merge([
        part(
            Scope::Global,
            r#"{"PreToolUse": [{"command": "x", "timeout_secs": 9}]}"#,
        ),
        part(
            Scope::Project,
            r#"{"PreToolUse": [{"command": "x", "timeout_secs": 3}]}"#,
        ),
    ]);
    assert_eq!(in_force(&hooks), ["x"]);
    assert_eq!(hooks[0].definition.timeout.limit, Duration::from_secs(3));
}

#[test]
fn f05_d_claude_code_takes_the_last_ones_settings() {
    let hooks = merge([claude(
        Scope::Project,
        "Bash",
        r#"[{"type": "command", "command": "x", "timeout": 3},
            {"type": "command", "command": "y"},
            {"type": "command", "command": "x", "timeout": 9}]"#,
    )]);
    assert_eq!(in_force(&hooks), ["x", "y"]);
    assert_eq!(hooks[0].definition.timeout.limit, Duration::from_secs(9));
    assert_eq!(hooks[2].status, HookStatus::Duplicate { of: 0 });
}

#[test]
fn f05_d_an_administrators_settings_are_not_overridden_by_a_copy() {
    use bowline::hooks::RunMode;
    let copy = r#"[{"type": "command", "command": "x", "async": true}]"#;
    let managed = r#"[{"type": "command", "command": "x"}]"#;
    let hooks = merge([
        claude(Scope::Managed, "Bash", managed),
        claude(Scope::Project, "Bash", copy),
    ]);
    assert_eq!(in_force(&hooks), ["x"]);
    assert_eq!(hooks[0].definition.mode, RunMode::Decide);

    let hooks = merge([
        part(Scope::Managed, r#"{"PreToolUse": ["x"]}"#),
        part(
            Scope::Project,
            r#"{"PreToolUse": [{"command": "x", "async": true, "priority": 9}]}"#,
        ),
    ]);
    assert_eq!(in_force(&hooks), ["x"]);
    assert_eq!(hooks[0].definition.mode, RunMode::Decide);
}

#[test]
fn f05_e_under_two_matchers_it_stays_twice_and_says_what_identical_means() {
    let two = r#"{"PreToolUse": [
        {"matcher": "Bash", "command": "x"},
        {"matcher": "Bash|Edit", "command": "x"},
        {"matcher": "Edit", "command": "x", "dedupe": "event"}]}"#;
    let hooks = merge([part(Scope::Project, two)]);
    assert_eq!(in_force(&hooks).len(), 3);
    let dedupe: Vec<Dedupe> = hooks.iter().map(|hook| hook.definition.dedupe).collect();
    assert_eq!(dedupe, [Dedupe::Matcher, Dedupe::Matcher, Dedupe::Event]);

    // Claude Code runs it once if both fit, and also if only the second one does: left to the event.
    let command = r#"[{"type": "command", "command": "x"}]"#;
    let hooks = merge([
        claude(Scope::Project, "Bash", command),
        claude(Scope::Project, "Edit", command),
    ]);
    assert_eq!(in_force(&hooks).len(), 2);
    assert!(
        hooks
            .iter()
            .all(|hook| hook.definition.dedupe == Dedupe::Event)
    );
}

#[test]
fn f05_a_plugins_copy_and_a_settings_copy_both_stay() {
    let mut source = Source::new(Syntax::Json, DialectChoice::ByShape);
    source.scope = Scope::Plugin;
    let of_plugin = |root: &str| {
        let mut source = source.clone();
        source.plugin = Some(Plugin::new("p", root));
        parse_source(&nested("x"), &source)
    };
    let settings = Source::new(Syntax::Json, DialectChoice::ByShape);
    let hooks = merge([
        parse_source(&nested("x"), &settings),
        of_plugin("/one"),
        of_plugin("/two"),
        of_plugin("/one"),
    ]);
    assert_eq!(in_force(&hooks), ["x", "x", "x"]);
    assert_eq!(hooks[3].status, HookStatus::Duplicate { of: 1 });
}

#[test]
fn f05_a_hook_that_does_not_run_never_stands_in_for_one_that_does() {
    let place = Place::new();
    place.write("project/bowline.toml", own("x"));
    place.write("home/.config/bowline/config.toml", own("x"));
    let settings = place.load();
    assert_eq!(commands(&settings), ["x"]);
    assert_eq!(settings.hooks[0].status, HookStatus::Untrusted);
    place.trust();
    let settings = place.load();
    assert_eq!(settings.hooks[1].status, HookStatus::Duplicate { of: 0 });

    // Claude Code's own files are run by Claude Code; Bowline's copy has to stay.
    place.write("project/.claude/settings.json", nested("x"));
    assert_eq!(commands(&place.load()), ["x", "x"]);
}

#[tokio::test]
async fn f05_e_under_two_matchers_that_match_it_runs_twice_unless_said_otherwise() {
    let input = || HookInput::pre_tool_use("s", "Bash", json!({"command": "ls"}));
    for (dedupe, runs) in [("", 2), ("dedupe = 'event'", 1)] {
        let hook = |matcher: &str| {
            format!(
                "[[hooks.PreToolUse]]\nmatcher = '{matcher}'\ncommand = 'echo >> ran'\n{dedupe}\n"
            )
        };
        let place = Place::new();
        place.write(USER_FILE, hook("Bash") + &hook("Bash|Write"));
        fire(&place, &place.manager(), input()).await;
        assert_eq!(place.lines("project/ran"), runs, "{dedupe}");
    }

    // In Claude Code's own files it is once, whatever they say.
    let place = Place::new();
    let group = |matcher: &str| json!({"matcher": matcher, "hooks": [{"type": "command", "command": "echo >> ran"}]});
    let groups = [group("Bash"), group("Bash|Write")];
    place.write(
        "project/.claude/settings.json",
        json!({"hooks": {"PreToolUse": groups}}).to_string(),
    );
    fire(&place, &place.manager(), input()).await;
    assert_eq!(place.lines("project/ran"), 1);
}

#[tokio::test]
async fn f05_claude_twins_are_told_apart_as_the_client_does() {
    let place = Place::new();
    // A sub-agent's hook is another than a settings file's, though the command is the same.
    place.write(
        "project/.claude/settings.json",
        r#"{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "echo >> runs"}]}]}}"#,
    );
    place.write(
        "project/.claude/agents/explorer.md",
        "---\nname: explorer\nhooks:\n  PreToolUse:\n    - hooks:\n        - type: command\n          command: echo >> runs\n---\n",
    );
    let input = HookInput::pre_tool_use("s", "Bash", json!({"command": "ls"}))
        .with_field("agent_id", "a1")
        .with_field("agent_type", "explorer");
    fire(&place, &place.manager(), input).await;
    assert_eq!(place.lines("project/runs"), 2);

    // HTTP hooks that differ in their headers alone are one, and so are prompts that differ in their model.
    place.write(
        "project/.claude/settings.json",
        r#"{"hooks": {"PreToolUse": [
            {"matcher": "Bash", "hooks": [{"type": "http", "url": "http://127.0.0.1:9/x", "headers": {"a": "1"}},
                {"type": "prompt", "prompt": "is it safe?", "model": "a"}]},
            {"matcher": "B.*", "hooks": [{"type": "http", "url": "http://127.0.0.1:9/x", "headers": {"a": "2"}},
                {"type": "prompt", "prompt": "is it safe?", "model": "b"}]}],
            "SessionStart": [{"hooks": [{"type": "http", "url": "http://127.0.0.1:9/x"}]}]}}"#,
    );
    let input = HookInput::pre_tool_use("s", "Bash", json!({"command": "ls"}));
    let result = fire(&place, &place.manager(), input).await;
    let ran = |run: &&HookRun| !matches!(run.status, RunStatus::Skipped(_));
    assert_eq!(
        result.results.iter().filter(ran).count(),
        2,
        "{:?}",
        result.results
    );
    let started = fire(&place, &place.manager(), HookInput::session_start("s")).await;
    assert!(
        started.results.is_empty(),
        "the client skips http hooks there"
    );
}
