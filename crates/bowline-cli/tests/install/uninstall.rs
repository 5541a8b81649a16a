//! `bowline uninstall`.

use std::fs;

use serde_json::{Value, json};

use super::daemon::Daemon;
use super::installed::{Installed as _, installed};

const THEIRS: &str = "{\n  \"model\": \"opus\",\n  \"hooks\": {\n    \"Stop\": [\n      {\n        \"hooks\": [\n          {\n            \"type\": \"command\",\n            \"command\": \"/opt/bowline-hook-log\",\n            \"args\": [\"bowline\"]\n          }\n        ]\n      }\n    ]\n  }\n}\n";

#[test]
fn only_bowlines_entries_go() {
    let sandbox = installed();
    let file = sandbox.write("home/.claude/settings.json", THEIRS);
    sandbox.run(&["init", "--yes"]).expect(0, &["Installed"]);
    sandbox
        .run(&["uninstall"])
        .expect(2, &["\"claude-code\", \"Stop\""])
        .expect_stderr(2, &["not a terminal", "--yes"]);
    sandbox.run(&["uninstall", "--dry-run"]).expect(
        0,
        &[
            "\"claude-code\", \"Stop\"",
            "as Stop: PreToolUse, SubagentStop",
            "as PermissionRequest: PermissionDenied, ",
            "Nothing was changed",
        ],
    );
    assert_ne!(fs::read_to_string(&file).unwrap(), THEIRS);
    sandbox
        .run(&["uninstall", "--yes"])
        .expect(0, &["Uninstalled"]);
    assert_eq!(fs::read_to_string(&file).unwrap(), THEIRS);
    sandbox
        .run(&["uninstall", "--yes"])
        .expect(0, &["Bowline is not in"]);
    assert_eq!(fs::read_to_string(&file).unwrap(), THEIRS);
    assert_eq!(sandbox.copies(&file).len(), 2);
}

#[test]
fn what_goes_is_not_shown_as_what_stays() {
    let sandbox = installed();
    sandbox.write("home/.claude/settings.json", THEIRS);
    sandbox.run(&["init", "--yes"]).expect(0, &["Installed"]);
    let shown = sandbox.run(&["uninstall", "--dry-run"]);
    for line in shown.stdout.lines().filter(|line| line.starts_with(' ')) {
        assert!(
            !line.contains("claude-code"),
            "{line} stays in {}",
            shown.stdout
        );
    }
    let removed = |line: &&str| line.starts_with('-') && line.contains("\"command\":");
    let removed = shown.stdout.lines().find(removed);
    assert!(
        removed.is_some_and(|line| line.ends_with(',')),
        "{}",
        shown.stdout
    );
    sandbox
        .run(&["uninstall", "--yes"])
        .expect(0, &["The file as it was: "]);
}

#[test]
fn other_scopes_that_still_have_it_are_named() {
    let sandbox = installed();
    sandbox
        .run(&["init", "--yes", "--scope", "project"])
        .expect(0, &[]);
    sandbox.run(&["uninstall", "--yes"]).expect(
        0,
        &[
            "Bowline is not in",
            "project/.claude/settings.json still has Bowline; `bowline uninstall --scope project`",
        ],
    );
    sandbox
        .run(&["uninstall", "--yes", "--scope", "project"])
        .expect(0, &["Uninstalled"]);
    assert!(!sandbox.path("project/.claude/settings.json").exists());
}

#[test]
fn the_file_is_as_it_was_byte_for_byte() {
    for text in [
        "",
        "\n",
        "{}",
        "{}\n",
        "{\n}\n",
        "{ }",
        "{\"a\":1}",
        "{\n  \"hooks\": {}\n}\n",
        "{\"hooks\": {\"PreToolUse\": []}}",
        "{\"hooks\": {\"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"x\"}]}]}}",
        "{\r\n\t\"a\": 1\r\n}\r\n",
        "\u{feff}{\"a\": 1}",
    ] {
        let sandbox = installed();
        let file = sandbox.write("home/.claude/settings.json", text);
        sandbox.run(&["init", "--yes"]).expect(0, &["Installed"]);
        // Brought up to date, as after another version of the client.
        sandbox
            .run(&["init", "--yes", "--client-version", "2.1.325"])
            .expect(0, &["Installed"]);
        sandbox
            .run(&["uninstall", "--yes"])
            .expect(0, &["Uninstalled"]);
        assert_eq!(fs::read_to_string(&file).unwrap(), text);
    }
}

#[test]
fn a_file_that_init_made_goes_again_but_not_what_others_wrote_to_it() {
    for (scope, name) in [
        ("user", "home/.claude/settings.json"),
        ("project", "project/.claude/settings.json"),
        ("local", "project/.claude/settings.local.json"),
    ] {
        let sandbox = installed();
        let file = sandbox.path(name);
        let init = ["init", "--yes", "--scope", scope];
        let uninstall = ["uninstall", "--yes", "--scope", scope];
        sandbox.run(&init).expect(0, &["Installed"]);
        sandbox.run(&uninstall).expect(0, &["Uninstalled"]);
        assert!(!file.exists(), "{scope}");

        // As an agent prints it anew.
        sandbox.run(&init).expect(0, &["Installed"]);
        let text = fs::read_to_string(&file).unwrap();
        let mut settings: serde_json::Value = serde_json::from_str(&text).unwrap();
        fs::write(&file, serde_json::to_string_pretty(&settings).unwrap()).unwrap();
        sandbox.run(&init).expect(0, &["Already installed"]);
        sandbox.run(&uninstall).expect(0, &["Uninstalled"]);
        assert!(!file.exists(), "{scope}");

        sandbox.run(&init).expect(0, &["Installed"]);
        settings["model"] = json!("opus");
        fs::write(&file, serde_json::to_string_pretty(&settings).unwrap()).unwrap();
        let again = [&init[..], &["--client-version", "2.1.325"]].concat();
        sandbox.run(&again).expect(0, &["Installed"]);
        sandbox.run(&uninstall).expect(0, &["Uninstalled"]);
        let left: serde_json::Value =
            serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
        assert_eq!(left, json!({"model": "opus"}));
    }
}

#[test]
fn the_daemon_is_stopped_and_the_data_stays() {
    let sandbox = installed();
    sandbox.run(&["init", "--yes"]).expect(0, &[]);
    let kept = sandbox.write("home/.local/share/bowline/bowline.db", "rows");
    let daemon = Daemon::start(&sandbox.socket(), &[("daemon.stop", json!({}))]);
    sandbox
        .run(&["uninstall", "--yes"])
        .expect(0, &["The daemon was stopped", "--purge"]);
    assert_eq!(daemon.asked(), ["daemon.stop"]);
    assert!(kept.exists());
}

#[test]
fn the_daemon_of_another_scope_goes_on() {
    let sandbox = installed();
    for scope in ["user", "local"] {
        sandbox
            .run(&["init", "--yes", "--scope", scope])
            .expect(0, &[]);
    }
    let daemon = Daemon::start(&sandbox.socket(), &[("daemon.stop", json!({}))]);
    sandbox.run(&["uninstall", "--yes"]).expect(
        0,
        &[
            "Uninstalled",
            "The daemon goes on",
            "uninstall --scope local",
        ],
    );
    assert_eq!(daemon.asked(), [""; 0]);
    sandbox
        .run(&["uninstall", "--yes", "--scope", "local"])
        .expect(0, &["The daemon was stopped"]);
    assert_eq!(daemon.asked(), ["daemon.stop"]);
}

#[test]
fn a_daemon_that_refuses_is_told_and_stops_nothing_else() {
    let sandbox = installed();
    sandbox.run(&["init", "--yes"]).expect(0, &[]);
    let _daemon = Daemon::start(&sandbox.socket(), &[]);
    sandbox.run(&["uninstall", "--yes"]).expect(
        0,
        &["Uninstalled", "could not be stopped: there is no command"],
    );
}

#[test]
fn a_purge_shows_what_goes_and_leaves_the_rest_alone() {
    let sandbox = installed();
    sandbox.write("home/.local/share/bowline/bowline.db", "rows");
    sandbox.write("home/.local/share/bowline/spool/1", "row");
    let runtime = sandbox.socket().parent().unwrap().display().to_string();
    let beside = ["losses", "0001.spool"].map(|it| sandbox.write(format!("{runtime}/{it}"), "row"));
    let other = sandbox.write("home/.local/share/other/kept", "");
    std::os::unix::fs::symlink(&other, sandbox.data().join("link")).unwrap();
    sandbox
        .run(&["uninstall", "--purge"])
        .expect(2, &["To be deleted for good", "bowline.db", "spool"])
        .expect_stderr(2, &["--yes"]);
    assert!(sandbox.data().exists());
    sandbox
        .run(&["uninstall", "--purge", "--yes"])
        .expect(0, &["has been deleted"]);
    assert!(!sandbox.data().exists() && other.exists());
    assert!(beside.iter().all(|it| !it.exists()), "{beside:?}");
    sandbox
        .run(&["uninstall", "--purge", "--yes"])
        .expect(0, &["Bowline is not in"]);

    fs::create_dir_all(sandbox.path("elsewhere")).unwrap();
    std::os::unix::fs::symlink(sandbox.path("elsewhere"), sandbox.data()).unwrap();
    sandbox
        .run(&["uninstall", "--purge", "--yes"])
        .expect_stderr(2, &["is a link"]);
    assert!(sandbox.path("elsewhere").exists());
}

/// Whatever the agent, and whoever made its folders.
#[test]
fn what_came_with_bowline_goes_with_it() {
    for (agent, scope, file) in [
        ("cline", "user", "home/Documents/Cline/Hooks/PreToolUse"),
        ("cline", "project", "project/.clinerules/hooks/TaskStart"),
        ("grok", "user", "home/.grok/hooks/bowline.json"),
        ("grok", "project", "project/.grok/hooks/bowline.json"),
        ("kimi", "user", "home/.kimi-code/config.toml"),
        ("windsurf", "user", "home/.codeium/windsurf/hooks.json"),
        ("windsurf", "project", "project/.windsurf/hooks.json"),
    ] {
        let sandbox = installed();
        let arguments = ["--agent", agent, "--scope", scope, "--yes"];
        let run = |command: &str| sandbox.run(&[&[command], &arguments[..]].concat());
        run("init").expect(0, &["Installed: "]);
        assert!(sandbox.path(file).is_file(), "{file}");
        run("uninstall").expect(0, &["Uninstalled: "]);
        let mut parts = file.split('/');
        let (base, first) = (parts.next().unwrap(), parts.next().unwrap());
        assert!(!sandbox.path(base).join(first).exists(), "{file}");
        assert!(sandbox.path(base).is_dir());

        // Others have something there.
        let theirs = sandbox.path(file).with_file_name("theirs");
        fs::create_dir_all(theirs.parent().unwrap()).unwrap();
        fs::write(&theirs, "").unwrap();
        run("init").expect(0, &["Installed: "]);
        run("uninstall").expect(0, &["Uninstalled: "]);
        assert!(theirs.is_file() && !sandbox.path(file).exists(), "{file}");
    }
}

/// What a person left empty is no less a person's, also when others have written to the file since.
#[test]
fn what_was_empty_before_is_there_afterwards() {
    for (agent, name, before) in [
        ("qwen", ".qwen/settings.json", json!({"a": 1, "hooks": {}})),
        (
            "claude-code",
            ".claude/settings.json",
            json!({"a": 1, "hooks": {"PreToolUse": []}}),
        ),
        ("cursor", ".cursor/hooks.json", json!({"version": 1})),
    ] {
        let sandbox = installed();
        let file = sandbox.write(format!("home/{name}"), before.to_string());
        let value =
            || -> Value { serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap() };
        let init = ["init", "--agent", agent, "--yes"];
        sandbox.run(&init).expect(0, &["Installed"]);
        let pretty = || serde_json::to_string_pretty(&value()).unwrap();
        fs::write(&file, pretty()).unwrap();
        sandbox
            .run(&[&init[..], &["--on-failure", "closed"]].concat())
            .expect(0, &["Installed"]);
        fs::write(&file, pretty() + "\n").unwrap();
        sandbox
            .run(&["uninstall", "--agent", agent, "--yes"])
            .expect(0, &["Uninstalled"]);
        assert_eq!(value(), before, "{agent}");
    }
}

#[test]
fn what_uninstall_shows_in_short_is_what_it_does() {
    for (agent, name) in [
        ("codex", ".codex/hooks.json"),
        ("cursor", ".cursor/hooks.json"),
        ("droid", ".factory/hooks.json"),
    ] {
        let sandbox = installed();
        let file = sandbox.write(format!("home/{name}"), "{\"version\": 1}");
        sandbox.run(&["init", "--agent", agent, "--yes", "--no-trust"]);
        let text = fs::read_to_string(&file).unwrap();
        let value: Value = serde_json::from_str(&text).unwrap();
        fs::write(&file, value.to_string()).unwrap();
        let ran = sandbox.run(&["uninstall", "--agent", agent, "--dry-run"]);
        let added: Vec<&str> = ran
            .stdout
            .lines()
            .filter(|it| it.starts_with('+'))
            .collect();
        assert_eq!(added, ["+{\"version\":1}"], "{agent}: {}", ran.stdout);
    }
    for agent in ["opencode", "copilot", "cline"] {
        let sandbox = installed();
        sandbox
            .run(&["init", "--agent", agent, "--yes"])
            .expect(0, &["Installed"]);
        let ran = sandbox.run(&["uninstall", "--agent", agent, "--dry-run"]);
        ran.expect(0, &[" (is removed)"]);
    }
}
