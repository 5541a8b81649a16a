//! Feature 01: configuration sources and precedence.

use std::fs;
use std::path::Path;

use bowline::settings::{FileKind, FileStatus, HookStatus, Scope, Settings, Severity, load};

use super::place::{Place, USER_FILE, commands, nested, own};

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
    assert_eq!(settings.claude_hooks_off, Some(by));

    place.write(
        "project/.claude/settings.json",
        with("\"disableAllHooks\": false", "project"),
    );
    let settings = place.load();
    assert_eq!(commands(&settings), ["managed", "project", "own", "user"]);
    assert_eq!(settings.claude_hooks_off, None);

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
    let said = |code: &str| -> Vec<&str> {
        settings
            .diagnostics
            .iter()
            .filter(|finding| finding.code == code && finding.severity == Severity::Note)
            .map(|finding| finding.message.as_str())
            .collect()
    };
    let keys = said("untrusted");
    assert_eq!(keys.len(), 4, "{keys:?}");
    for stated in [
        r#"`defaults.dedupe = "event"` is ignored"#,
        r#"`http.allow_insecure_hosts = ["evil"]` is ignored"#,
        r#"`prompt.base_url = "https://evil"` is ignored"#,
        r#"`dialects.x = "generic"` is ignored"#,
    ] {
        assert!(keys.iter().any(|key| key.contains(stated)), "{keys:?}");
    }
    let hooks = said("untrusted-hooks");
    assert!(
        matches!(hooks.as_slice(), [one] if one.starts_with("1 hook is ignored")),
        "{hooks:?}"
    );

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

#[test]
fn f01_ignored_hooks_are_counted_in_words() {
    let place = Place::new();
    place.write("project/bowline.toml", "[hooks]\nStop = ['a', 'b']\n");
    let settings = place.load();
    let [note] = settings.diagnostics.as_slice() else {
        panic!("{:?}", settings.diagnostics);
    };
    assert_eq!(note.code, "untrusted-hooks");
    assert!(note.message.starts_with("2 hooks are ignored"), "{note}");
}

#[test]
fn f01_a_package_has_its_own_claude_files_and_the_repositorys_bowline_files() {
    use bowline::settings::{TrustState, TrustStore, find_project};
    let place = Place::new();
    place.write("repo/.git/HEAD", "");
    place.write("repo/bowline.toml", own("repository"));
    place.write("repo/.claude/settings.json", nested("above"));
    place.write("repo/pkg/.claude/settings.json", nested("package"));
    place.write("repo/pkg/src/main.rs", "");
    place.write("bowline.toml", own("foreign"));

    let project = find_project(&place.path("repo/pkg/src"), &place.locations);
    assert_eq!(project, place.path("repo/pkg"));
    let settings = load(&project, &place.locations);
    assert_eq!(settings.project, place.path("repo/pkg"));
    assert_eq!(settings.bowline_root, place.path("repo"));
    assert_eq!(commands(&settings), ["package"]);
    assert_eq!(settings.trust, TrustState::Untrusted);

    let mut store = TrustStore::open(&place.locations).unwrap();
    store.record(&settings.bowline_root).unwrap();
    let settings = load(&project, &place.locations);
    assert_eq!(settings.trust, TrustState::Trusted);
    assert_eq!(commands(&settings), ["repository", "package"]);
    assert_eq!(
        settings.hooks[0].definition.origin.file,
        Some(place.path("repo/bowline.toml"))
    );
}

#[test]
fn f01_dialects_are_named_from_the_project_or_from_the_file_that_names_them() {
    use bowline::hooks::Dialect;
    use bowline::settings::TrustStore;
    for name in [".claude/settings.json", "pkg/.claude/settings.json"] {
        let place = Place::new();
        place.write(
            "repo/bowline.toml",
            format!("[dialects]\n\"{name}\" = \"generic\"\n"),
        );
        place.write("repo/pkg/.claude/settings.json", nested("package"));
        TrustStore::open(&place.locations)
            .unwrap()
            .record(&place.path("repo"))
            .unwrap();
        let settings = load(&place.path("repo/pkg"), &place.locations);
        let hook = settings.in_force().next().unwrap();
        assert_eq!(hook.origin.dialect, Dialect::Generic, "{name}");
    }
}

#[test]
fn f01_claude_codes_http_hooks_are_held_to_its_lists() {
    use bowline::settings::Action;
    let http = |keys: &str, url: &str| {
        format!(
            r#"{{{keys} "hooks": {{"Stop": [{{"hooks": [{{"type": "http", "url": "{url}",
                "allowedEnvVars": ["TOKEN", "USER"]}}]}}]}}}}"#
        )
    };
    let place = Place::new();
    let (managed, project) = (
        "etc/claude-code/managed-settings.json",
        "project/.claude/settings.json",
    );
    let (good, bad) = ("https://Hooks.Example./x", "https://other.test/x");
    place.write(managed, http("", bad));
    place.write(project, http("", good));
    place.write(
        "home/.config/bowline/config.toml",
        format!("[hooks]\nStop = [{{ type = \"http\", url = \"{bad}\", allowedEnvVars = [\"TOKEN\"] }}]\n"),
    );
    let status = |settings: &Settings, file: &str| {
        settings
            .hooks
            .iter()
            .find(|hook| hook.definition.origin.file == Some(place.path(file)))
            .map(|hook| {
                let Action::Http(action) = &hook.definition.action else {
                    panic!("{hook:?}");
                };
                (hook.status.clone(), action.allowed_env_vars.clone())
            })
            .unwrap()
    };
    let both = vec!["TOKEN".to_owned(), "USER".to_owned()];
    let settings = place.load();
    for file in [managed, project] {
        assert_eq!(status(&settings, file), (HookStatus::InForce, both.clone()));
    }

    // The lists of all files count together, for the administrator's hooks too.
    place.write(
        project,
        http(
            r#""allowedHttpHookUrls": ["https://hooks.example/*"], "httpHookAllowedEnvVars": ["USER"],"#,
            good,
        ),
    );
    let settings = place.load();
    let by = format!("allowedHttpHookUrls in {}", place.path(project).display());
    let narrowed = vec!["USER".to_owned()];
    assert_eq!(
        status(&settings, managed),
        (HookStatus::Disabled { by }, narrowed.clone())
    );
    assert_eq!(status(&settings, project), (HookStatus::InForce, narrowed));
    let own = status(&settings, "home/.config/bowline/config.toml");
    assert_eq!(own, (HookStatus::InForce, vec!["TOKEN".to_owned()]));

    place.write(
        "home/.claude/settings.json",
        r#"{"allowedHttpHookUrls": ["*://other.test/*"], "httpHookAllowedEnvVars": ["TOKEN"]}"#,
    );
    let settings = place.load();
    for file in [managed, project] {
        assert_eq!(status(&settings, file), (HookStatus::InForce, both.clone()));
    }

    // An empty list allows nothing.
    place.write(
        "home/.claude/settings.json",
        r#"{"allowedHttpHookUrls": []}"#,
    );
    place.write(project, http("", good));
    let settings = place.load();
    for file in [managed, project] {
        assert!(
            matches!(status(&settings, file).0, HookStatus::Disabled { .. }),
            "{file}"
        );
    }
}

#[test]
fn settings_are_capped_and_what_is_within_the_cap_counts() {
    let place = Place::new();
    let patterns: Vec<String> = (0..15_000)
        .map(|n| format!("\"**/a*b*c*{n}/**/*x*\""))
        .collect();
    let text = format!("[guard.sensitive]\ndeny = [\n{}\n]\n", patterns.join(",\n"));
    place.write("project/bowline.toml", text);
    let settings = place.load();
    assert_eq!(settings.config.guard.sensitive.deny.len(), 200);
    let finding = settings
        .diagnostics
        .iter()
        .find(|finding| finding.code == "too-many-patterns")
        .unwrap();
    assert_eq!(finding.severity, Severity::Error);
    assert_eq!(finding.line, 203);
    assert!(finding.message.contains("15000"), "{}", finding.message);

    let hooks = "[[hooks.Stop]]\ncommand = 'true'\n".repeat(2_000);
    place.write(USER_FILE, hooks);
    let settings = place.load();
    assert!(settings.hooks.len() <= 1_000);
    assert!(
        settings
            .diagnostics
            .iter()
            .any(|it| it.code == "too-many-entries")
    );

    let commands: Vec<String> = (0..900).map(|n| format!("'tool{n} *'")).collect();
    let rule = |id: &str| {
        let commands = commands.join(",");
        format!("[[rule]]\nid = '{id}'\nverdict = 'deny'\nmessage = 'no'\ncommand = [{commands}]\n")
    };
    place.write(USER_FILE, rule("one") + &rule("two"));
    let settings = place.load();
    assert_eq!(settings.rules.len(), 1);
    assert!(
        settings
            .diagnostics
            .iter()
            .any(|it| it.code == "too-many-patterns" && it.message.contains("rule"))
    );
}
