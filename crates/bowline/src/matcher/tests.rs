use serde_json::json;

use super::*;

fn tool(name: &str) -> HookInput {
    HookInput::pre_tool_use("s", name, json!({}))
}

fn client(text: &str, input: &HookInput) -> bool {
    Matcher::from_text(text, Dialect::ClaudeCode)
        .is_ok_and(|matcher| matcher.matches(input) == Match::Yes)
}

#[test]
fn what_the_client_was_measured_to_do_with_bash() {
    for text in [
        "Bash",
        "Bash|Read",
        "Bash, Read",
        "Bash,Read",
        " Bash ",
        "Ba.*",
        ".*",
        "^Bash$",
        "B.sh",
        "Read|Bas.",
        "^(?!Read)",
        "KillShell|Bash",
        "*",
        "",
    ] {
        assert!(client(text, &tool("Bash")), "{text:?} matches");
    }
    for text in [
        "bash",
        "Ba",
        "sh",
        "(?i)bash",
        "Task",
        "Agent",
        "[",
        "Bash(echo *)",
        "!Read",
        "mcp__x",
        "Bash-x",
        "BashOutput",
    ] {
        assert!(!client(text, &tool("Bash")), "{text:?} does not match");
    }
}

#[test]
fn what_javascript_refuses_is_an_error() {
    for text in [
        "[",
        "(?i)bash",
        "(?P<x>a).",
        "a++.",
        "*.",
        "(.",
        "a\\",
        "(?<n.",
        "x{2}{3}",
        "[b-a]",
    ] {
        let error = Matcher::from_text(text, Dialect::ClaudeCode).expect_err(text);
        assert!(matches!(error, Error::Pattern { .. }), "{text}: {error}");
    }
}

#[test]
fn patterns_mean_what_they_mean_in_javascript() {
    for (pattern, value, expected) in [
        (r"^\w+$", "caf\u{e9}", false),
        (r"^\d$", "\u{0663}", false),
        (r"a\/b", "a/b", true),
        (r"^[[]$", "[", true),
        (r"^[^]$", "\n", true),
        (r"x[]", "x", false),
        (r"^.$", "\n", false),
        (r"^a{$", "a{", true),
        (r"^a{,2}$", "a{,2}", true),
        (r"^a{2}$", "aa", true),
        (r"^\A$", "A", true),
        (r"^\x41\u0042$", "AB", true),
        (r"^(?<n>a)\k<n>$", "aa", true),
        (r"^(a|b)\1$", "bb", true),
        (r"(?<!x)y", "xy", false),
        (r"\bb\b", "a b c", true),
        (r"\bb\b", "abc", false),
        (r"a\Bb", "ab", true),
        (r"^[a&&b]+$", "a&b", true),
        (r"^a+?$", "aaa", true),
        (r"^mcp__.*__read", "mcp__fs__read_file", true),
        (r"a#b .", "a#b c", true),
        (r"^[\w-]+\.rs$", "my-file.rs", true),
        (r"^a<b>$", "a<b>", true),
    ] {
        assert_eq!(
            client(pattern, &tool(value)),
            expected,
            "{pattern} on {value:?}"
        );
    }
}

#[test]
fn a_pattern_that_backtracks_without_end_does_not_match() {
    assert!(!client(r"^(?=(a+)+$)b", &tool(&"a".repeat(64))));
    assert!(!client(
        r"^(a|aa)+\1$",
        &tool(&format!("{}c", "a".repeat(200)))
    ));
}

#[test]
fn old_tool_names_stand_for_the_current_ones() {
    for (text, name, expected) in [
        ("Task", "Agent", true),
        ("Agent", "Agent", true),
        ("^Task$", "Agent", true),
        ("KillShell", "TaskStop", true),
        ("Kill.*", "TaskStop", true),
        ("BashOutput", "TaskOutput", true),
        ("Task", "TaskOutput", false),
        ("Brief", "SendUserMessage", true),
    ] {
        assert_eq!(client(text, &tool(name)), expected, "{text} on {name}");
    }
    let start = HookInput::subagent_start("s", "a1", "Agent", "");
    assert!(!client("Task", &start), "only tools were renamed");
}

#[test]
fn some_events_take_commas_and_hyphens_for_patterns() {
    let changed = |path: &str| {
        HookInput::for_event("s", HookEvent::FileChanged).with_field("file_path", path)
    };
    for (text, path, expected) in [
        (".envrc|.env", "/p/.env", true),
        ("Makefile", "/p/Makefile", true),
        ("Make", "/p/Makefile", false),
        ("my-file", "/p/xmy-filex", true),
        ("a,b", "/p/a", false),
    ] {
        assert_eq!(client(text, &changed(path)), expected, "{text} on {path}");
    }
    let start = |source: &str| HookInput::session_start("s").with_field("source", source);
    assert!(client("startup, resume", &start("resume")));
    assert!(!client("a-startup", &start("startup")));
}

#[test]
fn without_a_subject_the_text_is_ignored() {
    for input in [
        HookInput::stop("s"),
        HookInput::user_prompt_submit("s", "hi"),
    ] {
        for dialect in [Dialect::Generic, Dialect::ClaudeCode] {
            let matcher = Matcher::from_text("Nothing", dialect).unwrap();
            assert_eq!(matcher.matches(&input), Match::Yes);
        }
    }
}

#[test]
fn a_generic_pattern_is_for_the_whole_name_and_bounded() {
    let fits = |text: &str, name: &str| {
        Matcher::from_text(text, Dialect::Generic)
            .unwrap()
            .matches(&tool(name))
            == Match::Yes
    };
    assert!(fits("mcp__.*", "mcp__fs__read"));
    assert!(fits("Bash, Write", "Write"));
    assert!(fits("Re.d|Gr.p", "Grep"));
    assert!(!fits("Re.d|Gr.p", "GrepX"));
    for text in ["[", "(?=x)y", "(a{1000}){1000}"] {
        let error = Matcher::from_text(text, Dialect::Generic).expect_err(text);
        assert!(matches!(error, Error::Pattern { .. }));
        assert_eq!(error.to_string().lines().count(), 1, "{error}");
    }
}

#[test]
fn a_key_that_nobody_knows_is_an_error_with_a_hint() {
    let error = Matcher::from_keys([("toolNam", "Read")], Dialect::Generic).unwrap_err();
    assert!(
        error.to_string().contains("did you mean `toolName`?"),
        "{error}"
    );
    let error = Matcher::from_keys([("files", "*.rs")], Dialect::Generic).unwrap_err();
    assert!(!error.to_string().contains("did you mean"), "{error}");
}

#[test]
fn a_refusal_says_why() {
    let matcher = Matcher::from_text("Write|Edit", Dialect::Generic).unwrap();
    assert_eq!(
        matcher.matches(&tool("Bash")),
        Match::No("`Write|Edit` does not match tool Bash".to_owned())
    );
    assert_eq!(matcher.source(), "Write|Edit");
    let keys = Matcher::from_keys([("tool_name", "Read")], Dialect::Generic).unwrap();
    assert_eq!(keys.source(), "toolName: Read");
    assert_eq!(
        keys.matches(&HookInput::stop("s")),
        Match::No("`toolName: Read` asks for a tool, and Stop has none".to_owned())
    );
}
