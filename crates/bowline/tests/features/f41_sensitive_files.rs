//! Feature 41: the sensitive-file guard, as far as a project's `.claude/sensitive-files.json` is concerned.

use bowline::settings::{FileKind, FileStatus, Settings, Severity, TrustState, check_file, load};
use bowline_guard::Strictness;
use bowline_guard::paths::StaticWorld;
use bowline_guard::policy::GuardPolicy;
use bowline_guard::sensitive::SensitivePolicy;
use bowline_guard::tool_call::{ToolCall, judge_tool_call};

use super::place::{Place, commands, own};

const FILE: &str = "project/.claude/sensitive-files.json";

/// What the guard answers to a call with this path, by the project's settings.
fn judged(settings: &Settings, tool: &str, path: &str) -> Strictness {
    judged_by(&settings.sensitive_files.policy(), tool, path)
}

fn judged_by(policy: &SensitivePolicy, tool: &str, path: &str) -> Strictness {
    let field = match tool {
        "NotebookEdit" => "notebook_path",
        "Grep" => "path",
        _ => "file_path",
    };
    let call = ToolCall::from_fields(|name| (name == field).then_some(path));
    let world = StaticWorld {
        sensitive: policy.clone(),
        ..StaticWorld::new("/home/ada/shop", "/home/ada")
    };
    judge_tool_call(tool, &call, &world, &GuardPolicy::default()).decision
}

const TOOLS: [&str; 6] = ["Read", "Grep", "Edit", "Write", "MultiEdit", "NotebookEdit"];

#[test]
fn f41_a_custom_patterns_deny_and_the_allow_list_wins() {
    let place = Place::new();
    place.write(
        FILE,
        r##"{
  "description": "what the team protects",
  "patterns": {
    "environment": ["\\.env$"],
    "custom_patterns": ["# our own", "customers/.*\\.dat$", "^ledger/"]
  },
  "allowlist": ["# made up", "^customers/demo\\.dat$", "^fixtures/"]
}"##,
    );
    place.trust();
    let settings = place.load();
    assert_eq!(settings.trust, TrustState::Trusted);
    assert!(
        settings.diagnostics.is_empty(),
        "{:?}",
        settings.diagnostics
    );
    let [first, second] = settings.sensitive_files.custom.as_slice() else {
        panic!("{:?}", settings.sensitive_files);
    };
    assert_eq!((first.line, first.column), (5, 38));
    assert_eq!(second.pattern, "^ledger/");

    for tool in TOOLS {
        for (path, denied) in [
            ("customers/a.dat", true),
            ("ledger/2026.csv", true),
            ("customers/demo.dat", false),
            ("fixtures/.ssh/id_ed25519", false),
            ("fixtures/../ledger/x", true),
            ("src/main.rs", false),
            ("~/.ssh/id_ed25519", true),
        ] {
            let expected = if denied {
                Strictness::Deny
            } else {
                Strictness::Allow
            };
            assert_eq!(judged(&settings, tool, path), expected, "{tool} {path}");
        }
    }
}

#[test]
fn f41_b_protected_names_pass_only_through_the_allow_list() {
    let place = Place::new();
    let guarded = [".env", ".env.local", "config/settings.php", "deploy.key"];
    for path in guarded {
        assert_eq!(
            judged(&place.load(), "Read", path),
            Strictness::Deny,
            "{path}"
        );
    }
    place.write(
        FILE,
        r#"{"allowlist": ["^\\.env(\\.local)?$", "settings\\.php$", "^deploy\\.key$"]}"#,
    );
    place.trust();
    for path in guarded {
        assert_eq!(
            judged(&place.load(), "Read", path),
            Strictness::Allow,
            "{path}"
        );
    }
    // Only what it names.
    for path in [".env.prod", "sub/.env", "other.key"] {
        assert_eq!(
            judged(&place.load(), "Read", path),
            Strictness::Deny,
            "{path}"
        );
    }
}

#[test]
fn f41_a_an_untrusted_project_may_only_tighten() {
    let place = Place::new();
    place.write(
        FILE,
        r#"{"patterns": {"custom_patterns": ["^ledger/"]}, "allowlist": ["\\.env$"]}"#,
    );
    let settings = place.load();
    // It is the project's only file, and still not trusted by itself.
    assert_eq!(settings.trust, TrustState::Untrusted);
    assert_eq!(judged(&settings, "Read", "ledger/x"), Strictness::Deny);
    assert_eq!(judged(&settings, "Read", ".env"), Strictness::Deny);
    assert_eq!(settings.sensitive_files.ignored.len(), 1);
    let [note] = settings.diagnostics.as_slice() else {
        panic!("{:?}", settings.diagnostics);
    };
    assert_eq!((note.code, note.severity), ("untrusted", Severity::Note));
    assert!(note.message.contains("is ignored"), "{}", note.message);
    assert_eq!(settings.files[0].kind, FileKind::SensitiveFiles);

    place.trust();
    assert_eq!(judged(&place.load(), "Read", ".env"), Strictness::Allow);

    // A change ends the trust, also in the file alone.
    place.write(FILE, r#"{"allowlist": [".*"]}"#);
    let changed = place.load();
    assert_eq!(changed.trust, TrustState::Changed);
    assert_eq!(judged(&changed, "Read", ".env"), Strictness::Deny);

    // Without an allow-list there is nothing to trust.
    let place = Place::new();
    place.write(
        FILE,
        r##"{"patterns": {"custom_patterns": ["^ledger/"]}, "allowlist": ["# none"]}"##,
    );
    assert_eq!(place.load().trust, TrustState::NotNeeded);
}

#[test]
fn f41_a_an_allow_list_that_comes_later_does_not_switch_off_what_was_trusted() {
    let place = Place::new();
    place.write("project/bowline.toml", own("lint"));
    place.trust();
    place.write(FILE, r#"{"allowlist": ["\\.env$"]}"#);
    let settings = place.load();
    assert_eq!(settings.trust, TrustState::ExceptAllowList);
    assert_eq!(commands(&settings), ["lint"]);
    assert_eq!(judged(&settings, "Read", ".env"), Strictness::Deny);
    assert_eq!(settings.diagnostics[0].code, "untrusted");

    place.trust();
    let settings = place.load();
    assert_eq!(settings.trust, TrustState::Trusted);
    assert_eq!(commands(&settings), ["lint"]);
    assert_eq!(judged(&settings, "Read", ".env"), Strictness::Allow);
}

#[test]
fn f41_a_what_is_wrong_is_named_and_takes_nothing_with_it() {
    for (text, expected, custom) in [
        (
            "{\n \"patterns\": {\"custom_patterns\": [\"(\", 5, \"^ledger/\", \"(?=x)\"]}}",
            vec![
                ("bad-pattern", 2, 35),
                ("wrong-type", 2, 40),
                ("bad-pattern", 2, 55),
            ],
            1,
        ),
        (
            "{\"patterns\": {\"custom_patterns\": \"x\"}}",
            vec![("wrong-type", 1, 34)],
            0,
        ),
        ("{\"patterns\": []}", vec![("wrong-type", 1, 14)], 0),
        (
            "{\"allowlist\": {}, \"patterns\": {\"custom_patterns\": [\"^a$\"]}}",
            vec![("wrong-type", 1, 15)],
            1,
        ),
        ("[]", vec![("wrong-type", 1, 1)], 0),
        (
            "{\"patterns\": {\"custom_patterns\": [\"x*\"]}}",
            vec![("matches-everything", 1, 35)],
            1,
        ),
        ("{\"patterns\": ", vec![("syntax", 1, 14)], 0),
        ("", vec![], 0),
        (
            "{\"$comment\": 1, \"other\": [1], \"patterns\": {\"keys\": 7}}",
            vec![],
            0,
        ),
        (
            "\u{feff}{ // why\n \"patterns\": {\"custom_patterns\": [\"^a$\",]}}",
            vec![],
            1,
        ),
    ] {
        let place = Place::new();
        place.write(FILE, text);
        let settings = place.load();
        let found: Vec<_> = settings
            .diagnostics
            .iter()
            .map(|finding| (finding.code, finding.line, finding.column))
            .collect();
        assert_eq!(found, expected, "{text}");
        assert_eq!(settings.sensitive_files.custom.len(), custom, "{text}");
        assert_eq!(
            judged(&settings, "Read", ".env"),
            Strictness::Deny,
            "{text}"
        );
        let alone = check_file(&place.path(FILE), None).parsed.diagnostics;
        assert_eq!(alone, settings.diagnostics, "{text}");
    }
    let place = Place::new();
    place.write(FILE, b"\xff");
    let settings = place.load();
    assert!(matches!(
        settings.files[0].status,
        FileStatus::Unreadable { .. }
    ));
    assert_eq!(settings.trust, TrustState::NotNeeded);
}

#[test]
fn f41_a_what_an_untrusted_list_costs_is_bounded() {
    let codes = |patterns: &[&str]| {
        let place = Place::new();
        let list = serde_json::json!({"patterns": {"custom_patterns": patterns}});
        place.write(FILE, list.to_string());
        let settings = place.load();
        let codes: Vec<_> = settings.diagnostics.iter().map(|it| it.code).collect();
        (settings.sensitive_files.custom.len(), codes)
    };
    assert_eq!(codes(&["^a$"; 500]), (500, vec![]));
    assert_eq!(codes(&["^a$"; 502]), (500, vec!["too-many-patterns"]));

    // What cannot be used counts as well.
    let mut broken = vec!["("; 500];
    broken.push("^a$");
    let (used, found) = codes(&broken);
    assert_eq!(used, 0);
    assert_eq!(found.last(), Some(&"too-many-patterns"));

    // Each is too large by itself: all share what may be spent on finding that out.
    let (used, found) = codes(&[r"\w{25}z1"; 500]);
    assert_eq!(used, 0);
    assert!(found.len() < 20, "{}", found.len());
    assert_eq!(found.last(), Some(&"patterns-too-large"));

    // Large ones that fit are used, as long as there is room.
    let (used, found) = codes(&[r"^\w{3}$"; 500]);
    assert!((10..500).contains(&used), "{used}");
    assert_eq!(found, ["patterns-too-large"]);
}

#[test]
fn f41_a_a_package_tightens_and_its_repository_loosens() {
    let place = Place::new();
    place.write("project/.git/HEAD", "");
    place.write("project/bowline.toml", own("lint"));
    place.write(FILE, r#"{"allowlist": ["^/never$", "\\.env$"]}"#);
    place.write(
        "project/package/.claude/sensitive-files.json",
        r#"{"patterns": {"custom_patterns": ["^ledger/"]}, "allowlist": ["deploy\\.key$"]}"#,
    );
    place.trust();
    let settings = load(&place.path("project/package"), &place.locations);
    assert_eq!(settings.trust, TrustState::Trusted);
    for (path, expected) in [
        (".env", Strictness::Allow),
        ("ledger/x", Strictness::Deny),
        ("deploy.key", Strictness::Deny),
    ] {
        assert_eq!(judged(&settings, "Read", path), expected, "{path}");
    }
    assert_eq!(settings.diagnostics[0].code, "not-covered");
}
