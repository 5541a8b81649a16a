//! The reader as a whole: every key, every trap, and whatever a broken disk may contain.

use std::time::Duration;

use proptest::prelude::*;

use super::*;
use crate::event::HookEvent;
use crate::hook::{Attempts, OnFailure, Repeat, RunMode};
use crate::settings::{Action, CommandAction, Dedupe, ExitPolicy, HttpAction, Severity};

const CLAUDE: DialectChoice = DialectChoice::Fixed(Dialect::ClaudeCode);
const GENERIC: DialectChoice = DialectChoice::Fixed(Dialect::Generic);

fn read(text: &str, syntax: Syntax, dialect: DialectChoice) -> Parsed {
    parse_source(text, &Source::new(syntax, dialect))
}

fn codes(parsed: &Parsed) -> Vec<&'static str> {
    parsed
        .diagnostics
        .iter()
        .map(|finding| finding.code)
        .collect()
}

/// One hook in the nested shape.
fn nested(event: &str, hook: &str) -> String {
    format!(r#"{{"hooks": {{"{event}": [{{"hooks": [{hook}]}}]}}}}"#)
}

#[test]
fn every_key_is_read_in_both_spellings() {
    let snake = r#"{"hooks": {"Stop": [{"command": "c", "args": ["a"], "timeout_ms": 5, "once": true, "observer": true,
        "parallel": true, "priority": -3, "on_failure": "ask", "exit_policy": "only_two", "dedupe": "event",
        "env": {"A": "b", "N": 5}, "id": "i", "description": "d"}]}}"#;
    let camel = r#"{"hooks": {"Stop": [{"command": "c", "args": ["a"], "timeoutMs": 5, "once": true, "observer": true,
        "parallel": true, "priority": -3, "onFailure": "ask", "exitPolicy": "onlyTwo", "dedupe": "event",
        "env": {"A": "b", "N": 5}, "name": "i", "description": "d"}]}}"#;
    for text in [snake, camel] {
        let parsed = parse(text, Dialect::Generic);
        assert_eq!(codes(&parsed), [""; 0], "{text}");
        let hook = &parsed.hooks[0];
        assert_eq!(
            hook.action,
            Action::Command(CommandAction {
                command: "c".to_owned(),
                args: Some(vec!["a".to_owned()]),
            })
        );
        assert_eq!(hook.timeout.limit, Duration::from_millis(5));
        assert_eq!(hook.repeat, Repeat::OncePerSession);
        assert_eq!(hook.mode, RunMode::Observe);
        assert!(hook.parallel_group.is_some());
        assert_eq!(hook.priority, -3);
        assert_eq!(hook.on_failure, OnFailure::Ask);
        assert_eq!(hook.exit_policy, ExitPolicy::OnlyTwo);
        assert_eq!(hook.dedupe, Dedupe::Event);
        assert_eq!(hook.env["A"], "b");
        assert_eq!(hook.env["N"], "5");
        assert_eq!(hook.id, "i");
        assert_eq!(hook.description.as_deref(), Some("d"));
    }
}

#[test]
fn http_hooks_have_headers_and_variables() {
    let text = nested(
        "PreToolUse",
        r#"{"type": "http", "url": "https://x/y", "headers": {"Authorization": "Bearer $T"}, "allowedEnvVars": ["T"]}"#,
    );
    let parsed = parse(&text, Dialect::ClaudeCode);
    assert_eq!(codes(&parsed), [""; 0]);
    assert_eq!(
        parsed.hooks[0].action,
        Action::Http(HttpAction {
            url: "https://x/y".to_owned(),
            headers: [("Authorization".to_owned(), "Bearer $T".to_owned())].into(),
            allowed_env_vars: vec!["T".to_owned()],
        })
    );
}

#[test]
fn failure_policies() {
    use OnFailure::{Allow, Ask, Block};
    for (hook, map, dialect, expected) in [
        (
            r#"{"command": "c"}"#,
            "named",
            Dialect::Generic,
            (Block, Attempts::Once),
        ),
        (
            r#"{"prompt": "p"}"#,
            "named",
            Dialect::Generic,
            (Allow, Attempts::Once),
        ),
        (
            r#"{"command": "c"}"#,
            "flat",
            Dialect::Generic,
            (Allow, Attempts::Once),
        ),
        (
            r#"{"command": "c"}"#,
            "named",
            Dialect::ClaudeCode,
            (Allow, Attempts::Once),
        ),
        (
            r#"{"command": "c", "on_failure": "retry"}"#,
            "named",
            Dialect::Generic,
            (Block, Attempts::RetryOnce),
        ),
        (
            r#"{"command": "c", "onFailure": "retry"}"#,
            "flat",
            Dialect::Generic,
            (Allow, Attempts::RetryOnce),
        ),
        (
            r#"{"command": "c", "onFailure": "continue"}"#,
            "named",
            Dialect::Generic,
            (Allow, Attempts::Once),
        ),
        (
            r#"{"command": "c", "onFailure": "block"}"#,
            "flat",
            Dialect::ClaudeCode,
            (OnFailure::BlockOrInstruct, Attempts::Once),
        ),
        (
            r#"{"command": "c", "on_failure": "ASK"}"#,
            "flat",
            Dialect::Generic,
            (Ask, Attempts::Once),
        ),
        (
            r#"{"command": "c", "on_failure": "explode"}"#,
            "flat",
            Dialect::Generic,
            (Allow, Attempts::Once),
        ),
    ] {
        let text = match map {
            "named" => format!(r#"{{"hooks": {{"PreToolUse": {{"n": {hook}}}}}}}"#),
            _ => format!(r#"{{"hooks": {{"PreToolUse": [{hook}]}}}}"#),
        };
        let parsed = parse(&text, dialect);
        let hook = &parsed.hooks[0];
        assert_eq!(
            (hook.on_failure, hook.attempts),
            expected,
            "{text} {dialect}"
        );
    }
}

#[test]
fn a_file_sets_defaults_for_generic_hooks_only() {
    let text = r#"{"exit_policy": "only_two", "defaults": {"on_failure": "ask", "dedupe": "event"}, "hooks": {
        "Stop": ["a", {"command": "b", "exit_policy": "any_non_zero", "on_failure": "block"}],
        "PreToolUse": [{"hooks": [{"type": "command", "command": "c"}]}]}}"#;
    let parsed = read(text, Syntax::Json, DialectChoice::ByShape);
    let found: Vec<_> = parsed
        .hooks
        .iter()
        .map(|hook| (hook.exit_policy, hook.on_failure, hook.dedupe))
        .collect();
    assert_eq!(
        found,
        [
            (ExitPolicy::OnlyTwo, OnFailure::Ask, Dedupe::Event),
            (ExitPolicy::AnyNonZero, OnFailure::Block, Dedupe::Event),
            (ExitPolicy::OnlyTwo, OnFailure::Allow, Dedupe::Matcher),
        ]
    );
}

#[test]
fn parallel_groups_stay_apart() {
    let text = r#"{"hooks": {"Stop": [
        {"parallel": true, "hooks": [{"type": "command", "command": "a"}, {"type": "command", "command": "b"}]},
        {"parallel": true, "hooks": [{"type": "command", "command": "c"}]},
        {"hooks": [{"type": "command", "command": "d"}]}]}}"#;
    let groups = |source: &Source| -> Vec<_> {
        parse_source(text, source)
            .hooks
            .iter()
            .map(|hook| hook.parallel_group)
            .collect()
    };
    let mut source = Source::new(Syntax::Json, GENERIC);
    let first = groups(&source);
    assert!(first[0].is_some());
    assert_eq!(first[0], first[1]);
    assert_ne!(first[0], first[2]);
    assert_eq!(first[3], None);
    source.file = Some(PathBuf::from("other.json"));
    assert_ne!(groups(&source)[0], first[0]);
}

#[test]
fn once_counts_where_claude_code_reads_it() {
    let json = nested(
        "Stop",
        r#"{"type": "command", "command": "c", "once": true}"#,
    );
    let markdown =
        "---\nhooks:\n  Stop:\n  - hooks: [{type: command, command: c, once: true}]\n---\n";
    let skill = Activation::Skill("s".to_owned());
    let agent = Activation::Agent("a".to_owned());
    for (text, syntax, dialect, activation, honoured) in [
        (
            json.as_str(),
            Syntax::Json,
            CLAUDE,
            Activation::Always,
            false,
        ),
        (&json, Syntax::Json, GENERIC, Activation::Always, true),
        (markdown, Syntax::FrontMatter, CLAUDE, skill, true),
        (markdown, Syntax::FrontMatter, CLAUDE, agent.clone(), false),
        (markdown, Syntax::FrontMatter, GENERIC, agent, true),
    ] {
        let mut source = Source::new(syntax, dialect);
        source.activation = activation;
        let parsed = parse_source(text, &source);
        let repeats = parsed.hooks[0].repeat == Repeat::OncePerSession;
        assert_eq!(repeats, honoured, "{source:?}");
        let warned = codes(&parsed).contains(&"once-has-no-effect");
        assert_eq!(warned, !honoured, "{source:?}");
    }
}

#[test]
fn run_modes() {
    for (fields, mode) in [
        ("", RunMode::Decide),
        (r#", "async": true"#, RunMode::Background),
        (r#", "asyncRewake": true"#, RunMode::Background),
        (r#", "observer": true"#, RunMode::Observe),
        (r#", "observer": true, "async": true"#, RunMode::Background),
        (r#", "async": "yes""#, RunMode::Decide),
    ] {
        let text = format!(r#"{{"hooks": {{"Stop": [{{"command": "c"{fields}}}]}}}}"#);
        assert_eq!(
            parse(&text, Dialect::Generic).hooks[0].mode,
            mode,
            "{fields}"
        );
    }
}

#[test]
fn plugins_bring_commands_only_and_know_their_folder() {
    let text = r#"{"description": "d", "hooks": {"Stop": ["${CLAUDE_PLUGIN_ROOT}/a.sh", {"prompt": "p"},
        {"name": "n", "command": "${CLAUDE_PLUGIN_ROOT}/b", "args": ["${CLAUDE_PLUGIN_ROOT}"]}]}}"#;
    for (root, shell, exec) in [
        ("/p/x", "/p/x/a.sh", "/p/x/b"),
        ("/p/$(x) y", "${CLAUDE_PLUGIN_ROOT}/a.sh", "/p/$(x) y/b"),
    ] {
        let mut source = Source::new(Syntax::Json, DialectChoice::ByShape);
        source.plugin = Some(Plugin::new("plug", root));
        let parsed = parse_source(text, &source);
        assert_eq!(codes(&parsed), ["plugin-hook-type"]);
        let found: Vec<_> = parsed
            .hooks
            .iter()
            .map(|hook| match &hook.action {
                Action::Command(action) => (hook.id.as_str(), action.command.as_str()),
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(found, [("plug:Stop-1", shell), ("plug:Stop-2", exec)]);
        assert_eq!(parsed.hooks[1].action.summary(), format!("{exec} {root}"));
        for hook in &parsed.hooks {
            assert_eq!(hook.env["CLAUDE_PLUGIN_ROOT"], root);
        }
    }
}

#[test]
fn traps_of_claude_codes_own_files() {
    let good = r#"{"type": "command", "command": "c"}"#;
    for (text, expected) in [
        (nested("PreToolUse", good), &[][..]),
        (nested("preToolUse", good), &["event-casing"]),
        (
            nested("PreToolUse", r#"{"command": "c"}"#),
            &["missing-type", "claude-code-ignores-file"],
        ),
        (
            nested("Stop", r#"{"command": "c"}"#),
            &["missing-type", "claude-code-drops-entry"],
        ),
        (
            nested("PermissionRequest", r#"{"type": "nope"}"#),
            &["claude-code-ignores-file", "unknown-type"],
        ),
        (
            nested(
                "Stop",
                r#"{"type": "command", "command": "c", "if": "Bash"}"#,
            ),
            &["if-never-true"],
        ),
        (
            nested(
                "Stop",
                r#"{"type": "command", "command": "c", "timeout_ms": 5}"#,
            ),
            &["not-claude-code-field"],
        ),
        (
            nested(
                "Stop",
                r#"{"type": "command", "command": "${CLAUDE_PLUGIN_ROOT}/x"}"#,
            ),
            &["plugin-root-outside-plugin"],
        ),
        (
            nested(
                "Stop",
                r#"{"type": "command", "command": "x", "shell": "powershell"}"#,
            ),
            &["unsupported-shell"],
        ),
        (
            format!(
                r#"{{"hooks": {{"PreToolUse": [{{"matcher": "Bash|mcp__files", "hooks": [{good}]}}]}}}}"#
            ),
            &["matches-nothing"],
        ),
        (
            format!(
                r#"{{"hooks": {{"PreToolUse": [{{"matcher": "mcp__files__read|mcp__x__.*", "hooks": [{good}]}}]}}}}"#
            ),
            &[],
        ),
        (
            format!(r#"{{"hooks": {{"Stop": [{{"matcher": {{}}, "hooks": [{good}]}}]}}}}"#),
            &["not-claude-code-form"],
        ),
        (
            r#"{"hooks": {"Stop": ["c"]}}"#.to_owned(),
            &["not-claude-code-form"],
        ),
        (
            r#"{"hooks": {"Stop": {"n": "c"}}}"#.to_owned(),
            &["not-claude-code-form"],
        ),
        (
            r#"{"hooks": [{"type": "Stop", "script": "s"}]}"#.to_owned(),
            &["not-claude-code-form"],
        ),
        (
            format!(r#"{{"Stop": [{{"hooks": [{good}]}}], "Stip": [1], "list": [1]}}"#),
            &["not-claude-code-form", "unknown-event"],
        ),
        (
            r#"{"hooks": {"Stop": [{"hooks": "c"}]}}"#.to_owned(),
            &["claude-code-drops-entry", "wrong-type"],
        ),
    ] {
        let parsed = read(&text, Syntax::Json, DialectChoice::ByShape);
        assert_eq!(codes(&parsed), expected, "{text}");
    }
    // Nobody else's rules in a file of ours.
    let generic = read(r#"{"hooks": {"stop": ["c"]}}"#, Syntax::Json, GENERIC);
    assert_eq!(codes(&generic), [""; 0]);
}

#[test]
fn types_that_claude_code_skips_on_an_event_are_said() {
    let hook = |kind: &str| match kind {
        "command" => r#"{"type": "command", "command": "c"}"#,
        "http" => r#"{"type": "http", "url": "https://a.example/"}"#,
        "prompt" => r#"{"type": "prompt", "prompt": "p"}"#,
        "agent" => r#"{"type": "agent", "prompt": "p"}"#,
        _ => r#"{"type": "mcp_tool", "server": "s", "tool": "t"}"#,
    };
    for (event, skipped) in [
        ("PreToolUse", &[][..]),
        ("Stop", &[]),
        ("TaskCompleted", &[]),
        ("PermissionRequest", &["agent"]),
        ("SessionStart", &["http", "prompt", "agent"]),
        ("Setup", &["http", "prompt", "agent"]),
        ("WorktreeCreate", &["prompt", "agent", "mcp_tool"]),
        ("SessionEnd", &["prompt", "agent"]),
        ("Notification", &["prompt", "agent"]),
        ("SubagentStart", &["prompt", "agent"]),
        ("PreModelSwitch", &["prompt", "agent"]),
    ] {
        for kind in ["command", "http", "prompt", "agent", "mcp_tool"] {
            let text = nested(event, hook(kind));
            let said = |dialect| {
                parse(&text, dialect)
                    .diagnostics
                    .into_iter()
                    .find(|finding| finding.code == "handler-not-run")
            };
            let found = said(Dialect::ClaudeCode);
            assert_eq!(found.is_some(), skipped.contains(&kind), "{event} {kind}");
            if let Some(finding) = found {
                assert!(finding.message.contains("skips it silently"), "{finding}");
                assert!(finding.help.unwrap().contains("command"));
            }
            assert_eq!(said(Dialect::Generic), None, "{event} {kind}");
        }
    }
}

#[test]
fn a_nul_character_keeps_a_command_from_being_started() {
    for hook in [
        r#"{"type": "command", "command": "a\u0000b"}"#,
        r#"{"type": "command", "command": "a", "args": ["b\u0000"]}"#,
        r#"{"type": "command", "script": "a\u0000b"}"#,
    ] {
        for dialect in [Dialect::ClaudeCode, Dialect::Generic] {
            let parsed = parse(&nested("PreToolUse", hook), dialect);
            assert_eq!(codes(&parsed), ["nul-in-command"], "{hook}");
            assert_eq!(parsed.diagnostics[0].severity, Severity::Error);
            assert_eq!(parsed.hooks.len(), 1, "a failure is the policy's to judge");
        }
    }
    let env = r#"{"type": "command", "command": "a", "env": {"A": "b\u0000", "B": "c"}}"#;
    let parsed = parse(&nested("PreToolUse", env), Dialect::Generic);
    assert_eq!(codes(&parsed), ["invalid-env"]);
    assert_eq!(parsed.hooks[0].env.len(), 1);
}

#[test]
fn a_lone_hook_is_not_taken_for_names() {
    for value in [
        r#"{"type": "command", "command": "c"}"#,
        r#"{"command": "c", "timeout": 5}"#,
        r#"{"matcher": "Bash", "hooks": [{"type": "command", "command": "c"}]}"#,
        r#""c""#,
    ] {
        let text = format!(r#"{{"hooks": {{"PreToolUse": {value}}}}}"#);
        let parsed = parse(&text, Dialect::Generic);
        assert_eq!(codes(&parsed), ["list-expected"], "{value}");
        assert_eq!(parsed.hooks.len(), 1, "{value}");
        assert_eq!(parsed.hooks[0].action.summary(), "c");
    }
    // A hook may be called "command", if its value says what it does.
    let named = r#"{"hooks": {"PreToolUse": {"command": {"command": "c"}}}}"#;
    assert_eq!(parse(named, Dialect::Generic).hooks[0].id, "command");
}

#[test]
fn a_known_key_in_the_wrong_place_is_said_as_such() {
    let hook = r#"{"type": "command", "command": "c", "matcher": "Bash", "model": "m"}"#;
    let parsed = parse(&nested("PreToolUse", hook), Dialect::Generic);
    assert_eq!(codes(&parsed), ["misplaced-field", "misplaced-field"]);
    assert!(
        parsed.diagnostics[0]
            .help
            .as_deref()
            .unwrap()
            .contains("beside `hooks`")
    );
    assert_eq!(parsed.hooks.len(), 1);
}

#[test]
fn of_two_equal_keys_the_last_one_counts() {
    let text = r#"{"hooks": {"Stop": [{"command": "a", "command": "b", "timeout_ms": 1, "timeoutMs": 2}]}}"#;
    let parsed = parse(text, Dialect::Generic);
    assert_eq!(codes(&parsed), ["duplicate-key", "duplicate-key"]);
    assert_eq!(parsed.hooks[0].action.summary(), "b");
    assert_eq!(parsed.hooks[0].timeout.limit, Duration::from_millis(2));

    let markdown = "---\nhooks: {Stop: [a], Stop: [b]}\n---\n";
    let parsed = read(markdown, Syntax::FrontMatter, GENERIC);
    assert_eq!(codes(&parsed), ["duplicate-key"]);
    assert_eq!(parsed.hooks[0].action.summary(), "b");
}

#[test]
fn broken_texts_have_one_error_with_a_place() {
    for (text, syntax, line, column) in [
        ("{\n  \"hooks\": {,}\n}", Syntax::Json, 2, 13),
        ("{\"hooks\": {}", Syntax::Json, 1, 1),
        ("\u{feff}{\"é\": x}", Syntax::Json, 1, 7),
        ("[hooks]\nStop = [", Syntax::Toml, 2, 9),
        ("a = 1\na = 2", Syntax::Toml, 2, 1),
        ("---\nhooks:\n  Stop: ]\n---\n", Syntax::FrontMatter, 3, 9),
        ("{\"a\": \"\0\"}", Syntax::Json, 1, 8),
    ] {
        let parsed = read(text, syntax, GENERIC);
        assert!(parsed.hooks.is_empty());
        let [finding] = parsed.diagnostics.as_slice() else {
            panic!("{text:?}: {:?}", parsed.diagnostics);
        };
        assert_eq!(finding.code, "syntax", "{text:?}");
        assert_eq!(finding.severity, Severity::Error);
        assert_eq!(
            (finding.line, finding.column),
            (line, column),
            "{text:?}: {finding}"
        );
    }
}

#[test]
fn nothing_written_is_nothing_wrong() {
    for text in ["", " \n", "\u{feff}", "\u{feff}\n"] {
        for syntax in [Syntax::Json, Syntax::Toml, Syntax::FrontMatter] {
            let parsed = read(text, syntax, DialectChoice::ByShape);
            assert!(parsed.hooks.is_empty() && parsed.diagnostics.is_empty());
        }
    }
}

#[test]
fn floods_are_bounded() {
    let hooks = format!(
        r#"{{"hooks": {{"Stop": [{}"x"]}}}}"#,
        "\"x\",".repeat(12_000)
    );
    let parsed = parse(&hooks, Dialect::Generic);
    assert_eq!(parsed.hooks.len(), 999);
    assert_eq!(codes(&parsed), ["too-many-entries"]);

    let broken = format!(r#"{{"hooks": {{"Stop": [{}1]}}}}"#, "1,".repeat(12_000));
    assert_eq!(parse(&broken, Dialect::Generic).diagnostics.len(), 1000);
}

const EXAMPLES: &[(&str, Syntax)] = &[
    (
        include_str!("../../../../tests/data/settings/000-script-list.json"),
        Syntax::Json,
    ),
    (
        include_str!("../../../../tests/data/settings/001-settings.json"),
        Syntax::Json,
    ),
    (
        include_str!("../../../../tests/data/settings/001-front-matter.md"),
        Syntax::FrontMatter,
    ),
    (
        include_str!("../../../../tests/data/settings/003-settings.json"),
        Syntax::Json,
    ),
    (
        include_str!("../../../../tests/data/settings/004-prompt.json"),
        Syntax::Json,
    ),
    (
        "[hooks]\nStop = ['a']\n[[hooks.PreToolUse]]\nmatcher = \"B\"\nhooks = [{ command = 'c', timeout = 5 }]\n",
        Syntax::Toml,
    ),
    (
        "---\na: &a {command: x}\nhooks: {Stop: [*a, 'b'], PreToolUse: {n: |\n  c\n  }}\n---\n",
        Syntax::FrontMatter,
    ),
];

/// Nothing panics, and whatever is said points into the text.
fn check(text: &str, syntax: Syntax) {
    for dialect in [GENERIC, CLAUDE, DialectChoice::ByShape] {
        let parsed = read(text, syntax, dialect);
        for finding in &parsed.diagnostics {
            assert!(text.get(finding.span.clone()).is_some(), "{finding:?}");
            assert!(finding.line >= 1 && finding.column >= 1);
            assert!(finding.line <= text.lines().count() + 1);
        }
        for hook in &parsed.hooks {
            assert!(!hook.id.is_empty());
            assert!(!hook.timeout.limit.is_zero());
            assert_ne!(hook.event, HookEvent::Unknown);
        }
    }
}

fn any_syntax() -> impl Strategy<Value = Syntax> {
    prop_oneof![
        Just(Syntax::Json),
        Just(Syntax::Toml),
        Just(Syntax::FrontMatter)
    ]
}

/// Pieces that mean something to one of the parsers.
fn piece() -> impl Strategy<Value = String> {
    let known = [
        "{",
        "}",
        "[",
        "]",
        "\"",
        "'",
        ":",
        ",",
        "=",
        "\n",
        "---\n",
        "- ",
        "  ",
        "# ",
        "//",
        "/*",
        "*/",
        "\\",
        "\"\"\"",
        "'''",
        "hooks",
        "hooks:",
        "\"hooks\"",
        "[hooks]",
        "Stop",
        "\"Stop\"",
        "command",
        "\"command\"",
        "timeout",
        "type",
        "matcher",
        "null",
        "true",
        "1e999",
        "-1",
        "0x",
        ".5",
        "&a ",
        "*a",
        "!!str ",
        "|",
        ">",
        "? ",
        "<<",
        "é",
        "\u{feff}",
        "\0",
        "\r",
        "\t",
        "…",
        "%",
        "@",
        ".",
    ];
    prop_oneof![
        9 => proptest::sample::select(known.to_vec()).prop_map(str::to_owned),
        1 => any::<char>().prop_map(String::from),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_texts_never_panic(syntax in any_syntax(), pieces in prop::collection::vec(piece(), 0..60)) {
        let text: String = pieces.concat();
        check(&text, syntax);
        check(&format!("---\n{text}\n---\n"), Syntax::FrontMatter);
        check(&format!("{{\"hooks\": {text}}}"), Syntax::Json);
        check(&format!("[hooks]\n{text}"), Syntax::Toml);
    }

    #[test]
    fn damaged_examples_never_panic(
        example in 0..EXAMPLES.len(),
        damage in prop::collection::vec((any::<prop::sample::Index>(), piece(), 0usize..6), 1..5),
    ) {
        let (text, syntax) = EXAMPLES[example];
        let mut chars: Vec<char> = text.chars().collect();
        for (place, inserted, removed) in damage {
            let at = place.index(chars.len() + 1);
            let end = (at + removed).min(chars.len());
            chars.splice(at..end, inserted.chars());
        }
        check(&chars.into_iter().collect::<String>(), syntax);
    }
}
