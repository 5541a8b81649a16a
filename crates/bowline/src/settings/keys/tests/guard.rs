use bowline_agents::Strictness;

use crate::settings::keys::guard::{GuardConfig, GuardLayer, GuardMode, SecretWriting};
use crate::settings::trust::store::TrustState;
use crate::settings::{Diagnostic, Scope};

fn load(files: &[(Scope, &str)], trust: TrustState) -> (GuardConfig, Vec<Diagnostic>) {
    let (config, findings) = super::load(files, trust);
    (config.guard, findings)
}

fn read(text: &str) -> (GuardConfig, Vec<Diagnostic>) {
    load(&[(Scope::Global, text)], TrustState::NotNeeded)
}

#[test]
fn what_is_probably_not_meant_is_told_and_counts() {
    let (guard, findings) = read(
        "[guard.allow]\nrules = ['git.pushforce', 'git.*']\npaths = ['{a']\n\
         [guard.sensitive]\ndeny = ['[bad', 'keys/**']\n\
         [guard.agents.claude]\nmode = 'observe'\n",
    );
    let codes: Vec<&str> = findings.iter().map(|it| it.code).collect();
    assert_eq!(
        codes,
        [
            "unknown-rule",
            "literal-brackets",
            "literal-brackets",
            "unknown-agent"
        ]
    );
    assert_eq!(guard.sensitive.deny, ["[bad", "keys/**"]);
    assert_eq!(guard.agents["claude"].mode, Some(GuardMode::Observe));
}

#[test]
fn every_key_is_read() {
    let (guard, findings) = read(
        r#"
        [guard]
        mode = "one-strike"
        secrets = "deny"
        [guard.categories]
        delete = "ask"
        fetched_code = "deny"
        [guard.allow]
        rules = ["git.*", "cloud"]
        paths = ["scratch/**"]
        commands = ["make clean *"]
        [guard.sensitive]
        deny = ["internal/**"]
        allow = ["tests/fixtures"]
        [guard.worktree]
        categories.discard = "allow"
        [guard.agents.codex]
        mode = "observe"
        [guard.agents.codex.allow]
        rules = ["process"]
        [guard.subagents.Explore]
        categories.remote = "deny"
        "#,
    );
    assert!(findings.is_empty(), "{findings:?}");
    assert_eq!(guard.base.mode, Some(GuardMode::OneStrike));
    assert_eq!(guard.secrets, SecretWriting::Deny);
    assert_eq!(guard.base.categories["delete"], Strictness::Ask);
    assert_eq!(guard.base.categories["fetched-code"], Strictness::Deny);
    assert_eq!(guard.base.allow.rules, ["git.*", "cloud"]);
    assert_eq!(guard.base.allow.paths, ["scratch/**"]);
    assert_eq!(guard.base.allow.commands, ["make clean *"]);
    assert_eq!(guard.sensitive.deny, ["internal/**"]);
    assert_eq!(guard.sensitive.allow, ["tests/fixtures"]);
    assert_eq!(guard.worktree.categories["discard"], Strictness::Allow);
    assert_eq!(guard.agents["codex"].mode, Some(GuardMode::Observe));
    assert_eq!(guard.agents["codex"].allow.rules, ["process"]);
    assert_eq!(
        guard.subagents["Explore"].categories["remote"],
        Strictness::Deny
    );
}

#[test]
fn what_is_wrong_is_said_and_takes_nothing_else_with_it() {
    for (text, code, says) in [
        ("guard = 3", "wrong-value", "[guard]"),
        ("guard.mode = 'lax'", "wrong-value", "`one-strike`"),
        ("guard.mod = 'observe'", "unknown-key", "`guard.mode`"),
        (
            "guard.categories.deletes = 'ask'",
            "unknown-key",
            "`guard.categories.delete`",
        ),
        ("guard.categories.delete = 'maybe'", "wrong-value", "`deny`"),
        (
            "guard.categories.self = 'allow'",
            "wrong-value",
            "always asked",
        ),
        (
            "guard.allow.rule = ['x']",
            "unknown-key",
            "`guard.allow.rules`",
        ),
        (
            "guard.allow.commands = ['a; b']",
            "wrong-value",
            "one program run",
        ),
        ("guard.allow.paths = 'x'", "wrong-value", "a list"),
        ("guard.agents.codex.secrets = 'off'", "unknown-key", "mode"),
        ("guard.secrets = true", "wrong-value", "`off`"),
        (
            "guard.subagents.x.allow.rules = ['*']",
            "wrong-value",
            "only tighten",
        ),
    ] {
        let (guard, findings) = read(text);
        assert_eq!(guard.base, GuardLayer::default(), "{text}");
        let [finding] = findings.as_slice() else {
            panic!("{text}: {findings:?}");
        };
        assert_eq!(finding.code, code, "{text}");
        assert!(finding.to_string().contains(says), "{text}: {finding}");
    }
    let (guard, findings) = read("guard.sensitive.deny = ['a/**', '../x', 'b/**']");
    assert_eq!(guard.sensitive.deny, ["a/**", "b/**"]);
    assert_eq!(findings.len(), 1, "{findings:?}");
}

#[test]
fn without_trust_a_project_only_tightens() {
    for (text, kept) in [
        ("guard.mode = 'enforce'", true),
        ("guard.mode = 'observe'", false),
        ("guard.mode = 'one-strike'", false),
        ("guard.categories.delete = 'deny'", true),
        ("guard.categories.delete = 'ask'", false),
        ("guard.categories.delete = 'allow'", false),
        ("guard.allow.rules = ['git.*']", false),
        ("guard.worktree.mode = 'observe'", false),
        ("guard.agents.codex.mode = 'observe'", false),
        ("guard.agents.codex.categories.cloud = 'deny'", true),
        ("guard.sensitive.deny = ['x']", true),
        ("guard.sensitive.allow = ['x']", false),
        ("guard.secrets = 'deny'", true),
        ("guard.secrets = 'ask'", true),
    ] {
        for scope in [Scope::Project, Scope::Local] {
            let (guard, findings) = load(&[(scope, text)], TrustState::Untrusted);
            assert_eq!(guard != GuardConfig::default(), kept, "{text}");
            assert_eq!(findings.is_empty(), kept, "{text}: {findings:?}");
        }
    }
}

#[test]
fn without_trust_a_project_does_not_loosen_what_the_user_set() {
    for (text, expected) in [
        ("guard.secrets = 'ask'", SecretWriting::Deny),
        ("guard.secrets = 'off'", SecretWriting::Deny),
    ] {
        let files = [
            (Scope::Global, "guard.secrets = 'deny'"),
            (Scope::Project, text),
        ];
        let (guard, findings) = load(&files, TrustState::Untrusted);
        assert_eq!(guard.secrets, expected, "{text}");
        assert_eq!(findings.len(), 1, "{text}: {findings:?}");
    }
}

#[test]
fn what_the_administrator_locks_others_only_tighten() {
    let managed = "locked = ['guard']\nguard.mode = 'enforce'";
    for (text, kept) in [
        ("guard.mode = 'observe'", false),
        ("guard.allow.rules = ['*']", false),
        ("guard.categories.delete = 'allow'", false),
        ("guard.categories.delete = 'deny'", true),
        ("guard.sensitive.deny = ['x']", true),
    ] {
        let files = [(Scope::Managed, managed), (Scope::Global, text)];
        let (guard, findings) = load(&files, TrustState::NotNeeded);
        assert_eq!(guard.base.mode, Some(GuardMode::Enforce), "{text}");
        assert_eq!(findings.is_empty(), kept, "{text}: {findings:?}");
        let (alone, _) = load(&files[..1], TrustState::NotNeeded);
        assert_eq!(guard != alone, kept, "{text}");
    }
    let some = [
        (Scope::Managed, "locked = ['guard.mode']"),
        (
            Scope::Global,
            "guard.mode = 'observe'\nguard.allow.rules = ['x']",
        ),
    ];
    let (guard, _) = load(&some, TrustState::NotNeeded);
    assert_eq!((guard.base.mode, guard.base.allow.rules.len()), (None, 1));
    for other_spelling in ["guard.Mode", "guard.MODE", "Guard.mo-de"] {
        let files = [
            (Scope::Managed, "locked = ['guard.mode']"),
            (Scope::Global, &*format!("{other_spelling} = 'observe'")),
        ];
        let (guard, _) = load(&files, TrustState::NotNeeded);
        assert_eq!(guard.base.mode, None, "{other_spelling}");
    }
}

#[test]
fn lists_add_up_and_stronger_files_win() {
    let (guard, _) = load(
        &[
            (
                Scope::Global,
                "guard.mode = 'observe'\nguard.allow.rules = ['a']",
            ),
            (
                Scope::Project,
                "guard.mode = 'enforce'\nguard.allow.rules = ['b']",
            ),
        ],
        TrustState::Trusted,
    );
    assert_eq!(guard.base.mode, Some(GuardMode::Enforce));
    assert_eq!(guard.base.allow.rules, ["a", "b"]);

    let over = GuardLayer {
        mode: Some(GuardMode::OneStrike),
        ..GuardLayer::default()
    };
    let both = guard.base.with(&over);
    assert_eq!(both.mode, Some(GuardMode::OneStrike));
    assert_eq!(both.allow.rules, ["a", "b"]);
}
