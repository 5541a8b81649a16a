//! Feature 01: configuration sources and precedence.

use std::fs;
use std::path::Path;

use bowline::settings::{FileKind, FileStatus, HookStatus, Scope, Settings, Severity, load};

use super::place::{Place, commands, nested, own};

fn scope_and_file(settings: &Settings, command: &str) -> Option<(Scope, std::path::PathBuf)> {
    let hook = settings
        .in_force()
        .find(|hook| hook.action.summary() == command)?;
    Some((hook.origin.scope, hook.origin.file.clone()?))
}

#[test]
fn f01_a_every_source_is_active_with_scope_and_file() {
    let place = Place::new();
    let files = [
        (Scope::Managed, "etc/claude-code/managed-settings.json"),
        (
            Scope::Managed,
            "etc/claude-code/managed-settings.d/10-guard.json",
        ),
        (Scope::Managed, "etc/bowline/config.toml"),
        (Scope::Local, "project/.claude/settings.local.json"),
        (Scope::Local, "project/bowline.local.toml"),
        (Scope::Project, "project/.claude/settings.json"),
        (Scope::Project, "project/bowline.toml"),
        (Scope::Global, "home/.claude/settings.json"),
        (Scope::Global, "home/.config/bowline/config.toml"),
    ];
    for (_, file) in files {
        let text = if file.contains(".toml") {
            own(file)
        } else {
            nested(file)
        };
        place.write(file, text);
    }
    place.trust();
    let settings = place.load();
    for (scope, file) in files {
        assert_eq!(
            scope_and_file(&settings, file),
            Some((scope, place.path(file))),
            "{file}: {:?}",
            settings.diagnostics
        );
    }
    assert_eq!(settings.in_force().count(), files.len());
    assert_eq!(settings.files.len(), files.len());
    let scopes: Vec<Scope> = settings.in_force().map(|hook| hook.origin.scope).collect();
    assert!(scopes.is_sorted(), "{scopes:?}");
}

#[test]
fn f01_b_missing_files_are_nothing() {
    let place = Place::new();
    let settings = place.load();
    assert!(settings.hooks.is_empty());
    assert!(settings.files.is_empty());
    assert!(
        settings.diagnostics.is_empty(),
        "{:?}",
        settings.diagnostics
    );

    place.write("project/.claude/settings.json", nested("one"));
    let settings = place.load();
    assert_eq!(commands(&settings), ["one"]);
    assert!(
        settings.diagnostics.is_empty(),
        "{:?}",
        settings.diagnostics
    );
    assert_eq!(settings.files.len(), 1);
}

#[test]
fn f01_c_a_broken_file_disables_only_itself() {
    let broken = [
        "project/.claude/settings.json",
        "project/.claude/settings.local.json",
        "home/.claude/settings.json",
        "etc/claude-code/managed-settings.json",
        "project/bowline.toml",
        "home/.config/bowline/config.toml",
    ];
    for broken in broken {
        let place = Place::new();
        place.write(
            "project/.claude/agents/a.md",
            "---\nhooks:\n  Stop:\n    - hooks:\n        - {type: command, command: agent}\n---\n",
        );
        place.write("home/.claude/settings.json", nested("user"));
        place.write("project/.claude/settings.json", nested("project"));
        place.write("home/.config/bowline/config.toml", own("own"));
        place.write(broken, "{\n  \"hooks\": {\n  ]\n");
        let settings = place.load();

        let of_file: Vec<_> = settings
            .diagnostics
            .iter()
            .filter(|finding| finding.file.as_deref() == Some(&place.path(broken)))
            .collect();
        let [finding] = of_file.as_slice() else {
            panic!("{broken}: {of_file:?}");
        };
        assert_eq!(finding.severity, Severity::Error, "{broken}");
        assert!(
            finding.line >= 1 && finding.message.contains("not valid"),
            "{finding}"
        );
        let file = settings
            .files
            .iter()
            .find(|file| file.path == place.path(broken))
            .unwrap();
        assert_eq!((&file.status, file.hooks), (&FileStatus::Broken, 0));

        let expected: Vec<&str> = [
            ("project/.claude/settings.json", "project"),
            ("", "agent"),
            ("home/.claude/settings.json", "user"),
            ("home/.config/bowline/config.toml", "own"),
        ]
        .into_iter()
        .filter(|(file, _)| *file != broken)
        .map(|(_, command)| command)
        .collect();
        let mut found = commands(&settings);
        found.sort_by_key(|command| expected.iter().position(|name| name == command));
        assert_eq!(found, expected, "{broken}");
    }
}

#[test]
fn f01_c_unusable_files_are_named_and_skipped() {
    let place = Place::new();
    place.write("project/.claude/settings.local.json", nested("local"));
    fs::create_dir_all(place.path("project/.claude/settings.json")).unwrap();
    place.write("home/.claude/settings.json", b"{\"hooks\": \xff}");
    let settings = place.load();
    assert_eq!(commands(&settings), ["local"]);
    for (file, reason) in [
        ("project/.claude/settings.json", "a directory"),
        ("home/.claude/settings.json", "offset 10"),
    ] {
        let file = settings
            .files
            .iter()
            .find(|found| found.path == place.path(file))
            .unwrap();
        assert!(
            matches!(&file.status, FileStatus::Unreadable { reason: found } if found.contains(reason)),
            "{file:?}"
        );
    }
}

#[test]
fn f01_d_loading_again_gives_the_new_hooks_and_leaves_the_old_ones() {
    let place = Place::new();
    place.write("project/.claude/settings.json", nested("old"));
    let before = place.load();
    place.write("project/.claude/settings.json", nested("new"));
    let after = place.load();
    assert_eq!(commands(&after), ["new"]);
    assert_eq!(commands(&before), ["old"]);
}

#[test]
fn f01_precedence_of_switches_follows_claude_code() {
    let with = |key: &str, command: &str| nested(command).replacen('{', &format!("{{{key}, "), 1);
    let place = Place::new();
    place.write(
        "home/.claude/settings.json",
        with("\"disableAllHooks\": true", "user"),
    );
    place.write("project/.claude/settings.json", nested("project"));
    place.write("etc/claude-code/managed-settings.json", nested("managed"));
    place.write("home/.config/bowline/config.toml", own("own"));
    let settings = place.load();
    assert_eq!(commands(&settings), ["managed", "own"]);
    let by = format!(
        "disableAllHooks in {}",
        place.path("home/.claude/settings.json").display()
    );
    assert!(
        settings
            .hooks
            .iter()
            .any(|hook| hook.status == HookStatus::Disabled { by: by.clone() })
    );

    place.write(
        "project/.claude/settings.json",
        with("\"disableAllHooks\": false", "project"),
    );
    assert_eq!(
        commands(&place.load()),
        ["managed", "project", "own", "user"]
    );

    place.write(
        "etc/claude-code/managed-settings.json",
        with("\"disableAllHooks\": true", "managed"),
    );
    assert_eq!(commands(&place.load()), ["own"]);

    place.write(
        "etc/claude-code/managed-settings.json",
        with("\"allowManagedHooksOnly\": true", "managed"),
    );
    assert_eq!(commands(&place.load()), ["managed", "own"]);

    place.write("etc/bowline/config.toml", "allow_managed_hooks_only = true");
    assert_eq!(commands(&place.load()), ["managed"]);
}

#[test]
fn f01_the_home_folder_as_a_project_is_read_once() {
    let place = Place::new();
    place.write("home/.claude/settings.json", nested("user"));
    let settings = load(&place.path("home"), &place.locations);
    assert_eq!(settings.hooks.len(), 1);
    assert_eq!(settings.files[0].scope, Scope::Global);
    assert_eq!(settings.files[0].kind, FileKind::ClaudeSettings);
}

#[test]
fn f01_a_project_chooses_the_dialect_of_a_file() {
    use bowline::hooks::Dialect;
    let place = Place::new();
    place.write("project/.claude/settings.json", nested("one"));
    place.write(
        "project/bowline.toml",
        "[dialects]\n\".claude/settings.json\" = \"generic\"\n",
    );
    let dialect = |settings: &Settings| settings.in_force().next().unwrap().origin.dialect;
    assert_eq!(dialect(&place.load()), Dialect::ClaudeCode, "not trusted");
    place.trust();
    assert_eq!(dialect(&place.load()), Dialect::Generic);
}

#[test]
fn f01_an_untrusted_project_may_only_tighten() {
    use bowline::hooks::OnFailure;
    use bowline::settings::TrustState;
    let place = Place::new();
    place.write(
        "project/bowline.toml",
        format!(
            "[defaults]\non_failure = \"block\"\ndedupe = \"event\"\n[http]\nallow_insecure_hosts = [\"evil\"]\n[prompt]\nbase_url = \"https://evil\"\n[dialects]\nx = \"generic\"\n{}",
            own("theirs")
        ),
    );
    place.write("home/.config/bowline/config.toml", own("mine"));

    let settings = place.load();
    assert_eq!(settings.trust, TrustState::Untrusted);
    assert_eq!(commands(&settings), ["mine"]);
    let theirs = settings
        .hooks
        .iter()
        .find(|hook| hook.definition.action.summary() == "theirs");
    assert_eq!(theirs.unwrap().status, HookStatus::Untrusted);
    assert_eq!(settings.config.defaults.on_failure, Some(OnFailure::Block));
    assert_eq!(
        settings.in_force().next().unwrap().on_failure,
        OnFailure::Block
    );
    assert_eq!(settings.config.defaults.dedupe, None);
    assert!(settings.config.http.allow_insecure_hosts.is_empty());
    assert_eq!(settings.config.prompt.base_url, None);
    assert!(settings.config.dialects.is_empty());
    let notes: Vec<_> = settings
        .diagnostics
        .iter()
        .filter(|finding| finding.code == "untrusted")
        .collect();
    assert_eq!(notes.len(), 5, "four keys and the hooks: {notes:?}");

    place.trust();
    let settings = place.load();
    assert_eq!(settings.trust, TrustState::Trusted);
    assert_eq!(commands(&settings), ["theirs", "mine"]);
    assert!(
        settings.diagnostics.is_empty(),
        "{:?}",
        settings.diagnostics
    );

    place.write("project/bowline.local.toml", own("sneaked in"));
    let settings = place.load();
    assert_eq!(settings.trust, TrustState::Changed);
    assert_eq!(commands(&settings), ["mine"]);
}

#[test]
fn f01_the_administrator_locks_keys() {
    let place = Place::new();
    place.write(
        "etc/bowline/config.toml",
        "locked = [\"prompt\"]\n[prompt]\nmodel = \"corporate\"\n",
    );
    place.write(
        "home/.config/bowline/config.toml",
        "[prompt]\nmodel = \"mine\"\nbase_url = \"https://mine\"\n[http]\nallow_insecure_hosts = [\"box\"]\n",
    );
    let settings = place.load();
    assert_eq!(settings.config.prompt.model.as_deref(), Some("corporate"));
    assert_eq!(settings.config.prompt.base_url, None);
    assert_eq!(settings.config.http.allow_insecure_hosts, ["box"]);
    let managed = place.path("etc/bowline/config.toml").display().to_string();
    let locked: Vec<_> = settings
        .diagnostics
        .iter()
        .filter(|finding| finding.code == "locked")
        .collect();
    assert_eq!(locked.len(), 2, "{locked:?}");
    assert!(
        locked
            .iter()
            .all(|finding| finding.message.contains(&managed))
    );

    // Nobody knows what a broken file would lock.
    place.write("etc/bowline/config.toml", "locked = [");
    let settings = place.load();
    assert!(settings.config.http.allow_insecure_hosts.is_empty());
}

#[test]
fn f01_stronger_files_win_key_by_key() {
    use std::time::Duration;
    let place = Place::new();
    place.write(
        "home/.config/bowline/config.toml",
        format!(
            "[defaults]\ntimeout_secs = 5\nexit_policy = \"only_two\"\n{}",
            own("mine")
        ),
    );
    place.write("project/bowline.toml", "[defaults]\ntimeout_secs = 6\n");
    place.write(
        "project/bowline.local.toml",
        "[defaults]\ntimeout_secs = 7.5\n",
    );
    place.trust();
    let settings = place.load();
    let hook = settings.in_force().next().unwrap();
    assert_eq!(hook.timeout.limit, Duration::from_millis(7500));
    assert_eq!(hook.exit_policy, bowline::settings::ExitPolicy::OnlyTwo);
    place.write("etc/bowline/config.toml", "[defaults]\ntimeout_secs = 1\n");
    assert_eq!(
        place.load().config.defaults.timeout,
        Some(Duration::from_secs(1))
    );
}

#[test]
fn f01_settings_of_a_missing_project_are_those_of_the_user() {
    let place = Place::new();
    place.write("home/.claude/settings.json", nested("user"));
    let settings = load(Path::new("/nonexistent/project"), &place.locations);
    assert_eq!(commands(&settings), ["user"]);
}
